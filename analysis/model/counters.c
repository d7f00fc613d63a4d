/* SPDX-License-Identifier: MIT */
/* Runs of counters (counters.h). */
#include "counters.h"

#include <string.h>

#include "op_cache.h"

enum counter_op {
	COUNTER_OP_NONE,
	PMC_REGISTER,
	PMC_UNREGISTER,
	PMC_ACQUIRE,
	PMC_RELEASE,
	PMC_START,
	PMC_QUERY,
	PMC_STOP,
	SPM_ACQUIRE,
	SPM_RELEASE,
	SPM_SET,
};

static const struct op_name known_ops[] = {
	{ LAYER_API, "hsaKmtPmcRegisterTrace", PMC_REGISTER },
	{ LAYER_API, "hsaKmtPmcUnregisterTrace", PMC_UNREGISTER },
	{ LAYER_API, "hsaKmtPmcAcquireTraceAccess", PMC_ACQUIRE },
	{ LAYER_API, "hsaKmtPmcReleaseTraceAccess", PMC_RELEASE },
	{ LAYER_API, "hsaKmtPmcStartTrace", PMC_START },
	{ LAYER_API, "hsaKmtPmcQueryTrace", PMC_QUERY },
	{ LAYER_API, "hsaKmtPmcStopTrace", PMC_STOP },
	{ LAYER_API, "hsaKmtSPMAcquire", SPM_ACQUIRE },
	{ LAYER_API, "hsaKmtSPMRelease", SPM_RELEASE },
	{ LAYER_API, "hsaKmtSPMSetDestBuffer", SPM_SET },
};

struct counters {
	struct model *model; /* borrowed */
	struct op_cache ops;
	GPtrArray *runs;     /* of struct counter_run, owned */
	GPtrArray *refusals; /* of struct counter_refusal, owned */
	GArray *overlaps;    /* of struct counter_overlap: made when asked for */
	GHashTable *entries; /* struct thread (borrowed) -> struct args, owned: of the open call */
	GHashTable *processes; /* struct process (borrowed) -> struct counters_process, owned */
};

static void run_free(void *data)
{
	struct counter_run *run = data;

	g_array_free(run->queries, TRUE);
	g_array_free(run->values, TRUE);
	g_array_free(run->buffers, TRUE);
	g_free(run);
}

static void free_args(void *data)
{
	args_free(data);
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct counters *counters = data;

	if (op_cache_find(&counters->ops, call->type) && !call_is_inner(call))
		g_hash_table_replace(counters->entries, call->thread,
				     args_reader_all(entry->reader));
}

/*
 * The last run that fits and has not ended. One that began after the call has got the id or the node that
 * another call has only not reported back yet to have given up. @param trace_id  of PMC; ignored for SPM.
 */
static struct counter_run *find_run(const struct counters *counters, enum counter_run_kind kind,
				    const struct call *call, uint64_t trace_id, uint32_t node_id)
{
	const struct process *process = call->thread->process;

	for (guint i = counters->runs->len; i > 0; i--) {
		struct counter_run *run = g_ptr_array_index(counters->runs, i - 1);

		if (run->kind != kind || run->process != process || run->begin_ns > call->entry_ns)
			continue;
		if (kind == RUN_PMC && run->trace_id == trace_id && !run->unregistered_ns)
			return run;
		if (kind == RUN_SPM && run->node_id == node_id && !run->released_ns)
			return run;
	}
	return NULL;
}

/* Who holds the counters of a GPU at the moment, other than the one that asks. */
static const struct counter_run *find_holder(const struct counters *counters,
					     const struct counter_run *asking,
					     const struct process *process,
					     enum counter_run_kind kind, uint32_t gpu_id)
{
	for (guint i = counters->runs->len; i > 0; i--) {
		const struct counter_run *run = g_ptr_array_index(counters->runs, i - 1);

		if (run != asking && run->kind == kind && run->gpu_id == gpu_id && gpu_id &&
		    run->process->hostname == process->hostname && run->held_from_ns &&
		    !run->held_to_ns)
			return run;
	}
	return NULL;
}

static struct counter_run *run_new(struct counters *counters, const struct call *call,
				   enum counter_run_kind kind)
{
	struct counter_run *run = g_new0(struct counter_run, 1);
	const struct node *node;

