/* SPDX-License-Identifier: MIT */
/*
 * The table of simulated descriptors. Each takes its number by a file that does something harmless
 * at everything that is not intercepted.
 */
#include "fds.h"

#include "virtgpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#define FDS_MAX 65536 /* numbers above are passed through: no simulated device there */

static _Atomic(struct preload_file *) files[FDS_MAX]; /* counted */
static _Atomic uint64_t last_file_id;
/*
 * Whose table this is. A child of vfork() writes to its parent's memory: what it closes and copies
 * must not change the parent's table.
 */
static _Atomic pid_t owner;

struct preload_file *preload_fd(int fd)
{
	return fd >= 0 && fd < FDS_MAX ? files[fd] : NULL;
}

static void file_put(struct preload_file *file)
{
	if (!file || atomic_fetch_sub(&file->refs, 1) != 1)
		return;
	if (file->kind == PRELOAD_RENDER)
		kfd_model_drm_close(file->model, file->file_id);
	kfd_model_close(file->kfd);
	preload_virtgpu_close(file->virtgpu);
	free(file);
}

void preload_fd_gone(int fd)
{
	if (fd >= 0 && fd < FDS_MAX && files[fd] && owner == getpid())
		file_put(atomic_exchange(&files[fd], NULL));
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
	if (fd >= 0) {
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
 * A descriptor of a device. A name space's file refuses read and write and is always ready for
 * poll, as the driver's files are; the memory file would hand out all memory, and be overwritten.
 */
static int place_device(struct kfd_model *model, struct preload_file *file, int flags)
{
	int memory = kfd_model_memory_fd(model), fd = -1;

	if (memory >= 0)
		fd = open("/proc/self/ns/uts", O_RDONLY | (flags & O_CLOEXEC));
	return fd >= 0 ? take(fd, file) : place(memory, file, flags);
}

void preload_fds_after_fork(void)
{
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
		file_put(file);
		errno = rc;
	}
	return fd;
}

int preload_open_render(struct kfd_model *model, const struct kfd_model_node *node, int flags)
{
	struct preload_file *file = calloc(1, sizeof(*file));
	int fd;

	if (!file) {
		errno = ENOMEM;
		return -1;
	}
	file->refs = 1;
	file->kind = PRELOAD_RENDER;
	file->model = model;
	file->node = node;
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
	rc = preload_virtgpu_open(&file->virtgpu);
	memory = rc == 0 ? memfd_create("kfdscope-virtio-gpu", MFD_CLOEXEC) : rc;
	if (memory >= 0) {
		fd = place(memory, file, flags);
		rc = fd < 0 ? -errno : 0;
		close(memory);
	}
	if (fd < 0) {
		file_put(file);
		errno = rc < 0 ? -rc : EMFILE;
	}
	return fd;
}

int preload_render_file(void *data, int fd, uint32_t *minor, uint64_t *file_id)
{
	const struct preload_file *file = preload_fd(fd);

	(void)data;
	if (!file || file->kind != PRELOAD_RENDER)
		return -EINVAL;
	*minor = file->node->render_minor;
	*file_id = file->file_id;
	return 0;
}
