/* SPDX-License-Identifier: MIT */
/* What was at the address of a fault (faults_report.h). */
#include "output/faults_report.h"

#include "output/driver_events_report.h"
#include "output/text.h"

#define FAULTS_SCHEMA  "kfdscope.faults"
#define FAULTS_VERSION "1.2"

static const char *const place_names[] = {
	[FAULT_IN_LIVE] = "in a living block",
	[FAULT_IN_FREED] = "in a freed block",
	[FAULT_OUTSIDE] = "in no block",
	[FAULT_NULL] = "never allocated, near null",
};

static void set_hex(json_t *json, const char *name, uint64_t value)
{
	char *text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", value);

	document_set_text(json, name, text);
	g_free(text);
}

static json_t *block_json(const struct document *document, const struct fault *fault,
			  const struct fault_block *block)
{
	json_t *json = json_pack("{sI sI ss sI}", "address", (json_int_t)block->address, "bytes",
				 (json_int_t)block->size_bytes, "kind",
				 memory_kind_name(block->site->kind), "allocated_ns",
				 (json_int_t)block->begin_ns);

	set_hex(json, "address_hex", block->address);
	if (block->site->node_id != UINT32_MAX)
		document_set_int(json, "node_id", block->site->node_id);
	document_set_stack(document, json, fault->process, block->site->stack);
	if (block->end_ns) {
		json_t *freed =
			json_pack("{sI sI}", "time_ns", (json_int_t)block->end_ns,
				  "before_fault_ns", (json_int_t)(fault->time_ns - block->end_ns));

		document_set_stack(document, freed, fault->process, block->free_stack);
		json_object_set_new(json, "freed", freed);
	} else {
		json_object_set_new(json, "freed", json_null());
	}
	return json;
}

static json_t *near_json(const struct document *document, const struct fault *fault,
			 const struct fault_block *block, uint64_t distance)
{
	json_t *json;

	if (!block->size_bytes)
		return json_null();
	json = block_json(document, fault, block);
	document_set_int(json, "distance_bytes", distance);
	return json;
}

static void set_place(const struct document *document, json_t *json, const struct fault *fault)
{
	document_set_int(json, "address", fault->address);
	set_hex(json, "address_hex", fault->address);
	document_set_text(json, "place", place_names[fault->place]);
	if (fault->place == FAULT_IN_LIVE || fault->place == FAULT_IN_FREED) {
		json_object_set_new(json, "block", block_json(document, fault, &fault->at));
		document_set_int(json, "offset", fault->address - fault->at.address);
	}
	json_object_set_new(
		json, "nearest_below",
		near_json(document, fault, &fault->below,
			  fault->address - fault->below.address - fault->below.size_bytes));
	json_object_set_new(
		json, "nearest_above",
		near_json(document, fault, &fault->above, fault->above.address - fault->address));
}

static json_t *fault_json(const struct document *document, const struct fault *fault)
{
	static const char *const fatalities[] = { "recoverable", "fatal to the process",
						  "fatal to the address space" };
	json_t *json = json_pack("{ss sI sI sI sI}", "kind",
				 fault->is_memory ? "memory access fault" : "hardware exception",
				 "time_ns", (json_int_t)fault->time_ns, "last_ns",
				 (json_int_t)fault->last_ns, "reported", (json_int_t)fault->count,
				 "event_id", (json_int_t)fault->event_id);

	if (fault->node_id != UINT32_MAX)
		document_set_int(json, "node_id", fault->node_id);
	document_set_process(json, fault->process);
	document_set_int(json, "vtid", fault->vtid);
	document_set_text(json, "call", fault->type->name);
	if (fault->is_memory) {
		document_set_text(json, "reasons", fault->reasons);
		document_set_int(json, "raw_failure", fault->raw_failure);
		if (fault->flags < G_N_ELEMENTS(fatalities))
			document_set_text(json, "severity", fatalities[fault->flags]);
		set_place(document, json, fault);
	} else {
		document_set_int(json, "reset_type", fault->reset_type);
		document_set_int(json, "reset_cause", fault->reset_cause);
		document_set_int(json, "memory_lost", fault->memory_lost);
	}
	document_set_stack(document, json, fault->process, fault->stack);
	return json;
}

json_t *faults_json(const struct faults *faults, const struct document *document)
{
	json_t *json = header_json(FAULTS_SCHEMA, FAULTS_VERSION, document->model, document->notes);
	const GPtrArray *list = faults_list(faults);
	json_t *items = json_array();

	for (guint i = 0; i < list->len; i++)
		json_array_append_new(items, fault_json(document, g_ptr_array_index(list, i)));
	document_set_int(json, "findings", list->len);
	json_object_set_new(json, "faults", items);
	driver_events_set(document, json, faults_driver(faults));
	driver_events_set_notes(json, faults_driver(faults));
	return json;
}

