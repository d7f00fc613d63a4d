/* SPDX-License-Identifier: MIT */
/* JSON objects to files, piece by piece: neither their text nor all entries need be in memory. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_JSON_WRITE_H
#define KFDSCOPE_ANALYSIS_OUTPUT_JSON_WRITE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Makes an entry of a list for which the object has null.
 * @param list  name of the member that is the list.
 * @return new; NULL without memory.
 */
typedef json_t *json_entry_fn(void *data, const char *list, size_t index);

/*
 * Writes an object, indented, with a final newline.
 * @param entry  makes the entries that are null in lists of the object; NULL: they are null.
 * @return 0 or -errno.
 */
int json_write(const json_t *json, FILE *stream, json_entry_fn *entry, void *data);

#endif
