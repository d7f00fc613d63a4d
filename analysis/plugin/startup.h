/* SPDX-License-Identifier: MIT */
/* sink.kfd.startup: how long programs took to start. */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_STARTUP_H
#define KFDSCOPE_ANALYSIS_PLUGIN_STARTUP_H

#include <babeltrace2/babeltrace.h>

/* Initialises a component; the other methods are those of plugin/sink.h. */
bt_component_class_initialize_method_status startup_initialize(
	bt_self_component_sink *self, bt_self_component_sink_configuration *config,
	const bt_value *params, void *data);

#endif