static void bytes_text(GString *text, const json_t *json, const char *name)
{
	uint64_t value = (uint64_t)document_int(json, name);

	g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x (%" G_GUINT64_FORMAT ")", value,
			       value);
}

static void block_text(GString *text, const json_t *block, const struct document *document)
{
	const json_t *freed = json_object_get(block, "freed");

	g_string_append_printf(text, "%s of ", document_string(block, "kind"));
	text_bytes(text, (uint64_t)document_int(block, "bytes"));
	g_string_append(text, " at ");
	bytes_text(text, block, "address");
	if (json_object_get(block, "node_id"))
		g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
				       document_int(block, "node_id"));
	g_string_append(text, ", allocated at ");
	document_moment(text, document, block, "allocated_ns");
	document_caller(text, block);
	g_string_append(text, json_is_object(freed) ? "\n" : ", alive\n");
	document_stack(text, 8, block);
	if (!json_is_object(freed))
		return;
	g_string_append(text, "    freed ");
	text_duration(text, document_int(freed, "before_fault_ns"));
	g_string_append(text, " before the fault, at ");
	document_moment(text, document, freed, "time_ns");
	document_caller(text, freed);
	g_string_append_c(text, '\n');
	document_stack(text, 8, freed);
}

static void near_text(GString *text, const json_t *fault, const char *name, const char *words,
		      const struct document *document)
{
	const json_t *block = json_object_get(fault, name);

	if (!json_is_object(block))
		return;
	g_string_append(text, "    ");
	bytes_text(text, block, "distance_bytes");
	g_string_append_printf(text, " bytes %s ", words);
	block_text(text, block, document);
}

static void memory_text(GString *text, const json_t *fault, const struct document *document)
{
	const json_t *block = json_object_get(fault, "block");

	g_string_append(text, "    address ");
	bytes_text(text, fault, "address");
	g_string_append_printf(text, ": %s\n", document_string(fault, "place"));
	if (block) {
		g_string_append(text, "    offset ");
		bytes_text(text, fault, "offset");
		g_string_append(text, " in ");
		block_text(text, block, document);
	}
	near_text(text, fault, "nearest_below", "behind the end of", document);
	near_text(text, fault, "nearest_above", "before", document);
	g_string_append(text, "    reasons: ");
	g_string_append_printf(text, "%s (raw ",
			       *document_string(fault, "reasons")
				       ? document_string(fault, "reasons")
				       : "none told");
	bytes_text(text, fault, "raw_failure");
	g_string_append_c(text, ')');
	if (json_object_get(fault, "severity"))
		g_string_append_printf(text, "; %s", document_string(fault, "severity"));
	g_string_append_c(text, '\n');
}

void faults_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *faults = json_object_get(json, "faults");

	document_header(text, "MEMORY ACCESS FAULTS", document);
	if (json_array_size(faults) == 0)
		g_string_append(text, "No wait reported a fault. A program that does not wait for "
				      "memory events is not told of them.\n");
	for (size_t i = 0; i < document_shown(document, faults); i++) {
		const json_t *fault = json_array_get(faults, i);

		g_string_append(text, document_string(fault, "kind"));
		if (json_object_get(fault, "node_id"))
			g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
					       document_int(fault, "node_id"));
		g_string_append(text, " at ");
		document_moment(text, document, fault, "time_ns");
		g_string_append_printf(text, ", reported ");
		text_count(text, (uint64_t)document_int(fault, "reported"), "time", "times");
		g_string_append_printf(text, " by %s in thread %" G_GINT64_FORMAT " of %s\n",
				       document_string(fault, "call"), document_int(fault, "vtid"),
				       document_string(fault, "process"));
		if (json_object_get(fault, "address"))
			memory_text(text, fault, document);
		else
			g_string_append_printf(text,
					       "    reset type %" G_GINT64_FORMAT
					       ", cause %" G_GINT64_FORMAT
					       ", memory lost %" G_GINT64_FORMAT "\n",
					       document_int(fault, "reset_type"),
					       document_int(fault, "reset_cause"),
					       document_int(fault, "memory_lost"));
	}
	document_more(text, document, faults, "faults");
	g_string_append_c(text, '\n');
	driver_events_text_notes(text, json, document);
	driver_events_text_rest(text, json, document, "VM faults and resets");
}
