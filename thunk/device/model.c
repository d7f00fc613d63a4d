/* SPDX-License-Identifier: MIT */
/*
 * The door to a software model: a plug-in answers the ioctls (model.md 3). Unlike the original,
 * nothing here ends the process: what is wrong with a plug-in is logged and makes the open fail.
 */
#include "device/model.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context.h"
#include "device/base.h"
#include "hsakmt/linux/kfd_ioctl.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device_model model = { .kfd_fd = -1 };

void device_model_lock(void)
{
	pthread_mutex_lock(&lock);
}

void device_model_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static struct device_model *model_of(struct device *dev)
{
	return dev->priv;
}

static int model_open_kfd(struct device *dev)
{
	int fd;

	device_model_lock();
	errno = 0;
	fd = model_of(dev)->functions->create_memfd();
	if (fd < 0)
		fd = errno ? -errno : -EIO;
	else
		model_of(dev)->kfd_fd = fd;
	device_model_unlock();
	return fd;
}

static int model_open(struct device *dev, const char *path, int flags)
{
	return device_kernel_ops.open(dev, path, flags);
}

static int model_close(struct device *dev, int fd)
{
	return device_kernel_ops.close(dev, fd);
}

static ssize_t model_read_file(struct device *dev, const char *path, char *buf, size_t size)
{
	return device_kernel_ops.read_file(dev, path, buf, size);
}

static int model_count_dir(struct device *dev, const char *path)
{
	return device_kernel_ops.count_dir(dev, path);
}

static int model_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	/* A wait sleeps until another thread's call wakes it. */
	bool serialised = _IOC_NR(request) != _IOC_NR(AMDKFD_IOC_WAIT_EVENTS);
	int rc;

	if (fd < 0)
		return -EBADF;
	if (serialised)
		device_model_lock();
	errno = 0;
	rc = model_of(dev)->functions->handle_ioctl(request, arg);
	if (rc < 0)
		rc = errno ? -errno : -EIO;
	if (serialised)
		device_model_unlock();
	/* DBG_TRAP gives a count; of other calls a plug-in may return anything but -1. */
	return rc < 0 || _IOC_NR(request) == _IOC_NR(AMDKFD_IOC_DBG_TRAP) ? rc : 0;
}

static void *model_mmap(struct device *dev, void *addr, size_t size_bytes, int prot, int flags,
			int fd, off_t offset)
{
	if (fd >= 0 && model_of(dev)->mmap)
		return model_of(dev)->mmap(fd, addr, size_bytes, prot, flags, offset);
	return mmap(addr, size_bytes, prot, flags, fd, offset);
}

static int model_munmap(struct device *dev, void *addr, size_t size_bytes)
{
	return device_kernel_ops.munmap(dev, addr, size_bytes);
}

static int model_madvise(struct device *dev, void *addr, size_t size_bytes, int advice)
{
	return device_kernel_ops.madvise(dev, addr, size_bytes, advice);
}

static int model_mbind(struct device *dev, void *addr, size_t size_bytes, int mode,
		       const unsigned long *mask, unsigned long max_node, unsigned int flags)
{
	return device_kernel_ops.mbind(dev, addr, size_bytes, mode, mask, max_node, flags);
}

const struct device_ops device_model_ops = {
	.name = "model",
	.open_kfd = model_open_kfd,
	.open = model_open,
	.close = model_close,
	.read_file = model_read_file,
	.count_dir = model_count_dir,
	.ioctl = model_ioctl,
	.mmap = model_mmap,
	.munmap = model_munmap,
	.madvise = model_madvise,
	.mbind = model_mbind,
	.drm = device_model_drm,
};

/* Checks a 1.x table. */
static int accept_v1(const char *path, const struct hsakmt_model_functions_v1 *functions)
{
	if (functions->version_minor < 1)
		kmt_log(KMT_LOG_WARNING, "model '%s': interface 1.0, so without DRM calls", path);
	if (!functions->create_memfd || !functions->handle_ioctl) {
		kmt_log(KMT_LOG_ERR, "model '%s': its table lacks a mandatory function", path);
		return -ELIBBAD;
	}
	model.functions = functions;
	return 0;
}

static const void *table_of(const char *path, void *library)
{
	get_hsakmt_model_functions_t get_functions =
		(get_hsakmt_model_functions_t)dlsym(library, HSAKMT_MODEL_ENTRY_POINT);
	const void *table = get_functions ? get_functions() : NULL;

	if (!table)
		kmt_log(KMT_LOG_ERR, "'%s' is no model: no " HSAKMT_MODEL_ENTRY_POINT "()", path);
	return table;
}

/*
 * The two version words decide which table it is; they stand first in each.
 *
 * @param library  in/out: the plug-in that answers ioctls.
 */
static int accept_table(const char *path, const uint32_t *versions, void **library)
{
	int rc;

	if (versions[0] == HSAKMT_MODEL_V1_VERSION_MAJOR)
		return accept_v1(path, (const struct hsakmt_model_functions_v1 *)versions);
	if (versions[0] == HSAKMT_MODEL_INTERFACE_VERSION_MAJOR) {
		rc = device_model_load_v04(path, (const struct hsakmt_model_functions *)versions,
					   library);
		if (rc < 0)
			return rc;
		versions = table_of(path, *library);
		return versions ? accept_v1(path, (const void *)versions) : -ELIBBAD;
	}
	kmt_log(KMT_LOG_ERR, "model '%s': interface %u.%u is not supported", path, versions[0],
		versions[1]);
	return -EPROTO;
}

/* In a child of fork the lock may be a vanished thread's. */
static void after_fork_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
}

static int install_fork_handler(void)
{
	static bool installed; /* the caller holds the global lock */
	int rc = installed ? 0 : pthread_atfork(NULL, NULL, after_fork_in_child);

	installed = rc == 0;
	return -rc;
}

int device_model_load(struct device *dev)
{
	const char *path = getenv("HSA_MODEL_LIB");
	const void *table;
	void *library;
	int rc;

	rc = install_fork_handler();
	if (rc < 0)
		return rc;
	if (!path || !*path) {
		kmt_log(KMT_LOG_ERR, "HSA_MODEL_TOPOLOGY is set, but HSA_MODEL_LIB is not");
		return -ENOENT;
	}
	/* Never closed: the plug-in may have threads, and a later open uses it again. */
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		kmt_log(KMT_LOG_ERR, "cannot load the model: %s", dlerror());
		return -ENOENT;
	}
	table = table_of(path, library);
	if (!table)
		return -ELIBBAD;
	rc = accept_table(path, table, &library);
	if (rc < 0)
		return rc;
	model.mmap = (device_model_mmap_fn)dlsym(library, DEVICE_MODEL_MMAP_SYMBOL);
	dev->priv = &model;
	return 0;
}
