/* SPDX-License-Identifier: MIT */
/* The leak report for readers: text, and JSON with the same numbers. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_TEXT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_TEXT_H

#include "output/header.h"
#include "output/leaks_report.h"

/* Appends the report as text. @param notes  may be NULL. */
void leaks_text(GString *text, const struct leaks_report *report, const struct report_notes *notes);
/* The report as a new JSON object, schema "kfdscope.leaks"; NULL without memory. */
json_t *leaks_json(const struct leaks_report *report, const struct report_notes *notes);

#endif
