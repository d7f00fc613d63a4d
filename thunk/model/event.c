/* SPDX-License-Identifier: MIT */
/* Making, firing and finding events (kfd.md 7.1, 7.2). Waiting is in wait.c. */
#include "event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"
#include "wait.h"

#define UNSIGNALED         UINT64_MAX
#define SLOTS_BEFORE_PAGE  256
#define PAGE_OF_EVENTS     (KFD_MODEL_SIGNALS * 8ull)
#define NONSIGNAL_LAST     0x7fffffffu
#define NONSIGNAL_CAPACITY (1u << 20) /* far below the id range; bounds the table */

struct kfd_model_events *kfd_model_events_new(void)
{
	struct kfd_model_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	pthread_mutex_init(&events->lock, NULL);
	events->slot_limit = SLOTS_BEFORE_PAGE;
	return events;
}

static bool is_signal_type(uint32_t type)
{
	return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
}

void kfd_model_event_free(struct kfd_model_event *event)
{
	if (!event)
		return;
	kfd_model_waiters_orphan(event);
	free(event);
}

void kfd_model_events_free(struct kfd_model_events *events)
{
	if (!events)
		return;
	pthread_mutex_lock(&events->lock);
	for (uint32_t i = 0; i < KFD_MODEL_SIGNALS; i++)
		kfd_model_event_free(events->signals[i]);
	for (uint32_t i = 0; i < events->other_capacity; i++)
		kfd_model_event_free(events->others[i]);
	pthread_mutex_unlock(&events->lock);
	kfd_model_bo_put(events->page_bo);
	pthread_mutex_destroy(&events->lock);
	free(events->others);
	free(events);
}

struct kfd_model_event *kfd_model_event_find(struct kfd_model_events *events, uint32_t id)
{
	if (id < KFD_MODEL_SIGNALS)
		return events->signals[id];
	if (id < KFD_MODEL_NONSIGNAL_FIRST ||
	    id - KFD_MODEL_NONSIGNAL_FIRST >= events->other_capacity)
		return NULL;
	return events->others[id - KFD_MODEL_NONSIGNAL_FIRST];
}

/* The user's page: host-visible memory of any GPU, at least 32 KiB (kfd.md 7.1). */
int kfd_model_events_use_page(struct kfd_model_process *process, uint64_t handle)
{
	struct kfd_model_events *events = process->events;
	struct kfd_model_bo *bo;
	uint64_t span;
	void *host;

	if (events->slots || events->kernel_page)
		return -EINVAL;
	bo = kfd_model_bo_find(process, handle, NULL);
	if (!bo || bo->backing->size_bytes < PAGE_OF_EVENTS || !bo->backing->store)
		return -EINVAL;
	host = kfd_model_bo_host(bo, 0, true, &span);
	if (!host || span < PAGE_OF_EVENTS)
		return -EBUSY;
	memset(host, 0xff, PAGE_OF_EVENTS);
	bo->is_event_page = true;
	events->page_bo = kfd_model_bo_get(bo);
	events->slots = host;
	events->slot_limit = KFD_MODEL_SIGNALS;
	return 0;
}

int kfd_model_events_make_page(struct kfd_model_process *process)
{
	struct kfd_model_events *events = process->events;
	uint64_t offset, span;
	void *host;

	if (kfd_model_store_alloc(process->store, 2 * PAGE_OF_EVENTS, &offset))
		return -ENOMEM;
	/* a window border inside the page would split it: the second half is then whole */
	host = kfd_model_store_host(process->store, offset, &span);
	if (host && span < PAGE_OF_EVENTS) {
		offset += PAGE_OF_EVENTS;
		host = kfd_model_store_host(process->store, offset, &span);
	}
	if (!host)
		return -ENOMEM;
	memset(host, 0xff, PAGE_OF_EVENTS);
	events->kernel_page = offset;
	events->slots = host;
	/* a plain map of the file is not seen, so all of the page must be taken for mapped */
	if (process->model->front.plain_offsets)
		events->slot_limit = KFD_MODEL_SIGNALS;
	return 0;
}

/* Lowest free id of the signal types; 0 is never given out. */
static uint32_t free_signal_id(const struct kfd_model_events *events)
{
	for (uint32_t id = 1; id < events->slot_limit; id++)
		if (!events->signals[id])
			return id;
	return 0;
}

