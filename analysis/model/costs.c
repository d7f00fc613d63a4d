/* SPDX-License-Identifier: MIT */
/* Costs by function and what they depend on (costs.h). */
#include "model/costs.h"

#include <stdlib.h>
#include <string.h>

/* Threads that called within this time before count as calling at the same time. */
#define TOGETHER_NS INT64_C(100000000)

struct costs {
	const struct model *model; /* borrowed */
	GHashTable *table;         /* set of struct cost, owned */
	GPtrArray *list;           /* borrowed from it */
	/* Those of the process that called last, by call_type.index, so that few are looked up. */
	const struct process *process;
	GPtrArray *by_type; /* borrowed from the table; NULL: not looked up */
};

/* The last call of a thread; a link of cost.order. */
struct recent {
	GList link;
	const struct thread *thread;
	int64_t time_ns;
};

static guint cost_hash(gconstpointer data)
{
	const struct cost *cost = data;

	return g_direct_hash(cost->process) * 31u + g_direct_hash(cost->type);
}

static gboolean cost_equal(gconstpointer left, gconstpointer right)
{
	const struct cost *a = left, *b = right;

	return a->process == b->process && a->type == b->type;
}

static void nodes_clear(void *data)
{
	struct cost_nodes *nodes = data;

	g_free(nodes->nodes);
	g_array_free(nodes->ids, TRUE);
	latency_fini(&nodes->latency);
}

static void status_clear(void *data)
{
	struct cost_status *status = data;

	latency_fini(&status->latency);
}

static void slow_clear(void *data)
{
	struct cost_slow *slow = data;

	g_free(slow->nodes);
}

static void cost_free(void *data)
{
	struct cost *cost = data;

	latency_fini(&cost->latency);
	g_array_free(cost->inside, TRUE);
	g_array_free(cost->nodes, TRUE);
	g_array_free(cost->statuses, TRUE);
	g_array_free(cost->slowest, TRUE);
	g_hash_table_destroy(cost->callers);
	g_hash_table_destroy(cost->recent);
	for (uint32_t i = 0; i < COST_THREAD_STEPS; i++)
		latency_fini(&cost->by_threads[i]);
	g_free(cost);
}

static GArray *array_of(guint size, GDestroyNotify clear)
{
	GArray *array = g_array_new(FALSE, TRUE, size);

	if (clear)
		g_array_set_clear_func(array, clear);
	return array;
}

static struct cost *look_up(struct costs *costs, const struct process *process,
			    const struct call_type *type)
{
	const struct cost key = { .process = process, .type = type };
	struct cost *cost = g_hash_table_lookup(costs->table, &key);

	if (cost)
		return cost;
	cost = g_new0(struct cost, 1);
	cost->process = process;
	cost->type = type;
	cost->inside = array_of(sizeof(struct cost_inside), NULL);
	cost->nodes = array_of(sizeof(struct cost_nodes), nodes_clear);
	cost->statuses = array_of(sizeof(struct cost_status), status_clear);
	cost->slowest = array_of(sizeof(struct cost_slow), slow_clear);
	cost->callers = g_hash_table_new_full(stack_hash_by_id, NULL, NULL, g_free);
	cost->recent = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_queue_init(&cost->order);
	g_hash_table_add(costs->table, cost);
	g_ptr_array_add(costs->list, cost);
	return cost;
}

static struct cost *get_cost(struct costs *costs, const struct process *process,
			     const struct call_type *type)
{
	GPtrArray *by_type = costs->by_type;

	if (costs->process != process) {
		g_ptr_array_set_size(by_type, 0);
		costs->process = process;
	}
	if (type->index >= by_type->len)
		g_ptr_array_set_size(by_type, (gint)type->index + 1);
	if (!g_ptr_array_index(by_type, type->index))
		g_ptr_array_index(by_type, type->index) = look_up(costs, process, type);
	return g_ptr_array_index(by_type, type->index);
}

