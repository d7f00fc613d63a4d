/* SPDX-License-Identifier: MIT */
/* Clock readings for readers (model/clocks.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_CLOCKS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_CLOCKS_REPORT_H

#include "model/clocks.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.clocks". */
json_t *clocks_json(const struct clocks *clocks, const struct document *document);
/* The same as text. */
void clocks_text(GString *text, const json_t *json, const struct document *document);

#endif
