/* SPDX-License-Identifier: MIT */
/* Start-ups (startup.h). */
#include "model/startup.h"

#include <stdio.h>
#include <string.h>

#include "model/op_cache.h"

/* What a kind of call does for a start-up. */
enum startup_op {
	START_NONE,
	START_OPENS,    /* time that belongs to opening */
	START_DRM,      /* one of several, by its command */
	START_MAPS,     /* … to memory */
	START_TOPOLOGY, /* the firsts */
	START_APERTURES,
	START_ALLOCATES,
	START_ALLOCATES_IOCTL,
	START_MAPS_TO_GPU,
	START_MAPS_IOCTL,
	START_EVENT,
	START_EVENT_IOCTL,
	START_QUEUE,
	START_QUEUE_IOCTL,
};

static const struct op_name known_ops[] = {
	{ LAYER_API, "hsaKmtAcquireSystemProperties", START_TOPOLOGY },
	{ LAYER_API, "hsaKmtAllocMemory", START_ALLOCATES },
	{ LAYER_API, "hsaKmtAllocMemoryAlign", START_ALLOCATES },
	{ LAYER_API, "hsaKmtAllocMemoryHostGtt", START_ALLOCATES },
	{ LAYER_API, "hsaKmtMapMemoryToGPU", START_MAPS_TO_GPU },
	{ LAYER_API, "hsaKmtMapMemoryToGPUNodes", START_MAPS_TO_GPU },
	{ LAYER_API, "hsaKmtCreateEvent", START_EVENT },
	{ LAYER_API, "hsaKmtCreateQueue", START_QUEUE },
	{ LAYER_API, "hsaKmtCreateQueueExt", START_QUEUE },
	{ LAYER_API, "hsaKmtCreateQueueV2", START_QUEUE },
	{ LAYER_IOCTL, "GET_PROCESS_APERTURES_NEW", START_APERTURES },
	{ LAYER_IOCTL, "GET_PROCESS_APERTURES", START_APERTURES },
	{ LAYER_IOCTL, "ALLOC_MEMORY_OF_GPU", START_ALLOCATES_IOCTL },
	{ LAYER_IOCTL, "FREE_MEMORY_OF_GPU", START_MAPS },
	{ LAYER_IOCTL, "MAP_MEMORY_TO_GPU", START_MAPS_IOCTL },
	{ LAYER_IOCTL, "UNMAP_MEMORY_FROM_GPU", START_MAPS },
	{ LAYER_IOCTL, "SVM", START_MAPS },
	{ LAYER_IOCTL, "CREATE_EVENT", START_EVENT_IOCTL },
	{ LAYER_IOCTL, "CREATE_QUEUE", START_QUEUE_IOCTL },
	{ LAYER_OS, "open", START_OPENS },
	{ LAYER_OS, "close", START_OPENS },
	{ LAYER_OS, "mmap", START_MAPS },
	{ LAYER_OS, "munmap", START_MAPS },
	{ LAYER_OS, "madvise", START_MAPS },
	{ LAYER_OS, "mbind", START_MAPS },
	{ LAYER_OS, "drm", START_DRM },
};

/* Commands of a libdrm call (device.h of the thunk); the events have their numbers. */
enum { DRM_OPEN_RENDER = 8, DRM_CLOSE = 9, DRM_DEVICE_INITIALIZE = 10 };

/* A descriptor of a render node. */
struct render_fd {
	const struct process *process;
	int32_t fd;
	uint32_t minor;
};

struct startups {
	struct model *model; /* borrowed */
	struct op_cache ops;
	struct messages messages;
	GPtrArray *list;     /* of struct startup, owned */
	GHashTable *current; /* struct process -> struct startup that is under way; borrowed */
	GHashTable *maps;    /* the same -> struct startup_work (owned) until the first map */
	GHashTable *threads; /* struct thread -> the start-up in which it was counted; borrowed */
	GHashTable *opening; /* struct thread -> minor of the render node that it opens */
	GArray *names;       /* of struct startup_names */
	GArray *fds;         /* of struct render_fd */
};

static void work_init(struct startup_work *work)
{
	memset(work, 0, sizeof(*work));
	work->calls = g_array_new(FALSE, TRUE, sizeof(struct startup_call));
	work->nodes = g_array_new(FALSE, TRUE, sizeof(struct startup_node));
}

static void work_fini(struct startup_work *work)
{
	g_array_free(work->calls, TRUE);
	g_array_free(work->nodes, TRUE);
}

static void work_free(void *data)
{
	work_fini(data);
	g_free(data);
}

static struct startup_work *work_copy(const struct startup_work *work)
{
	struct startup_work *copy = g_new0(struct startup_work, 1);

