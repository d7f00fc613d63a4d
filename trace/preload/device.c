/* SPDX-License-Identifier: MIT */
/*
 * The calls of devices: ioctl, mmap and munmap. The decorated operations (trace/device.c) make the
 * events; the operations beneath them are the next definitions of libc's functions.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ioctl_trace.h"
#include "maker.h"
#include "preload/preload.h"
#include "preload/real.h"

enum { DRM_COMMAND_BASE = 0x40, DRM_COMMAND_END = 0xA0 }; /* the driver's own requests */

typedef int (*ioctl_function)(int, unsigned long, ...);
typedef void *(*mmap_function)(void *, size_t, int, int, int, off_t);
typedef int (*munmap_function)(void *, size_t);
typedef int (*close_function)(int);

static int next_ioctl(int fd, unsigned long request, void *arg)
{
	const ioctl_function next = REAL(ioctl, ioctl_function);

	return next ? next(fd, request, arg) : (int)syscall(SYS_ioctl, fd, request, arg);
}

static void *next_mmap(void *addr, size_t size_bytes, int prot, int flags, int fd, off_t offset)
{
	const mmap_function next = REAL(mmap, mmap_function);

	if (next)
		return next(addr, size_bytes, prot, flags, fd, offset);
	return (void *)syscall(SYS_mmap, addr, size_bytes, prot, flags, fd, offset);
}

static int next_munmap(void *addr, size_t size_bytes)
{
	const munmap_function next = REAL(munmap, munmap_function);

	return next ? next(addr, size_bytes) : (int)syscall(SYS_munmap, addr, size_bytes);
}

/* --- The operations, in the form that the decorator wants: -errno --- */

static int base_close(struct device *dev, int fd)
{
	const close_function next = REAL(close, close_function);
	int rc = next ? next(fd) : (int)syscall(SYS_close, fd);

	(void)dev;
	return rc < 0 ? -errno : rc;
}

static int base_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	int rc = next_ioctl(fd, request, arg);

	(void)dev;
	return rc < 0 ? -errno : rc;
}

static void *base_mmap(struct device *dev, void *addr, size_t size_bytes, int prot, int flags,
		       int fd, off_t offset)
{
	(void)dev;
	return next_mmap(addr, size_bytes, prot, flags, fd, offset);
}

static int base_munmap(struct device *dev, void *addr, size_t size_bytes)
{
	int rc = next_munmap(addr, size_bytes);

	(void)dev;
	return rc < 0 ? -errno : rc;
}

static int base_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args)
{
	const struct preload_drm_call *call = (const void *)args;

	(void)cmd;
	return base_ioctl(dev, args->command_write_read.fd, call->request,
			  args->command_write_read.data);
}

static const struct device_ops base_ops = {
	.name = "libc",
	.close = base_close,
	.ioctl = base_ioctl,
	.mmap = base_mmap,
	.munmap = base_munmap,
	.drm = base_drm,
};

struct device *preload_device(void)
{
	static struct device device = { .ops = &base_ops };

	/* Twice at the same time comes to the same. */
	if (!device.base_ops)
		trace_device_decorate(&device);
	return &device;
}

/* --- libc's functions --- */

static int answer(int rc)
{
	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

/*
 * A request of the DRM driver is recorded by its number among the driver's own, one of the DRM core by
 * the whole request.
 */
static int traced_drm(struct device *dev, int fd, unsigned long request, void *arg)
{
	const unsigned long number = _IOC_NR(request);
	const bool is_drivers = number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END;
	struct preload_drm_call call = {
		.args.command_write_read = {
			.fd = fd,
			.command = is_drivers ? number - DRM_COMMAND_BASE : request,
			.data = arg,
			.size_bytes = _IOC_SIZE(request),
		},
		.request = request,
	};

	return dev->ops->drm(dev, DEVICE_DRM_COMMAND_WRITE_READ, &call.args);
}

static int traced_ioctl(enum preload_kind kind, int fd, unsigned long request, void *arg)
{
	struct device *dev = preload_device();
	const struct trace_ioctl *which;
	uint64_t maker = 0, order;
	int rc;

	if (kind == PRELOAD_RENDER)
		return traced_drm(dev, fd, request, arg);
	order = preload_live_order();
	rc = dev->ops->ioctl(dev, fd, request, arg);
	if (rc < 0)
		return rc;
	which = preload_live_makes(request) ? trace_ioctl_find(request, arg) : NULL;
	if (which)
		maker = trace_maker_of(which->entry, trace_thread.caller);
	preload_live_note(request, arg, order, maker);
	return rc;
}

LAYER_API int ioctl(int fd, unsigned long request, ...)
{
	const enum preload_kind kind = preload_kind(fd);
	va_list args;
	void *arg;
	int rc;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (__builtin_expect(kind == PRELOAD_OTHER, 1) || !preload_records())
		return next_ioctl(fd, request, arg);
	trace_thread.caller = __builtin_return_address(0);
	rc = traced_ioctl(kind, fd, request, arg);
	trace_thread.caller = NULL;
	return answer(rc);
}

/* A mapping of a device, or one that is put over such a mapping, which gives it back. */
static bool is_device_mapping(void *addr, int flags, int fd)
{
	if (!(flags & MAP_ANONYMOUS) && preload_kind(fd) != PRELOAD_OTHER)
		return true;
	return (flags & MAP_FIXED) && preload_range_known((uintptr_t)addr);
}

static void *traced_mmap(void *addr, size_t size_bytes, int prot, int flags, int fd, off_t offset)
{
	struct device *dev = preload_device();
	void *address = dev->ops->mmap(dev, addr, size_bytes, prot, flags, fd, offset);

	if (address == MAP_FAILED)
		return address;
	if (preload_kind(fd) != PRELOAD_OTHER && !(flags & MAP_ANONYMOUS))
		preload_range_add((uintptr_t)address);
	else
		preload_range_take((uintptr_t)address);
	return address;
}

LAYER_API void *mmap(void *addr, size_t size_bytes, int prot, int flags, int fd, off_t offset)
{
	void *address;

	if (!is_device_mapping(addr, flags, fd) || !preload_records())
		return next_mmap(addr, size_bytes, prot, flags, fd, offset);
	trace_thread.caller = __builtin_return_address(0);
	address = traced_mmap(addr, size_bytes, prot, flags, fd, offset);
	trace_thread.caller = NULL;
	return address;
}

/* On 64-bit systems both are one function. */
LAYER_API void *mmap64(void *addr, size_t size_bytes, int prot, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

LAYER_API int munmap(void *addr, size_t size_bytes)
{
	struct device *dev;
	int rc;

	if (!preload_range_known((uintptr_t)addr) || !preload_records())
		return next_munmap(addr, size_bytes);
	/* Before the call: the address may be another thread's right after it. */
	preload_range_take((uintptr_t)addr);
	dev = preload_device();
	trace_thread.caller = __builtin_return_address(0);
	rc = dev->ops->munmap(dev, addr, size_bytes);
	trace_thread.caller = NULL;
	return answer(rc);
}
