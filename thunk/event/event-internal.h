/* SPDX-License-Identifier: MIT */
/* What the files of the event module share: the record behind an HsaEvent and the events part. */
#ifndef KFDSCOPE_THUNK_EVENT_EVENT_INTERNAL_H
#define KFDSCOPE_THUNK_EVENT_EVENT_INTERNAL_H

#include <stdatomic.h>

#include "event/event.h"
#include "event/handle_set.h"
#include "hsakmt/linux/kfd_ioctl.h"

/* The public object is the first member, so that its address is the record's. */
struct event {
	HsaEvent object; /* the caller may write here; nothing below is taken from it */
	uint32_t id;     /* the KFD's */
	uint32_t type;   /* HSA_EVENTTYPE */
	uint32_t node_id;
	bool auto_reset;
	uint64_t origin;       /* who asked for it (origin.h) */
	_Atomic uint32_t refs; /* one while the handle lives, one of each call that uses it */
};

struct kmt_events {
	struct kmt_handle_set live; /* HsaEvent address to struct event, owned */
	/*
	 * The signal page, kmt_global_lock(). Never freed: the kernel refuses that (kfd.md 7.1), so
	 * it is only forgotten.
	 */
	uint64_t *page;
	uint32_t slot_limit; /* usable slots of it */
	/*
	 * A page that went with a creation which failed. Whether the kernel kept it cannot be seen
	 * from the failure; the next creation finds out. Under kmt_global_lock().
	 */
	void *tried_page;
};

/* True for types that the user may neither set nor reset (events.md 1). */
static inline bool event_is_system(const struct event *event)
{
	return event->type != HSA_EVENTTYPE_SIGNAL && event->type != HSA_EVENTTYPE_DEBUG_EVENT;
}

/*
 * The live record of a public object, or NULL. It stays until event_put(), also when another thread
 * destroys the event meanwhile.
 */
struct event *event_get(struct kmt_context *ctx, const HsaEvent *object);
/* The last one frees the record. Accepts NULL. */
void event_put(struct event *event);

/*
 * Logs what is known about a memory fault and the buffer it hit (events.md 5). May issue an SVM
 * ioctl; never fails.
 */
void event_report_fault(struct kmt_context *ctx, uint32_t node_id,
			const struct kfd_hsa_memory_exception_data *fault);

#endif
