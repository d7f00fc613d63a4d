/* SPDX-License-Identifier: MIT */
/* From lines to spans, sums and notes (driver_events.h). */
#include "driver_events.h"

#include "keyed.h"
#include "op_cache.h"

/* Beginnings that wait for their end. */
#define OPEN_MAX 65536u
/* A line that is older than this when it is read has another clock than the recording's. */
#define DELAY_MAX_NS INT64_C(60000000000)

/* A beginning. */
struct open_span {
	int64_t since_ns;
	bool is_counted;
};

/* What an end has to have in common with its beginning. */
struct open_key {
	const struct process *process;
	uint32_t event, node;
	uint64_t address, size_bytes;
};

/* The last call that changed memory. */
struct last_call {
	const struct call_type *type;
	int64_t time_ns;
	const struct stack *stack;
};

struct driver_events {
	const struct scope *scope; /* borrowed */
	GPtrArray *streams;        /* of struct driver_stream, owned */
	GPtrArray *evictions;      /* of struct eviction, owned */
	GPtrArray *migrations;     /* of struct migration_sum, owned */
	GPtrArray *page_faults;    /* of struct page_fault_sum, owned */
	GPtrArray *unmaps;         /* of struct unmap_sum, owned */
	GPtrArray *notes;          /* of struct driver_note, owned */
	uint64_t evictions_beyond; /* that are only counted */
	uint64_t notes_beyond, lines_beyond;
	struct driver_observer observer;
	GHashTable *open;   /* struct open_key, owned -> struct open_span, owned */
	struct keyed calls; /* of struct process: struct last_call */
};

static void note_free(void *data)
{
	struct driver_note *note = data;

	g_free(note->text);
	g_free(note);
}

static guint open_hash(gconstpointer data)
{
	const struct open_key *key = data;

	return g_direct_hash(key->process) ^ g_int64_hash(&key->address) ^ key->node ^ key->event;
}

static gboolean open_equal(gconstpointer left, gconstpointer right)
{
	const struct open_key *a = left, *b = right;

	return a->process == b->process && a->event == b->event && a->node == b->node &&
	       a->address == b->address && a->size_bytes == b->size_bytes;
}

static uint64_t number(const struct record *record, const char *name)
{
	return args_reader_number(record->reader, name, 0);
}

/* When it happened: the driver's clock goes on in suspend, the recording's does not. */
static int64_t moment(const struct record *record)
{
	int64_t told_ns = (int64_t)number(record, "boottime_ns");
	int64_t delay_ns = (int64_t)number(record, "now_boottime_ns") - told_ns;

	if (told_ns == 0 || delay_ns < 0 || delay_ns > DELAY_MAX_NS)
		return record->time_ns;
	return record->time_ns - delay_ns;
}

static char *text_of(const struct record *record, const char *name)
{
	struct args *args = args_reader_all(record->reader);
	const struct arg *arg = args_find(args, name);
	char *text = arg && arg->text && *arg->text ? g_strdup(arg->text) : NULL;

	args_free(args);
	return text;
}

static struct open_key key_of(const struct process *process, const struct record *record,
			      enum driver_event begin)
{
	return (struct open_key){
		.process = process,
		.event = begin,
		.node = (uint32_t)number(record, "node"),
		.address = number(record, "address"),
		.size_bytes = number(record, "size_bytes"),
	};
}

static void begin(struct driver_events *events, const struct process *process,
		  const struct record *record, enum driver_event event, struct driver_sum *sum)
{
	const struct open_key key = key_of(process, record, event);
	const int64_t since_ns = moment(record);
	const struct open_span span = { since_ns, scope_counts(events->scope, since_ns) };

	if (span.is_counted) {
		sum->count++;
		sum->open++;
		sum->bytes += key.size_bytes;
	}
	if (g_hash_table_size(events->open) < OPEN_MAX)
		g_hash_table_replace(events->open, g_memdup2(&key, sizeof(key)),
				     g_memdup2(&span, sizeof(span)));
}

