/* SPDX-License-Identifier: MIT */
/* Lives of queues (queues.h). */
#include "queues.h"

#include <string.h>

#include "memory-internal.h"
#include "op_cache.h"
#include "queue_census.h"

enum queue_op {
	QUEUE_OP_NONE,
	QUEUE_OP_CREATE,
	QUEUE_OP_DESTROY,
	QUEUE_OP_UPDATE,
	QUEUE_OP_SMI,
	QUEUE_OP_CLOSE,
	QUEUE_OP_PROPERTIES,
};

static const struct op_name known_ops[] = {
	{ LAYER_API, "hsaKmtCreateQueue", QUEUE_OP_CREATE },
	{ LAYER_API, "hsaKmtCreateQueueExt", QUEUE_OP_CREATE },
	{ LAYER_API, "hsaKmtCreateQueueV2", QUEUE_OP_CREATE },
	{ LAYER_API, "hsaKmtDestroyQueue", QUEUE_OP_DESTROY },
	{ LAYER_API, "hsaKmtUpdateQueue", QUEUE_OP_UPDATE },
	{ LAYER_API, "hsaKmtSetQueueCUMask", QUEUE_OP_UPDATE },
	{ LAYER_API, "hsaKmtOpenSMI", QUEUE_OP_SMI },
	{ LAYER_API, "hsaKmtCloseKFD", QUEUE_OP_CLOSE },
	{ LAYER_API, "hsaKmtGetNodeProperties", QUEUE_OP_PROPERTIES },
	{ LAYER_IOCTL, "CREATE_QUEUE", QUEUE_OP_CREATE },
	{ LAYER_IOCTL, "DESTROY_QUEUE", QUEUE_OP_DESTROY },
	{ LAYER_IOCTL, "UPDATE_QUEUE", QUEUE_OP_UPDATE },
	{ LAYER_IOCTL, "SET_CU_MASK", QUEUE_OP_UPDATE },
};

static const char *const kind_names[QUEUE_KIND_COUNT] = {
	[QUEUE_COMPUTE] = "compute",
	[QUEUE_COPY] = "copy",
	[QUEUE_COPY_XGMI] = "copy between GPUs",
	[QUEUE_OTHER] = "other",
};

struct queue_key {
	const struct process *process;
	uint64_t id;
};

struct queues {
	struct model *model;          /* borrowed */
	struct driver_events *driver; /* owned */
	struct op_cache ops;
	GHashTable *live;       /* struct queue_key (owned) -> struct queue, owned */
	GHashTable *wanted;     /* struct thread (borrowed) -> struct queue, owned: being created */
	GPtrArray *outstanding; /* of struct queue, owned: those left at a close */
	GPtrArray *left;        /* of borrowed struct queue: the result, made when asked for */
	GPtrArray *refused;     /* of struct refused_queue, owned */
	uint64_t refused_count;
	GPtrArray *activity;  /* of struct queue_activity, owned */
	GPtrArray *streams;   /* of struct smi_stream, owned */
	GPtrArray *processes; /* of struct queues_process, owned */
	struct queue_counts counts;
	struct queues_observer observer;
};

const char *queue_kind_name(enum queue_kind kind)
{
	return kind_names[kind];
}

static guint key_hash(gconstpointer data)
{
	const struct queue_key *key = data;

	/* By what is the same in each run: the table is gone through. */
	return key->process->vpid * 31u + key->process->instance + g_int64_hash(&key->id);
}

static gboolean key_equal(gconstpointer left, gconstpointer right)
{
	const struct queue_key *a = left, *b = right;

	return a->process == b->process && a->id == b->id;
}

static void queue_clear(struct queue *queue)
{
	g_free(queue->type);
	g_free(queue->priority);
}

static void queue_free(void *data)
{
	if (!data)
		return;
	queue_clear(data);
	g_free(data);
}

static void refused_free(void *data)
{
	struct refused_queue *refused = data;

	queue_clear(&refused->queue);
	g_free(refused);
}

