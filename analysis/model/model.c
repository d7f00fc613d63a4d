/* SPDX-License-Identifier: MIT */
/* Dispatch of records to processes, threads and memory (model.h). */
#include "model.h"

#include <string.h>

#include "guests.h"
#include "model-internal.h"
#include "requests.h"

struct process_key {
	const char *hostname, *recording; /* interned: compared by address */
	uint32_t vpid;
};

struct model {
	GStringChunk *strings;
	GHashTable *types;     /* name with a layer digit (owned) -> struct call_type (owned) */
	GPtrArray *processes;  /* of struct process, owned, in order of appearance */
	GHashTable *current;   /* struct process_key (owned) -> struct process */
	struct process *last;  /* borrowed: the last one that was looked up */
	struct guests *guests; /* owned */
	GArray *observers;     /* of struct model_observer */
	GArray *lost;          /* of struct lost_span */
	uint64_t lost_count, events, own_events, foreign_events, unpaired_events;
	int64_t begin_ns, end_ns;
	struct scope scope; /* begin and end as given, until there is a first record */
	uint32_t schema_major, schema_minor;
};

static guint process_key_hash(gconstpointer data)
{
	const struct process_key *key = data;

	return g_direct_hash(key->hostname) ^ g_direct_hash(key->recording) * 31 ^
	       key->vpid * 2654435761u;
}

static gboolean process_key_equal(gconstpointer left, gconstpointer right)
{
	const struct process_key *a = left, *b = right;

	return a->vpid == b->vpid && a->hostname == b->hostname && a->recording == b->recording;
}

static void free_process(void *data)
{
	process_free(data);
}

struct model *model_new(void)
{
	struct model *model = g_new0(struct model, 1);

	model->strings = g_string_chunk_new(1024);
	model->types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	model->processes = g_ptr_array_new_with_free_func(free_process);
	model->current = g_hash_table_new_full(process_key_hash, process_key_equal, g_free, NULL);
	model->guests = guests_new();
	model->observers = g_array_new(FALSE, FALSE, sizeof(struct model_observer));
	model->lost = g_array_new(FALSE, FALSE, sizeof(struct lost_span));
	return model;
}

void model_free(struct model *model)
{
	if (!model)
		return;
	g_array_set_size(model->observers, 0);
	g_hash_table_destroy(model->current);
	g_ptr_array_free(model->processes, TRUE);
	g_hash_table_destroy(model->types);
	g_array_free(model->observers, TRUE);
	guests_free(model->guests);
	g_array_free(model->lost, TRUE);
	g_string_chunk_free(model->strings);
	g_free(model);
}

void model_observe(struct model *model, const struct model_observer *observer)
{
	g_array_append_val(model->observers, *observer);
}

const char *model_intern(struct model *model, const char *text)
{
	return text ? g_string_chunk_insert_const(model->strings, text) : NULL;
}

const struct call_type *model_call_type(struct model *model, enum layer layer, const char *name)
{
	char *key = g_strdup_printf("%d%s", (int)layer, name);
	struct call_type *type = g_hash_table_lookup(model->types, key);

	if (type) {
		g_free(key);
		return type;
	}
	type = g_new0(struct call_type, 1);
	type->name = model_intern(model, name);
	type->layer = layer;
	type->op = call_op_by_name(layer, name);
	type->index = g_hash_table_size(model->types);
	g_hash_table_insert(model->types, key, type);
	return type;
}

void model_notify_block(struct model *model, const struct block *block, int64_t time_ns, bool began)
{
	for (guint i = 0; i < model->observers->len; i++) {
		const struct model_observer *observer =
			&g_array_index(model->observers, struct model_observer, i);

		if (observer->block_changed)
			observer->block_changed(observer->data, block, time_ns, began);
	}
}

static void notify_began(struct model *model, const struct call *call, const struct record *entry)
{
	for (guint i = 0; i < model->observers->len; i++) {
		const struct model_observer *observer =
			&g_array_index(model->observers, struct model_observer, i);

		if (observer->call_began)
			observer->call_began(observer->data, call, entry);
	}
}

