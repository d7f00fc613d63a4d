/* SPDX-License-Identifier: MIT */
/* Failing calls and what was alive then (failures.h). */
#include "failures.h"

#include <string.h>

#include "keyed.h"
#include "memory-internal.h"

enum { STATUS_ALREADY_OPENED = 22, STATUS_WAIT_TIMEOUT = 31 };

/* An open call, and the last thing that failed inside. */
struct pending {
	const struct args_reader
		*entry; /* kept: most calls succeed, nobody asks for their fields */
	const struct call_type *inner;
	uint32_t inner_errno;
	struct args *inner_args; /* owned */
};

/* The open calls of a thread, outermost first. */
struct open_calls {
	struct pending calls[THREAD_CALLS_MAX];
	guint count;
};

struct failures {
	struct model *model;   /* borrowed */
	GPtrArray *list;       /* of struct failure, owned */
	GPtrArray *recovered;  /* of struct recovered, owned */
	struct keyed open;     /* of struct thread: struct open_calls */
	GHashTable *processes; /* struct process (borrowed) -> struct failures_process, owned */
};

static void forget_inner(struct open_calls *open, guint count)
{
	while (open->count > count) {
		struct pending *pending = &open->calls[--open->count];

		args_reader_release(pending->entry);
		args_free(pending->inner_args);
	}
}

static void open_free(void *data)
{
	forget_inner(data, 0);
	g_free(data);
}

static void failure_free(void *data)
{
	struct failure *failure = data;

	args_free(failure->args);
	args_free(failure->inner_args);
	g_free(failure->reason);
	g_array_free(failure->holders, TRUE);
	g_free(failure);
}

static void recovered_free(void *data)
{
	struct recovered *recovered = data;

	args_free(recovered->args);
	g_free(recovered);
}

/* Calls whose failure a program sees, and what is below the thunk's. */
static bool is_watched(const struct call *call)
{
	return call->type->layer >= LAYER_API || call->type->layer == LAYER_GUEST;
}

/* Most library functions give a status; a guest's forms of libdrm's give an error number. */
static bool has_status(const struct call *call)
{
	return call->type->layer == LAYER_API ||
	       (call->type->layer == LAYER_GUEST && g_str_has_prefix(call->type->name, "vhsaKmt"));
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct failures *failures = data;
	struct open_calls *open = keyed_find(&failures->open, call->thread);
	const guint depth = call->thread->calls->len - 1;

	if (!open)
		open = keyed_add(&failures->open, call->thread, g_new0(struct open_calls, 1));
	/* The model may have given up the oldest call of a damaged recording. */
	forget_inner(open, depth);
	while (open->count < depth)
		open->calls[open->count++] = (struct pending){ 0 };
	open->calls[open->count++] = (struct pending){
		.entry = is_watched(call) ? args_reader_keep(entry->reader) : NULL,
	};
}

/* The outermost library call that is open around the innermost call; NULL when there is none. */
static const struct call *outermost_api(const struct thread *thread, guint *index)
{
	for (guint i = 0; i + 1 < thread->calls->len; i++) {
		const struct call *call = &g_array_index(thread->calls, struct call, i);

		if (call->type->layer == LAYER_API) {
			*index = i;
			return call;
		}
	}
	return NULL;
}

static bool has_failed(const struct call *call, const struct record *exit)
{
	uint64_t status = values_get(&exit->values, FIELD_STATUS, 0);
	int64_t result = (int64_t)values_get(&exit->values, FIELD_RET, 0);

	if (has_status(call))
		return status && status != STATUS_WAIT_TIMEOUT && status != STATUS_ALREADY_OPENED;
	if (call->type->layer == LAYER_GUEST)
		return (int32_t)status < 0;
	/* A mapping has no result but its errno. */
	return result < 0 || (!values_have(&exit->values, FIELD_RET) &&
			      values_get(&exit->values, FIELD_ERRNO, 0));
}

static uint32_t exit_errno(const struct record *exit)
{
	int64_t result = (int64_t)values_get(&exit->values, FIELD_RET, 0);
	uint32_t os_errno = (uint32_t)values_get(&exit->values, FIELD_ERRNO, 0);

	return os_errno || result >= 0 ? os_errno : (uint32_t)-result;
}

static void add_holder(GArray *holders, const struct failure_holder *holder)
{
	guint at = 0;

	while (at < holders->len) {
		const struct failure_holder *other =
			&g_array_index(holders, struct failure_holder, at);

		if (holder->bytes > other->bytes ||
		    (holder->bytes == other->bytes && holder->count > other->count))
			break;
		at++;
	}
	g_array_insert_val(holders, at, *holder);
}

/* Device memory is one pool, whether the host may access it or not. */
static bool is_same_pool(enum memory_kind kind, enum memory_kind other)
{
	if (kind == MEMORY_DEVICE || kind == MEMORY_DEVICE_HOST)
		return other == MEMORY_DEVICE || other == MEMORY_DEVICE_HOST;
	return kind == other;
}