static int compare_ids(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* The nodes that a call is about, rising. @return how many. */
static uint32_t call_nodes(const struct call *call, uint32_t nodes[CALL_IDS_MAX])
{
	const struct process *process = call->thread->process;
	bool is_api = call->type->layer <= LAYER_API;
	uint32_t count = 0;

	for (uint32_t i = 0; i < call->id_count; i++) {
		const struct node *node =
			is_api ? NULL : process_node_of_gpu(process, (uint32_t)call_ids(call)[i]);

		if (is_api)
			nodes[count++] = (uint32_t)call_ids(call)[i];
		else if (node)
			nodes[count++] = node->node_id;
	}
	if (count == 0 && values_have(&call->values, FIELD_NODE)) {
		nodes[count++] = (uint32_t)call->values.v[FIELD_NODE];
	} else if (count == 0 && values_have(&call->values, FIELD_GPU)) {
		const struct node *node =
			process_node_of_gpu(process, (uint32_t)call->values.v[FIELD_GPU]);

		if (node)
			nodes[count++] = node->node_id;
	}
	qsort(nodes, count, sizeof(nodes[0]), compare_ids);
	return count;
}

static char *nodes_text(const uint32_t *nodes, uint32_t count)
{
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < count; i++)
		g_string_append_printf(text, i ? " %u" : "%u", nodes[i]);
	return g_string_free(text, FALSE);
}

static struct cost_nodes *find_nodes(struct cost *cost, const uint32_t *ids, uint32_t count)
{
	struct cost_nodes nodes = { 0 };

	for (guint i = 0; i < cost->nodes->len; i++) {
		struct cost_nodes *known = &g_array_index(cost->nodes, struct cost_nodes, i);

		if (!known->nodes ||
		    (known->ids->len == count &&
		     (count == 0 || memcmp(known->ids->data, ids, count * sizeof(ids[0])) == 0)))
			return known;
	}
	nodes.ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	if (cost->nodes->len + 1 < COST_NODE_SETS) {
		nodes.nodes = nodes_text(ids, count);
		if (count)
			g_array_append_vals(nodes.ids, ids, count);
	}
	g_array_append_val(cost->nodes, nodes);
	return &g_array_index(cost->nodes, struct cost_nodes, cost->nodes->len - 1);
}

static void add_status(struct cost *cost, uint32_t code, int64_t duration_ns)
{
	struct cost_status status = { .status = code };

	for (guint i = 0; i < cost->statuses->len; i++) {
		struct cost_status *known = &g_array_index(cost->statuses, struct cost_status, i);

		if (known->status == code) {
			latency_add(&known->latency, duration_ns, duration_ns);
			return;
		}
	}
	latency_add(&status.latency, duration_ns, duration_ns);
	g_array_append_val(cost->statuses, status);
}

static void add_caller(struct cost *cost, const struct stack *stack, int64_t duration_ns,
		       bool failed)
{
	struct cost_caller *caller = g_hash_table_lookup(cost->callers, stack);

	if (!caller && g_hash_table_size(cost->callers) >= COST_CALLERS) {
		stack = NULL;
		caller = g_hash_table_lookup(cost->callers, NULL);
	}
	if (!caller) {
		caller = g_new0(struct cost_caller, 1);
		caller->stack = stack;
		caller->number = g_hash_table_size(cost->callers);
		g_hash_table_insert(cost->callers, (void *)stack, caller);
	}
	caller->count++;
	caller->failed += failed;
	caller->total_ns += duration_ns;
}

static void add_slow(struct cost *cost, const struct call *call, const struct stack *stack,
		     int64_t duration_ns, const uint32_t *nodes, uint32_t node_count)
{
	struct cost_slow slow = { .entry_ns = call->entry_ns,
				  .duration_ns = duration_ns,
				  .inside_ns = call->inside_ns,
				  .vtid = call->thread->vtid,
				  .stack = stack };
	guint least = 0;

	if (cost->slowest->len >= COST_SLOWEST) {
		for (guint i = 1; i < cost->slowest->len; i++)
			if (g_array_index(cost->slowest, struct cost_slow, i).duration_ns <
			    g_array_index(cost->slowest, struct cost_slow, least).duration_ns)
				least = i;
		if (g_array_index(cost->slowest, struct cost_slow, least).duration_ns >=
		    duration_ns)
			return;
		g_array_remove_index_fast(cost->slowest, least);
	}
	slow.nodes = nodes_text(nodes, node_count);
	g_array_append_val(cost->slowest, slow);
}

