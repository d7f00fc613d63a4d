/* SPDX-License-Identifier: MIT */
/* sink.kfd.leaks: memory that was not given back, and who took it. */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_LEAKS_H
#define KFDSCOPE_ANALYSIS_PLUGIN_LEAKS_H

#include <babeltrace2/babeltrace.h>

/* Initialises a component; the other methods are those of plugin/sink.h. */
bt_component_class_initialize_method_status leaks_initialize(
	bt_self_component_sink *self, bt_self_component_sink_configuration *config,
	const bt_value *params, void *data);

#endif
