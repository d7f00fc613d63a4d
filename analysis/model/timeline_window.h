/* SPDX-License-Identifier: MIT */
/*
 * A part of a timeline: items of a span of time, and with each beginning its end. Totals are true from
 * their first item on, since they are of the whole recording.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_TIMELINE_WINDOW_H
#define KFDSCOPE_ANALYSIS_MODEL_TIMELINE_WINDOW_H

#include "model/timeline.h"

struct timeline_window;

/* @param begin_ns, end_ns  as model_within() takes them. @param model  borrowed. */
struct timeline_window *timeline_window_new(const struct model *model, int64_t begin_ns,
					    int64_t end_ns);
/* Accepts NULL. */
void timeline_window_free(struct timeline_window *window);
/* Whether an item is wanted; every item has to be shown to it, in order. */
bool timeline_window_takes(struct timeline_window *window, const struct timeline_item *item);

#endif
