/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "asleep.h"
#include "hsakmt/linux/kfd_ioctl.h"

#define TOPOLOGY "/sys/class/kfd/kfd/topology"
#define GPU_NODE TOPOLOGY "/nodes/2"
#define PAGE     4096ul

static int open_kfd(void)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int version(int fd)
{
	struct kfd_ioctl_get_version_args args;

	return ioctl(fd, AMDKFD_IOC_GET_VERSION, &args) ? -errno : (int)args.major_version;
}

static uint32_t first_gpu(void)
{
	FILE *stream = fopen(GPU_NODE "/gpu_id", "r");
	unsigned int gpu_id = 0;

	assert_non_null(stream);
	assert_int_equal(fscanf(stream, "%u", &gpu_id), 1);
	fclose(stream);
	return gpu_id;
}

/* An opened, acquired first GPU. */
static uint32_t acquire(int kfd, int *render)
{
	struct kfd_ioctl_acquire_vm_args args = { .gpu_id = first_gpu() };

	*render = open("/dev/dri/renderD128", O_RDWR);
	assert_true(*render >= 0);
	args.drm_fd = (uint32_t)*render;
	/* all tests share the process, and the first one binds the file */
	if (ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &args))
		assert_int_equal(errno, EBUSY);
	return args.gpu_id;
}

static bool directory_has(const char *path, const char *name)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		found |= strcmp(entry->d_name, name) == 0;
	assert_int_equal(closedir(dir), 0);
	return found;
}

