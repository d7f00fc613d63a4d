/* SPDX-License-Identifier: MIT */
/*
 * Looks paths up. Most paths of a program are foreign, and those are told by their first characters
 * alone, before any machine is made.
 */
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpus.h"
#include "machine.h"
#include "numbers.h"
#include "places.h"
#include "real.h"

#define SYSTEM    "/sys/devices/system"
#define TOPOLOGY  "/sys/devices/virtual/kfd/kfd/topology"
#define LINKS_MAX 40

typedef int (*access_fn)(const char *, int);

PRELOAD_REAL(access, access_fn)

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
	return below(path, "/dev") || below(path, "/sys") || below(path, "/proc");
}

/* Whether only the machine can say what a path is. */
static bool is_machines(const char *path)
{
	static const char *const roots[] = {
		"/dev/kfd",       "/dev/dri",       "/sys/class/kfd", "/sys/devices/virtual/kfd",
		"/sys/class/drm", PRELOAD_KFD_CHAR, "/sys/bus/pci",
	};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (below(path, roots[i]))
			return true;
	return strncmp(path, "/sys/dev/char/226:", 18) == 0 ||
	       strncmp(path, "/sys/devices/pci", 16) == 0;
}

static void refuse(struct preload_path *out, int error)
{
	out->what = PATH_REFUSED;
	out->error = error;
}

static bool exists_below(const char *root, const char *path, struct preload_path *out)
{
	return snprintf(out->real, sizeof(out->real), "%s%s", root, path) <
		       (int)sizeof(out->real) &&
	       real_access()(out->real, F_OK) == 0;
}

/*
 * CPU and NUMA descriptions: those that a test gives, which may also leave some out, or those that come with a topology which has
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
		if (exists_below(root, path, out))
			out->what = PATH_MOVED;
		else if (below(path, SYSTEM) && exists_below(root, SYSTEM, out))
			refuse(out, ENOENT);
		else
			return false;
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
	const char *rest = below(path, TOPOLOGY);

	/* the machine's own files lie beside it */
	if (!rest || below(rest, "/host"))
		return false;
	out->what = PATH_MOVED;
	if (snprintf(out->real, sizeof(out->real), "%s%s", kfd_model_topology_dir(model), rest) >=
	    (int)sizeof(out->real)) {
		out->what = PATH_REFUSED;
		out->error = ENAMETOOLONG;
	}
	return true;
}

static bool is_device(struct kfd_model *model, const char *path, struct preload_path *out)
{
	const char *name = below(path, "/dev/dri");

	if (strcmp(path, "/dev/kfd") == 0) {
		out->what = PATH_KFD;
		return true;
	}
	if (!name || !*name)
		return false;
	out->node = preload_gpus_device(model, name + 1, &out->minor);
	if (!out->node)
		return false;
	out->what = PATH_DRM;
	return true;
}

/* What a path is answered with that is not there: a part of it may be no directory. */
static int absent_errno(struct kfd_model *model, const char *path)
{
	char part[PATH_MAX];
	struct preload_entry entry;

	strcpy(part, path);
	for (char *slash = strrchr(part, '/'); slash && slash != part; slash = strrchr(part, '/')) {
		*slash = '\0';
		if (preload_virtual_find(model, part, &entry))
			return entry.type == ENTRY_DIRECTORY ? ENOENT : ENOTDIR;
	}
	return ENOENT;
}

/*
 * Says what a canonical path is.
 * @param asked  the same as the program named it, which is how scenarios name it.
 */
static void classify(const char *asked, struct preload_path *out)
{
	const char *path = out->canonical;
	struct kfd_model *model;
	int refused;

	if (replaced(path, out))
		return;
	/* a directory that the real machine has too is the real one, to all but who lists it */
	if (preload_virtual_is_shared(path) && real_access()(path, F_OK) == 0)
		return;
	/* these need no machine, and are asked for before anything else */
	if (preload_virtual_find(NULL, path, &out->entry)) {
		out->what = PATH_VIRTUAL;
		return;
	}
	if (!is_machines(path) && !preload_virtual_is_shared(path))
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
	refused = kfd_model_open_errno(model, asked);
	if (refused)
		refuse(out, refused);
	else if (is_device(model, path, out) || in_topology(model, path, out))
		return;
	else if (preload_virtual_find(model, path, &out->entry))
		out->what = PATH_VIRTUAL;
	else if (preload_virtual_owns(model, path))
		refuse(out, absent_errno(model, path));
}

/* The target of a link of ours; false when the path is none. Not inlined: needs much stack. */
static __attribute__((noinline)) bool is_link(const char *path, char target[PRELOAD_ENTRY_MAX])
{
	char text[PRELOAD_TEXT_MAX];
	struct preload_entry entry;
	struct kfd_model *model;

	if (!is_machines(path))
		return false;
	model = preload_machine();
	if (!model || !preload_virtual_find(model, path, &entry) || entry.type != ENTRY_LINK)
		return false;
	preload_virtual_text(model, &entry, text);
	snprintf(target, PRELOAD_ENTRY_MAX, "%s", text);
	return true;
}