static void describe_memory(struct failure *failure, const struct call *call)
{
	struct memory *memory = failure->process->memory;
	struct block_plan plan = { 0 };
	struct values values = call->values;
	GHashTableIter iter;
	void *key;

	failure->subject = SUBJECT_MEMORY;
	/* A node that does not exist must not become one because somebody named it. */
	values.has &= ~(UINT64_C(1) << FIELD_GPU);
	plan_place(&plan, memory, &values, NULL);
	failure->kind = call->type->op == OP_REGISTER ? MEMORY_REGISTERED : plan.site.kind;
	failure->node_id = plan.site.node_id;
	failure->wanted_bytes = values_get(&call->values, FIELD_SIZE, 0);
	g_hash_table_iter_init(&iter, memory->sites);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct site *site = key;
		const struct failure_holder holder = { .stack = site->stack,
						       .type = site->type,
						       .count = site->usage.live_count,
						       .bytes = site->usage.live_bytes };

		if (!site->usage.live_count || site->node_id != failure->node_id)
			continue;
		if (site_is_memory(site))
			failure->node_bytes += holder.bytes;
		if (!is_same_pool(failure->kind, site->kind) || site->class == BLOCK_INTERNAL)
			continue;
		failure->kind_bytes += holder.bytes;
		failure->kind_count += holder.count;
		add_holder(failure->holders, &holder);
	}
}

static void describe_owners(struct failure *failure, const struct call *call,
			    enum block_origin origin)
{
	GHashTable *owners = failure->process->memory->owners;
	GHashTable *counts = g_hash_table_new(stack_hash_by_id, NULL); /* stack -> count */
	GHashTableIter iter;
	void *key, *value;

	failure->subject = origin == ORIGIN_QUEUE ? SUBJECT_QUEUE : SUBJECT_EVENT;
	failure->node_id = (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	g_hash_table_iter_init(&iter, owners);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct owner *owner = key;

		if (owner->origin != origin ||
		    (origin == ORIGIN_QUEUE && owner->node_id != failure->node_id))
			continue;
		failure->live_count++;
		value = g_hash_table_lookup(counts, owner->stack);
		g_hash_table_insert(counts, (void *)owner->stack,
				    GUINT_TO_POINTER(GPOINTER_TO_UINT(value) + 1));
	}
	g_hash_table_iter_init(&iter, counts);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		const struct failure_holder holder = { .stack = key,
						       .type = call->type,
						       .count = GPOINTER_TO_UINT(value) };

		add_holder(failure->holders, &holder);
	}
	g_hash_table_destroy(counts);
}

static void describe(struct failure *failure, const struct call *call)
{
	switch (call->type->op) {
	case OP_ALLOC:
	case OP_REGISTER:
	case OP_BO_ALLOC:
		describe_memory(failure, call);
		break;
	case OP_QUEUE_CREATE:
		describe_owners(failure, call, ORIGIN_QUEUE);
		break;
	case OP_EVENT_CREATE:
		describe_owners(failure, call, ORIGIN_EVENT);
		break;
	default:
		break;
	}
	if (failure->holders->len > FAILURE_HOLDERS)
		g_array_set_size(failure->holders, FAILURE_HOLDERS);
}

/* Counts it with its like ones when there are many. @return true: it needs no entry of its own. */
static bool is_one_more(struct failures *failures, const struct call *call, uint32_t status,
			uint32_t os_errno, int64_t time_ns)
{
	struct failure *last = NULL;
	guint count = 0;

	for (guint i = failures->list->len; i > 0; i--) {
		struct failure *other = g_ptr_array_index(failures->list, i - 1);

		if (other->process != call->thread->process || other->type != call->type ||
		    other->stack != call->stack || other->status != status ||
		    other->os_errno != os_errno)
			continue;
		last = last ? last : other;
		if (++count >= FAILURES_KEPT) {
			last->more++;
			last->more_last_ns = time_ns;
			return true;
		}
	}
	return false;
}

static void add_failure(struct failures *failures, const struct call *call,
			const struct record *exit, struct pending *pending)
{
	uint32_t status = (uint32_t)values_get(&exit->values, FIELD_STATUS, 0);
	uint32_t os_errno = exit_errno(exit);
	struct failure *failure;

	/* A host's error number may come in the place of a status. */
	if (call->type->layer == LAYER_GUEST && (int32_t)status < 0)
		os_errno = -status;
	if (!has_status(call) || (int32_t)status < 0)
		status = 0;

	/* The exit's errno may be that of clearing up; the call that failed inside knows better. */
	if (pending->inner)
		os_errno = pending->inner_errno;
	if (is_one_more(failures, call, status, os_errno, exit->time_ns))
		return;
	failure = g_new0(struct failure, 1);
	failure->process = call->thread->process;
	failure->type = call->type;
	failure->stack = call->stack;
	failure->vtid = call->thread->vtid;
	failure->entry_ns = call->entry_ns;
	failure->time_ns = exit->time_ns;
	failure->status = status;
	failure->os_errno = os_errno;
	failure->inner = pending->inner;
	failure->args = args_reader_all(pending->entry);
	failure->inner_args = g_steal_pointer(&pending->inner_args);
	failure->node_id = UINT32_MAX;
	failure->holders = g_array_new(FALSE, FALSE, sizeof(struct failure_holder));
	describe(failure, call);
	failure->reason = failure_rule(failure, call);
	g_ptr_array_add(failures->list, failure);
}

