/* SPDX-License-Identifier: MIT */
/* Counter runs for readers (model/counters.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_COUNTERS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_COUNTERS_REPORT_H

#include "model/counters.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.counters". */
json_t *counters_json(const struct counters *counters, const struct document *document);
/* The same as text. */
void counters_text(GString *text, const json_t *json, const struct document *document);

#endif
