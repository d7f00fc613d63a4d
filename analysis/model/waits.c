/* SPDX-License-Identifier: MIT */
/* Events, sets and waits (waits.h). Spins are in spins.c. */
#include "waits.h"

#include <string.h>

#include "keyed.h"
#include "op_cache.h"
#include "spins.h"

enum { STATUS_SUCCESS = 0, STATUS_WAIT_TIMEOUT = 31, KERNEL_WAIT_TIMEOUT = 1 };

/* What a call is to this watcher. */
enum wait_op {
	WAIT_OP_NONE,
	WAIT_OP_CREATE,
	WAIT_OP_DESTROY,
	WAIT_OP_SET,
	WAIT_OP_RESET,
	WAIT_OP_WAIT,
};

static const struct op_name known_ops[] = {
	{ LAYER_API, "hsaKmtCreateEvent", WAIT_OP_CREATE },
	{ LAYER_API, "hsaKmtDestroyEvent", WAIT_OP_DESTROY },
	{ LAYER_API, "hsaKmtSetEvent", WAIT_OP_SET },
	{ LAYER_API, "hsaKmtResetEvent", WAIT_OP_RESET },
	{ LAYER_API, "hsaKmtWaitOnEvent", WAIT_OP_WAIT },
	{ LAYER_API, "hsaKmtWaitOnEvent_Ext", WAIT_OP_WAIT },
	{ LAYER_API, "hsaKmtWaitOnMultipleEvents", WAIT_OP_WAIT },
	{ LAYER_API, "hsaKmtWaitOnMultipleEvents_Ext", WAIT_OP_WAIT },
	{ LAYER_IOCTL, "CREATE_EVENT", WAIT_OP_CREATE },
	{ LAYER_IOCTL, "DESTROY_EVENT", WAIT_OP_DESTROY },
	{ LAYER_IOCTL, "SET_EVENT", WAIT_OP_SET },
	{ LAYER_IOCTL, "RESET_EVENT", WAIT_OP_RESET },
	{ LAYER_IOCTL, "WAIT_EVENTS", WAIT_OP_WAIT },
};

/* A set, reset or destroy that has begun. */
struct pending {
	bool is_open;
	uint64_t id;
	bool had_waiter;
	/* Owned: what a destroy has taken, when its number was given out again before the exit. */
	struct wait_event *replaced;
};

/* What a thread is about to do. */
struct doing {
	bool is_waiting;
	struct wait wait;
	struct pending pending;
};

struct waits {
	struct model *model; /* borrowed */
	struct op_cache ops;
	GHashTable *events;     /* struct event_key (owned) -> struct wait_event, owned */
	GPtrArray *sites;       /* of struct event_site, owned */
	GHashTable *site_index; /* "process stack" (struct site_key, owned) -> struct event_site */
	GPtrArray *wait_sites;  /* of struct wait_site, owned */
	GHashTable *wait_index; /* struct site_key (owned) -> struct wait_site */
	struct keyed threads;   /* of struct thread: struct doing */
	GPtrArray *left_open;   /* of struct open_wait, owned */
	GPtrArray *processes;   /* of struct waits_process, owned */
	struct spins *spins;    /* owned */
	bool is_over;           /* the scope is, and what was alive at its end is counted */
	struct waits_observer observer;
};

struct event_key {
	const struct process *process;
	uint64_t id;
};

struct site_key {
	const void *process, *stack, *type;
};

static guint event_key_hash(gconstpointer data)
{
	const struct event_key *key = data;

	return g_direct_hash(key->process) ^ (guint)(key->id * 2654435761u);
}

static gboolean event_key_equal(gconstpointer left, gconstpointer right)
{
	const struct event_key *a = left, *b = right;

	return a->process == b->process && a->id == b->id;
}

static guint site_key_hash(gconstpointer data)
{
	const struct site_key *key = data;

	return g_direct_hash(key->process) ^ g_direct_hash(key->stack) * 31 ^
	       g_direct_hash(key->type) * 961;
}

static gboolean site_key_equal(gconstpointer left, gconstpointer right)
{
	const struct site_key *a = left, *b = right;

	return a->process == b->process && a->stack == b->stack && a->type == b->type;
}

static void event_free(void *data)
{
	struct wait_event *event = data;

	g_free(event->type);
	g_free(event);
}

static void pending_end(struct pending *pending)
{
	if (pending->replaced)
		event_free(pending->replaced);
	*pending = (struct pending){ 0 };
}

static void doing_free(void *data)
{
	struct doing *doing = data;

	pending_end(&doing->pending);
	g_free(doing);
}