	run->kind = kind;
	run->process = call->thread->process;
	run->number = counters->runs->len + 1;
	run->stack = call->stack;
	run->node_id = (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	run->gpu_id = (uint32_t)values_get(&call->values, FIELD_GPU, 0);
	node = process_node(run->process, run->node_id);
	if (!run->gpu_id && node)
		run->gpu_id = node->gpu_id;
	run->queries = g_array_new(FALSE, FALSE, sizeof(struct counter_query));
	run->values = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	run->buffers = g_array_new(FALSE, TRUE, sizeof(struct spm_buffer));
	g_ptr_array_add(counters->runs, run);
	return run;
}

static void refuse(struct counters *counters, const struct call *call, const struct record *exit,
		   const struct counter_run *run, enum counter_run_kind kind)
{
	struct counter_refusal *refusal = g_new0(struct counter_refusal, 1);
	const struct node *node;
	uint32_t gpu_id;

	refusal->process = call->thread->process;
	refusal->type = call->type;
	refusal->stack = call->stack;
	refusal->time_ns = call->entry_ns;
	refusal->node_id =
		(uint32_t)values_get(&call->values, FIELD_NODE, run ? run->node_id : UINT32_MAX);
	refusal->status = (uint32_t)values_get(&exit->values, FIELD_STATUS, 1);
	refusal->os_errno = call->inner_errno ? call->inner_errno
					      : (uint32_t)values_get(&exit->values, FIELD_ERRNO, 0);
	refusal->run = run;
	node = process_node(refusal->process, refusal->node_id);
	gpu_id = run    ? run->gpu_id
		 : node ? node->gpu_id
			: (uint32_t)values_get(&call->values, FIELD_GPU, 0);
	refusal->holder = find_holder(counters, run, refusal->process, kind, gpu_id);
	g_ptr_array_add(counters->refusals, refusal);
}

/* The counters in the order of the values: by block, and within one as they were registered. */
static void register_run(struct counters *counters, const struct call *call,
			 const struct args *entry, const struct record *exit)
{
	struct counter_run *run = run_new(counters, call, RUN_PMC);
	const struct arg *blocks = args_find(entry, "Counters_BlockIndex");
	const struct arg *ids = args_find(entry, "Counters_CounterId");
	uint32_t count = blocks && ids ? MIN(blocks->count, ids->count) : 0;

	run->trace_id = args_reader_number(exit->reader, "TraceRoot_TraceId", 0);
	run->begin_ns = run->registered_ns = exit->time_ns;
	for (uint32_t i = 0; i < count && i < COUNTERS_MAX; i++) {
		uint32_t block = (uint32_t)args_row(entry, blocks)[i], at = run->counter_count;

		for (; at > 0 && run->counters[at - 1].block > block; at--)
			run->counters[at] = run->counters[at - 1];
		run->counters[at] =
			(struct counter){ .block = block, .id = args_row(entry, ids)[i] };
		run->counter_count++;
	}
}

static void hold(struct counter_run *run, int64_t time_ns)
{
	if (!run->held_from_ns)
		run->held_from_ns = time_ns;
	run->held_to_ns = 0;
}

static void let_go(struct counter_run *run, int64_t time_ns)
{
	if (run->held_from_ns && !run->held_to_ns)
		run->held_to_ns = time_ns;
}

static void add_query(struct counter_run *run, const struct record *exit)
{
	uint64_t values[COUNTERS_MAX];
	uint32_t count =
		args_reader_row(exit->reader, "TraceId_counter_values", values, COUNTERS_MAX);
	const struct counter_query query = { exit->time_ns, count, run->values->len };

	run->query_count++;
	run->bytes += count * sizeof(values[0]);
	for (uint32_t i = 0; i < count && i < run->counter_count; i++) {
		struct counter *counter = &run->counters[i];

		counter->zeros += values[i] == 0;
		counter->decreases += counter->queries && values[i] < counter->last;
		counter->queries++;
		counter->last = values[i];
	}
	if (run->queries->len >= COUNTER_SAMPLES_MAX)
		return;
	g_array_append_vals(run->values, values, count);
	g_array_append_val(run->queries, query);
}

static void end_pmc(struct counters *counters, enum counter_op op, const struct call *call,
		    const struct args *entry, const struct record *exit)
{
	uint64_t trace_id = args_number(entry, "TraceId", 0);
	struct counter_run *run = find_run(counters, RUN_PMC, call, trace_id, UINT32_MAX);
	bool ok = values_get(&exit->values, FIELD_STATUS, 1) == 0;

	if (!ok) {
		refuse(counters, call, exit, op == PMC_REGISTER ? NULL : run, RUN_PMC);
		return;
	}
	if (op == PMC_REGISTER) {
		register_run(counters, call, entry, exit);
		return;
	}
	if (!run) { /* registered before the recording */
		run = run_new(counters, call, RUN_PMC);
		run->trace_id = trace_id;
	}
	switch (op) {
	case PMC_ACQUIRE:
		run->acquired_ns = exit->time_ns;
		run->released_ns = 0;
		hold(run, exit->time_ns);
		break;
	case PMC_START:
		run->started_ns = exit->time_ns;
		run->stopped_ns = 0;
		hold(run, exit->time_ns);
		break;
	case PMC_QUERY:
		add_query(run, exit);
		break;
	case PMC_STOP:
		run->stopped_ns = exit->time_ns;
		break;
	case PMC_RELEASE:
		run->released_ns = exit->time_ns;
		let_go(run, exit->time_ns);
		break;
	case PMC_UNREGISTER:
		run->unregistered_ns = exit->time_ns;
		let_go(run, exit->time_ns);
		break;
	default:
		break;
	}
}

/* The call tells how the buffer before it was filled (perf.md 4). */
static void tell_buffer(struct counter_run *run, uint64_t filled_bytes, bool has_loss,
			int64_t time_ns)
{
	struct spm_buffer *buffer = NULL;

	run->bytes += filled_bytes;
	run->losses += has_loss;
	if (run->buffers->len)
		buffer = &g_array_index(run->buffers, struct spm_buffer, run->buffers->len - 1);
	if (!buffer || buffer->told_ns)
		return;
	buffer->told_ns = time_ns;
	buffer->filled_bytes = filled_bytes;
	buffer->has_loss = has_loss;
	buffer->gap_ns = run->last_told_ns ? time_ns - run->last_told_ns : 0;
	run->last_told_ns = time_ns;
	if (filled_bytes == 0)
		run->empty++;
	else if (filled_bytes < buffer->size_bytes)
		run->partial++;
	else
		run->full++;
}

static void set_buffer(struct counter_run *run, const struct call *call, const struct args *entry,
		       const struct record *exit)
{
	const struct args_reader *reader = exit->reader;
	struct spm_buffer buffer = {
		.set_ns = call->entry_ns,
		.size_bytes = args_number(entry, "SizeInBytes", 0),
		.timeout_ms = (uint32_t)args_number(entry, "timeout", 0),
		.remaining_ms = (uint32_t)args_reader_number(reader, "timeout", 0),
	};

	tell_buffer(run, args_reader_number(reader, "SizeCopied", 0),
		    args_reader_number(reader, "isSPMDataLoss", 0) != 0, exit->time_ns);
	if (!args_number(entry, "DestMemoryAddress", 0))
		return; /* the last one is only taken back */
	run->buffer_count++;
	/* What is kept is the beginning: the last one stays, for the next call tells of it. */
	if (run->buffers->len >= COUNTER_SAMPLES_MAX)
		g_array_set_size(run->buffers, run->buffers->len - 1);
	g_array_append_val(run->buffers, buffer);
}

static void end_spm(struct counters *counters, enum counter_op op, const struct call *call,
		    const struct args *entry, const struct record *exit)
{
	uint32_t node_id = (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	struct counter_run *run = find_run(counters, RUN_SPM, call, 0, node_id);
	bool ok = values_get(&exit->values, FIELD_STATUS, 1) == 0;

	if (!ok) {
		refuse(counters, call, exit, op == SPM_ACQUIRE ? NULL : run, RUN_SPM);
		return;
	}
	if (op == SPM_ACQUIRE || !run)
		run = run_new(counters, call, RUN_SPM);
	switch (op) {
	case SPM_ACQUIRE:
		run->begin_ns = run->acquired_ns = run->started_ns = exit->time_ns;
		hold(run, exit->time_ns);
		break;
	case SPM_SET:
		set_buffer(run, call, entry, exit);
		break;
	case SPM_RELEASE:
		run->released_ns = exit->time_ns;
		let_go(run, exit->time_ns);
		break;
	default:
		break;
	}
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct counters *counters = data;
	enum counter_op op = (enum counter_op)op_cache_find(&counters->ops, call->type);
	const struct args *entry;

	(void)time_ns;
	if (op == COUNTER_OP_NONE || call_is_inner(call))
		return;
	entry = g_hash_table_lookup(counters->entries, call->thread);
	if (exit && op < SPM_ACQUIRE)
		end_pmc(counters, op, call, entry, exit);
	else if (exit)
		end_spm(counters, op, call, entry, exit);
	g_hash_table_remove(counters->entries, call->thread);
}

static void state_told(void *data, struct process *process, const struct record *record)
{
	struct counters *counters = data;
	struct counters_process *about;

	if (record->kind != RECORD_SCHEMA)
		return;
	about = g_new0(struct counters_process, 1);
	about->process = process;
	about->has_paranoid =
		args_reader_number(record->reader, "perf_event_paranoid_valid", 0) != 0;
	about->paranoid = (int32_t)args_reader_number(record->reader, "perf_event_paranoid", 0);
	g_hash_table_replace(counters->processes, process, about);
}

struct counters *counters_new(struct model *model)
{
	struct counters *counters = g_new0(struct counters, 1);
	const struct model_observer observer = { .data = counters,
						 .call_began = call_began,
						 .call_ended = call_ended,
						 .state_told = state_told };

	counters->model = model;
	op_cache_init(&counters->ops, known_ops, G_N_ELEMENTS(known_ops));
	counters->runs = g_ptr_array_new_with_free_func(run_free);
	counters->refusals = g_ptr_array_new_with_free_func(g_free);
	counters->overlaps = g_array_new(FALSE, FALSE, sizeof(struct counter_overlap));
	counters->entries = g_hash_table_new_full(NULL, NULL, NULL, free_args);
	counters->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	model_observe(model, &observer);
	return counters;
}

void counters_free(struct counters *counters)
{
	if (!counters)
		return;
	op_cache_fini(&counters->ops);
	g_ptr_array_free(counters->runs, TRUE);
	g_ptr_array_free(counters->refusals, TRUE);
	g_array_free(counters->overlaps, TRUE);
	g_hash_table_destroy(counters->entries);
	g_hash_table_destroy(counters->processes);
	g_free(counters);
}

const GPtrArray *counters_runs(const struct counters *counters)
{
	return counters->runs;
}

const GPtrArray *counters_refusals(const struct counters *counters)
{
	return counters->refusals;
}

static void add_overlap(const struct counters *counters, const struct counter_run *first,
			const struct counter_run *second)
{
	int64_t now = model_end_ns(counters->model);
	int64_t first_end = first->held_to_ns ? first->held_to_ns : now;
	int64_t second_end = second->held_to_ns ? second->held_to_ns : now;
	struct counter_overlap overlap = { first, second,
					   MAX(first->held_from_ns, second->held_from_ns),
					   MIN(first_end, second_end) };

	if (overlap.begin_ns < overlap.end_ns)
		g_array_append_val(counters->overlaps, overlap);
}

const GArray *counters_overlaps(const struct counters *counters)
{
	g_array_set_size(counters->overlaps, 0);
	for (guint i = 0; i < counters->runs->len; i++) {
		const struct counter_run *first = g_ptr_array_index(counters->runs, i);

		for (guint j = i + 1; j < counters->runs->len; j++) {
			const struct counter_run *second = g_ptr_array_index(counters->runs, j);

			if (first->kind == second->kind && first->gpu_id == second->gpu_id &&
			    first->gpu_id && first->held_from_ns && second->held_from_ns &&
			    first->process->hostname == second->process->hostname)
				add_overlap(counters, first, second);
		}
	}
	return counters->overlaps;
}

const struct counters_process *counters_process(const struct counters *counters,
						const struct process *process)
{
	return g_hash_table_lookup(counters->processes, process);
}
