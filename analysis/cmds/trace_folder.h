/* SPDX-License-Identifier: MIT */
/* The directory that a recording is written into: its name, its making, what is said of it. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_TRACE_FOLDER_H
#define KFDSCOPE_ANALYSIS_CMDS_TRACE_FOLDER_H

#include "cmd.h"

#include <stdint.h>

/*
 * The absolute path of the directory to write into: the session daemon makes it, and has a working
 * directory of its own.
 *
 * @param given  what the user gave; NULL: kfdscope-WHAT-20261129-161500 in the working directory,
 *               so that recordings sort by time and never meet.
 * @param what   the path of a program, or a word.
 * @return for g_free().
 */
char *trace_folder_path(const char *given, const char *what);

/* Makes it; false, after a message, when that fails or it holds something already. */
bool trace_folder_make(const struct cmd *cmd, const char *path) __attribute__((warn_unused_result));

/* Whether its file system has no room left for packets. */
bool trace_folder_is_full(const char *path);

/*
 * Says on stderr where the trace is, how much it holds, and what to do next.
 *
 * @param when_empty  what to do when nothing was recorded.
 */
void trace_folder_say(const char *path, uint64_t lost_events, uint64_t lost_packets,
		      const char *when_empty);

/* What to do about losses; nothing when there are none. */
void trace_folder_say_losses(uint64_t lost_events, uint64_t lost_packets);

/* Removes a directory with all that is in it, as far as that is possible. */
void trace_folder_remove(const char *path);

#endif
