/* SPDX-License-Identifier: MIT */
/* Trace-event JSON (perfetto.h). */
#include "output/perfetto.h"

#include <errno.h>
#include <stdlib.h>

#include "model/queues.h"
#include "model/waits.h"
#include "output/draft.h"
#include "output/json_text.h"
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

/* What of a thread is in the file. */
struct track {
	bool is_named;
	uint32_t open; /* slices that were begun and have not ended */
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
	GString *event; /* owned: the one that is being written */
	uint64_t written;
	GHashTable *pids;                   /* struct process -> number in the file */
	const struct process *last_process; /* borrowed, with its number: the last one asked for */
	uint32_t last_pid;
	GHashTable *tracks;               /* struct thread -> struct track, owned */
	const struct thread *last_thread; /* borrowed, with its track: the same */
	struct track *last_track;
	GHashTable *blocks;               /* struct block -> 1: slices that were begun */
	GHashTable *evictions;            /* struct eviction -> 1: the same */
	struct waits *waits;              /* owned */
	struct queues *queues;            /* owned */
	GHashTable *signals;              /* struct wait_event -> struct signal, owned */
	const struct wait_event *set_now; /* borrowed: by the call that has just begun; or NULL */
	uint64_t arrows;                  /* so far */
	GPtrArray *queue_tracks;          /* of struct queue_track, owned */
	struct sym *sym;                  /* owned */
};

static uint32_t pid_of(struct perfetto *perfetto, const struct process *process);

static void put_member(GString *event, const char *name)
{
	g_string_append_c(event, '"');
	g_string_append(event, name); /* of ours: needs no escapes */
	json_text_literal(event, "\":");
}

/* The members that every event has; the caller goes on with more and ends it. */
static void begin_event(struct perfetto *perfetto, const char *phase, const struct process *process,
			uint32_t tid, int64_t time_ns)
{
	uint32_t pid = pid_of(perfetto, process); /* may write an event itself */
	GString *event = perfetto->event;

	json_text_literal(event, "{\"ph\":\"");
	g_string_append(event, phase);
	json_text_literal(event, "\",\"pid\":");
	json_text_unsigned(event, pid);
	json_text_literal(event, ",\"tid\":");
	json_text_unsigned(event, tid);
	json_text_literal(event, ",\"ts\":");
	json_text_microseconds(event, time_ns - perfetto->origin_ns);
}

/* @param end  the braces that are still open. */
static void end_event(struct perfetto *perfetto, const char *end)
{
	g_string_append(perfetto->event, end);
	fputs(perfetto->written++ ? ",\n" : "\n", perfetto->stream);
	fwrite(perfetto->event->str, perfetto->event->len, 1, perfetto->stream);
	g_string_truncate(perfetto->event, 0);
}

static void put_name(struct perfetto *perfetto, const char *kind, uint32_t pid, uint32_t tid,
		     const char *name)
{
	g_string_append_printf(perfetto->event,
			       "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\","
			       "\"args\":{\"name\":",
			       pid, tid, kind);
	json_text_string(perfetto->event, name);
	end_event(perfetto, "}}");
}

