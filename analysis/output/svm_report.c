/* SPDX-License-Identifier: MIT */
/* Mode transitions and the history of each range (svm_report.h). */
#include "output/svm_report.h"

#include "output/driver_events_report.h"
#include "output/text.h"

#define SVM_SCHEMA  "kfdscope.svm"
#define SVM_VERSION "1.2"

/* HSA_SVM_ATTR_TYPE and the bits of its flags (memory.md 17). */
static const char *const attribute_names[] = {
	"PREFERRED_LOC", "PREFETCH_LOC", "ACCESS",    "ACCESS_IN_PLACE",
	"NO_ACCESS",     "SET_FLAGS",    "CLR_FLAGS", "GRANULARITY",
};
static const char *const flag_names[] = {
	"host access", "coherent",    "hive local",    "GPU read only",
	"GPU execute", "read mostly", "always mapped", "extended coherent",
};

enum { ATTR_NO_ACCESS = 4, ATTR_SET_FLAGS, ATTR_CLR_FLAGS, ATTR_GRANULARITY };

static const char *mode_name(int32_t mode)
{
	return mode == XNACK_ON ? "on" : mode == XNACK_OFF ? "off" : "not known";
}

/* What a value means: a node, flags by name, or pages as a power of two. */
static char *value_text(const struct svm_attribute *attribute)
{
	GString *text;

	if (attribute->type <= ATTR_NO_ACCESS)
		return attribute->value == UINT32_MAX
			       ? g_strdup("undefined")
			       : g_strdup_printf("node %u", attribute->value);
	if (attribute->type != ATTR_SET_FLAGS && attribute->type != ATTR_CLR_FLAGS)
		return g_strdup_printf("%u", attribute->value);
	text = g_string_new(NULL);
	for (uint32_t i = 0; i < G_N_ELEMENTS(flag_names); i++) {
		if (attribute->value & 1u << i)
			g_string_append_printf(text, "%s%s", text->len ? ", " : "", flag_names[i]);
	}
	if (text->len == 0)
		g_string_append(text, "none");
	return g_string_free(text, FALSE);
}

static json_t *attribute_json(const struct svm_attribute *attribute)
{
	char *meaning = value_text(attribute);
	json_t *json = json_pack("{ss sI ss}", "name",
				 attribute->type < G_N_ELEMENTS(attribute_names)
					 ? attribute_names[attribute->type]
					 : "unknown",
				 "value", (json_int_t)attribute->value, "meaning", meaning);

	g_free(meaning);
	return json;
}

static json_t *call_json(const struct document *document, const struct process *process,
			 const struct svm_call *call)
{
	json_t *json = json_pack("{sI ss sI}", "time_ns", (json_int_t)call->time_ns, "what",
				 call->is_set ? "set" : "get", "attribute_count",
				 (json_int_t)call->wanted);
	json_t *list = json_array();

	document_set_status(json, call->status);
	document_set_errno(json, call->os_errno);
	for (uint32_t i = 0; i < call->count; i++)
		json_array_append_new(list, attribute_json(&call->attributes[i]));
	json_object_set_new(json, "attributes", list);
	document_set_stack(document, json, process, call->stack);
	return json;
}

static json_t *range_json(const struct document *document, const struct svm_range *range)
{
	char *hex = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", range->address);
	json_t *json = json_pack("{sI ss sI sI}", "address", (json_int_t)range->address,
				 "address_hex", hex, "bytes", (json_int_t)range->size_bytes, "more",
				 (json_int_t)range->more);
	json_t *calls = json_array();

	g_free(hex);
	document_set_process(json, range->process);
	for (guint i = 0; i < range->calls->len; i++)
		json_array_append_new(calls,
				      call_json(document, range->process,
						&g_array_index(range->calls, struct svm_call, i)));
	json_object_set_new(json, "calls", calls);
	return json;
}

static json_t *mode_json(const struct document *document, const struct process *process,
			 const struct xnack_call *mode)
{
	json_t *json = json_pack("{sI ss ss ss}", "time_ns", (json_int_t)mode->time_ns, "what",
				 mode->is_set ? "set" : "get", "before", mode_name(mode->before),
				 "after", mode_name(mode->after));

	if (mode->is_set)
		json_object_set_new(json, "wanted", json_integer(mode->wanted));
	document_set_status(json, mode->status);
	document_set_errno(json, mode->os_errno);
	document_set_stack(document, json, process, mode->stack);
	return json;
}

