/* SPDX-License-Identifier: MIT */
/* Texts of `kfdscope help TOPIC` that are of no command: the files of docs/help. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_TOPIC_H
#define KFDSCOPE_ANALYSIS_CMDS_TOPIC_H

#include <stddef.h>

struct topic {
	const char *name, *summary;
	const char *begin, *end; /* of the text */
};

extern const struct topic topics[];
extern const size_t topic_count;

#endif
