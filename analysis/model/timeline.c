/* SPDX-License-Identifier: MIT */
/* From observations to items (timeline.h). */
#include "model/timeline.h"

#include <string.h>

/* Buffers are drawn in slots, so that a viewer has a row for each that lives at once, not for each
 * that ever lived. Beyond this many they are in the totals only. */
#define SLOTS_MAX 4096u

const struct timeline_event timeline_events[TIMELINE_KIND_COUNT] = {
	[TIMELINE_CALL_BEGIN] = { "kfd_timeline:call_begin", { { "depth", 8 } }, { "name" } },
	[TIMELINE_CALL_END] = { "kfd_timeline:call_end",
				{ { "depth", 8 },
				  { "duration_ns", 64 },
				  { "is_cut", 8 },
				  { "status", 32 } },
				{ NULL } },
	[TIMELINE_MEMORY] = { "kfd_timeline:memory",
			      { { "live_bytes", 64 }, { "live_blocks", 64 }, { "peak_bytes", 64 } },
			      { "node", "heap" } },
	[TIMELINE_BUFFER] = { "kfd_timeline:buffer",
			      { { "slot", 32 }, { "address", 64 }, { "size_bytes", 64 } },
			      { "label", "state" } },
	[TIMELINE_QUEUE] = { "kfd_timeline:queue",
			     { { "queue_id", 64 }, { "node_id", 32 } },
			     { "queue", "state" } },
	[TIMELINE_WAIT_BEGIN] = { "kfd_timeline:wait_begin",
				  { { "event_id", 64 }, { "timeout_ms", 64 } },
				  { NULL } },
	[TIMELINE_WAIT_END] = { "kfd_timeline:wait_end",
				{ { "event_id", 64 }, { "begin_ns", 64 }, { "duration_ns", 64 } },
				{ "result" } },
	[TIMELINE_COUNTERS] = { "kfd_timeline:counters", { { "run_id", 64 } }, { "run", "state" } },
	[TIMELINE_MALLOC] = { "lttng_ust_libc:malloc",
			      { { "size", 64 }, { "ptr", 64 } },
			      { NULL } },
	[TIMELINE_FREE] = { "lttng_ust_libc:free", { { "ptr", 64 } }, { NULL } },
	[TIMELINE_CALLOC] = { "lttng_ust_libc:calloc",
			      { { "nmemb", 64 }, { "size", 64 }, { "ptr", 64 } },
			      { NULL } },
	[TIMELINE_REALLOC] = { "lttng_ust_libc:realloc",
			       { { "in_ptr", 64 }, { "size", 64 }, { "ptr", 64 } },
			       { NULL } },
	[TIMELINE_MEMALIGN] = { "lttng_ust_libc:memalign",
				{ { "alignment", 64 }, { "size", 64 }, { "ptr", 64 } },
				{ NULL } },
	[TIMELINE_POSIX_MEMALIGN] = { "lttng_ust_libc:posix_memalign",
				      { { "out_ptr", 64 },
					{ "alignment", 64 },
					{ "size", 64 },
					{ "result", 64 } },
				      { NULL } },
};

/* Memory of one kind on one node, of one process. */
struct heap {
	const struct process *process; /* borrowed */
	uint32_t node_id;
	enum memory_kind kind;
	int64_t live_bytes, live_blocks, peak_bytes;
};

/* What a call says beyond its beginning and end; found out once for each name. */
enum role {
	ROLE_UNKNOWN, /* not asked yet */
	ROLE_NONE,
	ROLE_WAIT,
	ROLE_QUEUE_CREATE,
	ROLE_QUEUE_UPDATE,
	ROLE_QUEUE_DESTROY,
	ROLE_COUNTERS, /* and the steps behind it, see counter_steps */
};

static const struct {
	const char *call, *state;
} counter_steps[] = {
	{ "hsaKmtPmcRegisterTrace", "registered" },
	{ "hsaKmtPmcAcquireTraceAccess", "acquired" },
	{ "hsaKmtPmcStartTrace", "running" },
	{ "hsaKmtPmcStopTrace", "acquired" },
	{ "hsaKmtPmcReleaseTraceAccess", "registered" },
	{ "hsaKmtPmcUnregisterTrace", "unregistered" },
};

