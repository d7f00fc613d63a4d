/* SPDX-License-Identifier: MIT */
/* Trace-event JSON (perfetto.h). */
#include "output/perfetto.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "model/queues.h"
#include "model/waits.h"
#include "output/draft.h"
#include "output/stackview.h"
#include "output/text.h"

/* Space for what an arrow's beginning takes in the file. */
#define ARROW_BYTES 160u
/* So many waits at most get an arrow from one signal. */
#define ARROWS_MAX 8u

/* A signal whose slice is in the file, and what is left of the space for arrows behind it. */
struct signal {
	int64_t time_ns;
	const struct process *process; /* borrowed */
	uint32_t vtid;
	uint32_t count;
	int64_t blanks[ARROWS_MAX];
};

/* Living queues of a process on a node. */
struct queue_track {
	const struct process *process; /* borrowed */
	uint32_t node_id, gpu_id;
	uint64_t live[QUEUE_KIND_COUNT];
};

struct perfetto {
	struct model *model; /* borrowed */
	struct draft *draft; /* owned */
	FILE *stream;        /* of the draft */
	int64_t begin_ns, end_ns;
	int64_t origin_ns; /* of the recording's first event: times count from here */
	bool has_origin;
	uint64_t written;
	GHashTable *pids;      /* struct process -> number in the file */
	GHashTable *tracks;    /* set of struct thread that have a name in the file */
	GHashTable *open;      /* set of call keys (pushed and not popped), by thread: depth */
	GHashTable *blocks;    /* struct block -> 1: slices that were begun */
	GHashTable *evictions; /* struct eviction -> 1: the same */
	struct waits *waits;   /* owned */
	struct queues *queues; /* owned */
	GHashTable *signals;   /* struct wait_event -> struct signal, owned */
	const struct wait_event *set_now; /* borrowed: by the call that has just begun; or NULL */
	uint64_t arrows;                  /* so far */
	GPtrArray *queue_tracks;          /* of struct queue_track, owned */
	struct sym *sym;                  /* owned */
};

/* JSON string with escapes. */
static void put_string(FILE *stream, const char *text)
{
	json_t *string = json_string(text ? text : "");
	char *dumped = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

	fputs(dumped ? dumped : "\"?\"", stream);
	free(dumped);
	json_decref(string);
}

static uint32_t pid_of(struct perfetto *perfetto, const struct process *process);

/* The members that every event has; the caller goes on with more and closes the brace. */
static void begin_event(struct perfetto *perfetto, const char *phase, const struct process *process,
			uint32_t tid, int64_t time_ns)
{
	int64_t since_ns = time_ns - perfetto->origin_ns;
	uint32_t pid = pid_of(perfetto, process);

	fprintf(perfetto->stream, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRId64 ".%03d",
		perfetto->written++ ? ",\n" : "\n", phase, pid, tid, since_ns / 1000,
		(int)(since_ns % 1000));
}

static void put_name(struct perfetto *perfetto, const char *kind, uint32_t pid, uint32_t tid,
		     const char *name)
{
	fprintf(perfetto->stream,
		"%s{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":",
		perfetto->written++ ? ",\n" : "\n", pid, tid, kind);
	put_string(perfetto->stream, name);
	fputs("}}", perfetto->stream);
}

/* Process ids of several hosts and reused ones may be equal: such a process gets a free number. */
static uint32_t pid_of(struct perfetto *perfetto, const struct process *process)
{
	uint32_t pid = GPOINTER_TO_UINT(g_hash_table_lookup(perfetto->pids, process));
	GHashTableIter iter;
	GString *name;
	void *value;
	bool taken;

	if (pid)
		return pid;
	pid = process->vpid ? process->vpid : 1;
	do {
		taken = false;
		g_hash_table_iter_init(&iter, perfetto->pids);
		while (g_hash_table_iter_next(&iter, NULL, &value))
			taken |= GPOINTER_TO_UINT(value) == pid;
		pid += taken ? 10000000u : 0;
	} while (taken);
	g_hash_table_insert(perfetto->pids, (void *)process, GUINT_TO_POINTER(pid));
	name = g_string_new(NULL);
	text_process(name, process);
	put_name(perfetto, "process_name", pid, 0, name->str);
	g_string_free(name, TRUE);
	return pid;
}

