/* SPDX-License-Identifier: MIT */
/* Lanes of bars for queues, waits and counter runs (lanes.h). */
#include "lanes.h"

#include "op_cache.h"

/* What a call is to the lanes of counter runs. */
enum counter_op {
	COUNTER_OP_NONE,
	COUNTER_OP_PMC_START,
	COUNTER_OP_PMC_STOP,
	COUNTER_OP_SPM_ACQUIRE,
	COUNTER_OP_SPM_RELEASE,
};

static const struct op_name counter_ops[] = {
	{ LAYER_API, "hsaKmtPmcStartTrace", COUNTER_OP_PMC_START },
	{ LAYER_API, "hsaKmtPmcStopTrace", COUNTER_OP_PMC_STOP },
	{ LAYER_API, "hsaKmtSPMAcquire", COUNTER_OP_SPM_ACQUIRE },
	{ LAYER_API, "hsaKmtSPMRelease", COUNTER_OP_SPM_RELEASE },
};

struct lanes {
	struct op_cache counter_ops;
	struct model *model;                /* borrowed */
	GPtrArray *lists[LANE_CLASS_COUNT]; /* of struct lane, owned */
	GHashTable *open;    /* struct lane_key -> struct lane: bars without an end */
	GHashTable *threads; /* struct thread -> struct lane of its waits */
	GHashTable *runs;    /* struct thread -> trace id of the counter call inside */
	uint64_t dropped[LANE_CLASS_COUNT];
};

/* A lane whose bar is open, by what the closing call says. */
struct lane_key {
	const struct process *process;
	enum lane_class class;
	uint64_t id;
};

static guint key_hash(gconstpointer data)
{
	const struct lane_key *key = data;

	return g_direct_hash(key->process) * 31u + (guint)(key->id ^ (key->id >> 32)) +
	       (guint)key->class;
}

static gboolean key_equal(gconstpointer left, gconstpointer right)
{
	const struct lane_key *a = left, *b = right;

	return a->process == b->process && a->class == b->class && a->id == b->id;
}

static void lane_free(void *data)
{
	struct lane *lane = data;

	g_free(lane->what);
	g_array_free(lane->bars, TRUE);
	g_free(lane);
}

static struct lane *lane_new(struct lanes *lanes, enum lane_class class,
			     const struct process *process, uint64_t id, const char *what,
			     int64_t begin_ns)
{
	struct lane *lane;

	/* Lanes from before the scope may be gone when it begins. */
	if (lanes->lists[class]->len >= LANES_MAX &&
	    begin_ns >= model_scope(lanes->model)->begin_ns) {
		lanes->dropped[class]++;
		return NULL;
	}
	lane = g_new0(struct lane, 1);
	lane->class = class;
	lane->process = process;
	lane->id = id;
	lane->node_id = UINT32_MAX;
	lane->what = g_strdup(what);
	lane->bars = g_array_new(FALSE, TRUE, sizeof(struct lane_bar));
	g_ptr_array_add(lanes->lists[class], lane);
	return lane;
}

static struct lane_bar *bar_at(const struct lane *lane, guint index)
{
	return &g_array_index(lane->bars, struct lane_bar, index);
}

/* Joins a bar with the one before it when less than a grain is between them. */
static bool bar_join(const struct lane *lane, struct lane_bar *last, const struct lane_bar *bar)
{
	if (bar->begin_ns - last->end_ns >= lane->grain_ns)
		return false;
	last->end_ns = MAX(last->end_ns, bar->end_ns);
	last->count += bar->count;
	last->is_open |= bar->is_open;
	return true;
}

/* Joins bars with less than a grain between them until half of them are left. */
static void lane_coarsen(struct lane *lane)
{
	const int64_t span = bar_at(lane, lane->bars->len - 1)->end_ns - bar_at(lane, 0)->begin_ns;

	if (lane->grain_ns == 0)
		lane->grain_ns = MAX(span / (LANE_BARS_MAX * 8), 1);
	while (lane->bars->len > LANE_BARS_MAX / 2) {
		guint kept = 0;

		lane->grain_ns *= 2;
		for (guint i = 1; i < lane->bars->len; i++) {
			const struct lane_bar *bar = bar_at(lane, i);

			if (!bar_join(lane, bar_at(lane, kept), bar))
				*bar_at(lane, ++kept) = *bar;
		}
		g_array_set_size(lane->bars, kept + 1);
	}
}

