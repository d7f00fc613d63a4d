/* SPDX-License-Identifier: MIT */
/* WAIT_EVENTS (kfd.md 7.3). Each waiter sleeps on a word of its own. */
#include "wait.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "scenario.h"
#include "sleep.h"
#include "usercopy.h"

#define AGE_SINCE      14 /* interface minor of the first kernel that knows ages */
#define FOREVER        0xffffffffu
#define TIMEOUT_MAX    0x7fffffffu
#define TICK_NS        4000000ull /* the driver adds a tick, so that a wait is never short */
#define EVENTS_AT_ONCE 8          /* no allocation for the usual small waits */

void kfd_model_waiters_wake(struct kfd_model_event *event)
{
	for (struct kfd_model_wait_entry *entry = event->waiters; entry; entry = entry->next) {
		entry->activated = true;
		kfd_model_wake(&entry->waiter->wakeups);
	}
}

void kfd_model_waiters_orphan(struct kfd_model_event *event)
{
	kfd_model_waiters_wake(event);
	for (struct kfd_model_wait_entry *entry = event->waiters; entry; entry = entry->next)
		entry->event = NULL;
	event->waiters = NULL;
}

static void entry_link(struct kfd_model_wait_entry *entry, struct kfd_model_event *event)
{
	entry->event = event;
	entry->prev = NULL;
	entry->next = event->waiters;
	if (entry->next)
		entry->next->prev = entry;
	event->waiters = entry;
}

static void entry_unlink(struct kfd_model_wait_entry *entry)
{
	if (!entry->event)
		return;
	if (entry->prev)
		entry->prev->next = entry->next;
	else if (entry->event->waiters == entry)
		entry->event->waiters = entry->next;
	if (entry->next)
		entry->next->prev = entry->prev;
}

/* Whether an event counts already, and what that consumes. */
static void entry_setup(struct kfd_model_wait_entry *entry, struct kfd_model_event *event,
			uint64_t last_age)
{
	entry_link(entry, event);
	entry->activated = event->signaled;
	if (event->auto_reset)
		event->signaled = false;
	/* the age lets a waiter that came late see a signal that is over; 0 is no age (kfd.md 7.3) */
	entry->tells_age = event->type == KFD_IOC_EVENT_SIGNAL && last_age;
	if (entry->tells_age && event->age != last_age)
		entry->activated = true;
}

