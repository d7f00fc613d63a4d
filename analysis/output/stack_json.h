/* SPDX-License-Identifier: MIT */
/* Stacks in JSON, the same in every report. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_STACK_JSON_H
#define KFDSCOPE_ANALYSIS_OUTPUT_STACK_JSON_H

#include <jansson.h>

#include "output/stackview.h"

/* An array of frames, innermost first, with what is known of each. */
json_t *stack_json(const struct stackview *view);
/* The frame in which the application called; JSON null when there is none. */
json_t *caller_json(const struct stackview *view);

#endif