/* Makes room for an index of the other types. */
static int grow_others(struct kfd_model_events *events, uint32_t index)
{
	uint32_t capacity = events->other_capacity ? events->other_capacity : 16;
	struct kfd_model_event **table;

	if (index >= NONSIGNAL_CAPACITY)
		return -ENOSPC;
	while (capacity <= index)
		capacity *= 2;
	table = realloc(events->others, capacity * sizeof(*table));
	if (!table)
		return -ENOMEM;
	memset(table + events->other_capacity, 0,
	       (capacity - events->other_capacity) * sizeof(*table));
	events->others = table;
	events->other_capacity = capacity;
	return 0;
}

static int place_other(struct kfd_model_events *events, struct kfd_model_event *event)
{
	uint32_t index = 0;
	int rc = 0;

	while (index < events->other_capacity && events->others[index])
		index++;
	if (index == events->other_capacity)
		rc = grow_others(events, index);
	if (rc)
		return rc;
	events->others[index] = event;
	event->id = KFD_MODEL_NONSIGNAL_FIRST + index;
	return 0;
}

int kfd_model_event_place(struct kfd_model_process *process, struct kfd_model_event *event)
{
	struct kfd_model_events *events = process->events;
	uint32_t index = event->id - KFD_MODEL_NONSIGNAL_FIRST;
	int rc = 0;

	if (is_signal_type(event->type)) {
		if (!event->id || event->id >= events->slot_limit || !events->slots ||
		    events->signals[event->id])
			return -EINVAL;
		events->signals[event->id] = event;
		events->signal_count++;
		return 0;
	}
	if (event->id < KFD_MODEL_NONSIGNAL_FIRST || index >= NONSIGNAL_CAPACITY)
		return -EINVAL;
	if (index >= events->other_capacity)
		rc = grow_others(events, index);
	if (!rc && events->others[index])
		rc = -EINVAL;
	if (!rc)
		events->others[index] = event;
	return rc;
}

static int place_signal(struct kfd_model_process *process, struct kfd_model_event *event)
{
	struct kfd_model_events *events = process->events;
	int rc = events->slots ? 0 : kfd_model_events_make_page(process);

	if (rc)
		return rc;
	event->id = free_signal_id(events);
	if (!event->id)
		return -ENOSPC;
	__atomic_store_n(&events->slots[event->id], UNSIGNALED, __ATOMIC_RELEASE);
	events->signals[event->id] = event;
	events->signal_count++;
	return 0;
}

static uint64_t page_offset(struct kfd_model_process *process)
{
	const struct kfd_model_events *events = process->events;

	/* a user's page has no place in the driver's map, but the type bits are told all the same */
	if (process->model->front.plain_offsets && !events->kernel_page)
		return events->page_bo ? events->page_bo->backing->offset : 0;
	return kfd_model_mmap_encode(process, KFD_MODEL_MMAP_EVENTS, NULL, events->kernel_page);
}

static int create_locked(struct kfd_model_process *process,
			 struct kfd_ioctl_create_event_args *args)
{
	struct kfd_model_event *event;
	bool is_signal = is_signal_type(args->event_type);
	int rc;

	if (args->event_page_offset) {
		rc = kfd_model_events_use_page(process, args->event_page_offset);
		if (rc)
			return rc;
	}
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	event->type = args->event_type;
	event->node_id = args->node_id;
	event->auto_reset = args->auto_reset;
	event->age = 1;
	rc = is_signal ? place_signal(process, event) : place_other(process->events, event);
	if (rc) {
		free(event);
		return rc;
	}
	args->event_id = event->id;
	args->event_trigger_data = event->id;
	args->event_page_offset = is_signal ? page_offset(process) : 0;
	if (is_signal)
		args->event_slot_index = event->id;
	return 0;
}

int kfd_model_event_create(struct kfd_model_process *process,
			   struct kfd_ioctl_create_event_args *args)
{
	int rc;

	pthread_mutex_lock(&process->events->lock);
	rc = create_locked(process, args);
	pthread_mutex_unlock(&process->events->lock);
	return rc;
}

int kfd_model_event_destroy(struct kfd_model_process *process, uint32_t id)
{
	struct kfd_model_events *events = process->events;
	struct kfd_model_event *event;
	int rc = -EINVAL;

	pthread_mutex_lock(&events->lock);
	event = kfd_model_event_find(events, id);
	if (event) {
		rc = 0;
		if (id < KFD_MODEL_SIGNALS) {
			events->signals[id] = NULL;
			events->signal_count--;
			__atomic_store_n(&events->slots[id], UNSIGNALED, __ATOMIC_RELEASE);
		} else {
			events->others[id - KFD_MODEL_NONSIGNAL_FIRST] = NULL;
		}
		kfd_model_event_free(event);
	}
	pthread_mutex_unlock(&events->lock);
	return rc;
}

