/* SPDX-License-Identifier: MIT */
/* sink.kfd.clocks (clocks.h). */
#include "plugin/clocks.h"

#include "plugin/sink.h"

bt_component_class_initialize_method_status clocks_initialize(
	bt_self_component_sink *self, bt_self_component_sink_configuration *config,
	const bt_value *params, void *data)
{
	(void)config;
	(void)data;
	return sink_initialize(self, params, REPORT_CLOCKS);
}
