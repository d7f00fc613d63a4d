/* SPDX-License-Identifier: MIT */
/*
 * Where a report goes: standard output, or a file that appears under its name only when it is
 * complete.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_FILE_H
#define KFDSCOPE_ANALYSIS_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct out_file {
	char *buffer;   /* owned: of the stream */
	FILE *stream;   /* borrowed when it is standard output */
	char *path;     /* owned; NULL: standard output */
	char *building; /* owned: the name while it grows */
};

/* Opens the output. @param path  NULL or "-": standard output. @return 0 or -errno. */
int out_open(struct out_file *file, const char *path);
/* Everything is written: puts the file in its place. @return 0 or -errno; closes in any case. */
int out_commit(struct out_file *file);
/* Gives it up; leaves no file behind. Harmless after out_commit(). */
void out_abandon(struct out_file *file);

#endif
