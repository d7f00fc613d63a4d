/* SPDX-License-Identifier: MIT */
/*
 * Creating, destroying and signalling events, and the page in which GPUs signal them (events.md 2
 * and 3).
 */
#include "event/event-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "memory/fmm.h"
#include "origin.h"

#define PAGE_SLOTS       KFD_SIGNAL_EVENT_LIMIT
#define PAGE_SIZE_BYTES  (PAGE_SLOTS * sizeof(uint64_t))
#define SMALL_PAGE_SLOTS 256 /* what kernels before the large page offer */

struct kmt_events *kmt_events_new(void)
{
	struct kmt_events *events = calloc(1, sizeof(*events));

	if (events)
		kmt_handle_set_init(&events->live);
	return events;
}

static void free_record(void *record, void *data)
{
	(void)data;
	free(record);
}

void kmt_events_free(struct kmt_events *events)
{
	if (!events)
		return;
	kmt_handle_set_for_each_unlocked(&events->live, free_record, NULL);
	kmt_handle_set_fini(&events->live);
	free(events);
}

void kmt_events_forget_page(struct kmt_context *ctx)
{
	if (!ctx->events)
		return;
	ctx->events->page = NULL;
	ctx->events->slot_limit = 0;
	ctx->events->tried_page = NULL;
}

void kmt_events_drop_unused_page(struct kmt_context *ctx)
{
	struct kmt_events *events = ctx->events;
	uint64_t handle;

	if (!events || !events->tried_page || !kmt_fmm_handle(ctx, events->tried_page, &handle))
		return;
	kmt_fmm_internal_free(ctx, events->tried_page);
	if (!kmt_fmm_handle(ctx, events->tried_page, &handle))
		events->tried_page = NULL;
}

struct visit {
	void (*visit)(const struct kmt_event_info *info, void *data);
	void *data;
};

static void visit_record(void *record, void *data)
{
	const struct event *event = record;
	const struct visit *visit = data;
	const struct kmt_event_info info = {
		.event_id = event->id,
		.type = event->type,
		.node_id = event->node_id,
		.auto_reset = event->auto_reset,
		.address = (uintptr_t)&event->object,
		.origin = event->origin,
	};

	visit->visit(&info, visit->data);
}

void kmt_event_for_each(struct kmt_context *ctx,
			void (*visit)(const struct kmt_event_info *info, void *data), void *data)
{
	struct visit pass = { visit, data };

	if (ctx->events)
		kmt_handle_set_for_each(&ctx->events->live, visit_record, &pass);
}

struct event *event_get(struct kmt_context *ctx, const HsaEvent *object)
{
	struct event *event;

	if (!ctx->events)
		return NULL;
	kmt_handle_set_read_lock(&ctx->events->live);
	event = kmt_handle_set_find_locked(&ctx->events->live, (uintptr_t)object);
	if (event)
		atomic_fetch_add_explicit(&event->refs, 1, memory_order_relaxed);
	kmt_handle_set_unlock(&ctx->events->live);
	return event;
}

void event_put(struct event *event)
{
	if (event && atomic_fetch_sub_explicit(&event->refs, 1, memory_order_acq_rel) == 1)
		free(event);
}

bool kmt_event_id(struct kmt_context *ctx, const HsaEvent *object, uint32_t *id)
{
	struct event *event = event_get(ctx, object);
	bool found = event;

	if (found)
		*id = event->id;
	event_put(event);
	return found;
}

static int destroy_id(struct kmt_context *ctx, uint32_t id)
{
	struct kfd_ioctl_destroy_event_args args = { .event_id = id };

	return kmt_ioctl(ctx, AMDKFD_IOC_DESTROY_EVENT, &args);
}

static int set_id(struct kmt_context *ctx, uint32_t id)
{
	struct kfd_ioctl_set_event_args args = { .event_id = id };

	return kmt_ioctl(ctx, AMDKFD_IOC_SET_EVENT, &args);
}

/* Discrete GPUs need the page from us, with the first event of any type. */
static bool must_bring_page(const struct kmt_context *ctx)
{
	return kmt_process()->is_dgpu && !ctx->events->page;
}

static bool is_model(const struct kmt_context *ctx)
{
	return ctx->device && ctx->device->is_model;
}

