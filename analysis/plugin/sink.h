/* SPDX-License-Identifier: MIT */
/*
 * What all report sinks have in common: one input port, one model, one report. A sink class names
 * its report and is otherwise this.
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_SINK_H
#define KFDSCOPE_ANALYSIS_PLUGIN_SINK_H

#include <babeltrace2/babeltrace.h>

#include "output/report.h"

bt_component_class_initialize_method_status sink_initialize(bt_self_component_sink *self,
							    const bt_value *params,
							    enum report_kind kind);
bt_component_class_sink_graph_is_configured_method_status sink_graph_is_configured(
	bt_self_component_sink *self);
bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self);
void sink_finalize(bt_self_component_sink *self);

#endif
