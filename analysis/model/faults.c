/* SPDX-License-Identifier: MIT */
/* Faults and the blocks around them (faults.h). */
#include "faults.h"

#include <string.h>

#include "memory-internal.h"
#include "op_cache.h"

/* Freed blocks of one process, the oldest overwritten first. */
struct history {
	struct fault_block *blocks; /* owned */
	uint32_t count, next;
};

/* What kind of event the driver gave to a process. */
struct event_type {
	const struct process *process; /* borrowed */
	uint32_t id, type;
};

/* The driver's numbers, which are the library's, too. */
enum { EVENT_HARDWARE = 3, EVENT_MEMORY = 8 };

struct faults {
	struct model *model;          /* borrowed */
	GHashTable *types;            /* set of struct event_type, owned: of events of the driver */
	struct driver_events *driver; /* owned */
	struct op_cache ops;
	GHashTable *histories; /* struct process (borrowed) -> struct history, owned */
	GPtrArray *list;       /* of struct fault, owned */
};

static void history_free(void *data)
{
	struct history *history = data;

	g_free(history->blocks);
	g_free(history);
}

static void fault_free(void *data)
{
	struct fault *fault = data;

	g_free(fault->reasons);
	g_free(fault);
}

static struct fault_block copy_block(const struct block *block, int64_t end_ns)
{
	return (struct fault_block){ .site = block->site,
				     .id = block->id,
				     .address = block->address,
				     .size_bytes = block->size_bytes,
				     .begin_ns = block->begin_ns,
				     .end_ns = end_ns };
}

static struct history *history_of(struct faults *faults, struct process *process)
{
	struct history *history = g_hash_table_lookup(faults->histories, process);

	if (history)
		return history;
	history = g_new0(struct history, 1);
	history->blocks = g_new0(struct fault_block, FAULT_HISTORY);
	g_hash_table_insert(faults->histories, process, history);
	return history;
}

static guint event_hash(gconstpointer data)
{
	const struct event_type *event = data;

	return g_direct_hash(event->process) ^ event->id;
}

static gboolean event_equal(gconstpointer left, gconstpointer right)
{
	const struct event_type *a = left, *b = right;

	return a->process == b->process && a->id == b->id;
}

static void set_type(struct faults *faults, const struct process *process, uint64_t id,
		     uint64_t type)
{
	const struct event_type event = { process, (uint32_t)id, (uint32_t)type };

	g_hash_table_add(faults->types, g_memdup2(&event, sizeof(event)));
}

/* @return the type of an event, as the driver numbers them; 0 (a signal) when it is not known. */
static uint32_t type_of(const struct faults *faults, const struct process *process, uint64_t id)
{
	const struct event_type key = { process, (uint32_t)id, 0 };
	const struct event_type *event = g_hash_table_lookup(faults->types, &key);

	return event ? event->type : 0;
}

static void block_changed(void *data, const struct block *block, int64_t time_ns, bool began)
{
	struct faults *faults = data;
	struct history *history;

	if (began || block->site->class == BLOCK_REGISTRATION)
		return;
	history = history_of(faults, block->site->process);
	history->blocks[history->next] = copy_block(block, time_ns);
	history->next = (history->next + 1) % FAULT_HISTORY;
	history->count = MIN(history->count + 1, FAULT_HISTORY);
}

/* The n-th youngest freed block; 0 is the last one. */
static struct fault_block *freed_block(const struct history *history, uint32_t n)
{
	return &history->blocks[(history->next + FAULT_HISTORY - 1 - n) % FAULT_HISTORY];
}

/* The block that a free has just ended gets the free's stack. */
static void note_free(struct faults *faults, const struct call *call, int64_t time_ns)
{
	const struct history *history =
		g_hash_table_lookup(faults->histories, call->thread->process);

	for (uint32_t i = 0; history && i < history->count; i++) {
		struct fault_block *block = freed_block(history, i);

		if (block->end_ns != time_ns)
			return;
		block->free_stack = call->stack;
	}
}

static bool contains(const struct fault_block *block, uint64_t address)
{
	return address >= block->address && address - block->address < block->size_bytes;
}