/* @return whether it counts: what has a beginning counts where it began. */
static bool end(struct driver_events *events, const struct process *process,
		const struct record *record, enum driver_event event, struct driver_sum *sum)
{
	const struct open_key key = key_of(process, record, event);
	const struct open_span *span = g_hash_table_lookup(events->open, &key);
	const int64_t end_ns = moment(record);
	bool is_counted = span ? span->is_counted : scope_counts(events->scope, end_ns);

	if (!span && is_counted) {
		sum->count++;
		sum->unbegun++;
		sum->bytes += key.size_bytes;
	} else if (is_counted) {
		const int64_t length_ns = MAX(end_ns - span->since_ns, 0);

		sum->open -= sum->open > 0;
		sum->total_ns += length_ns;
		sum->longest_ns = MAX(sum->longest_ns, length_ns);
	}
	g_hash_table_remove(events->open, &key);
	return is_counted;
}

static void tell(const struct driver_events *events, const struct eviction *eviction,
		 int64_t time_ns)
{
	if (events->observer.eviction_changed)
		events->observer.eviction_changed(events->observer.data, eviction, time_ns);
}

static struct eviction *new_eviction(struct driver_events *events, struct process *process,
				     uint32_t node, int64_t time_ns)
{
	const struct last_call *last = g_hash_table_lookup(events->calls.table, process);
	struct eviction *eviction;

	if (events->evictions->len >= DRIVER_EVENTS_MAX) {
		events->evictions_beyond += scope_counts(events->scope, time_ns);
		return NULL;
	}
	eviction = g_new0(struct eviction, 1);
	eviction->process = process;
	eviction->node = node;
	if (last) {
		eviction->before = last->type;
		eviction->before_ns = last->time_ns;
		eviction->before_stack = last->stack;
	}
	g_ptr_array_add(events->evictions, eviction);
	return eviction;
}

static void take_eviction(struct driver_events *events, struct process *process,
			  const struct record *record)
{
	const int64_t begin_ns = moment(record);
	struct eviction *eviction =
		new_eviction(events, process, (uint32_t)number(record, "node"), begin_ns);

	if (!eviction)
		return;
	eviction->begin_ns = begin_ns;
	eviction->trigger = (uint32_t)number(record, "trigger");
	tell(events, eviction, record->time_ns);
}

static void take_restore(struct driver_events *events, struct process *process,
			 const struct record *record)
{
	uint32_t node = (uint32_t)number(record, "node");
	struct eviction *found = NULL;

	for (guint i = events->evictions->len; i > 0 && !found; i--) {
		struct eviction *eviction = g_ptr_array_index(events->evictions, i - 1);

		if (eviction->process == process && eviction->node == node && !eviction->end_ns)
			found = eviction;
	}
	/* An eviction before the first line; not one of those that are only counted. */
	if (!found && events->evictions->len < DRIVER_EVENTS_MAX)
		found = new_eviction(events, process, node, moment(record));
	if (!found)
		return;
	found->end_ns = MAX(moment(record), found->begin_ns);
	found->is_rescheduled = number(record, "is_rescheduled") != 0;
	tell(events, found, record->time_ns);
	/* Those of other times must not take the places of those in the scope. */
	if (!scope_overlaps(events->scope, found->begin_ns, found->end_ns))
		g_ptr_array_remove(events->evictions, found);
}

static void take_migration(struct driver_events *events, struct process *process,
			   const struct record *record, bool is_end)
{
	const struct migration_sum wanted = {
		.process = process,
		.from = (uint32_t)number(record, "from"),
		.to = (uint32_t)number(record, "to"),
		.trigger = (uint32_t)number(record, "trigger"),
	};
	struct migration_sum *row = NULL;

	for (guint i = 0; i < events->migrations->len && !row; i++) {
		struct migration_sum *one = g_ptr_array_index(events->migrations, i);

		if (one->process == wanted.process && one->from == wanted.from &&
		    one->to == wanted.to && one->trigger == wanted.trigger)
			row = one;
	}
	if (!row) {
		row = g_memdup2(&wanted, sizeof(wanted));
		g_ptr_array_add(events->migrations, row);
	}
	if (is_end) {
		row->failed += end(events, process, record, DRIVER_MIGRATE_START, &row->sum) &&
			       number(record, "error") != 0;
	} else {
		begin(events, process, record, DRIVER_MIGRATE_START, &row->sum);
	}
}

