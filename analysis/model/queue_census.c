/* SPDX-License-Identifier: MIT */
/* Peaks, who made them, and times above the limit (queue_census.h). */
#include "queue_census.h"

static void census_free(void *data)
{
	struct queue_census *census = data;

	g_array_free(census->excess, TRUE);
	g_array_free(census->shares, TRUE);
	g_free(census);
}

void queue_counts_init(struct queue_counts *counts, const struct scope *scope)
{
	counts->scope = scope;
	counts->list = g_ptr_array_new_with_free_func(census_free);
	counts->limits = g_array_new(FALSE, FALSE, sizeof(struct queue_limits));
}

void queue_counts_fini(struct queue_counts *counts)
{
	g_ptr_array_free(counts->list, TRUE);
	g_array_free(counts->limits, TRUE);
}

static uint64_t limit_of(const struct queue_counts *counts, const struct queue_census *census)
{
	for (guint i = 0; i < counts->limits->len; i++) {
		const struct queue_limits *limits =
			&g_array_index(counts->limits, struct queue_limits, i);

		if (limits->hostname == census->hostname && limits->gpu_id == census->gpu_id)
			return limits->slots[census->kind];
	}
	return 0;
}

void queue_counts_limit(struct queue_counts *counts, const struct queue_limits *limits)
{
	guint i;

	for (i = 0; i < counts->limits->len; i++) {
		struct queue_limits *old = &g_array_index(counts->limits, struct queue_limits, i);

		if (old->hostname == limits->hostname && old->gpu_id == limits->gpu_id) {
			*old = *limits;
			break;
		}
	}
	if (i == counts->limits->len)
		g_array_append_val(counts->limits, *limits);
	for (i = 0; i < counts->list->len; i++) {
		struct queue_census *census = g_ptr_array_index(counts->list, i);

		census->limit = limit_of(counts, census);
	}
}

static struct queue_census *census_of(struct queue_counts *counts, const struct queue *queue)
{
	struct queue_census *census;

	for (guint i = 0; i < counts->list->len; i++) {
		census = g_ptr_array_index(counts->list, i);
		if (census->hostname == queue->process->hostname && census->kind == queue->kind &&
		    census->gpu_id == queue->gpu_id &&
		    (queue->gpu_id || census->node_id == queue->node_id))
			return census;
	}
	census = g_new0(struct queue_census, 1);
	census->hostname = queue->process->hostname;
	census->kind = queue->kind;
	census->gpu_id = queue->gpu_id;
	census->node_id = queue->node_id;
	census->limit = limit_of(counts, census);
	census->excess = g_array_new(FALSE, TRUE, sizeof(struct queue_excess));
	census->shares = g_array_new(FALSE, TRUE, sizeof(struct queue_share));
	g_ptr_array_add(counts->list, census);
	return census;
}

static bool is_counted(const struct queue_census *census, const struct queue *queue)
{
	return census->hostname == queue->process->hostname && census->kind == queue->kind &&
	       census->gpu_id == queue->gpu_id &&
	       (queue->gpu_id || census->node_id == queue->node_id);
}

/* Takes down who has the queues that make a new peak. */
static void take_shares(struct queue_census *census, GHashTable *live)
{
	GHashTableIter iter;
	void *value;

	g_array_set_size(census->shares, 0);
	g_hash_table_iter_init(&iter, live);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct queue *queue = value;
		struct queue_share share = { queue->process, queue->stack, 1 };
		guint i;

		if (!is_counted(census, queue))
			continue;
		for (i = 0; i < census->shares->len; i++) {
			struct queue_share *other =
				&g_array_index(census->shares, struct queue_share, i);

			if (other->process == share.process && other->stack == share.stack) {
				other->count++;
				break;
			}
		}
		if (i == census->shares->len)
			g_array_append_val(census->shares, share);
	}
}

static struct queue_excess *last_excess(struct queue_census *census)
{
	struct queue_excess *last;

	if (census->excess->len == 0)
		return NULL;
	last = &g_array_index(census->excess, struct queue_excess, census->excess->len - 1);
	return last->is_open ? last : NULL;
}

void queue_counts_pass(struct queue_counts *counts, GHashTable *live, int64_t time_ns)
{
	const struct scope *scope = counts->scope;
	bool begins = scope->begin_ns && !counts->is_begun && time_ns >= scope->begin_ns;
	bool ends = !counts->is_over && scope_is_over(scope, time_ns);

	for (guint i = 0; (begins || ends) && i < counts->list->len; i++) {
		struct queue_census *census = g_ptr_array_index(counts->list, i);

		if (begins) {
			census->peak = census->live;
			census->peak_ns = scope->begin_ns;
			take_shares(census, live);
		}
		if (ends)
			census->alive = census->live;
	}
	counts->is_begun |= begins;
	counts->is_over |= ends;
}

void queue_counts_add(struct queue_counts *counts, const struct queue *queue, GHashTable *live,
		      int64_t time_ns)
{
	struct queue_census *census = census_of(counts, queue);
	struct queue_excess *excess = last_excess(census);

	census->live++;
	census->created += scope_counts(counts->scope, time_ns);
	if (census->live > census->peak && !counts->is_over) {
		census->peak = census->live;
		census->peak_ns = time_ns;
		take_shares(census, live);
	}
	if (!census->limit || census->live <= census->limit)
		return;
	if (!excess) {
		const struct queue_excess begun = { .begin_ns = time_ns, .is_open = true };

		g_array_append_val(census->excess, begun);
		excess = last_excess(census);
	}
	excess->peak = MAX(excess->peak, census->live);
}

void queue_counts_remove(struct queue_counts *counts, const struct queue *queue, int64_t time_ns)
{
	struct queue_census *census = census_of(counts, queue);
	struct queue_excess *excess = last_excess(census);

	if (census->live)
		census->live--;
	census->destroyed += scope_counts(counts->scope, time_ns);
	if (excess && census->live <= census->limit) {
		excess->end_ns = time_ns;
		excess->is_open = false;
	}
}

void queue_counts_finish(struct queue_counts *counts, GHashTable *live, int64_t time_ns)
{
	queue_counts_pass(counts, live, time_ns);
	if (!counts->is_begun && counts->scope->begin_ns) /* the scope begins after the end */
		g_ptr_array_set_size(counts->list, 0);
	for (guint i = 0; i < counts->list->len; i++) {
		struct queue_census *census = g_ptr_array_index(counts->list, i);
		struct queue_excess *excess = last_excess(census);

		if (!counts->is_over)
			census->alive = census->live;
		if (excess)
			excess->end_ns = time_ns;
	}
}