static uint64_t end_of(const struct fault_block *block)
{
	return block->address + block->size_bytes;
}

/* @return true when a living block holds the address; fills in the nearest ones in any case. */
static bool look_at_living(struct fault *fault)
{
	bool found = false;

	for (const GList *at = fault->process->memory->blocks.head; at; at = at->next) {
		const struct block *live = at->data;
		struct fault_block block = copy_block(live, 0);

		if (live->ended || live->fate != FATE_LIVE || !block.size_bytes || !block.address)
			continue;
		if (contains(&block, fault->address)) {
			/* The allocation tells more than the buffer object below it. */
			if (!found || block_is_callers(live->site->class))
				fault->at = block;
			found = true;
		} else if (block.address > fault->address) {
			if (!fault->above.size_bytes || block.address < fault->above.address)
				fault->above = block;
		} else if (!fault->below.size_bytes || end_of(&block) > end_of(&fault->below)) {
			fault->below = block;
		}
	}
	return found;
}

static bool look_at_freed(const struct faults *faults, struct fault *fault)
{
	const struct history *history = g_hash_table_lookup(faults->histories, fault->process);

	for (uint32_t i = 0; history && i < history->count; i++) {
		const struct fault_block *block = freed_block(history, i);

		if (contains(block, fault->address)) {
			fault->at = *block;
			return true;
		}
	}
	return false;
}

static void find_place(const struct faults *faults, struct fault *fault)
{
	if (look_at_living(fault))
		fault->place = FAULT_IN_LIVE;
	else if (look_at_freed(faults, fault))
		fault->place = FAULT_IN_FREED;
	else
		fault->place = fault->address < FAULT_NEAR_NULL ? FAULT_NULL : FAULT_OUTSIDE;
}

/* "NotPresent, ReadOnly" from the bits that follow the failure's word. */
static char *failure_bits(const struct args *args, const char *prefix)
{
	GString *text = g_string_new(NULL);
	size_t length = strlen(prefix);

	for (guint i = 0; i < args->list->len; i++) {
		const struct arg *arg = &g_array_index(args->list, struct arg, i);

		if (strncmp(arg->name, prefix, length) != 0 || arg->name[length] != '_' ||
		    !arg->number)
			continue;
		g_string_append_printf(text, "%s%s", text->len ? ", " : "", arg->name + length + 1);
		if (arg->number > 1)
			g_string_append_printf(text, "=%" G_GUINT64_FORMAT, arg->number);
	}
	return g_string_free(text, FALSE);
}

static uint64_t member(const struct args *args, const char *base, const char *name)
{
	char *full = g_strdup_printf("%s_%s", base, name);
	uint64_t value = args_number(args, full, 0);

	g_free(full);
	return value;
}

static struct fault *fault_new(const struct call *call, int64_t time_ns)
{
	struct fault *fault = g_new0(struct fault, 1);

	fault->process = call->thread->process;
	fault->vtid = call->thread->vtid;
	fault->type = call->type;
	fault->stack = call->stack;
	fault->time_ns = fault->last_ns = time_ns;
	fault->count = 1;
	return fault;
}

static struct fault *read_fault(const struct call *call, const struct args *args, const char *base,
				int64_t time_ns)
{
	struct fault *fault = fault_new(call, time_ns);
	char *failure = g_strdup_printf("%s_failure", base);

	fault->event_id = (uint32_t)member(args, base, "event_id");
	fault->node_id = (uint32_t)member(args, base, "node_id");
	fault->is_memory = member(args, base, "type") == EVENT_MEMORY;
	fault->address = member(args, base, "address");
	fault->raw_failure = (uint32_t)args_number(args, failure, 0);
	fault->reasons = failure_bits(args, failure);
	fault->flags = (uint32_t)member(args, base, "memory_flags");
	fault->reset_type = (uint32_t)member(args, base, "reset_type");
	fault->reset_cause = (uint32_t)member(args, base, "reset_cause");
	fault->memory_lost = (uint32_t)member(args, base, "memory_lost");
	g_free(failure);
	return fault;
}