static struct doing *doing_of(struct waits *waits, const struct thread *thread)
{
	struct doing *doing = keyed_find(&waits->threads, thread);

	return doing ? doing : keyed_add(&waits->threads, thread, g_new0(struct doing, 1));
}

static void wait_site_free(void *data)
{
	struct wait_site *site = data;

	latency_fini(&site->latency);
	latency_fini(&site->wake);
	g_array_free(site->setters, TRUE);
	g_free(site);
}

static void open_wait_free(void *data)
{
	struct open_wait *open = data;

	g_ptr_array_free(open->events, TRUE);
	g_free(open);
}

static struct waits_process *process_of(struct waits *waits, struct process *process)
{
	struct waits_process *about;

	for (guint i = waits->processes->len; i > 0; i--) {
		about = g_ptr_array_index(waits->processes, i - 1);
		if (about->process == process)
			return about;
	}
	about = g_new0(struct waits_process, 1);
	about->process = process;
	g_ptr_array_add(waits->processes, about);
	return about;
}

static struct event_site *event_site(struct waits *waits, struct process *process,
				     const struct stack *stack)
{
	struct site_key key = { .process = process, .stack = stack };
	struct event_site *site = g_hash_table_lookup(waits->site_index, &key);

	if (site)
		return site;
	site = g_new0(struct event_site, 1);
	site->process = process;
	site->stack = stack;
	g_ptr_array_add(waits->sites, site);
	g_hash_table_insert(waits->site_index, g_memdup2(&key, sizeof(key)), site);
	return site;
}

static struct wait_site *wait_site(struct waits *waits, const struct call *call)
{
	struct site_key key = { call->thread->process, call->stack, call->type };
	struct wait_site *site = g_hash_table_lookup(waits->wait_index, &key);

	if (site)
		return site;
	site = g_new0(struct wait_site, 1);
	site->process = call->thread->process;
	site->type = call->type;
	site->stack = call->stack;
	site->setters = g_array_new(FALSE, FALSE, sizeof(struct wait_setter));
	g_ptr_array_add(waits->wait_sites, site);
	g_hash_table_insert(waits->wait_index, g_memdup2(&key, sizeof(key)), site);
	return site;
}

static struct wait_event *find_event(struct waits *waits, const struct process *process,
				     uint64_t id)
{
	const struct event_key key = { process, id };

	return g_hash_table_lookup(waits->events, &key);
}

static void tell_gone(const struct waits *waits, const struct wait_event *event)
{
	if (event && waits->observer.event_gone)
		waits->observer.event_gone(waits->observer.data, event);
}

/* The number is given out again: the event that had it is gone, or goes when a destroy ends. */
static void make_room(struct waits *waits, const struct process *process, uint64_t id)
{
	const struct event_key key = { process, id };
	struct wait_event *old = find_event(waits, process, id);
	void *stored;

	tell_gone(waits, old);
	if (!old || !old->destroyer)
		return;
	g_hash_table_steal_extended(waits->events, &key, &stored, NULL);
	g_free(stored);
	old->destroyer->replaced = old;
}

static struct wait_event *add_event(struct waits *waits, struct process *process, uint64_t id,
				    const struct stack *stack)
{
	struct event_key *key = g_new(struct event_key, 1);
	struct wait_event *event = g_new0(struct wait_event, 1);

	make_room(waits, process, id);
	*key = (struct event_key){ process, id };
	event->site = event_site(waits, process, stack);
	event->id = id;
	g_hash_table_replace(waits->events, key, event);
	return event;
}

/* The event of a call; made when the recording began after it. Id 0 is none. */
static struct wait_event *get_event(struct waits *waits, struct process *process, uint64_t id)
{
	struct wait_event *event = find_event(waits, process, id);

	return event || id == 0 ? event : add_event(waits, process, id, NULL);
}

static uint64_t event_id(const struct call *call, const struct record *record)
{
	return args_reader_number(record->reader,
				  call->type->layer == LAYER_API ? "Event_id" : "event_id", 0);
}

static bool counts(const struct waits *waits, const struct call *call)
{
	return scope_counts(model_scope(waits->model), call->entry_ns);
}

static void count_alive(const struct waits *waits)
{
	GHashTableIter iter;
	void *value;

	for (guint i = 0; i < waits->processes->len; i++)
		((struct waits_process *)g_ptr_array_index(waits->processes, i))->events_alive = 0;
	g_hash_table_iter_init(&iter, waits->events);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct wait_event *event = value;

		for (guint i = 0; i < waits->processes->len; i++) {
			struct waits_process *about = g_ptr_array_index(waits->processes, i);

			if (about->process == event->site->process)
				about->events_alive++;
		}
	}
}

