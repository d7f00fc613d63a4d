/* SPDX-License-Identifier: MIT */
/* statfs and fstatfs: libudev takes nothing for a device that does not lie in a sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/statfs.h>

#include "paths.h"
#include "places.h"
#include "real.h"
#include "stat.h"

typedef int (*statfs_fn)(const char *, struct statfs *);
typedef int (*fstatfs_fn)(int, struct statfs *);

PRELOAD_REAL(statfs, statfs_fn)
PRELOAD_REAL(fstatfs, fstatfs_fn)

static int fill(struct statfs *fs)
{
	memset(fs, 0, sizeof(*fs));
	fs->f_type = SYSFS_MAGIC;
	fs->f_bsize = fs->f_frsize = 4096;
	fs->f_namelen = NAME_MAX;
	return 0;
}

PRELOAD_EXPORT int statfs(const char *path, struct statfs *fs)
{
	struct preload_path at;
	struct stat st;
	int rc = preload_stat_at(AT_FDCWD, path, true, &at, &st);

	if (rc < 0)
		return rc;
	if (rc > 0)
		return real_statfs()(preload_real_path(path, &at), fs);
	return strncmp(at.canonical, "/dev", 4) == 0 ? real_statfs()("/dev", fs) : fill(fs);
}

PRELOAD_EXPORT int fstatfs(int fd, struct statfs *fs)
{
	char path[PATH_MAX];

	return preload_place_of(fd, path) ? fill(fs) : real_fstatfs()(fd, fs);
}

PRELOAD_EXPORT int statfs64(const char *path, struct statfs64 *fs) __attribute__((alias("statfs")));
PRELOAD_EXPORT int fstatfs64(int fd, struct statfs64 *fs) __attribute__((alias("fstatfs")));
