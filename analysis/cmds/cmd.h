/* SPDX-License-Identifier: MIT */
/* What a subcommand is, and the few things that all subcommands do the same way. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_CMD_H
#define KFDSCOPE_ANALYSIS_CMDS_CMD_H

#include <glib.h>
#include <stdbool.h>

/* Exit statuses of every subcommand but `record`, which passes the program's through. */
enum cmd_exit {
	CMD_EXIT_OK = 0,
	CMD_EXIT_FINDINGS = 1,   /* only where --fail-on asked for it, and doctor */
	CMD_EXIT_USAGE = 2,      /* the command line cannot be understood */
	CMD_EXIT_PARTIAL = 3,    /* results are complete up to a damage that was named */
	CMD_EXIT_UNREADABLE = 4, /* no result: the input cannot be read */
	CMD_EXIT_OUTPUT = 5,     /* the output could not be written */
};

struct cmd {
	const char *name;
	const char *args;        /* the arguments behind the options, for the usage line */
	const char *summary;     /* one line, for the list of commands */
	const char *description; /* paragraphs below the options in --help; may be NULL */
	bool takes_program;      /* options behind the first argument are a program's own */
	/* argv[0] is the command's name. @return the exit status of the process. */
	int (*run)(const struct cmd *cmd, int argc, char **argv);
};

/*
 * Parses the options, wherever they stand unless the command takes a program; `--help` prints and
 * exits with 0.
 *
 * @param data        handed to entries that are callbacks; may be NULL.
 * @param argc, argv  in/out: what is left, argv[0] still the command's name.
 * @return false when the command line is wrong; the one line that says so is on stderr.
 */
bool cmd_parse(const struct cmd *cmd, const GOptionEntry *entries, void *data, int *argc,
	       char ***argv) __attribute__((warn_unused_result));

/* Prints one line on stderr: "kfdscope: NAME: " and the message. */
void cmd_error(const struct cmd *cmd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* @return the exit status, CMD_EXIT_OUTPUT when standard output could not be written, after a line. */
int cmd_finish(int status);

/* Says on stderr, when it is a terminal, what is being done; the next call replaces the line. */
void cmd_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Removes the line that cmd_progress() left. */
void cmd_progress_end(void);

extern const struct cmd cmd_record;
extern const struct cmd cmd_attach;
extern const struct cmd cmd_leaks;
extern const struct cmd cmd_chains;
extern const struct cmd cmd_failures;
extern const struct cmd cmd_waits;
extern const struct cmd cmd_queues;
extern const struct cmd cmd_allocs;
extern const struct cmd cmd_diff;
extern const struct cmd cmd_report;
extern const struct cmd cmd_counters;
extern const struct cmd cmd_faults;
extern const struct cmd cmd_svm;
extern const struct cmd cmd_clocks;
extern const struct cmd cmd_timeline;
extern const struct cmd cmd_check;
extern const struct cmd cmd_latency;
extern const struct cmd cmd_startup;
extern const struct cmd cmd_trace_compass;
extern const struct cmd cmd_doctor;

#endif
