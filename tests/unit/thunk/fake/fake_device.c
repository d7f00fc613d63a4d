/* SPDX-License-Identifier: MIT */
/* The operations of the fake device: log the call, fail it on demand, else play the kernel. */
#include "fake_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/ioctl.h>

static struct fake_device *installed;

static struct fake_device *fake_of(struct device *dev)
{
	return (struct fake_device *)(void *)dev->ops; /* ops is the first member */
}

void *fake_grow(void *array, size_t count, size_t *room, size_t element_size)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	array = realloc(array, *room * element_size);
	if (!array)
		abort();
	return array;
}

bool fake_fd_live(const struct fake_device *fake, int fd)
{
	return fd >= FAKE_FIRST_FD && fd < FAKE_FIRST_FD + FAKE_FD_COUNT &&
	       fake->fd_paths[fd - FAKE_FIRST_FD];
}

/* By malloc(), which tests that fail allocations leave to the fake. */
static char *copy_of(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	if (!copy)
		abort();
	return memcpy(copy, text, size);
}

/* Numbers are not reused before all were: a stale one shows. */
int fake_fd_open(struct fake_device *fake, const char *path)
{
	for (unsigned int i = 0; i < FAKE_FD_COUNT; i++) {
		unsigned int index = fake->next_fd++ % FAKE_FD_COUNT;

		if (fake->fd_paths[index])
			continue;
		fake->fd_paths[index] = copy_of(path);
		fake->live_fds++;
		return FAKE_FIRST_FD + (int)index;
	}
	return -EMFILE;
}

int fake_fd_close(struct fake_device *fake, int fd)
{
	if (!fake_fd_live(fake, fd))
		return -EBADF;
	free(fake->fd_paths[fd - FAKE_FIRST_FD]);
	fake->fd_paths[fd - FAKE_FIRST_FD] = NULL;
	fake->live_fds--;
	return 0;
}

static bool failure_due(struct fake_failure *failure, int *err)
{
	if (!failure->armed)
		return false;
	if (failure->skip) {
		failure->skip--;
		return false;
	}
	failure->armed = false;
	*err = failure->err;
	return true;
}

static bool gives_back(const struct fake_call *call)
{
	return call->op == FAKE_CLOSE || call->op == FAKE_MUNMAP ||
	       (call->op == FAKE_DRM &&
		(call->request == DEVICE_DRM_CLOSE || call->request == DEVICE_DRM_BO_FREE ||
		 call->request == DEVICE_DRM_DEVICE_DEINITIALIZE));
}

/*
 * Logs a call and takes the lock.
 * @return its index in the log, with the errno to fail with (or 0) in *err.
 */
static size_t call_begin(struct fake_device *fake, const struct fake_call *call, int *err)
{
	bool due;

	pthread_mutex_lock(&fake->lock);
	*err = 0;
	fake->calls =
		fake_grow(fake->calls, fake->call_count, &fake->call_room, sizeof(*fake->calls));
	fake->calls[fake->call_count] = *call;
	due = failure_due(&fake->op_failures[call->op], err);
	if (!due && call->op == FAKE_IOCTL)
		due = failure_due(&fake->ioctl_failures[_IOC_NR(call->request)], err);
	if (!due && call->op == FAKE_DRM)
		due = failure_due(&fake->drm_failures[call->request], err);
	if (!due && !gives_back(call))
		failure_due(&fake->nth_failure, err);
	return fake->call_count++;
}

static long call_end(struct fake_device *fake, size_t index, long result)
{
	if (index < fake->call_count) /* unless a handler reset the log */
		fake->calls[index].result = result;
	pthread_mutex_unlock(&fake->lock);
	return result;
}

static int open_file(struct fake_device *fake, enum fake_op op, const char *path, int flags)
{
	struct fake_call call = { .op = op, .fd = -1, .flags = flags };
	bool found = true;
	size_t index;
	int err;

	snprintf(call.path, sizeof(call.path), "%s", path);
	index = call_begin(fake, &call, &err);
	if (!err && op == FAKE_OPEN) {
		fake_files_find(fake, path, &found);
		err = found ? 0 : ENOENT;
	}
	return (int)call_end(fake, index, err ? -err : fake_fd_open(fake, path));
}

static int op_open_kfd(struct device *dev)
{
	return open_file(fake_of(dev), FAKE_OPEN_KFD, "/dev/kfd", 0);
}

static int op_open(struct device *dev, const char *path, int flags)
{
	return open_file(fake_of(dev), FAKE_OPEN, path, flags);
}

static int op_close(struct device *dev, int fd)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_CLOSE, .fd = fd };
	int err;
	size_t index = call_begin(fake, &call, &err);

	return (int)call_end(fake, index, err ? -err : fake_fd_close(fake, fd));
}