static void notify_ended(struct model *model, const struct call *call, int64_t time_ns,
			 const struct record *exit)
{
	for (guint i = 0; i < model->observers->len; i++) {
		const struct model_observer *observer =
			&g_array_index(model->observers, struct model_observer, i);

		if (observer->call_ended)
			observer->call_ended(observer->data, call, time_ns, exit);
	}
}

static void notify_state(struct model *model, struct process *process, const struct record *record)
{
	for (guint i = 0; i < model->observers->len; i++) {
		const struct model_observer *observer =
			&g_array_index(model->observers, struct model_observer, i);

		if (observer->state_told)
			observer->state_told(observer->data, process, record);
	}
}

struct share *model_find_share(struct model *model, const char *hostname, const uint32_t key[4])
{
	for (guint i = model->processes->len; i > 0; i--) {
		const struct process *process = g_ptr_array_index(model->processes, i - 1);
		struct share *share = process->hostname == hostname
					      ? memory_find_share(process->memory, key)
					      : NULL;

		if (share)
			return share;
	}
	return NULL;
}

static struct process_key key_of(const struct record *record)
{
	return (struct process_key){ .hostname = record->hostname,
				     .recording = record->recording,
				     .vpid = record->vpid };
}

/* How many processes of the host had this id, in any recording. */
static uint32_t count_uses(const struct model *model, const struct record *record)
{
	uint32_t uses = 0;

	for (guint i = 0; i < model->processes->len; i++) {
		const struct process *process = g_ptr_array_index(model->processes, i);

		uses += process->vpid == record->vpid && process->hostname == record->hostname;
	}
	return uses;
}

static struct process *add_process(struct model *model, const struct record *record,
				   const struct process *before)
{
	struct process_key *key = g_new(struct process_key, 1);
	struct process *process = process_new(model, record, before);

	*key = key_of(record);
	process->instance = count_uses(model, record); /* names are told apart by it */
	g_ptr_array_add(model->processes, process);
	g_hash_table_replace(model->current, key, process);
	model->last = process;
	return process;
}

static struct process *get_process(struct model *model, const struct record *record)
{
	struct process *process = model->last;
	struct process_key key;

	if (process && process->vpid == record->vpid && process->hostname == record->hostname &&
	    process->recording == record->recording)
		return process;
	key = key_of(record);
	process = g_hash_table_lookup(model->current, &key);
	if (!process)
		return add_process(model, record, NULL);
	model->last = process;
	return process;
}

/* Gives up the innermost call of a thread: it has no exit. */
static void cut_call(struct model *model, struct thread *thread, int64_t time_ns)
{
	struct call *call = thread_top(thread);

	memory_call_cut(thread->process->memory, call, time_ns);
	requests_call_cut(call);
	notify_ended(model, call, time_ns, NULL);
	thread_pop(thread);
}

static void abandon_calls(struct model *model, struct thread *thread, guint keep, int64_t time_ns)
{
	while (thread->calls->len > keep) {
		cut_call(model, thread, time_ns);
		thread->process->cut_abandoned++;
	}
}

/*
 * How many of the open calls a new one can be inside of; the exits of the others are lost. No call is
 * made from inside a lower layer, ioctls and system calls do not nest, and no function calls itself.
 */
static guint possible_depth(const struct thread *thread, const struct record *entry)
{
	for (guint i = 0; i < thread->calls->len; i++) {
		const struct call *call = &g_array_index(thread->calls, struct call, i);

		if (call->type == entry->type || call->type->layer > entry->type->layer ||
		    (call->type->layer == entry->type->layer && entry->type->layer > LAYER_API) ||
		    (call->is_doubtful && entry->type->layer <= call->type->layer))
			return i;
	}
	return thread->calls->len;
}

/* Other tracers do not say what memory a call gave or took. */
static void note_layer(struct process *process, const struct record *record)
{
	enum layer layer = record->type->layer;

	if (record->is_foreign)
		return;
	process->has_hip |= layer == LAYER_HIP;
	process->has_api |= layer == LAYER_API;
	process->has_ioctl |= layer == LAYER_IOCTL;
}

/* What the host does for a guest, the guest's program has asked for. */
static void take_guest_stack(struct model *model, struct call *call)
{
	const struct stack *stack = guests_stack(model->guests, call->thread);

	if (stack)
		call->stack = stack;
}

