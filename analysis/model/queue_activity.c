/* SPDX-License-Identifier: MIT */
/* Sums of samples (queue_activity.h). */
#include "queues.h"

static struct packet_sums read_packets(const struct args_reader *reader)
{
	struct packet_sums sums = {
		.kernel_dispatches = args_reader_number(reader, "kernel_dispatches", 0),
		.barriers_and = args_reader_number(reader, "barriers_and", 0),
		.barriers_or = args_reader_number(reader, "barriers_or", 0),
		.agent_dispatches = args_reader_number(reader, "agent_dispatches", 0),
		.vendor_packets = args_reader_number(reader, "vendor_packets", 0),
		.unseen = args_reader_number(reader, "unseen_packets", 0),
	};

	sums.barriers = sums.barriers_and + sums.barriers_or +
			args_reader_number(reader, "barriers_other", 0);
	sums.submitted = sums.kernel_dispatches + sums.barriers + sums.agent_dispatches +
			 sums.vendor_packets + sums.unseen;
	return sums;
}

struct queue_sample queue_sample_of(const struct args_reader *reader)
{
	return (struct queue_sample){
		.kernel_id = (uint32_t)args_reader_number(reader, "queue_id", 0),
		.gpu_id = (uint32_t)args_reader_number(reader, "gpu_id", 0),
		.ring_va = args_reader_number(reader, "ring_va", 0),
		.ring_bytes = args_reader_number(reader, "ring_size_bytes", 0),
		.is_readable = args_reader_number(reader, "indices_valid", 0) != 0,
		.os_errno = (uint32_t)args_reader_number(reader, "os_errno", 0),
		.read_index = args_reader_number(reader, "read_index", 0),
		.write_index = args_reader_number(reader, "write_index", 0),
		.pending = args_reader_number(reader, "pending", 0),
		.looks = args_reader_number(reader, "looks", 0),
		.busy_looks = args_reader_number(reader, "busy_looks", 0),
		.is_last = args_reader_number(reader, "is_last", 0) != 0,
		.has_packets = args_reader_number(reader, "packets_valid", 0) != 0,
		.packets = read_packets(reader),
	};
}

void queue_activity_add(struct queue_activity *activity, const struct queue_sample *sample,
			int64_t time_ns)
{
	const struct packet_sums *from = &sample->packets;
	struct packet_sums *to = &activity->packets;

	activity->looks += sample->looks;
	activity->busy_looks += sample->busy_looks;
	if (!sample->is_readable) {
		activity->unreadable++;
		activity->os_errno = sample->os_errno;
	}
	if (sample->pending > activity->peak_pending) {
		activity->peak_pending = sample->pending;
		activity->peak_ns = time_ns;
	}
	activity->has_packets |= sample->has_packets;
	to->submitted += from->submitted;
	to->kernel_dispatches += from->kernel_dispatches;
	to->barriers += from->barriers;
	to->barriers_and += from->barriers_and;
	to->barriers_or += from->barriers_or;
	to->agent_dispatches += from->agent_dispatches;
	to->vendor_packets += from->vendor_packets;
	to->unseen += from->unseen;
}

void queue_activity_free(void *data)
{
	struct queue_activity *activity = data;

	if (!activity)
		return;
	g_free(activity->type);
	g_free(activity);
}

/* The row that further queues of the process share. */
static struct queue_activity *shared_row(const GPtrArray *rows, const struct process *process)
{
	for (guint i = rows->len; i > QUEUE_ACTIVITY_MAX; i--) {
		struct queue_activity *row = g_ptr_array_index(rows, i - 1);

		if (row->process == process)
			return row;
	}
	return NULL;
}

/* The row of a queue that was not seen being made. */
static struct queue_activity *known_row(const GPtrArray *rows, const struct process *process,
					const struct queue_sample *sample)
{
	for (guint i = rows->len; i > 0; i--) {
		struct queue_activity *row = g_ptr_array_index(rows, i - 1);

		if (row->process == process && !row->kind && row->queue_id == sample->kernel_id)
			return row;
	}
	return NULL;
}

struct queue_activity *queue_activity_row(GPtrArray *rows, struct process *process,
					  const struct queue *queue,
					  const struct queue_sample *sample)
{
	struct queue_activity *row = queue ? NULL : known_row(rows, process, sample);

	if (row)
		return row;
	row = rows->len >= QUEUE_ACTIVITY_MAX ? shared_row(rows, process) : NULL;
	if (row) {
		row->queues++;
		return row;
	}
	row = g_new0(struct queue_activity, 1);
	row->process = process;
	row->queues = 1;
	row->gpu_id = sample->gpu_id;
	row->queue_id = queue ? queue->id : sample->kernel_id;
	row->node_id = queue ? queue->node_id : UINT32_MAX;
	if (queue) {
		row->kind = queue_kind_name(queue->kind);
		row->type = g_strdup(queue->type);
		row->stack = queue->stack;
		row->created_ns = queue->created_ns;
	}
	g_ptr_array_add(rows, row);
	return row;
}

static int compare_rows(const void *left, const void *right)
{
	const struct queue_activity *a = *(struct queue_activity *const *)left;
	const struct queue_activity *b = *(struct queue_activity *const *)right;

	if (a->created_ns != b->created_ns)
		return a->created_ns < b->created_ns ? -1 : 1;
	return a->queue_id < b->queue_id ? -1 : a->queue_id > b->queue_id;
}

void queue_activity_sort(GPtrArray *rows)
{
	g_ptr_array_sort(rows, compare_rows);
}
