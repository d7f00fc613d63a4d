/* SPDX-License-Identifier: MIT */
/* Memory by place, and what was not done in pairs, as JSON (allocs_report.h). */
#include "output/allocs_report.h"

#include "model/balance.h"

#define ALLOCS_SCHEMA  "kfdscope.allocs"
#define ALLOCS_VERSION "1.2"

struct allocs {
	struct usages *usages;   /* owned */
	struct balance *balance; /* owned */
	uint32_t moments;
};

struct allocs *allocs_new(struct model *model)
{
	struct allocs *allocs = g_new0(struct allocs, 1);

	allocs->usages = usages_new(model);
	allocs->balance = balance_new(model);
	return allocs;
}

void allocs_free(struct allocs *allocs)
{
	if (!allocs)
		return;
	usages_free(allocs->usages);
	balance_free(allocs->balance);
	g_free(allocs);
}

void allocs_add_moment(struct allocs *allocs, int64_t time_ns)
{
	usages_add_moment(allocs->usages, time_ns);
	allocs->moments++;
}

struct allocs_places *allocs_take_places(const struct allocs *allocs,
					 const struct document *document, enum allocs_sort sort)
{
	return allocs_places_new(allocs->usages, allocs->moments, document, sort);
}

static json_t *pair_json(uint64_t blocks, uint64_t bytes)
{
	return json_pack("{sI sI}", "blocks", (json_int_t)blocks, "bytes", (json_int_t)bytes);
}

static json_t *internal_json(const struct memory *memory, enum block_origin origin,
			     const struct scope *scope)
{
	return json_pack("{sI sI sI}", "live_bytes",
			 (json_int_t)usage_result(&memory->origin_usage[origin], scope).live_bytes,
			 "taken_bytes", (json_int_t)memory->origin_bytes[origin], "taken_blocks",
			 (json_int_t)memory->origin_count[origin]);
}

static json_t *process_row_json(const struct allocs *allocs, const struct process *process)
{
	const struct process_usage *usage = usages_process(allocs->usages, process);
	const struct memory *memory = process->memory;
	const struct scope *scope = model_scope(process->model);
	const struct usage held = usage_result(&memory->usage, scope);
	const struct usage registered = usage_result(&memory->registered, scope);
	json_t *json = process_json(process), *internal = json_object();

	for (int i = ORIGIN_QUEUE; i < ORIGIN_COUNT; i++)
		json_object_set_new(internal, block_origin_name((enum block_origin)i),
				    internal_json(memory, (enum block_origin)i, scope));
	document_set_process(json, process);
	json_object_set_new(json, "live", pair_json(held.live_count, held.live_bytes));
	json_object_set_new(json, "freed", pair_json(memory->freed_count, memory->freed_bytes));
	document_set_int(json, "peak_bytes", usage ? usage->peak_bytes : 0);
	document_set_int(json, "peak_ns", usage ? (uint64_t)usage->peak_ns : 0);
	document_set_int(json, "reserved_peak_bytes",
			 usage_result(&memory->reserved, scope).peak_bytes);
	document_set_int(json, "registered_peak_bytes", registered.peak_bytes);
	document_set_int(json, "registered_bytes", registered.live_bytes);
	document_set_int(json, "memlock_bytes", process->memlock_bytes);
	document_set_int(json, "unknown_frees", memory->unknown_frees);
	document_set_int(json, "failed_frees", memory->failed_frees);
	json_object_set_new(json, "internal", internal);
	return json;
}

static json_t *registration_json(const struct document *document, const struct process *process,
				 const struct registration *range)
{
	json_t *stacks = json_array();
	json_t *json =
		json_pack("{sI sI sI sI sI sI so}", "address", (json_int_t)range->address, "bytes",
			  (json_int_t)range->size_bytes, "registered",
			  (json_int_t)range->registered, "deregistered",
			  (json_int_t)range->deregistered, "first_ns", (json_int_t)range->first_ns,
			  "last_ns", (json_int_t)range->last_ns, "stacks", stacks);

	for (uint32_t i = 0; i < range->stack_count; i++) {
		json_t *item = json_object();

		document_set_stack(document, item, process, range->stacks[i]);
		json_array_append_new(stacks, item);
	}
	document_set_process(json, process);
	return json;
}