static void devices_look_like_devices(void **state)
{
	struct stat st;
	int fd = open_kfd();

	(void)state;
	assert_int_equal(version(fd), 1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	close(fd);
	assert_int_equal(stat("/dev/dri/renderD135", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(major(st.st_rdev), 226);
	assert_int_equal(minor(st.st_rdev), 135);
	assert_int_equal(access("/dev/kfd", R_OK | W_OK), 0);
	assert_int_equal(open("/dev/dri/renderD136", O_RDWR), -1);
	assert_int_equal(errno, ENOENT);
	assert_true(directory_has("/dev/dri", "renderD128"));
}

static void other_ioctls_are_no_calls_of_the_driver(void **state)
{
	int fd = open_kfd(), value;

	(void)state;
	assert_int_equal(ioctl(fd, FIONREAD, &value), -1);
	assert_int_equal(errno, ENOTTY);
	close(fd);
}

/* The driver's files have neither read nor write: they would reach the memory behind them. */
static void devices_are_not_read_or_written(void **state)
{
	const char *const paths[] = { "/dev/kfd", "/dev/dri/renderD128" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int fd = open(paths[i], O_RDWR | O_CLOEXEC);
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN | POLLOUT };
		char byte = 'x';

		assert_true(fd >= 0);
		assert_int_equal(read(fd, &byte, 1), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(write(fd, &byte, 1), -1);
		assert_int_equal(pwrite(fd, &byte, 1, 0), -1);
		assert_int_equal(ftruncate(fd, 0), -1);
		assert_int_equal(poll(&poll_fd, 1, 0), 1);
		assert_int_equal(poll_fd.revents, POLLIN | POLLOUT);
		close(fd);
	}
}

static void nobody_writes_the_topology(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(open(TOPOLOGY "/generation_id", O_WRONLY), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(open(TOPOLOGY "/generation_id", O_RDONLY | O_TRUNC), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(open(TOPOLOGY "/new_file", O_RDWR | O_CREAT, 0600), -1);
	assert_int_equal(errno, EACCES);
	assert_null(fopen(TOPOLOGY "/new_file", "w"));
	assert_int_equal(errno, EACCES);
	assert_null(fopen(TOPOLOGY "/generation_id", "r+"));
	assert_int_equal(errno, EACCES);
	assert_int_equal(stat(TOPOLOGY "/new_file", &st), -1);
	assert_true(first_gpu() != 0);
}

static void sysfs_has_the_topology_under_both_names(void **state)
{
	char text[64] = "", real[PATH_MAX];
	int fd;

	(void)state;
	assert_true(directory_has(TOPOLOGY "/nodes", "9"));
	assert_true(directory_has("/sys/devices/virtual/kfd/kfd/topology//nodes/", "0"));
	fd = open("/sys/devices/virtual/kfd/kfd/topology/nodes/2/gpu_id", O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_int_equal(atoi(text), first_gpu());
	close(fd);
	assert_int_equal(access(GPU_NODE "/mem_banks/0/properties", R_OK), 0);
	assert_int_equal(access(GPU_NODE "/nothing", F_OK), -1);
	/* the class has a link to the device, and where the device's files really are stays untold */
	assert_ptr_equal(realpath(GPU_NODE, real), real);
	assert_string_equal(real, "/sys/devices/virtual/kfd/kfd/topology/nodes/2");
}

/* What a walk through the tree and a long listing ask for. */
static void a_walk_finds_the_way_to_the_topology(void **state)
{
	static const char *const roots[] = { "/sys/class/kfd", "/sys/devices/virtual/kfd" };
	char path[PATH_MAX], value[64];
	struct stat st;

	(void)state;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		assert_true(directory_has(roots[i], "kfd"));
		snprintf(path, sizeof(path), "%s/kfd", roots[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_true(S_ISDIR(st.st_mode));
		assert_true(directory_has(path, "topology"));
		assert_true(directory_has(path, "proc"));
		snprintf(path, sizeof(path), "%s/kfd/topology/generation_id", roots[i]);
		assert_int_equal(listxattr(path, value, sizeof(value)), 0);
		assert_int_equal(lgetxattr(path, "security.selinux", value, sizeof(value)), -1);
		assert_int_equal(errno, ENODATA);
	}
	assert_int_equal(getxattr("/sys/class/kfd/none", "user.x", value, sizeof(value)), -1);
	assert_int_equal(errno, ENOENT);
}

static void flags_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		const char *path;
		int flags, error;
	} cases[] = {
		{ "/dev/kfd", O_RDWR | O_DIRECTORY, ENOTDIR },
		{ "/dev/kfd/", O_RDWR, ENOTDIR },
		{ "/dev/kfd/none", O_RDWR, ENOTDIR },
		{ "/dev/dri/renderD128", O_RDWR | O_DIRECTORY, ENOTDIR },
		{ "/dev/kfd", O_RDWR | O_CREAT | O_EXCL, EEXIST },
		{ "/dev/dri/renderD136", O_RDWR, ENOENT },
		{ "/dev/dri/card8", O_RDWR, ENOENT },
		{ "/sys/class/kfd/kfd", O_RDONLY | O_NOFOLLOW, ELOOP },
		{ "/sys/class/kfd/kfd/", O_WRONLY, EISDIR },
		{ "/sys/class/kfd/kfd/dev", O_RDONLY | O_DIRECTORY, ENOTDIR },
		{ "/sys/class/kfd/kfd/dev", O_RDWR, EACCES },
		{ "/sys/class/kfd/kfd/dev/none", O_RDONLY, ENOTDIR },
		{ "/sys/class/kfd/kfd/none", O_RDONLY, ENOENT },
		{ "/sys/class/kfd/kfd/none", O_RDWR | O_CREAT, EACCES },
		{ "/sys/class/drm/card9/device", O_RDONLY, ENOENT },
		{ TOPOLOGY "/generation_id", O_RDONLY | O_DIRECTORY, ENOTDIR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		errno = 0;
		assert_int_equal(open(cases[i].path, cases[i].flags, 0600), -1);
		if (errno != cases[i].error)
			fail_msg("%s, flags %#x: %s", cases[i].path, (unsigned int)cases[i].flags,
				 strerror(errno));
	}
}

/* Text of a file relative to an open directory. */
static void read_at(int directory, const char *path, char text[256])
{
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	assert_true(fd >= 0);
	got = read(fd, text, 255);
	assert_true(got >= 0);
	text[got] = '\0';
	close(fd);
}

static void open_directories_lead_on(void **state)
{
	char text[256], again[256], target[64] = "";
	int fd = open("/sys/class/kfd/kfd", O_RDONLY | O_DIRECTORY | O_CLOEXEC), nodes, copy;
	struct stat by_path, by_fd, entry;
	struct dirent *found;
	bool seen = false;
	DIR *dir;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_int_equal(stat("/sys/devices/virtual/kfd/kfd", &by_path), 0);
	assert_true(S_ISDIR(by_fd.st_mode));
	assert_true(by_fd.st_ino == by_path.st_ino && by_fd.st_dev == by_path.st_dev);
	read_at(fd, "uevent", text);
	assert_non_null(strstr(text, "DEVNAME=kfd\n"));
	assert_int_equal(readlinkat(fd, "subsystem", target, sizeof(target) - 1), 21);
	assert_string_equal(target, "../../../../class/kfd");
	assert_int_equal(faccessat(fd, "topology/nodes/9/gpu_id", R_OK, 0), 0);
	assert_int_equal(faccessat(fd, "topology/nodes/9/gpu_id", W_OK, 0), -1);
	assert_int_equal(errno, EACCES);

	nodes = openat(fd, "topology/nodes", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	copy = dup(nodes);
	close(nodes);
	read_at(copy, "2/gpu_id", text);
	read_at(copy, "../../../../../../class/kfd/kfd/topology/nodes/2/gpu_id", again);
	assert_string_equal(text, again);
	assert_int_equal(fstatat(copy, "2", &entry, 0), 0);
	assert_int_equal(openat(copy, "2/gpu_id", O_RDWR), -1);
	assert_int_equal(errno, EACCES);
	dir = fdopendir(copy);
	assert_non_null(dir);
	assert_int_equal(dirfd(dir), copy);
	while ((found = readdir(dir)))
		if (strcmp(found->d_name, "2") == 0) {
			seen = true;
			assert_true(found->d_ino == entry.st_ino);
			assert_int_equal(found->d_type, DT_DIR);
		}
	assert_true(seen);
	closedir(dir);
	assert_int_equal(fstat(copy, &entry), -1);
	close(fd);
}

/* What opendir() gives has a descriptor, too, and places to come back to. */
static void listings_have_descriptors_and_places(void **state)
{
	static const char *const paths[] = { "/sys/class/drm", TOPOLOGY "/nodes", "/sys/class" };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		DIR *dir = opendir(paths[i]);
		struct stat by_path, by_fd;
		struct dirent *entry;
		unsigned int before = 0, after = 0;
		char name[256];
		long place;

		assert_non_null(dir);
		assert_int_equal(fstat(dirfd(dir), &by_fd), 0);
		assert_int_equal(stat(paths[i], &by_path), 0);
		assert_true(by_fd.st_ino == by_path.st_ino && by_fd.st_dev == by_path.st_dev);
		assert_non_null(readdir(dir));
		assert_non_null(readdir(dir));
		place = telldir(dir);
		entry = readdir(dir);
		assert_non_null(entry);
		snprintf(name, sizeof(name), "%s", entry->d_name);
		for (before = 3; readdir(dir); before++)
			;
		seekdir(dir, place);
		entry = readdir(dir);
		assert_non_null(entry);
		assert_string_equal(entry->d_name, name);
		rewinddir(dir);
		while (readdir(dir))
			after++;
		assert_int_equal(before, after);
		closedir(dir);
	}
}

/* The real machine's directories have our entries once, and their own still. */
static void real_directories_list_ours(void **state)
{
	static const struct {
		const char *directory, *ours, *real;
	} cases[] = {
		{ "/dev", "kfd", "null" },
		{ "/dev/", "dri", "zero" },
		{ "/sys/class", "kfd", "tty" },
		{ "/sys/class", "drm", "net" },
		{ "/sys/module", "amdgpu", ".." },
		{ "/sys/dev/char", "226:128", "1:3" },
		{ "/sys/devices/virtual", "kfd", "tty" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		DIR *dir = opendir(cases[i].directory);
		unsigned int found = 0, real = 0, dots = 0;
		struct dirent *entry;

		assert_non_null(dir);
		while ((entry = readdir(dir))) {
			found += strcmp(entry->d_name, cases[i].ours) == 0;
			real += strcmp(entry->d_name, cases[i].real) == 0;
			dots += strcmp(entry->d_name, ".") == 0;
		}
		closedir(dir);
		assert_int_equal(found, 1);
		assert_int_equal(real, 1);
		assert_int_equal(dots, 1);
	}
}

static void the_current_directory_may_be_ours(void **state)
{
	char before[PATH_MAX], now[PATH_MAX], text[256];
	struct stat here, there;
	glob_t found = { 0 };
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = -1;
	pid_t child;

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir("/sys/class/kfd/kfd/dev"), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(chdir(TOPOLOGY "/none"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(chdir(TOPOLOGY), 0);
	assert_ptr_equal(getcwd(now, sizeof(now)), now);
	assert_string_equal(now, "/sys/devices/virtual/kfd/kfd/topology");
	assert_null(getcwd(now, 8));
	assert_int_equal(errno, ERANGE);
	assert_int_equal(chdir("nodes"), 0);
	assert_int_equal(chdir("../../proc/../topology/nodes"), 0);
	read_at(AT_FDCWD, "2/gpu_id", text);
	assert_int_equal(atoi(text), first_gpu());
	assert_int_equal(glob("*/gpu_id", 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 10);
	globfree(&found);
	assert_int_equal(stat(".", &here), 0);
	assert_int_equal(stat(TOPOLOGY "/nodes", &there), 0);
	assert_true(here.st_ino == there.st_ino && here.st_dev == there.st_dev);
	/* the way out of what is ours, also to make something */
	assert_int_equal(access("../../../../../../../dev/null", R_OK | W_OK), 0);
	child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c",
		      "test \"$(cat 0/gpu_id)\" = 0 && cd .. && test -d nodes", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	/* a child of vfork() has a directory of its own */
	child = vfork();
	if (child == 0)
		_exit(chdir("/") != 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	read_at(AT_FDCWD, "0/gpu_id", text);
	assert_string_equal(text, "0\n");
	assert_int_equal(fchdir(fd), 0);
	assert_ptr_equal(getcwd(now, sizeof(now)), now);
	assert_string_equal(now, before);
	assert_int_equal(access("0/gpu_id", F_OK), -1);
	close(fd);
	/* and a real one from which relative paths lead to ours */
	fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(access("dev/kfd", R_OK), 0);
	assert_int_equal(chdir("sys/class"), 0);
	assert_int_equal(access("kfd/kfd/topology/generation_id", R_OK), 0);
	assert_int_equal(fchdir(fd), 0);
	close(fd);
}

/* How libudev finds its way: each part is opened by itself, links as links, and must be in sysfs. */
static void links_are_opened_as_links(void **state)
{
	char target[64] = "";
	int parent = open("/sys/class/kfd", O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	struct stat by_path, by_fd;
	struct statfs fs;

	(void)state;
	assert_true(parent >= 0);
	fd = openat(parent, "kfd", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_true(S_ISLNK(by_fd.st_mode));
	assert_int_equal(lstat("/sys/class/kfd/kfd", &by_path), 0);
	assert_true(by_fd.st_ino == by_path.st_ino && by_fd.st_dev == by_path.st_dev);
	assert_int_equal(readlinkat(fd, "", target, sizeof(target) - 1), 29);
	assert_string_equal(target, "../../devices/virtual/kfd/kfd");
	assert_int_equal(fstatfs(fd, &fs), 0);
	assert_true(fs.f_type == SYSFS_MAGIC);
	close(fd);
	assert_int_equal(openat(parent, "kfd", O_PATH | O_NOFOLLOW | O_DIRECTORY), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(fstatfs(parent, &fs), 0);
	assert_true(fs.f_type == SYSFS_MAGIC);
	close(parent);
	assert_int_equal(statfs(TOPOLOGY, &fs), 0);
	assert_true(fs.f_type == SYSFS_MAGIC);
	assert_int_equal(statfs("/sys/class/kfd/none", &fs), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(statfs("/dev/kfd", &fs), 0);
	assert_true(fs.f_type != SYSFS_MAGIC);
}

/* A name of a device is none of its opens; what is open leads on by its name in /proc. */
static void names_in_proc_lead_on(void **state)
{
	char path[64], text[256];
	int fd = open("/dev/kfd", O_PATH | O_CLOEXEC), kfd;
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(version(fd), -EBADF);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_true(st.st_rdev == makedev(511, 0));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	kfd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(kfd >= 0);
	assert_int_equal(version(kfd), 1);
	close(kfd);
	close(fd);
	fd = open(TOPOLOGY "/nodes", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/2/gpu_id", fd);
	read_at(AT_FDCWD, path, text);
	assert_int_equal(atoi(text), first_gpu());
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_true(directory_has(path, "9"));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	close(fd);
}

static void open_text_is_not_written(void **state)
{
	int fd = open("/sys/class/kfd/kfd/dev", O_RDONLY | O_CLOEXEC);
	struct stat by_path, by_fd;
	char text[16] = "";

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 6);
	assert_string_equal(text, "511:0\n");
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_int_equal(stat("/sys/class/kfd/kfd/dev", &by_path), 0);
	assert_true(by_fd.st_ino == by_path.st_ino && by_fd.st_dev == by_path.st_dev);
	close(fd);
}

static void gpus_have_distinct_primary_nodes(void **state)
{
	char target[256];
	ssize_t length;

	(void)state;
	assert_true(directory_has("/sys/dev/char/226:128/device/drm", "card0"));
	assert_true(directory_has("/sys/dev/char/226:128/device/drm", "renderD128"));
	assert_true(directory_has("/sys/dev/char/226:135/device/drm", "card7"));
	assert_false(directory_has("/sys/dev/char/226:135/device/drm", "card0"));
	length = readlink("/sys/dev/char/226:128/device/subsystem", target, sizeof(target));
	assert_true(length > 3);
	assert_memory_equal(target + length - 3, "pci", 3);
}

static void the_module_is_loaded(void **state)
{
	char line[256];
	FILE *stream = fopen("/proc/modules", "r");
	bool found = false;
	struct stat st;

	(void)state;
	assert_non_null(stream);
	while (fgets(line, sizeof(line), stream))
		found |= strncmp(line, "amdgpu ", 7) == 0;
	fclose(stream);
	assert_true(found);
	assert_int_equal(stat("/sys/module/amdgpu", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(open("/sys/module/amdgpu/initstate", O_RDWR), -1);
	assert_int_equal(errno, EACCES);
}

static void duplicates_share_the_device(void **state)
{
	int fd = open_kfd(), copy = dup(fd), other = fcntl(fd, F_DUPFD, 200), third;

	(void)state;
	assert_int_equal(version(copy), 1);
	assert_int_equal(version(other), 1);
	third = open("/dev/null", O_RDWR);
	assert_int_equal(dup2(fd, third), third);
	close(fd);
	assert_int_equal(version(fd), -EBADF);
	assert_int_equal(version(third), 1);
	/* overwriting a device with a file ends the device */
	fd = open("/dev/null", O_RDWR);
	assert_int_equal(dup2(fd, third), third);
	assert_int_equal(version(third), -ENOTTY);
	close(fd);
	close(copy);
	close(other);
	close(third);
}

#define CONTEXTS_MAX 64

/* A KFD whose process is a context of its own. @return -1 with errno when there are too many. */
static int open_context(void)
{
	int fd = open_kfd();

	if (ioctl(fd, AMDKFD_IOC_CREATE_PROCESS, NULL) == 0)
		return fd;
	close(fd);
	return -1;
}

struct waiting {
	int fd, rc, error;
	uint32_t event_id;
	pid_t thread; /* asleep.h */
};

static void *wait_for_ever(void *arg)
{
	struct waiting *w = arg;
	struct kfd_event_data data = { .event_id = w->event_id };
	struct kfd_ioctl_wait_events_args args = { .events_ptr = (uintptr_t)&data,
						   .num_events = 1,
						   .timeout = UINT32_MAX };

	asleep_mark(&w->thread);
	w->rc = ioctl(w->fd, AMDKFD_IOC_WAIT_EVENTS, &args);
	w->error = errno;
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
}

/* @return how many contexts can be opened beside those that are there. */
static int free_contexts(void)
{
	int fds[CONTEXTS_MAX + 1], count = 0;

	while (count <= CONTEXTS_MAX && (fds[count] = open_context()) >= 0)
		count++;
	for (int i = 0; i < count; i++)
		close(fds[i]);
	return count;
}

static void a_call_keeps_the_device_that_is_closed(void **state)
{
	struct sigaction action = { .sa_handler = on_signal }, old;
	struct kfd_ioctl_create_event_args event = { 0 };
	struct waiting w = { .fd = open_context() };
	pthread_t thread;

	(void)state;
	assert_true(w.fd >= 0);
	assert_int_equal(ioctl(w.fd, AMDKFD_IOC_CREATE_EVENT, &event), 0);
	w.event_id = event.event_id;
	sigaction(SIGUSR1, &action, &old);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_ever, &w), 0);
	asleep_await(&w.thread);
	close(w.fd);
	assert_int_equal(free_contexts(), CONTEXTS_MAX - 1);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &old, NULL);
	assert_int_equal(w.rc, -1);
	assert_int_equal(w.error, EINTR);
	assert_int_equal(free_contexts(), CONTEXTS_MAX);
}

static void closed_numbers_are_ordinary_again(void **state)
{
	int fd = open_kfd(), file;

	(void)state;
	assert_int_equal(close_range((unsigned int)fd, (unsigned int)fd, 0), 0);
	file = open("/dev/null", O_RDWR);
	assert_int_equal(file, fd);
	assert_int_equal(version(file), -ENOTTY);
	close(file);
}

static void a_child_opens_the_device_anew(void **state)
{
	int fd = open_kfd(), status = -1;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		int own;

		if (version(fd) != -EBADF)
			_exit(1);
		if (mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, (off_t)(3ull << 62)) != MAP_FAILED)
			_exit(2);
		own = open("/dev/kfd", O_RDWR);
		if (own < 0 || version(own) != 1)
			_exit(3);
		close(fd);
		_exit(version(own) != 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(version(fd), 1);
	close(fd);
}

static void send_fd(int socket, int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	char byte = 'x';
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr head = { .msg_iov = &iov,
			       .msg_iovlen = 1,
			       .msg_control = control,
			       .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&head);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(socket, &head, 0) != 1)
		_exit(9);
}

static int receive_fd(int socket)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr head = { .msg_iov = &iov,
			       .msg_iovlen = 1,
			       .msg_control = control,
			       .msg_controllen = sizeof(control) };
	int fd = -1;

	assert_int_equal(recvmsg(socket, &head, 0), 1);
	assert_non_null(CMSG_FIRSTHDR(&head));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&head)), sizeof(fd));
	return fd;
}

static int drm_version(int fd)
{
	struct drm_version args = { 0 };

	return ioctl(fd, DRM_IOCTL_VERSION, &args) ? -errno : args.version_major;
}

/* Whoever is handed a KFD has it, but it is its opener's; a render node serves everybody. */
static void devices_travel_between_processes(void **state)
{
	int sockets[2], fd, status = -1;
	struct stat st;
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	child = fork();
	if (child == 0) {
		char byte;

		send_fd(sockets[1], open("/dev/kfd", O_RDWR));
		send_fd(sockets[1], open("/dev/dri/renderD130", O_RDWR));
		send_fd(sockets[1], open("/dev/dri/card3", O_RDWR));
		close(sockets[0]);
		_exit(read(sockets[1], &byte, 1) != 0);
	}
	fd = receive_fd(sockets[0]);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(major(st.st_rdev), 511);
	assert_int_equal(version(fd), -EBADF);
	close(fd);
	fd = receive_fd(sockets[0]);
	assert_int_equal(drm_version(fd), 3);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_rdev == makedev(226, 130));
	close(fd);
	fd = receive_fd(sockets[0]);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(st.st_rdev == makedev(226, 3));
	assert_int_equal(drm_version(fd), 3);
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);

	/* its own comes back to its opener as what it was */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	fd = open_kfd();
	send_fd(sockets[1], fd);
	close(fd);
	fd = receive_fd(sockets[0]);
	assert_int_equal(version(fd), 1);
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
}

#define CONTENT "what the buffer holds"

/* One that holds a buffer, hands its KFD over, and lives until the socket's other end is closed. */
static void hold_a_buffer(int socket)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args alloc = {
		.va_addr = 3ull << 44,
		.size = PAGE,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC
	};
	int kfd = open_kfd(), render;
	char *view, byte;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	alloc.gpu_id = acquire(kfd, &render);
	if (ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc))
		_exit(1);
	view = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, render,
		    (off_t)alloc.mmap_offset);
	if (view == MAP_FAILED)
		_exit(2);
	strcpy(view, CONTENT);
	send_fd(socket, kfd);
	_exit(read(socket, &byte, 1) != 0);
}

struct checkpoint {
	struct kfd_criu_device_bucket devices[8];
	struct kfd_criu_bo_bucket bo;
	char data[16384];
	struct kfd_ioctl_criu_args args;
};

/* Becomes what was checkpointed, and finds the buffer where it was. */
static void come_back(struct checkpoint *c)
{
	int kfd = open_kfd(), render = open("/dev/dri/renderD128", O_RDWR);
	struct kfd_ioctl_free_memory_of_gpu_args gone;
	char *view;

	for (int i = 0; i < 8; i++)
		c->devices[i].drm_fd = (uint32_t)render; /* all but the first need none */
	c->args.op = KFD_CRIU_OP_RESTORE;
	if (ioctl(kfd, AMDKFD_IOC_CRIU_OP, &c->args))
		_exit(1);
	view = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)c->bo.dmabuf_fd, 0);
	if (view == MAP_FAILED)
		_exit(2);
	strcpy(view, CONTENT);
	c->args.op = KFD_CRIU_OP_RESUME;
	c->args.pid = (uint32_t)getpid();
	if (ioctl(kfd, AMDKFD_IOC_CRIU_OP, &c->args))
		_exit(3);
	view = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, render, (off_t)c->bo.restored_offset);
	if (view == MAP_FAILED || strcmp(view, CONTENT) != 0)
		_exit(4);
	gone.handle = (uint64_t)first_gpu() << 32;
	_exit(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &gone) ? 5 : 0);
}

