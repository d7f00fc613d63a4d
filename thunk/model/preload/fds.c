/* SPDX-License-Identifier: MIT */
/*
 * The table of simulated descriptors. Each takes its number by a file that does something harmless
 * at everything that is not intercepted.
 */
#include "fds.h"

#include "borrowed.h"
#include "caller.h"
#include "machine.h"
#include "real.h"
#include "virtgpu.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

typedef int (*fcntl_fn)(int, int, ...);
typedef ssize_t (*readlink_fn)(const char *, char *, size_t);

PRELOAD_REAL(fcntl, fcntl_fn)
PRELOAD_REAL(readlink, readlink_fn)

#define FIRST_RENDER  128u
#define MARKS_MAX     64u /* signal numbers */
#define VIRTGPU_MINOR 200u

#define HOLDER_PAUSES 1000
#define FDS_MAX       65536 /* numbers above are passed through: no simulated device there */

static _Atomic(struct preload_file *) files[FDS_MAX]; /* counted */
static _Atomic uint64_t last_file_id;
static _Atomic unsigned int holders; /* threads inside preload_fd_hold() */
/*
 * Whose table this is. A child of vfork() writes to its parent's memory: what it closes and copies
 * must not change the parent's table.
 */
static _Atomic pid_t owner;

struct preload_file *preload_fd(int fd)
{
	return fd >= 0 && fd < FDS_MAX && !kfd_model_caller_has_own_table() ? files[fd] : NULL;
}

void preload_file_put(struct preload_file *file)
{
	const int saved_errno = errno; /* that of the call which held the file */

	if (!file || atomic_fetch_sub(&file->refs, 1) != 1)
		return;
	if (file->kind == PRELOAD_DRM)
		kfd_model_drm_close(file->model, file->file_id);
	kfd_model_close(file->kfd);
	preload_virtgpu_close(file->virtgpu);
	free(file);
	errno = saved_errno;
}

/*
 * Who takes a file out of the table waits until nobody is between looking there and counting
 * himself in: a few instructions, unless a signal handler of that very thread is who waits.
 */
static void let_holders_in(void)
{
	for (int i = 0; i < HOLDER_PAUSES && atomic_load(&holders); i++)
		sched_yield();
}

void preload_fd_gone(int fd)
{
	struct preload_file *file;

	if (!preload_fd(fd) || owner != getpid())
		return;
	file = atomic_exchange(&files[fd], NULL);
	let_holders_in();
	preload_file_put(file);
}

struct preload_file *preload_fd_hold(int fd, bool adopts)
{
	struct preload_file *file;

	if (adopts && !preload_fd_adopted(fd))
		return NULL;
	atomic_fetch_add(&holders, 1);
	file = preload_fd(fd);
	if (file)
		atomic_fetch_add(&file->refs, 1);
	atomic_fetch_sub(&holders, 1);
	return file;
}

void preload_fd_copied(int fd, int copy)
{
	struct preload_file *file = preload_fd(fd);

	if (fd == copy || copy < 0)
		return;
	preload_fd_gone(copy);
	if (!file || copy >= FDS_MAX || owner != getpid())
		return;
	atomic_fetch_add(&file->refs, 1);
	files[copy] = file;
}

/* Makes the number the file's. */
static int take(int fd, struct preload_file *file)
{
	if (fd >= FDS_MAX) {
		close(fd);
		errno = EMFILE;
		return -1;
	}
	/* what a child of vfork() opens is known when it is used after the exec (adopt()) */
	if (fd >= 0 && kfd_model_memory_is_borrowed()) {
		preload_file_put(file);
	} else if (fd >= 0) {
		owner = getpid();
		files[fd] = file;
	}
	return fd;
}

static int place(int memory, struct preload_file *file, int flags)
{
	if (memory < 0) {
		errno = -memory;
		return -1;
	}
	return take(fcntl(memory, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0), file);
}

/*
 * The files that take the numbers. A name space's file refuses read and write and is always ready for
 * poll, as the driver's files are; the memory file would hand out all memory, and be overwritten.
 */
static const char *const stand_ins[] = { "uts", "ipc",
					 "mnt" }; /* KFD, render nodes, primary nodes */

/* What stands for a device, and the mark that tells which of its kind it is, from 1. */
static const char *stand_in(const struct preload_file *file, unsigned int *mark)
{
	*mark = 1;
	if (file->kind == PRELOAD_KFD)
		return stand_ins[0];
	*mark += file->minor - (file->is_card ? 0 : FIRST_RENDER);
	return stand_ins[file->is_card ? 2 : 1];
}

static int place_device(struct kfd_model *model, struct preload_file *file, int flags)
{
	int memory = kfd_model_memory_fd(model), fd = -1;
	unsigned int mark;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", stand_in(file, &mark));
	if (memory >= 0 || kfd_model_memory_is_borrowed())
		fd = open(path, O_RDONLY | (flags & O_CLOEXEC));
	if (fd < 0)
		return place(memory, file, flags);
	/*
	 * The open file remembers who opened what, for those it is handed to: nobody sends signals
	 * about such a file, so the number of the signal is free.
	 */
	if (mark <= MARKS_MAX && real_fcntl()(fd, F_SETOWN, (int)getpid()) == 0)
		real_fcntl()(fd, F_SETSIG, (int)mark);
	return take(fd, file);
}

