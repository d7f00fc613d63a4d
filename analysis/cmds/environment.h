/* SPDX-License-Identifier: MIT */
/* The environment that makes a program load our library, the provider and, if asked, the model. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_ENVIRONMENT_H
#define KFDSCOPE_ANALYSIS_CMDS_ENVIRONMENT_H

#include <stdbool.h>

#include "places.h"

/* How the simulated KFD is put under the program. */
enum model_front {
	MODEL_FRONT_PLUGIN,  /* our thunk loads it as a model plug-in */
	MODEL_FRONT_PRELOAD, /* at the libc boundary, under any thunk */
};

struct environment_options {
	const char *program;  /* that will run: a path, or a name in PATH; NULL: not known */
	const char *topology; /* directory of a tree, or the name of one of ours; NULL: no model */
	enum model_front front;
	bool system_thunk;       /* leave the program's own libhsakmt in place */
	unsigned int layers;     /* enum layers: what has to be loaded to record them */
	bool blocking;           /* the program may wait for room in the buffers */
	const char *snapshot;    /* KFDSCOPE_SNAPSHOT; NULL: none */
	const char *stack_depth; /* KFDSCOPE_STACK_DEPTH; NULL: default */
	const char *stacks;      /* KFDSCOPE_STACKS; NULL: default */
	bool smi;                /* KFDSCOPE_SMI: the driver's event streams, too */
	const char *queue_hz;    /* KFDSCOPE_QUEUE_HZ; NULL: no samples */
};

/*
 * Makes the environment from the present one.
 *
 * @param out     NULL-terminated, for g_strfreev(); NULL on failure.
 * @param reason  out on failure: one line for the user; the caller frees it.
 */
bool environment_make(const struct environment_options *options, const struct places *places,
		      char ***out, char **reason) __attribute__((warn_unused_result));

#endif