/* As CRIU does it: the descriptor from the process, the contents by dma-bufs. */
static void a_checkpoint_is_taken_through_a_descriptor(void **state)
{
	struct checkpoint c = { .args = { .op = KFD_CRIU_OP_PROCESS_INFO } };
	int sockets[2], kfd, status = -1;
	pid_t child;
	char *view;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	child = fork();
	if (child == 0) {
		close(sockets[0]);
		hold_a_buffer(sockets[1]);
	}
	kfd = receive_fd(sockets[0]);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_CRIU_OP, &c.args), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(ptrace(PTRACE_SEIZE, child, NULL, NULL), 0);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_CRIU_OP, &c.args), 0);
	assert_int_equal(c.args.pid, child);
	assert_int_equal(c.args.num_bos, 1);
	assert_int_equal(c.args.num_devices, 8);
	assert_in_range(c.args.priv_data_size, 1, sizeof(c.data));
	c.args.op = KFD_CRIU_OP_CHECKPOINT;
	c.args.pid = 0;
	c.args.devices = (uintptr_t)c.devices;
	c.args.bos = (uintptr_t)&c.bo;
	c.args.priv_data = (uintptr_t)c.data;
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_CRIU_OP, &c.args), 0);
	assert_true(c.bo.addr == 3ull << 44 && c.bo.size == PAGE);
	assert_int_equal(lseek((int)c.bo.dmabuf_fd, 0, SEEK_END), PAGE);
	view = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, (int)c.bo.dmabuf_fd, 0);
	assert_ptr_not_equal(view, MAP_FAILED);
	assert_string_equal(view, CONTENT);
	munmap(view, PAGE);
	close((int)c.bo.dmabuf_fd);
	close(kfd);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	child = fork();
	if (child == 0)
		come_back(&c);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(sockets[0]);
	close(sockets[1]);
}

