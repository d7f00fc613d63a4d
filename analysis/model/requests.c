/* SPDX-License-Identifier: MIT */
/* Requests to the runtime above the thunk (requests.h). */
#include "requests.h"

#include "memory-internal.h"
#include "model.h"

/* How many blocks before the right address are looked at: left-overs of an earlier open overlap. */
enum { OVERLAPPING_MAX = 16 };

void request_put(struct request *request)
{
	if (request && --request->refs == 0)
		g_free(request);
}

static void drop(void *data)
{
	request_put(data);
}

struct requests *requests_new(void)
{
	struct requests *requests = g_new0(struct requests, 1);

	requests->sites = g_hash_table_new_full(site_hash, site_equal, g_free, NULL);
	requests->types = g_hash_table_new(NULL, NULL);
	requests->indexed = g_hash_table_new(g_int64_hash, g_int64_equal);
	requests->live = g_hash_table_new_full(NULL, NULL, drop, NULL);
	return requests;
}

void requests_free(struct requests *requests)
{
	if (!requests)
		return;
	g_hash_table_destroy(requests->indexed);
	g_hash_table_destroy(requests->live);
	g_hash_table_destroy(requests->types);
	g_hash_table_destroy(requests->sites);
	g_free(requests);
}

static void unindex(struct requests *requests, struct request *request)
{
	if (g_hash_table_lookup(requests->indexed, &request->address) == request)
		g_hash_table_remove(requests->indexed, &request->address);
}

static const struct scope *scope_of(const struct request *request)
{
	return model_scope(request->site->process->model);
}

static void end(struct requests *requests, struct request *request, int64_t time_ns)
{
	if (request->ended)
		return;
	request->ended = true;
	unindex(requests, request);
	request->site->ended_count++;
	usage_sub(&request->site->usage, scope_of(request), request->size_bytes, time_ns);
	usage_sub(&requests->usage, scope_of(request), request->size_bytes, time_ns);
	g_hash_table_remove(requests->live, request);
}

void requests_call_entry(struct requests *requests, struct call *call)
{
	struct request *request;
	uint64_t address;

	if (!values_have(&call->values, FIELD_ADDRESS))
		return;
	address = call->values.v[FIELD_ADDRESS];
	request = g_hash_table_lookup(requests->indexed, &address);
	if (!request)
		return;
	request->free_pending = true;
	request->refs++;
	call->request = request;
}

static struct site *site_of(struct requests *requests, struct process *process,
			    const struct stack *stack, const struct call_type *type)
{
	const struct site key = {
		.stack = stack, .type = type, .class = BLOCK_ALLOCATION, .node_id = UINT32_MAX
	};
	struct site *site = g_hash_table_lookup(requests->sites, &key);

	if (site)
		return site;
	site = g_memdup2(&key, sizeof(key));
	site->process = process;
	g_hash_table_add(requests->sites, site);
	return site;
}

/* @param entry_ns  of the call that gave it. @param record  its exit, or of a dump. */
static struct request *begin(struct requests *requests, struct site *site, int64_t entry_ns,
			     const struct record *record)
{
	uint64_t address = record->values.v[FIELD_ADDRESS];
	struct request *old = g_hash_table_lookup(requests->indexed, &address);
	const struct scope *scope = model_scope(site->process->model);
	struct request *request;

	if (old) {
		unindex(requests, old);
		/*
		 * Given out again: its free has only not reported back yet, or was not recorded. Or
		 * it is the same memory, and one function of the runtime has called another.
		 */
		if (!old->free_pending) {
			requests->replaced += old->begin_ns < entry_ns;
			end(requests, old, record->time_ns);
		}
	}
	request = g_new0(struct request, 1);
	request->refs = 1;
	request->id = ++requests->ids;
	request->site = site;
	request->address = address;
	request->size_bytes = values_get(&record->values, FIELD_SIZE, 0);
	request->entry_ns = entry_ns;
	request->made = MADE_NOW + request->id;
	request->begin_ns = record->time_ns;
	if (site->begun_count++ == 0)
		site->first_ns = request->begin_ns;
	site->last_ns = request->begin_ns;
	if (scope_counts(scope, request->begin_ns)) {
		site->taken_count++;
		site->taken_bytes += request->size_bytes;
	}
	requests->taken_count++;
	usage_add(&site->usage, scope, request->size_bytes, request->begin_ns);
	usage_add(&requests->usage, scope, request->size_bytes, request->begin_ns);
	g_hash_table_insert(requests->indexed, &request->address, request);
	g_hash_table_add(requests->live, request);
	return request;
}