static struct queues_process *process_of(struct queues *queues, struct process *process)
{
	struct queues_process *about;

	for (guint i = queues->processes->len; i > 0; i--) {
		about = g_ptr_array_index(queues->processes, i - 1);
		if (about->process == process)
			return about;
	}
	about = g_new0(struct queues_process, 1);
	about->process = process;
	g_ptr_array_add(queues->processes, about);
	return about;
}

/* HSA_QUEUE_TYPE of the library, or the driver's own numbers (queues.md 2). */
static enum queue_kind kind_of(uint64_t type, bool is_api)
{
	if (!is_api)
		return type == 0 || type == 2   ? QUEUE_COMPUTE
		       : type == 3              ? QUEUE_COPY_XGMI
		       : type == 1 || type == 4 ? QUEUE_COPY
						: QUEUE_OTHER;
	switch (type) {
	case 1:
	case 11:
	case 21:
		return QUEUE_COMPUTE;
	case 2:
	case 6:
	case 12:
	case 22:
		return QUEUE_COPY;
	case 5:
	case 23:
		return QUEUE_COPY_XGMI;
	default:
		return QUEUE_OTHER;
	}
}

static char *arg_text(const struct args *args, const char *name)
{
	const struct arg *arg = args_find(args, name);

	if (!arg)
		return NULL;
	return arg->text ? g_strdup(arg->text)
			 : g_strdup_printf("%" G_GINT64_FORMAT, (int64_t)arg->number);
}

/* What a creation asks for. */
static struct queue *wanted_queue(const struct call *call, const struct record *entry)
{
	struct queue *queue = g_new0(struct queue, 1);
	bool is_api = call->type->layer == LAYER_API;
	struct args *args = args_reader_all(entry->reader);
	const struct node *node;

	queue->process = call->thread->process;
	queue->call = call->type;
	queue->stack = call->stack;
	queue->type = arg_text(args, is_api ? "Type" : "queue_type");
	queue->priority = arg_text(args, is_api ? "Priority" : "queue_priority");
	queue->kind = kind_of(is_api ? values_get(&call->values, FIELD_QUEUE_TYPE, 0)
				     : args_number(args, "queue_type", 0),
			      is_api);
	queue->ring_va = args_number(args, is_api ? "QueueAddress" : "ring_base_address", 0);
	queue->ring_bytes = is_api ? values_get(&call->values, FIELD_SIZE, 0)
				   : args_number(args, "ring_size", 0);
	queue->percentage = args_number(args, is_api ? "QueuePercentage" : "queue_percentage", 0);
	queue->node_id = (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	queue->gpu_id = (uint32_t)values_get(&call->values, FIELD_GPU, 0);
	node = is_api ? process_node(queue->process, queue->node_id)
		      : process_node_of_gpu(queue->process, queue->gpu_id);
	if (node) {
		queue->node_id = node->node_id;
		queue->gpu_id = node->gpu_id;
	}
	args_free(args);
	return queue;
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct queues *queues = data;
	struct queue *wanted;

	if ((enum queue_op)op_cache_find(&queues->ops, call->type) != QUEUE_OP_CREATE)
		return;
	if (!call_is_inner(call))
		g_hash_table_replace(queues->wanted, call->thread, wanted_queue(call, entry));
	wanted = g_hash_table_lookup(queues->wanted, call->thread);
	if (wanted && call->type->layer == LAYER_IOCTL)
		queue_memory_take(&wanted->memory, entry);
}

static uint64_t live_on_node(const struct queues *queues, const struct queue *wanted)
{
	GHashTableIter iter;
	void *value;
	uint64_t count = 0;

	g_hash_table_iter_init(&iter, queues->live);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct queue *queue = value;

		count += queue->process == wanted->process && queue->node_id == wanted->node_id;
	}
	return count;
}

static bool counts(const struct queues *queues, int64_t time_ns)
{
	return scope_counts(model_scope(queues->model), time_ns);
}

static void tell_changed(const struct queues *queues, const struct queue *queue, int64_t time_ns,
			 bool began)
{
	if (queues->observer.queue_changed)
		queues->observer.queue_changed(queues->observer.data, queue, time_ns, began);
}