static bool wanted(const struct perfetto *perfetto, int64_t time_ns)
{
	return model_within(perfetto->model, perfetto->begin_ns, perfetto->end_ns, time_ns);
}

static void set_origin(struct perfetto *perfetto)
{
	if (perfetto->has_origin)
		return;
	perfetto->has_origin = true;
	perfetto->origin_ns = model_begin_ns(perfetto->model);
}

static void name_track(struct perfetto *perfetto, const struct thread *thread)
{
	if (!g_hash_table_add(perfetto->tracks, (void *)thread))
		return;
	put_name(perfetto, "thread_name", pid_of(perfetto, thread->process), thread->vtid,
		 thread->name ? thread->name : "thread");
}

static void put_values(FILE *stream, const struct values *values)
{
	bool first = true;

	fputs(",\"args\":{", stream);
	for (int i = 0; i < FIELD_COUNT; i++) {
		if (!values_have(values, (enum field)i))
			continue;
		fprintf(stream, "%s\"%s\":", first ? "" : ",", field_name((enum field)i));
		/* Addresses and handles do not fit a JavaScript number. */
		if (i == FIELD_ADDRESS || i == FIELD_HANDLE || i == FIELD_QUEUE ||
		    i == FIELD_EVENT || i == FIELD_FLAGS || i == FIELD_IOCTL_FLAGS)
			fprintf(stream, "\"0x%" PRIx64 "\"", values->v[i]);
		else
			fprintf(stream, "%" PRId64, (int64_t)values->v[i]);
		first = false;
	}
	fputc('}', stream);
}

/* Behind the beginning of a slice that sets an event: room for arrows to the waits it will end. */
static void leave_room(struct perfetto *perfetto, const struct call *call)
{
	const struct wait_event *event = perfetto->set_now;
	struct signal *signal = g_new0(struct signal, 1);

	signal->time_ns = call->entry_ns;
	signal->process = call->thread->process;
	signal->vtid = call->thread->vtid;
	signal->count = CLAMP(event->waiters, 1, ARROWS_MAX);
	for (uint32_t i = 0; i < signal->count; i++)
		signal->blanks[i] = draft_blank(perfetto->draft, ARROW_BYTES);
	g_hash_table_replace(perfetto->signals, (void *)event, signal);
}

static void event_set(void *data, const struct wait_event *event, const struct call *call)
{
	struct perfetto *perfetto = data;

	(void)call;
	perfetto->set_now = event; /* call_began() comes next, if the slice is wanted */
	g_hash_table_remove(perfetto->signals, event);
}

static void event_gone(void *data, const struct wait_event *event)
{
	struct perfetto *perfetto = data;

	g_hash_table_remove(perfetto->signals, event);
}

/* The arrow ends in the wait, whose slice is still open. */
static void wait_woken(void *data, const struct wait_event *event, const struct call *call,
		       int64_t time_ns)
{
	struct perfetto *perfetto = data;
	struct signal *signal = g_hash_table_lookup(perfetto->signals, event);
	uint32_t depth = GPOINTER_TO_UINT(g_hash_table_lookup(perfetto->open, call->thread));
	char *begin;

	if (!signal || signal->count == 0 || depth < call->thread->calls->len)
		return;
	perfetto->arrows++;
	begin = g_strdup_printf(",\n{\"ph\":\"s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRId64
				".%03d,\"cat\":\"signal\",\"name\":\"signal\",\"id\":%" PRIu64 "}",
				pid_of(perfetto, signal->process), signal->vtid,
				(signal->time_ns - perfetto->origin_ns) / 1000,
				(int)((signal->time_ns - perfetto->origin_ns) % 1000),
				perfetto->arrows);
	draft_fill(perfetto->draft, signal->blanks[--signal->count], begin);
	g_free(begin);
	begin_event(perfetto, "f", call->thread->process, call->thread->vtid, time_ns);
	fprintf(perfetto->stream,
		",\"bp\":\"e\",\"cat\":\"signal\",\"name\":\"signal\",\"id\":%" PRIu64 "}",
		perfetto->arrows);
}

static struct queue_track *queue_track(struct perfetto *perfetto, const struct queue *queue)
{
	struct queue_track *track;

