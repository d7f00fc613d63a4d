/* SPDX-License-Identifier: MIT */
/*
 * Recordings that are still being made: copies what a relay daemon has of a session, from its
 * beginning, into a temporary directory, until the session ends.
 *
 * babeltrace2's own source for that is not used: up to 2.0.4 it writes beyond its memory when a
 * recording declares events while it is read, and it skips what was recorded before it came.
 */
#ifndef KFDSCOPE_ANALYSIS_INPUT_LIVE_H
#define KFDSCOPE_ANALYSIS_INPUT_LIVE_H

#include <stdbool.h>

enum live_status {
	LIVE_MORE, /* something was copied */
	LIVE_IDLE, /* nothing new at the moment */
	LIVE_END,  /* the session has ended; all is copied */
	LIVE_BROKEN,
};

struct live;

/* Whether an input is an address, not a directory. */
bool live_is_address(const char *input);
/*
 * Attaches to a session.
 * @param address  net://RELAY[:PORT]/host/HOSTNAME/SESSION.
 * @param problem  out: why not, to be freed.
 * @return NULL on failure.
 */
struct live *live_open(const char *address, char **problem);
/* Copies what is there. @param problem  out, to be freed: set when the status is LIVE_BROKEN. */
enum live_status live_copy(struct live *live, char **problem);
/* The directory above the copied traces. */
const char *live_folder(const struct live *live);
/* Hangs up and removes the copy; accepts NULL. */
void live_close(struct live *live);

#endif
