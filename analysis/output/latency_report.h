/* SPDX-License-Identifier: MIT */
/* What calls cost and what makes them slow, for readers (model/costs.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_LATENCY_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_LATENCY_REPORT_H

#include "model/costs.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.latency". */
json_t *latency_json(const struct costs *costs, const struct document *document);
/* The same as text. */
void latency_text(GString *text, const json_t *json, const struct document *document);

#endif