	*copy = *work;
	copy->calls = g_array_copy(work->calls);
	copy->nodes = g_array_copy(work->nodes);
	return copy;
}

static void startup_free(void *data)
{
	struct startup *startup = data;

	work_fini(&startup->work);
	g_free(startup);
}

static struct startup *current_of(const struct startups *startups, const struct process *process)
{
	return g_hash_table_lookup(startups->current, process);
}

static struct startup_node *node_of(struct startup *startup, enum startup_key key, uint32_t number)
{
	GArray *nodes = startup->work.nodes;
	const struct startup_node fresh = { .key = key, .number = number };

	for (guint i = 0; i < nodes->len; i++) {
		struct startup_node *node = &g_array_index(nodes, struct startup_node, i);

		if (node->key == key && node->number == number)
			return node;
	}
	g_array_append_val(nodes, fresh);
	return &g_array_index(nodes, struct startup_node, nodes->len - 1);
}

static void begin(struct startups *startups, const struct call *call)
{
	const struct process *process = call->thread->process;
	const struct call *outer = &g_array_index(call->thread->calls, struct call, 0);
	struct startup *startup = g_new0(struct startup, 1);

	startup->process = process;
	startup->begin_ns = call->entry_ns;
	startup->stack = call->stack;
	startup->inside = outer != call ? outer->type : NULL;
	startup->number = 1;
	for (guint i = 0; i < startups->list->len; i++) {
		const struct startup *other = g_ptr_array_index(startups->list, i);

		startup->number += other->process == process;
	}
	work_init(&startup->work);
	g_ptr_array_add(startups->list, startup);
	g_hash_table_insert(startups->current, (void *)process, startup);
}

/* Takes the work until the first map where that is what ended it. */
static void end(const struct startups *startups, struct startup *startup, enum startup_end how,
		int64_t time_ns)
{
	const struct process *process = startup->process;
	struct startup_work *until_map = g_hash_table_lookup(startups->maps, process);

	startup->end = how;
	startup->end_ns = time_ns;
	if (until_map && (how == STARTUP_TO_CLOSE || how == STARTUP_TO_LAST)) {
		const struct startup_work whole = startup->work;

		startup->work = *until_map;
		*until_map = whole; /* goes with the entry */
		startup->end = STARTUP_TO_MAP;
		startup->end_ns = startup->first_ns[STARTUP_FIRST_MAP];
	}
	g_hash_table_remove(startups->maps, process);
	g_hash_table_remove(startups->current, process);
}

static void first(struct startups *startups, struct startup *startup, enum startup_first what,
		  int64_t time_ns)
{
	if (startup->first_ns[what])
		return;
	startup->first_ns[what] = time_ns;
	if (what == STARTUP_FIRST_MAP)
		g_hash_table_insert(startups->maps, (void *)startup->process,
				    work_copy(&startup->work));
}

/* The minor number of "…/renderD128". */
static bool minor_of_path(const struct args_reader *reader, uint32_t *minor)
{
	struct args *args = args_reader_all(reader);
	const struct arg *path = args_find(args, "path");
	const char *name = path && path->text ? strstr(path->text, "/renderD") : NULL;
	bool found = name && sscanf(name, "/renderD%u", minor) == 1;

	args_free(args);
	return found;
}

/* Opening the KFD where library calls are not recorded. */
static bool opens_kfd(const struct args_reader *reader)
{
	struct args *args = args_reader_all(reader);
	const struct arg *path = args_find(args, "path");
	bool is_kfd = path && path->text && g_str_has_suffix(path->text, "/kfd");

	args_free(args);
	return is_kfd;
}

static bool begins(struct startups *startups, const struct call *call, const struct record *entry)
{
	const struct process *process = call->thread->process;

	if (call->type->op == OP_OPEN)
		return process->open_count <= 0;
	if (process->has_api || call->type->layer != LAYER_OS)
		return false;
	return op_cache_find(&startups->ops, call->type) == START_OPENS &&
	       strcmp(call->type->name, "open") == 0 && opens_kfd(entry->reader);
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct startups *startups = data;
	const struct process *process = call->thread->process;
	struct startup *startup = current_of(startups, process);
	uint32_t minor;

	if (!startup) {
		if (!begins(startups, call, entry))
			return;
		begin(startups, call);
		startup = current_of(startups, process);
	}
	if (g_hash_table_lookup(startups->threads, call->thread) != startup) {
		g_hash_table_insert(startups->threads, call->thread, startup);
		startup->threads++;
	}
	if (call->type->op == OP_CLOSE && process->open_count == 1)
		end(startups, startup, STARTUP_TO_CLOSE, call->entry_ns);
	else if (call->type->layer == LAYER_OS && strcmp(call->type->name, "open") == 0 &&
		 minor_of_path(entry->reader, &minor))
		g_hash_table_insert(startups->opening, call->thread, GUINT_TO_POINTER(minor + 1));
}