/* Takes the queue over. */
static void begin_queue(struct queues *queues, struct queue *queue, int64_t time_ns)
{
	struct queue_key *key = g_new(struct queue_key, 1);
	const struct queue *before;

	*key = (struct queue_key){ queue->process, queue->id };
	before = g_hash_table_lookup(queues->live, key);
	queue_counts_pass(&queues->counts, queues->live, time_ns);
	if (before) { /* its end was lost, or has only not reported back yet */
		queue_counts_remove(&queues->counts, before, time_ns);
		tell_changed(queues, before, time_ns, false);
	}
	queue->created_ns = queue->call ? time_ns : 0;
	queue->internal_bytes = queue_memory_count(&queue->memory, queue->process, queue->id);
	/* It may have been sampled while the library had not returned it yet. */
	if (queue->activity && queue->activity->queues == 1) {
		queue->activity->queue_id = queue->id;
		queue->activity->created_ns = queue->created_ns;
	}
	g_hash_table_replace(queues->live, key, queue);
	queue_counts_add(&queues->counts, queue, queues->live, time_ns);
	tell_changed(queues, queue, time_ns, true);
}

static void refuse_queue(struct queues *queues, struct queue *wanted, const struct call *call,
			 const struct record *exit)
{
	struct refused_queue *refused;
	struct queues_process *about = process_of(queues, wanted->process);
	bool counted = counts(queues, call->entry_ns);

	about->refused += counted;
	queues->refused_count += counted;
	if (!counted || queues->refused_count > QUEUES_REFUSED_MAX) {
		queue_free(wanted);
		return;
	}
	refused = g_new0(struct refused_queue, 1);
	refused->queue = *wanted;
	refused->time_ns = call->entry_ns;
	refused->status = call->type->layer == LAYER_API
				  ? (uint32_t)values_get(&exit->values, FIELD_STATUS, 1)
				  : 0;
	refused->os_errno = call->inner_errno ? call->inner_errno
					      : (uint32_t)values_get(&exit->values, FIELD_ERRNO, 0);
	refused->live_queues = live_on_node(queues, wanted);
	g_ptr_array_add(queues->refused, refused);
	g_free(wanted);
}

static bool has_succeeded(const struct call *call, const struct record *exit)
{
	if (call->type->layer == LAYER_API)
		return values_get(&exit->values, FIELD_STATUS, 1) == 0;
	return (int64_t)values_get(&exit->values, FIELD_RET, 0) >= 0;
}

static void end_create(struct queues *queues, const struct call *call, const struct record *exit)
{
	void *value;
	struct queue *queue;

	if (!g_hash_table_steal_extended(queues->wanted, call->thread, NULL, &value))
		return;
	queue = value;
	if (!exit) {
		queue_free(queue);
		return;
	}
	if (!has_succeeded(call, exit)) {
		refuse_queue(queues, queue, call, exit);
		return;
	}
	queue->id = call->type->layer == LAYER_API
			    ? values_get(&exit->values, FIELD_QUEUE, 0)
			    : args_reader_number(exit->reader, "queue_id", 0);
	process_of(queues, queue->process)->created += counts(queues, exit->time_ns);
	begin_queue(queues, queue, exit->time_ns);
}

static struct queue *find_queue(const struct queues *queues, const struct process *process,
				uint64_t id)
{
	const struct queue_key key = { process, id };

	return g_hash_table_lookup(queues->live, &key);
}

static uint64_t queue_id(const struct call *call)
{
	return values_get(&call->values, FIELD_QUEUE, 0);
}

static void end_destroy(struct queues *queues, const struct call *call, int64_t time_ns)
{
	struct process *process = call->thread->process;
	const struct queue_key key = { process, queue_id(call) };
	struct queue *queue = find_queue(queues, process, key.id);

	process_of(queues, process)->destroyed += counts(queues, time_ns);
	/* A newer one has got the number that this call gave back, before its exit was recorded. */
	if (!queue || queue->created_ns > call->entry_ns)
		return;
	queue_counts_pass(&queues->counts, queues->live, time_ns);
	queue_counts_remove(&queues->counts, queue, time_ns);
	tell_changed(queues, queue, time_ns, false);
	g_hash_table_remove(queues->live, &key);
}