static struct page_fault_sum *page_faults_of(struct driver_events *events, struct process *process,
					     uint32_t node)
{
	struct page_fault_sum *row;

	for (guint i = 0; i < events->page_faults->len; i++) {
		row = g_ptr_array_index(events->page_faults, i);
		if (row->process == process && row->node == node)
			return row;
	}
	row = g_new0(struct page_fault_sum, 1);
	row->process = process;
	row->node = node;
	g_ptr_array_add(events->page_faults, row);
	return row;
}

static void take_page_fault(struct driver_events *events, struct process *process,
			    const struct record *record, bool is_end)
{
	struct page_fault_sum *row =
		page_faults_of(events, process, (uint32_t)number(record, "node"));

	if (is_end) {
		row->migrated += end(events, process, record, DRIVER_FAULT_START, &row->sum) &&
				 number(record, "is_migrated") != 0;
	} else {
		row->writes += scope_counts(events->scope, moment(record)) &&
			       number(record, "is_write") != 0;
		begin(events, process, record, DRIVER_FAULT_START, &row->sum);
	}
}

static void take_unmap(struct driver_events *events, struct process *process,
		       const struct record *record)
{
	uint32_t node = (uint32_t)number(record, "node");
	uint32_t trigger = (uint32_t)number(record, "trigger");
	struct unmap_sum *row = NULL;

	if (!scope_counts(events->scope, moment(record)))
		return;
	for (guint i = 0; i < events->unmaps->len && !row; i++) {
		struct unmap_sum *one = g_ptr_array_index(events->unmaps, i);

		if (one->process == process && one->node == node && one->trigger == trigger)
			row = one;
	}
	if (!row) {
		row = g_new0(struct unmap_sum, 1);
		row->process = process;
		row->node = node;
		row->trigger = trigger;
		g_ptr_array_add(events->unmaps, row);
	}
	row->count++;
	row->bytes += number(record, "size_bytes");
}

static void take_note(struct driver_events *events, struct process *process,
		      const struct record *record, enum driver_event event)
{
	struct driver_note *note;

	if (!scope_counts(events->scope, record->time_ns))
		return;
	if (events->notes->len >= DRIVER_EVENTS_MAX) {
		if (event == DRIVER_OTHER)
			events->lines_beyond++;
		else
			events->notes_beyond++;
		return;
	}
	note = g_new0(struct driver_note, 1);
	note->process = process;
	note->event = event;
	note->time_ns = record->time_ns;
	note->gpu_id = (uint32_t)number(record, "gpu_id");
	note->pid = (uint32_t)number(record, "pid");
	note->sequence = (uint32_t)number(record, "sequence");
	note->bitmask = number(record, "bitmask");
	note->counter = number(record, "counter");
	note->text = text_of(record, "text");
	if (!note->text)
		note->text = text_of(record, "task");
	if (!note->text)
		note->text = text_of(record, "cause");
	g_ptr_array_add(events->notes, note);
}

static void take_line(struct driver_events *events, struct process *process,
		      const struct record *record)
{
	const uint64_t event = number(record, "number");

	/* Lines without the form of their event are told as they are, with its number. */
	if (record->kind == RECORD_DRIVER_RAW) {
		take_note(events, process, record, DRIVER_OTHER);
		return;
	}
	switch (event) {
	case DRIVER_EVICTION:
		take_eviction(events, process, record);
		break;
	case DRIVER_RESTORE:
		take_restore(events, process, record);
		break;
	case DRIVER_MIGRATE_START:
	case DRIVER_MIGRATE_END:
		take_migration(events, process, record, event == DRIVER_MIGRATE_END);
		break;
	case DRIVER_FAULT_START:
	case DRIVER_FAULT_END:
		take_page_fault(events, process, record, event == DRIVER_FAULT_END);
		break;
	case DRIVER_UNMAP:
		take_unmap(events, process, record);
		break;
	default:
		take_note(events, process, record,
			  event <= DRIVER_PROCESS_END ? (enum driver_event)event : DRIVER_OTHER);
		break;
	}
}

static void take_stream(struct driver_events *events, struct process *process,
			const struct record *record)
{
	uint32_t gpu_id = (uint32_t)number(record, "gpu_id");
	struct driver_stream *stream;

	for (guint i = 0; i < events->streams->len; i++) {
		stream = g_ptr_array_index(events->streams, i);
		if (stream->process == process && stream->gpu_id == gpu_id)
			return; /* told again */
	}
	stream = g_new0(struct driver_stream, 1);
	stream->process = process;
	stream->gpu_id = gpu_id;
	stream->os_errno = (uint32_t)number(record, "os_errno");
	stream->is_open = stream->os_errno == 0;
	g_ptr_array_add(events->streams, stream);
}

