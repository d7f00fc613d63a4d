/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real.h"

#define PLACE_MARK     "/.kfdscope-dir."
#define FILE_MARK      "/memfd:kfdscope-sysfs:"
#define GONE           " (deleted)"
#define MEMFD_NAME_MAX 249
#define TRIES          64

typedef int (*open_fn)(const char *, int, ...);
typedef ssize_t (*readlink_fn)(const char *, char *, size_t);

PRELOAD_REAL(open, open_fn)
PRELOAD_REAL(readlink, readlink_fn)

static atomic_uint last_number;

/*
 * A name in a directory for such things that says which path it stands for.
 * @return false when it is too long.
 */
static bool make_name(const char *parent, const char *path, char name[PATH_MAX])
{
	int length = snprintf(name, PATH_MAX, "%s" PLACE_MARK "%d.%u", parent, (int)getpid(),
			      atomic_fetch_add(&last_number, 1));

	if (length < 0 || (size_t)length + strlen(path) >= PATH_MAX ||
	    (size_t)length - strlen(parent) + strlen(path) > NAME_MAX)
		return false;
	name += length;
	strcpy(name, path);
	for (; *name; name++)
		if (*name == '/')
			*name = '%';
	return true;
}

/* Makes a directory, or a link to target, opens it and removes it. */
static int make_and_open(const char *parent, const char *path, const char *target, int flags)
{
	char name[PATH_MAX];

	for (int i = 0; i < TRIES; i++) {
		int fd;

		if (!make_name(parent, path, name)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (target ? symlink(target, name) : mkdir(name, 0500)) {
			if (errno == EEXIST)
				continue;
			return -1;
		}
		if (target) {
			fd = real_open()(name, O_PATH | O_NOFOLLOW | (flags & O_CLOEXEC));
			unlink(name);
		} else {
			fd = real_open()(name,
					 O_RDONLY | O_DIRECTORY | (flags & (O_CLOEXEC | O_PATH)));
			rmdir(name);
		}
		return fd;
	}
	errno = EEXIST;
	return -1;
}

static int make_somewhere(const char *path, const char *target, int flags)
{
	const char *const parents[] = { "/dev/shm", getenv("TMPDIR"), "/tmp", "/var/tmp" };
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(parents) / sizeof(parents[0]); i++)
		if (parents[i] && *parents[i])
			fd = make_and_open(parents[i], path, target, flags);
	return fd;
}

int preload_place_directory(const char *path, int flags)
{
	return make_somewhere(path, NULL, flags);
}

int preload_place_link(const char *path, const char *target, int flags)
{
	return make_somewhere(path, target, flags);
}

int preload_place_file(const char *path, const char *text, size_t length, int flags)
{
	char name[PATH_MAX];
	int memory, fd = -1;

	snprintf(name, sizeof(name), "kfdscope-sysfs:%s", path);
	name[MEMFD_NAME_MAX] = '\0';
	memory = memfd_create(name, MFD_CLOEXEC);
	if (memory < 0)
		return -1;
	if (write(memory, text, length) == (ssize_t)length) {
		/* another open file, which cannot be written */
		snprintf(name, sizeof(name), "/proc/self/fd/%d", memory);
		fd = real_open()(name, O_RDONLY | (flags & (O_CLOEXEC | O_PATH | O_NONBLOCK)));
	} else {
		errno = EIO;
	}
	close(memory);
	return fd;
}

bool preload_place_of_link(const char *target, char path[PATH_MAX])
{
	size_t length = strlen(target), mark = sizeof(FILE_MARK) - 1;
	const char *name = strrchr(target, '/');

	if (length <= sizeof(GONE) || strcmp(target + length - (sizeof(GONE) - 1), GONE) != 0)
		return false;
	length -= sizeof(GONE) - 1;
	if (strncmp(target, FILE_MARK, mark) == 0) {
		snprintf(path, PATH_MAX, "%.*s", (int)(length - mark), target + mark);
		return true;
	}
	if (!name || strncmp(name, PLACE_MARK, sizeof(PLACE_MARK) - 1) != 0)
		return false;
	name = strchr(name, '%');
	if (!name)
		return false;
	snprintf(path, PATH_MAX, "%.*s", (int)(target + length - name), name);
	for (char *c = path; *c; c++)
		if (*c == '%')
			*c = '/';
	return true;
}

static bool link_of(int fd, char target[PATH_MAX])
{
	char name[64] = "/proc/self/cwd";
	ssize_t length;
	int saved = errno;

	if (fd != AT_FDCWD)
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	length = real_readlink()(name, target, PATH_MAX - 1);
	errno = saved;
	if (length < 0)
		return false;
	target[length] = '\0';
	return true;
}

bool preload_place_of(int fd, char path[PATH_MAX])
{
	char target[PATH_MAX];

	return link_of(fd, target) && preload_place_of_link(target, path);
}

static bool is_near(const char *path)
{
	static const char *const roots[] = { "/dev", "/sys", "/proc" };

	if (strcmp(path, "/") == 0)
		return true;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		size_t length = strlen(roots[i]);

		if (strncmp(path, roots[i], length) == 0 && (!path[length] || path[length] == '/'))
			return true;
	}
	return false;
}

/*
 * Whether the current directory matters, and for which process that was found: a child of vfork()
 * shares our memory, but not our directory.
 */
#define CWD_MATTERS (1ull << 32)
static _Atomic uint64_t cwd_state;

void preload_place_changed(void)
{
	char target[PATH_MAX], path[PATH_MAX];
	bool matters = link_of(AT_FDCWD, target) &&
		       (is_near(target) || preload_place_of_link(target, path));

	cwd_state = (uint32_t)getpid() | (matters ? CWD_MATTERS : 0);
}

bool preload_place_base(int directory, const char *relative, char path[PATH_MAX], bool *is_ours)
{
	char target[PATH_MAX];

	if (directory == AT_FDCWD) {
		if ((uint32_t)cwd_state != (uint32_t)getpid())
			preload_place_changed();
		if (!(cwd_state & CWD_MATTERS) && !strstr(relative, ".."))
			return false;
	}
	if (!link_of(directory, target))
		return false;
	*is_ours = preload_place_of_link(target, path);
	if (*is_ours)
		return true;
	if (target[0] != '/' || (!is_near(target) && !strstr(relative, "..")))
		return false;
	memcpy(path, target, PATH_MAX);
	return true;
}