static void take_entry(struct model *model, const struct record *record)
{
	struct process *process = get_process(model, record);
	struct thread *thread = process_thread(process, record);
	struct call *call;

	note_layer(process, record);
	if (thread_is_reused(thread, record)) {
		if (record->vtid == record->vpid && record->type->layer <= LAYER_API) {
			process = add_process(model, record, process);
			note_layer(process, record);
			thread = process_thread(process, record);
		} else {
			abandon_calls(model, thread, 0, record->time_ns);
			memset(thread->last_number, 0, sizeof(thread->last_number));
		}
	}
	abandon_calls(model, thread, possible_depth(thread, record), record->time_ns);
	call = thread_push(thread, record);
	guests_call_entry(model->guests, call);
	if (call->type->layer == LAYER_API)
		take_guest_stack(model, call);
	process->last_ns = record->time_ns;
	process->events++;
	if (call->type->layer == LAYER_HIP)
		requests_call_entry(process->requests, call);
	else
		memory_call_entry(process->memory, call);
	notify_began(model, call, record);
}

/* Opens and closes are counted; when the recording began in between, only a close to zero helps. */
static void count_opens(struct process *process, const struct call *call, const struct record *exit)
{
	uint64_t status = values_get(&exit->values, FIELD_STATUS, 1);
	enum { ALREADY_OPENED = 22 };

	if (call->type->op == OP_OPEN && (status == 0 || status == ALREADY_OPENED)) {
		if (status == 0)
			process->open_count = 1;
		else if (process->open_count > 0)
			process->open_count++;
		process->closed_ns = 0;
	} else if (call->type->op == OP_CLOSE && status == 0) {
		if (process->open_count > 0)
			process->open_count--;
		/* Unknown count: taken for the last one; a later open or call takes it back. */
		if (process->open_count <= 0) {
			process->closed_ns = exit->time_ns;
			memory_final_close(process->memory, exit->time_ns);
		}
	}
}

static void take_exit(struct model *model, const struct record *record)
{
	struct process *process = get_process(model, record);
	struct thread *thread = process_thread(process, record);
	int index = thread_match(thread, record);
	struct call *call, *outer;
	int64_t duration_ns;

	process->last_ns = record->time_ns;
	process->events++;
	note_layer(process, record);
	if (index < 0) {
		process->cut_began_before++;
		return;
	}
	abandon_calls(model, thread, (guint)index + 1, record->time_ns);
	call = thread_top(thread);
	if (call->is_doubtful) { /* this may be the exit of a later call like it */
		abandon_calls(model, thread, (guint)index, record->time_ns);
		return;
	}
	if (call->type->layer == LAYER_HIP) {
		requests_call_exit(process->requests, process, call, record);
	} else if (call->type->layer == LAYER_API) {
		memory_api_exit(process->memory, call, record);
		count_opens(process, call, record);
	} else if (call->type->layer == LAYER_IOCTL) {
		outer = index > 0 ? &g_array_index(thread->calls, struct call, index - 1) : NULL;
		while (outer && outer->type->layer != LAYER_API)
			outer = outer > &g_array_index(thread->calls, struct call, 0) ? outer - 1
										      : NULL;
		memory_ioctl_exit(process->memory, call, outer, record);
	}
	guests_call_exit(model->guests, call, record);
	notify_ended(model, call, record->time_ns, record);
	duration_ns = record->time_ns - call->entry_ns;
	thread_pop(thread);
	outer = thread_top(thread);
	if (outer)
		outer->inside_ns += duration_ns;
}

static bool lost_applies(const struct lost_span *span, const struct process *process)
{
	if (span->hostname && process->hostname && span->hostname != process->hostname)
		return false;
	return span->vpid == 0 || span->vpid == process->vpid;
}

