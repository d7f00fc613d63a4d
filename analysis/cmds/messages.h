/* SPDX-License-Identifier: MIT */
/* Every message of one CTF trace, in time order. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_MESSAGES_H
#define KFDSCOPE_ANALYSIS_CMDS_MESSAGES_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/*
 * Reads a trace with source.ctf.fs.
 * @param directory  that of the trace's metadata.
 * @param take       gets each message, borrowed. @return false: that is enough.
 * @return false when the trace could not be read to where it was wanted.
 */
bool messages_walk(const char *directory, bool (*take)(void *data, const bt_message *message),
		   void *data);

#endif