static void add_call(struct startup *startup, const struct call_type *type, int64_t duration_ns,
		     int64_t self_ns, bool failed)
{
	GArray *calls = startup->work.calls;
	const struct startup_call fresh = { .type = type };
	struct startup_call *known = NULL;

	for (guint i = 0; i < calls->len && !known; i++)
		if (g_array_index(calls, struct startup_call, i).type == type)
			known = &g_array_index(calls, struct startup_call, i);
	if (!known) {
		g_array_append_val(calls, fresh);
		known = &g_array_index(calls, struct startup_call, calls->len - 1);
	}
	known->count++;
	known->failed += failed;
	known->total_ns += duration_ns;
	known->self_ns += self_ns;
	known->max_ns = MAX(known->max_ns, duration_ns);
}

static void remember_fd(struct startups *startups, const struct process *process, int32_t fd,
			uint32_t minor)
{
	const struct render_fd fresh = { process, fd, minor };

	for (guint i = 0; i < startups->fds->len; i++) {
		struct render_fd *known = &g_array_index(startups->fds, struct render_fd, i);

		if (known->process == process && known->fd == fd) {
			known->minor = minor;
			return;
		}
	}
	g_array_append_val(startups->fds, fresh);
}

static const struct render_fd *find_fd(const struct startups *startups,
				       const struct process *process, int32_t fd)
{
	for (guint i = 0; i < startups->fds->len; i++) {
		const struct render_fd *known = &g_array_index(startups->fds, struct render_fd, i);

		if (known->process == process && known->fd == fd)
			return known;
	}
	return NULL;
}

static void add_open(struct startups *startups, struct startup *startup, const struct call *call,
		     uint32_t minor, int64_t fd, int64_t duration_ns)
{
	struct startup_node *node = node_of(startup, STARTUP_BY_MINOR, minor);

	node->opens++;
	node->open_ns += duration_ns;
	if (fd >= 0)
		remember_fd(startups, call->thread->process, (int32_t)fd, minor);
}

/* @return the phase of a libdrm call, after counting it for its node. */
static enum startup_phase take_drm(struct startups *startups, struct startup *startup,
				   const struct call *call, const struct record *exit,
				   int64_t duration_ns)
{
	uint64_t command = args_reader_number(exit->reader, "command", UINT64_MAX);
	int32_t fd = (int32_t)values_get(&call->values, FIELD_FD, UINT32_MAX);
	const struct render_fd *known;

	if (command == DRM_OPEN_RENDER) {
		add_open(startups, startup, call, (uint32_t)fd,
			 (int32_t)args_reader_number(exit->reader, "fd", UINT32_MAX), duration_ns);
		return STARTUP_OPEN;
	}
	known = command == DRM_DEVICE_INITIALIZE ? find_fd(startups, call->thread->process, fd)
						 : NULL;
	if (known)
		node_of(startup, STARTUP_BY_MINOR, known->minor)->system_ns += duration_ns;
	return command == DRM_CLOSE ? STARTUP_OPEN : STARTUP_SETUP;
}

static enum startup_phase take_os(struct startups *startups, struct startup *startup, int op,
				  const struct call *call, const struct record *exit,
				  int64_t duration_ns)
{
	uint32_t minor = GPOINTER_TO_UINT(g_hash_table_lookup(startups->opening, call->thread));

	if (op == START_DRM)
		return take_drm(startups, startup, call, exit, duration_ns);
	if (op != START_OPENS)
		return op == START_MAPS ? STARTUP_MEMORY : STARTUP_SETUP;
	if (minor && strcmp(call->type->name, "open") == 0) {
		g_hash_table_remove(startups->opening, call->thread);
		add_open(startups, startup, call, minor - 1,
			 (int64_t)values_get(&exit->values, FIELD_RET, 0), duration_ns);
	}
	return STARTUP_OPEN;
}

static enum startup_phase take_ioctl(struct startup *startup, int op, const struct call *call,
				     int64_t duration_ns)
{
	bool has_gpu = values_have(&call->values, FIELD_GPU);

	/* Work for several nodes at once is nobody's. */
	if (has_gpu || call->id_count == 1) {
		struct startup_node *node = node_of(
			startup, STARTUP_BY_GPU,
			(uint32_t)(has_gpu ? call->values.v[FIELD_GPU] : call_ids(call)[0]));

		node->ioctls++;
		node->ioctl_ns += duration_ns;
	}
	return op == START_MAPS || op == START_ALLOCATES_IOCTL || op == START_MAPS_IOCTL
		       ? STARTUP_MEMORY
		       : STARTUP_SETUP;
}

