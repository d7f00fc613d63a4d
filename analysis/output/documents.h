/* SPDX-License-Identifier: MIT */
/* The reports that are JSON objects first (document.h), each behind the same four functions. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_DOCUMENTS_H
#define KFDSCOPE_ANALYSIS_OUTPUT_DOCUMENTS_H

#include "output/document.h"

struct document_kind {
	void *(*watch)(struct model *model);
	void (*unwatch)(void *watcher);
	/* The finished report; its member "findings" counts what a --fail-on wants to know. */
	json_t *(*json)(const void *watcher, const struct document *document);
	void (*text)(GString *text, const json_t *json, const struct document *document);
};

extern const struct document_kind document_failures;
extern const struct document_kind document_clocks;
extern const struct document_kind document_svm;
extern const struct document_kind document_faults;
extern const struct document_kind document_counters;
extern const struct document_kind document_queues;
extern const struct document_kind document_waits;
extern const struct document_kind document_latency;
extern const struct document_kind document_startup;

#endif
