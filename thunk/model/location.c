/* SPDX-License-Identifier: MIT */
/*
 * Finds the topology trees relative to the shared object, so that the same binary works in the build
 * tree (lib/, share/) and after an installation (lib/TRIPLET/kfdscope/, share/).
 */
#include "location.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_TREE "gfx90a"
#define PATH_BYTES   4096

static const char *const shares[] = { "../share", "../../share", "../../../share" };

static int directory_of_self(char *directory, size_t size_bytes)
{
	Dl_info info;
	char *slash;

	if (!dladdr((void *)(size_t)directory_of_self, &info) || !info.dli_fname)
		return -ENOENT;
	if (snprintf(directory, size_bytes, "%s", info.dli_fname) >= (int)size_bytes)
		return -ENAMETOOLONG;
	slash = strrchr(directory, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

int kfd_model_topology_path(const char *wanted, char *path, size_t size_bytes)
{
	char directory[PATH_BYTES], probe[PATH_BYTES + 64];
	int rc;

	if (wanted && strchr(wanted, '/'))
		return snprintf(path, size_bytes, "%s", wanted) < (int)size_bytes ? 0
										  : -ENAMETOOLONG;
	if (!wanted || !*wanted)
		wanted = DEFAULT_TREE;
	rc = directory_of_self(directory, sizeof(directory));
	for (size_t i = 0; !rc && i < sizeof(shares) / sizeof(shares[0]); i++) {
		if (snprintf(path, size_bytes, "%s/%s/kfdscope/topologies/%s", directory, shares[i],
			     wanted) >= (int)size_bytes)
			return -ENAMETOOLONG;
		snprintf(probe, sizeof(probe), "%.4096s/generation_id", path);
		if (access(probe, F_OK) == 0)
			return 0;
	}
	return rc ? rc : -ENOENT;
}
