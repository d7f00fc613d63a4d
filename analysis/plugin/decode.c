/* SPDX-License-Identifier: MIT */
/* Event classes, their meaning, and the values of their fields (decode.h). */
#include "plugin/decode.h"

#include <string.h>

#include "plugin/event_args.h"
#include "plugin/field.h"
#include "plugin/foreign.h"

#define NUMBERS_MAX 128u

enum field_scope {
	SCOPE_NONE,
	SCOPE_HIP_ENTRY,
	SCOPE_HIP_EXIT,
	SCOPE_HSA_ENTRY,
	SCOPE_HSA_EXIT,
	SCOPE_FOREIGN,
	SCOPE_GUEST_ENTRY,
	SCOPE_GUEST_EXIT,
	SCOPE_COMMAND_ENTRY,
	SCOPE_COMMAND_EXIT,
	SCOPE_CLOCK_PAIR,
	SCOPE_API_ENTRY,
	SCOPE_API_EXIT,
	SCOPE_IOCTL_ENTRY,
	SCOPE_IOCTL_EXIT,
	SCOPE_OS_ENTRY,
	SCOPE_OS_EXIT,
	SCOPE_SCHEMA,
	SCOPE_NODE,
	SCOPE_ALLOCATION,
	SCOPE_QUEUE,
	SCOPE_EVENT,
	SCOPE_REQUEST,
	SCOPE_DEFINITION,
	SCOPE_PROCESS,
	SCOPE_MODULE,
};

/* Targets beyond the fields of a record. */
enum {
	TARGET_STACK = FIELD_COUNT,
	TARGET_IDS,
	TARGET_HANDLES,
	TARGET_SHARE,
	TARGET_TEXT,
	TARGET_BUILD_ID,
	TARGET_BUILD_SIZE,
	TARGET_COUNT,
};

static const struct {
	enum field_scope scope;
	const char *name;
	int target;
} maps[] = {
#define FIELD(name)              FIELD_##name
#define STACK                    TARGET_STACK
#define IDS                      TARGET_IDS
#define HANDLES                  TARGET_HANDLES
#define SHARE                    TARGET_SHARE
#define TEXT                     TARGET_TEXT
#define BUILD_ID                 TARGET_BUILD_ID
#define BUILD_SIZE               TARGET_BUILD_SIZE
#define MAP(scope, name, target) { SCOPE_##scope, name, target },
#include "plugin/decode.def"
#undef MAP
#undef FIELD
#undef STACK
#undef IDS
#undef HANDLES
#undef SHARE
#undef TEXT
#undef BUILD_ID
#undef BUILD_SIZE
};

