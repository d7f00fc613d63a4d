/* SPDX-License-Identifier: MIT */
/* Resources: how an object, the shared blob or guest memory becomes one (virtio.md 4). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtio/host/host-internal.h"
#include "virtio/observer.h"

#define SHMEM_BYTES_MAX   (4ull << 30)
#define USERPTR_BYTES_MAX (1ull << 40)

static bool res_id_free(const struct virtio_context *ctx, uint32_t res_id)
{
	return res_id != 0 && res_id != ctx->shmem_res_id &&
	       !virtio_ids_find(&ctx->resources, res_id);
}

static int take_resource(struct virtio_context *ctx, struct object *object, uint32_t res_id)
{
	if (!virtio_ids_add(&ctx->resources, res_id, object))
		return -ENOMEM;
	object->res_id = res_id;
	return 0;
}

/* The blob that carries the answers. Its size tells which revision the guest speaks. */
static int make_shmem(struct virtio_context *ctx, const struct virtio_blob_request *request,
		      struct virtio_blob_reply *reply)
{
	uint64_t size = request->size_bytes;
	void *mapped;
	int fd;

	if (request->flags != VIRTIO_BLOB_MAPPABLE || ctx->shmem ||
	    size < sizeof(*ctx->shmem) + 8 || size > SHMEM_BYTES_MAX || size % VIRTIO_PAGE_BYTES)
		return -EINVAL;
	fd = memfd_create("kfdscope-virtio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) != 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		goto failed;
	mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		goto failed;
	ctx->shmem = mapped;
	ctx->shmem_bytes = size;
	ctx->shmem_res_id = request->res_id;
	ctx->rsp_bytes = (uint32_t)(size - sizeof(*ctx->shmem));
	ctx->shmem->rsp_mem_offset = sizeof(*ctx->shmem);
	ctx->revision = size == VIRTIO_SHMEM_BYTES_R1 ? VIRTIO_REVISION_1 : VIRTIO_REVISION_2;
	*reply = (struct virtio_blob_reply){ .size_bytes = size, .fd = fd };
	return 0;
failed:
	close(fd);
	return -ENOMEM;
}

/*
 * The guest's own pages. A file that its owner can cut short would be a trap: touching what is gone
 * ends the process.
 */
static int make_userptr(struct virtio_context *ctx, const struct virtio_blob_request *request,
			struct virtio_blob_reply *reply)
{
	struct object *object;
	off_t end;
	void *mapped;
	int seals, rc;

	if (request->fd < 0 || request->size_bytes == 0 ||
	    request->size_bytes > USERPTR_BYTES_MAX || request->size_bytes % VIRTIO_PAGE_BYTES ||
	    request->offset % VIRTIO_PAGE_BYTES || request->offset > INT64_MAX / 2)
		return -EINVAL;
	seals = fcntl(request->fd, F_GET_SEALS);
	end = lseek(request->fd, 0, SEEK_END);
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || end < 0 ||
	    (uint64_t)end < request->offset + request->size_bytes)
		return -EINVAL;
	object = object_new(ctx, OBJECT_USERPTR);
	if (!object)
		return -ENOSPC;
	mapped = mmap(NULL, request->size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, request->fd,
		      (off_t)request->offset);
	if (mapped == MAP_FAILED) {
		object->kind = OBJECT_DOORBELL; /* nothing to undo */
		object_drop(ctx, object);
		return -ENOMEM;
	}
	object_index(ctx, object, (uintptr_t)mapped, request->size_bytes);
	rc = take_resource(ctx, object, request->res_id);
	if (rc != 0) {
		object_drop(ctx, object);
		return rc;
	}
	*reply = (struct virtio_blob_reply){ .address = (uintptr_t)mapped,
					     .size_bytes = request->size_bytes,
					     .fd = -1 };
	return 0;
}

/* Memory without an address has a handle there, which must not be taken for one. */
static uint64_t cpu_address(const struct object *object)
{
	return object->kind == OBJECT_MEMORY && !object->va_bytes ? 0 : object->place.start;
}