static json_t *registrations_json(const struct allocs *allocs, const struct document *document)
{
	const GPtrArray *processes = model_processes(document->model);
	json_t *list = json_array();

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		GPtrArray *ranges = balance_registrations(allocs->balance, process);

		for (guint j = 0; j < ranges->len; j++)
			json_array_append_new(
				list,
				registration_json(document, process, g_ptr_array_index(ranges, j)));
		g_ptr_array_free(ranges, TRUE);
	}
	return list;
}

static json_t *overlaps_json(const struct allocs *allocs, const struct document *document)
{
	const GArray *overlaps = balance_overlaps(allocs->balance);
	json_t *list = json_array();

	for (guint i = 0; i < overlaps->len; i++) {
		const struct overlap *overlap = &g_array_index(overlaps, struct overlap, i);

		json_array_append_new(
			list,
			json_pack("{sI sI so so}", "overlap_bytes", (json_int_t)overlap->bytes,
				  "time_ns", (json_int_t)overlap->time_ns, "older",
				  registration_json(document, overlap->process, &overlap->older),
				  "newer",
				  registration_json(document, overlap->process, &overlap->newer)));
	}
	return list;
}

static json_t *available_json(const struct allocs *allocs, const struct document *document)
{
	const GArray *samples = balance_available(allocs->balance);
	json_t *list = json_array();

	(void)document;
	for (guint i = 0; i < samples->len; i++) {
		const struct available *sample = &g_array_index(samples, struct available, i);
		json_t *json = json_pack("{sI sI sI sI sI}", "time_ns", (json_int_t)sample->time_ns,
					 "node_id", (json_int_t)sample->node_id, "available_bytes",
					 (json_int_t)sample->available_bytes, "live_bytes",
					 (json_int_t)sample->live_bytes, "outside_bytes",
					 (json_int_t)sample->outside_bytes);

		document_set_process(json, sample->process);
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *bad_frees_json(const struct allocs *allocs, const struct document *document)
{
	const GPtrArray *frees = balance_bad_frees(allocs->balance);
	json_t *list = json_array();

	for (guint i = 0; i < frees->len; i++) {
		const struct bad_free *bad = g_ptr_array_index(frees, i);
		json_t *json =
			json_pack("{sI sI sI ss}", "count", (json_int_t)bad->count, "address",
				  (json_int_t)bad->address, "time_ns", (json_int_t)bad->time_ns,
				  "what", bad->is_double ? "double free" : "free of no allocation");

		document_set_status(json, bad->status);
		document_set_process(json, bad->process);
		document_set_stack(document, json, bad->process, bad->stack);
		if (bad->is_double) {
			json_t *earlier = json_object(), *alloc = json_object();

			document_set_int(earlier, "time_ns", (uint64_t)bad->freed_ns);
			document_set_stack(document, earlier, bad->process, bad->freed_by);
			document_set_stack(document, alloc, bad->process, bad->alloc);
			json_object_set_new(json, "first_free", earlier);
			json_object_set_new(json, "allocation", alloc);
		}
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *history_json(const struct block_history *history)
{
	json_t *list = json_array();

	for (uint32_t i = 0; history && i < history->count; i++) {
		const struct map_event *event = &history->events[i];
		json_t *nodes = json_array();

		for (uint32_t j = 0; j < event->id_count; j++)
			json_array_append_new(nodes, json_integer(event->ids[j]));
		json_array_append_new(list, json_pack("{ss sb sI so}", "what",
						      event->is_map ? "map" : "unmap", "ok",
						      event->ok, "time_ns",
						      (json_int_t)event->time_ns, "nodes", nodes));
	}
	return list;
}

static json_t *refused_json(const struct document *document, const struct allocs *allocs,
			    const struct block *block)
{
	const struct process *process = block->memory->process;
	json_t *gpus = json_array(), *nodes = json_array(), *alloc = json_object();
	json_t *json = json_pack("{sI sI sI sI so so so so}", "address", (json_int_t)block->address,
				 "bytes", (json_int_t)block->size_bytes, "count",
				 (json_int_t)block->refusal.count, "time_ns",
				 (json_int_t)block->refusal.time_ns, "mapped_gpu_ids", gpus,
				 "mapped_node_ids", nodes, "allocation", alloc, "history",
				 history_json(balance_history(allocs->balance, block)));

	for (uint32_t i = 0; i < block->refusal.mapped_count; i++) {
		const uint32_t gpu_id = (uint32_t)block->refusal.mapped_gpus[i];
		const struct node *node = process_node_of_gpu(process, gpu_id);

		json_array_append_new(gpus, json_integer(gpu_id));
		if (node)
			json_array_append_new(nodes, json_integer(node->node_id));
	}
	if (block->refusal.status)
		document_set_status(json, block->refusal.status);
	document_set_errno(json, block->refusal.os_errno);
	document_set_process(json, process);
	document_set_stack(document, json, process, block->refusal.stack);
	document_set_stack(document, alloc, process, block->site->stack);
	return json;
}

static json_t *import_json(const struct document *document, const struct block *block)
{
	const struct share *share = block->imported;
	json_t *json =
		json_pack("{sI sI sI}", "address", (json_int_t)block->address, "bytes",
			  (json_int_t)block->size_bytes, "time_ns", (json_int_t)block->begin_ns);

	document_set_process(json, block->memory->process);
	document_set_stack(document, json, block->memory->process, block->site->stack);
	if (share) {
		json_t *from = json_pack("{sI sI sb}", "bytes", (json_int_t)share->size_bytes,
					 "exported_ns", (json_int_t)share->time_ns, "freed",
					 share->freed_ns != 0);
		json_t *alloc = json_object();

		document_set_process(from, share->process);
		document_set_stack(document, from, share->process, share->stack);
		document_set_stack(document, alloc, share->process, share->site->stack);
		json_object_set_new(from, "allocation", alloc);
		json_object_set_new(json, "exporter", from);
	}
	return json;
}

static int compare_blocks(const void *left, const void *right)
{
	const struct block *a = *(struct block *const *)left, *b = *(struct block *const *)right;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* Living blocks whose free was refused, imports that are open, and maps of what is left. */
static void set_blocks(json_t *json, const struct allocs *allocs, const struct document *document)
{
	const GPtrArray *processes = model_processes(document->model);
	json_t *refused = json_array(), *imports = json_array();

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		GPtrArray *blocks = g_ptr_array_new();

		for (GList *at = process->memory->blocks.head; at; at = at->next) {
			const struct block *block = at->data;

			if (block->refusal.count || block->site->class == BLOCK_IMPORT)
				g_ptr_array_add(blocks, at->data);
		}
		g_ptr_array_sort(blocks, compare_blocks);
		for (guint j = 0; j < blocks->len; j++) {
			const struct block *block = g_ptr_array_index(blocks, j);

			if (block->refusal.count)
				json_array_append_new(refused,
						      refused_json(document, allocs, block));
			if (block->site->class == BLOCK_IMPORT)
				json_array_append_new(imports, import_json(document, block));
		}
		g_ptr_array_free(blocks, TRUE);
	}
	json_object_set_new(json, "refused_frees", refused);
	json_object_set_new(json, "imports", imports);
}

/* As many nulls as there are places. */
static json_t *places_json(const struct allocs_places *places, const char *list)
{
	json_t *json = json_array();

	for (size_t i = allocs_places_count(places, list); i > 0; i--)
		json_array_append_new(json, json_null());
	return json;
}

json_t *allocs_json(const struct allocs *allocs, const struct document *document,
		    const struct allocs_places *places)
{
	const GPtrArray *processes = model_processes(document->model);
	json_t *json = header_json(ALLOCS_SCHEMA, ALLOCS_VERSION, document->model, document->notes);
	json_t *list = json_array();
	uint64_t findings;

	for (guint i = 0; i < processes->len; i++)
		json_array_append_new(list,
				      process_row_json(allocs, g_ptr_array_index(processes, i)));
	document_set_text(json, "sort", allocs_sort_name(allocs_places_sort(places)));
	json_object_set_new(json, "processes", list);
	json_object_set_new(json, "places", places_json(places, "places"));
	json_object_set_new(json, "internal", places_json(places, "internal"));
	json_object_set_new(json, "registrations", registrations_json(allocs, document));
	json_object_set_new(json, "overlaps", overlaps_json(allocs, document));
	json_object_set_new(json, "available", available_json(allocs, document));
	json_object_set_new(json, "bad_frees", bad_frees_json(allocs, document));
	set_blocks(json, allocs, document);
	findings = json_array_size(json_object_get(json, "overlaps")) +
		   json_array_size(json_object_get(json, "bad_frees")) +
		   json_array_size(json_object_get(json, "refused_frees")) +
		   json_array_size(json_object_get(json, "imports"));
	document_set_int(json, "findings", findings);
	return json;
}