static int create_with_page(struct kmt_context *ctx, struct kfd_ioctl_create_event_args *args)
{
	const struct kmt_internal_alloc request = {
		.size_bytes = PAGE_SIZE_BYTES,
		.align_bytes = kmt_process()->page_size_bytes,
		.non_paged = true,
		.uncached = true,
	};
	struct kmt_events *events = ctx->events;
	bool tried_before = events->tried_page;
	const struct kfd_ioctl_create_event_args without_page = *args;
	uint64_t *forgotten = NULL;
	int rc;

	/* A close forgets the buffer and leaves its memory, which the kernel may have by now. */
	if (tried_before && !kmt_fmm_handle(ctx, events->tried_page, &args->event_page_offset))
		forgotten = events->tried_page;
	if (!tried_before || forgotten)
		events->tried_page = kmt_fmm_internal_alloc(ctx, &request);
	if (!events->tried_page ||
	    !kmt_fmm_handle(ctx, events->tried_page, &args->event_page_offset)) {
		events->tried_page = forgotten;
		return -ENOMEM;
	}
	rc = kmt_ioctl(ctx, AMDKFD_IOC_CREATE_EVENT, args);
	if (rc == -EINVAL && (tried_before || is_model(ctx))) {
		/*
		 * "Set page twice": the failed creation had left the page with the kernel. Or a
		 * model that keeps signals to itself (model.md 3); ours takes the page as the kernel
		 * does.
		 */
		*args = without_page;
		rc = kmt_ioctl(ctx, AMDKFD_IOC_CREATE_EVENT, args);
		if (!rc && forgotten) {
			kmt_fmm_internal_free(ctx, events->tried_page);
			events->tried_page = forgotten;
		}
	}
	if (rc)
		return rc;
	/* Published under the lock that the caller holds: the second creator must see it. */
	events->page = events->tried_page;
	events->slot_limit = PAGE_SLOTS;
	events->tried_page = NULL;
	return 0;
}

/* The kernel made the page (APUs): map it. */
static int map_kernel_page(struct kmt_context *ctx, uint64_t offset)
{
	struct kmt_events *events = ctx->events;
	uint32_t slots = PAGE_SLOTS;
	void *page = kmt_mmap(ctx, NULL, PAGE_SIZE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			      ctx->fd, (int64_t)offset);

	if (page == MAP_FAILED) {
		slots = SMALL_PAGE_SLOTS;
		page = kmt_mmap(ctx, NULL, kmt_process()->page_size_bytes, PROT_READ | PROT_WRITE,
				MAP_SHARED, ctx->fd, (int64_t)offset);
	}
	if (page == MAP_FAILED)
		return -ENOMEM;
	events->page = page;
	events->slot_limit = slots;
	return 0;
}

/* The ioctl and all that concerns the page; the caller holds the global lock. */
static int create_locked(struct kmt_context *ctx, struct kfd_ioctl_create_event_args *args,
			 uint64_t *slot_address)
{
	struct kmt_events *events = ctx->events;
	int rc = must_bring_page(ctx) ? create_with_page(ctx, args)
				      : kmt_ioctl(ctx, AMDKFD_IOC_CREATE_EVENT, args);

	if (rc)
		return rc;
	if (args->event_page_offset && !events->page) {
		rc = map_kernel_page(ctx, args->event_page_offset);
		if (rc) {
			(void)destroy_id(ctx, args->event_id); /* the first failure is told */
			return rc;
		}
	}
	*slot_address = 0;
	/*
	 * Other types have no slot; an older kernel leaves our page handle in the offset for
	 * them.
	 */
	if ((args->event_type == KFD_IOC_EVENT_SIGNAL ||
	     args->event_type == KFD_IOC_EVENT_DEBUG_EVENT) &&
	    args->event_page_offset && args->event_slot_index < events->slot_limit)
		*slot_address = (uintptr_t)&events->page[args->event_slot_index];
	return 0;
}

