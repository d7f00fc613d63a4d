/* SPDX-License-Identifier: MIT */
/*
 * A derived trace: classes, one stream with packets, and messages for timeline items. It keeps to
 * what LTTng-UST viewers need: environment, clock and contexts of the source (trace-compass.md 13).
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_DERIVED_H
#define KFDSCOPE_ANALYSIS_PLUGIN_DERIVED_H

#include <babeltrace2/babeltrace.h>
#include <glib.h>

#include "model/timeline.h"

struct derived;

/*
 * Makes the trace.
 * @param source  a stream of the recording, whose clock and host it takes.
 * @return NULL, with the causes on the thread's error.
 */
struct derived *derived_new(bt_self_message_iterator *iterator, const bt_stream *source);
/* Lets go of all of it: only then can a sink finish the trace's metadata. */
void derived_free(struct derived *derived);
/* Appends the messages of an item. @return false, with the causes on the thread's error. */
bool derived_give(struct derived *derived, const struct timeline_item *item, GPtrArray *messages);
/* Ends packet and stream. */
bool derived_end(struct derived *derived, GPtrArray *messages);

#endif