	for (guint i = 0; i < perfetto->queue_tracks->len; i++) {
		track = g_ptr_array_index(perfetto->queue_tracks, i);
		if (track->process == queue->process && track->node_id == queue->node_id &&
		    track->gpu_id == queue->gpu_id)
			return track;
	}
	track = g_new0(struct queue_track, 1);
	track->process = queue->process;
	track->node_id = queue->node_id;
	track->gpu_id = queue->gpu_id;
	g_ptr_array_add(perfetto->queue_tracks, track);
	return track;
}

static void queue_changed(void *data, const struct queue *queue, int64_t time_ns, bool began)
{
	struct perfetto *perfetto = data;
	struct queue_track *track = queue_track(perfetto, queue);

	set_origin(perfetto);
	track->live[queue->kind] += began ? 1 : -(uint64_t)(track->live[queue->kind] > 0);
	if (!wanted(perfetto, time_ns))
		return;
	begin_event(perfetto, "C", queue->process, 0, time_ns);
	if (queue->node_id == UINT32_MAX)
		fprintf(perfetto->stream, ",\"name\":\"queues on GPU %u\",\"args\":{",
			queue->gpu_id);
	else
		fprintf(perfetto->stream, ",\"name\":\"queues on node %u\",\"args\":{",
			queue->node_id);
	for (int kind = 0; kind < QUEUE_KIND_COUNT; kind++)
		fprintf(perfetto->stream, "%s\"%s\":%" PRIu64, kind ? "," : "",
			queue_kind_name((enum queue_kind)kind), track->live[kind]);
	fputs("}}", perfetto->stream);
}

static void write_call_began(struct perfetto *perfetto, const struct call *call)
{
	uint32_t depth;

	if (!wanted(perfetto, call->entry_ns))
		return;
	depth = GPOINTER_TO_UINT(g_hash_table_lookup(perfetto->open, call->thread));
	/* A slice stands for each open call from the first that was written on. */
	if (depth == 0 && call->thread->calls->len > 1)
		return;
	g_hash_table_insert(perfetto->open, call->thread, GUINT_TO_POINTER(depth + 1));
	name_track(perfetto, call->thread);
	begin_event(perfetto, "B", call->thread->process, call->thread->vtid, call->entry_ns);
	fprintf(perfetto->stream, ",\"cat\":\"%s\",\"name\":",
		call->type->layer == LAYER_HIP     ? "hip"
		: call->type->layer == LAYER_HSA   ? "hsa"
		: call->type->layer == LAYER_API   ? "api"
		: call->type->layer == LAYER_IOCTL ? "ioctl"
						   : "system");
	put_string(perfetto->stream, call->type->name);
	put_values(perfetto->stream, &call->values);
	fputc('}', perfetto->stream);
	if (perfetto->set_now)
		leave_room(perfetto, call);
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct perfetto *perfetto = data;

	(void)entry;
	set_origin(perfetto);
	write_call_began(perfetto, call);
	perfetto->set_now = NULL;
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct perfetto *perfetto = data;
	uint32_t depth = GPOINTER_TO_UINT(g_hash_table_lookup(perfetto->open, call->thread));

	/* Written slices are the innermost ones or all: see call_began(). */
	if (depth == 0 || depth < call->thread->calls->len)
		return;
	if (depth == 1)
		g_hash_table_remove(perfetto->open, call->thread);
	else
		g_hash_table_insert(perfetto->open, call->thread, GUINT_TO_POINTER(depth - 1));
	begin_event(perfetto, "E", call->thread->process, call->thread->vtid, time_ns);
	if (exit)
		put_values(perfetto->stream, &exit->values);
	else
		fputs(",\"args\":{\"cut\":true}", perfetto->stream);
	fputc('}', perfetto->stream);
}

static void put_counter(struct perfetto *perfetto, const struct block *block, int64_t time_ns)
{
	const struct memory *memory = block->memory;
	uint32_t node_id = block->site->node_id;
	uint32_t slot = MIN(node_id, (uint32_t)G_N_ELEMENTS(memory->node_usage) - 1);

	if (!site_is_memory(block->site))
		return;
	begin_event(perfetto, "C", memory->process, 0, time_ns);
	if (slot == node_id)
		fprintf(perfetto->stream, ",\"name\":\"live bytes on node %u\"", node_id);
	else
		fputs(",\"name\":\"live bytes on other nodes\"", perfetto->stream);
	fprintf(perfetto->stream, ",\"args\":{\"bytes\":%" PRIu64 "}}",
		memory->node_usage[slot].live_bytes);
}

