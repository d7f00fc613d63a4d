/* SPDX-License-Identifier: MIT */
/* The leak report for readers: text, and JSON with the same numbers. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_TEXT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_TEXT_H

#include "output/header.h"
#include "output/json_build.h"
#include "output/leaks_report.h"

/* Appends the report as text. @param notes  may be NULL. */
void leaks_text(GString *text, const struct leaks_report *report, const struct report_notes *notes);
/*
 * The report as a new JSON object, schema "kfdscope.leaks"; NULL without memory. In its lists of what
 * was left is null for each entry, for there can be very many.
 */
json_t *leaks_json(const struct leaks_report *report, const struct report_notes *notes);
/* Makes one of them. @param data  the report. @param list  name of the list. */
void leaks_entry_build(void *data, const char *list, size_t index, struct json_build *build);

#endif
