/* SPDX-License-Identifier: MIT */
/* Classes and messages of a derived trace (derived.h). */
#include "plugin/derived.h"

#include <string.h>

/* An event is about 100 bytes: packets stay well below 1 MiB. */
#define PACKET_EVENTS 4096u

struct derived {
	bt_self_message_iterator *iterator; /* borrowed */
	bt_trace_class *trace_class;        /* owned, as all below */
	bt_clock_class *clock;
	bt_stream_class *stream_class;
	bt_event_class *events[TIMELINE_KIND_COUNT];
	bt_trace *trace;
	bt_stream *stream;
	bt_packet *packet; /* NULL: none is open */
	uint32_t packet_events;
	uint64_t frequency, offset_cycles;
	int64_t offset_s;
	uint64_t last_cycles;
	bool begun;
};

static bool copy_clock(struct derived *derived, bt_self_component *component,
		       const bt_clock_class *source)
{
	const char *name = bt_clock_class_get_name(source);
	bt_uuid uuid = bt_clock_class_get_uuid(source);

	derived->clock = bt_clock_class_create(component);
	if (!derived->clock || bt_clock_class_set_name(derived->clock, name ? name : "monotonic") !=
				       BT_CLOCK_CLASS_SET_NAME_STATUS_OK)
		return false;
	derived->frequency = bt_clock_class_get_frequency(source);
	bt_clock_class_get_offset(source, &derived->offset_s, &derived->offset_cycles);
	bt_clock_class_set_frequency(derived->clock, derived->frequency);
	bt_clock_class_set_offset(derived->clock, derived->offset_s, derived->offset_cycles);
	bt_clock_class_set_precision(derived->clock, bt_clock_class_get_precision(source));
	bt_clock_class_set_origin_is_unix_epoch(derived->clock,
						bt_clock_class_origin_is_unix_epoch(source));
	if (uuid)
		bt_clock_class_set_uuid(derived->clock, uuid);
	return true;
}

/* Adds a member and lets go of it; NULL fails. */
static bool add_member(bt_field_class *structure, const char *name, bt_field_class *member)
{
	bool ok = member && bt_field_class_structure_append_member(structure, name, member) ==
				    BT_FIELD_CLASS_STRUCTURE_APPEND_MEMBER_STATUS_OK;

	bt_field_class_put_ref(member);
	return ok;
}

static bt_field_class *signed_class(struct derived *derived, uint64_t bits)
{
	bt_field_class *class = bt_field_class_integer_signed_create(derived->trace_class);

	if (class)
		bt_field_class_integer_set_field_value_range(class, bits);
	return class;
}

static bool make_stream_class(struct derived *derived)
{
	bt_field_class *context = bt_field_class_structure_create(derived->trace_class);
	bt_field_class *packet = bt_field_class_structure_create(derived->trace_class);
	bt_field_class *cpu = bt_field_class_integer_unsigned_create(derived->trace_class);
	bool ok;

	derived->stream_class = bt_stream_class_create(derived->trace_class);
	ok = derived->stream_class && context && packet && cpu &&
	     bt_stream_class_set_default_clock_class(derived->stream_class, derived->clock) ==
		     BT_STREAM_CLASS_SET_DEFAULT_CLOCK_CLASS_STATUS_OK;
	if (ok) {
		bt_stream_class_set_supports_packets(derived->stream_class, BT_TRUE, BT_TRUE,
						     BT_TRUE);
		bt_field_class_integer_set_field_value_range(cpu, 32);
		ok = add_member(packet, "cpu_id", cpu);
		cpu = NULL; /* add_member() has it */
		ok = ok && add_member(context, "vpid", signed_class(derived, 32)) &&
		     add_member(context, "vtid", signed_class(derived, 32)) &&
		     add_member(context, "procname",
				bt_field_class_string_create(derived->trace_class)) &&
		     bt_stream_class_set_packet_context_field_class(derived->stream_class,
								    packet) ==
			     BT_STREAM_CLASS_SET_FIELD_CLASS_STATUS_OK &&
		     bt_stream_class_set_event_common_context_field_class(derived->stream_class,
									  context) ==
			     BT_STREAM_CLASS_SET_FIELD_CLASS_STATUS_OK;
	}
	bt_field_class_put_ref(cpu);
	bt_field_class_put_ref(packet);
	bt_field_class_put_ref(context);
	return ok;
}