struct timeline {
	struct model *model; /* borrowed */
	void (*give)(void *data, const struct timeline_item *item);
	void *data;
	int64_t last_ns;
	GHashTable *heaps;     /* set of struct heap, owned */
	GHashTable *slots;     /* struct block -> slot + 1, of living blocks */
	GArray *free_slots;    /* of uint32_t */
	uint32_t slot_count;   /* ever used */
	GHashTable *processes; /* struct process -> number + 1 */
	GHashTable *noted;     /* struct thread -> what the entry of its open call said, + 1 */
	GHashTable *waited;    /* struct thread -> event id of an open wait */
	GHashTable *made;      /* set of struct numbered, owned */
	GByteArray *roles;     /* enum role and more, by the call type's index */
};

/* Who has a number that is given out again: queues and counter runs. */
struct numbered {
	const struct process *process; /* borrowed */
	enum timeline_kind kind;
	uint64_t id;
	int64_t made_ns; /* the last one with it */
};

static guint heap_hash(gconstpointer data)
{
	const struct heap *heap = data;

	return g_direct_hash(heap->process) + heap->node_id * 31u + (guint)heap->kind * 1009u;
}

static gboolean heap_equal(gconstpointer left, gconstpointer right)
{
	const struct heap *a = left, *b = right;

	return a->process == b->process && a->node_id == b->node_id && a->kind == b->kind;
}

static guint numbered_hash(gconstpointer data)
{
	const struct numbered *numbered = data;

	return g_direct_hash(numbered->process) ^ g_int64_hash(&numbered->id) ^
	       (guint)numbered->kind;
}

static gboolean numbered_equal(gconstpointer left, gconstpointer right)
{
	const struct numbered *a = left, *b = right;

	return a->process == b->process && a->id == b->id && a->kind == b->kind;
}

static void note_made(struct timeline *timeline, enum timeline_kind kind, const struct call *call,
		      uint64_t id, int64_t time_ns)
{
	const struct numbered made = { call->thread->process, kind, id, time_ns };

	g_hash_table_add(timeline->made, g_memdup2(&made, sizeof(made)));
}

/* The call that gives a number back may be recorded to end after the number was given out again. */
static bool is_of_older(const struct timeline *timeline, enum timeline_kind kind,
			const struct call *call, uint64_t id)
{
	const struct numbered key = { call->thread->process, kind, id, 0 };
	const struct numbered *made = g_hash_table_lookup(timeline->made, &key);

	return made && made->made_ns > call->entry_ns;
}

static void give(struct timeline *timeline, struct timeline_item *item)
{
	timeline->last_ns = item->time_ns = MAX(item->time_ns, timeline->last_ns);
	timeline->give(timeline->data, item);
}

static struct timeline_item item_of_thread(enum timeline_kind kind, const struct thread *thread,
					   int64_t time_ns)
{
	return (struct timeline_item){ .kind = kind,
				       .process = thread->process,
				       .vtid = thread->vtid,
				       .procname = thread->name,
				       .time_ns = time_ns };
}

static uint8_t find_role(const struct call_type *type)
{
	if (type->layer != LAYER_API)
		return ROLE_NONE;
	if (type->op == OP_WAIT)
		return ROLE_WAIT;
	if (type->op == OP_QUEUE_CREATE)
		return ROLE_QUEUE_CREATE;
	if (type->op == OP_QUEUE_DESTROY)
		return ROLE_QUEUE_DESTROY;
	if (strcmp(type->name, "hsaKmtUpdateQueue") == 0)
		return ROLE_QUEUE_UPDATE;
	for (size_t i = 0; i < G_N_ELEMENTS(counter_steps); i++)
		if (strcmp(type->name, counter_steps[i].call) == 0)
			return (uint8_t)(ROLE_COUNTERS + i);
	return ROLE_NONE;
}

static uint8_t role_of(struct timeline *timeline, const struct call_type *type)
{
	guint before = timeline->roles->len;

	if (type->index >= before) {
		g_byte_array_set_size(timeline->roles, type->index + 1);
		memset(timeline->roles->data + before, ROLE_UNKNOWN, type->index + 1 - before);
	}
	if (timeline->roles->data[type->index] == ROLE_UNKNOWN)
		timeline->roles->data[type->index] = find_role(type);
	return timeline->roles->data[type->index];
}

static void begin_wait(struct timeline *timeline, const struct call *call,
		       const struct record *entry)
{
	struct timeline_item item =
		item_of_thread(TIMELINE_WAIT_BEGIN, call->thread, call->entry_ns);
	uint64_t id = args_reader_number(entry->reader, "Event_id", 0);

	if (id == 0)
		(void)args_reader_row(entry->reader, "Events_id", &id, 1);
	g_hash_table_insert(timeline->waited, call->thread, GSIZE_TO_POINTER(id));
	item.numbers[0] = (int64_t)id;
	item.numbers[1] = (int64_t)values_get(&call->values, FIELD_TIMEOUT, 0);
	give(timeline, &item);
}

