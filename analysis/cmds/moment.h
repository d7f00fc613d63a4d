/* SPDX-License-Identifier: MIT */
/* Moments on the command line, as all commands take them. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_MOMENT_H
#define KFDSCOPE_ANALYSIS_CMDS_MOMENT_H

#include <stdint.h>

#include "cmd.h"

/*
 * Reads "+SECONDS" (since the recording's begin), seconds since 1970, or a local date and time.
 *
 * @param name  of the option, for the message.
 * @param ns    out: the moment; negative: so many nanoseconds since the begin.
 * @return false when text is none; the one line that says so is on stderr.
 */
bool moment_parse(const struct cmd *cmd, const char *name, const char *text, int64_t *ns)
	__attribute__((warn_unused_result));
/* @return whether both are given, can be compared, and begin lies behind end. 0: not given. */
bool moment_is_after(int64_t begin_ns, int64_t end_ns);

#endif
