/* SPDX-License-Identifier: MIT */
/* The options and the running that all subcommands share which read recordings. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_REPORT_H
#define KFDSCOPE_ANALYSIS_CMDS_REPORT_H

#include "analyse.h"
#include "cmd.h"

/*
 * Parses the shared options (output, format, top, time range, fail-on), takes what is left as
 * recordings, and runs the report. Each recording's own file about how its program ended is read.
 *
 * @param always_format  the only format there is ("json" for timelines); NULL: the user chooses.
 * @param default_output where the report goes without -o; NULL: standard output.
 * @return the exit status.
 */
int report_run(const struct cmd *cmd, int argc, char **argv, enum analyse_report report,
	       const char *always_format, const char *default_output);

/* Reads the endings of the recordings that the options name, and runs the report. */
int report_analyse(const struct cmd *cmd, struct analyse_options *analyse);

#endif