#define INHERITED "--inherited"

/* The program once more, with descriptors that it did not open: KFD, render node, mine or not. */
static int inherited(char **argv)
{
	int kfd = atoi(argv[0]), render = atoi(argv[1]), own;
	void *map;

	if (version(kfd) != -EBADF || drm_version(render) != 3)
		return 1;
	map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, kfd, (off_t)(3ull << 62));
	if (map != MAP_FAILED || (errno != EINVAL && errno != ENODEV))
		return 2;
	own = open("/dev/kfd", O_RDWR);
	if (own < 0 || version(own) != 1 || version(kfd) != -EBADF)
		return 3;
	return 0;
}

static void devices_stay_over_exec(void **state)
{
	int kfd = open("/dev/kfd", O_RDWR), render = open("/dev/dri/renderD129", O_RDWR);
	char texts[2][16];

	(void)state;
	snprintf(texts[0], sizeof(texts[0]), "%d", kfd);
	snprintf(texts[1], sizeof(texts[1]), "%d", render);
	/* opened by the parent, and by the very process that becomes another program */
	for (int opens = 0; opens < 2; opens++) {
		int status = -1;
		pid_t child = fork();

		if (child == 0) {
			if (opens && dup2(open("/dev/kfd", O_RDWR), kfd) != kfd)
				_exit(8);
			execl("/proc/self/exe", "test", INHERITED, texts[0], texts[1],
			      (char *)NULL);
			_exit(127);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	close(kfd);
	close(render);
}

static void pages_of_the_device_are_not_a_childs(void **state)
{
	int kfd = open_kfd(), render, status;
	const uint64_t gpu = (uint64_t)acquire(kfd, &render) << 46;
	const struct {
		uint64_t offset, size;
	} kinds[] = { { 3ull << 62 | gpu, 2 * PAGE }, { gpu, PAGE }, { 2ull << 62, PAGE } };
	struct kfd_ioctl_create_event_args event = { .event_type = KFD_IOC_EVENT_SIGNAL };
	void *maps[3];
	pid_t child;

	(void)state;
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &event), 0); /* makes the page */
	for (int i = 0; i < 3; i++) {
		maps[i] = mmap(NULL, kinds[i].size, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
			       (off_t)kinds[i].offset);
		assert_ptr_not_equal(maps[i], MAP_FAILED);
	}
	child = fork();
	if (child == 0) {
		unsigned char resident[2];

		for (int i = 0; i < 3; i++)
			if (mincore(maps[i], kinds[i].size, resident) == 0 || errno != ENOMEM)
				_exit(i + 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (int i = 0; i < 3; i++)
		munmap(maps[i], kinds[i].size);
	close(render);
	close(kfd);
}

static void a_vfork_child_has_no_kfd_of_its_own(void **state)
{
	struct kfd_ioctl_create_event_args create = { .event_type = KFD_IOC_EVENT_SIGNAL };
	struct kfd_ioctl_set_event_args set;
	int kfd = open_kfd(), render, copy, status;
	pid_t child;

	(void)state;
	acquire(kfd, &render);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &create), 0);
	child = vfork();
	if (child == 0) {
		int fd = open("/dev/kfd", O_RDWR), refused = fd < 0 && errno == EINVAL;

		_exit(refused && open("/dev/dri/renderD128", O_RDWR) >= 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	/* the parent's descriptors are still known, and all of its opens are still one process */
	copy = dup(kfd);
	close(kfd);
	assert_int_equal(version(copy), 1);
	close(copy);
	assert_int_equal(version(copy), -EBADF);
	kfd = open_kfd();
	set.event_id = create.event_id;
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_SET_EVENT, &set), 0);
	close(render);
	close(kfd);
}

