/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: a ring in memory of which snapshots are written, each into a directory of its
 * own, when something happens. Before each the programs tell their state anew, so that a snapshot can
 * be read alone.
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_FLIGHT_H
#define KFDSCOPE_ANALYSIS_CMDS_FLIGHT_H

#include "cmd.h"
#include "recording.h"

/* What a snapshot is written for. */
enum flight_on {
	FLIGHT_ON_SIGNAL = 1,  /* SIGUSR1 to the recorder */
	FLIGHT_ON_FAULT = 2,   /* a memory fault or reset of a GPU */
	FLIGHT_ON_FAILURE = 4, /* a call that failed */
	FLIGHT_ON_END = 8,     /* the program's end */
};
#define FLIGHT_ON_DEFAULT (FLIGHT_ON_SIGNAL | FLIGHT_ON_FAULT)

/* Parses "signal,fault"; false, after a message, when a word is none of the above. */
bool flight_parse(const struct cmd *cmd, const char *list, unsigned int *on)
	__attribute__((warn_unused_result));

/* The value of KFDSCOPE_SNAPSHOT for the recorded program; the caller frees it. */
char *flight_environment(unsigned int on);

struct flight; /* opaque */

/*
 * Begins to listen, before the program is started. Signals that a recorder keeps for itself are blocked
 * by then (child_catch_signals()).
 *
 * @param on         of enum flight_on.
 * @param recording  borrowed; it is a snapshot's.
 * @param output     borrowed; the directory that gets the snapshots' directories.
 * @param reason     out on failure: one line for the user; the caller frees it.
 * @return NULL on failure.
 */
struct flight *flight_open(const struct cmd *cmd, unsigned int on, struct recording *recording,
			   const char *output, char **reason);

/* For child_wait(); data is the flight. */
bool flight_keep(int signo, void *data);

/*
 * After the program's end: writes what is still due, and says what there is.
 * @return the directory of the snapshot at the end, borrowed; NULL when there is none.
 */
const char *flight_finish(struct flight *flight);

/* Listens no more. Accepts NULL. */
void flight_close(struct flight *flight);

#endif