/* The driver has taken back what the process had not destroyed. */
static void end_process(struct queues *queues, struct process *process, int64_t time_ns)
{
	GList *living = g_hash_table_get_values(queues->live);

	queue_counts_pass(&queues->counts, queues->live, time_ns);
	for (GList *link = living; link; link = link->next) {
		struct queue *queue = link->data;
		const struct queue_key key = { process, queue->id };
		void *stored, *value;

		if (queue->process != process ||
		    !g_hash_table_steal_extended(queues->live, &key, &stored, &value))
			continue;
		g_free(stored);
		queue->at_close = true;
		process_of(queues, process)->at_close += counts(queues, time_ns);
		queue_counts_remove(&queues->counts, queue, time_ns);
		tell_changed(queues, queue, time_ns, false);
		g_ptr_array_add(queues->outstanding, value);
	}
	g_list_free(living);
}

static void end_smi(struct queues *queues, const struct call *call, const struct record *exit)
{
	struct smi_stream *stream = g_new0(struct smi_stream, 1);

	stream->process = call->thread->process;
	stream->time_ns = exit->time_ns;
	stream->node_id = (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	stream->status = (uint32_t)values_get(&exit->values, FIELD_STATUS, 1);
	stream->fd = (int32_t)args_reader_number(exit->reader, "fd", (uint64_t)-1);
	stream->stack = call->stack;
	g_ptr_array_add(queues->streams, stream);
}

static void set_limits(struct queues *queues, const struct process *process, uint32_t gpu_id,
		       uint64_t compute, uint64_t copy, uint64_t xgmi)
{
	const struct queue_limits limits = {
		.hostname = process->hostname,
		.gpu_id = gpu_id,
		.slots = { [QUEUE_COMPUTE] = compute,
			   [QUEUE_COPY] = copy,
			   [QUEUE_COPY_XGMI] = xgmi },
	};

	if (gpu_id && (compute || copy || xgmi))
		queue_counts_limit(&queues->counts, &limits);
}

static void end_properties(struct queues *queues, const struct call *call,
			   const struct record *exit)
{
	const struct args_reader *reader = exit->reader;
	uint64_t each = args_reader_number(reader, "NodeProperties_NumSdmaQueuesPerEngine", 0);
	const struct node *node = process_node(
		call->thread->process, (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX));
	uint32_t gpu_id = node ? node->gpu_id : (uint32_t)values_get(&call->values, FIELD_GPU, 0);

	set_limits(queues, call->thread->process, gpu_id,
		   args_reader_number(reader, "NodeProperties_NumCpQueues", 0),
		   each * args_reader_number(reader, "NodeProperties_NumSdmaEngines", 0),
		   each * args_reader_number(reader, "NodeProperties_NumSdmaXgmiEngines", 0));
}

/* The driver's answer, to this call or to the API call around it. */
static void note_kernel_id(struct queues *queues, const struct call *call,
			   const struct record *exit)
{
	struct queue *wanted = g_hash_table_lookup(queues->wanted, call->thread);

	if (!wanted || !exit || !has_succeeded(call, exit))
		return;
	wanted->kernel_id = (uint32_t)args_reader_number(exit->reader, "queue_id", 0);
	wanted->has_kernel_id = true;
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct queues *queues = data;
	enum queue_op op = (enum queue_op)op_cache_find(&queues->ops, call->type);
	struct queue *queue;

	if (op == QUEUE_OP_CREATE && call->type->layer == LAYER_IOCTL)
		note_kernel_id(queues, call, exit);
	if (op == QUEUE_OP_NONE || call_is_inner(call))
		return;
	if (op == QUEUE_OP_CREATE) {
		end_create(queues, call, exit);
		return;
	}
	if (!exit)
		return;
	if (op == QUEUE_OP_SMI) {
		end_smi(queues, call, exit);
		return;
	}
	if (!has_succeeded(call, exit))
		return;
	switch (op) {
	case QUEUE_OP_DESTROY:
		end_destroy(queues, call, time_ns);
		break;
	case QUEUE_OP_UPDATE:
		queue = find_queue(queues, call->thread->process, queue_id(call));
		if (queue) {
			queue->updates++;
			queue->updated_ns = time_ns;
		}
		break;
	case QUEUE_OP_CLOSE:
		if (call->thread->process->closed_ns == time_ns)
			end_process(queues, call->thread->process, time_ns);
		break;
	case QUEUE_OP_PROPERTIES:
		end_properties(queues, call, exit);
		break;
	case QUEUE_OP_CREATE:
	case QUEUE_OP_SMI:
	case QUEUE_OP_NONE:
		break;
	}
}

static void dump_queue(struct queues *queues, struct process *process, const struct record *record)
{
	const struct values *values = &record->values;
	uint64_t id = values_get(values, FIELD_QUEUE, 0);
	struct args *args;
	struct queue *queue;

	if (find_queue(queues, process, id))
		return;
	args = args_reader_all(record->reader);
	queue = g_new0(struct queue, 1);
	queue->process = process;
	queue->id = id;
	queue->kind = kind_of(values_get(values, FIELD_QUEUE_TYPE, 0), true);
	queue->node_id = (uint32_t)values_get(values, FIELD_NODE, UINT32_MAX);
	queue->gpu_id = (uint32_t)values_get(values, FIELD_GPU, 0);
	queue->ring_va = args_number(args, "ring_va", 0);
	queue->kernel_id = (uint32_t)args_number(args, "kernel_queue_id", 0);
	queue->has_kernel_id = args_find(args, "kernel_queue_id") != NULL;
	queue->ring_bytes = values_get(values, FIELD_SIZE, 0);
	queue->type = arg_text(args, "type");
	queue->priority = arg_text(args, "priority");
	queue->percentage = args_number(args, "percentage", 0);
	args_free(args);
	(void)process_of(queues, process);
	begin_queue(queues, queue, record->time_ns);
}

/*
 * The queue that a sample is of. Its ring is where it was made, unless it was given another one; two
 * contexts of a process may have queues of one number.
 */
static struct queue *sampled_queue(const struct queues *queues, const struct process *process,
				   const struct queue_sample *sample)
{
	struct queue *by_id = NULL;
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, queues->live);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct queue *queue = value;

		if (queue->process != process)
			continue;
		if (queue->ring_va && queue->ring_va == sample->ring_va)
			return queue;
		if (queue->has_kernel_id && queue->kernel_id == sample->kernel_id)
			by_id = queue;
	}
	/* The driver may have made it while the library has not returned yet. */
	g_hash_table_iter_init(&iter, queues->wanted);
	while (!by_id && g_hash_table_iter_next(&iter, NULL, &value)) {
		struct queue *queue = value;

		if (queue->process == process && queue->has_kernel_id &&
		    queue->kernel_id == sample->kernel_id)
			by_id = queue;
	}
	return by_id;
}