/* Events that are not calls. */
static const struct {
	const char *name;
	enum record_kind kind;
	enum field_scope scope;
} state_events[] = {
	{ "kmt_state:schema", RECORD_SCHEMA, SCOPE_SCHEMA },
	{ "kmt_state:begin", RECORD_DUMP_BEGIN, SCOPE_NONE },
	{ "kmt_state:node", RECORD_DUMP_NODE, SCOPE_NODE },
	{ "kmt_state:allocation", RECORD_DUMP_ALLOC, SCOPE_ALLOCATION },
	{ "kmt_state:queue", RECORD_DUMP_QUEUE, SCOPE_QUEUE },
	{ "kmt_state:event", RECORD_DUMP_EVENT, SCOPE_EVENT },
	{ "kmt_state:request", RECORD_DUMP_REQUEST, SCOPE_REQUEST },
	{ "kmt_state:requests", RECORD_DUMP_REQUESTS, SCOPE_NONE },
	{ "kmt_state:stack", RECORD_STACK, SCOPE_DEFINITION },
	{ "kmt_queue:sample", RECORD_QUEUE_SAMPLE, SCOPE_NONE },
	{ "kmt_smi:stream", RECORD_DRIVER_STREAM, SCOPE_NONE },
	{ "kmt_smi:vm_fault", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:thermal_throttle", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:gpu_pre_reset", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:gpu_post_reset", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:migrate_start", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:migrate_end", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:page_fault_start", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:page_fault_end", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:queue_eviction", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:queue_restore", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:unmap_from_gpu", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:process_start", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:process_end", RECORD_DRIVER_EVENT, SCOPE_NONE },
	{ "kmt_smi:raw", RECORD_DRIVER_RAW, SCOPE_NONE },
	{ "vkmt:clock_pair", RECORD_CLOCK_PAIR, SCOPE_CLOCK_PAIR },
	{ "kmt_os:files_read", RECORD_FILES_READ, SCOPE_NONE },
	{ "kmt_state:hidden_node", RECORD_DUMP_HIDDEN, SCOPE_NONE },
	{ "kmt_state:message", RECORD_MESSAGE, SCOPE_NONE },
	{ "kmt_state:end", RECORD_DUMP_END, SCOPE_NONE },
	{ "kmt_state:forked", RECORD_FORKED, SCOPE_PROCESS },
	{ "kmt_state:exiting", RECORD_PROCESS_EXIT, SCOPE_PROCESS },
	{ "kmt_state:module", RECORD_MODULE, SCOPE_MODULE },
	{ "kmt_state:module_gone", RECORD_MODULE_GONE, SCOPE_MODULE },
	{ "lttng_ust_statedump:start", RECORD_MODULES_BEGIN, SCOPE_NONE },
	{ "lttng_ust_statedump:bin_info", RECORD_MODULE, SCOPE_MODULE },
	{ "lttng_ust_statedump:build_id", RECORD_MODULE_ID, SCOPE_MODULE },
	{ "lttng_ust_statedump:end", RECORD_MODULES_END, SCOPE_NONE },
	{ "lttng_ust_lib:load", RECORD_MODULE, SCOPE_MODULE },
	{ "lttng_ust_lib:build_id", RECORD_MODULE_ID, SCOPE_MODULE },
	{ "lttng_ust_lib:unload", RECORD_MODULE_GONE, SCOPE_MODULE },
	{ "lttng_ust_dl:dlopen", RECORD_MODULE, SCOPE_MODULE },
	{ "lttng_ust_dl:build_id", RECORD_MODULE_ID, SCOPE_MODULE },
};

static const struct {
	const char *provider;
	enum layer layer;
	enum field_scope entry, exit;
} call_providers[] = {
	{ "kmt_hip:", LAYER_HIP, SCOPE_HIP_ENTRY, SCOPE_HIP_EXIT },
	{ "kmt_rocr:", LAYER_HSA, SCOPE_HSA_ENTRY, SCOPE_HSA_EXIT },
	/* the longer names first */
	{ "vkmt:vhsaKmt", LAYER_GUEST, SCOPE_GUEST_ENTRY, SCOPE_GUEST_EXIT },
	{ "vkmt:vamdgpu_", LAYER_GUEST, SCOPE_GUEST_ENTRY, SCOPE_GUEST_EXIT },
	{ "vkmt:vdrm", LAYER_GUEST, SCOPE_GUEST_ENTRY, SCOPE_GUEST_EXIT },
	{ "vkmt:command", LAYER_COMMAND, SCOPE_COMMAND_ENTRY, SCOPE_COMMAND_EXIT },
	{ "vkmt:", LAYER_HOST, SCOPE_COMMAND_ENTRY, SCOPE_COMMAND_EXIT },
	{ "kmt:", LAYER_API, SCOPE_API_ENTRY, SCOPE_API_EXIT },
	{ "kfd:", LAYER_IOCTL, SCOPE_IOCTL_ENTRY, SCOPE_IOCTL_EXIT },
	{ "kmt_os:", LAYER_OS, SCOPE_OS_ENTRY, SCOPE_OS_EXIT },
};

struct wanted {
	uint64_t index;
	int64_t valid; /* index of the field that says whether this one applies; -1: none */
	int target;
	enum field_reading reading, valid_reading;
};

struct event_plan {
	enum record_kind kind;
	bool is_foreign, is_unpaired;
	int64_t phase;                /* index of the field that says what kind it is; -1: none */
	const struct call_type *type; /* borrowed from the model */
	uint32_t count;
	struct wanted wanted[TARGET_COUNT];
};

/* Classes that were looked up before, by address: a power of two, so many that few share a place. */
#define RECENT_BITS  12
#define RECENT_COUNT (1u << RECENT_BITS)

