/* SPDX-License-Identifier: MIT */
/* Events in a checkpoint (kfd.md 11): the same ids, states, ages and slots afterwards. */
#include <errno.h>
#include <stdlib.h>

#include "bo.h"
#include "criu-image.h"

static void save(const struct kfd_model_events *events, const struct kfd_model_event *event,
		 struct kfd_model_image_event *image)
{
	*image = (struct kfd_model_image_event){
		.id = event->id,
		.type = event->type,
		.node_id = event->node_id,
		.auto_reset = event->auto_reset,
		.signaled = event->signaled,
		.age = event->age,
		.memory = event->memory,
		.hw = event->hw,
	};
	if (event->id < KFD_MODEL_SIGNALS)
		image->slot = __atomic_load_n(&events->slots[event->id], __ATOMIC_ACQUIRE);
}

uint32_t kfd_model_events_save(struct kfd_model_process *process, struct kfd_model_image_head *head,
			       struct kfd_model_image_event *images, uint32_t max)
{
	struct kfd_model_events *events = process->events;
	uint32_t count = 0;

	pthread_mutex_lock(&events->lock);
	head->has_user_page = events->page_bo != NULL;
	head->page_handle = events->page_bo ? events->page_bo->handle : 0;
	head->has_kernel_page = events->kernel_page != 0;
	head->slot_limit = events->slot_limit;
	for (uint32_t id = 0; id < KFD_MODEL_SIGNALS; id++)
		if (events->signals[id] && count++ < max)
			save(events, events->signals[id], &images[count - 1]);
	for (uint32_t i = 0; i < events->other_capacity; i++)
		if (events->others[i] && count++ < max)
			save(events, events->others[i], &images[count - 1]);
	pthread_mutex_unlock(&events->lock);
	return count;
}

static int load(struct kfd_model_process *process, const struct kfd_model_image_event *image)
{
	struct kfd_model_events *events = process->events;
	struct kfd_model_event *event;
	int rc;

	if (!image->age)
		return -EINVAL;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	event->id = image->id;
	event->type = image->type;
	event->node_id = image->node_id;
	event->auto_reset = image->auto_reset;
	event->signaled = image->signaled;
	event->age = image->age;
	event->memory = image->memory;
	event->hw = image->hw;
	rc = kfd_model_event_place(process, event);
	if (rc)
		kfd_model_event_free(event);
	else if (event->id < KFD_MODEL_SIGNALS)
		__atomic_store_n(&events->slots[event->id], image->slot, __ATOMIC_RELEASE);
	return rc;
}

int kfd_model_events_load(struct kfd_model_process *process,
			  const struct kfd_model_image_head *head,
			  const struct kfd_model_image_event *images)
{
	struct kfd_model_events *events = process->events;
	int rc = 0;

	if (head->slot_limit > KFD_MODEL_SIGNALS || (head->has_user_page && head->has_kernel_page))
		return -EINVAL;
	pthread_mutex_lock(&events->lock);
	if (head->has_user_page)
		rc = kfd_model_events_use_page(process, head->page_handle);
	else if (head->has_kernel_page)
		rc = kfd_model_events_make_page(process);
	if (!rc)
		events->slot_limit = head->slot_limit;
	for (uint32_t i = 0; i < head->event_count && !rc; i++)
		rc = load(process, &images[i]);
	pthread_mutex_unlock(&events->lock);
	return rc;
}

void kfd_model_events_clear(struct kfd_model_process *process)
{
	struct kfd_model_events *fresh = kfd_model_events_new();
	struct kfd_model_events *events = process->events;

	if (!fresh)
		return; /* what is there stays; the process that could not be restored ends anyway */
	pthread_mutex_lock(&events->lock);
	for (uint32_t id = 0; id < KFD_MODEL_SIGNALS; id++) {
		kfd_model_event_free(events->signals[id]);
		events->signals[id] = NULL;
	}
	for (uint32_t i = 0; i < events->other_capacity; i++) {
		kfd_model_event_free(events->others[i]);
		events->others[i] = NULL;
	}
	events->signal_count = 0;
	events->slot_limit = fresh->slot_limit;
	events->slots = NULL;
	events->kernel_page = 0; /* its place in the store is lost: nobody maps it any more */
	if (events->page_bo)
		events->page_bo->is_event_page = false;
	kfd_model_bo_put(events->page_bo);
	events->page_bo = NULL;
	pthread_mutex_unlock(&events->lock);
	kfd_model_events_free(fresh);
}
