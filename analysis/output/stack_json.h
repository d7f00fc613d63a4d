/* SPDX-License-Identifier: MIT */
/* Stacks in JSON, the same in every report. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_STACK_JSON_H
#define KFDSCOPE_ANALYSIS_OUTPUT_STACK_JSON_H

#include <jansson.h>

#include "output/stackview.h"

/*
 * Frames that were made before: the same object stands in all stacks that share a frame, for a long
 * list of stacks has far more frames than places that they are at.
 */
struct frames_json;

struct frames_json *frames_json_new(void);
/* Accepts NULL. Stacks that were made with it keep their frames. */
void frames_json_free(struct frames_json *frames);

/*
 * An array of frames, innermost first, with what is known of each.
 * @param frames  of the resolver that named them; NULL: each frame is made anew.
 */
json_t *stack_json(const struct stackview *view, struct frames_json *frames);
/* The frame in which the application called; JSON null when there is none. */
json_t *caller_json(const struct stackview *view, struct frames_json *frames);

#endif