/* How many threads made such calls lately, this one among them. */
static uint32_t threads_together(struct cost *cost, const struct call *call)
{
	struct recent *recent = g_hash_table_lookup(cost->recent, call->thread);

	if (recent) {
		g_queue_unlink(&cost->order, &recent->link);
	} else {
		recent = g_new0(struct recent, 1);
		recent->link.data = recent;
		recent->thread = call->thread;
		g_hash_table_insert(cost->recent, call->thread, recent);
	}
	recent->time_ns = call->entry_ns;
	g_queue_push_tail_link(&cost->order, &recent->link);
	while (TRUE) {
		struct recent *oldest = g_queue_peek_head(&cost->order);

		if (oldest->time_ns > call->entry_ns - TOGETHER_NS)
			return g_queue_get_length(&cost->order);
		g_queue_unlink(&cost->order, &oldest->link);
		g_hash_table_remove(cost->recent, oldest->thread);
	}
}

uint32_t cost_step_threads(uint32_t step)
{
	return 1u << step;
}

static void add_threads(struct cost *cost, const struct call *call, int64_t time_ns,
			int64_t duration_ns)
{
	uint32_t threads = threads_together(cost, call), step = 0;

	while (step + 1 < COST_THREAD_STEPS && cost_step_threads(step + 1) <= threads)
		step++;
	if (cost->by_threads[step].count == 0)
		cost->threads_first_ns[step] = call->entry_ns;
	cost->threads_last_ns[step] = time_ns;
	latency_add(&cost->by_threads[step], duration_ns, duration_ns);
}

static void add_inside(struct cost *cost, const struct call_type *type, int64_t duration_ns)
{
	struct cost_inside inside = { .type = type, .count = 1, .total_ns = duration_ns };

	for (guint i = 0; i < cost->inside->len; i++) {
		struct cost_inside *known = &g_array_index(cost->inside, struct cost_inside, i);

		if (known->type == type) {
			known->count++;
			known->total_ns += duration_ns;
			return;
		}
	}
	g_array_append_val(cost->inside, inside);
}

/* An ioctl is recorded without a stack when the call around it has one. */
static const struct stack *stack_of(const struct call *call)
{
	const GArray *calls = call->thread->calls;

	for (guint i = calls->len; i > 0; i--) {
		const struct call *around = &g_array_index(calls, struct call, i - 1);

		if (around->stack)
			return around->stack;
	}
	return NULL;
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	const struct costs *costs = data;
	const struct thread *thread = call->thread;
	struct cost *cost;
	int64_t duration_ns = time_ns - call->entry_ns;
	uint32_t nodes[CALL_IDS_MAX], count, code;
	bool is_api = call->type->layer <= LAYER_API;

	if (!scope_counts(model_scope(costs->model), call->entry_ns))
		return;
	cost = get_cost(data, thread->process, call->type);
	if (!exit) {
		cost->cut++;
		return;
	}
	if (thread->calls->len > 1)
		add_inside(
			get_cost(data, thread->process,
				 g_array_index(thread->calls, struct call, thread->calls->len - 2)
					 .type),
			call->type, duration_ns);
	code = (uint32_t)values_get(&exit->values, is_api ? FIELD_STATUS : FIELD_ERRNO, 0);
	if (cost->latency.count == 0)
		cost->first_ns = call->entry_ns;
	cost->last_ns = time_ns;
	cost->failed += code != 0;
	latency_add(&cost->latency, duration_ns, duration_ns - call->inside_ns);
	count = call_nodes(call, nodes);
	latency_add(&find_nodes(cost, nodes, count)->latency, duration_ns,
		    duration_ns - call->inside_ns);
	add_status(cost, code, duration_ns);
	add_slow(cost, call, stack_of(call), duration_ns, nodes, count);
	if (!is_api)
		return;
	add_caller(cost, call->stack, duration_ns, code != 0);
	add_threads(cost, call, time_ns, duration_ns);
}

struct costs *costs_new(struct model *model)
{
	struct costs *costs = g_new0(struct costs, 1);
	const struct model_observer observer = { .data = costs, .call_ended = call_ended };

	costs->model = model;
	costs->table = g_hash_table_new_full(cost_hash, cost_equal, cost_free, NULL);
	costs->list = g_ptr_array_new();
	costs->by_type = g_ptr_array_new();
	model_observe(model, &observer);
	return costs;
}

void costs_free(struct costs *costs)
{
	if (!costs)
		return;
	g_ptr_array_free(costs->list, TRUE);
	g_ptr_array_free(costs->by_type, TRUE);
	g_hash_table_destroy(costs->table);
	g_free(costs);
}

const GPtrArray *costs_list(const struct costs *costs)
{
	return costs->list;
}
