/* SPDX-License-Identifier: MIT */
/*
 * The reading half of an analysis's babeltrace2 graph: a source.ctf.fs for each trace, and the filter that
 * merges their streams (plugin/merge.h).
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_SOURCES_H
#define KFDSCOPE_ANALYSIS_CMDS_SOURCES_H

#include <babeltrace2/babeltrace.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct sources;

/*
 * Told when a stream cannot be read to its end.
 * @param trace    the number that sources_add() was given.
 * @param stream   its name: "CLASS/INSTANCE" in numbers, or that of its file.
 * @param last_ns  the time of its last event that was read (Unix ns); INT64_MIN: none was.
 * @param packets  so many of its packets were read to their ends.
 * @param problem  why, in one line.
 */
typedef void sources_cut_fn(void *data, guint trace, const char *stream, int64_t last_ns,
			    uint64_t packets, const char *problem);

/* @return a graph that reads nothing yet; NULL: the reason is in *problem, to be freed. */
struct sources *sources_new(sources_cut_fn *cut, void *data, char **problem);
void sources_free(struct sources *sources);
/*
 * Adds a trace.
 * @param path     the directory that is read.
 * @param name     the directory that messages name.
 * @return false: the reason is in *problem, to be freed.
 */
bool sources_add(struct sources *sources, guint trace, const char *path, const char *name,
		 char **problem);
/* @return the number of streams that were added. */
guint sources_count(const struct sources *sources);

/* All borrowed. */
bt_graph *sources_graph(struct sources *sources);
const bt_plugin *sources_ctf(const struct sources *sources);
const bt_port_output *sources_output(const struct sources *sources);
/* The graph is not torn down: after a failed write, some sinks end in a fault. */
void sources_abandon(struct sources *sources);

/* The deepest cause of babeltrace2's error on this thread, in one line, to be freed; clears the error. */
char *sources_take_cause(void);

#endif
