/* SPDX-License-Identifier: MIT */
/* One LTTng recording session of ours: made, started, stopped, its losses counted. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_RECORDING_H
#define KFDSCOPE_ANALYSIS_CMDS_RECORDING_H

#include <glib.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct recording_options {
	const char *output;         /* directory, absolute; made by the session daemon */
	uint64_t subbuf_size_bytes; /* power of two; 0: chosen from the room in shared memory */
	uint32_t subbuf_count;      /* power of two; 0: chosen */
	unsigned int layers;        /* enum layers */
	const char *live_url;       /* of a relay daemon, in place of output; NULL: none */
	bool snapshot;              /* only a ring in memory, for recording_snapshot() */
	uint64_t ring_bytes;        /* of it, a CPU; 0: what shared memory allows */
	bool blocking;              /* stall the program rather than lose events */
	const pid_t *pids;          /* borrowed; processes to record, by vpid; NULL: all */
	/* Patterns of other providers' events to record, too; ends with NULL; may be NULL. */
	const char *const *also;
	size_t pid_count;
};

struct recording; /* opaque */

/*
 * Makes the session with its channel, events and contexts, and starts it.
 *
 * @param out     the recording, for recording_free(); NULL on failure.
 * @param reason  out on failure: one line for the user; the caller frees it.
 */
bool recording_start(const struct recording_options *options, struct recording **out, char **reason)
	__attribute__((warn_unused_result));

/*
 * Waits until the session daemon knows a process.
 *
 * @param stop  one of them readable: waiting is to end.
 * @return false when that has not happened in time, or one became readable.
 */
bool recording_knows(struct recording *recording, pid_t pid, double timeout_s, struct pollfd *stop,
		     size_t stop_count) __attribute__((warn_unused_result));

/* The name of the session, valid while the recording is. */
const char *recording_session(const struct recording *recording);

/* Asks all programs that are recorded to tell their state anew; they do so by and by. */
bool recording_refresh(struct recording *recording) __attribute__((warn_unused_result));

/*
 * Writes what the ring holds.
 *
 * @param directory  absolute; to be made.
 * @param reason     out on failure: one line for the user; the caller frees it.
 */
bool recording_snapshot(struct recording *recording, const char *directory, char **reason)
	__attribute__((warn_unused_result));

/* The processes that have an event's tracepoint, as the session daemon knows them, for g_array_free(). */
GArray *recording_pids(struct recording *recording, const char *event);

/*
 * Stops and waits until all data is on disk.
 *
 * @param lost_events, lost_packets  out: what the buffers had no room for.
 */
bool recording_stop(struct recording *recording, uint64_t *lost_events, uint64_t *lost_packets,
		    char **reason) __attribute__((warn_unused_result));

/* Destroys the session; accepts NULL. The trace stays. */
void recording_free(struct recording *recording);

/* A name for what this recorder makes in a session daemon that others use, too; for g_free(). */
char *recording_name(const char *what);
/* Whether it is one of a recorder, or with 0 of one that is gone. */
bool recording_name_is_left(const char *name, pid_t recorder);
/* Ends the sessions of a recorder that was killed; 0: of all that are gone. */
void recording_end_left(pid_t recorder);

#endif
