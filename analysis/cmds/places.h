/* SPDX-License-Identifier: MIT */
/*
 * Where the parts of kfdscope lie, seen from the running command: the build tree has all libraries
 * in one folder, an installation has those that must not meet the system's in a folder of their own.
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_PLACES_H
#define KFDSCOPE_ANALYSIS_CMDS_PLACES_H

struct places {
	char *thunk_dir;     /* owned; holds our libhsakmt.so.1 */
	char *provider;      /* owned; the tracepoint provider */
	char *hip_layer;     /* owned; in front of the HIP runtime */
	char *hsa_layer;     /* owned; the HSA runtime loads it */
	char *preload;       /* owned; the tracer at the libc boundary */
	char *model;         /* owned; model plug-in */
	char *model_preload; /* owned; model at the libc boundary */
	char *topologies;    /* owned; directory of topology trees */
	char *views;         /* owned; directory of Trace Compass views */
	char *plugins;       /* owned; directory of the babeltrace2 plug-in */
};

/*
 * Finds the parts relative to the running executable. A part that is not there has its expected path
 * all the same, so that messages can name it.
 */
void places_init(struct places *places);
void places_fini(struct places *places);

#endif
