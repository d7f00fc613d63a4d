/* SPDX-License-Identifier: MIT */
/*
 * Damaged LTTng traces. A stream file that ends in the middle of a packet, or in rubbish, makes
 * babeltrace2 refuse the whole trace; here the good part of it, down to the last event, is put into a
 * temporary directory, and what was lost is told.
 */
#ifndef KFDSCOPE_ANALYSIS_INPUT_SALVAGE_H
#define KFDSCOPE_ANALYSIS_INPUT_SALVAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct salvage {
	char *trace;     /* owned: the trace's own directory */
	char *path;      /* owned: the directory to read: the trace's own, or a temporary one */
	char *temporary; /* owned: to be removed in the end; NULL: none */
	/* Streams that end early: from this time on (Unix ns) events are missing. INT64_MAX: none. */
	int64_t missing_from_ns;
	char *hostname; /* owned: of the trace, as far as its metadata says; may be NULL */
	uint32_t vpid;  /* of the one process it is of; 0: of many, or unknown */
	GArray *cuts;   /* of struct salvage_cut */
};

/* A stream that ends inside a packet. */
struct salvage_cut {
	char *stream;     /* owned: "CLASS/INSTANCE" */
	uint64_t packets; /* the whole ones */
};

/*
 * Looks at every stream of a trace.
 * @param notes    of char *, owned: a sentence for each damage is added.
 * @param problem  out: why nothing can be read, to be freed; NULL otherwise.
 * @return false when nothing of the trace can be read; what is known of it is in *salvage.
 */
bool salvage_open(struct salvage *salvage, const char *trace, GPtrArray *notes, char **problem);
/*
 * @param stream   "CLASS/INSTANCE".
 * @param packets  so many of it could be read.
 * @return whether that is all of a stream of which a note says that it is cut.
 */
bool salvage_has_told(const struct salvage *salvage, const char *stream, uint64_t packets);
/* Removes what is temporary. */
void salvage_close(struct salvage *salvage);

#endif