/* Makes the object for an open file whose mark and stand-in are these. */
static struct preload_file *adopt(struct kfd_model *model, const char *stands, unsigned int mark,
				  pid_t opener)
{
	struct preload_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->refs = 1;
	file->model = model;
	if (strcmp(stands, stand_ins[0]) == 0) {
		file->kind = PRELOAD_KFD;
		if (kfd_model_open_of(model, opener, &file->kfd))
			goto fail;
		return file;
	}
	file->kind = PRELOAD_DRM;
	file->is_card = strcmp(stands, stand_ins[2]) == 0;
	file->minor = mark - 1 + (file->is_card ? 0 : FIRST_RENDER);
	for (uint32_t i = 0; i < kfd_model_node_count(model); i++) {
		const struct kfd_model_node *node = kfd_model_node_at(model, i);

		if (node->gpu_id &&
		    file->minor == (file->is_card ? node->gpu_index : node->render_minor))
			file->node = node;
	}
	if (!file->node)
		goto fail;
	file->file_id = atomic_fetch_add(&last_file_id, 1) + 1;
	return file;
fail:
	free(file);
	return NULL;
}

struct preload_file *preload_fd_adopted(int fd)
{
	struct preload_file *file = preload_fd(fd), *none = NULL;
	char path[64], target[64];
	struct kfd_model *model;
	int mark, saved = errno;
	ssize_t length;

	if (file || fd < 0 || fd >= FDS_MAX || kfd_model_caller_has_own_table())
		return file;
	/* a child of vfork() must not write to its parent's table */
	if (owner && owner != getpid())
		return NULL;
	mark = real_fcntl()(fd, F_GETSIG);
	if (mark <= 0 || mark > (int)MARKS_MAX)
		goto out;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = real_readlink()(path, target, sizeof(target) - 1);
	if (length < 4 || target[3] != ':')
		goto out;
	target[3] = '\0';
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++) {
		if (strcmp(target, stand_ins[i]) != 0)
			continue;
		model = preload_machine();
		if (model)
			file = adopt(model, target, (unsigned int)mark, real_fcntl()(fd, F_GETOWN));
		if (!file)
			break;
		if (!owner)
			owner = getpid();
		if (!atomic_compare_exchange_strong(&files[fd], &none, file)) {
			preload_file_put(file);
			file = none;
		}
	}
out:
	errno = saved;
	return file;
}

void preload_fds_after_fork(void)
{
	holders = 0; /* the other threads are not here */
	owner = getpid();
}

void preload_fds_gone_from(unsigned int first, unsigned int last)
{
	for (unsigned int fd = first; fd <= last && fd < FDS_MAX; fd++)
		preload_fd_gone((int)fd);
}

int preload_open_kfd(struct kfd_model *model, int flags)
{
	struct preload_file *file = calloc(1, sizeof(*file));
	int fd, rc;

	if (!file) {
		errno = ENOMEM;
		return -1;
	}
	file->refs = 1;
	file->kind = PRELOAD_KFD;
	file->model = model;
	rc = kfd_model_open(model, &file->kfd);
	if (rc) {
		free(file);
		errno = -rc;
		return -1;
	}
	fd = place_device(model, file, flags);
	if (fd < 0) {
		rc = errno;
		preload_file_put(file);
		errno = rc;
	}
	return fd;
}

int preload_open_drm(struct kfd_model *model, const struct kfd_model_node *node, uint32_t minor,
		     int flags)
{
	struct preload_file *file = calloc(1, sizeof(*file));
	int fd;

	if (!file) {
		errno = ENOMEM;
		return -1;
	}
	file->refs = 1;
	file->kind = PRELOAD_DRM;
	file->model = model;
	file->node = node;
	file->minor = minor;
	file->is_card = minor != node->render_minor;
	file->file_id = atomic_fetch_add(&last_file_id, 1) + 1;
	fd = place_device(model, file, flags);
	if (fd < 0)
		free(file);
	return fd;
}

/* The number is that of an empty memory file. */
int preload_open_virtgpu(int flags)
{
	struct preload_file *file = calloc(1, sizeof(*file));
	int memory, fd = -1, rc;

	if (!file) {
		errno = ENOMEM;
		return -1;
	}
	file->refs = 1;
	file->kind = PRELOAD_VIRTGPU;
	file->minor = VIRTGPU_MINOR;
	rc = preload_virtgpu_open(&file->virtgpu);
	memory = rc == 0 ? memfd_create("kfdscope-virtio-gpu", MFD_CLOEXEC) : rc;
	if (memory >= 0) {
		fd = place(memory, file, flags);
		rc = fd < 0 ? -errno : 0;
		close(memory);
	}
	if (fd < 0) {
		preload_file_put(file);
		errno = rc < 0 ? -rc : EMFILE;
	}
	return fd;
}

int preload_render_file(void *data, int fd, uint32_t *minor, uint64_t *file_id)
{
	const struct preload_file *file = preload_fd(fd);

	(void)data;
	if (!file || file->kind != PRELOAD_DRM)
		return -EINVAL;
	*minor = file->node->render_minor;
	*file_id = file->file_id;
	return 0;
}