/* A fault stays in its event until somebody resets it: each wait reports it again. */
static bool is_known(struct faults *faults, const struct fault *fault)
{
	for (guint i = faults->list->len; i > 0; i--) {
		struct fault *other = g_ptr_array_index(faults->list, i - 1);

		if (other->process == fault->process && other->event_id == fault->event_id &&
		    other->address == fault->address && other->node_id == fault->node_id &&
		    other->is_memory == fault->is_memory &&
		    other->raw_failure == fault->raw_failure) {
			other->count++;
			other->last_ns = fault->time_ns;
			return true;
		}
	}
	return false;
}

/* Takes the fault over. */
static void add_fault(struct faults *faults, struct fault *fault)
{
	if (is_known(faults, fault)) {
		fault_free(fault);
		return;
	}
	if (fault->is_memory)
		find_place(faults, fault);
	g_ptr_array_add(faults->list, fault);
}

static void end_wait(struct faults *faults, const struct call *call, const struct record *exit)
{
	const char *base = NULL;
	struct args *args;

	if (args_reader_number(exit->reader, "Event_fault_valid", 0))
		base = "Event_fault";
	else if (args_reader_number(exit->reader, "Events_fault_valid", 0))
		base = "Events_fault";
	if (!base)
		return;
	args = args_reader_all(exit->reader);
	add_fault(faults, read_fault(call, args, base, exit->time_ns));
	args_free(args);
}

/* What the driver tells of one event: the words of a memory fault, or of a reset in their place. */
struct told {
	uint64_t words[4], address, gpu_id, error_type;
};

/* The library's word for a failure (HsaAccessAttributeFailure), and its bits by name. */
static void set_failure(struct fault *fault, const struct told *told)
{
	enum { BIT_ECC = 4, BIT_IMPRECISE = 5, BIT_ERROR_TYPE = 6 };
	static const struct {
		const char *name;
		int bit;
	} flags[] = { { "NotPresent", 0 },
		      { "ReadOnly", 1 },
		      { "NoExecute", 2 },
		      { "Imprecise", BIT_IMPRECISE } };
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
		if (!told->words[i])
			continue;
		fault->raw_failure |= UINT32_C(1) << flags[i].bit;
		g_string_append_printf(text, "%s%s", text->len ? ", " : "", flags[i].name);
	}
	if (told->error_type) {
		fault->raw_failure |= (uint32_t)told->error_type << BIT_ERROR_TYPE;
		fault->raw_failure |= (told->error_type < 3 ? 1u : 0) << BIT_ECC;
		g_string_append_printf(text, "%s%sErrorType=%" G_GUINT64_FORMAT,
				       text->len ? ", " : "", told->error_type < 3 ? "ECC, " : "",
				       told->error_type);
	}
	fault->reasons = g_string_free(text, FALSE);
}

static void take_told(struct faults *faults, const struct call *call, uint32_t event_id,
		      const struct told *told, int64_t time_ns)
{
	const uint32_t type = type_of(faults, call->thread->process, event_id);
	const uint64_t gpu_id = type == EVENT_HARDWARE ? told->words[3] : told->gpu_id;
	const struct node *node;
	struct fault *fault;

	if (!gpu_id || (type != EVENT_HARDWARE && type != EVENT_MEMORY))
		return;
	node = process_node_of_gpu(call->thread->process, (uint32_t)gpu_id);
	fault = fault_new(call, time_ns);
	fault->event_id = event_id;
	fault->node_id = node ? node->node_id : UINT32_MAX;
	fault->is_memory = type == EVENT_MEMORY;
	fault->flags = UINT32_MAX; /* the driver does not say how bad it is */
	if (fault->is_memory) {
		fault->address = told->address;
		set_failure(fault, told);
	} else {
		fault->reset_type = (uint32_t)told->words[0];
		fault->reset_cause = (uint32_t)told->words[1];
		fault->memory_lost = (uint32_t)told->words[2];
	}
	add_fault(faults, fault);
}

