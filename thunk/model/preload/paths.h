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
	PATH_FOREIGN,   /* not ours: the real thing */
	PATH_ELSEWHERE, /* the real thing, too, by its absolute path in real */
	PATH_MOVED,     /* ours, but a real file or directory, in real */
	PATH_KFD,       /* /dev/kfd */
	PATH_DRM,       /* a device below /dev/dri: node and minor */
	PATH_VIRTUAL,   /* a file, directory or link of virtual.h, in entry */
	PATH_REFUSED,   /* answers error */
};

struct preload_path {
	enum preload_what what;
	char canonical[PATH_MAX]; /* "" when it was not looked into */
	char real[PATH_MAX];
	const struct kfd_model_node *node; /* borrowed */
	uint32_t minor;
	struct preload_entry entry;
	int error;
};

/*
 * Looks a path up. Keeps errno.
 * @param directory  where relative ones begin: a descriptor or AT_FDCWD.
 * @param follow     whether the last part may be a link that is meant to be followed.
 * @param out        the answer.
 * @return out->what.
 */
enum preload_what preload_look_at(int directory, const char *path, bool follow,
				  struct preload_path *out);
/* The same from the current directory, links followed. */
enum preload_what preload_look(const char *path, struct preload_path *out);
/* The path that the real function is to have. */
const char *preload_real_path(const char *path, const struct preload_path *at);

#endif
