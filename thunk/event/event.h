/* SPDX-License-Identifier: MIT */
/* Events and waits (events.md): the API's implementation, and what other modules may ask. */
#ifndef KFDSCOPE_THUNK_EVENT_EVENT_H
#define KFDSCOPE_THUNK_EVENT_EVENT_H

#include "context.h"

/* The event part of a context, without a signal page. @return NULL without memory. */
struct kmt_events *kmt_events_new(void);
/* Frees every event object without destroying it in the kernel; accepts NULL. */
void kmt_events_free(struct kmt_events *events);
/* In a forked child and at secondary close: forget the events page. */
void kmt_events_forget_page(struct kmt_context *ctx);
/*
 * Before the apertures go: gives back a page with which no event could be created, unless the kernel
 * has taken it all the same.
 */
void kmt_events_drop_unused_page(struct kmt_context *ctx);

/* One live event, for the state dump. */
struct kmt_event_info {
	uint32_t event_id, type, node_id;
	bool auto_reset;
	uint64_t address; /* of the HsaEvent */
	uint64_t origin;  /* origin.h */
};
/* Calls visit for each live event under the event list's lock; visit must not call the thunk. */
void kmt_event_for_each(struct kmt_context *ctx,
			void (*visit)(const struct kmt_event_info *info, void *data), void *data);

/* The KFD's id of an event, for other modules. @return false for what is no live event. */
bool kmt_event_id(struct kmt_context *ctx, const HsaEvent *object, uint32_t *id);

/*
 * Creates a KFD event, and the signal page with the first one (events.md 2).
 *
 * @param manual_reset  false: a wait that returns clears the event.
 * @param is_signaled   ignored for system event types.
 * @param out           the event, until kmt_destroy_event(); NULL on failure.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL and unknown types;
 *         ERROR for everything else, missing memory too.
 */
HSAKMT_STATUS kmt_create_event(struct kmt_context *ctx, HsaEventDescriptor *desc, bool manual_reset,
			       bool is_signaled, HsaEvent **out);
/*
 * Destroys an event and frees the object; a failure keeps both.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_HANDLE for NULL and for what is no live
 *         event; ERROR.
 */
HSAKMT_STATUS kmt_destroy_event(struct kmt_context *ctx, HsaEvent *object);
/* Signals an event. @return as kmt_destroy_event(); ERROR for system types. */
HSAKMT_STATUS kmt_set_event(struct kmt_context *ctx, HsaEvent *object);
/* Clears an event. @return as kmt_set_event(). */
HSAKMT_STATUS kmt_reset_event(struct kmt_context *ctx, HsaEvent *object);
/* Checks its argument only: the KFD has no such query. @return as kmt_destroy_event(). */
HSAKMT_STATUS kmt_query_event_state(struct kmt_context *ctx, HsaEvent *object);

/*
 * Waits (events.md 4). The object of a memory or hardware exception that happened gets its details.
 * Thread-safe; several threads may wait for one event.
 *
 * @param milliseconds  0 polls, 0xFFFFFFFF waits for ever.
 * @param event_age     in/out, one for each event, may be NULL: the age last seen; 0 turns the
 *                      feature off. Written back in every outcome, for signal events only.
 * @return SUCCESS; WAIT_TIMEOUT; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_HANDLE for NULL and for what
 *         is no live event; NO_MEMORY; INVALID_NODE_UNIT when the details name an unknown GPU;
 *         ERROR.
 */
HSAKMT_STATUS kmt_wait_on_multiple_events_ext(struct kmt_context *ctx, HsaEvent *objects[],
					      HSAuint32 count, bool wait_on_all,
					      HSAuint32 milliseconds, uint64_t *event_age);
/* The same without ages. */
HSAKMT_STATUS kmt_wait_on_multiple_events(struct kmt_context *ctx, HsaEvent *objects[],
					  HSAuint32 count, bool wait_on_all,
					  HSAuint32 milliseconds);
/* The same for one event. INVALID_HANDLE for NULL comes before all other checks. */
HSAKMT_STATUS kmt_wait_on_event_ext(struct kmt_context *ctx, HsaEvent *object,
				    HSAuint32 milliseconds, uint64_t *event_age);
/* The same for one event, without its age. */
HSAKMT_STATUS kmt_wait_on_event(struct kmt_context *ctx, HsaEvent *object, HSAuint32 milliseconds);

#endif