static void end_wait(struct timeline *timeline, const struct call *call, int64_t time_ns,
		     const struct record *exit)
{
	enum { WAIT_TIMEOUT = 31 };
	struct timeline_item item = item_of_thread(TIMELINE_WAIT_END, call->thread, time_ns);
	uint64_t status = exit ? values_get(&exit->values, FIELD_STATUS, 0) : 0;

	item.numbers[0] =
		(int64_t)GPOINTER_TO_SIZE(g_hash_table_lookup(timeline->waited, call->thread));
	item.numbers[1] = call->entry_ns;
	item.numbers[2] = time_ns - call->entry_ns;
	item.texts[0] = !exit                    ? "unfinished"
			: status == 0            ? "signalled"
			: status == WAIT_TIMEOUT ? "timed out"
						 : "failed";
	g_hash_table_remove(timeline->waited, call->thread);
	give(timeline, &item);
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct timeline *timeline = data;
	struct timeline_item item =
		item_of_thread(TIMELINE_CALL_BEGIN, call->thread, call->entry_ns);
	uint8_t role = role_of(timeline, call->type);
	uint64_t said;

	item.numbers[0] = (int64_t)call->thread->calls->len;
	item.texts[0] = call->type->name;
	give(timeline, &item);
	if (role == ROLE_NONE)
		return;
	if (role == ROLE_WAIT)
		begin_wait(timeline, call, entry);
	else if (entry->reader &&
		 entry->reader->number(entry->reader,
				       role < ROLE_COUNTERS ? "QueuePercentage" : "TraceId", &said))
		g_hash_table_insert(timeline->noted, call->thread, GSIZE_TO_POINTER(said + 1));
}