static ssize_t op_read_file(struct device *dev, const char *path, char *buf, size_t size)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_READ_FILE, .fd = -1, .size_bytes = size };
	const char *content = NULL;
	struct fake_file file = { 0 };
	bool found;
	size_t index, at, length;
	int err;

	snprintf(call.path, sizeof(call.path), "%s", path);
	index = call_begin(fake, &call, &err);
	at = fake_files_find(fake, path, &found);
	if (found)
		file = fake->files[at];
	if (!err)
		err = found ? file.err : ENOENT;
	if (err)
		return call_end(fake, index, -err);
	content = file.fn ? file.fn(fake, path, file.data) : file.content;
	length = strlen(content);
	if (length > size - 1)
		length = size - 1;
	memcpy(buf, content, length);
	buf[length] = '\0';
	return call_end(fake, index, (long)length);
}

static int op_count_dir(struct device *dev, const char *path)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_COUNT_DIR, .fd = -1 };
	size_t index;
	int err;

	snprintf(call.path, sizeof(call.path), "%s", path);
	index = call_begin(fake, &call, &err);
	return (int)call_end(fake, index, err ? -err : fake_files_count_dir(fake, path));
}

static int ioctl_get_version(struct fake_device *fake, void *arg)
{
	uint32_t version[2] = { fake->version_major, fake->version_minor };

	memcpy(arg, version, sizeof(version));
	return 0;
}

static int op_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_IOCTL, .fd = fd, .request = request };
	unsigned int nr = _IOC_NR(request);
	fake_ioctl_fn fn;
	void *data;
	size_t index;
	int err, result;

	call.arg_size_bytes = _IOC_SIZE(request);
	if (call.arg_size_bytes > sizeof(call.arg))
		call.arg_size_bytes = sizeof(call.arg);
	if (arg)
		memcpy(call.arg, arg, call.arg_size_bytes);
	index = call_begin(fake, &call, &err);
	if (!err && !fake_fd_live(fake, fd))
		err = EBADF;
	if (err)
		return (int)call_end(fake, index, -err);
	fn = fake->ioctl_fns[nr];
	data = fake->ioctl_data[nr];
	if (!fn) {
		result = nr == 1 ? ioctl_get_version(fake, arg) : -EINVAL;
		return (int)call_end(fake, index, result);
	}
	pthread_mutex_unlock(&fake->lock);
	result = fn(fake, fd, request, arg, data);
	pthread_mutex_lock(&fake->lock);
	return (int)call_end(fake, index, result);
}

/* Anonymous memory stands in for whatever the descriptor would give. */
static void *op_mmap(struct device *dev, void *addr, size_t size_bytes, int prot, int flags, int fd,
		     off_t offset)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_MMAP,
				  .fd = fd,
				  .addr = (uintptr_t)addr,
				  .size_bytes = size_bytes,
				  .offset_bytes = (uint64_t)offset,
				  .prot = prot,
				  .flags = flags };
	void *address = MAP_FAILED;
	size_t index;
	int err;

	index = call_begin(fake, &call, &err);
	if (!err && fd >= 0 && !fake_fd_live(fake, fd))
		err = EBADF;
	if (!err) {
		address = mmap(addr, size_bytes, prot, flags | MAP_ANONYMOUS, -1, 0);
		err = address == MAP_FAILED ? errno : 0;
	}
	if (!err) {
		uint64_t start = (uintptr_t)address;

		fake_ranges_add(fake, start, start + ((size_bytes + 4095) & ~(uint64_t)4095));
	}
	call_end(fake, index, -err);
	if (err)
		errno = err;
	return address;
}

static int op_munmap(struct device *dev, void *addr, size_t size_bytes)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = {
		.op = FAKE_MUNMAP, .fd = -1, .addr = (uintptr_t)addr, .size_bytes = size_bytes
	};
	uint64_t start = (uintptr_t)addr;
	size_t index;
	int err;

	index = call_begin(fake, &call, &err);
	if (!err && munmap(addr, size_bytes))
		err = errno;
	if (!err)
		fake_ranges_remove(fake, start, start + ((size_bytes + 4095) & ~(uint64_t)4095));
	return (int)call_end(fake, index, -err);
}

static int op_madvise(struct device *dev, void *addr, size_t size_bytes, int advice)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_MADVISE,
				  .fd = -1,
				  .addr = (uintptr_t)addr,
				  .size_bytes = size_bytes,
				  .flags = advice };
	size_t index;
	int err;

	index = call_begin(fake, &call, &err);
	return (int)call_end(fake, index, -err);
}

