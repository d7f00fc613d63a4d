/* SPDX-License-Identifier: MIT */
/* The kernel's door: plain system calls, and libdrm_amdgpu for the DRM calls. */
#include "device/base.h"

#include <amdgpu.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>

static int kernel_open(struct device *dev, const char *path, int flags)
{
	int fd;

	(void)dev;
	do {
		fd = open(path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static int kernel_open_kfd(struct device *dev)
{
	return kernel_open(dev, "/dev/kfd", O_RDWR);
}

static int kernel_close(struct device *dev, int fd)
{
	(void)dev;
	return close(fd) < 0 ? -errno : 0;
}

static ssize_t kernel_read_file(struct device *dev, const char *path, char *buf, size_t size)
{
	int fd = kernel_open(dev, path, O_RDONLY);
	/* Only proc gives a file in pieces; for the others the end needs no second read. */
	bool in_pieces = strncmp(path, "/proc/", 6) == 0;
	size_t used = 0;
	ssize_t rc;

	if (fd < 0)
		return fd;
	do {
		rc = read(fd, buf + used, size - 1 - used);
		if (rc < 0 && errno != EINTR)
			used = 0;
		if (rc > 0)
			used += (size_t)rc;
	} while ((rc > 0 && in_pieces && used < size - 1) || (rc < 0 && errno == EINTR));
	rc = rc < 0 ? -errno : (ssize_t)used;
	buf[used] = '\0';
	close(fd);
	return rc;
}

static int kernel_count_dir(struct device *dev, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int count = 0;

	(void)dev;
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		count += !(entry->d_name[0] == '.' &&
			   (!entry->d_name[1] || (entry->d_name[1] == '.' && !entry->d_name[2])));
	closedir(dir);
	return count;
}

static int kernel_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	int rc = ioctl(fd, request, arg);

	(void)dev;
	return rc < 0 ? -errno : rc; /* DBG_TRAP gives a count */
}

static void *kernel_mmap(struct device *dev, void *addr, size_t size_bytes, int prot, int flags,
			 int fd, off_t offset)
{
	(void)dev;
	return mmap(addr, size_bytes, prot, flags, fd, offset);
}

static int kernel_munmap(struct device *dev, void *addr, size_t size_bytes)
{
	(void)dev;
	return munmap(addr, size_bytes) < 0 ? -errno : 0;
}

static int kernel_madvise(struct device *dev, void *addr, size_t size_bytes, int advice)
{
	(void)dev;
	return madvise(addr, size_bytes, advice) < 0 ? -errno : 0;
}

/* The system call itself: a process without NUMA memory need not load libnuma for it. */
static int kernel_mbind(struct device *dev, void *addr, size_t size_bytes, int mode,
			const unsigned long *mask, unsigned long max_node, unsigned int flags)
{
	(void)dev;
	return syscall(SYS_mbind, addr, size_bytes, mode, mask, max_node, flags) < 0 ? -errno : 0;
}

/* Functions that older libdrm has not; absence is no error (openclose.md 2, step a). */
typedef int (*get_fd_fn)(amdgpu_device_handle dev);
typedef int (*initialize2_fn)(int fd, bool deduplicate, uint32_t *major, uint32_t *minor,
			      amdgpu_device_handle *dev);

static void *optional_symbol(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* libdrm mostly returns -errno, but sometimes only something negative, or something positive. */
static int drm_result(int rc)
{
	if (rc == 0)
		return 0;
	return rc < 0 && rc >= -4095 ? rc : -EIO;
}

static int drm_open_render(union device_drm_args *args)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", args->open_render.minor);
	fd = kernel_open(NULL, path, O_RDWR);
	if (fd < 0)
		return fd;
	args->open_render.fd = fd;
	return 0;
}

static int drm_initialize(union device_drm_args *args)
{
	amdgpu_device_handle handle = NULL;
	uint32_t major, minor;
	int rc;

	if (args->device_initialize.no_dedup) {
		initialize2_fn initialize2 =
			(initialize2_fn)optional_symbol("amdgpu_device_initialize2");

		if (!initialize2)
			return -ENOSYS;
		rc = initialize2(args->device_initialize.fd, false, &major, &minor, &handle);
	} else {
		rc = amdgpu_device_initialize(args->device_initialize.fd, &major, &minor, &handle);
	}
	if (rc)
		return drm_result(rc);
	args->device_initialize.major = major;
	args->device_initialize.minor = minor;
	args->device_initialize.dev = handle;
	return 0;
}

static int drm_get_fd(union device_drm_args *args)
{
	get_fd_fn get_fd = (get_fd_fn)optional_symbol("amdgpu_device_get_fd");

	if (!get_fd)
		return -ENOSYS;
	args->device_get_fd.fd = get_fd(args->device_get_fd.dev);
	return args->device_get_fd.fd < 0 ? -EBADF : 0;
}

static int drm_bo_export(union device_drm_args *args)
{
	uint32_t handle;
	int rc = amdgpu_bo_export(args->bo_export.bo, args->bo_export.type, &handle);

	if (rc)
		return drm_result(rc);
	/* A descriptor that is no int cannot be one (model.md 3). */
	if (args->bo_export.type == amdgpu_bo_handle_type_dma_buf_fd && handle > INT32_MAX)
		return -EBADF;
	*args->bo_export.handle = handle;
	return 0;
}

static int drm_bo_va_op(union device_drm_args *args)
{
	return drm_result(amdgpu_bo_va_op(args->bo_va_op.bo, args->bo_va_op.offset_bytes,
					  args->bo_va_op.size_bytes, args->bo_va_op.addr,
					  args->bo_va_op.flags, args->bo_va_op.ops));
}

static int drm_command(union device_drm_args *args)
{
	return drm_result(drmCommandWriteRead(
		args->command_write_read.fd, args->command_write_read.command,
		args->command_write_read.data, args->command_write_read.size_bytes));
}

static int kernel_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args)
{
	switch (cmd) {
	case DEVICE_DRM_BO_VA_OP:
		return drm_bo_va_op(args);
	case DEVICE_DRM_BO_FREE:
		return drm_result(amdgpu_bo_free(args->bo_free.bo));
	case DEVICE_DRM_BO_IMPORT:
		return drm_result(amdgpu_bo_import(args->bo_import.dev, args->bo_import.type,
						   args->bo_import.shared_handle,
						   args->bo_import.result));
	case DEVICE_DRM_BO_EXPORT:
		return drm_bo_export(args);
	case DEVICE_DRM_BO_CPU_MAP:
		return drm_result(amdgpu_bo_cpu_map(args->bo_cpu_map.bo, args->bo_cpu_map.cpu));
	case DEVICE_DRM_BO_QUERY_INFO:
		return drm_result(
			amdgpu_bo_query_info(args->bo_query_info.bo, args->bo_query_info.info));
	case DEVICE_DRM_BO_SET_METADATA:
		return drm_result(amdgpu_bo_set_metadata(args->bo_set_metadata.bo,
							 args->bo_set_metadata.metadata));
	case DEVICE_DRM_COMMAND_WRITE_READ:
		return drm_command(args);
	case DEVICE_DRM_OPEN_RENDER:
		return drm_open_render(args);
	case DEVICE_DRM_CLOSE:
		return kernel_close(dev, args->close.fd);
	case DEVICE_DRM_DEVICE_INITIALIZE:
		return drm_initialize(args);
	case DEVICE_DRM_DEVICE_DEINITIALIZE:
		return drm_result(amdgpu_device_deinitialize(args->device_deinitialize.dev));
	case DEVICE_DRM_DEVICE_GET_FD:
		return drm_get_fd(args);
	case DEVICE_DRM_GET_MARKETING_NAME:
		args->get_marketing_name.name =
			amdgpu_get_marketing_name(args->get_marketing_name.dev);
		return 0;
	case DEVICE_DRM_QUERY_GPU_INFO:
		return drm_result(
			amdgpu_query_gpu_info(args->query_gpu_info.dev, args->query_gpu_info.info));
	}
	return -EINVAL;
}

const struct device_ops device_kernel_ops = {
	.name = "kernel",
	.open_kfd = kernel_open_kfd,
	.open = kernel_open,
	.close = kernel_close,
	.read_file = kernel_read_file,
	.count_dir = kernel_count_dir,
	.ioctl = kernel_ioctl,
	.mmap = kernel_mmap,
	.munmap = kernel_munmap,
	.madvise = kernel_madvise,
	.mbind = kernel_mbind,
	.drm = kernel_drm,
};