static void give_queue(struct timeline *timeline, const struct call *call, int64_t time_ns,
		       uint64_t queue_id, const char *state)
{
	struct timeline_item item = item_of_thread(TIMELINE_QUEUE, call->thread, time_ns);
	char name[32];

	g_snprintf(name, sizeof(name), "queue 0x%" G_GINT64_MODIFIER "x", queue_id);
	item.numbers[0] = (int64_t)queue_id;
	item.numbers[1] = (int64_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	item.texts[0] = name;
	item.texts[1] = state;
	give(timeline, &item);
}

/* A queue that shares no time with the GPU is stopped. */
static void end_queue_call(struct timeline *timeline, const struct call *call, int64_t time_ns,
			   const struct record *exit, uint8_t role)
{
	size_t percent = GPOINTER_TO_SIZE(g_hash_table_lookup(timeline->noted, call->thread));
	const char *running = percent == 1 ? "stopped" : "active";
	uint64_t id = values_get(&call->values, FIELD_QUEUE, 0);

	g_hash_table_remove(timeline->noted, call->thread);
	if (!exit || values_get(&exit->values, FIELD_STATUS, 1) != 0)
		return;
	if (role == ROLE_QUEUE_CREATE) {
		if (!values_have(&exit->values, FIELD_QUEUE))
			return;
		id = exit->values.v[FIELD_QUEUE];
		note_made(timeline, TIMELINE_QUEUE, call, id, time_ns);
		give_queue(timeline, call, time_ns, id, running);
	} else if (!is_of_older(timeline, TIMELINE_QUEUE, call, id)) {
		give_queue(timeline, call, time_ns, id,
			   role == ROLE_QUEUE_UPDATE ? running : "destroyed");
	}
}

static void end_counter_call(struct timeline *timeline, const struct call *call, int64_t time_ns,
			     const struct record *exit, uint8_t step)
{
	struct timeline_item item = item_of_thread(TIMELINE_COUNTERS, call->thread, time_ns);
	uint64_t run, said = GPOINTER_TO_SIZE(g_hash_table_lookup(timeline->noted, call->thread));
	char name[32];

	g_hash_table_remove(timeline->noted, call->thread);
	if (!exit || values_get(&exit->values, FIELD_STATUS, 1) != 0)
		return;
	run = args_reader_number(exit->reader, "TraceRoot_TraceId", said ? said - 1 : 0);
	if (step == 0)
		note_made(timeline, TIMELINE_COUNTERS, call, run, time_ns);
	else if (is_of_older(timeline, TIMELINE_COUNTERS, call, run))
		return;
	g_snprintf(name, sizeof(name), "run 0x%" G_GINT64_MODIFIER "x", run);
	item.numbers[0] = (int64_t)run;
	item.texts[0] = name;
	item.texts[1] = counter_steps[step].state;
	give(timeline, &item);
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct timeline *timeline = data;
	struct timeline_item item = item_of_thread(TIMELINE_CALL_END, call->thread, time_ns);
	uint8_t role = role_of(timeline, call->type);

	if (role == ROLE_WAIT)
		end_wait(timeline, call, time_ns, exit);
	else if (role >= ROLE_COUNTERS)
		end_counter_call(timeline, call, time_ns, exit, (uint8_t)(role - ROLE_COUNTERS));
	else if (role != ROLE_NONE)
		end_queue_call(timeline, call, time_ns, exit, role);
	item.numbers[0] = (int64_t)call->thread->calls->len;
	item.numbers[1] = time_ns - call->entry_ns;
	item.numbers[2] = !exit;
	if (exit)
		item.numbers[3] = (int64_t)values_get(
			&exit->values, call->type->layer <= LAYER_API ? FIELD_STATUS : FIELD_ERRNO,
			0);
	give(timeline, &item);
}

static struct heap *heap_of(struct timeline *timeline, const struct block *block)
{
	const struct heap key = { .process = block->memory->process,
				  .node_id = block->site->node_id,
				  .kind = block->site->kind };
	struct heap *heap = g_hash_table_lookup(timeline->heaps, &key);

	if (!heap) {
		heap = g_memdup2(&key, sizeof(key));
		g_hash_table_add(timeline->heaps, heap);
	}
	return heap;
}

static void node_text(char text[32], uint32_t node_id)
{
	if (node_id == UINT32_MAX)
		g_strlcpy(text, "no node", 32);
	else
		g_snprintf(text, 32, "node %u", node_id);
}

static void give_memory(struct timeline *timeline, const struct heap *heap, int64_t time_ns)
{
	struct timeline_item item = { .kind = TIMELINE_MEMORY,
				      .process = heap->process,
				      .vtid = heap->process->vpid,
				      .procname = heap->process->name,
				      .time_ns = time_ns };
	char node[32];

	node_text(node, heap->node_id);
	item.numbers[0] = heap->live_bytes;
	item.numbers[1] = heap->live_blocks;
	item.numbers[2] = heap->peak_bytes;
	item.texts[0] = node;
	item.texts[1] = memory_kind_name(heap->kind);
	give(timeline, &item);
}

/* A key that no two blocks of the recording share: the viewer knows no processes in this view. */
static int64_t block_key(struct timeline *timeline, const struct block *block)
{
	const struct process *process = block->memory->process;
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(timeline->processes, process));

	if (!number) {
		number = g_hash_table_size(timeline->processes) + 1;
		g_hash_table_insert(timeline->processes, (void *)process, GUINT_TO_POINTER(number));
	}
	return (int64_t)((uint64_t)(number & 0x3fffffu) << 40 |
			 (block->id & ((UINT64_C(1) << 40) - 1)));
}

/* The viewer adds sizes up by thread: a heap stands for one, so that no sum becomes negative. */
static void give_malloc(struct timeline *timeline, const struct block *block, int64_t time_ns,
			bool began)
{
	struct timeline_item item = { .kind = began ? TIMELINE_MALLOC : TIMELINE_FREE,
				      .process = block->memory->process,
				      .time_ns = time_ns };
	uint32_t node_id = block->site->node_id;
	char node[32], name[80];

	if (block->size_bytes == 0)
		return; /* the viewer takes it for a free */
	node_text(node, node_id);
	g_snprintf(name, sizeof(name), "%s %s", node, memory_kind_name(block->site->kind));
	item.vtid = (node_id == UINT32_MAX ? 0 : node_id + 1) * MEMORY_KIND_COUNT +
		    (uint32_t)block->site->kind;
	item.procname = name;
	item.numbers[0] = began ? (int64_t)block->size_bytes : block_key(timeline, block);
	item.numbers[1] = began ? block_key(timeline, block) : 0;
	give(timeline, &item);
}

static uint32_t take_slot(struct timeline *timeline, const struct block *block)
{
	guint left = timeline->free_slots->len;
	uint32_t slot;

	if (left) {
		slot = g_array_index(timeline->free_slots, uint32_t, left - 1);
		g_array_set_size(timeline->free_slots, left - 1);
	} else if (timeline->slot_count < SLOTS_MAX) {
		slot = timeline->slot_count++;
	} else {
		return UINT32_MAX;
	}
	g_hash_table_insert(timeline->slots, (void *)block, GUINT_TO_POINTER(slot + 1));
	return slot;
}

