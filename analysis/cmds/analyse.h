/* SPDX-License-Identifier: MIT */
/*
 * Runs one report over recordings: finds the traces below the given directories, builds the
 * babeltrace2 graph source.ctf.fs -> merge -> report, runs it, and says in one line what went wrong.
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_ANALYSE_H
#define KFDSCOPE_ANALYSIS_CMDS_ANALYSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of every command that reads a recording. */
enum analyse_exit {
	ANALYSE_DONE = 0,
	ANALYSE_FINDINGS = 1, /* there are findings, and they were asked to fail */
	ANALYSE_USAGE = 2,
	ANALYSE_PARTIAL = 3, /* the input could be read in part; results are up to there */
	ANALYSE_UNREADABLE = 4,
	ANALYSE_OUTPUT = 5, /* the report could not be written */
};

enum analyse_report {
	ANALYSE_LEAKS,
	ANALYSE_CHAINS,
	ANALYSE_PERFETTO,
	ANALYSE_FAILURES,
	ANALYSE_CLOCKS,
	ANALYSE_SVM,
	ANALYSE_FAULTS,
	ANALYSE_COUNTERS,
	ANALYSE_QUEUES,
	ANALYSE_WAITS,
	ANALYSE_LATENCY,
	ANALYSE_STARTUP,
	ANALYSE_ALLOCS,
	ANALYSE_HTML,
	ANALYSE_DERIVED, /* a CTF trace for viewers in the new directory output */
};

struct allocs_taker;

/* How a traced process ended, from whoever started it: LTTng records no exit status. */
struct analyse_ending {
	const char *folder; /* of the recordings that it is told of; NULL: of all */
	uint32_t pid;
	int exit_code; /* -1: it did not exit */
	int signal;    /* 0: no signal ended it */
};

struct analyse_options {
	enum analyse_report report;
	const char *const *paths; /* trace directories, or directories above some */
	size_t path_count;
	const char *output; /* file to write; NULL: standard output */
	/* "text" or "json"; of chains "folded" and "speedscope", too; NULL: text */
	const char *format;
	const char *weight; /* of the last two: time, bytes or count; NULL: time */
	uint32_t top;       /* at most so many entries a section; 0: all */
	/* Only what happened in between is printed; everything is read. 0: no limit; negative: since the begin. */
	int64_t begin_ns, end_ns;
	bool runtime;             /* leaks: list what runtimes keep for themselves, too */
	const char *suppressions; /* leaks: a file of suppressions.h; NULL: none */
	const char *sort;         /* allocs: bytes, growth, age, churn or peak; NULL: bytes */
	/* allocs: moments of which the state is wanted, too. Negative: ns since the begin; 0: none. */
	int64_t moments_ns[2];
	const struct allocs_taker *taker; /* allocs: instead of output (report.h); NULL: none */
	bool fail_on_findings;            /* leaks, or lost events: ANALYSE_FINDINGS */
	const char *debug_dirs; /* colon list for separate debug files; NULL: /usr/lib/debug */
	const struct analyse_ending *endings; /* may be NULL */
	size_t ending_count;
	const char *program; /* prefix of messages; NULL: "kfdscope" */
};

/*
 * Runs the report. Messages go to standard error, one line each.
 * @return an exit code, enum analyse_exit.
 */
int analyse_run(const struct analyse_options *options);

/* Asks a running analyse_run() to stop, from a signal handler; it then ends as ANALYSE_PARTIAL. */
void analyse_interrupt(void);

#endif