static void put_block(struct perfetto *perfetto, const struct block *block, const char *phase,
		      int64_t time_ns)
{
	GString *name = g_string_new(NULL);

	text_bytes(name, block->size_bytes);
	g_string_append_printf(name, " of %s", memory_kind_name(block->site->kind));
	begin_event(perfetto, phase, block->memory->process, 0, time_ns);
	fprintf(perfetto->stream, ",\"cat\":\"memory\",\"id\":\"%u.%" PRIu64 "\",\"name\":",
		pid_of(perfetto, block->memory->process), block->id);
	put_string(perfetto->stream, name->str);
	g_string_free(name, TRUE);
}

static void put_block_begin(struct perfetto *perfetto, const struct block *block, int64_t time_ns)
{
	GString *caller = g_string_new(NULL);
	struct stackview view;

	put_block(perfetto, block, "b", time_ns);
	fprintf(perfetto->stream,
		",\"args\":{\"class\":\"%s\",\"address\":\"0x%" PRIx64 "\",\"size_bytes\":%" PRIu64,
		block_class_name(block->site->class), block->address, block->size_bytes);
	if (block->site->node_id != UINT32_MAX)
		fprintf(perfetto->stream, ",\"node_id\":%u", block->site->node_id);
	stackview_init(&view, perfetto->sym, block->memory->process, block->site->stack);
	text_caller(caller, &view);
	if (caller->len) {
		fputs(",\"allocated\":", perfetto->stream);
		put_string(perfetto->stream, caller->str + 1);
	}
	stackview_fini(&view);
	g_string_free(caller, TRUE);
	fputs("}}", perfetto->stream);
}

static void block_changed(void *data, const struct block *block, int64_t time_ns, bool began)
{
	struct perfetto *perfetto = data;

	set_origin(perfetto);
	if (began) {
		if (!wanted(perfetto, time_ns))
			return;
		g_hash_table_add(perfetto->blocks, (void *)block);
		put_block_begin(perfetto, block, time_ns);
	} else {
		if (!g_hash_table_remove(perfetto->blocks, block))
			return;
		put_block(perfetto, block, "e", time_ns);
		fputs(",\"args\":{\"freed\":true}}", perfetto->stream);
	}
	put_counter(perfetto, block, time_ns);
}

/* How much a queue has in store for the GPU. */
static void queue_sampled(void *data, const struct queue_activity *row,
			  const struct queue_sample *sample, int64_t time_ns)
{
	struct perfetto *perfetto = data;

	set_origin(perfetto);
	if (!sample->is_readable || !wanted(perfetto, time_ns))
		return;
	begin_event(perfetto, "C", row->process, 0, time_ns);
	fprintf(perfetto->stream,
		",\"name\":\"waiting in queue 0x%" PRIx64 "\",\"args\":{\"%s\":%" PRIu64 "}}",
		row->queue_id, sample->has_packets ? "packets" : "bytes", sample->pending);
}

static void put_eviction(struct perfetto *perfetto, const struct eviction *eviction,
			 const char *phase, int64_t time_ns)
{
	begin_event(perfetto, phase, eviction->process, 0, time_ns);
	fprintf(perfetto->stream,
		",\"cat\":\"driver\",\"id\":\"%u.%u\",\"name\":\"queues evicted from GPU %u\","
		"\"args\":{\"trigger\":%u}}",
		pid_of(perfetto, eviction->process), eviction->node, eviction->node,
		eviction->trigger);
}

static void eviction_changed(void *data, const struct eviction *eviction, int64_t time_ns)
{
	struct perfetto *perfetto = data;

	set_origin(perfetto);
	if (eviction->end_ns) {
		if (g_hash_table_remove(perfetto->evictions, eviction))
			put_eviction(perfetto, eviction, "e", time_ns);
	} else if (wanted(perfetto, time_ns)) {
		g_hash_table_add(perfetto->evictions, (void *)eviction);
		put_eviction(perfetto, eviction, "b", time_ns);
	}
}

