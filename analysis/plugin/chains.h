/* SPDX-License-Identifier: MIT */
/* sink.kfd.chains: what each call cost, from the runtime's functions down to the ioctls. */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_CHAINS_H
#define KFDSCOPE_ANALYSIS_PLUGIN_CHAINS_H

#include <babeltrace2/babeltrace.h>

/* Initialises a component; the other methods are those of plugin/sink.h. */
bt_component_class_initialize_method_status chains_initialize(
	bt_self_component_sink *self, bt_self_component_sink_configuration *config,
	const bt_value *params, void *data);

#endif