static int op_mbind(struct device *dev, void *addr, size_t size_bytes, int mode,
		    const unsigned long *mask, unsigned long max_node, unsigned int flags)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_MBIND,
				  .fd = -1,
				  .addr = (uintptr_t)addr,
				  .size_bytes = size_bytes,
				  .flags = mode,
				  .prot = (int)flags,
				  .offset_bytes = max_node };
	size_t index;
	int err;

	call.arg_size_bytes = (max_node + 7) / 8;
	if (call.arg_size_bytes > sizeof(unsigned long))
		call.arg_size_bytes = sizeof(unsigned long);
	if (mask)
		memcpy(call.arg, mask, call.arg_size_bytes);
	index = call_begin(fake, &call, &err);
	return (int)call_end(fake, index, -err);
}

static int op_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args)
{
	struct fake_device *fake = fake_of(dev);
	struct fake_call call = { .op = FAKE_DRM, .fd = -1, .request = cmd };
	fake_drm_fn fn;
	void *data;
	size_t index;
	int err, result;

	call.arg_size_bytes = sizeof(*args) < sizeof(call.arg) ? sizeof(*args) : sizeof(call.arg);
	memcpy(call.arg, args, call.arg_size_bytes);
	index = call_begin(fake, &call, &err);
	fn = fake->drm_fns[cmd];
	data = fake->drm_data[cmd];
	if (err || !fn)
		return (int)call_end(fake, index, err ? -err : fake_drm_default(fake, cmd, args));
	pthread_mutex_unlock(&fake->lock);
	result = fn(fake, cmd, args, data);
	pthread_mutex_lock(&fake->lock);
	return (int)call_end(fake, index, result);
}

static const struct device_ops fake_ops = {
	.name = "fake",
	.open_kfd = op_open_kfd,
	.open = op_open,
	.close = op_close,
	.read_file = op_read_file,
	.count_dir = op_count_dir,
	.ioctl = op_ioctl,
	.mmap = op_mmap,
	.munmap = op_munmap,
	.madvise = op_madvise,
	.mbind = op_mbind,
	.drm = op_drm,
};

struct fake_device *fake_device_new(void)
{
	struct fake_device *fake = calloc(1, sizeof(*fake));

	if (!fake)
		return NULL;
	fake->ops = fake_ops;
	fake->door.ops = &fake->ops;
	fake->door.base_ops = &fake->ops;
	fake->door.topology_root = FAKE_TOPOLOGY_ROOT;
	fake->version_major = 1;
	fake->version_minor = 22;
	pthread_mutex_init(&fake->lock, NULL);
	return fake;
}

void fake_device_free(struct fake_device *fake)
{
	if (!fake)
		return;
	if (installed == fake)
		fake_device_install(NULL);
	for (size_t i = 0; i < FAKE_FD_COUNT; i++)
		free(fake->fd_paths[i]);
	fake_files_free(fake);
	free(fake->ranges);
	free(fake->calls);
	free(fake->sequence);
	pthread_mutex_destroy(&fake->lock);
	free(fake);
}

static void decorate(struct device *dev)
{
	dev->ops = &installed->ops;
}

void fake_device_install(struct fake_device *fake)
{
	installed = fake;
	device_set_decorator(fake ? decorate : NULL);
}

struct device *fake_device_door(struct fake_device *fake)
{
	return &fake->door;
}

void fake_device_on_ioctl(struct fake_device *fake, unsigned long request, fake_ioctl_fn fn,
			  void *data)
{
	fake->ioctl_fns[_IOC_NR(request)] = fn;
	fake->ioctl_data[_IOC_NR(request)] = data;
}

void fake_device_on_drm(struct fake_device *fake, enum device_drm_cmd cmd, fake_drm_fn fn,
			void *data)
{
	fake->drm_fns[cmd] = fn;
	fake->drm_data[cmd] = data;
}

void fake_device_set_version(struct fake_device *fake, uint32_t major, uint32_t minor)
{
	fake->version_major = major;
	fake->version_minor = minor;
}

int fake_device_new_fd(struct fake_device *fake, const char *what)
{
	int fd;

	pthread_mutex_lock(&fake->lock);
	fd = fake_fd_open(fake, what);
	pthread_mutex_unlock(&fake->lock);
	return fd;
}

unsigned int fake_device_live_fds(const struct fake_device *fake)
{
	return fake->live_fds;
}

bool fake_device_fd_is_live(const struct fake_device *fake, int fd)
{
	return fake_fd_live(fake, fd);
}

const char *fake_device_fd_path(const struct fake_device *fake, int fd)
{
	return fake_fd_live(fake, fd) ? fake->fd_paths[fd - FAKE_FIRST_FD] : NULL;
}