static void take_firsts(struct startups *startups, struct startup *startup, int op,
			const struct call *call, int64_t time_ns)
{
	const bool is_inner = call_is_inner(call);

	if (call->type->op == OP_OPEN || (op == START_OPENS && !startup->process->has_api))
		first(startups, startup, STARTUP_FIRST_OPEN, time_ns);
	if (op == START_TOPOLOGY)
		first(startups, startup, STARTUP_FIRST_TOPOLOGY, time_ns);
	if (op == START_APERTURES)
		first(startups, startup, STARTUP_FIRST_APERTURES, time_ns);
	/* What the library does inside of a call is for itself: doorbells, the events' page. */
	if (op == START_ALLOCATES || (op == START_ALLOCATES_IOCTL && !is_inner))
		first(startups, startup, STARTUP_FIRST_ALLOCATION, time_ns);
	if (op == START_MAPS_TO_GPU || (op == START_MAPS_IOCTL && !is_inner))
		first(startups, startup, STARTUP_FIRST_MAP, time_ns);
	if (op == START_EVENT || (op == START_EVENT_IOCTL && !is_inner))
		first(startups, startup, STARTUP_FIRST_EVENT, time_ns);
	if (op == START_QUEUE || (op == START_QUEUE_IOCTL && !is_inner)) {
		first(startups, startup, STARTUP_FIRST_QUEUE, time_ns);
		end(startups, startup, STARTUP_TO_QUEUE, time_ns);
	}
}

static bool has_failed(const struct call *call, const struct record *exit)
{
	enum { ALREADY_OPENED = 22 }; /* an answer, not a failure */
	uint64_t status = values_get(&exit->values, FIELD_STATUS, 0);

	if (call->type->layer > LAYER_API)
		return values_get(&exit->values, FIELD_ERRNO, 0) != 0;
	return status != 0 && !(call->type->op == OP_OPEN && status == ALREADY_OPENED);
}

/* The open with which it began. @return true when it opened nothing: there is no start-up. */
static bool take_open(struct startups *startups, struct startup *startup, const struct record *exit,
		      bool failed)
{
	startup->status = (uint32_t)values_get(&exit->values, FIELD_STATUS, 0);
	if (startup->status == 0)
		return false;
	end(startups, startup, STARTUP_TO_REFUSAL, exit->time_ns);
	if (!failed) /* the recording began when the driver was open */
		g_ptr_array_remove(startups->list, startup);
	return true;
}

/* A call that began within the start-up; those around it only say where it is. */
static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct startups *startups = data;
	struct startup *startup = current_of(startups, call->thread->process);
	enum startup_phase phase = STARTUP_LIBRARY;
	int64_t duration_ns = time_ns - call->entry_ns, self_ns = duration_ns - call->inside_ns;
	bool failed;
	int op;

	if (!startup || !exit || call->entry_ns < startup->begin_ns)
		return;
	op = op_cache_find(&startups->ops, call->type);
	failed = has_failed(call, exit);
	add_call(startup, call->type, duration_ns, self_ns, failed);
	if (call->type->layer == LAYER_OS)
		phase = take_os(startups, startup, op, call, exit, duration_ns);
	else if (call->type->layer == LAYER_IOCTL)
		phase = take_ioctl(startup, op, call, duration_ns);
	else if (call->type->layer == LAYER_API && values_have(&call->values, FIELD_NODE))
		node_of(startup, STARTUP_BY_NODE, (uint32_t)call->values.v[FIELD_NODE])
			->library_ns += self_ns;
	if (call->type->layer >= LAYER_API)
		startup->work.phase_ns[phase] += self_ns;
	if (call->type->op == OP_OPEN && call->entry_ns == startup->begin_ns &&
	    take_open(startups, startup, exit, failed))
		return;
	if (!failed)
		take_firsts(startups, startup, op, call, time_ns);
}

