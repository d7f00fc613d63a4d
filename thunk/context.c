/* SPDX-License-Identifier: MIT */
/*
 * The contexts themselves and the calls that go through their device. What opens and closes them is
 * in openclose/.
 */
#include "context.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "openclose/process.h"

static struct kmt_context primary = {
	.fd = -1,
	.is_primary = true,
};

struct kmt_context *kmt_primary(void)
{
	return &primary;
}

bool kmt_context_usable(const struct kmt_context *ctx)
{
	if (!ctx || !kmt_open_count() || kmt_process_forked())
		return false;
	return ctx == &primary || kmt_secondary_is_live(ctx);
}

int kmt_ioctl(struct kmt_context *ctx, unsigned long request, void *arg)
{
	struct device *dev = ctx ? ctx->device : NULL;
	int rc;

	if (!dev)
		return -EBADF;
	do {
		rc = dev->ops->ioctl(dev, ctx->fd, request, arg);
	} while (rc == -EINTR || rc == -EAGAIN);
	if (rc == -EBADF) /* a raw clone() bypasses the fork handlers (openclose.md 1) */
		kmt_process_check_fork();
	return rc;
}

void *kmt_mmap(struct kmt_context *ctx, void *addr, size_t size_bytes, int prot, int flags, int fd,
	       int64_t offset)
{
	struct device *dev = ctx ? ctx->device : NULL;

	if (!dev) {
		errno = EBADF;
		return MAP_FAILED;
	}
	return dev->ops->mmap(dev, addr, size_bytes, prot, flags, fd, offset);
}

int kmt_munmap(struct kmt_context *ctx, void *addr, size_t size_bytes)
{
	struct device *dev = ctx ? ctx->device : NULL;

	return dev ? dev->ops->munmap(dev, addr, size_bytes) : -EBADF;
}

int kmt_madvise(struct kmt_context *ctx, void *addr, size_t size_bytes, int advice)
{
	struct device *dev = ctx ? ctx->device : NULL;

	return dev ? dev->ops->madvise(dev, addr, size_bytes, advice) : -EBADF;
}

int kmt_drm(struct kmt_context *ctx, enum device_drm_cmd cmd, union device_drm_args *args)
{
	struct device *dev = ctx ? ctx->device : NULL;

	return dev ? dev->ops->drm(dev, cmd, args) : -EBADF;
}