/* Time goes on to a change of what is alive. */
static void pass(struct waits *waits, int64_t time_ns)
{
	if (waits->is_over || !scope_is_over(model_scope(waits->model), time_ns))
		return;
	waits->is_over = true;
	count_alive(waits);
}

static void begin_wait(struct waits *waits, const struct call *call, const struct record *entry)
{
	struct doing *doing = doing_of(waits, call->thread);
	struct wait *wait = &doing->wait;
	bool is_api = call->type->layer == LAYER_API;

	wait->site = wait_site(waits, call);
	wait->vtid = call->thread->vtid;
	wait->entry_ns = call->entry_ns;
	wait->timeout_ms = (uint32_t)args_reader_number(
		entry->reader, is_api ? "Milliseconds" : "timeout", UINT32_MAX);
	wait->for_all = args_reader_number(entry->reader, is_api ? "WaitOnAll" : "wait_for_all", 0);
	wait->count = args_reader_row(entry->reader, is_api ? "Events_id" : "events_event_id",
				      wait->ids, WAIT_EVENTS_MAX);
	if (wait->count == 0 && is_api) {
		wait->ids[0] = event_id(call, entry);
		wait->count = wait->ids[0] != 0;
	}
	for (uint32_t i = 0; i < wait->count; i++) {
		struct wait_event *event = get_event(waits, call->thread->process, wait->ids[i]);

		if (event)
			event->waiters++;
	}
	doing->is_waiting = true;
}

static void call_began(void *data, const struct call *call, const struct record *entry)
{
	struct waits *waits = data;
	enum wait_op op = (enum wait_op)op_cache_find(&waits->ops, call->type);
	struct pending *pending;
	struct wait_event *event;

	if (op == WAIT_OP_NONE || call_is_inner(call))
		return;
	pass(waits, call->entry_ns);
	if (op == WAIT_OP_WAIT) {
		begin_wait(waits, call, entry);
		return;
	}
	if (op == WAIT_OP_CREATE)
		return;
	pending = &doing_of(waits, call->thread)->pending;
	pending_end(pending);
	pending->is_open = true;
	pending->id = event_id(call, entry);
	event = get_event(waits, call->thread->process, pending->id);
	if (event && op == WAIT_OP_SET) {
		pending->had_waiter = event->waiters > 0;
		/* A waiter may return before the set does. */
		event->set_ns = call->entry_ns;
		event->set_vtid = call->thread->vtid;
		event->set_stack = call->stack;
		if (waits->observer.event_set)
			waits->observer.event_set(waits->observer.data, event, call);
	}
	if (event && op == WAIT_OP_DESTROY)
		event->destroyer = pending;
}

static void end_set(const struct waits *waits, const struct call *call, struct wait_event *event,
		    bool had_waiter, int64_t time_ns)
{
	struct event_site *site = event->site;
	int64_t duration_ns = time_ns - call->entry_ns;
	int64_t ioctl_ns = call->type->layer == LAYER_IOCTL ? duration_ns : call->inside_ns;

	event->pending_sets += !had_waiter;
	if (!counts(waits, call))
		return;
	if (had_waiter) {
		site->waited_sets++;
		site->waited_set_ns += duration_ns;
		site->waited_set_ioctl_ns += ioctl_ns;
		return;
	}
	site->idle_sets++;
	site->idle_set_ns += duration_ns;
	site->idle_set_ioctl_ns += ioctl_ns;
}

/* Nobody will see the sets that are pending, since this call. */
static void lose_sets(const struct waits *waits, const struct call *call, struct wait_event *event)
{
	if (counts(waits, call))
		event->site->lost_sets += event->pending_sets;
	event->pending_sets = 0;
}

static void end_create(struct waits *waits, const struct call *call, const struct record *exit)
{
	bool is_api = call->type->layer == LAYER_API;
	uint64_t id = args_reader_number(exit->reader, is_api ? "Event_EventId" : "event_id", 0);
	struct wait_event *event;
	struct args *args;
	const struct arg *type;

	if (id == 0)
		return;
	event = add_event(waits, call->thread->process, id, call->stack);
	event->created_ns = exit->time_ns;
	event->site->created += counts(waits, call);
	process_of(waits, call->thread->process)->events_created += counts(waits, call);
	args = args_reader_all(exit->reader);
	type = args_find(args, is_api ? "Event_EventType" : "event_type");
	event->type = g_strdup(type ? type->text : NULL);
	args_free(args);
}