/* Calls without numbers cannot be told from later ones once events are missing. */
static void doubt_calls(struct model *model, const struct lost_span *span)
{
	GHashTableIter iter;
	void *value;

	for (guint i = 0; model->foreign_events && i < model->processes->len; i++) {
		struct process *process = g_ptr_array_index(model->processes, i);

		if (!lost_applies(span, process))
			continue;
		g_hash_table_iter_init(&iter, process->threads);
		while (g_hash_table_iter_next(&iter, NULL, &value)) {
			const struct thread *thread = value;

			for (guint j = 0; j < thread->calls->len; j++) {
				struct call *call = &g_array_index(thread->calls, struct call, j);

				call->is_doubtful |= call->is_foreign;
			}
		}
	}
}

static void take_lost(struct model *model, const struct record *record)
{
	struct lost_span span = {
		.hostname = record->hostname,
		.vpid = record->vpid,
		.begin_ns = record->time_ns,
		.end_ns = (int64_t)values_get(&record->values, FIELD_UNTIL,
					      (uint64_t)record->time_ns),
		.count = values_get(&record->values, FIELD_LOST, 1),
	};
	struct lost_span *last = model->lost->len ? &g_array_index(model->lost, struct lost_span,
								   model->lost->len - 1)
						  : NULL;

	model->lost_count += span.count;
	doubt_calls(model, &span);
	/* Neighbours are merged, so that the list stays short however long the overflow lasts. */
	if (last && last->hostname == span.hostname && last->vpid == span.vpid &&
	    span.begin_ns <= last->end_ns) {
		last->begin_ns = MIN(last->begin_ns, span.begin_ns);
		last->end_ns = MAX(last->end_ns, span.end_ns);
		last->count += span.count;
		return;
	}
	g_array_append_val(model->lost, span);
}

static bool lost_since(const struct model *model, const struct process *process, int64_t time_ns)
{
	for (guint i = 0; i < model->lost->len; i++) {
		const struct lost_span *span = &g_array_index(model->lost, struct lost_span, i);

		if (lost_applies(span, process) && span->end_ns >= time_ns)
			return true;
	}
	return false;
}

static void take_schema(struct model *model, struct process *process, const struct record *record)
{
	const struct values *values = &record->values;
	uint32_t major = (uint32_t)values_get(values, FIELD_MAJOR, 0);
	uint32_t minor = (uint32_t)values_get(values, FIELD_MINOR, 0);

	if (major > model->schema_major ||
	    (major == model->schema_major && minor > model->schema_minor)) {
		model->schema_major = major;
		model->schema_minor = minor;
	}
	process->ppid = (uint32_t)values_get(values, FIELD_PPID, process->ppid);
	process->memlock_bytes = values_get(values, FIELD_MEMLOCK, process->memlock_bytes);
	if (process->open_count < 0 && values_have(values, FIELD_OPEN_COUNT))
		process->open_count = (int32_t)values->v[FIELD_OPEN_COUNT];
	if (record->text && !process->command)
		process->command = g_strdup(record->text);
}

static void take_dump_owner(struct process *process, const struct record *record,
			    enum block_origin origin, enum field id)
{
	memory_dump_owner(process->memory, origin, values_get(&record->values, id, 0), record);
}

static void take_process_exit(struct process *process, const struct values *values)
{
	const bool by_signal = values_have(values, FIELD_SIGNAL);

	process->end = by_signal ? PROCESS_END_SIGNAL : PROCESS_END_EXIT;
	if (by_signal)
		process->end_code = (int32_t)values->v[FIELD_SIGNAL];
	else if (values_have(values, FIELD_EXIT_CODE))
		process->end_code = (int32_t)values->v[FIELD_EXIT_CODE];
}