struct perfetto *perfetto_new(struct model *model, FILE *stream, int64_t begin_ns, int64_t end_ns,
			      const char *debug_dirs)
{
	struct draft *draft = draft_new(stream);
	struct perfetto *perfetto = draft ? g_new0(struct perfetto, 1) : NULL;
	const struct waits_observer on_waits = { .data = perfetto,
						 .event_set = event_set,
						 .wait_woken = wait_woken,
						 .event_gone = event_gone };
	const struct queues_observer on_queues = { .data = perfetto,
						   .queue_changed = queue_changed,
						   .queue_sampled = queue_sampled };
	const struct driver_observer on_driver = { .data = perfetto,
						   .eviction_changed = eviction_changed };
	const struct model_observer observer = { .data = perfetto,
						 .call_began = call_began,
						 .call_ended = call_ended,
						 .block_changed = block_changed };

	if (!perfetto)
		return NULL;
	perfetto->model = model;
	perfetto->draft = draft;
	perfetto->stream = draft_stream(draft);
	perfetto->begin_ns = begin_ns;
	perfetto->end_ns = end_ns;
	perfetto->pids = g_hash_table_new(NULL, NULL);
	perfetto->tracks = g_hash_table_new(NULL, NULL);
	perfetto->open = g_hash_table_new(NULL, NULL);
	perfetto->blocks = g_hash_table_new(NULL, NULL);
	perfetto->evictions = g_hash_table_new(NULL, NULL);
	perfetto->signals = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	perfetto->queue_tracks = g_ptr_array_new_with_free_func(g_free);
	perfetto->sym = sym_new(debug_dirs);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", perfetto->stream);
	/* They tell of a wait's end before its slice ends, as arrows need it. */
	perfetto->waits = waits_new(model);
	waits_observe(perfetto->waits, &on_waits);
	perfetto->queues = queues_new(model);
	queues_observe(perfetto->queues, &on_queues);
	driver_events_observe(queues_driver(perfetto->queues), &on_driver);
	model_observe(model, &observer);
	return perfetto;
}

/* Evictions that had no end, in their order. */
static void end_evictions(struct perfetto *perfetto)
{
	const GPtrArray *list = driver_evictions(queues_driver(perfetto->queues));

	for (guint i = 0; i < list->len; i++) {
		const struct eviction *eviction = g_ptr_array_index(list, i);

		if (g_hash_table_remove(perfetto->evictions, eviction))
			put_eviction(perfetto, eviction, "e", model_end_ns(perfetto->model));
	}
}

static int compare_blocks(const void *left, const void *right)
{
	const struct block *a = *(struct block *const *)left, *b = *(struct block *const *)right;

	if (a->memory != b->memory)
		return a->memory->process->vpid < b->memory->process->vpid ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

int perfetto_finish(struct perfetto *perfetto, const struct report_notes *notes)
{
	GPtrArray *left = g_ptr_array_new();
	json_t *header = header_json("kfdscope.timeline", "1.0", perfetto->model, notes);
	char *dumped = header ? json_dumps(header, JSON_COMPACT) : NULL;
	GHashTableIter iter;
	void *key;

	g_hash_table_iter_init(&iter, perfetto->blocks);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		g_ptr_array_add(left, key);
	g_ptr_array_sort(left, compare_blocks);
	for (guint i = 0; i < left->len; i++) {
		put_block(perfetto, g_ptr_array_index(left, i), "e", model_end_ns(perfetto->model));
		fputs(",\"args\":{\"freed\":false}}", perfetto->stream);
	}
	g_ptr_array_free(left, TRUE);
	end_evictions(perfetto);
	fprintf(perfetto->stream, "\n],\"otherData\":%s}\n", dumped ? dumped : "{}");
	free(dumped);
	json_decref(header);
	return draft_finish(perfetto->draft);
}

void perfetto_free(struct perfetto *perfetto)
{
	if (!perfetto)
		return;
	g_hash_table_destroy(perfetto->pids);
	g_hash_table_destroy(perfetto->tracks);
	g_hash_table_destroy(perfetto->open);
	g_hash_table_destroy(perfetto->blocks);
	g_hash_table_destroy(perfetto->evictions);
	g_hash_table_destroy(perfetto->signals);
	g_ptr_array_free(perfetto->queue_tracks, TRUE);
	waits_free(perfetto->waits);
	queues_free(perfetto->queues);
	draft_free(perfetto->draft);
	sym_free(perfetto->sym);
	g_free(perfetto);
}