static void add_names(struct startups *startups, const struct process *process,
		      const struct record *record)
{
	const struct startup_names names = {
		.process = process,
		.node_id = (uint32_t)values_get(&record->values, FIELD_NODE, 0),
		.gpu_id = (uint32_t)values_get(&record->values, FIELD_GPU, 0),
		/* Recordings of older libraries do not say it; it is the same unless nodes are hidden. */
		.topology_node =
			(uint32_t)args_reader_number(record->reader, "topology_node",
						     values_get(&record->values, FIELD_NODE, 0)),
		.render_minor =
			(int32_t)args_reader_number(record->reader, "render_minor", UINT32_MAX),
	};

	for (guint i = 0; i < startups->names->len; i++) {
		struct startup_names *known =
			&g_array_index(startups->names, struct startup_names, i);

		if (known->process == process && known->node_id == names.node_id) {
			*known = names;
			return;
		}
	}
	g_array_append_val(startups->names, names);
}

static void add_reads(struct startup *startup, const struct record *record)
{
	const struct args_reader *reader = record->reader;
	int32_t number = (int32_t)args_reader_number(reader, "topology_node", UINT32_MAX);
	struct startup_node *node = node_of(startup, STARTUP_BY_TOPOLOGY, (uint32_t)number);
	int64_t busy_ns = (int64_t)args_reader_number(reader, "busy_ns", 0);

	startup->reads_told = true;
	node->files += args_reader_number(reader, "files", 0);
	node->directories += args_reader_number(reader, "directories", 0);
	node->failed_reads += args_reader_number(reader, "failed", 0);
	node->bytes += args_reader_number(reader, "bytes", 0);
	node->files_ns += busy_ns;
	startup->work.phase_ns[STARTUP_FILES] += busy_ns;
	startup->work.phase_ns[STARTUP_LIBRARY] -= busy_ns;
}

static void state_told(void *data, struct process *process, const struct record *record)
{
	struct startups *startups = data;
	struct startup *startup = current_of(startups, process);

	if (record->kind == RECORD_DUMP_NODE)
		add_names(startups, process, record);
	else if (record->kind == RECORD_FILES_READ && startup)
		add_reads(startup, record);
	else
		messages_take(&startups->messages, process, record);
}

struct startups *startups_new(struct model *model)
{
	struct startups *startups = g_new0(struct startups, 1);
	const struct model_observer observer = { .data = startups,
						 .call_began = call_began,
						 .call_ended = call_ended,
						 .state_told = state_told };

	startups->model = model;
	op_cache_init(&startups->ops, known_ops, G_N_ELEMENTS(known_ops));
	messages_init(&startups->messages);
	startups->list = g_ptr_array_new_with_free_func(startup_free);
	startups->current = g_hash_table_new(NULL, NULL);
	startups->maps = g_hash_table_new_full(NULL, NULL, NULL, work_free);
	startups->threads = g_hash_table_new(NULL, NULL);
	startups->opening = g_hash_table_new(NULL, NULL);
	startups->names = g_array_new(FALSE, FALSE, sizeof(struct startup_names));
	startups->fds = g_array_new(FALSE, FALSE, sizeof(struct render_fd));
	model_observe(model, &observer);
	return startups;
}

void startups_free(struct startups *startups)
{
	if (!startups)
		return;
	op_cache_fini(&startups->ops);
	messages_fini(&startups->messages);
	g_ptr_array_free(startups->list, TRUE);
	g_hash_table_destroy(startups->current);
	g_hash_table_destroy(startups->maps);
	g_hash_table_destroy(startups->threads);
	g_hash_table_destroy(startups->opening);
	g_array_free(startups->names, TRUE);
	g_array_free(startups->fds, TRUE);
	g_free(startups);
}

const GPtrArray *startups_list(const struct startups *startups)
{
	for (guint i = 0; i < startups->list->len; i++) {
		struct startup *startup = g_ptr_array_index(startups->list, i);

		if (current_of(startups, startup->process) == startup)
			end(startups, startup, STARTUP_TO_LAST, startup->process->last_ns);
	}
	return startups->list;
}

static bool is_named(const struct startup_names *names, const struct startup_node *node)
{
	switch (node->key) {
	case STARTUP_BY_TOPOLOGY:
		return names->topology_node == node->number;
	case STARTUP_BY_GPU:
		return names->gpu_id == node->number && node->number != 0;
	case STARTUP_BY_MINOR:
		/* Nodes of processors have none, or 0. */
		return names->gpu_id != 0 && names->render_minor == (int32_t)node->number;
	case STARTUP_BY_NODE:
		return names->node_id == node->number;
	}
	return false;
}

const struct startup_names *startups_names(const struct startups *startups,
					   const struct startup *startup,
					   const struct startup_node *node)
{
	for (guint i = 0; i < startups->names->len; i++) {
		const struct startup_names *names =
			&g_array_index(startups->names, struct startup_names, i);

		if (names->process == startup->process && is_named(names, node))
			return names;
	}
	return NULL;
}

const struct messages *startups_messages(const struct startups *startups)
{
	return &startups->messages;
}