/* What a record says of the process itself; the others are of no object of the model. */
static void take_state(struct model *model, const struct record *record)
{
	struct process *process = get_process(model, record);
	const struct values *values = &record->values;
	uint64_t base = values_get(values, FIELD_ADDRESS, 0);

	process->last_ns = MAX(process->last_ns, record->time_ns);
	switch (record->kind) {
	case RECORD_SCHEMA:
		take_schema(model, process, record);
		break;
	case RECORD_DUMP_BEGIN:
		memory_dump_begin(process->memory, record->time_ns);
		break;
	case RECORD_DUMP_NODE:
		process_set_node(process, (uint32_t)values_get(values, FIELD_NODE, 0),
				 (uint32_t)values_get(values, FIELD_GPU, 0), record->text);
		break;
	case RECORD_DUMP_ALLOC:
		memory_dump_block(process->memory, record);
		break;
	case RECORD_DUMP_QUEUE:
		take_dump_owner(process, record, ORIGIN_QUEUE, FIELD_QUEUE);
		break;
	case RECORD_DUMP_EVENT:
		take_dump_owner(process, record, ORIGIN_EVENT, FIELD_EVENT);
		break;
	case RECORD_DUMP_REQUEST:
		requests_dump(process->requests, process, record);
		break;
	case RECORD_DUMP_REQUESTS:
		process->requests->is_dumped = true;
		break;
	case RECORD_STACK:
		process_define_stack(process, record);
		break;
	case RECORD_DUMP_END:
		memory_dump_end(process->memory, record->time_ns,
				!lost_since(model, process, process->memory->dump_begin_ns));
		break;
	case RECORD_FORKED:
		process->forked = true;
		process->ppid = (uint32_t)values_get(values, FIELD_PPID, process->ppid);
		break;
	case RECORD_PROCESS_EXIT:
		take_process_exit(process, values);
		break;
	case RECORD_MODULE:
		modules_load(&process->modules, base, values_get(values, FIELD_SIZE, 0),
			     record->text, record->build_id, record->build_id_size);
		break;
	case RECORD_MODULE_ID:
		modules_identify(&process->modules, base, record->build_id, record->build_id_size);
		break;
	case RECORD_CLOCK_PAIR:
		guests_clock_pair(model->guests, record);
		break;
	case RECORD_OTHER:
	case RECORD_CALL_ENTRY:
	case RECORD_CALL_EXIT:
	case RECORD_QUEUE_SAMPLE:
	case RECORD_DRIVER_STREAM:
	case RECORD_DRIVER_EVENT:
	case RECORD_DRIVER_RAW:
	case RECORD_MODULES_BEGIN:
	case RECORD_MODULE_GONE: /* see modules.h: only a take-over changes the map */
	case RECORD_MODULES_END:
	case RECORD_FILES_READ:
	case RECORD_MESSAGE:
	case RECORD_DUMP_HIDDEN:
	case RECORD_LOST:
		break;
	}
	notify_state(model, process, record);
}

static int64_t moment_since(int64_t begin_ns, int64_t time_ns)
{
	return time_ns < 0 ? begin_ns - time_ns : time_ns;
}

static void begin_recording(struct model *model, int64_t time_ns)
{
	model->begin_ns = time_ns;
	model->scope.begin_ns = moment_since(time_ns, model->scope.begin_ns);
	model->scope.end_ns = moment_since(time_ns, model->scope.end_ns);
}

void model_take(struct model *model, const struct record *record)
{
	if (record->kind == RECORD_LOST) {
		take_lost(model, record);
		return;
	}
	if (model->events++ == 0)
		begin_recording(model, record->time_ns);
	model->end_ns = MAX(model->end_ns, record->time_ns);
	switch (record->kind) {
	case RECORD_OTHER:
		return;
	case RECORD_CALL_ENTRY:
		take_entry(model, record);
		break;
	case RECORD_CALL_EXIT:
		take_exit(model, record);
		break;
	case RECORD_MODULES_BEGIN:
	case RECORD_MODULE:
	case RECORD_MODULE_ID:
	case RECORD_MODULE_GONE:
	case RECORD_MODULES_END:
		take_state(model, record);
		if (record->is_foreign)
			return; /* of LTTng's own listing, which no other tracer made either */
		break;
	default:
		take_state(model, record);
		break;
	}
	if (record->is_foreign) {
		model->foreign_events++;
		return;
	}
	model->own_events++;
	model->last->own_events++; /* the record was its */
}

void model_end_process(struct model *model, const char *recording, uint32_t vpid, int exit_code,
		       int signal)
{
	for (guint i = model->processes->len; i > 0; i--) {
		struct process *process = g_ptr_array_index(model->processes, i - 1);

		if (process->vpid != vpid ||
		    (recording && g_strcmp0(process->recording, recording) != 0))
			continue;
		process->end = signal ? PROCESS_END_SIGNAL : PROCESS_END_EXIT;
		process->end_code = signal ? signal : exit_code;
		return; /* the last one that had this id */
	}
}

