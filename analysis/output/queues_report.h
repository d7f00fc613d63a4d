/* SPDX-License-Identifier: MIT */
/* Queues for readers (model/queues.h). */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_QUEUES_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_QUEUES_REPORT_H

#include "model/queues.h"
#include "output/document.h"

/* The report as a new JSON object, schema "kfdscope.queues". */
json_t *queues_json(const struct queues *queues, const struct document *document);
/* The same as text. */
void queues_text(GString *text, const json_t *json, const struct document *document);

#endif
