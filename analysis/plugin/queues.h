/* SPDX-License-Identifier: MIT */
/* sink.kfd.queues: how many queues lived, and what became of them. */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_QUEUES_H
#define KFDSCOPE_ANALYSIS_PLUGIN_QUEUES_H

#include <babeltrace2/babeltrace.h>

/* Initialises a component; the other methods are those of plugin/sink.h. */
bt_component_class_initialize_method_status queues_initialize(
	bt_self_component_sink *self, bt_self_component_sink_configuration *config,
	const bt_value *params, void *data);

#endif