static void take_sample(struct queues *queues, struct process *process, const struct record *record)
{
	const struct queue_sample sample = queue_sample_of(record->reader);
	struct queue *queue = sampled_queue(queues, process, &sample);
	struct queue_activity *row = queue ? queue->activity : NULL;

	if (!counts(queues, record->time_ns))
		return;
	if (!row)
		row = queue_activity_row(queues->activity, process, queue, &sample);
	if (queue)
		queue->activity = row;
	queue_activity_add(row, &sample, record->time_ns);
	if (queues->observer.queue_sampled)
		queues->observer.queue_sampled(queues->observer.data, row, &sample,
					       record->time_ns);
}

static void state_told(void *data, struct process *process, const struct record *record)
{
	struct queues *queues = data;
	uint64_t each = args_reader_number(record->reader, "sdma_queues_per_engine", 0);

	if (record->kind == RECORD_DUMP_QUEUE)
		dump_queue(queues, process, record);
	if (record->kind == RECORD_QUEUE_SAMPLE)
		take_sample(queues, process, record);
	if (record->kind == RECORD_DUMP_NODE)
		set_limits(queues, process, (uint32_t)values_get(&record->values, FIELD_GPU, 0),
			   args_reader_number(record->reader, "cp_queues", 0),
			   each * args_reader_number(record->reader, "sdma_engines", 0),
			   each * args_reader_number(record->reader, "sdma_xgmi_engines", 0));
}