static void note_unfinished(struct process *process, const struct thread *thread)
{
	const struct call *call;
	struct unfinished unfinished;

	if (thread->calls->len == 0)
		return;
	call = &g_array_index(thread->calls, struct call, 0);
	unfinished = (struct unfinished){ .type = call->type,
					  .stack = call->stack,
					  .vtid = thread->vtid,
					  .since_ns = call->entry_ns };
	g_array_append_val(process->unfinished, unfinished);
}

static int compare_unfinished(const void *left, const void *right)
{
	const struct unfinished *a = left, *b = right;

	return a->since_ns < b->since_ns ? -1 : a->since_ns > b->since_ns;
}

static void finish_process(struct model *model, struct process *process)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, process->threads);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct thread *thread = value;

		note_unfinished(process, thread);
		while (thread->calls->len) {
			process->cut_unfinished++;
			cut_call(model, thread, model->end_ns);
		}
	}
	g_array_sort(process->unfinished, compare_unfinished);
	for (guint i = 0; i < model->lost->len; i++) {
		const struct lost_span *span = &g_array_index(model->lost, struct lost_span, i);

		if (lost_applies(span, process))
			process->lost_events += span->count;
	}
}

void model_finish(struct model *model)
{
	for (guint i = 0; i < model->processes->len; i++)
		finish_process(model, g_ptr_array_index(model->processes, i));
	guests_finish(model->guests);
}

const GPtrArray *model_guest_rows(const struct model *model)
{
	return guests_rows(model->guests);
}

void model_limit(struct model *model, int64_t begin_ns, int64_t end_ns)
{
	model->scope = (struct scope){ begin_ns, end_ns };
}

const struct scope *model_scope(const struct model *model)
{
	return &model->scope;
}

const GPtrArray *model_processes(const struct model *model)
{
	return model->processes;
}

const GArray *model_lost_spans(const struct model *model)
{
	return model->lost;
}

uint64_t model_lost_count(const struct model *model)
{
	return model->lost_count;
}

uint64_t model_events(const struct model *model)
{
	return model->events;
}

uint64_t model_own_events(const struct model *model)
{
	return model->own_events;
}

uint64_t model_foreign_events(const struct model *model)
{
	return model->foreign_events;
}

uint64_t model_unpaired_events(const struct model *model)
{
	return model->unpaired_events;
}

void model_note_unpaired(struct model *model)
{
	model->unpaired_events++;
}

int64_t model_begin_ns(const struct model *model)
{
	return model->begin_ns;
}

int64_t model_end_ns(const struct model *model)
{
	return model->end_ns;
}

bool model_overlaps(const struct model *model, int64_t begin_ns, int64_t end_ns, int64_t from_ns,
		    int64_t until_ns)
{
	const struct scope scope = { moment_since(model->begin_ns, begin_ns),
				     moment_since(model->begin_ns, end_ns) };

	return scope_overlaps(&scope, from_ns, until_ns);
}

bool model_within(const struct model *model, int64_t begin_ns, int64_t end_ns, int64_t time_ns)
{
	return model_overlaps(model, begin_ns, end_ns, time_ns, time_ns);
}

void model_schema(const struct model *model, uint32_t *major, uint32_t *minor)
{
	*major = model->schema_major;
	*minor = model->schema_minor;
}

const struct lost_span *model_doubt_since(const struct model *model, const struct process *process,
					  int64_t time_ns)
{
	for (guint i = 0; i < model->lost->len; i++) {
		const struct lost_span *span = &g_array_index(model->lost, struct lost_span, i);

		if (lost_applies(span, process) && span->end_ns > time_ns)
			return span;
	}
	return NULL;
}

const struct lost_span *model_doubt(const struct model *model, const struct block *block)
{
	const struct process *process = block->site->process;

	for (guint i = 0; i < model->lost->len; i++) {
		const struct lost_span *span = &g_array_index(model->lost, struct lost_span, i);

		if (!lost_applies(span, process) || span->end_ns <= block->confirmed_ns)
			continue;
		if (block->fate == FATE_AT_CLOSE && span->begin_ns >= block->end_ns)
			continue;
		return span;
	}
	return NULL;
}