static void give_buffer(struct timeline *timeline, const struct block *block, int64_t time_ns,
			uint32_t slot, bool began)
{
	struct timeline_item item = { .kind = TIMELINE_BUFFER,
				      .process = block->memory->process,
				      .vtid = block->memory->process->vpid,
				      .procname = block->memory->process->name,
				      .time_ns = time_ns };
	char label[80];

	g_snprintf(label, sizeof(label), "%" G_GUINT64_FORMAT " bytes of %s", block->size_bytes,
		   memory_kind_name(block->site->kind));
	item.numbers[0] = slot;
	item.numbers[1] = (int64_t)block->address;
	item.numbers[2] = (int64_t)block->size_bytes;
	item.texts[0] = label;
	item.texts[1] = began ? "live" : "ended";
	give(timeline, &item);
}

static void block_changed(void *data, const struct block *block, int64_t time_ns, bool began)
{
	struct timeline *timeline = data;
	struct heap *heap;
	uint32_t slot;

	if (!block_is_callers(block->site->class))
		return;
	heap = heap_of(timeline, block);
	heap->live_bytes += began ? (int64_t)block->size_bytes : -(int64_t)block->size_bytes;
	heap->live_blocks += began ? 1 : -1;
	heap->peak_bytes = MAX(heap->peak_bytes, heap->live_bytes);
	give_memory(timeline, heap, time_ns);
	if (site_is_memory(block->site))
		give_malloc(timeline, block, time_ns, began);
	if (began) {
		slot = take_slot(timeline, block);
		if (slot != UINT32_MAX)
			give_buffer(timeline, block, time_ns, slot, true);
		return;
	}
	slot = GPOINTER_TO_UINT(g_hash_table_lookup(timeline->slots, block));
	if (slot == 0)
		return;
	slot--;
	give_buffer(timeline, block, time_ns, slot, false);
	g_hash_table_remove(timeline->slots, block);
	g_array_append_val(timeline->free_slots, slot);
}

struct timeline *timeline_new(struct model *model,
			      void (*give_item)(void *data, const struct timeline_item *item),
			      void *data)
{
	struct timeline *timeline = g_new0(struct timeline, 1);
	const struct model_observer observer = { .data = timeline,
						 .call_began = call_began,
						 .call_ended = call_ended,
						 .block_changed = block_changed };

	timeline->model = model;
	timeline->give = give_item;
	timeline->data = data;
	timeline->last_ns = INT64_MIN;
	timeline->heaps = g_hash_table_new_full(heap_hash, heap_equal, g_free, NULL);
	timeline->slots = g_hash_table_new(NULL, NULL);
	timeline->free_slots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	timeline->processes = g_hash_table_new(NULL, NULL);
	timeline->noted = g_hash_table_new(NULL, NULL);
	timeline->waited = g_hash_table_new(NULL, NULL);
	timeline->made = g_hash_table_new_full(numbered_hash, numbered_equal, g_free, NULL);
	timeline->roles = g_byte_array_new();
	model_observe(model, &observer);
	return timeline;
}

static int compare_slots(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

void timeline_finish(struct timeline *timeline)
{
	GArray *slots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GHashTable *blocks = g_hash_table_new(NULL, NULL);
	GHashTableIter iter;
	void *key, *value;

	g_hash_table_iter_init(&iter, timeline->slots);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		uint32_t slot = GPOINTER_TO_UINT(value);

		g_array_append_val(slots, slot);
		g_hash_table_insert(blocks, value, key);
	}
	g_array_sort(slots, compare_slots); /* the same recording gives the same trace */
	for (guint i = 0; i < slots->len; i++) {
		uint32_t slot = g_array_index(slots, uint32_t, i);

		give_buffer(timeline, g_hash_table_lookup(blocks, GUINT_TO_POINTER(slot)),
			    model_end_ns(timeline->model), slot - 1, false);
	}
	g_hash_table_destroy(timeline->slots);
	timeline->slots = g_hash_table_new(NULL, NULL);
	g_hash_table_destroy(blocks);
	g_array_free(slots, TRUE);
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	g_hash_table_destroy(timeline->heaps);
	g_hash_table_destroy(timeline->slots);
	g_array_free(timeline->free_slots, TRUE);
	g_hash_table_destroy(timeline->processes);
	g_hash_table_destroy(timeline->noted);
	g_hash_table_destroy(timeline->waited);
	g_hash_table_destroy(timeline->made);
	g_byte_array_free(timeline->roles, TRUE);
	g_free(timeline);
}
