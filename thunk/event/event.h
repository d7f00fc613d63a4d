/* SPDX-License-Identifier: MIT */
/* Events and waits (events.md): what other modules may ask. */
#ifndef KFDSCOPE_THUNK_EVENT_EVENT_H
#define KFDSCOPE_THUNK_EVENT_EVENT_H

#include "context.h"

struct kmt_events *kmt_events_new(void);
void kmt_events_free(struct kmt_events *events);
/* In a forked child and at secondary close: forget the events page. */
void kmt_events_forget_page(struct kmt_context *ctx);

/* One live event, for the state dump. */
struct kmt_event_info {
	uint32_t event_id, type, node_id;
	bool auto_reset;
	uint64_t address; /* of the HsaEvent */
};
/* Calls visit for each live event under the event list's lock; visit must not call the thunk. */
void kmt_event_for_each(struct kmt_context *ctx,
			void (*visit)(const struct kmt_event_info *info, void *data), void *data);

#endif