static void state_told(void *data, struct process *process, const struct record *record)
{
	struct driver_events *events = data;

	if (record->kind == RECORD_DRIVER_STREAM)
		take_stream(events, process, record);
	else if (record->kind == RECORD_DRIVER_EVENT || record->kind == RECORD_DRIVER_RAW)
		take_line(events, process, record);
}

static bool changes_memory(const struct call_type *type)
{
	switch ((int)type->op) {
	case OP_ALLOC:
	case OP_FREE:
	case OP_MAP:
	case OP_UNMAP:
	case OP_REGISTER:
	case OP_DEREGISTER:
	case OP_BO_ALLOC:
	case OP_BO_FREE:
	case OP_BO_MAP:
	case OP_BO_UNMAP:
		return true;
	}
	return false;
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct driver_events *events = data;
	struct last_call *last;

	(void)entry;
	if (!changes_memory(call->type) || call_is_inner(call))
		return;
	last = keyed_find(&events->calls, call->thread->process);
	if (!last)
		last = keyed_add(&events->calls, call->thread->process, g_new(struct last_call, 1));
	*last = (struct last_call){ call->type, call->entry_ns, call->stack };
}

struct driver_events *driver_events_new(struct model *model)
{
	struct driver_events *events = g_new0(struct driver_events, 1);
	const struct model_observer observer = { .data = events,
						 .call_began = call_began,
						 .state_told = state_told };

	events->scope = model_scope(model);
	events->streams = g_ptr_array_new_with_free_func(g_free);
	events->evictions = g_ptr_array_new_with_free_func(g_free);
	events->migrations = g_ptr_array_new_with_free_func(g_free);
	events->page_faults = g_ptr_array_new_with_free_func(g_free);
	events->unmaps = g_ptr_array_new_with_free_func(g_free);
	events->notes = g_ptr_array_new_with_free_func(note_free);
	events->open = g_hash_table_new_full(open_hash, open_equal, g_free, g_free);
	keyed_init(&events->calls, g_free);
	model_observe(model, &observer);
	return events;
}

void driver_events_observe(struct driver_events *events, const struct driver_observer *observer)
{
	events->observer = *observer;
}

void driver_events_free(struct driver_events *events)
{
	if (!events)
		return;
	g_ptr_array_free(events->streams, TRUE);
	g_ptr_array_free(events->evictions, TRUE);
	g_ptr_array_free(events->migrations, TRUE);
	g_ptr_array_free(events->page_faults, TRUE);
	g_ptr_array_free(events->unmaps, TRUE);
	g_ptr_array_free(events->notes, TRUE);
	g_hash_table_destroy(events->open);
	keyed_fini(&events->calls);
	g_free(events);
}

const GPtrArray *driver_streams(const struct driver_events *events)
{
	return events->streams;
}

const GPtrArray *driver_evictions(const struct driver_events *events)
{
	return events->evictions;
}

uint64_t driver_evictions_count(const struct driver_events *events)
{
	uint64_t count = events->evictions_beyond;

	for (guint i = 0; i < events->evictions->len; i++) {
		const struct eviction *eviction = g_ptr_array_index(events->evictions, i);

		count += scope_overlaps(events->scope, eviction->begin_ns,
					eviction->end_ns ? eviction->end_ns : INT64_MAX);
	}
	return count;
}

const GPtrArray *driver_migrations(const struct driver_events *events)
{
	return events->migrations;
}

const GPtrArray *driver_page_faults(const struct driver_events *events)
{
	return events->page_faults;
}

const GPtrArray *driver_unmaps(const struct driver_events *events)
{
	return events->unmaps;
}

const GPtrArray *driver_notes(const struct driver_events *events)
{
	return events->notes;
}

uint64_t driver_notes_beyond(const struct driver_events *events)
{
	return events->notes_beyond;
}

uint64_t driver_lines_beyond(const struct driver_events *events)
{
	return events->lines_beyond;
}