static bool make_event_class(struct derived *derived, enum timeline_kind kind)
{
	const struct timeline_event *event = &timeline_events[kind];
	bt_field_class *payload = bt_field_class_structure_create(derived->trace_class);
	bool ok = payload != NULL;

	derived->events[kind] = bt_event_class_create(derived->stream_class);
	ok = ok && derived->events[kind] &&
	     bt_event_class_set_name(derived->events[kind], event->name) ==
		     BT_EVENT_CLASS_SET_NAME_STATUS_OK;
	for (int i = 0; ok && i < TIMELINE_NUMBERS && event->numbers[i].name; i++)
		ok = add_member(payload, event->numbers[i].name,
				signed_class(derived, event->numbers[i].bits));
	for (int i = 0; ok && i < TIMELINE_TEXTS && event->texts[i]; i++)
		ok = add_member(payload, event->texts[i],
				bt_field_class_string_create(derived->trace_class));
	ok = ok && bt_event_class_set_payload_field_class(derived->events[kind], payload) ==
			   BT_EVENT_CLASS_SET_FIELD_CLASS_STATUS_OK;
	bt_field_class_put_ref(payload);
	return ok;
}

static bool set_env(struct derived *derived, const char *name, const char *text)
{
	return bt_trace_set_environment_entry_string(derived->trace, name, text) ==
	       BT_TRACE_SET_ENVIRONMENT_ENTRY_STATUS_OK;
}

static bool set_env_number(struct derived *derived, const char *name, int64_t number)
{
	return bt_trace_set_environment_entry_integer(derived->trace, name, number) ==
	       BT_TRACE_SET_ENVIRONMENT_ENTRY_STATUS_OK;
}

static bool copy_env(struct derived *derived, const bt_trace *source, const char *name,
		     const char *otherwise)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(source, name);

	return set_env(derived, name,
		       value && bt_value_is_string(value) ? bt_value_string_get(value) : otherwise);
}

static bool make_trace(struct derived *derived, const bt_trace *source)
{
	derived->trace = bt_trace_create(derived->trace_class);
	return derived->trace && set_env(derived, "domain", "ust") &&
	       set_env(derived, "tracer_name", "lttng-ust") &&
	       set_env_number(derived, "tracer_major", 2) &&
	       set_env_number(derived, "tracer_minor", 13) &&
	       copy_env(derived, source, "hostname", "unknown") &&
	       copy_env(derived, source, "trace_name", "kfdscope") &&
	       copy_env(derived, source, "trace_creation_datetime", "19700101T000000+0000") &&
	       set_env(derived, "tracer_buffering_scheme", "uid") &&
	       set_env_number(derived, "tracer_buffering_id", 0) &&
	       set_env_number(derived, "architecture_bit_width", 64);
}

struct derived *derived_new(bt_self_message_iterator *iterator, const bt_stream *source)
{
	struct derived *derived = g_new0(struct derived, 1);
	bt_self_component *component = bt_self_message_iterator_borrow_component(iterator);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(source));
	bool ok;

	derived->iterator = iterator;
	derived->trace_class = bt_trace_class_create(component);
	ok = clock && derived->trace_class && copy_clock(derived, component, clock) &&
	     make_stream_class(derived);
	for (int kind = 0; ok && kind < TIMELINE_KIND_COUNT; kind++)
		ok = make_event_class(derived, (enum timeline_kind)kind);
	ok = ok && make_trace(derived, bt_stream_borrow_trace_const(source));
	if (ok)
		derived->stream = bt_stream_create(derived->stream_class, derived->trace);
	if (derived->stream)
		return derived;
	derived_free(derived);
	return NULL;
}

void derived_free(struct derived *derived)
{
	if (!derived)
		return;
	bt_packet_put_ref(derived->packet);
	bt_stream_put_ref(derived->stream);
	bt_trace_put_ref(derived->trace);
	for (int kind = 0; kind < TIMELINE_KIND_COUNT; kind++)
		bt_event_class_put_ref(derived->events[kind]);
	bt_stream_class_put_ref(derived->stream_class);
	bt_clock_class_put_ref(derived->clock);
	bt_trace_class_put_ref(derived->trace_class);
	g_free(derived);
}

static bool push(GPtrArray *messages, const bt_message *message)
{
	if (message)
		g_ptr_array_add(messages, (void *)message);
	return message != NULL;
}

static uint64_t cycles_at(struct derived *derived, int64_t time_ns)
{
	const int64_t ns_per_s = 1000000000;
	__int128 since_ns = (__int128)time_ns - (__int128)derived->offset_s * ns_per_s;
	__int128 cycles = since_ns;

	if (derived->frequency != (uint64_t)ns_per_s) /* LTTng's clock has it */
		cycles = since_ns * derived->frequency / ns_per_s;
	cycles -= (__int128)derived->offset_cycles;
	derived->last_cycles = MAX(derived->last_cycles, cycles > 0 ? (uint64_t)cycles : 0);
	return derived->last_cycles;
}

