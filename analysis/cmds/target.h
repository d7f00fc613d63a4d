/* SPDX-License-Identifier: MIT */
/* A process that already runs and is to be recorded: whether it can be, and where its daemon is. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_TARGET_H
#define KFDSCOPE_ANALYSIS_CMDS_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "places.h"

enum target_state {
	TARGET_USABLE,
	TARGET_GONE,     /* there is no such process */
	TARGET_UNUSABLE, /* it is another user's, or has not what it takes to be recorded */
};

struct target {
	pid_t pid;  /* of the process, also where a thread was named */
	pid_t vpid; /* the number that it has in its own pid namespace, which events carry */
	char *home; /* owned; the directory below which it looks for a daemon; NULL: not known */
	char *name; /* owned */
	int fd;     /* a pidfd, readable when the process ends; -1: none */
};

/*
 * Looks at a process without touching it.
 *
 * @param reason  out unless it is usable: one line for the user; the caller frees it.
 */
enum target_state target_open(struct target *target, pid_t pid, const struct places *places,
			      char **reason) __attribute__((warn_unused_result));

void target_close(struct target *target);

#endif
