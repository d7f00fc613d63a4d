/* SPDX-License-Identifier: MIT */
/* Waits, spins and signals for readers (model/waits.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_WAITS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_WAITS_REPORT_H

#include "model/waits.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.waits". */
json_t *waits_json(const struct waits *waits, const struct document *document);
/* The same as text. */
void waits_text(GString *text, const json_t *json, const struct document *document);

#endif