struct queues *queues_new(struct model *model)
{
	struct queues *queues = g_new0(struct queues, 1);
	const struct model_observer observer = { .data = queues,
						 .call_began = call_began,
						 .call_ended = call_ended,
						 .state_told = state_told };

	queues->model = model;
	queues->driver = driver_events_new(model);
	op_cache_init(&queues->ops, known_ops, G_N_ELEMENTS(known_ops));
	queues->live = g_hash_table_new_full(key_hash, key_equal, g_free, queue_free);
	queues->wanted = g_hash_table_new_full(NULL, NULL, NULL, queue_free);
	queues->outstanding = g_ptr_array_new_with_free_func(queue_free);
	queues->left = g_ptr_array_new();
	queues->refused = g_ptr_array_new_with_free_func(refused_free);
	queues->activity = g_ptr_array_new_with_free_func(queue_activity_free);
	queues->streams = g_ptr_array_new_with_free_func(g_free);
	queues->processes = g_ptr_array_new_with_free_func(g_free);
	queue_counts_init(&queues->counts, model_scope(model));
	model_observe(model, &observer);
	return queues;
}

void queues_observe(struct queues *queues, const struct queues_observer *observer)
{
	queues->observer = *observer;
}

void queues_free(struct queues *queues)
{
	if (!queues)
		return;
	driver_events_free(queues->driver);
	op_cache_fini(&queues->ops);
	g_hash_table_destroy(queues->live);
	g_hash_table_destroy(queues->wanted);
	g_ptr_array_free(queues->outstanding, TRUE);
	g_ptr_array_free(queues->left, TRUE);
	g_ptr_array_free(queues->refused, TRUE);
	g_ptr_array_free(queues->activity, TRUE);
	g_ptr_array_free(queues->streams, TRUE);
	g_ptr_array_free(queues->processes, TRUE);
	queue_counts_fini(&queues->counts);
	g_free(queues);
}

const GPtrArray *queues_census(const struct queues *queues)
{
	struct queue_counts counts = queues->counts;

	queue_counts_finish(&counts, queues->live, model_end_ns(queues->model));
	return counts.list;
}

static int compare_queues(const void *left, const void *right)
{
	const struct queue *a = *(struct queue *const *)left, *b = *(struct queue *const *)right;

	if (a->created_ns != b->created_ns)
		return a->created_ns < b->created_ns ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

const GPtrArray *queues_outstanding(const struct queues *queues)
{
	GHashTableIter iter;
	void *value;

	g_ptr_array_set_size(queues->left, 0);
	g_ptr_array_extend(queues->left, queues->outstanding, NULL, NULL);
	g_hash_table_iter_init(&iter, queues->live);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_ptr_array_add(queues->left, value);
	g_ptr_array_sort(queues->left, compare_queues);
	return queues->left;
}

const GPtrArray *queues_refused(const struct queues *queues)
{
	return queues->refused;
}

uint64_t queues_refused_count(const struct queues *queues)
{
	return queues->refused_count;
}

struct driver_events *queues_driver(const struct queues *queues)
{
	return queues->driver;
}

const GPtrArray *queues_activity(const struct queues *queues)
{
	queue_activity_sort(queues->activity);
	return queues->activity;
}

const GPtrArray *queues_streams(const struct queues *queues)
{
	return queues->streams;
}

const GPtrArray *queues_processes(const struct queues *queues)
{
	return queues->processes;
}
