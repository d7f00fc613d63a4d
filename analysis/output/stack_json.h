/* SPDX-License-Identifier: MIT */
/* Stacks in JSON, the same in every report. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_STACK_JSON_H
#define KFDSCOPE_ANALYSIS_OUTPUT_STACK_JSON_H

#include <jansson.h>

#include "output/json_build.h"
#include "output/stackview.h"

/*
 * Frames that were made, to be made once: a long list of stacks has far more frames than places that
 * they are at.
 */
struct frames_json;

struct frames_json *frames_json_new(void);
/* Accepts NULL. Trees that have frames of it keep them. */
void frames_json_free(struct frames_json *frames);
/*
 * A frame with what is known of it, level by level (struct sym_frame).
 * @return frame->level_count of them, valid as long as the frames.
 */
struct json_ready *frames_json_levels(struct frames_json *frames, const struct sym_frame *frame,
				      enum module_role role);

/* A list of frames, innermost first. @param frames  of the resolver that named them. */
void stack_build(struct json_build *build, const char *name, const struct stackview *view,
		 struct frames_json *frames);
/* The frame in which the application called; JSON's null when there is none. */
void caller_build(struct json_build *build, const char *name, const struct stackview *view,
		  struct frames_json *frames);
/* The same as trees. */
json_t *stack_json(const struct stackview *view, struct frames_json *frames);
json_t *caller_json(const struct stackview *view, struct frames_json *frames);

#endif
