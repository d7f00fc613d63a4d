/* SPDX-License-Identifier: MIT */
/* Names and phases of other providers' events (foreign.h). */
#include "plugin/foreign.h"

#include <string.h>

#include "plugin/field.h"

static const char *const own_providers[] = { "kmt", "kfd:", "vkmt:", "lttng_ust_statedump:",
					     "lttng_ust_lib:" };

/* Functions of the runtimes; what else such a provider fires is no call. */
static bool layer_of(const char *function, enum layer *layer)
{
	if (g_str_has_prefix(function, "hsa_")) {
		*layer = LAYER_HSA;
		return true;
	}
	*layer = LAYER_HIP;
	return g_str_has_prefix(function, "hip") &&
	       (g_ascii_isupper(function[3]) || function[3] == '_');
}

typedef bool (*class_test)(const char *name, const char *wanted);

/* True when a class of the trace passes the test. */
static bool any_class(const bt_event_class *class, class_test test, const char *wanted)
{
	const bt_trace_class *trace = bt_stream_class_borrow_trace_class_const(
		bt_event_class_borrow_stream_class_const(class));
	uint64_t streams = bt_trace_class_get_stream_class_count(trace);

	for (uint64_t i = 0; i < streams; i++) {
		const bt_stream_class *stream =
			bt_trace_class_borrow_stream_class_by_index_const(trace, i);
		uint64_t events = bt_stream_class_get_event_class_count(stream);

		for (uint64_t j = 0; j < events; j++) {
			const char *name = bt_event_class_get_name(
				bt_stream_class_borrow_event_class_by_index_const(stream, j));

			if (name && test(name, wanted))
				return true;
		}
	}
	return false;
}

static bool is_named(const char *name, const char *wanted)
{
	return strcmp(name, wanted) == 0;
}

static bool is_of_provider(const char *name, const char *wanted)
{
	return g_str_has_prefix(name, wanted);
}

static bool find_phase(const bt_event_class *class, uint64_t *index)
{
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(class);
	uint64_t count = payload ? bt_field_class_structure_get_member_count(payload) : 0;

	for (*index = 0; *index < count; (*index)++)
		if (strcmp(bt_field_class_structure_member_get_name(
				   bt_field_class_structure_borrow_member_by_index_const(payload,
											 *index)),
			   "phase") == 0)
			return true;
	return false;
}

static bool has_twin(const bt_event_class *class, const char *stem, const char *suffix)
{
	char *twin = g_strconcat(stem, suffix, NULL);
	bool found = any_class(class, is_named, twin);

	g_free(twin);
	return found;
}

struct foreign foreign_of(const bt_event_class *class)
{
	struct foreign foreign = { .shape = FOREIGN_NONE };
	const char *name = bt_event_class_get_name(class);
	const char *function = name ? strchr(name, ':') : NULL;
	bool is_entry, is_exit;
	char *stem;

	for (size_t i = 0; function && i < G_N_ELEMENTS(own_providers); i++)
		if (g_str_has_prefix(name, own_providers[i]))
			function = NULL;
	if (!function || !layer_of(function + 1, &foreign.layer))
		return foreign;
	is_entry = g_str_has_suffix(name, "_entry");
	is_exit = g_str_has_suffix(name, "_exit");
	stem = g_strndup(name, strlen(name) - (is_entry  ? strlen("_entry")
					       : is_exit ? strlen("_exit")
							 : 0));
	if (is_entry || is_exit) {
		foreign.shape = !has_twin(class, stem, is_entry ? "_exit" : "_entry")
					? FOREIGN_UNPAIRED
				: is_entry ? FOREIGN_ENTRY
					   : FOREIGN_EXIT;
	} else if (find_phase(class, &foreign.phase)) {
		foreign.shape = FOREIGN_PHASE;
	}
	if (foreign.shape != FOREIGN_NONE)
		foreign.name =
			g_strdup(any_class(class, is_of_provider,
					   foreign.layer == LAYER_HIP ? "kmt_hip:" : "kmt_rocr:")
					 ? stem
					 : strchr(stem, ':') + 1);
	g_free(stem);
	return foreign;
}

void foreign_fini(struct foreign *foreign)
{
	g_free(foreign->name);
	foreign->name = NULL;
}

static enum record_kind phase_of_text(const char *text)
{
	static const struct {
		const char *prefix;
		enum record_kind kind;
	} known[] = {
		{ "ent", RECORD_CALL_ENTRY },   { "beg", RECORD_CALL_ENTRY },
		{ "start", RECORD_CALL_ENTRY }, { "exit", RECORD_CALL_EXIT },
		{ "end", RECORD_CALL_EXIT },    { "leave", RECORD_CALL_EXIT },
		{ "ret", RECORD_CALL_EXIT },    { "stop", RECORD_CALL_EXIT },
	};
	/* Constants of C have their prefix in front: ROCTX_PHASE_ENTER. */
	const char *last = strrchr(text, '_') ? strrchr(text, '_') + 1 : text;

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_ascii_strncasecmp(last, known[i].prefix, strlen(known[i].prefix)) == 0)
			return known[i].kind;
	return RECORD_OTHER;
}

static enum record_kind phase_of_labels(const bt_field *field, bool is_signed)
{
	bt_field_class_enumeration_mapping_label_array labels = NULL;
	enum record_kind kind = RECORD_OTHER;
	uint64_t count = 0;

	if (is_signed)
		(void)bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count);
	else
		(void)bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
	for (uint64_t i = 0; i < count && kind == RECORD_OTHER; i++)
		kind = phase_of_text(labels[i]);
	return kind;
}

static enum record_kind phase_of_number(uint64_t number)
{
	return number == 0 ? RECORD_CALL_ENTRY : number == 1 ? RECORD_CALL_EXIT : RECORD_OTHER;
}

enum record_kind foreign_phase(const bt_field *field)
{
	enum record_kind kind;

	switch (bt_field_get_class_type(field)) {
	case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
		kind = phase_of_labels(field, false);
		return kind != RECORD_OTHER
			       ? kind
			       : phase_of_number(bt_field_integer_unsigned_get_value(field));
	case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
		kind = phase_of_labels(field, true);
		return kind != RECORD_OTHER
			       ? kind
			       : phase_of_number(
					 (uint64_t)bt_field_integer_signed_get_value(field));
	case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
		return phase_of_number(bt_field_integer_unsigned_get_value(field));
	case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
		return phase_of_number((uint64_t)bt_field_integer_signed_get_value(field));
	case BT_FIELD_CLASS_TYPE_STRING:
		return phase_of_text(field_text(field));
	default:
		return RECORD_OTHER;
	}
}