static void a_vfork_child_leaves_the_parents_device_alone(void **state)
{
	int fd = open_kfd(), status = -1;
	pid_t child = vfork();

	(void)state;
	if (child == 0) {
		close(fd);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(version(fd), 1);
	close(fd);
}

static void memory_maps_and_exports(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args alloc = {
		.va_addr = 1ull << 45,
		.size = 4 * PAGE,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC
	};
	struct kfd_ioctl_export_dmabuf_args export = { .flags = O_CLOEXEC };
	int kfd = open_kfd(), render, dmabuf;
	char *view, *through;

	(void)state;
	alloc.gpu_id = acquire(kfd, &render);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc), 0);
	view = mmap(NULL, alloc.size, PROT_READ | PROT_WRITE, MAP_SHARED, render,
		    (off_t)alloc.mmap_offset);
	assert_ptr_not_equal(view, MAP_FAILED);
	/* offsets that nobody gave out show no memory */
	assert_ptr_equal(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, render, 0), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, render, (off_t)1 << 45),
			 MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	export.handle = alloc.handle;
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_EXPORT_DMABUF, &export), 0);
	dmabuf = (int)export.dmabuf_fd;
	/* as with a real one: the size by seeking, the bytes from its start */
	assert_int_equal(lseek(dmabuf, 0, SEEK_END), 4 * PAGE);
	assert_int_equal(lseek(dmabuf, 0, SEEK_SET), 0);
	assert_int_equal(lseek(dmabuf, 0, SEEK_END), 4 * PAGE);
	through = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, dmabuf, PAGE);
	assert_ptr_not_equal(through, MAP_FAILED);
	view[PAGE + 9] = 99;
	assert_int_equal(through[9], 99);
	assert_ptr_equal(mmap(NULL, 5 * PAGE, PROT_READ, MAP_SHARED, dmabuf, 0), MAP_FAILED);
	munmap(view, alloc.size);
	munmap(through, 2 * PAGE);
	close(dmabuf);
	close(render);
	close(kfd);
}