/* A wait at the driver without a library's around it. */
static void end_driver_wait(struct faults *faults, const struct call *call,
			    const struct record *exit)
{
	enum { EVENTS_MAX = 64, RESULT_COMPLETE = 0, COLUMNS = 7 };
	static const char *const names[COLUMNS] = {
		"events_memory_not_present", "events_memory_read_only", "events_memory_no_execute",
		"events_memory_imprecise",   "events_memory_va",        "events_memory_gpu_id",
		"events_memory_error_type"
	};
	uint64_t ids[EVENTS_MAX], columns[COLUMNS][EVENTS_MAX] = { 0 };
	uint32_t count = args_reader_row(exit->reader, "events_event_id", ids, EVENTS_MAX);

	if ((int64_t)values_get(&exit->values, FIELD_RET, 0) < 0 ||
	    args_reader_number(exit->reader, "wait_result", 1) != RESULT_COMPLETE)
		return;
	for (size_t i = 0; i < COLUMNS; i++)
		(void)args_reader_row(exit->reader, names[i], columns[i], EVENTS_MAX);
	for (uint32_t i = 0; i < count; i++) {
		const struct told told = {
			.words = { columns[0][i], columns[1][i], columns[2][i], columns[3][i] },
			.address = columns[4][i],
			.gpu_id = columns[5][i],
			.error_type = columns[6][i],
		};

		take_told(faults, call, (uint32_t)ids[i], &told, exit->time_ns);
	}
}

enum fault_op {
	FAULT_OP_NONE,
	FAULT_OP_CREATE,
	FAULT_OP_WAIT,
};

static const struct op_name known_ops[] = {
	{ LAYER_IOCTL, "CREATE_EVENT", FAULT_OP_CREATE },
	{ LAYER_IOCTL, "WAIT_EVENTS", FAULT_OP_WAIT },
};

static void driver_call_ended(struct faults *faults, const struct call *call,
			      const struct record *exit)
{
	switch ((enum fault_op)op_cache_find(&faults->ops, call->type)) {
	case FAULT_OP_CREATE:
		set_type(faults, call->thread->process,
			 args_reader_number(exit->reader, "event_id", 0),
			 values_get(&call->values, FIELD_EVENT_TYPE, 0));
		break;
	case FAULT_OP_WAIT:
		if (!call_is_inner(call))
			end_driver_wait(faults, call, exit);
		break;
	case FAULT_OP_NONE:
		break;
	}
}

/* An event that was made before the recording. */
static void state_told(void *data, struct process *process, const struct record *record)
{
	if (record->kind == RECORD_DUMP_EVENT)
		set_type(data, process, args_reader_number(record->reader, "event_id", 0),
			 values_get(&record->values, FIELD_EVENT_TYPE, 0));
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct faults *faults = data;

	if (!exit)
		return;
	if (call->type->op == OP_WAIT)
		end_wait(faults, call, exit);
	else if (call->type->op == OP_FREE || call->type->op == OP_BO_FREE)
		note_free(faults, call, time_ns);
	driver_call_ended(faults, call, exit);
}

struct faults *faults_new(struct model *model)
{
	struct faults *faults = g_new0(struct faults, 1);
	const struct model_observer observer = { .data = faults,
						 .call_ended = call_ended,
						 .block_changed = block_changed,
						 .state_told = state_told };

	faults->model = model;
	op_cache_init(&faults->ops, known_ops, G_N_ELEMENTS(known_ops));
	faults->types = g_hash_table_new_full(event_hash, event_equal, g_free, NULL);
	faults->driver = driver_events_new(model);
	faults->histories = g_hash_table_new_full(NULL, NULL, NULL, history_free);
	faults->list = g_ptr_array_new_with_free_func(fault_free);
	model_observe(model, &observer);
	return faults;
}

void faults_free(struct faults *faults)
{
	if (!faults)
		return;
	driver_events_free(faults->driver);
	op_cache_fini(&faults->ops);
	g_hash_table_destroy(faults->types);
	g_hash_table_destroy(faults->histories);
	g_ptr_array_free(faults->list, TRUE);
	g_free(faults);
}

const struct driver_events *faults_driver(const struct faults *faults)
{
	return faults->driver;
}

const GPtrArray *faults_list(const struct faults *faults)
{
	return faults->list;
}
