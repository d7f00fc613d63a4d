/* SPDX-License-Identifier: MIT */
/*
 * What recorded programs tell the recorder while they run: each event kmt_state:dumped of a program that
 * KFDSCOPE_SNAPSHOT has told of this recorder comes back through the session daemon.
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_NOTICES_H
#define KFDSCOPE_ANALYSIS_CMDS_NOTICES_H

#include <stdint.h>
#include <sys/types.h>

struct notice {
	pid_t pid;
	int32_t status;
	char *incident; /* owned; "" when it was only asked for its state */
	char *call;     /* owned */
};

struct notices; /* opaque */

/*
 * Begins to listen. Each notice sends CHILD_SIGNAL_OWN to this process.
 *
 * @param reason  out on failure: one line for the user; the caller frees it.
 * @return NULL on failure.
 */
struct notices *notices_open(char **reason);

/* The next one, for notice_free(); NULL when none came in so many microseconds. */
struct notice *notices_wait(struct notices *notices, int64_t timeout_us);
void notice_free(struct notice *notice);

/* Listens no more; its thread and its memory stay until the session daemon hangs up. */
void notices_close(struct notices *notices);

/* Ends the listening of a recorder that was killed; 0: of all that are gone. */
void notices_end_left(pid_t recorder);

#endif