/* Process ids of several hosts and reused ones may be equal: such a process gets a free number. */
static uint32_t pid_of(struct perfetto *perfetto, const struct process *process)
{
	GHashTableIter iter;
	GString *name;
	void *value;
	uint32_t pid;
	bool taken;

	if (process == perfetto->last_process)
		return perfetto->last_pid;
	pid = GPOINTER_TO_UINT(g_hash_table_lookup(perfetto->pids, process));
	perfetto->last_process = process;
	perfetto->last_pid = pid;
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
	perfetto->last_pid = pid;
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

static struct track *track_of(struct perfetto *perfetto, const struct thread *thread)
{
	if (thread == perfetto->last_thread)
		return perfetto->last_track;
	perfetto->last_thread = thread;
	perfetto->last_track = g_hash_table_lookup(perfetto->tracks, thread);
	if (!perfetto->last_track) {
		perfetto->last_track = g_new0(struct track, 1);
		g_hash_table_insert(perfetto->tracks, (void *)thread, perfetto->last_track);
	}
	return perfetto->last_track;
}

static void name_track(struct perfetto *perfetto, const struct thread *thread, struct track *track)
{
	if (track->is_named)
		return;
	track->is_named = true;
	put_name(perfetto, "thread_name", pid_of(perfetto, thread->process), thread->vtid,
		 thread->name ? thread->name : "thread");
}

/* What only says how the recording is to be read, or that nothing was wrong. */
static bool is_idle(const struct values *values, enum field field)
{
	return field == FIELD_CALL || field == FIELD_API_CALL || field == FIELD_STACK_ID ||
	       field == FIELD_TRUNCATED || (field == FIELD_ERRNO && values->v[FIELD_ERRNO] == 0);
}

static void put_values(GString *event, const struct values *values)
{
	const char *between = "";

	json_text_literal(event, ",\"args\":{");
	for (uint64_t left = values->has; left; left &= left - 1) {
		enum field field = (enum field)__builtin_ctzll(left);

		if (is_idle(values, field))
			continue;
		g_string_append(event, between);
		between = ",";
		put_member(event, field_name(field));
		if (field == FIELD_ADDRESS || field == FIELD_HANDLE || field == FIELD_QUEUE ||
		    field == FIELD_EVENT || field == FIELD_FLAGS || field == FIELD_IOCTL_FLAGS)
			json_text_hex(event, values->v[field]);
		else
			json_text_signed(event, (int64_t)values->v[field]);
	}
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
	GString *text = perfetto->event;

	if (!signal || signal->count == 0 ||
	    track_of(perfetto, call->thread)->open < call->thread->calls->len)
		return;
	perfetto->arrows++;
	begin_event(perfetto, "s", signal->process, signal->vtid, signal->time_ns);
	g_string_prepend(text, ",\n");
	json_text_literal(text, ",\"cat\":\"signal\",\"name\":\"signal\",\"id\":");
	json_text_unsigned(text, perfetto->arrows);
	g_string_append_c(text, '}');
	draft_fill(perfetto->draft, signal->blanks[--signal->count], text->str);
	g_string_truncate(text, 0);
	begin_event(perfetto, "f", call->thread->process, call->thread->vtid, time_ns);
	json_text_literal(text, ",\"bp\":\"e\",\"cat\":\"signal\",\"name\":\"signal\",\"id\":");
	json_text_unsigned(text, perfetto->arrows);
	end_event(perfetto, "}");
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
		g_string_append_printf(perfetto->event, ",\"name\":\"queues on GPU %u\",\"args\":{",
				       queue->gpu_id);
	else
		g_string_append_printf(perfetto->event,
				       ",\"name\":\"queues on node %u\",\"args\":{",
				       queue->node_id);
	for (int kind = 0; kind < QUEUE_KIND_COUNT; kind++) {
		g_string_append(perfetto->event, kind ? "," : "");
		put_member(perfetto->event, queue_kind_name((enum queue_kind)kind));
		json_text_unsigned(perfetto->event, track->live[kind]);
	}
	end_event(perfetto, "}}");
}

static const char *category(enum layer layer)
{
	return layer == LAYER_HIP     ? "hip"
	       : layer == LAYER_HSA   ? "hsa"
	       : layer == LAYER_API   ? "api"
	       : layer == LAYER_IOCTL ? "ioctl"
				      : "system";
}

static void write_call_began(struct perfetto *perfetto, const struct call *call)
{
	GString *event = perfetto->event;
	struct track *track;

	if (!wanted(perfetto, call->entry_ns))
		return;
	track = track_of(perfetto, call->thread);
	/* A slice stands for each open call from the first that was written on. */
	if (track->open == 0 && call->thread->calls->len > 1)
		return;
	track->open++;
	name_track(perfetto, call->thread, track);
	begin_event(perfetto, "B", call->thread->process, call->thread->vtid, call->entry_ns);
	json_text_literal(event, ",\"cat\":\"");
	g_string_append(event, category(call->type->layer));
	json_text_literal(event, "\",\"name\":");
	json_text_string(event, call->type->name);
	put_values(event, &call->values);
	end_event(perfetto, "}}");
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
	struct track *track = track_of(perfetto, call->thread);

	/* Written slices are the innermost ones or all: see write_call_began(). */
	if (track->open == 0 || track->open < call->thread->calls->len)
		return;
	track->open--;
	begin_event(perfetto, "E", call->thread->process, call->thread->vtid, time_ns);
	if (exit)
		put_values(perfetto->event, &exit->values);
	else
		json_text_literal(perfetto->event, ",\"args\":{\"cut\":true");
	end_event(perfetto, "}}");
}

static void put_counter(struct perfetto *perfetto, const struct block *block, int64_t time_ns)
{
	const struct memory *memory = block->memory;
	uint32_t node_id = block->site->node_id;
	uint32_t slot = MIN(node_id, (uint32_t)G_N_ELEMENTS(memory->node_usage) - 1);

	if (!site_is_memory(block->site))
		return;
	begin_event(perfetto, "C", memory->process, 0, time_ns);
	if (slot == node_id) {
		json_text_literal(perfetto->event, ",\"name\":\"live bytes on node ");
		json_text_unsigned(perfetto->event, node_id);
	} else {
		json_text_literal(perfetto->event, ",\"name\":\"live bytes on other nodes");
	}
	json_text_literal(perfetto->event, "\",\"args\":{\"bytes\":");
	json_text_unsigned(perfetto->event, memory->node_usage[slot].live_bytes);
	end_event(perfetto, "}}");
}

static void put_block(struct perfetto *perfetto, const struct block *block, const char *phase,
		      int64_t time_ns)
{
	GString *name = g_string_new(NULL);

	text_bytes(name, block->size_bytes);
	g_string_append_printf(name, " of %s", memory_kind_name(block->site->kind));
	begin_event(perfetto, phase, block->memory->process, 0, time_ns);
	json_text_literal(perfetto->event, ",\"cat\":\"memory\",\"id\":\"");
	json_text_unsigned(perfetto->event, pid_of(perfetto, block->memory->process));
	g_string_append_c(perfetto->event, '.');
	json_text_unsigned(perfetto->event, block->id);
	json_text_literal(perfetto->event, "\",\"name\":");
	json_text_string(perfetto->event, name->str);
	g_string_free(name, TRUE);
}

static void put_block_begin(struct perfetto *perfetto, const struct block *block, int64_t time_ns)
{
	GString *caller = g_string_new(NULL), *event = perfetto->event;
	struct stackview view;

	put_block(perfetto, block, "b", time_ns);
	json_text_literal(event, ",\"args\":{\"class\":\"");
	g_string_append(event, block_class_name(block->site->class));
	json_text_literal(event, "\",\"address\":");
	json_text_hex(event, block->address);
	json_text_literal(event, ",\"size_bytes\":");
	json_text_unsigned(event, block->size_bytes);
	if (block->site->node_id != UINT32_MAX) {
		json_text_literal(event, ",\"node_id\":");
		json_text_unsigned(event, block->site->node_id);
	}
	stackview_init(&view, perfetto->sym, block->memory->process, block->site->stack);
	text_caller(caller, &view);
	if (caller->len) {
		json_text_literal(event, ",\"allocated\":");
		json_text_string(event, caller->str + 1);
	}
	stackview_fini(&view);
	g_string_free(caller, TRUE);
	end_event(perfetto, "}}");
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
		end_event(perfetto, ",\"args\":{\"freed\":true}}");
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
	g_string_append_printf(perfetto->event,
			       ",\"name\":\"waiting in queue 0x%" G_GINT64_MODIFIER
			       "x\",\"args\":{",
			       row->queue_id);
	put_member(perfetto->event, sample->has_packets ? "packets" : "bytes");
	json_text_unsigned(perfetto->event, sample->pending);
	end_event(perfetto, "}}");
}

static void put_eviction(struct perfetto *perfetto, const struct eviction *eviction,
			 const char *phase, int64_t time_ns)
{
	begin_event(perfetto, phase, eviction->process, 0, time_ns);
	g_string_append_printf(perfetto->event,
			       ",\"cat\":\"driver\",\"id\":\"%u.%u\","
			       "\"name\":\"queues evicted from GPU %u\",\"args\":{\"trigger\":%u",
			       pid_of(perfetto, eviction->process), eviction->node, eviction->node,
			       eviction->trigger);
	end_event(perfetto, "}}");
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
	perfetto->event = g_string_new(NULL);
	perfetto->pids = g_hash_table_new(NULL, NULL);
	perfetto->tracks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
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
		end_event(perfetto, ",\"args\":{\"freed\":false}}");
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
	g_string_free(perfetto->event, TRUE);
	g_hash_table_destroy(perfetto->pids);
	g_hash_table_destroy(perfetto->tracks);
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
