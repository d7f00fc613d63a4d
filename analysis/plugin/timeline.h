/* SPDX-License-Identifier: MIT */
/*
 * filter.kfd.timeline: takes a recording and gives a derived trace, one for each host, that viewers of
 * LTTng's user-space traces open: totals, states and calls by name (model/timeline.h).
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_TIMELINE_H
#define KFDSCOPE_ANALYSIS_PLUGIN_TIMELINE_H

#include <babeltrace2/babeltrace.h>

#include "plugin/feed.h"

/* What the command hands to the component, instead of models of its own. Borrowed. */
struct timeline_shared {
	struct model *model;
	struct feed *feed;
	/* Called at the end of the input, before the last events are made. May be NULL. */
	void (*at_end)(void *data);
	/* Asked now and then: true ends the input there. May be NULL. */
	bool (*is_stopped)(void *data);
	void *data;
	bool *failed;             /* out: set when the sink is told of an error; may be NULL */
	int64_t begin_ns, end_ns; /* what is given out: model_within() */
};

bt_component_class_initialize_method_status timeline_initialize(
	bt_self_component_filter *self, bt_self_component_filter_configuration *config,
	const bt_value *params, void *data);
void timeline_finalize(bt_self_component_filter *self);
bt_message_iterator_class_initialize_method_status timeline_iterator_initialize(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
	bt_self_component_port_output *port);
bt_message_iterator_class_next_method_status timeline_iterator_next(bt_self_message_iterator *self,
								    bt_message_array_const messages,
								    uint64_t capacity,
								    uint64_t *count);
void timeline_iterator_finalize(bt_self_message_iterator *self);

#endif