static void end_destroy(struct waits *waits, const struct call *call, struct wait_event *event,
			bool is_replaced)
{
	const struct event_key key = { call->thread->process, event->id };

	lose_sets(waits, call, event);
	event->site->destroyed += counts(waits, call);
	process_of(waits, call->thread->process)->events_destroyed += counts(waits, call);
	if (is_replaced)
		return;
	tell_gone(waits, event);
	g_hash_table_remove(waits->events, &key);
}

static void count_setter(struct wait_site *site, const struct wait_event *event)
{
	struct wait_setter setter = { event->set_stack, event->set_vtid, 1 };

	for (guint i = 0; i < site->setters->len; i++) {
		struct wait_setter *other = &g_array_index(site->setters, struct wait_setter, i);

		if (other->stack == setter.stack && other->vtid == setter.vtid) {
			other->count++;
			return;
		}
	}
	if (site->setters->len < WAIT_SETTERS_MAX)
		g_array_append_val(site->setters, setter);
}

/* Who woke a wait that succeeded: the last set of one of its events. */
static void credit_setter(struct waits *waits, const struct wait *wait, const struct call *call,
			  int64_t time_ns)
{
	struct wait_site *site = wait->site;
	const struct wait_event *by = NULL;

	for (uint32_t i = 0; i < wait->count; i++) {
		const struct wait_event *event = find_event(waits, site->process, wait->ids[i]);

		if (event && event->set_ns && (!by || event->set_ns > by->set_ns))
			by = event;
	}
	if (!by) {
		site->unknown_signals += counts(waits, call);
		return;
	}
	if (waits->observer.wait_woken)
		waits->observer.wait_woken(waits->observer.data, by, call, time_ns);
	if (!counts(waits, call))
		return;
	if (by->set_ns < wait->entry_ns) {
		site->already_signalled++;
		return;
	}
	latency_add(&site->wake, time_ns - by->set_ns, time_ns - by->set_ns);
	count_setter(site, by);
}

static void end_waiters(struct waits *waits, const struct call *call, const struct wait *wait,
			bool succeeded)
{
	for (uint32_t i = 0; i < wait->count; i++) {
		struct wait_event *event = find_event(waits, wait->site->process, wait->ids[i]);

		if (!event)
			continue;
		if (event->waiters)
			event->waiters--;
		if (!succeeded || !event->pending_sets)
			continue;
		/* One wait sees them all as one signal. */
		if (counts(waits, call))
			event->site->lost_sets += event->pending_sets - 1;
		event->pending_sets = 0;
	}
}

static void leave_open(struct waits *waits, const struct wait *wait)
{
	struct open_wait *open = g_new0(struct open_wait, 1);

	open->wait = *wait;
	open->events = g_ptr_array_new();
	for (uint32_t i = 0; i < wait->count; i++)
		g_ptr_array_add(open->events, find_event(waits, wait->site->process, wait->ids[i]));
	g_ptr_array_add(waits->left_open, open);
}

static void count_duration(const struct wait *wait, int64_t duration_ns)
{
	struct wait_site *site = wait->site;

	if (duration_ns > site->latency.max_ns)
		site->longest_entry_ns = wait->entry_ns;
	latency_add(&site->latency, duration_ns, duration_ns);
}

static void end_wait(struct waits *waits, const struct call *call, int64_t time_ns,
		     const struct record *exit)
{
	struct doing *doing = doing_of(waits, call->thread);
	const struct wait *wait = &doing->wait;
	bool is_api = call->type->layer == LAYER_API, counted = counts(waits, call);
	enum spin_result result = SPIN_FAILED;
	struct waits_process *about;
	uint64_t status;

	if (!doing->is_waiting)
		return;
	doing->is_waiting = false;
	about = process_of(waits, wait->site->process);
	about->waits += counted;
	if (!exit) {
		wait->site->cut += counted;
		about->cut_waits += counted;
		if (time_ns >= model_end_ns(waits->model))
			leave_open(waits, wait);
	} else {
		status = is_api ? values_get(&exit->values, FIELD_STATUS, 1)
				: values_get(&exit->values, FIELD_RET, 0);
		if (status == STATUS_SUCCESS && !is_api &&
		    args_reader_number(exit->reader, "wait_result", 0) == KERNEL_WAIT_TIMEOUT)
			status = STATUS_WAIT_TIMEOUT;
		if (status == STATUS_SUCCESS) {
			result = SPIN_SUCCEEDED;
			wait->site->succeeded += counted;
			credit_setter(waits, wait, call, time_ns);
		} else if (status == STATUS_WAIT_TIMEOUT) {
			result = SPIN_TIMED_OUT;
			wait->site->timed_out += counted;
		} else {
			wait->site->failed += counted;
		}
		if (counted)
			count_duration(wait, time_ns - wait->entry_ns);
		spins_add(waits->spins, call->thread, wait, time_ns, result);
	}
	end_waiters(waits, call, wait, result == SPIN_SUCCEEDED);
}

