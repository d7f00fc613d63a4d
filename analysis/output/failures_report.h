/* SPDX-License-Identifier: MIT */
/* Failing calls for readers (model/failures.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_FAILURES_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_FAILURES_REPORT_H

#include "model/failures.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.failures". */
json_t *failures_json(const struct failures *failures, const struct document *document);
/* The same as text. */
void failures_text(GString *text, const json_t *json, const struct document *document);

#endif
