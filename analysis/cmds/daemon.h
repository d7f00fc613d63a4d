/* SPDX-License-Identifier: MIT */
/* The LTTng session daemon: the running one, or one of our own for the length of a recording. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_DAEMON_H
#define KFDSCOPE_ANALYSIS_CMDS_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

#include "guardian.h"

struct daemon {
	pid_t pid;   /* of the one that a recorder started; 0 when it is somebody else's */
	char *dir;   /* owned; its private directory, NULL for root, whose daemon has fixed paths */
	int lock_fd; /* root only: held shared while recording, its file has the daemon's pid */
	const char *output;       /* borrowed; NULL: none */
	struct guardian guardian; /* does daemon_close() when this process is killed */
};

/*
 * Uses the session daemon that runs, or starts one. For a user who is not root a started daemon
 * lives in a directory of its own, and LTTNG_HOME of this process (and so of the program that it
 * starts) points there. Root's has a fixed place, which several recorders share: the last one stops it.
 * When this process is killed, its sessions end and the daemon as if it had closed it. Call it before
 * there are threads.
 *
 * @param home    where programs that already run look for a daemon: it is used there, or started
 *                there; NULL: for programs that are started later. Root's place is fixed.
 * @param output  a directory to remove when this process is killed before daemon_keep_output(); NULL: none.
 * @param reason  out on failure: one line for the user; the caller frees it.
 */
bool daemon_open(struct daemon *daemon, const char *home, const char *output, char **reason)
	__attribute__((warn_unused_result));

/* From now on there is something in the output. */
void daemon_keep_output(struct daemon *daemon);

/*
 * Stops the daemon that a recorder started, unless another recording session still uses it, and
 * removes its directory. Harmless after a failed open.
 */
void daemon_close(struct daemon *daemon);

#endif
