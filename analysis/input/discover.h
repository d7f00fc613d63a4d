/* SPDX-License-Identifier: MIT */
/* Finds the CTF traces below a directory. */
#ifndef KFDSCOPE_ANALYSIS_INPUT_DISCOVER_H
#define KFDSCOPE_ANALYSIS_INPUT_DISCOVER_H

#include <glib.h>
#include <stdint.h>

/*
 * Adds every directory at or below path that holds a file `metadata`, in a stable order.
 * @param traces  of char *, owned by the array.
 * @return 0 or -errno of opening path, or the first directory below it that cannot be opened.
 */
int discover_traces(const char *path, GPtrArray *traces);
/* @return the size of a trace's streams: of all plain files in its directory but the metadata. */
uint64_t discover_stream_bytes(const char *trace);

#endif