/*
 * Takes the dots and the links of ours out of an absolute path.
 * @param follow  whether the last part is followed, too.
 * @param links   whether links are at all.
 * @return 0 or an errno.
 */
static int resolve(const char *path, bool follow, bool links, char out[PATH_MAX])
{
	char left[PATH_MAX], target[PRELOAD_ENTRY_MAX];
	unsigned int followed = 0;
	size_t used = 0;

	if (strlen(path) >= sizeof(left))
		return ENAMETOOLONG;
	strcpy(left, path);
	for (char *at = left;;) {
		size_t length;

		at += strspn(at, "/");
		length = strcspn(at, "/");
		if (!length)
			break;
		if (length <= 2 && strncmp(at, "..", length) == 0) {
			while (length == 2 && used && out[--used] != '/')
				;
			at += length;
			continue;
		}
		if (used + length + 2 > PATH_MAX)
			return ENAMETOOLONG;
		out[used] = '/';
		memcpy(out + used + 1, at, length);
		out[used + length + 1] = '\0';
		at += length;
		/* with a slash behind it the last one is followed in any case */
		if (!links || (!*at && !follow) || !is_link(out, target)) {
			used += length + 1;
			continue;
		}
		if (++followed > LINKS_MAX)
			return ELOOP;
		length = strlen(target);
		if (length + strlen(at) + 2 > sizeof(left))
			return ENAMETOOLONG;
		memmove(left + length, at, strlen(at) + 1);
		memcpy(left, target, length);
		at = left; /* links of ours are relative to where they are */
	}
	if (!used)
		out[used++] = '/';
	out[used] = '\0';
	return 0;
}

/*
 * Whether a path leads through something of ours that is open, or the current directory.
 * @param base  out: what that is.
 * @return the path behind it, or NULL.
 */
static const char *through_open(const char *path, bool follow, char base[PATH_MAX])
{
	static const char *const lists[] = { "/proc/self/fd/", "/proc/thread-self/fd/",
					     "/dev/fd/" };
	const char *rest = below(path, "/proc/self/cwd");
	long fd = AT_FDCWD;

	for (size_t i = 0; !rest && i < sizeof(lists) / sizeof(lists[0]); i++) {
		size_t length = strlen(lists[i]);
		char *end;

		if (strncmp(path, lists[i], length) != 0)
			continue;
		fd = strtol(path + length, &end, 10);
		if (end == path + length || (*end && *end != '/') || fd < 0 || fd > INT_MAX)
			return NULL;
		rest = end;
	}
	/* the link itself shows where it leads (names.c) */
	if (!rest || (!*rest && !follow) || !preload_place_of((int)fd, base))
		return NULL;
	return rest;
}

/* The absolute form of a path. @return false when it cannot be ours. */
static bool absolute(int directory, const char *path, bool follow, char out[PATH_MAX],
		     bool *is_ours)
{
	char base[PATH_MAX];
	const char *rest;

	*is_ours = false;
	if (path[0] == '/') {
		rest = through_open(path, follow, base);
		*is_ours = rest != NULL;
		return snprintf(out, PATH_MAX, "%s%s", rest ? base : "", rest ? rest : path) <
		       PATH_MAX;
	}
	if (!preload_place_base(directory, path, base, is_ours))
		return false;
	return snprintf(out, PATH_MAX, "%s/%s", base, path) < PATH_MAX;
}

/* Not inlined, so that calls about other paths need little stack. */
static __attribute__((noinline)) void look(int directory, const char *path, bool follow,
					   struct preload_path *out)
{
	char whole[PATH_MAX], asked[PATH_MAX];
	size_t length = strlen(path);
	bool from_ours;
	int error;

	if (!absolute(directory, path, follow, whole, &from_ours))
		return;
	error = resolve(whole, true, false, asked);
	if (!error && (from_ours || may_be_ours(asked)))
		error = resolve(whole, follow, true, out->canonical);
	else
		return;
	if (error) {
		refuse(out, error);
		return;
	}
	classify(asked, out);
	if (out->what == PATH_FOREIGN && from_ours) {
		out->what = PATH_ELSEWHERE;
		strcpy(out->real, out->canonical);
	}
	if (path[length - 1] == '/' &&
	    (out->what == PATH_KFD || out->what == PATH_DRM ||
	     (out->what == PATH_VIRTUAL && out->entry.type != ENTRY_DIRECTORY)))
		refuse(out, ENOTDIR);
}

enum preload_what preload_look_at(int directory, const char *path, bool follow,
				  struct preload_path *out)
{
	int saved = errno;

	out->what = PATH_FOREIGN;
	out->canonical[0] = '\0';
	if (path && (path[0] == '/' ? may_be_ours(path) || strstr(path, "/..") : path[0] != '\0'))
		look(directory, path, follow, out);
	errno = saved;
	return out->what;
}

enum preload_what preload_look(const char *path, struct preload_path *out)
{
	return preload_look_at(AT_FDCWD, path, true, out);
}

const char *preload_real_path(const char *path, const struct preload_path *at)
{
	return at->what == PATH_MOVED || at->what == PATH_ELSEWHERE ? at->real : path;
}
