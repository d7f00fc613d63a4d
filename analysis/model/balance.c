/* SPDX-License-Identifier: MIT */
/* Pairs of calls, and answers of the driver against our own account (balance.h). */
#include "balance.h"

#include <string.h>

/* A block that is gone, by its address. */
struct freed {
	const struct process *process;
	uint64_t address;
	int64_t time_ns;
	const struct stack *alloc, *freed_by;
};

struct balance {
	struct model *model;           /* borrowed */
	const struct call_type *query; /* hsaKmtAvailableMemory */
	GHashTable *ranges;            /* struct process -> GTree of struct registration, owned */
	GHashTable *histories;         /* struct block -> struct block_history, owned */
	GHashTable *freed_at;          /* address and process -> struct freed, in freed[] */
	struct freed *freed;           /* owned: a ring */
	uint32_t freed_next;           /* where the next one goes */
	GHashTable *opened;            /* set of struct process, borrowed: seen since they opened */
	GArray *overlaps, *available;  /* owned */
	GPtrArray *bad_frees;          /* owned */
};

static gint range_compare(gconstpointer left, gconstpointer right, gpointer data)
{
	const struct registration *a = left, *b = right;

	(void)data;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->size_bytes < b->size_bytes ? -1 : a->size_bytes > b->size_bytes;
}

static guint freed_hash(gconstpointer data)
{
	const struct freed *freed = data;

	return (guint)(freed->address >> 12) * 2654435761u ^ g_direct_hash(freed->process);
}

static gboolean freed_equal(gconstpointer left, gconstpointer right)
{
	const struct freed *a = left, *b = right;

	return a->address == b->address && a->process == b->process;
}

static GTree *process_ranges(struct balance *balance, const struct process *process)
{
	GTree *tree = g_hash_table_lookup(balance->ranges, process);

	if (tree)
		return tree;
	tree = g_tree_new_full(range_compare, NULL, NULL, g_free);
	g_hash_table_insert(balance->ranges, (void *)process, tree);
	return tree;
}

static uint64_t overlap_bytes(const struct registration *a, const struct registration *b)
{
	const uint64_t begin = MAX(a->address, b->address);
	const uint64_t end = MIN(a->address + a->size_bytes, b->address + b->size_bytes);

	return end > begin ? end - begin : 0;
}

/* Ranges that were there before and share bytes with the new one: its neighbours in the tree. */
static void find_overlaps(struct balance *balance, struct process *process, GTree *tree,
			  const struct registration *newer)
{
	GTreeNode *node = g_tree_lower_bound(tree, newer);
	GTreeNode *before = node ? g_tree_node_previous(node) : g_tree_node_last(tree);

	for (node = before ? before : node; node; node = g_tree_node_next(node)) {
		const struct registration *older = g_tree_node_key(node);
		const struct overlap overlap = { .process = process,
						 .older = *older,
						 .newer = *newer,
						 .bytes = overlap_bytes(older, newer),
						 .time_ns = newer->first_ns };

		if (older->address >= newer->address + newer->size_bytes)
			break;
		if (older != newer && overlap.bytes && balance->overlaps->len < BALANCE_LIST_MAX)
			g_array_append_val(balance->overlaps, overlap);
	}
}

static void take_register(struct balance *balance, const struct call *call, int64_t time_ns)
{
	struct process *process = call->thread->process;
	GTree *tree = process_ranges(balance, process);
	struct registration key = { .address = values_get(&call->values, FIELD_ADDRESS, 0),
				    .size_bytes = values_get(&call->values, FIELD_SIZE, 0) };
	struct registration *range = g_tree_lookup(tree, &key);

	if (!range) {
		range = g_new0(struct registration, 1);
		range->address = key.address;
		range->size_bytes = key.size_bytes;
		range->first_ns = time_ns;
		range->stacks[0] = call->stack;
		range->stack_count = 1;
		find_overlaps(balance, process, tree, range);
		g_tree_insert(tree, range, range);
	} else if (range->stack_count < BALANCE_STACKS_MAX) {
		range->stacks[range->stack_count++] = call->stack;
	} else {
		range->stacks[BALANCE_STACKS_MAX - 1] = call->stack;
	}
	range->registered++;
	range->last_ns = time_ns;
}

/* A call names only the address: of several ranges there, the one registered last is meant. */
static void take_deregister(struct balance *balance, const struct call *call)
{
	GTree *tree = process_ranges(balance, call->thread->process);
	const struct registration key = { .address = values_get(&call->values, FIELD_ADDRESS, 0) };
	struct registration *newest = NULL;

	for (GTreeNode *node = g_tree_lower_bound(tree, &key); node;
	     node = g_tree_node_next(node)) {
		struct registration *range = g_tree_node_value(node);

		if (range->address != key.address)
			break;
		if (!newest || range->last_ns > newest->last_ns)
			newest = range;
	}
	if (newest && ++newest->deregistered >= newest->registered)
		g_tree_remove(tree, newest);
}

