/* SPDX-License-Identifier: MIT */
/* Readings of clocks (clocks.h). */
#include "clocks.h"

#include "op_cache.h"

enum clock_op {
	CLOCK_OP_NONE,
	CLOCK_OP_READ,
	CLOCK_OP_IOCTL,
};

static const struct op_name known_ops[] = {
	{ LAYER_API, "hsaKmtGetClockCounters", CLOCK_OP_READ },
	{ LAYER_API, "hsaKmtGetClockCountersPrecise", CLOCK_OP_READ },
	{ LAYER_IOCTL, "GET_CLOCK_COUNTERS", CLOCK_OP_IOCTL },
};

struct clocks {
	struct model *model; /* borrowed */
	struct op_cache ops;
	GPtrArray *nodes; /* of struct node_clocks, owned */
};

static void node_free(void *data)
{
	struct node_clocks *node = data;

	g_array_free(node->samples, TRUE);
	g_array_free(node->jumps, TRUE);
	g_array_free(node->backs, TRUE);
	g_free(node);
}

static struct node_clocks *node_of(struct clocks *clocks, struct process *process, uint32_t node_id)
{
	struct node_clocks *node;

	for (guint i = 0; i < clocks->nodes->len; i++) {
		node = g_ptr_array_index(clocks->nodes, i);
		if (node->process == process && node->node_id == node_id)
			return node;
	}
	node = g_new0(struct node_clocks, 1);
	node->process = process;
	node->node_id = node_id;
	node->samples = g_array_new(FALSE, FALSE, sizeof(struct clock_sample));
	node->jumps = g_array_new(FALSE, FALSE, sizeof(struct clock_jump));
	node->backs = g_array_new(FALSE, FALSE, sizeof(struct clock_back));
	g_ptr_array_add(clocks->nodes, node);
	return node;
}

static uint32_t node_id_of(const struct call *call, bool is_api)
{
	const struct node *node;

	if (is_api)
		return (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	node = process_node_of_gpu(call->thread->process,
				   (uint32_t)values_get(&call->values, FIELD_GPU, 0));
	return node ? node->node_id : UINT32_MAX;
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct clocks *clocks = data;
	enum clock_op op = (enum clock_op)op_cache_find(&clocks->ops, call->type);
	bool is_api = op == CLOCK_OP_READ;
	struct clock_sample sample = { .entry_ns = call->entry_ns, .exit_ns = time_ns };
	const struct args_reader *reader;
	struct node_clocks *node;

	if (op == CLOCK_OP_NONE || !exit || call_is_inner(call) ||
	    values_get(&exit->values, is_api ? FIELD_STATUS : FIELD_RET, 1) != 0)
		return;
	reader = exit->reader;
	sample.gpu = args_reader_number(
		reader, is_api ? "Counters_GPUClockCounter" : "gpu_clock_counter", 0);
	sample.cpu = args_reader_number(
		reader, is_api ? "Counters_CPUClockCounter" : "cpu_clock_counter", 0);
	sample.system = args_reader_number(
		reader, is_api ? "Counters_SystemClockCounter" : "system_clock_counter", 0);
	sample.frequency_hz = args_reader_number(
		reader, is_api ? "Counters_SystemClockFrequencyHz" : "system_clock_freq", 0);
	node = node_of(clocks, call->thread->process, node_id_of(call, is_api));
	if (node->samples->len < CLOCK_SAMPLES_MAX)
		g_array_append_val(node->samples, sample);
	else
		node->more++;
}

struct clocks *clocks_new(struct model *model)
{
	struct clocks *clocks = g_new0(struct clocks, 1);
	const struct model_observer observer = { .data = clocks, .call_ended = call_ended };

	clocks->model = model;
	op_cache_init(&clocks->ops, known_ops, G_N_ELEMENTS(known_ops));
	clocks->nodes = g_ptr_array_new_with_free_func(node_free);
	model_observe(model, &observer);
	return clocks;
}

void clocks_free(struct clocks *clocks)
{
	if (!clocks)
		return;
	op_cache_fini(&clocks->ops);
	g_ptr_array_free(clocks->nodes, TRUE);
	g_free(clocks);
}

static const struct clock_sample *sample_at(const struct node_clocks *node, guint index)
{
	return &g_array_index(node->samples, struct clock_sample, index);
}

static void check_back(struct node_clocks *node, guint index, const char *name, uint64_t before,
		       uint64_t after)
{
	const struct clock_back back = { index, name, before - after };

	if (after < before)
		g_array_append_val(node->backs, back);
}

/* The system counter runs in its own frequency; the CPU's counts nanoseconds (kfd.md 3). */
static int64_t system_ns(const struct clock_sample *sample, uint64_t ticks)
{
	if (!sample->frequency_hz || sample->frequency_hz == 1000000000)
		return (int64_t)ticks;
	return (int64_t)((double)ticks * 1e9 / (double)sample->frequency_hz);
}

static void compare_neighbours(struct node_clocks *node)
{
	for (guint i = 1; i < node->samples->len; i++) {
		const struct clock_sample *before = sample_at(node, i - 1);
		const struct clock_sample *after = sample_at(node, i);
		struct clock_jump jump = { .sample = i };

		check_back(node, i, "GPU", before->gpu, after->gpu);
		check_back(node, i, "CPU", before->cpu, after->cpu);
		check_back(node, i, "system", before->system, after->system);
		jump.jump_ns = system_ns(after, after->system - before->system) -
			       (int64_t)(after->cpu - before->cpu);
		if (after->system >= before->system && after->cpu >= before->cpu &&
		    (jump.jump_ns > CLOCK_JUMP_NS || jump.jump_ns < -CLOCK_JUMP_NS))
			g_array_append_val(node->jumps, jump);
	}
}

/* A straight line from the first to the last reading turns GPU time into the CPU's. */
static void fit_gpu(struct node_clocks *node)
{
	const struct clock_sample *first, *last;
	double gpu_span, cpu_span;

	if (node->samples->len < 2)
		return;
	first = sample_at(node, 0);
	last = sample_at(node, node->samples->len - 1);
	if (last->gpu <= first->gpu || last->cpu <= first->cpu)
		return;
	gpu_span = (double)(last->gpu - first->gpu);
	cpu_span = (double)(last->cpu - first->cpu);
	node->gpu_hz = gpu_span * 1e9 / cpu_span;
	for (guint i = 0; i < node->samples->len; i++) {
		const struct clock_sample *sample = sample_at(node, i);
		double gpu = (double)(int64_t)(sample->gpu - first->gpu);
		double cpu = (double)(int64_t)(sample->cpu - first->cpu);
		int64_t error_ns = (int64_t)(gpu * cpu_span / gpu_span - cpu);

		node->conversion_error_ns = MAX(node->conversion_error_ns, ABS(error_ns));
	}
}

const GPtrArray *clocks_nodes(const struct clocks *clocks)
{
	for (guint i = 0; i < clocks->nodes->len; i++) {
		struct node_clocks *node = g_ptr_array_index(clocks->nodes, i);

		g_array_set_size(node->jumps, 0);
		g_array_set_size(node->backs, 0);
		node->gpu_hz = 0;
		node->conversion_error_ns = 0;
		compare_neighbours(node);
		fit_gpu(node);
	}
	return clocks->nodes;
}