struct recent {
	const bt_event_class *class;
	const struct event_plan *plan;
};

/* A field of the common context. */
struct context_field {
	int64_t index; /* -1: not there */
	enum field_reading reading;
};

struct stream_plan {
	struct context_field vpid, vtid, procname;
	bool has_clock;
};

struct trace_plan {
	const char *hostname, *recording; /* interned */
	uint32_t vpid;                    /* of per-process buffers; 0: in the context */
};

/* What a stream's counter of discarded events has said. */
struct stream_losses {
	uint64_t now, highest;
};

struct decoder {
	struct model *model; /* borrowed */
	GHashTable *events;  /* bt_event_class (counted) -> struct event_plan (owned) */
	GHashTable *streams; /* bt_stream_class (counted) -> struct stream_plan (owned) */
	GHashTable *losses;  /* bt_stream (borrowed) -> struct stream_losses (owned) */
	GHashTable *traces;  /* bt_trace (borrowed: messages keep them) -> struct trace_plan */
	/* The last ones that were looked up, borrowed: neighbours in time are often of one stream. */
	const bt_stream *last_stream;
	const struct stream_plan *last_stream_plan;
	const struct trace_plan *last_trace_plan;
	struct recent recent[RECENT_COUNT]; /* borrowed from events */
	struct decoder_gaps gaps;
	bool without_stacks;
	struct event_args args; /* of the last event */
	uint64_t stack[NUMBERS_MAX], ids[NUMBERS_MAX], handles[NUMBERS_MAX];
	uint8_t build_id[MODULE_BUILD_ID_MAX];
};

static void put_event_class(void *data)
{
	bt_event_class_put_ref(data);
}

static void put_stream_class(void *data)
{
	bt_stream_class_put_ref(data);
}

static void put_trace(void *data)
{
	bt_trace_put_ref(data);
}

struct decoder *decoder_new(struct model *model)
{
	struct decoder *decoder = g_new0(struct decoder, 1);

	decoder->model = model;
	event_args_init(&decoder->args);
	decoder->events = g_hash_table_new_full(NULL, NULL, put_event_class, g_free);
	decoder->streams = g_hash_table_new_full(NULL, NULL, put_stream_class, g_free);
	decoder->losses = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	decoder->traces = g_hash_table_new_full(NULL, NULL, put_trace, g_free);
	return decoder;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	g_hash_table_destroy(decoder->events);
	g_hash_table_destroy(decoder->streams);
	g_hash_table_destroy(decoder->losses);
	g_hash_table_destroy(decoder->traces);
	event_args_fini(&decoder->args);
	g_free(decoder);
}

void decoder_leave_out_stacks(struct decoder *decoder)
{
	decoder->without_stacks = true;
}

const struct decoder_gaps *decoder_gaps(const struct decoder *decoder)
{
	return &decoder->gaps;
}

static bool is_wanted(const struct decoder *decoder, int target)
{
	return !decoder->without_stacks || (target != TARGET_STACK && target != FIELD_STACK_ID);
}

static void plan_fields(const struct decoder *decoder, struct event_plan *plan,
			const bt_field_class *payload, enum field_scope scope)
{
	uint64_t taken[TARGET_COUNT] = { 0 };

	for (size_t i = 0; i < G_N_ELEMENTS(maps); i++) {
		struct wanted *wanted = &plan->wanted[plan->count];
		char valid[64];
		int64_t index;

		if (maps[i].scope != scope || taken[maps[i].target] ||
		    !is_wanted(decoder, maps[i].target))
			continue;
		index = field_member(payload, maps[i].name);
		if (index < 0)
			continue;
		g_snprintf(valid, sizeof(valid), "%s_valid", maps[i].name);
		wanted->index = (uint64_t)index;
		wanted->valid = field_member(payload, valid);
		wanted->target = maps[i].target;
		wanted->reading = field_member_reading(payload, index);
		if (wanted->valid >= 0)
			wanted->valid_reading = field_member_reading(payload, wanted->valid);
		taken[maps[i].target] = 1;
		plan->count++;
	}
}

