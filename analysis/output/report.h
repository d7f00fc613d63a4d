/* SPDX-License-Identifier: MIT */
/*
 * A report as whoever feeds the model sees it: something that may watch the model while the recording
 * goes by, and that writes its result in the end. The component classes and the kfdscope command
 * make the same ones.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "output/header.h"

enum report_kind {
	REPORT_LEAKS,
	REPORT_CHAINS,
	REPORT_PERFETTO, /* JSON only */
	REPORT_FAILURES,
	REPORT_CLOCKS,
	REPORT_SVM,
	REPORT_FAULTS,
	REPORT_COUNTERS,
	REPORT_QUEUES,
	REPORT_WAITS,
	REPORT_LATENCY,
	REPORT_STARTUP,
	REPORT_ALLOCS,
	REPORT_HTML, /* an HTML page, or its data as JSON */
	REPORT_KIND_COUNT,
};

enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_FOLDED, /* chains only, as the next */
	REPORT_SPEEDSCOPE,
};

struct allocs_places;

/* Takes the report of allocs, instead of having it written. */
struct allocs_taker {
	void *data;
	/* @param json  the report, with null for each place. Both are borrowed for the call. */
	void (*take)(void *data, const json_t *json, const struct allocs_places *places);
};

struct report_options {
	const char *output; /* borrowed; NULL or "-": standard output */
	enum report_format format;
	uint32_t top;             /* entries printed a section; 0: all */
	bool runtime;             /* leaks: list what runtimes keep for themselves, too */
	int64_t begin_ns, end_ns; /* only what happened in between is printed; 0: no limit */
	const char *debug_dirs;   /* borrowed; NULL: the default */
	const char
		*suppressions; /* borrowed: file, of leaks; NULL: none. Read once more for them */
	const char *sort;      /* borrowed: of allocs; NULL: the default */
	const char *weight;    /* borrowed: of folded stacks and speedscope; NULL: time */
	/* allocs: moments of which the state is wanted, too; see usages_add_moment(). 0: none. */
	int64_t moments_ns[2];
	const struct allocs_taker *taker; /* borrowed: of allocs; NULL: the report is written */
};

struct report;

/*
 * Makes a report and lets it watch the model. The output is opened now, so that a bad path is known
 * before the work.
 * @param model  borrowed, unfinished, until report_free().
 * @param error  out: -errno of opening the output, when NULL is returned.
 */
struct report *report_new(enum report_kind kind, struct model *model,
			  const struct report_options *options, int *error);
/*
 * Writes the result. The model is finished.
 * @param notes  may be NULL.
 * @return 0 or -errno of writing.
 */
int report_finish(struct report *report, const struct report_notes *notes);
/* True when there is something that a --fail-on wants to know; after report_finish(). */
bool report_has_findings(const struct report *report);
/* Frees it; an unfinished report leaves no file behind. Accepts NULL. */
void report_free(struct report *report);

#endif