static void lane_add(struct lane *lane, int64_t begin_ns, int64_t end_ns, bool is_open)
{
	const struct lane_bar bar = { begin_ns, end_ns, 1, is_open };

	/* Not to be joined later, for then the grain would grow with the number of bars, without end. */
	if (lane->grain_ns && bar_join(lane, bar_at(lane, lane->bars->len - 1), &bar))
		return;
	g_array_append_val(lane->bars, bar);
	if (lane->bars->len > LANE_BARS_MAX)
		lane_coarsen(lane);
}

static void bar_close(struct lanes *lanes, const struct lane_key *key, struct lane *lane,
		      int64_t time_ns)
{
	struct lane_bar *bar = bar_at(lane, lane->bars->len - 1);

	bar->end_ns = time_ns;
	bar->is_open = false;
	if (!scope_overlaps(model_scope(lanes->model), bar->begin_ns, time_ns))
		g_ptr_array_remove(lanes->lists[key->class], lane);
	g_hash_table_remove(lanes->open, key);
}

static void lane_open(struct lanes *lanes, enum lane_class class, const struct call *call,
		      uint64_t id, const char *what, int64_t time_ns)
{
	const struct lane_key key = { call->thread->process, class, id };
	struct lane *lane = g_hash_table_lookup(lanes->open, &key);

	/* The number is in use again: the other's end was lost, or has only not reported back yet. */
	if (lane)
		bar_close(lanes, &key, lane, time_ns);
	if (scope_is_over(model_scope(lanes->model), time_ns))
		return;
	lane = lane_new(lanes, class, key.process, id, what, time_ns);
	if (!lane)
		return;
	lane->node_id = (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	lane_add(lane, time_ns, time_ns, true);
	g_hash_table_replace(lanes->open, g_memdup2(&key, sizeof(key)), lane);
}

static void lane_close(struct lanes *lanes, enum lane_class class, const struct call *call,
		       uint64_t id, int64_t time_ns)
{
	const struct lane_key key = { call->thread->process, class, id };
	struct lane *lane = g_hash_table_lookup(lanes->open, &key);

	/* What was opened after this call had begun has got the number that the call gave back. */
	if (lane && bar_at(lane, lane->bars->len - 1)->begin_ns <= call->entry_ns)
		bar_close(lanes, &key, lane, time_ns);
}

/* One lane for all waits of a thread; a wait inside another is part of it. */
static void take_wait(struct lanes *lanes, const struct call *call, int64_t time_ns, bool cut)
{
	const struct thread *thread = call->thread;
	struct lane *lane = g_hash_table_lookup(lanes->threads, thread);

	if (!scope_overlaps(model_scope(lanes->model), call->entry_ns, time_ns))
		return;
	for (guint i = 0; i + 1 < thread->calls->len; i++)
		if (g_array_index(thread->calls, struct call, i).type->op == OP_WAIT)
			return;
	if (!lane) {
		lane = lane_new(lanes, LANE_WAIT, thread->process, thread->vtid, thread->name,
				call->entry_ns);
		if (!lane)
			return;
		g_hash_table_insert(lanes->threads, (void *)thread, lane);
	}
	lane_add(lane, call->entry_ns, time_ns, cut);
}

/* Ids of PMC runs and node ids of SPM runs must not meet. */
#define SPM_RUN UINT64_C(0x100000000)

static void take_counters(struct lanes *lanes, const struct call *call, int64_t time_ns)
{
	const enum counter_op op = (enum counter_op)op_cache_find(&lanes->counter_ops, call->type);
	const uint64_t spm = SPM_RUN + values_get(&call->values, FIELD_NODE, 0);
	const uint64_t *run;

	switch (op) {
	case COUNTER_OP_PMC_START:
	case COUNTER_OP_PMC_STOP:
		run = g_hash_table_lookup(lanes->runs, call->thread);
		if (run && op == COUNTER_OP_PMC_START)
			lane_open(lanes, LANE_COUNTER, call, *run, "PMC", time_ns);
		else if (run)
			lane_close(lanes, LANE_COUNTER, call, *run, time_ns);
		break;
	case COUNTER_OP_SPM_ACQUIRE:
		lane_open(lanes, LANE_COUNTER, call, spm, "SPM", time_ns);
		break;
	case COUNTER_OP_SPM_RELEASE:
		lane_close(lanes, LANE_COUNTER, call, spm, time_ns);
		break;
	case COUNTER_OP_NONE:
		break;
	}
}

/* The id of a counter run is an argument that the model does not keep. */
static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct lanes *lanes = data;
	uint64_t run;

	switch ((enum counter_op)op_cache_find(&lanes->counter_ops, call->type)) {
	case COUNTER_OP_PMC_START:
	case COUNTER_OP_PMC_STOP:
		break;
	default:
		return;
	}
	run = args_reader_number(entry->reader, "TraceId", 0);
	if (run)
		g_hash_table_replace(lanes->runs, call->thread, g_memdup2(&run, sizeof(run)));
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct lanes *lanes = data;
	bool ok = exit && values_get(&exit->values, FIELD_STATUS, 1) == 0;

	if (call->type->layer != LAYER_API)
		return;
	switch (call->type->op) {
	case OP_WAIT:
		take_wait(lanes, call, time_ns, !exit);
		break;
	case OP_QUEUE_CREATE:
		if (ok)
			lane_open(lanes, LANE_QUEUE, call,
				  values_get(&exit->values, FIELD_QUEUE, 0), NULL, time_ns);
		break;
	case OP_QUEUE_DESTROY:
		if (ok)
			lane_close(lanes, LANE_QUEUE, call,
				   values_get(&call->values, FIELD_QUEUE, 0), time_ns);
		break;
	case OP_OTHER:
		if (ok)
			take_counters(lanes, call, time_ns);
		break;
	default:
		break;
	}
}

