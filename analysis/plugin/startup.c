/* SPDX-License-Identifier: MIT */
/* sink.kfd.startup (startup.h). */
#include "plugin/startup.h"

#include "plugin/sink.h"

bt_component_class_initialize_method_status startup_initialize(
	bt_self_component_sink *self, bt_self_component_sink_configuration *config,
	const bt_value *params, void *data)
{
	(void)config;
	(void)data;
	return sink_initialize(self, params, REPORT_STARTUP);
}
