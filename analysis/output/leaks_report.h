/* SPDX-License-Identifier: MIT */
/*
 * The leak report as numbers: what was left over, grouped by code path, and whose fault it is. The
 * text and JSON writers print exactly this, so that their numbers cannot differ.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_LEAKS_REPORT_H

#include <glib.h>

#include "model/model.h"
#include "output/stackview.h"

/* Who failed to give memory back. */
enum leak_layer {
	LEAK_APPLICATION, /* it never called free */
	LEAK_KERNEL,      /* a free was tried and the kernel refused it */
	LEAK_RUNTIME,     /* a runtime above the thunk took it for itself and kept it */
	LEAK_THUNK,       /* the thunk freed the allocation and kept a buffer object */
	LEAK_UNKNOWN,     /* taken before the recording began: no stack */
	LEAK_LAYER_COUNT,
};

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
	const struct process *process; /* borrowed, like all that follows but the view */
	const struct site *site;       /* one of those in the group: kind, node, gpu, calls */
	enum leak_layer layer;
	enum leak_moment moment;
	bool undecided; /* the free may be among lost events */
	struct leak_sum sum;
	int64_t first_ns, last_ns; /* when the oldest and the newest of them was taken */
	uint64_t taken_count;      /* all that were taken here, freed ones too */
	struct stackview view;     /* owned */
	struct refusal refusal;    /* of the last block that has one; count 0: none. Borrowed */
	struct stackview refused;  /* owned: of refusal.stack */
	uint64_t free_pending;     /* whose free had begun when the recording ended */
	uint64_t registered, deregistered;
};

struct leaks_process {
	const struct process *process;
	enum leak_moment moment;
	struct leak_sum layers[LEAK_LAYER_COUNT], undecided;
	struct leak_sum left; /* all layers, without the undecided */
};

struct leaks_options {
	const char *debug_dirs;   /* for symbols; NULL: the default */
	int64_t begin_ns, end_ns; /* only what was taken in between; 0: no limit */
	uint32_t top;             /* groups printed a section; 0: all */
};

struct leaks_report {
	const struct model *model; /* borrowed */
	struct leaks_options options;
	struct sym *sym;          /* owned */
	GPtrArray *groups;        /* of struct leak_group, owned: largest first */
	GPtrArray *registrations; /* likewise: host memory still registered */
	GPtrArray *imports;       /* likewise: imports still open */
	GPtrArray *freed_shares;  /* of borrowed struct share: exported, then freed */
	GArray *processes;        /* of struct leaks_process */
	struct leak_sum layers[LEAK_LAYER_COUNT], undecided, left;
	uint64_t frames[SYM_REASON_COUNT]; /* distinct frames shown, by how well they are named */
};

/* Builds the report from a finished model. @return the caller's to leaks_report_free(). */
struct leaks_report *leaks_report_new(const struct model *model,
				      const struct leaks_options *options);
void leaks_report_free(struct leaks_report *report);

const char *leak_layer_name(enum leak_layer layer);
const char *leak_moment_name(enum leak_moment moment);

#endif
