/* SPDX-License-Identifier: MIT */
/*
 * Memory of an APU on request (HSA_USE_UDMABUF, memory.md 6.3): pages of a sealed memfd near the GPU,
 * wrapped into a dma-buf and imported.
 */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <numa.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "topology/topology.h"

#define HUGE_BYTES (2ull << 20)

/* A memfd of fixed size; -1 without one. */
static int make_memfd(uint64_t size_bytes)
{
	int fd = memfd_create("thunk_memfd", MFD_ALLOW_SEALING | MFD_CLOEXEC);

	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)size_bytes) != 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool node_has_room(uint32_t node_id, uint64_t size_bytes)
{
	long long free_bytes = 0;

	return numa_available() >= 0 && node_id <= (uint32_t)numa_max_node() &&
	       numa_node_size64((int)node_id, &free_bytes) >= 0 &&
	       (uint64_t)free_bytes >= size_bytes;
}

/* The pages at their address, bound to the GPU's nearest node. @return 0 or -errno. */
static int place_pages(struct kmt_context *ctx, const struct fmm_gpu *gpu, int memfd, void *address,
		       uint64_t size_bytes)
{
	uint32_t near = kmt_topology_nearest_cpu(ctx, gpu->node_id);
	int rc;

	if (near == INVALID_NODEID || !node_has_room(near, size_bytes))
		return -ENOMEM;
	if (kmt_mmap(ctx, address, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		     memfd, 0) == MAP_FAILED)
		return -ENOMEM;
	rc = fmm_numa_bind(ctx, address, size_bytes, near, true, false);
	if (rc == 0 && size_bytes >= HUGE_BYTES)
		(void)kmt_madvise(ctx, address, size_bytes, MADV_HUGEPAGE); /* a hint */
	return rc;
}

static int import(struct kmt_context *ctx, const struct fmm_gpu *gpu, int memfd, void *address,
		  uint64_t size_bytes, struct fmm_object *object)
{
	struct udmabuf_create create = { .memfd = (uint32_t)memfd,
					 .flags = UDMABUF_FLAGS_CLOEXEC,
					 .size = size_bytes };
	struct kfd_ioctl_import_dmabuf_args args = { .va_addr = (uintptr_t)address,
						     .gpu_id = gpu->gpu_id };
	struct device *dev = ctx->device;
	int fd = dev->ops->ioctl(dev, kmt_process()->udmabuf_fd, UDMABUF_CREATE, &create);
	int rc;

	if (fd < 0)
		return fd;
	args.dmabuf_fd = (uint32_t)fd;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_IMPORT_DMABUF, &args);
	dev->ops->close(dev, fd);
	if (rc != 0)
		return rc;
	object->handles[object->handle_count++] = args.handle;
	object->gpu_id = gpu->gpu_id;
	return 0;
}

void *fmm_alloc_udmabuf(struct kmt_context *ctx, struct fmm_gpu *gpu,
			const struct fmm_request *request)
{
	uint64_t size = kmt_round_up(request->size_bytes, kmt_process()->page_size_bytes);
	struct fmm_aperture *aperture = &ctx->fmm->svm;
	struct fmm_object *object = fmm_object_new(ctx->fmm, false);
	void *address = NULL;
	int memfd = -1, rc = -ENOMEM;

	if (!object)
		return NULL;
	memfd = make_memfd(size);
	if (memfd < 0)
		goto out;
	address = fmm_va_alloc(ctx, aperture, request->fixed, size, request->align_bytes);
	if (!address)
		goto out;
	rc = place_pages(ctx, gpu, memfd, address, size);
	if (rc == 0)
		rc = import(ctx, gpu, memfd, address, size, object);
	if (rc != 0)
		goto out;
	object->node_id = gpu->node_id;
	object->flags = request->flags;
	fmm_object_insert(aperture, object, address, size);
	object = NULL;
out:
	if (object)
		fmm_va_release(ctx, aperture, address, size);
	if (memfd >= 0)
		close(memfd);
	fmm_object_put(object);
	return rc == 0 ? address : NULL;
}