static bool has_same_path(const struct args *left, const struct args *right)
{
	char *a = failure_path(left), *b = failure_path(right);
	bool same = g_strcmp0(a, b) == 0;

	g_free(a);
	g_free(b);
	return same;
}

static void add_recovered(struct failures *failures, const struct call *call,
			  struct pending *pending, int64_t time_ns)
{
	struct recovered *recovered;

	for (guint i = 0; i < failures->recovered->len; i++) {
		recovered = g_ptr_array_index(failures->recovered, i);
		if (recovered->process == call->thread->process && recovered->type == call->type &&
		    recovered->inner == pending->inner &&
		    recovered->os_errno == pending->inner_errno &&
		    has_same_path(recovered->args, pending->inner_args)) {
			recovered->count++;
			recovered->last_ns = time_ns;
			return;
		}
	}
	recovered = g_new0(struct recovered, 1);
	recovered->process = call->thread->process;
	recovered->type = call->type;
	recovered->inner = pending->inner;
	recovered->os_errno = pending->inner_errno;
	recovered->args = g_steal_pointer(&pending->inner_args);
	recovered->count = 1;
	recovered->first_ns = recovered->last_ns = time_ns;
	g_ptr_array_add(failures->recovered, recovered);
}

/* A call inside another has failed: the outer one remembers, whatever it makes of it. */
static void note_inner(struct open_calls *open, guint index, const struct call *call,
		       const struct record *exit, struct pending *pending)
{
	struct pending *outer = &open->calls[index];

	if (call->type->layer == LAYER_API)
		return; /* its own cause has been noted */
	args_free(outer->inner_args);
	outer->inner = call->type;
	outer->inner_errno = exit_errno(exit);
	outer->inner_args = args_reader_all(pending->entry);
}

static void add_outermost(struct failures *failures, const struct call *call,
			  const struct record *exit, struct pending *pending, bool failed)
{
	if (failed)
		add_failure(failures, call, exit, pending);
	else if (pending->inner)
		add_recovered(failures, call, pending, exit->time_ns);
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct failures *failures = data;
	struct open_calls *open = keyed_find(&failures->open, call->thread);
	struct pending *pending;
	guint outer = 0;

	if (!open || open->count == 0)
		return;
	pending = &open->calls[open->count - 1];
	if (exit && is_watched(call)) {
		const struct call *around = outermost_api(call->thread, &outer);
		bool failed = has_failed(call, exit);

		if (around && failed && outer < open->count)
			note_inner(open, outer, call, exit, pending);
		else if (!around && scope_counts(model_scope(failures->model), time_ns))
			add_outermost(failures, call, exit, pending, failed);
	}
	forget_inner(open, open->count - 1);
}

static void state_told(void *data, struct process *process, const struct record *record)
{
	struct failures *failures = data;
	struct failures_process *about;

	if (record->kind != RECORD_SCHEMA || !record->reader)
		return;
	about = g_hash_table_lookup(failures->processes, process);
	if (!about) {
		about = g_new0(struct failures_process, 1);
		about->process = process;
		g_hash_table_insert(failures->processes, process, about);
	}
	about->known = true;
	about->uid = (uint32_t)args_reader_number(record->reader, "uid", 0);
	about->gid = (uint32_t)args_reader_number(record->reader, "gid", 0);
	about->kfd_major = (uint32_t)args_reader_number(record->reader, "kfd_major", 0);
	about->kfd_minor = (uint32_t)args_reader_number(record->reader, "kfd_minor", 0);
}

struct failures *failures_new(struct model *model)
{
	struct failures *failures = g_new0(struct failures, 1);
	const struct model_observer observer = { .data = failures,
						 .call_began = call_began,
						 .call_ended = call_ended,
						 .state_told = state_told };

	failures->model = model;
	failures->list = g_ptr_array_new_with_free_func(failure_free);
	failures->recovered = g_ptr_array_new_with_free_func(recovered_free);
	keyed_init(&failures->open, open_free);
	failures->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	model_observe(model, &observer);
	return failures;
}

void failures_free(struct failures *failures)
{
	if (!failures)
		return;
	g_ptr_array_free(failures->list, TRUE);
	g_ptr_array_free(failures->recovered, TRUE);
	keyed_fini(&failures->open);
	g_hash_table_destroy(failures->processes);
	g_free(failures);
}

const GPtrArray *failures_list(const struct failures *failures)
{
	return failures->list;
}

const GPtrArray *failures_recovered(const struct failures *failures)
{
	return failures->recovered;
}

const struct failures_process *failures_process(const struct failures *failures,
						const struct process *process)
{
	return g_hash_table_lookup(failures->processes, process);
}
