/* SPDX-License-Identifier: MIT */
/*
 * Leaks that a reader knows and does not want to see again, in LeakSanitizer's format: a line
 * "leak:PATTERN" each, '#' begins a comment. A pattern is looked for in the function, file and module
 * of every frame; '*' stands for anything, '^' and '$' hold on to the begin and the end.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_SUPPRESSIONS_H
#define KFDSCOPE_ANALYSIS_OUTPUT_SUPPRESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "output/stackview.h"

struct suppression {
	char *pattern;         /* owned */
	uint64_t count, bytes; /* what it hid */
};

struct suppressions {
	GPtrArray *list; /* owned, of struct suppression */
};

/*
 * Reads a file.
 * @param problem  out, on failure: one line with the line's number; the caller frees it.
 * @return the caller's to suppressions_free(); NULL on failure.
 */
struct suppressions *suppressions_load(const char *path, char **problem);
/* Accepts NULL. */
void suppressions_free(struct suppressions *suppressions);
/* @return the first one that matches a frame, borrowed; NULL: none. Accepts NULL. */
struct suppression *suppressions_match(const struct suppressions *suppressions,
				       const struct stackview *view);
/* Whether a pattern is found in a text. */
bool suppression_pattern_matches(const char *pattern, const char *text);

#endif
