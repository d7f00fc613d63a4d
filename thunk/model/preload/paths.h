/* SPDX-License-Identifier: MIT */
/* What a path means in the simulated machine. */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_PATHS_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_PATHS_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "topology.h"
#include "virtual.h"

enum preload_what {
	PATH_FOREIGN, /* not ours: the real thing */
	PATH_MOVED,   /* another path, in real */
	PATH_KFD,     /* /dev/kfd */
	PATH_RENDER,  /* /dev/dri/renderD<minor>, in node */
	PATH_VIRTUAL, /* a file, directory or link of virtual.c, in entry */
	PATH_REFUSED, /* answers error */
};

struct preload_path {
	enum preload_what what;
	char real[PATH_MAX];
	const struct kfd_model_node *node; /* borrowed */
	struct preload_entry entry;
	int error;
};

/*
 * Looks an absolute path up; others are foreign. Keeps errno.
 * @param out  the answer.
 * @return out->what.
 */
enum preload_what preload_look(const char *path, struct preload_path *out);

#endif
