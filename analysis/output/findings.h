/* SPDX-License-Identifier: MIT */
/* What a reader should know first about a recording: one sentence each, worst first. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_FINDINGS_H
#define KFDSCOPE_ANALYSIS_OUTPUT_FINDINGS_H

#include "output/document.h"
#include "output/leaks_report.h"

/*
 * A new array of {"level": "bad" | "doubt" | "note" | "good", "text", "section"}; never empty.
 * @param parts  the reports of documents.h, by name.
 */
json_t *findings_json(const struct document *document, const struct leaks_report *leaks,
		      const json_t *parts);
/* How many of them are of level "bad" or "doubt". */
uint64_t findings_count(const json_t *findings);

#endif