/* Whoever maps it may trust the guest's size. */
static bool fits(const struct object *object, uint64_t size_bytes)
{
	uint64_t page = VIRTIO_PAGE_BYTES;

	return size_bytes && size_bytes <= (object->place.size_bytes + page - 1) / page * page;
}

static int get_blob(struct virtio_context *ctx, const struct virtio_blob_request *request,
		    struct virtio_blob_reply *reply)
{
	struct object *object;
	int rc;

	if (request->blob_id > UINT32_MAX || request->flags & VIRTIO_BLOB_SHAREABLE ||
	    !res_id_free(ctx, request->res_id))
		return -EINVAL;
	if (request->mem == VIRTIO_BLOB_HOST3D_GUEST && request->flags & VIRTIO_BLOB_USERPTR)
		return make_userptr(ctx, request, reply);
	if (request->mem != VIRTIO_BLOB_HOST3D)
		return -EINVAL;
	if (request->blob_id == 0)
		return make_shmem(ctx, request, reply);
	object = virtio_ids_find(&ctx->blobs, request->blob_id);
	if (!object)
		return -ENOENT;
	if (request->flags & VIRTIO_BLOB_MAPPABLE && !fits(object, request->size_bytes))
		return -EINVAL;
	rc = take_resource(ctx, object, request->res_id);
	if (rc != 0)
		return rc;
	virtio_ids_remove(&ctx->blobs, object->blob_id);
	object->blob_id = 0;
	*reply = (struct virtio_blob_reply){ .address = cpu_address(object),
					     .size_bytes = object->place.size_bytes,
					     .fd = -1 };
	return 0;
}

int virtio_context_get_blob(struct virtio_context *ctx, const struct virtio_blob_request *request,
			    struct virtio_blob_reply *reply)
{
	struct virtio_observed observed = { .guest = ctx->base,
					    .seqno = (uint32_t)request->blob_id,
					    .command = VIRTIO_OBSERVED_MAKE };

	if (virtio_observer)
		virtio_observer->host_begin(&observed);
	observed.ret = get_blob(ctx, request, reply);
	if (virtio_observer)
		virtio_observer->host_end(&observed);
	return observed.ret;
}

int virtio_context_attach(struct virtio_context *ctx, uint32_t res_id, int fd)
{
	struct object *object;
	int rc;

	if (!res_id_free(ctx, res_id))
		return -EINVAL;
	object = object_new(ctx, OBJECT_DMABUF);
	if (!object)
		return -ENOSPC;
	object->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	rc = object->fd < 0 ? -EBADF : take_resource(ctx, object, res_id);
	if (rc != 0)
		object_drop(ctx, object);
	return rc;
}

int virtio_context_export(struct virtio_context *ctx, uint32_t res_id)
{
	struct object *object = virtio_ids_find(&ctx->resources, res_id);
	HSAuint64 offset;
	int fd = -1;

	if (!object)
		return -ENOENT;
	if (object->fd >= 0) {
		fd = fcntl(object->fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	if (object->kind != OBJECT_MEMORY ||
	    hsaKmtExportDMABufHandleCtx(ctx->kfd, (void *)(uintptr_t)object->place.start,
					object->place.size_bytes, &fd,
					&offset) != HSAKMT_STATUS_SUCCESS)
		return -EINVAL;
	return fd;
}

static int detach(struct virtio_context *ctx, uint32_t res_id)
{
	struct object *object = virtio_ids_find(&ctx->resources, res_id);

	if (res_id != 0 && res_id == ctx->shmem_res_id) {
		munmap(ctx->shmem, ctx->shmem_bytes);
		ctx->shmem = NULL;
		ctx->shmem_res_id = 0;
		ctx->rsp_bytes = 0;
		return 0;
	}
	if (!object)
		return -ENOENT;
	object_drop(ctx, object);
	return 0;
}

int virtio_context_detach(struct virtio_context *ctx, uint32_t res_id)
{
	struct virtio_observed observed = { .guest = ctx->base,
					    .seqno = res_id,
					    .command = VIRTIO_OBSERVED_CLOSE };

	if (virtio_observer)
		virtio_observer->host_begin(&observed);
	observed.ret = detach(ctx, res_id);
	if (virtio_observer)
		virtio_observer->host_end(&observed);
	return observed.ret;
}
