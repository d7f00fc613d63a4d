/* SPDX-License-Identifier: MIT */
/* The parameters of the report components, from one table: types are checked, unknown ones refused. */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_PARAMS_H
#define KFDSCOPE_ANALYSIS_PLUGIN_PARAMS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "output/report.h"

/*
 * Reads the parameters of a component.
 * @param options  out: strings are borrowed from params.
 * @return false after appending the cause to the thread's error.
 */
bool params_read(bt_self_component *component, const bt_value *params,
		 struct report_options *options);

#endif