void kfd_model_event_fire(struct kfd_model_event *event)
{
	event->signaled = !event->auto_reset || !event->waiters;
	if (++event->age == 0)
		event->age = 2; /* 0 switches ages off and 1 is the fresh event's */
	kfd_model_waiters_wake(event);
}

int kfd_model_event_set(struct kfd_model_process *process, uint32_t id)
{
	struct kfd_model_events *events = process->events;
	struct kfd_model_event *event;
	int rc = -EINVAL;

	pthread_mutex_lock(&events->lock);
	event = kfd_model_event_find(events, id);
	if (event && is_signal_type(event->type)) {
		kfd_model_event_fire(event);
		rc = 0;
	}
	pthread_mutex_unlock(&events->lock);
	return rc;
}

int kfd_model_event_reset(struct kfd_model_process *process, uint32_t id)
{
	struct kfd_model_events *events = process->events;
	struct kfd_model_event *event;
	int rc = -EINVAL;

	pthread_mutex_lock(&events->lock);
	event = kfd_model_event_find(events, id);
	if (event && is_signal_type(event->type)) {
		event->signaled = false;
		rc = 0;
	}
	pthread_mutex_unlock(&events->lock);
	return rc;
}

/* Fires a signal event whose slot was written, and makes the slot ready for the next time. */
static bool fire_slot(struct kfd_model_events *events, uint32_t id)
{
	struct kfd_model_event *event = events->signals[id];

	if (!event || __atomic_load_n(&events->slots[id], __ATOMIC_ACQUIRE) == UNSIGNALED)
		return false;
	__atomic_store_n(&events->slots[id], UNSIGNALED, __ATOMIC_RELEASE);
	kfd_model_event_fire(event);
	return true;
}

void kfd_model_events_interrupt(struct kfd_model_process *process, uint32_t context_id)
{
	struct kfd_model_events *events = process->events;

	pthread_mutex_lock(&events->lock);
	if (events->slots &&
	    (!context_id || context_id >= KFD_MODEL_SIGNALS || !fire_slot(events, context_id)))
		for (uint32_t id = 1; id < events->slot_limit; id++)
			fire_slot(events, id);
	pthread_mutex_unlock(&events->lock);
}

void kfd_model_events_memory_exception(struct kfd_model_process *process,
				       const struct kfd_hsa_memory_exception_data *data)
{
	struct kfd_model_events *events = process->events;

	pthread_mutex_lock(&events->lock);
	for (uint32_t i = 0; i < events->other_capacity; i++) {
		struct kfd_model_event *event = events->others[i];

		if (!event || event->type != KFD_IOC_EVENT_MEMORY)
			continue;
		event->memory = *data;
		event->memory.va &= ~4095ull;
		kfd_model_event_fire(event);
	}
	pthread_mutex_unlock(&events->lock);
}

void kfd_model_events_hw_exception(struct kfd_model_process *process,
				   const struct kfd_hsa_hw_exception_data *data)
{
	struct kfd_model_events *events = process->events;

	pthread_mutex_lock(&events->lock);
	for (uint32_t i = 0; i < events->other_capacity; i++) {
		struct kfd_model_event *event = events->others[i];

		if (!event || event->type != KFD_IOC_EVENT_HW_EXCEPTION)
			continue;
		event->hw = *data;
		kfd_model_event_fire(event);
	}
	pthread_mutex_unlock(&events->lock);
}

void kfd_model_events_page_mapped(struct kfd_model_process *process, uint64_t va,
				  uint64_t size_bytes)
{
	struct kfd_model_events *events = process->events;

	pthread_mutex_lock(&events->lock);
	events->slot_limit = (uint32_t)(size_bytes / 8);
	pthread_mutex_unlock(&events->lock);
	atomic_store(&events->page_va, va);
}

void *kfd_model_events_page_host(struct kfd_model_process *process, uint64_t va,
				 uint64_t *span_bytes)
{
	struct kfd_model_events *events = process->events;
	uint64_t start = atomic_load(&events->page_va);

	if (!start || va < start || va - start >= PAGE_OF_EVENTS)
		return NULL;
	*span_bytes = PAGE_OF_EVENTS - (va - start);
	return (char *)events->slots + (va - start);
}