static json_t *process_svm_json(const struct document *document, const struct svm_process *about)
{
	json_t *json = process_json(about->process), *modes = json_array();

	document_set_process(json, about->process);
	document_set_text(json, "xnack_mode", mode_name(about->mode));
	for (guint i = 0; i < about->modes->len; i++)
		json_array_append_new(
			modes, mode_json(document, about->process,
					 &g_array_index(about->modes, struct xnack_call, i)));
	json_object_set_new(json, "mode_calls", modes);
	return json;
}

json_t *svm_json(const struct svm *svm, const struct document *document)
{
	json_t *json = header_json(SVM_SCHEMA, SVM_VERSION, document->model, document->notes);
	json_t *processes = json_array(), *ranges = json_array();
	const GPtrArray *list = svm_processes(svm);

	for (guint i = 0; i < list->len; i++)
		json_array_append_new(processes,
				      process_svm_json(document, g_ptr_array_index(list, i)));
	list = svm_ranges(svm);
	for (guint i = 0; i < list->len; i++)
		json_array_append_new(ranges, range_json(document, g_ptr_array_index(list, i)));
	document_set_int(json, "findings", 0);
	json_object_set_new(json, "processes", processes);
	json_object_set_new(json, "ranges", ranges);
	driver_events_set(document, json, svm_driver(svm));
	driver_events_set_memory(json, svm_driver(svm));
	return json;
}

static void process_text(GString *text, const json_t *process, const struct document *document)
{
	const json_t *mode;
	size_t i;

	g_string_append_printf(text, "%s: page faults are retried (XNACK): %s\n",
			       document_string(process, "process"),
			       document_string(process, "xnack_mode"));
	json_array_foreach(json_object_get(process, "mode_calls"), i, mode)
	{
		g_string_append(text, "    ");
		document_moment(text, document, mode, "time_ns");
		if (json_object_get(mode, "wanted"))
			g_string_append_printf(text, " set to %" G_GINT64_FORMAT,
					       document_int(mode, "wanted"));
		else
			g_string_append(text, " asked");
		g_string_append(text, ": ");
		document_status(text, mode);
		g_string_append_printf(text, "; before %s, then %s",
				       document_string(mode, "before"),
				       document_string(mode, "after"));
		document_caller(text, mode);
		g_string_append_c(text, '\n');
	}
}

static void range_text(GString *text, const json_t *range, const struct document *document)
{
	const json_t *calls = json_object_get(range, "calls"), *attribute;

	g_string_append_printf(text, "range %s, ", document_string(range, "address_hex"));
	text_bytes(text, (uint64_t)document_int(range, "bytes"));
	g_string_append_printf(text, "; %s\n", document_string(range, "process"));
	for (size_t i = 0; i < document_shown(document, calls); i++) {
		const json_t *call = json_array_get(calls, i);
		size_t j;

		g_string_append(text, "    ");
		document_moment(text, document, call, "time_ns");
		g_string_append_printf(text, " %s: ", document_string(call, "what"));
		document_status(text, call);
		document_caller(text, call);
		g_string_append_c(text, '\n');
		json_array_foreach(json_object_get(call, "attributes"), j, attribute)
			g_string_append_printf(text, "        %s = %s\n",
					       document_string(attribute, "name"),
					       document_string(attribute, "meaning"));
		if (document_int(call, "attribute_count") == 0)
			g_string_append(text, "        (no attributes)\n");
	}
	document_more(text, document, calls, "calls");
}

void svm_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *processes = json_object_get(json, "processes"), *process;
	const json_t *ranges = json_object_get(json, "ranges");
	size_t i;

	document_header(text, "SHARED VIRTUAL MEMORY", document);
	if (json_array_size(processes) == 0)
		g_string_append(text, "No attribute and no mode was set or asked for in this "
				      "recording.\n");
	json_array_foreach(processes, i, process) process_text(text, process, document);
	for (i = 0; i < document_shown(document, ranges); i++)
		range_text(text, json_array_get(ranges, i), document);
	document_more(text, document, ranges, "ranges");
	g_string_append_c(text, '\n');
	driver_events_text_memory(text, json, document);
	driver_events_text_rest(text, json, document, "Migrations and page faults");
}