/* NAME_entry or NAME_exit of one of the call providers. @return the scope, or SCOPE_NONE. */
static enum field_scope plan_call(struct decoder *decoder, struct event_plan *plan,
				  const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(call_providers); i++) {
		size_t matched = strlen(call_providers[i].provider);
		/* What is matched may go on into the name. */
		size_t prefix = strcspn(call_providers[i].provider, ":") + 1;
		bool entry = g_str_has_suffix(name, "_entry");
		char *call;

		if (strncmp(name, call_providers[i].provider, matched) != 0 ||
		    (!entry && !g_str_has_suffix(name, "_exit")))
			continue;
		call = g_strndup(name + prefix,
				 strlen(name) - prefix - strlen(entry ? "_entry" : "_exit"));
		plan->kind = entry ? RECORD_CALL_ENTRY : RECORD_CALL_EXIT;
		plan->type = model_call_type(decoder->model, call_providers[i].layer, call);
		g_free(call);
		return entry ? call_providers[i].entry : call_providers[i].exit;
	}
	return SCOPE_NONE;
}

/* A call of HIP or HSA that somebody else records. @return the scope, or SCOPE_NONE. */
static enum field_scope plan_foreign(struct decoder *decoder, struct event_plan *plan,
				     const bt_event_class *class)
{
	struct foreign foreign = foreign_of(class);
	enum field_scope scope = SCOPE_NONE;

	plan->is_unpaired = foreign.shape == FOREIGN_UNPAIRED;
	if (foreign.shape > FOREIGN_UNPAIRED) {
		plan->is_foreign = true;
		plan->kind = foreign.shape == FOREIGN_EXIT ? RECORD_CALL_EXIT : RECORD_CALL_ENTRY;
		plan->phase = foreign.shape == FOREIGN_PHASE ? (int64_t)foreign.phase : -1;
		plan->type = model_call_type(decoder->model, foreign.layer, foreign.name);
		scope = SCOPE_FOREIGN;
	}
	foreign_fini(&foreign);
	return scope;
}

static const struct event_plan *make_plan(struct decoder *decoder, const bt_event_class *class)
{
	struct event_plan *plan = g_hash_table_lookup(decoder->events, class);
	const char *name;
	enum field_scope scope;

	if (plan)
		return plan;
	plan = g_new0(struct event_plan, 1);
	plan->phase = -1;
	name = bt_event_class_get_name(class);
	scope = name ? plan_call(decoder, plan, name) : SCOPE_NONE;
	for (size_t i = 0; name && i < G_N_ELEMENTS(state_events); i++) {
		if (strcmp(name, state_events[i].name) == 0) {
			plan->kind = state_events[i].kind;
			plan->is_foreign = g_str_has_prefix(name, "lttng_ust");
			scope = state_events[i].scope;
		}
	}
	if (scope == SCOPE_NONE && plan->kind == RECORD_OTHER)
		scope = plan_foreign(decoder, plan, class);
	if (scope != SCOPE_NONE)
		plan_fields(decoder, plan, bt_event_class_borrow_payload_field_class_const(class),
			    scope);
	bt_event_class_get_ref(class);
	g_hash_table_insert(decoder->events, (void *)class, plan);
	return plan;
}

static const struct event_plan *plan_of_event(struct decoder *decoder, const bt_event_class *class)
{
	/* Addresses that malloc() gives out have their differences anywhere: mix the bits. */
	uint64_t hash = (uint64_t)(uintptr_t) class * UINT64_C(0x9e3779b97f4a7c15);
	struct recent *recent = &decoder->recent[hash >> (64 - RECENT_BITS)];

	if (recent->class != class) {
		recent->plan = make_plan(decoder, class);
		recent->class = class;
	}
	return recent->plan;
}

static struct context_field context_field(const bt_field_class *context, const char *name)
{
	struct context_field field = { .index = field_member(context, name) };

	if (field.index >= 0)
		field.reading = field_member_reading(context, field.index);
	return field;
}