/* The next event of a block's history; NULL: it is full. */
static struct map_event *add_event(struct balance *balance, const struct block *block)
{
	struct block_history *history = g_hash_table_lookup(balance->histories, block);
	uint32_t room = history ? history->room : 0;

	if (history && history->count >= BALANCE_HISTORY_MAX) {
		history->dropped++;
		return NULL;
	}
	if (!history || history->count == room) {
		const bool is_new = !history;

		room = MAX(2 * room, 2); /* most blocks are mapped and unmapped once */
		g_hash_table_steal(balance->histories, block);
		history = g_realloc(history, sizeof(*history) + room * sizeof(history->events[0]));
		if (is_new)
			*history = (struct block_history){ .block = block };
		history->room = room;
		g_hash_table_insert(balance->histories, (void *)block, history);
	}
	return &history->events[history->count++];
}

static void take_map(struct balance *balance, const struct call *call, int64_t time_ns, bool ok)
{
	const struct block *block = memory_block_at(
		call->thread->process->memory, (uint32_t)values_get(&call->values, FIELD_CTX, 0),
		values_get(&call->values, FIELD_ADDRESS, 0));
	struct map_event *event = block ? add_event(balance, block) : NULL;

	if (!event)
		return;
	event->time_ns = time_ns;
	event->is_map = call->type->op == OP_MAP;
	event->ok = ok;
	event->id_count = MIN(call->id_count, G_N_ELEMENTS(event->ids));
	for (uint32_t i = 0; i < event->id_count; i++)
		event->ids[i] = (uint32_t)call_ids(call)[i];
}

static void take_bad_free(struct balance *balance, const struct call *call, int64_t time_ns,
			  uint32_t status)
{
	struct process *process = call->thread->process;
	const struct freed key = { .process = process,
				   .address = values_get(&call->values, FIELD_ADDRESS, 0) };
	const struct freed *freed = g_hash_table_lookup(balance->freed_at, &key);
	struct bad_free *bad = NULL;

	if (!scope_counts(model_scope(process->model), time_ns))
		return;
	for (guint i = 0; i < balance->bad_frees->len && !bad; i++) {
		struct bad_free *other = g_ptr_array_index(balance->bad_frees, i);

		if (other->process == process && other->stack == call->stack &&
		    other->is_double == (freed != NULL))
			bad = other;
	}
	if (!bad && balance->bad_frees->len >= BALANCE_LIST_MAX)
		return;
	if (!bad) {
		bad = g_new0(struct bad_free, 1);
		bad->process = process;
		bad->stack = call->stack;
		bad->is_double = freed != NULL;
		g_ptr_array_add(balance->bad_frees, bad);
	}
	bad->count++;
	bad->address = key.address;
	bad->status = status;
	bad->time_ns = time_ns;
	if (freed) {
		bad->alloc = freed->alloc;
		bad->freed_by = freed->freed_by;
		bad->freed_ns = freed->time_ns;
	}
}

/*
 * Where the SVM interface is in use, the thunk has nothing against an address that it does not know. Then
 * our own account has to tell: not while it may lack an allocation.
 */
static bool is_bad_success(const struct balance *balance, const struct call *call)
{
	struct process *process = call->thread->process;
	const struct freed key = { .process = process,
				   .address = values_get(&call->values, FIELD_ADDRESS, 0) };
	const struct freed *freed = g_hash_table_lookup(balance->freed_at, &key);

	if (freed) /* a later one is this call's own work */
		return freed->time_ns <= call->entry_ns &&
		       !model_doubt_since(balance->model, process, freed->time_ns);
	return g_hash_table_contains(balance->opened, process) &&
	       !process->memory->restored_unlisted &&
	       !model_doubt_since(balance->model, process, INT64_MIN);
}