static void fill_object(struct event *event, const struct kfd_ioctl_create_event_args *args,
			const HsaEventDescriptor *desc, uint64_t slot_address)
{
	HsaEvent *object = &event->object;

	event->id = args->event_id;
	event->type = args->event_type;
	event->node_id = args->node_id;
	event->auto_reset = args->auto_reset;
	object->EventId = args->event_id;
	object->EventData.EventType = desc->EventType;
	object->EventData.HWData1 = args->event_id;
	object->EventData.HWData2 = slot_address;
	object->EventData.HWData3 = args->event_trigger_data;
	object->EventData.EventData.SyncVar = desc->SyncVar;
}

HSAKMT_STATUS kmt_create_event(struct kmt_context *ctx, HsaEventDescriptor *desc, bool manual_reset,
			       bool is_signaled, HsaEvent **out)
{
	struct kfd_ioctl_create_event_args args = { .auto_reset = !manual_reset };
	uint64_t slot_address = 0;
	struct event *event;
	int rc;

	if (!kmt_context_usable(ctx) || !ctx->events)
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!desc || !out || desc->EventType >= HSA_EVENTTYPE_MAXID)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*out = NULL;
	args.event_type = desc->EventType;
	args.node_id = desc->NodeId;
	event = calloc(1, sizeof(*event));
	if (!event)
		return HSAKMT_STATUS_ERROR; /* not NO_MEMORY: events.md 2, step 3 */
	atomic_init(&event->refs, 1);

	kmt_global_lock();
	rc = create_locked(ctx, &args, &slot_address);
	kmt_global_unlock();
	if (rc)
		goto fail;
	fill_object(event, &args, desc, slot_address);
	event->origin = kmt_origin();
	if (is_signaled && !event_is_system(event) && set_id(ctx, event->id))
		goto fail_created;
	if (!kmt_handle_set_add(&ctx->events->live, (uintptr_t)&event->object, event))
		goto fail_created;
	*out = &event->object;
	return HSAKMT_STATUS_SUCCESS;

fail_created:
	(void)destroy_id(ctx, event->id); /* the failure before it is the one that counts */
fail:
	free(event);
	return HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS kmt_destroy_event(struct kmt_context *ctx, HsaEvent *object)
{
	struct event *event;

	if (!kmt_context_usable(ctx) || !ctx->events)
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	/* Taken first: of two threads that destroy the same event one is told INVALID_HANDLE. */
	event = kmt_handle_set_take(&ctx->events->live, (uintptr_t)object);
	if (!event)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (destroy_id(ctx, event->id)) {
		if (!kmt_handle_set_add(&ctx->events->live, (uintptr_t)object, event))
			kmt_log(KMT_LOG_ERR, "event %u is lost: no memory", event->id);
		return HSAKMT_STATUS_ERROR;
	}
	event_put(event);
	return HSAKMT_STATUS_SUCCESS;
}

/* The checks that set and reset share; *id is valid on SUCCESS. */
static HSAKMT_STATUS user_event_id(struct kmt_context *ctx, const HsaEvent *object, uint32_t *id)
{
	HSAKMT_STATUS status;
	struct event *event;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	event = event_get(ctx, object);
	if (!event)
		return HSAKMT_STATUS_INVALID_HANDLE;
	*id = event->id;
	status = event_is_system(event) ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
	event_put(event);
	return status;
}

HSAKMT_STATUS kmt_set_event(struct kmt_context *ctx, HsaEvent *object)
{
	uint32_t id;
	HSAKMT_STATUS status = user_event_id(ctx, object, &id);

	if (status == HSAKMT_STATUS_SUCCESS && set_id(ctx, id))
		status = HSAKMT_STATUS_ERROR;
	return status;
}

HSAKMT_STATUS kmt_reset_event(struct kmt_context *ctx, HsaEvent *object)
{
	struct kfd_ioctl_reset_event_args args = { 0 };
	HSAKMT_STATUS status = user_event_id(ctx, object, &args.event_id);

	if (status == HSAKMT_STATUS_SUCCESS && kmt_ioctl(ctx, AMDKFD_IOC_RESET_EVENT, &args))
		status = HSAKMT_STATUS_ERROR;
	return status;
}

HSAKMT_STATUS kmt_query_event_state(struct kmt_context *ctx, HsaEvent *object)
{
	uint32_t id;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	return kmt_event_id(ctx, object, &id) ? HSAKMT_STATUS_SUCCESS
					      : HSAKMT_STATUS_INVALID_HANDLE;
}
