/* SPDX-License-Identifier: MIT */
/*
 * Call paths for flame graphs: folded stacks, one path a line with a weight behind it, and the file
 * format of speedscope. A path begins with the process and goes through the program's frames down to
 * the ioctl; its weight is its own, without the calls inside.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_FLAMES_H
#define KFDSCOPE_ANALYSIS_OUTPUT_FLAMES_H

#include "model/chains.h"
#include "output/header.h"

enum flames_weight {
	FLAMES_TIME,  /* nanoseconds */
	FLAMES_BYTES, /* that were asked for */
	FLAMES_COUNT, /* calls that ended */
	FLAMES_WEIGHT_COUNT,
};

/* @return false when there is no weight of that name. */
bool flames_weight_by_name(const char *name, enum flames_weight *weight);

/* Lines "process;frame;…;call WEIGHT", most weight first; paths without weight are left out. */
void flames_folded(GString *text, const struct chains *chains, const char *debug_dirs,
		   enum flames_weight weight);
/*
 * A file for speedscope with a profile for each process and weight that has any.
 * @param first  the weight that is shown first.
 */
json_t *flames_speedscope(const struct chains *chains, const struct model *model,
			  const char *debug_dirs, enum flames_weight first);

#endif
