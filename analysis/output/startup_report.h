/* SPDX-License-Identifier: MIT */
/* How long programs took to start, on what, and for which node, as JSON and text. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_STARTUP_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_STARTUP_REPORT_H

#include "model/startup.h"
#include "output/document.h"

/* @return new; "findings" counts slow nodes and refused opens. */
json_t *startup_json(const struct startups *startups, const struct document *document);
void startup_text(GString *text, const json_t *json, const struct document *document);

#endif