static void ordinary_files_are_left_alone(void **state)
{
	char path[] = "/tmp/kfdscope-preload-XXXXXX";
	int fd = mkstemp(path);
	struct stat st;

	(void)state;
	assert_int_equal(write(fd, "hello", 5), 5);
	assert_int_equal(lseek(fd, 0, SEEK_END), 5);
	assert_int_equal(lseek(fd, 1, SEEK_SET), 1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 5);
	close(fd);
	unlink(path);
	assert_int_equal(open("/dev/kfd2", O_RDWR), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(stat("/sys/class/kfdx", &st), -1);
}

/* Number in a file of the KFD's directory for a process; -1 when there is none. */
static long long usage(pid_t pid, const char *format, uint32_t gpu)
{
	char path[128], text[64] = "";
	size_t used = (size_t)snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/", (int)pid);
	ssize_t got;
	int fd;

	snprintf(path + used, sizeof(path) - used, format, gpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	return got > 0 ? strtoll(text, NULL, 10) : -1;
}

static uint64_t alloc_vram(int kfd, uint32_t gpu, uint64_t va, uint64_t size)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args alloc = {
		.va_addr = va, .size = size, .gpu_id = gpu, .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM
	};

	assert_int_equal(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc), 0);
	return alloc.handle;
}

static void sysfs_tells_of_secondary_contexts(void **state)
{
	const int kfd = open_kfd(), second = open_kfd();
	struct kfd_ioctl_acquire_vm_args args;
	char path[64];
	long long primary;
	int render;

	(void)state;
	args.gpu_id = acquire(kfd, &render);
	primary = usage(getpid(), "vram_%u", args.gpu_id);
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d", (int)getpid());
	assert_false(directory_has(path, "context_0"));
	assert_int_equal(ioctl(second, AMDKFD_IOC_CREATE_PROCESS, NULL), 0);
	args.drm_fd = (uint32_t)render;
	assert_int_equal(ioctl(second, AMDKFD_IOC_ACQUIRE_VM, &args), 0);
	alloc_vram(second, args.gpu_id, 5ull << 44, 8 * PAGE);
	assert_true(directory_has(path, "context_0"));
	assert_true(directory_has(path, "queues"));
	assert_true(usage(getpid(), "context_0/vram_%u", args.gpu_id) == 8 * (long long)PAGE);
	assert_true(usage(getpid(), "vram_%u", args.gpu_id) == primary);
	assert_true(usage(getpid(), "context_0/pasid", 0) != usage(getpid(), "pasid", 0));
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d/context_0", (int)getpid());
	assert_true(directory_has(path, "queues"));
	assert_int_equal(access(path, F_OK), 0);
	close(second);
	assert_int_equal(access(path, F_OK), -1);
	close(render);
	close(kfd);
}