struct lanes *lanes_new(struct model *model)
{
	struct lanes *lanes = g_new0(struct lanes, 1);
	const struct model_observer observer = { .data = lanes,
						 .call_began = call_began,
						 .call_ended = call_ended };

	lanes->model = model;
	for (int i = 0; i < LANE_CLASS_COUNT; i++)
		lanes->lists[i] = g_ptr_array_new_with_free_func(lane_free);
	lanes->open = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	lanes->threads = g_hash_table_new(NULL, NULL);
	lanes->runs = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	op_cache_init(&lanes->counter_ops, counter_ops, G_N_ELEMENTS(counter_ops));
	model_observe(model, &observer);
	return lanes;
}

void lanes_free(struct lanes *lanes)
{
	if (!lanes)
		return;
	for (int i = 0; i < LANE_CLASS_COUNT; i++)
		g_ptr_array_free(lanes->lists[i], TRUE);
	g_hash_table_destroy(lanes->open);
	g_hash_table_destroy(lanes->threads);
	g_hash_table_destroy(lanes->runs);
	op_cache_fini(&lanes->counter_ops);
	g_free(lanes);
}

const GPtrArray *lanes_list(const struct lanes *lanes, enum lane_class class)
{
	const int64_t end_ns = model_end_ns(lanes->model);

	for (guint i = 0; i < lanes->lists[class]->len; i++) {
		const struct lane *lane = g_ptr_array_index(lanes->lists[class], i);
		struct lane_bar *last = bar_at(lane, lane->bars->len - 1);

		if (last->is_open)
			last->end_ns = MAX(last->end_ns, end_ns);
	}
	return lanes->lists[class];
}

uint64_t lanes_dropped(const struct lanes *lanes, enum lane_class class)
{
	return lanes->dropped[class];
}

const char *lane_class_name(enum lane_class class)
{
	static const char *const names[LANE_CLASS_COUNT] = {
		[LANE_QUEUE] = "queues",
		[LANE_WAIT] = "waits",
		[LANE_COUNTER] = "counters",
	};

	return names[class];
}
