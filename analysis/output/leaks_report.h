/* SPDX-License-Identifier: MIT */
/*
 * The leak report as numbers: what was left over, grouped by code path, and whose fault it is. The
 * text and JSON writers print exactly this, so that their numbers cannot differ.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_REPORT_H

#include <glib.h>

#include "model/model.h"
#include "output/attribution.h"
#include "output/stack_json.h"
#include "output/stackview.h"
#include "output/suppressions.h"

/* When it was left over. */
enum leak_moment {
	LEFT_AT_CLOSE,  /* the driver was closed */
	LEFT_AT_EXIT,   /* the process ended normally without closing it */
	LEFT_AT_SIGNAL, /* the process was killed or crashed */
	LEFT_AT_END,    /* the recording says nothing of the end: killed, crashed, or running */
	LEFT_MOMENT_COUNT,
};

struct leak_sum {
	uint64_t count, bytes;
};

struct leak_group {
	const struct process *process; /* borrowed, like all that follows */
	const struct site *site;       /* one of those in the group: kind, node, gpu, calls */
	enum leak_layer layer;
	enum leak_moment moment;
	bool undecided; /* the free may be among lost events */
	struct leak_sum sum;
	int64_t first_ns, last_ns; /* when the oldest and the newest of them was taken */
	uint64_t taken_count;      /* all that were taken here, freed ones too */
	const struct stackview *view;
	/*
	 * Requests to a runtime, not blocks: sum has what the program asked for. Of the blocks behind
	 * them, each counted in the first group that has memory in it:
	 */
	bool is_request;
	struct leak_sum behind;
	struct site own_site;   /* what site points to when no block was taken for the requests */
	struct refusal refusal; /* of the last block that has one; count 0: none */
	const struct stackview *refused; /* of refusal.stack; NULL: none */
	uint64_t free_pending;           /* whose free had begun when the recording ended */
	uint64_t registered, deregistered;
};

struct leaks_process {
	const struct process *process;
	enum leak_moment moment;
	struct leak_sum layers[LEAK_LAYER_COUNT], undecided;
	struct leak_sum left;       /* all layers, without the undecided */
	struct leak_sum suppressed; /* in none of those */
};

struct leaks_options {
	const char *debug_dirs;            /* for symbols; NULL: the default */
	int64_t begin_ns, end_ns;          /* only what was taken in between; 0: no limit */
	uint32_t top;                      /* groups printed a section; 0: all */
	struct suppressions *suppressions; /* borrowed, counts what it hid; NULL: none */
	bool runtime;                      /* the text lists what runtimes keep, too */
};

struct leaks_report {
	const struct model *model; /* borrowed */
	struct leaks_options options;
	struct attribution *attribution; /* owned: has the views of the groups */
	struct sym *sym;                 /* owned */
	struct frames_json *frames_json; /* owned: of the frames that sym named */
	GPtrArray *groups;               /* of struct leak_group, owned: largest first */
	GPtrArray *registrations;        /* likewise: host memory still registered */
	GPtrArray *imports;              /* likewise: imports still open */
	GPtrArray *reservations; /* likewise: addresses without memory, in none of the sums */
	GPtrArray *freed_shares; /* of borrowed struct share: exported, then freed */
	GArray *processes;       /* of struct leaks_process */
	struct leak_sum layers[LEAK_LAYER_COUNT], undecided, left;
	struct leak_sum suppressed;        /* in none of the lists and sums above */
	uint64_t frames[SYM_REASON_COUNT]; /* distinct frames shown, by how well they are named */
	GPtrArray
		*nameless; /* of borrowed struct sym_frame: one for each module that lacks names */
};

/* Builds the report from a finished model. @return the caller's to leaks_report_free(). */
struct leaks_report *leaks_report_new(const struct model *model,
				      const struct leaks_options *options);
/* True when something but the runtimes' own memory was, or may have been, left behind. */
bool leaks_report_has_findings(const struct leaks_report *report);
void leaks_report_free(struct leaks_report *report);

const char *leak_moment_name(enum leak_moment moment);

#endif