void requests_call_exit(struct requests *requests, struct process *process, struct call *call,
			const struct record *exit)
{
	bool ok = values_get(&exit->values, FIELD_STATUS, 1) == 0;

	if (call->request) {
		call->request->free_pending = false;
		if (ok && !call->request->ended) {
			requests->freed_count++;
			end(requests, call->request, exit->time_ns);
		}
	} else if (ok && values_get(&call->values, FIELD_ADDRESS, 0)) {
		requests->unknown_frees++;
	}
	if (!values_have(&exit->values, FIELD_ADDRESS))
		return;
	g_hash_table_add(requests->types, (void *)call->type);
	if (ok && exit->values.v[FIELD_ADDRESS])
		(void)begin(requests, site_of(requests, process, call->stack, call->type),
			    call->entry_ns, exit);
}

void requests_dump(struct requests *requests, struct process *process, const struct record *record)
{
	const uint64_t address = values_get(&record->values, FIELD_ADDRESS, 0);
	const struct call_type *type = NULL;
	struct request *request;

	if (!address || g_hash_table_contains(requests->indexed, &address))
		return;
	if (record->text && *record->text)
		type = model_call_type(process->model, LAYER_HIP, record->text);
	if (type)
		g_hash_table_add(requests->types, (void *)type);
	request = begin(requests, site_of(requests, process, process_stack(process, record), type),
			record->time_ns, record);
	request->from_dump = true;
	request->asked = values_get(&record->values, FIELD_ASKED, 0);
	request->made = values_get(&record->values, FIELD_MADE, 0);
}

void requests_call_cut(struct call *call)
{
	if (call->request)
		call->request->free_pending = false;
}

bool requests_gives(const struct requests *requests, const struct call_type *type)
{
	return g_hash_table_contains(requests->types, type);
}

static int compare_addresses(const void *left, const void *right)
{
	const struct block *a = *(struct block *const *)left, *b = *(struct block *const *)right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

/* @return how many of the blocks begin at or below the address. */
static guint blocks_up_to(const GPtrArray *blocks, uint64_t address)
{
	guint low = 0, high = blocks->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const struct block *block = g_ptr_array_index(blocks, middle);

		if (block->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct block *block_around(const GPtrArray *blocks, const struct request *request)
{
	guint count = blocks_up_to(blocks, request->address);

	for (guint i = count; i > 0 && count - i < OVERLAPPING_MAX; i--) {
		struct block *block = g_ptr_array_index(blocks, i - 1);

		if (request->address - block->address < block->size_bytes &&
		    (block->begin_ns <= request->begin_ns ||
		     (block->from_dump && request->from_dump)))
			return block;
	}
	return NULL;
}

GHashTable *requests_match(const struct requests *requests, const struct memory *memory)
{
	GHashTable *found = g_hash_table_new(NULL, NULL);
	GPtrArray *blocks = g_ptr_array_new();
	GHashTableIter iter;
	void *key;

	if (g_hash_table_size(requests->live) > 0) {
		for (GList *at = memory->blocks.head; at; at = at->next)
			g_ptr_array_add(blocks, at->data);
		g_ptr_array_sort(blocks, compare_addresses);
	}
	g_hash_table_iter_init(&iter, requests->live);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		struct block *block = block_around(blocks, key);

		if (block)
			g_hash_table_insert(found, key, block);
	}
	g_ptr_array_free(blocks, TRUE);
	return found;
}
