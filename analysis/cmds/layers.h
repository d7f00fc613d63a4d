/* SPDX-License-Identifier: MIT */
/* Which borders of a program's calls are recorded: `--layers=hip,hsa,kmt,kfd`. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_LAYERS_H
#define KFDSCOPE_ANALYSIS_CMDS_LAYERS_H

#include <stdbool.h>

enum layers {
	LAYERS_HIP = 1, /* the HIP runtime's functions */
	LAYERS_HSA = 2, /* the HSA runtime's */
	LAYERS_KMT = 4, /* the thunk's */
	LAYERS_KFD = 8, /* the driver's ioctls and the other system calls for the device */
	LAYERS_DEFAULT = LAYERS_HIP | LAYERS_KMT | LAYERS_KFD,
};

/*
 * Reads a list of names.
 * @param text    NULL: the default.
 * @param layers  out: of enum layers.
 * @param wrong   out: on failure the part that is no layer; the caller frees it.
 * @return false when a name is unknown, or there is none.
 */
bool layers_parse(const char *text, unsigned int *layers, char **wrong);

#endif