static const struct stream_plan *plan_of_stream(struct decoder *decoder,
						const bt_stream_class *class)
{
	struct stream_plan *plan = g_hash_table_lookup(decoder->streams, class);
	const bt_field_class *context;

	if (plan)
		return plan;
	plan = g_new0(struct stream_plan, 1);
	context = bt_stream_class_borrow_event_common_context_field_class_const(class);
	plan->vpid = context_field(context, "vpid");
	plan->vtid = context_field(context, "vtid");
	plan->procname = context_field(context, "procname");
	plan->has_clock = bt_stream_class_borrow_default_clock_class_const(class) != NULL;
	bt_stream_class_get_ref(class);
	g_hash_table_insert(decoder->streams, (void *)class, plan);
	return plan;
}

static const char *env_string(const bt_trace *trace, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

static void note_trace(struct decoder *decoder, const bt_trace *trace)
{
	const char *name = bt_trace_get_name(trace);

	if (!*decoder->gaps.trace_name)
		g_strlcpy(decoder->gaps.trace_name, name ? name : "?",
			  sizeof(decoder->gaps.trace_name));
}

/* A recording keeps its number when it is rotated, or copied while it is made. */
static const char *recording_of(struct model *model, const bt_trace *trace)
{
	const uint8_t *uuid = bt_trace_get_uuid(trace);
	char text[2 * 16 + 1] = "";

	for (int i = 0; uuid && i < 16; i++)
		g_snprintf(text + 2 * i, 3, "%02x", uuid[i]);
	return uuid ? model_intern(model, text) : NULL;
}

static const struct trace_plan *plan_of_trace(struct decoder *decoder, const bt_trace *trace)
{
	struct trace_plan *plan = g_hash_table_lookup(decoder->traces, trace);
	const bt_value *vpid;
	const char *domain;

	if (plan)
		return plan;
	plan = g_new0(struct trace_plan, 1);
	plan->hostname = model_intern(decoder->model, env_string(trace, "hostname"));
	plan->recording = recording_of(decoder->model, trace);
	vpid = bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
	if (vpid && bt_value_is_signed_integer(vpid))
		plan->vpid = (uint32_t)bt_value_integer_signed_get(vpid);
	domain = env_string(trace, "domain");
	if (domain && strcmp(domain, "kernel") == 0)
		decoder->gaps.kernel_domain = true;
	else if (!domain || strcmp(domain, "ust") != 0)
		decoder->gaps.not_lttng_ust = true;
	if (decoder->gaps.kernel_domain || decoder->gaps.not_lttng_ust)
		note_trace(decoder, trace);
	bt_trace_get_ref(trace);
	g_hash_table_insert(decoder->traces, (void *)trace, plan);
	return plan;
}

/* Build ids come as bytes (LTTng) or as 32-bit words with a length in bytes (our own events). */
static void read_build_id(struct decoder *decoder, const struct wanted *wanted,
			  const bt_field *field, struct record *record)
{
	uint64_t numbers[MODULE_BUILD_ID_MAX];
	uint32_t count = field_row(field, wanted->reading, numbers, MODULE_BUILD_ID_MAX);
	const bt_field_class *element;
	bool words = false;

	if (count) {
		element = bt_field_borrow_class_const(
			bt_field_array_borrow_element_field_by_index_const(field, 0));
		words = bt_field_class_integer_get_field_value_range(element) == 32;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (words && 4 * i + 4 <= MODULE_BUILD_ID_MAX) {
			uint32_t word = (uint32_t)numbers[i];

			memcpy(decoder->build_id + 4 * i, &word, sizeof(word));
		} else if (!words) {
			decoder->build_id[i] = (uint8_t)numbers[i];
		}
	}
	record->build_id = decoder->build_id;
	if (!words)
		record->build_id_size = count;
}

static void read_share(const struct wanted *wanted, const bt_field *field, struct record *record)
{
	uint64_t words[4];
	uint32_t count = field_row(field, wanted->reading, words, 4);

	for (uint32_t i = 0; i < count; i++)
		values_set(&record->values, (enum field)(FIELD_SHARE_0 + i), words[i]);
}

static void read_wanted(struct decoder *decoder, const struct wanted *wanted, const bt_field *field,
			struct record *record)
{
	uint64_t number;

	switch (wanted->target) {
	case TARGET_STACK:
		record->stack = decoder->stack;
		record->stack_depth =
			field_row(field, wanted->reading, decoder->stack, NUMBERS_MAX);
		break;
	case TARGET_IDS:
		record->ids = decoder->ids;
		record->id_count = field_row(field, wanted->reading, decoder->ids, NUMBERS_MAX);
		break;
	case TARGET_HANDLES:
		record->handles = decoder->handles;
		record->handle_count =
			field_row(field, wanted->reading, decoder->handles, NUMBERS_MAX);
		break;
	case TARGET_SHARE:
		read_share(wanted, field, record);
		break;
	case TARGET_TEXT:
		if (wanted->reading == READ_TEXT)
			record->text = field_text(field);
		break;
	case TARGET_BUILD_ID:
		read_build_id(decoder, wanted, field, record);
		break;
	case TARGET_BUILD_SIZE:
		if (field_number_as(field, wanted->reading, &number))
			record->build_id_size = (uint32_t)MIN(number, MODULE_BUILD_ID_MAX);
		break;
	default:
		if (field_number_as(field, wanted->reading, &number))
			values_set(&record->values, (enum field)wanted->target, number);
		break;
	}
}

static bool is_valid(const bt_field *payload, const struct wanted *wanted)
{
	uint64_t valid;

	return wanted->valid < 0 ||
	       !field_number_as(bt_field_structure_borrow_member_field_by_index_const(
					payload, (uint64_t)wanted->valid),
				wanted->valid_reading, &valid) ||
	       valid;
}

static void read_payload(struct decoder *decoder, const struct event_plan *plan,
			 const bt_field *payload, struct record *record)
{
	for (uint32_t i = 0; payload && i < plan->count; i++) {
		const struct wanted *wanted = &plan->wanted[i];

		if (is_valid(payload, wanted))
			read_wanted(decoder, wanted,
				    bt_field_structure_borrow_member_field_by_index_const(
					    payload, wanted->index),
				    record);
	}
}

/* The plans of a stream and its trace become the last ones. */
static void find_plans(struct decoder *decoder, const bt_stream *stream)
{
	if (stream == decoder->last_stream)
		return;
	decoder->last_trace_plan = plan_of_trace(decoder, bt_stream_borrow_trace_const(stream));
	decoder->last_stream_plan = plan_of_stream(decoder, bt_stream_borrow_class_const(stream));
	/* The trace is held by its plan, and holds its streams: the address stays this stream's. */
	decoder->last_stream = stream;
}

static uint32_t read_id(const bt_field *context, const struct context_field *id, uint32_t otherwise)
{
	uint64_t number;

	if (id->index >= 0 && field_number_as(bt_field_structure_borrow_member_field_by_index_const(
						      context, (uint64_t)id->index),
					      id->reading, &number))
		return (uint32_t)number;
	return otherwise;
}

static void read_context(struct decoder *decoder, const bt_event *event, const bt_stream *stream,
			 struct record *record)
{
	const struct stream_plan *plan = decoder->last_stream_plan;
	const struct trace_plan *trace = decoder->last_trace_plan;
	const bt_field *context = bt_event_borrow_common_context_field_const(event);

	record->hostname = trace->hostname;
	record->recording = trace->recording;
	record->procname = NULL;
	record->vpid = trace->vpid;
	record->vtid = 0;
	if (context) {
		record->vpid = read_id(context, &plan->vpid, trace->vpid);
		record->vtid = read_id(context, &plan->vtid, 0);
		if (plan->procname.index >= 0 && plan->procname.reading == READ_TEXT)
			record->procname =
				field_text(bt_field_structure_borrow_member_field_by_index_const(
					context, (uint64_t)plan->procname.index));
	}
	/* A number that is there and 0 is that of a damaged event: the recording has them. */
	if (record->type && (plan->vtid.index < 0 || (plan->vpid.index < 0 && !trace->vpid))) {
		decoder->gaps.no_vpid |= plan->vpid.index < 0 && !trace->vpid;
		decoder->gaps.no_vtid |= plan->vtid.index < 0;
		note_trace(decoder, bt_stream_borrow_trace_const(stream));
	}
}

static bool take_event(struct decoder *decoder, const bt_message *message, struct record *record)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_stream *stream = bt_event_borrow_stream_const(event);
	const struct event_plan *plan = plan_of_event(decoder, bt_event_borrow_class_const(event));
	const bt_clock_snapshot *clock;

	find_plans(decoder, stream);
	record_reset(record, plan->kind);
	record->type = plan->type;
	if (!decoder->last_stream_plan->has_clock)
		return false;
	clock = bt_message_event_borrow_default_clock_snapshot_const(message);
	if (bt_clock_snapshot_get_ns_from_origin(clock, &record->time_ns) !=
	    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return false;
	if (plan->is_unpaired)
		model_note_unpaired(decoder->model);
	if (plan->phase >= 0)
		record->kind = foreign_phase(bt_field_structure_borrow_member_field_by_index_const(
			bt_event_borrow_payload_field_const(event), (uint64_t)plan->phase));
	if (record->kind == RECORD_OTHER)
		return true;
	record->is_foreign = plan->is_foreign;
	read_context(decoder, event, stream, record);
	record->reader = event_args_of(&decoder->args, message, event);
	read_payload(decoder, plan, decoder->args.payload, record);
	return true;
}

/*
 * LTTng-UST's packets sometimes say that fewer were discarded than the packet before said, and later
 * ones have the sum again; babeltrace2 takes differences. What counts is how far the counter has got.
 */
static uint64_t newly_lost(struct decoder *decoder, const bt_stream *stream, uint64_t difference)
{
	struct stream_losses *losses = g_hash_table_lookup(decoder->losses, stream);
	uint64_t before;

	if (!losses) {
		losses = g_new0(struct stream_losses, 1);
		g_hash_table_insert(decoder->losses, (void *)stream, losses);
	}
	before = losses->highest;
	losses->now += difference; /* one that goes back is a large number that comes round */
	if ((int64_t)(losses->now - losses->highest) > 0)
		losses->highest = losses->now;
	return losses->highest - before;
}

/* What is lost between two times in a stream. @return false when they cannot be told. */
static bool begin_lost(struct decoder *decoder, const bt_stream *stream,
		       const bt_clock_snapshot *begin, const bt_clock_snapshot *end,
		       struct record *record)
{
	const struct trace_plan *trace =
		plan_of_trace(decoder, bt_stream_borrow_trace_const(stream));
	int64_t until_ns;

	record_reset(record, RECORD_LOST);
	record->hostname = trace->hostname;
	record->recording = trace->recording;
	record->vpid = trace->vpid;
	if (bt_clock_snapshot_get_ns_from_origin(begin, &record->time_ns) !=
		    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK ||
	    bt_clock_snapshot_get_ns_from_origin(end, &until_ns) !=
		    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return false;
	values_set(&record->values, FIELD_UNTIL, (uint64_t)until_ns);
	values_set(&record->values, FIELD_LOST, 0); /* until somebody says how many */
	return true;
}

static bool take_lost_events(struct decoder *decoder, const bt_message *message,
			     struct record *record)
{
	const bt_stream *stream = bt_message_discarded_events_borrow_stream_const(message);
	uint64_t count;

	if (!bt_stream_class_discarded_events_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream)) ||
	    !begin_lost(
		    decoder, stream,
		    bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
			    message),
		    bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message),
		    record))
		return false;
	if (bt_message_discarded_events_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		return true;
	/* A counter that moves, even back, casts doubt on the span: what it hides is not known. */
	values_set(&record->values, FIELD_LOST, newly_lost(decoder, stream, count));
	return count != 0;
}

/* A jump in the numbers of packets: how many events were in those that are missing, nobody knows. */
static bool take_lost_packets(struct decoder *decoder, const bt_message *message,
			      struct record *record)
{
	const bt_stream *stream = bt_message_discarded_packets_borrow_stream_const(message);

	return bt_stream_class_discarded_packets_have_default_clock_snapshots(
		       bt_stream_borrow_class_const(stream)) &&
	       begin_lost(
		       decoder, stream,
		       bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
			       message),
		       bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(
			       message),
		       record);
}

bool decoder_take(struct decoder *decoder, const bt_message *message, struct record *record)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(decoder, message, record);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return take_lost_events(decoder, message, record);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return take_lost_packets(decoder, message, record);
	default:
		return false;
	}
}