static bool satisfied(const struct kfd_model_wait_entry *entries, uint32_t count, bool all,
		      bool *destroyed)
{
	uint32_t active = 0;

	*destroyed = false;
	for (uint32_t i = 0; i < count; i++) {
		if (!entries[i].event)
			*destroyed = true;
		active += entries[i].activated;
	}
	return all ? active == count : active > 0;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static int copy_back(const struct kfd_ioctl_wait_events_args *args, uint32_t index,
		     const struct kfd_model_wait_entry *entry)
{
	const struct kfd_model_event *event = entry->event;
	uint64_t to = args->events_ptr + index * sizeof(struct kfd_event_data);

	if (!entry->activated || !event)
		return 0;
	switch (event->type) {
	case KFD_IOC_EVENT_MEMORY:
		return kfd_model_copy_out(to, &event->memory, sizeof(event->memory));
	case KFD_IOC_EVENT_HW_EXCEPTION:
		return kfd_model_copy_out(to, &event->hw, sizeof(event->hw));
	case KFD_IOC_EVENT_SIGNAL:
		return entry->tells_age ? kfd_model_copy_out(to, &event->age, sizeof(event->age))
					: 0;
	}
	return 0;
}

/* Registers with every listed event. Stops at the first unknown one. */
static int setup_all(struct kfd_model_process *process, const struct kfd_event_data *data,
		     struct kfd_model_wait_entry *entries, struct kfd_model_waiter *waiter,
		     uint32_t count)
{
	bool ages = kfd_model_scenario_minor(process->model->scenario) >= AGE_SINCE;

	for (uint32_t i = 0; i < count; i++) {
		struct kfd_model_event *event =
			kfd_model_event_find(process->events, data[i].event_id);

		if (!event)
			return -EINVAL;
		entries[i].waiter = waiter;
		entry_setup(&entries[i], event,
			    ages ? data[i].signal_event_data.last_event_age : 0);
	}
	return 0;
}

/* After a signal handler ran: the caller comes back with what is left of its time. */
static void give_back(struct kfd_ioctl_wait_events_args *args, struct kfd_model_wait_entry *entries,
		      uint64_t deadline_ns)
{
	uint64_t now = now_ns();

	/* what this wait took, at its start or while it slept, is there for the next one */
	for (uint32_t i = 0; i < args->num_events; i++) {
		struct kfd_model_event *event = entries[i].event;

		entry_unlink(&entries[i]);
		entries[i].event = NULL;
		if (event && event->auto_reset && entries[i].activated)
			kfd_model_event_fire(event);
	}
	if (args->timeout && args->timeout != FOREVER)
		args->timeout = now < deadline_ns ? (uint32_t)((deadline_ns - now) / 1000000) : 0;
}

static int wait_locked(struct kfd_model_events *events, struct kfd_ioctl_wait_events_args *args,
		       struct kfd_model_wait_entry *entries, struct kfd_model_waiter *waiter,
		       uint64_t deadline_ns)
{
	bool destroyed;

	for (;;) {
		uint32_t seen = atomic_load(&waiter->wakeups);
		bool done = satisfied(entries, args->num_events, args->wait_for_all, &destroyed);
		int rc;

		if (destroyed)
			return -EIO;
		if (done || !args->num_events) {
			args->wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
			return 0;
		}
		args->wait_result = KFD_IOC_WAIT_RESULT_TIMEOUT;
		if (!args->timeout)
			return 0;
		pthread_mutex_unlock(&events->lock);
		rc = kfd_model_sleep(&waiter->wakeups, seen, deadline_ns);
		pthread_mutex_lock(&events->lock);
		if (rc == -EINTR) {
			give_back(args, entries, deadline_ns);
			return -EINTR;
		}
		if (rc == -ETIMEDOUT && atomic_load(&waiter->wakeups) == seen)
			return 0;
	}
}

static int wait_for(struct kfd_model_process *process, struct kfd_ioctl_wait_events_args *args,
		    const struct kfd_event_data *data, struct kfd_model_wait_entry *entries)
{
	struct kfd_model_events *events = process->events;
	struct kfd_model_waiter waiter = { 0 };
	uint32_t ms = args->timeout > TIMEOUT_MAX ? TIMEOUT_MAX : args->timeout;
	uint64_t deadline_ns =
		args->timeout == FOREVER ? KFD_MODEL_FOREVER : now_ns() + ms * 1000000ull + TICK_NS;
	int rc;

	pthread_mutex_lock(&events->lock);
	rc = setup_all(process, data, entries, &waiter, args->num_events);
	if (!rc)
		rc = wait_locked(events, args, entries, &waiter, deadline_ns);
	if (!rc && args->wait_result == KFD_IOC_WAIT_RESULT_COMPLETE)
		for (uint32_t i = 0; i < args->num_events && !rc; i++)
			rc = copy_back(args, i, &entries[i]);
	for (uint32_t i = 0; i < args->num_events; i++)
		entry_unlink(&entries[i]);
	pthread_mutex_unlock(&events->lock);
	return rc;
}

int kfd_model_events_wait(struct kfd_model_process *process,
			  struct kfd_ioctl_wait_events_args *args)
{
	struct kfd_model_wait_entry few_entries[EVENTS_AT_ONCE] = { 0 }, *entries = few_entries;
	struct kfd_event_data few[EVENTS_AT_ONCE], *data = few;
	uint32_t count = args->num_events;
	int rc = -ENOMEM;

	if (count > EVENTS_AT_ONCE) {
		data = calloc(count, sizeof(*data));
		entries = calloc(count, sizeof(*entries));
		if (!data || !entries)
			goto out;
	}
	rc = kfd_model_copy_in(data, args->events_ptr, count * sizeof(*data));
	if (!rc)
		rc = wait_for(process, args, data, entries);
out:
	if (rc)
		args->wait_result = KFD_IOC_WAIT_RESULT_FAIL;
	if (data != few)
		free(data);
	if (entries != few_entries)
		free(entries);
	return rc;
}
