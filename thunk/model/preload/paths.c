/* SPDX-License-Identifier: MIT */
/*
 * Looks paths up. Most paths of a program are foreign, and those are told by their first characters
 * alone, before any machine is made.
 */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

static const char *const topology_roots[] = {
	"/sys/devices/virtual/kfd/kfd/topology",
	"/sys/class/kfd/kfd/topology",
};
static const char *const kfd_roots[] = {
	"/sys/devices/virtual/kfd",
	"/sys/class/kfd",
};

/* Part of path behind root, "" for root itself; NULL when path is not below it. */
static const char *below(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (strncmp(path, root, length) != 0 || (path[length] && path[length] != '/'))
		return NULL;
	return path + length;
}

static bool may_be_ours(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/sys/", 5) == 0 ||
	       strncmp(path, "/proc/", 6) == 0;
}

/* Without doubled and trailing slashes. @return false when it does not fit. */
static bool normalise(const char *path, char out[PATH_MAX])
{
	size_t used = 0;

	for (; *path; path++) {
		if (path[0] == '/' && (path[1] == '/' || !path[1]))
			continue;
		if (used == PATH_MAX - 1)
			return false;
		out[used++] = *path;
	}
	out[used] = '\0';
	return true;
}

static bool exists_below(const char *root, const char *path, struct preload_path *out)
{
	return snprintf(out->real, sizeof(out->real), "%s%s", root, path) <
		       (int)sizeof(out->real) &&
	       access(out->real, F_OK) == 0;
}

/*
 * CPU and NUMA descriptions: those that a test gives, or those that come with a topology which has
 * more CPU nodes than the real machine (its directory host/).
 */
static bool replaced(const char *path, struct preload_path *out)
{
	const char *root = getenv("KFDSCOPE_MODEL_SYSROOT");
	char host[PATH_MAX];
	struct kfd_model *model;

	if (!below(path, "/proc/cpuinfo") && !below(path, "/sys/devices/system/node") &&
	    !below(path, "/sys/devices/system/cpu"))
		return false;
	if (root && *root) {
		if (!exists_below(root, path, out))
			return false;
		out->what = PATH_MOVED;
		return true;
	}
	model = preload_machine_made();
	if (!model || snprintf(host, sizeof(host), "%s/host", kfd_model_topology_dir(model)) >=
			      (int)sizeof(host))
		return false;
	if (!exists_below(host, path, out))
		return false;
	out->what = PATH_MOVED;
	return true;
}

static bool in_topology(struct kfd_model *model, const char *path, struct preload_path *out)
{
	for (size_t i = 0; i < sizeof(topology_roots) / sizeof(topology_roots[0]); i++) {
		const char *rest = below(path, topology_roots[i]);

		if (!rest)
			continue;
		out->what = PATH_MOVED;
		if (snprintf(out->real, sizeof(out->real), "%s%s", kfd_model_topology_dir(model),
			     rest) >= (int)sizeof(out->real))
			out->what = PATH_FOREIGN;
		return true;
	}
	return false;
}

static bool is_device(struct kfd_model *model, const char *path, struct preload_path *out)
{
	unsigned int minor;
	int end = 0;

	if (strcmp(path, "/dev/kfd") == 0) {
		out->what = PATH_KFD;
		return true;
	}
	if (sscanf(path, "/dev/dri/renderD%u%n", &minor, &end) != 1 || path[end])
		return false;
	out->node = kfd_model_node_of_minor(model, minor);
	out->what = out->node ? PATH_RENDER : PATH_REFUSED;
	out->error = ENOENT;
	return true;
}

static void look(const char *given, struct preload_path *out)
{
	struct kfd_model *model = NULL;
	char path[PATH_MAX];
	int refused;

	if (!normalise(given, path) || replaced(path, out))
		return;
	/* these need no machine, and are asked for before anything else */
	if (preload_virtual_find(NULL, path, &out->entry)) {
		out->what = PATH_VIRTUAL;
		return;
	}
	if (!below(path, "/dev/kfd") && !below(path, "/dev/dri") && !below(path, kfd_roots[0]) &&
	    !below(path, kfd_roots[1]) && strncmp(path, "/sys/dev/char/226:", 18) != 0)
		return;
	model = preload_machine();
	if (!model) {
		/* rocminfo opens the device itself, only to see whether it may */
		if (preload_modules_only() && strcmp(path, "/dev/kfd") == 0) {
			strcpy(out->real, "/dev/null");
			out->what = PATH_MOVED;
		}
		return;
	}
	refused = kfd_model_open_errno(model, path);
	if (refused) {
		out->what = PATH_REFUSED;
		out->error = refused;
		return;
	}
	if (is_device(model, path, out) || in_topology(model, path, out))
		return;
	if (preload_virtual_find(model, path, &out->entry))
		out->what = PATH_VIRTUAL;
}

enum preload_what preload_look(const char *path, struct preload_path *out)
{
	int saved = errno;

	out->what = PATH_FOREIGN;
	if (path && may_be_ours(path))
		look(path, out);
	errno = saved;
	return out->what;
}
