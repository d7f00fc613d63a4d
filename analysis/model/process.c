/* SPDX-License-Identifier: MIT */
/* Processes, threads and their stacks of open calls (process.h). */
#include "process.h"

#include <string.h>

#include "memory.h"
#include "requests.h"

/* Most calls hold nothing. */
static void call_clear(struct call *call)
{
	if (call->id_count > CALL_IDS_FEW)
		g_free(call->ids.many);
	if (call->bos)
		g_ptr_array_free(call->bos, TRUE);
	if (call->target)
		block_put(call->target);
	if (call->bo_target)
		bo_put(call->bo_target);
	if (call->request)
		request_put(call->request);
}

static void thread_free(void *data)
{
	struct thread *thread = data;

	if (!thread)
		return;
	for (guint i = 0; i < thread->calls->len; i++)
		call_clear(&g_array_index(thread->calls, struct call, i));
	g_array_free(thread->calls, TRUE);
	g_free(thread->name);
	g_free(thread);
}

static void node_free(void *data)
{
	struct node *node = data;

	if (!node)
		return;
	g_free(node->name);
	g_free(node);
}

void process_set_name(struct process *process, const char *name)
{
	if (process->has_name || !name)
		return;
	/*
	 * LTTng's own threads add this to the name, and ours have names of their own; the program's
	 * threads tell the real one.
	 */
	process->has_name = !g_str_has_suffix(name, "-ust") && !g_str_has_prefix(name, "kfdscope-");
	g_free(process->name);
	process->name =
		g_str_has_suffix(name, "-ust") ? g_strndup(name, strlen(name) - 4) : g_strdup(name);
}

struct process *process_new(struct model *model, const struct record *record,
			    const struct process *before)
{
	struct process *process = g_new0(struct process, 1);

	process->model = model;
	process->hostname = record->hostname;
	process->recording = record->recording;
	process->vpid = record->vpid;
	process_set_name(process, record->procname);
	process->first_ns = process->last_ns = record->time_ns;
	process->end_code = -1;
	process->open_count = -1;
	process->threads = g_hash_table_new_full(NULL, NULL, NULL, thread_free);
	process->nodes = g_ptr_array_new_with_free_func(node_free);
	process->unfinished = g_array_new(FALSE, TRUE, sizeof(struct unfinished));
	modules_init(&process->modules);
	stacks_init(&process->stacks);
	process->stacks.process = process;
	process->memory = memory_new(process);
	process->requests = requests_new();
	if (before) {
		process->instance = before->instance + 1;
		modules_copy_current(&process->modules, &before->modules);
	}
	return process;
}

void process_free(struct process *process)
{
	if (!process)
		return;
	g_hash_table_destroy(process->threads);
	memory_free(process->memory);
	requests_free(process->requests);
	if (process->defined_stacks)
		g_hash_table_destroy(process->defined_stacks);
	stacks_fini(&process->stacks);
	modules_fini(&process->modules);
	g_ptr_array_free(process->nodes, TRUE);
	g_array_free(process->unfinished, TRUE);
	g_free(process->name);
	g_free(process->command);
	g_free(process);
}

struct thread *process_thread(struct process *process, const struct record *record)
{
	struct thread *thread = process->last_thread;

	if (thread && thread->vtid == record->vtid)
		return thread;
	process_set_name(process, record->procname);
	thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(record->vtid));
	if (!thread) {
		thread = g_new0(struct thread, 1);
		thread->process = process;
		thread->vtid = record->vtid;
		thread->name = g_strdup(record->procname);
		thread->calls = g_array_new(FALSE, FALSE, sizeof(struct call));
		g_hash_table_insert(process->threads, GUINT_TO_POINTER(record->vtid), thread);
	}
	process->last_thread = thread;
	return thread;
}

void process_set_node(struct process *process, uint32_t node_id, uint32_t gpu_id, const char *name)
{
	struct node *node = NULL;

	for (guint i = 0; i < process->nodes->len; i++) {
		struct node *other = g_ptr_array_index(process->nodes, i);

		if (other->node_id == node_id)
			node = other;
	}
	if (!node) {
		node = g_new0(struct node, 1);
		node->node_id = node_id;
		g_ptr_array_add(process->nodes, node);
	}
	if (gpu_id)
		node->gpu_id = gpu_id;
	if (name && *name && !node->name)
		node->name = g_strdup(name);
}

const struct node *process_node(const struct process *process, uint32_t node_id)
{
	for (guint i = 0; i < process->nodes->len; i++) {
		const struct node *node = g_ptr_array_index(process->nodes, i);

		if (node->node_id == node_id)
			return node;
	}
	return NULL;
}