/* A process that holds so much memory until it is told to end. */
static void hold(uint64_t size, int told, int tell)
{
	int kfd = open_kfd(), render;
	char byte;

	alloc_vram(kfd, acquire(kfd, &render), 3ull << 45, size);
	if (write(tell, "x", 1) != 1 || read(told, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

static void sysfs_tells_what_processes_use(void **state)
{
	struct kfd_ioctl_free_memory_of_gpu_args gone;
	int kfd = open_kfd(), render, to[2], from[2], status = -1;
	uint32_t gpu = acquire(kfd, &render);
	long long before = usage(getpid(), "vram_%u", gpu);
	char name[32], byte, path[64];
	pid_t child;

	(void)state;
	assert_true(before >= 0);
	gone.handle = alloc_vram(kfd, gpu, 1ull << 46, 16 * PAGE);
	assert_true(usage(getpid(), "vram_%u", gpu) == before + 16 * (long long)PAGE);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &gone), 0);
	assert_true(usage(getpid(), "vram_%u", gpu) == before);
	assert_true(usage(getpid(), "stats_%u/cu_occupancy", gpu) == 0);
	assert_true(usage(getpid(), "vram_%u", 1) == -1);

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		close(to[1]);
		hold(32 * PAGE, to[0], from[1]);
	}
	close(from[1]);
	assert_int_equal(read(from[0], &byte, 1), 1);
	assert_true(usage(child, "vram_%u", gpu) == 32 * (long long)PAGE);
	snprintf(name, sizeof(name), "%d", (int)child);
	assert_true(directory_has("/sys/class/kfd/kfd/proc", name));
	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/proc/%d", (int)child);
	snprintf(name, sizeof(name), "vram_%u", gpu);
	assert_true(directory_has(path, name));
	assert_true(directory_has(path, "queues"));
	close(to[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(usage(child, "vram_%u", gpu) == -1);
	assert_int_equal(access(path, F_OK), -1);
	close(to[0]);
	close(from[0]);
	close(render);
	close(kfd);
}

static int gem_va(int render, struct drm_amdgpu_gem_va va)
{
	return ioctl(render, DRM_IOCTL_AMDGPU_GEM_VA, &va) ? errno : 0;
}

static void render_nodes_map_whole_pages_and_unmap_what_they_mapped(void **state)
{
	union drm_amdgpu_gem_create create = { .in = { .bo_size = 4 * PAGE - 1,
						       .domains = AMDGPU_GEM_DOMAIN_GTT } };
	struct drm_amdgpu_gem_va va = { .flags = AMDGPU_VM_PAGE_READABLE,
					.va_address = 1ull << 33,
					.map_size = 2 * PAGE };
	int kfd = open_kfd(), render;

	(void)state;
	acquire(kfd, &render);
	assert_int_equal(ioctl(render, DRM_IOCTL_AMDGPU_GEM_CREATE, &create), 0);
	va.handle = create.out.handle;
	for (int i = 0; i < 4; i++) {
		struct drm_amdgpu_gem_va wrong = va;

		wrong.operation = AMDGPU_VA_OP_MAP;
		wrong.va_address += i == 0;
		wrong.offset_in_bo = i == 1;
		wrong.map_size -= i == 2;
		if (i == 3)
			wrong.va_address = PAGE; /* below what AMDGPU_INFO says */
		assert_int_equal(gem_va(render, wrong), EINVAL);
	}
	va.operation = AMDGPU_VA_OP_UNMAP;
	assert_int_equal(gem_va(render, va), ENOENT);
	va.operation = AMDGPU_VA_OP_MAP;
	va.offset_in_bo = 2 * PAGE; /* sizes are rounded to pages */
	assert_int_equal(gem_va(render, va), 0);
	assert_int_equal(gem_va(render, va), EINVAL);
	va.operation = AMDGPU_VA_OP_UNMAP;
	assert_int_equal(gem_va(render, va), 0);
	assert_int_equal(gem_va(render, va), ENOENT);
	close(render);
	close(kfd);
}

static void a_render_node_has_one_handle_for_a_buffer(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args alloc = {
		.va_addr = 1ull << 44,
		.size = 4 * PAGE,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE
	};
	struct kfd_ioctl_map_memory_to_gpu_args map = { .n_devices = 1 };
	struct kfd_ioctl_export_dmabuf_args export = { .flags = O_CLOEXEC };
	struct drm_amdgpu_gem_va va = { .operation = AMDGPU_VA_OP_UNMAP, .map_size = 4 * PAGE };
	struct drm_prime_handle prime = { 0 };
	struct drm_gem_close gem_close = { 0 };
	int kfd = open_kfd(), render;

	(void)state;
	alloc.gpu_id = acquire(kfd, &render);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc), 0);
	map.handle = export.handle = alloc.handle;
	map.device_ids_array_ptr = (uintptr_t)&alloc.gpu_id;
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map), 0);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_EXPORT_DMABUF, &export), 0);
	prime.fd = (int)export.dmabuf_fd;
	assert_int_equal(ioctl(render, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime), 0);
	gem_close.handle = prime.handle;
	prime.handle = 0;
	assert_int_equal(ioctl(render, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime), 0);
	assert_int_equal(prime.handle, gem_close.handle);
	/* the KFD's map of it is not the handle's */
	va.handle = prime.handle;
	va.va_address = alloc.va_addr;
	assert_int_equal(gem_va(render, va), ENOENT);
	assert_int_equal(ioctl(render, DRM_IOCTL_GEM_CLOSE, &gem_close), 0);
	assert_int_equal(ioctl(render, DRM_IOCTL_GEM_CLOSE, &gem_close), -1);
	close((int)export.dmabuf_fd);
	map.n_success = 0;
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &map), 0);
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &alloc.handle), 0);
	close(render);
	close(kfd);
}

static void questions_about_a_gpu_need_room_for_the_answer(void **state)
{
	uint32_t word = 7;
	struct drm_amdgpu_info info = { .return_pointer = (uintptr_t)&word,
					.query = AMDGPU_INFO_ACCEL_WORKING };
	int render = open("/dev/dri/renderD128", O_RDWR);

	(void)state;
	assert_true(render >= 0);
	assert_int_equal(ioctl(render, DRM_IOCTL_AMDGPU_INFO, &info), -1);
	assert_int_equal(errno, EINVAL);
	info.return_size = sizeof(word);
	assert_int_equal(ioctl(render, DRM_IOCTL_AMDGPU_INFO, &info), 0);
	assert_int_equal(word, 1);
	close(render);
}

