/* SPDX-License-Identifier: MIT */
/*
 * A recording's own note of how its program ended, which LTTng does not record: the file
 * kfdscope.json in the output directory (never in a trace directory, where it would be taken for a
 * stream).
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_ENDING_H
#define KFDSCOPE_ANALYSIS_CMDS_ENDING_H

#include <glib.h>
#include <stdbool.h>

#include "analyse.h"

/* Writes the note; false, with errno, when it could not be. */
bool ending_write(const char *directory, const struct analyse_ending *ending, char *const *argv)
	__attribute__((warn_unused_result));

/*
 * Reads the notes of all recordings at or below a path; what makes no sense is left out.
 *
 * @param endings  of struct analyse_ending, with ending_clear() as its clear function.
 */
void ending_read_all(const char *path, GArray *endings);
/* For containers: frees what ending_read_all() put into one. */
void ending_clear(void *ending);

/*
 * Notes which snapshots a flight recorder has written into a directory so far: they have much in common,
 * so that reading all of them as one recording would count things twice.
 *
 * @param paths  of the snapshots, below the directory.
 */
bool ending_write_snapshots(const char *directory, const GPtrArray *paths)
	__attribute__((warn_unused_result));

/*
 * Reads that note.
 *
 * @param first  out: the name of the first one, for g_free(); NULL when there is no note.
 * @return how many there are.
 */
size_t ending_read_snapshots(const char *directory, char **first);

#endif
