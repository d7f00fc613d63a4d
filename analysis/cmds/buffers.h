/* SPDX-License-Identifier: MIT */
/* The options about ring buffers that all recording commands take. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_BUFFERS_H
#define KFDSCOPE_ANALYSIS_CMDS_BUFFERS_H

#include "cmd.h"
#include "recording.h"

struct buffers_words {
	char *size; /* owned; as given */
	int count;  /* 0: not given */
};

/* Entries for a command's table; words is the struct buffers_words behind them. */
#define BUFFERS_ENTRIES(words)                                                                     \
	{ "subbuf-size",                                                                           \
	  0,                                                                                       \
	  0,                                                                                       \
	  G_OPTION_ARG_STRING,                                                                     \
	  &(words)->size,                                                                          \
	  "Size of a sub-buffer (default: what shared memory allows, at most 4M)",                 \
	  "SIZE" },                                                                                \
	{                                                                                          \
		"subbuf-count", 0, 0, G_OPTION_ARG_INT, &(words)->count,                           \
			"Sub-buffers a CPU (default 4)", "N"                                       \
	}

/* Puts the words into a recording's options; false, after a message, when they make no sense. */
bool buffers_parse(const struct cmd *cmd, const struct buffers_words *words,
		   struct recording_options *recording) __attribute__((warn_unused_result));

/* The entry of --also; list is the char ** behind it, to be freed with g_strfreev(). */
#define ALSO_ENTRY(list)                                                                           \
	{                                                                                          \
		"also", 0, 0, G_OPTION_ARG_STRING_ARRAY, (list),                                   \
			"Record other events, too: PROVIDER:EVENT with '*' for any text; may be "  \
			"repeated",                                                                \
			"EVENTS"                                                                   \
	}

/* Puts the patterns into a recording's options; false, after a message, when one is none. */
bool also_parse(const struct cmd *cmd, char *const *list, struct recording_options *recording)
	__attribute__((warn_unused_result));

/* A size with an optional K, M or G behind the number; false when text is none, or it is 0. */
bool buffers_parse_size(const char *text, uint64_t *size_bytes) __attribute__((warn_unused_result));

#endif