/* One attribute of the page at an address. */
static uint32_t granularity(int kfd, uint32_t op, const char *page, uint64_t pages, uint32_t value)
{
	struct {
		uint64_t start_addr, size;
		uint32_t op, nattr;
		struct kfd_ioctl_svm_attribute attribute;
	} call = { .start_addr = (uintptr_t)page,
		   .size = pages * PAGE,
		   .op = op,
		   .nattr = 1,
		   .attribute = { KFD_IOCTL_SVM_ATTR_GRANULARITY, value } };

	assert_int_equal(ioctl(kfd, AMDKFD_IOC_SVM + (sizeof(call.attribute) << 16), &call), 0);
	return call.attribute.value;
}

static void shared_ranges_end_with_their_mappings(void **state)
{
	const uint32_t get = KFD_IOCTL_SVM_OP_GET_ATTR;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *pages = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
	char *elsewhere = mmap(NULL, PAGE, PROT_NONE, flags, -1, 0);
	int kfd = open_kfd(), render;

	(void)state;
	acquire(kfd, &render);
	granularity(kfd, KFD_IOCTL_SVM_OP_SET_ATTR, pages, 8, 5);
	munmap(pages, PAGE);
	assert_ptr_equal(mmap(pages + PAGE, PAGE, PROT_READ, flags | MAP_FIXED, -1, 0),
			 pages + PAGE);
	assert_ptr_equal(
		mremap(pages + 2 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere),
		elsewhere);
	assert_ptr_equal(mremap(pages + 3 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
				pages + 4 * PAGE),
			 pages + 4 * PAGE);
	assert_ptr_equal(mremap(pages + 5 * PAGE, 3 * PAGE, 2 * PAGE, 0), pages + 5 * PAGE);
	for (int i = 0; i < 8; i++)
		assert_int_equal(granularity(kfd, get, pages + i * PAGE, 1, 0),
				 i == 5 || i == 6 ? 5 : 9);
	munmap(pages, 8 * PAGE);
	munmap(elsewhere, PAGE);
	close(render);
	close(kfd);
}

static void event_streams_take_whole_masks_and_never_wait(void **state)
{
	struct kfd_ioctl_smi_events_args args = { .gpuid = first_gpu() };
	const uint64_t masks[2] = { 1, 2 };
	int kfd = open_kfd(), fd, copy, pair[2];
	char byte;

	(void)state;
	assert_int_equal(ioctl(kfd, AMDKFD_IOC_SMI_EVENTS, &args), 0);
	fd = (int)args.anon_fd;
	copy = dup(fd);
	for (size_t size = 0; size < sizeof(masks[0]); size++) {
		errno = 0;
		assert_int_equal(write(size % 2 ? fd : copy, masks, size), -1);
		assert_int_equal(errno, EFAULT);
	}
	assert_int_equal(write(fd, masks, sizeof(masks)), sizeof(masks[0]));
	assert_int_equal(write(copy, masks, sizeof(masks[0])), sizeof(masks[0]));
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0); /* blocks, says the program */
	assert_int_equal(read(fd, &byte, 1), -1);
	assert_int_equal(errno, EAGAIN);
	/* other sockets stay what they are */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(write(pair[0], "x", 1), 1);
	assert_int_equal(read(pair[1], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(pair[0]);
	close(pair[1]);
	close(copy);
	close(fd);
	close(kfd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_look_like_devices),
		cmocka_unit_test(other_ioctls_are_no_calls_of_the_driver),
		cmocka_unit_test(devices_are_not_read_or_written),
		cmocka_unit_test(render_nodes_map_whole_pages_and_unmap_what_they_mapped),
		cmocka_unit_test(a_render_node_has_one_handle_for_a_buffer),
		cmocka_unit_test(questions_about_a_gpu_need_room_for_the_answer),
		cmocka_unit_test(shared_ranges_end_with_their_mappings),
		cmocka_unit_test(event_streams_take_whole_masks_and_never_wait),
		cmocka_unit_test(nobody_writes_the_topology),
		cmocka_unit_test(sysfs_has_the_topology_under_both_names),
		cmocka_unit_test(flags_that_do_not_fit_are_refused),
		cmocka_unit_test(open_directories_lead_on),
		cmocka_unit_test(listings_have_descriptors_and_places),
		cmocka_unit_test(real_directories_list_ours),
		cmocka_unit_test(the_current_directory_may_be_ours),
		cmocka_unit_test(links_are_opened_as_links),
		cmocka_unit_test(names_in_proc_lead_on),
		cmocka_unit_test(open_text_is_not_written),
		cmocka_unit_test(gpus_have_distinct_primary_nodes),
		cmocka_unit_test(the_module_is_loaded),
		cmocka_unit_test(duplicates_share_the_device),
		cmocka_unit_test(a_call_keeps_the_device_that_is_closed),
		cmocka_unit_test(closed_numbers_are_ordinary_again),
		cmocka_unit_test(a_child_opens_the_device_anew),
		cmocka_unit_test(devices_travel_between_processes),
		cmocka_unit_test(a_checkpoint_is_taken_through_a_descriptor),
		cmocka_unit_test(devices_stay_over_exec),
		cmocka_unit_test(pages_of_the_device_are_not_a_childs),
		cmocka_unit_test(a_vfork_child_has_no_kfd_of_its_own),
		cmocka_unit_test(a_vfork_child_leaves_the_parents_device_alone),
		cmocka_unit_test(a_walk_finds_the_way_to_the_topology),
		cmocka_unit_test(memory_maps_and_exports),
		cmocka_unit_test(sysfs_tells_what_processes_use),
		cmocka_unit_test(sysfs_tells_of_secondary_contexts),
		cmocka_unit_test(ordinary_files_are_left_alone),
	};

	if (argc == 4 && strcmp(argv[1], INHERITED) == 0)
		return inherited(argv + 2);
	return cmocka_run_group_tests_name("thunk/model/preload", tests, NULL, NULL);
}