const struct node *process_node_of_gpu(const struct process *process, uint32_t gpu_id)
{
	for (guint i = 0; gpu_id && i < process->nodes->len; i++) {
		const struct node *node = g_ptr_array_index(process->nodes, i);

		if (node->gpu_id == gpu_id)
			return node;
	}
	return NULL;
}

static const struct stack *given_stack(struct process *process, const struct record *record)
{
	return stacks_intern(&process->stacks, record->stack, record->stack_depth,
			     process->modules.epoch,
			     values_get(&record->values, FIELD_TRUNCATED, 0) != 0);
}

const struct stack *process_stack(struct process *process, const struct record *record)
{
	const uint64_t id = values_get(&record->values, FIELD_STACK_ID, 0);
	const struct stack *stack = NULL;

	if (record->stack_depth || !id)
		return given_stack(process, record);
	if (process->defined_stacks)
		stack = g_hash_table_lookup(process->defined_stacks, GSIZE_TO_POINTER(id));
	process->unknown_stacks += !stack;
	return stack;
}

void process_define_stack(struct process *process, const struct record *record)
{
	const uint64_t id = values_get(&record->values, FIELD_STACK_ID, 0);

	if (!id)
		return;
	if (!process->defined_stacks)
		process->defined_stacks = g_hash_table_new(NULL, NULL);
	g_hash_table_insert(process->defined_stacks, GSIZE_TO_POINTER(id),
			    (void *)given_stack(process, record));
}

bool thread_is_reused(const struct thread *thread, const struct record *entry)
{
	uint64_t last = thread->last_number[entry->type->layer];

	/* A command is numbered by its guest, which may open anew in the same thread. */
	if (entry->type->layer == LAYER_COMMAND || entry->type->layer == LAYER_HOST)
		return false;
	return values_have(&entry->values, FIELD_CALL) && last &&
	       entry->values.v[FIELD_CALL] <= last;
}

/* Runtimes call themselves: what the program asked for is the outermost call. */
static const struct call_type *served_call(const struct thread *thread,
					   const struct call_type *type)
{
	const struct call *outermost = &g_array_index(thread->calls, struct call, 0);

	if (thread->calls->len && outermost->type->layer == LAYER_HIP)
		return outermost->type;
	return type->layer == LAYER_HIP ? type : NULL;
}

struct call *thread_top(const struct thread *thread)
{
	if (thread->calls->len == 0)
		return NULL;
	return &g_array_index(thread->calls, struct call, thread->calls->len - 1);
}

struct call *thread_push(struct thread *thread, const struct record *entry)
{
	struct process *process = thread->process;
	const struct call_type *served;
	struct call *call;

	if (thread->calls->len >= THREAD_CALLS_MAX) {
		call_clear(&g_array_index(thread->calls, struct call, 0));
		g_array_remove_index(thread->calls, 0);
		process->cut_abandoned++;
	}
	served = served_call(thread, entry->type);
	g_array_set_size(thread->calls, thread->calls->len + 1);
	call = thread_top(thread);
	memset(call, 0, offsetof(struct call, values));
	call->type = entry->type;
	call->thread = thread;
	call->entry_ns = entry->time_ns;
	call->served = served;
	call->is_foreign = entry->is_foreign;
	values_copy(&call->values, &entry->values);
	call->stack = process_stack(process, entry);
	call->id_count = MIN(entry->id_count, CALL_IDS_MAX);
	if (call->id_count > CALL_IDS_FEW)
		call->ids.many = g_memdup2(entry->ids, call->id_count * sizeof(call->ids.many[0]));
	else if (call->id_count)
		memcpy(call->ids.few, entry->ids, call->id_count * sizeof(call->ids.few[0]));
	if (values_have(&entry->values, FIELD_CALL))
		thread->last_number[entry->type->layer] = entry->values.v[FIELD_CALL];
	return call;
}

int thread_match(const struct thread *thread, const struct record *exit)
{
	for (guint i = thread->calls->len; i > 0; i--) {
		const struct call *call = &g_array_index(thread->calls, struct call, i - 1);

		if (call->type != exit->type)
			continue;
		if (values_have(&exit->values, FIELD_CALL) &&
		    values_have(&call->values, FIELD_CALL) &&
		    exit->values.v[FIELD_CALL] != call->values.v[FIELD_CALL])
			continue;
		return (int)i - 1;
	}
	return -1;
}

void thread_pop(struct thread *thread)
{
	call_clear(thread_top(thread));
	g_array_set_size(thread->calls, thread->calls->len - 1);
}