static bool has_succeeded(const struct call *call, const struct record *exit)
{
	if (call->type->layer == LAYER_API)
		return values_get(&exit->values, FIELD_STATUS, 1) == STATUS_SUCCESS;
	return (int64_t)values_get(&exit->values, FIELD_RET, 0) >= 0;
}

static void call_ended(void *data, const struct call *call, int64_t time_ns,
		       const struct record *exit)
{
	struct waits *waits = data;
	enum wait_op op = (enum wait_op)op_cache_find(&waits->ops, call->type);
	struct process *process = call->thread->process;
	struct pending *pending;
	struct wait_event *event;

	if (op == WAIT_OP_NONE || call_is_inner(call))
		return;
	pass(waits, time_ns);
	if (op == WAIT_OP_WAIT) {
		end_wait(waits, call, time_ns, exit);
		return;
	}
	if (op == WAIT_OP_CREATE) {
		if (exit && has_succeeded(call, exit))
			end_create(waits, call, exit);
		return;
	}
	pending = &doing_of(waits, call->thread)->pending;
	event = !pending->is_open   ? NULL
		: pending->replaced ? pending->replaced
				    : find_event(waits, process, pending->id);
	if (event && event->destroyer == pending)
		event->destroyer = NULL;
	if (event && exit && has_succeeded(call, exit)) {
		if (op == WAIT_OP_SET)
			end_set(waits, call, event, pending->had_waiter, time_ns);
		else if (op == WAIT_OP_RESET)
			lose_sets(waits, call, event);
		else
			end_destroy(waits, call, event, pending->replaced != NULL);
	}
	pending_end(pending);
}

/* An event that was made before the recording. */
static void state_told(void *data, struct process *process, const struct record *record)
{
	struct waits *waits = data;
	uint64_t id = args_reader_number(record->reader, "event_id", 0);

	pass(waits, record->time_ns);
	if (record->kind == RECORD_DUMP_EVENT)
		(void)get_event(waits, process, id);
}

struct waits *waits_new(struct model *model)
{
	struct waits *waits = g_new0(struct waits, 1);
	const struct model_observer observer = { .data = waits,
						 .call_began = call_began,
						 .call_ended = call_ended,
						 .state_told = state_told };

	waits->model = model;
	op_cache_init(&waits->ops, known_ops, G_N_ELEMENTS(known_ops));
	waits->events = g_hash_table_new_full(event_key_hash, event_key_equal, g_free, event_free);
	waits->sites = g_ptr_array_new_with_free_func(g_free);
	waits->site_index = g_hash_table_new_full(site_key_hash, site_key_equal, g_free, NULL);
	waits->wait_sites = g_ptr_array_new_with_free_func(wait_site_free);
	waits->wait_index = g_hash_table_new_full(site_key_hash, site_key_equal, g_free, NULL);
	keyed_init(&waits->threads, doing_free);
	waits->left_open = g_ptr_array_new_with_free_func(open_wait_free);
	waits->processes = g_ptr_array_new_with_free_func(g_free);
	waits->spins = spins_new();
	model_observe(model, &observer);
	return waits;
}

void waits_observe(struct waits *waits, const struct waits_observer *observer)
{
	waits->observer = *observer;
}

void waits_free(struct waits *waits)
{
	if (!waits)
		return;
	op_cache_fini(&waits->ops);
	g_ptr_array_free(waits->left_open, TRUE);
	g_hash_table_destroy(waits->events);
	g_ptr_array_free(waits->sites, TRUE);
	g_hash_table_destroy(waits->site_index);
	g_ptr_array_free(waits->wait_sites, TRUE);
	g_hash_table_destroy(waits->wait_index);
	keyed_fini(&waits->threads);
	g_ptr_array_free(waits->processes, TRUE);
	spins_free(waits->spins);
	g_free(waits);
}

const GPtrArray *waits_event_sites(const struct waits *waits)
{
	return waits->sites;
}

const GPtrArray *waits_sites(const struct waits *waits)
{
	return waits->wait_sites;
}

const GPtrArray *waits_open(const struct waits *waits)
{
	return waits->left_open;
}

const GPtrArray *waits_spins(const struct waits *waits)
{
	return spins_finish(waits->spins);
}

const GPtrArray *waits_processes(const struct waits *waits)
{
	if (!waits->is_over)
		count_alive(waits);
	return waits->processes;
}
