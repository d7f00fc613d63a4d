/* SPDX-License-Identifier: MIT */
/*
 * Makes values member by member: as a tree, for whoever reads it, or as text at once, for lists so
 * long that a tree of each entry would cost more than the rest of the report. The text is what jansson
 * writes of the tree on one line; strings that need escapes and fractions are written by it.
 *
 * A name is that of a member; NULL: the value is the entry of a list, or the outermost one.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_JSON_BUILD_H
#define KFDSCOPE_ANALYSIS_OUTPUT_JSON_BUILD_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct json_build;

/* A value that stands in many others. */
struct json_ready {
	char *text; /* owned */
	size_t length;
	json_t *tree; /* counted; NULL until a tree has it */
};

/* @param text  borrowed: what is made is appended to it; NULL: a tree is made. */
struct json_build *json_build_new(GString *text);
/* Accepts NULL. */
void json_build_free(struct json_build *build);
/* @return the outermost value of the finished tree, the caller's; NULL without one. */
json_t *json_build_take(struct json_build *build);

void json_build_object(struct json_build *build, const char *name);
void json_build_list(struct json_build *build, const char *name);
/* Ends the object or list that was begun last. */
void json_build_end(struct json_build *build);
void json_build_int(struct json_build *build, const char *name, int64_t value);
void json_build_real(struct json_build *build, const char *name, double value);
void json_build_bool(struct json_build *build, const char *name, bool value);
void json_build_null(struct json_build *build, const char *name);
/* Makes nothing of NULL, and "?" of what is not UTF-8. */
void json_build_string(struct json_build *build, const char *name, const char *value);
void json_build_ready(struct json_build *build, const char *name, struct json_ready *value);

/* @param text  JSON; copied. */
void json_ready_init(struct json_ready *ready, const GString *text);
/* The copy's own. */
void json_ready_copy(struct json_ready *copy, const struct json_ready *ready);
void json_ready_fini(struct json_ready *ready);

#endif
