/* SPDX-License-Identifier: MIT */
/*
 * Looks at the metadata of a CTF 1.8 trace before babeltrace2 parses them: its parser can take minutes
 * to give up on a large description that was cut.
 */
#ifndef KFDSCOPE_ANALYSIS_INPUT_METADATA_H
#define KFDSCOPE_ANALYSIS_INPUT_METADATA_H

#include <glib.h>
#include <stdbool.h>

/*
 * Whether the description, plain or in packets, ends where a declaration does.
 * @return true also for what this cannot judge: another byte order, another format.
 */
bool metadata_is_whole(const char *metadata, gsize size);
/*
 * The number of the trace that the description is of.
 * @return 32 hexadecimal digits, to be freed; NULL: it has none.
 */
char *metadata_uuid(const char *metadata, gsize size);

/* @return the text of the description alone, without the heads of packets. */
GString *metadata_text(const char *metadata, gsize size);
/* @return of uint32_t: the numbers of the classes of streams that a text declares; may be empty. */
GArray *metadata_stream_classes(const GString *text);

#endif