static bool begin_packet(struct derived *derived, uint64_t cycles, GPtrArray *messages)
{
	bt_field *context;

	if (derived->packet)
		return true;
	if (!derived->begun &&
	    !push(messages, bt_message_stream_beginning_create(derived->iterator, derived->stream)))
		return false;
	derived->begun = true;
	derived->packet = bt_packet_create(derived->stream);
	if (!derived->packet)
		return false;
	context = bt_packet_borrow_context_field(derived->packet);
	bt_field_integer_unsigned_set_value(
		bt_field_structure_borrow_member_field_by_index(context, 0), 0);
	derived->packet_events = 0;
	return push(messages, bt_message_packet_beginning_create_with_default_clock_snapshot(
				      derived->iterator, derived->packet, cycles));
}

static bool end_packet(struct derived *derived, GPtrArray *messages)
{
	bool ok = push(messages, bt_message_packet_end_create_with_default_clock_snapshot(
					 derived->iterator, derived->packet, derived->last_cycles));

	bt_packet_put_ref(derived->packet);
	derived->packet = NULL;
	return ok;
}

/* Never empty: babeltrace2 2.0 would read the text of another event in its place (field_text()). */
static bool set_text(bt_field *field, const char *text)
{
	return bt_field_string_set_value(field, text && *text ? text : "-") ==
	       BT_FIELD_STRING_SET_VALUE_STATUS_OK;
}

static bool fill(bt_event *event, const struct timeline_item *item)
{
	const struct timeline_event *names = &timeline_events[item->kind];
	bt_field *context = bt_event_borrow_common_context_field(event);
	bt_field *payload = bt_event_borrow_payload_field(event);
	uint64_t index = 0;
	bool ok;

	bt_field_integer_signed_set_value(
		bt_field_structure_borrow_member_field_by_index(context, 0),
		(int32_t)item->process->vpid);
	bt_field_integer_signed_set_value(
		bt_field_structure_borrow_member_field_by_index(context, 1), (int32_t)item->vtid);
	ok = set_text(bt_field_structure_borrow_member_field_by_index(context, 2), item->procname);
	for (int i = 0; i < TIMELINE_NUMBERS && names->numbers[i].name; i++)
		bt_field_integer_signed_set_value(
			bt_field_structure_borrow_member_field_by_index(payload, index++),
			item->numbers[i]);
	for (int i = 0; ok && i < TIMELINE_TEXTS && names->texts[i]; i++)
		ok = set_text(bt_field_structure_borrow_member_field_by_index(payload, index++),
			      item->texts[i]);
	return ok;
}

static bool add_event(struct derived *derived, const struct timeline_item *item, uint64_t cycles,
		      GPtrArray *messages)
{
	bt_message *message;

	message = bt_message_event_create_with_packet_and_default_clock_snapshot(
		derived->iterator, derived->events[item->kind], derived->packet, cycles);
	if (!message)
		return false;
	if (!fill(bt_message_event_borrow_event(message), item)) {
		bt_message_put_ref(message);
		return false;
	}
	g_ptr_array_add(messages, message);
	return true;
}

/*
 * The sink declares the classes that it has met, and the viewer's memory view wants all six declared:
 * one event of each with no pointer, which the viewer passes over (trace-compass.md 3.2).
 */
static bool add_declarations(struct derived *derived, const struct timeline_item *first,
			     uint64_t cycles, GPtrArray *messages)
{
	struct timeline_item item = { .process = first->process,
				      .vtid = first->vtid,
				      .procname = first->procname };
	bool ok = true;

	for (int kind = TIMELINE_MALLOC; ok && kind <= TIMELINE_POSIX_MEMALIGN; kind++) {
		item.kind = (enum timeline_kind)kind;
		ok = add_event(derived, &item, cycles, messages);
	}
	return ok;
}

bool derived_give(struct derived *derived, const struct timeline_item *item, GPtrArray *messages)
{
	uint64_t cycles = cycles_at(derived, item->time_ns);
	bool is_first = !derived->begun;

	if (!begin_packet(derived, cycles, messages))
		return false;
	if (is_first && !add_declarations(derived, item, cycles, messages))
		return false;
	if (!add_event(derived, item, cycles, messages))
		return false;
	if (++derived->packet_events < PACKET_EVENTS)
		return true;
	return end_packet(derived, messages);
}

bool derived_end(struct derived *derived, GPtrArray *messages)
{
	if (derived->packet && !end_packet(derived, messages))
		return false;
	return !derived->begun ||
	       push(messages, bt_message_stream_end_create(derived->iterator, derived->stream));
}