static void take_available(struct balance *balance, const struct call *call,
			   const struct record *exit)
{
	struct process *process = call->thread->process;
	struct available now = { .process = process,
				 .time_ns = exit->time_ns,
				 .node_id = (uint32_t)values_get(&call->values, FIELD_NODE, 0),
				 .available_bytes =
					 args_reader_number(exit->reader, "AvailableBytes", 0) };
	const struct usage *usages = process->memory->node_usage;
	const guint node = MIN(now.node_id, G_N_ELEMENTS(process->memory->node_usage) - 1);

	if (balance->available->len >= BALANCE_LIST_MAX)
		return;
	now.live_bytes = usages[node].live_bytes;
	for (guint i = 0; i < balance->available->len; i++) {
		const struct available *first =
			&g_array_index(balance->available, struct available, i);

		if (first->process != process || first->node_id != now.node_id)
			continue;
		now.outside_bytes = (int64_t)(first->available_bytes + first->live_bytes -
					      now.available_bytes - now.live_bytes);
		break;
	}
	g_array_append_val(balance->available, now);
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct balance *balance = data;
	const uint32_t status = exit ? (uint32_t)values_get(&exit->values, FIELD_STATUS, 1) : 1;

	if (!exit || call->type->layer != LAYER_API)
		return;
	switch (call->type->op) {
	case OP_OPEN:
		if (status == 0) /* another status when it was open already */
			g_hash_table_add(balance->opened, call->thread->process);
		break;
	case OP_REGISTER:
		if (status == 0)
			take_register(balance, call, time_ns);
		break;
	case OP_DEREGISTER:
		if (status == 0)
			take_deregister(balance, call);
		break;
	case OP_MAP:
	case OP_UNMAP:
		take_map(balance, call, time_ns, status == 0);
		break;
	case OP_FREE:
		if (!call->target && values_get(&call->values, FIELD_ADDRESS, 0) &&
		    (status != 0 || is_bad_success(balance, call)))
			take_bad_free(balance, call, time_ns, status);
		break;
	case OP_OTHER:
		if (call->type == balance->query && status == 0)
			take_available(balance, call, exit);
		break;
	default:
		break;
	}
}

static void remember_freed(struct balance *balance, const struct block *block, int64_t time_ns)
{
	struct freed *freed = &balance->freed[balance->freed_next];

	if (freed->process && g_hash_table_lookup(balance->freed_at, freed) == freed)
		g_hash_table_remove(balance->freed_at, freed);
	freed->process = block->memory->process;
	freed->address = block->address;
	freed->time_ns = time_ns;
	freed->alloc = block->site->stack;
	freed->freed_by = block->free_stack;
	g_hash_table_replace(balance->freed_at, freed, freed);
	balance->freed_next = (balance->freed_next + 1) % BALANCE_FREED_MAX;
}

static void block_changed(void *data, const struct block *block, int64_t time_ns, bool began)
{
	struct balance *balance = data;
	const struct freed key = { .process = block->memory->process, .address = block->address };

	if (!began)
		g_hash_table_remove(balance->histories, block);
	if (block->site->class != BLOCK_ALLOCATION)
		return;
	if (began)
		g_hash_table_remove(balance->freed_at, &key); /* the address is good again */
	else
		remember_freed(balance, block, time_ns);
}

struct balance *balance_new(struct model *model)
{
	struct balance *balance = g_new0(struct balance, 1);
	const struct model_observer observer = { .data = balance,
						 .call_ended = call_ended,
						 .block_changed = block_changed };

	balance->model = model;
	balance->query = model_call_type(model, LAYER_API, "hsaKmtAvailableMemory");
	balance->ranges = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_tree_unref);
	balance->histories = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	balance->freed_at = g_hash_table_new(freed_hash, freed_equal);
	balance->opened = g_hash_table_new(NULL, NULL);
	balance->freed = g_new0(struct freed, BALANCE_FREED_MAX);
	balance->overlaps = g_array_new(FALSE, FALSE, sizeof(struct overlap));
	balance->available = g_array_new(FALSE, FALSE, sizeof(struct available));
	balance->bad_frees = g_ptr_array_new_with_free_func(g_free);
	model_observe(model, &observer);
	return balance;
}

void balance_free(struct balance *balance)
{
	if (!balance)
		return;
	g_hash_table_destroy(balance->ranges);
	g_hash_table_destroy(balance->histories);
	g_hash_table_destroy(balance->freed_at);
	g_hash_table_destroy(balance->opened);
	g_free(balance->freed);
	g_array_free(balance->overlaps, TRUE);
	g_array_free(balance->available, TRUE);
	g_ptr_array_free(balance->bad_frees, TRUE);
	g_free(balance);
}

GPtrArray *balance_registrations(const struct balance *balance, const struct process *process)
{
	GTree *tree = g_hash_table_lookup(balance->ranges, process);
	GPtrArray *list = g_ptr_array_new();

	for (GTreeNode *node = tree ? g_tree_node_first(tree) : NULL; node;
	     node = g_tree_node_next(node))
		g_ptr_array_add(list, g_tree_node_value(node));
	return list;
}

const GArray *balance_overlaps(const struct balance *balance)
{
	return balance->overlaps;
}

const GArray *balance_available(const struct balance *balance)
{
	return balance->available;
}

const GPtrArray *balance_bad_frees(const struct balance *balance)
{
	return balance->bad_frees;
}

const struct block_history *balance_history(const struct balance *balance,
					    const struct block *block)
{
	return g_hash_table_lookup(balance->histories, block);
}
