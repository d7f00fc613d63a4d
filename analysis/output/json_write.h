/* SPDX-License-Identifier: MIT */
/*
 * JSON to files, piece by piece: neither its text nor all entries of its lists need be in memory.
 * Members of objects and entries of lists stand on lines of their own; an entry with all that is in it
 * is one line.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_JSON_WRITE_H
#define KFDSCOPE_ANALYSIS_OUTPUT_JSON_WRITE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "output/json_build.h"

/*
 * Makes an entry of a list for which the object has null.
 * @param list  name of the member that is the list.
 */
typedef void json_entry_fn(void *data, const char *list, size_t index, struct json_build *build);

/*
 * Writes a value with a final newline.
 * @param entry  makes the entries that are null in lists, but those in other lists; NULL: they are null.
 * @return 0 or -errno.
 */
int json_write(const json_t *json, FILE *stream, json_entry_fn *entry, void *data);
#endif
