/* SPDX-License-Identifier: MIT */
/* The objects of a guest: tables, lifetimes, and how each kind ends (virtio.md 4). */
#include <amdgpu.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtio/host/host-internal.h"

#define OBJECT_OF(node) ((struct object *)((char *)(node)-offsetof(struct object, place)))

struct object *object_new(struct virtio_context *ctx, enum object_kind kind)
{
	struct object *object;

	if (ctx->object_count >= VIRTIO_OBJECTS_MAX)
		return NULL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->kind = kind;
	object->refs = 1;
	object->fd = -1;
	object->next = ctx->objects;
	if (ctx->objects)
		ctx->objects->previous = object;
	ctx->objects = object;
	ctx->object_count++;
	return object;
}

bool object_blob_id_free(const struct virtio_context *ctx, uint64_t blob_id)
{
	return blob_id != 0 && blob_id <= UINT32_MAX && !virtio_ids_find(&ctx->blobs, blob_id);
}

int object_file(struct virtio_context *ctx, struct object *object, uint64_t blob_id)
{
	if (!object_blob_id_free(ctx, blob_id))
		return -EINVAL;
	if (!virtio_ids_add(&ctx->blobs, blob_id, object))
		return -ENOMEM;
	object->blob_id = blob_id;
	return 0;
}

void object_index(struct virtio_context *ctx, struct object *object, uint64_t address,
		  uint64_t size_bytes)
{
	object->place.start = address;
	object->place.size_bytes = size_bytes;
	range_tree_insert(&ctx->memory, &object->place);
	object->indexed = true;
}

uint64_t object_tell(struct virtio_context *ctx, struct object *object)
{
	if (!virtio_ids_add(&ctx->tokens, ctx->last_token + 1, object))
		return 0;
	object->token = ++ctx->last_token;
	return object->token;
}

struct object *object_of_resource(const struct virtio_context *ctx, uint32_t res_id,
				  enum object_kind kind)
{
	struct object *object = virtio_ids_find(&ctx->resources, res_id);

	return object && object->kind == kind ? object : NULL;
}

struct object *object_of_token(const struct virtio_context *ctx, uint64_t token,
			       enum object_kind kind)
{
	struct object *object = virtio_ids_find(&ctx->tokens, token);

	return object && object->kind == kind ? object : NULL;
}

struct object *object_at(const struct virtio_context *ctx, uint64_t address, uint64_t size_bytes)
{
	struct range_node *node = range_tree_find(&ctx->memory, address);

	if (!node || size_bytes > range_node_end(node) - address)
		return NULL;
	return OBJECT_OF(node);
}

void object_get(struct object *object)
{
	object->refs++;
}

static void end_memory(struct virtio_context *ctx, struct object *object)
{
	void *address = (void *)(uintptr_t)object->place.start;

	/* A guest need not have unmapped it; the thunk says so if it was not mapped. */
	(void)hsaKmtUnmapMemoryToGPUCtx(ctx->kfd, address);
	(void)hsaKmtFreeMemoryCtx(ctx->kfd, address, object->place.size_bytes);
	if (!object->va_bytes) /* it has a handle in place of an address */
		return;
	(void)host_reserve(object->place.start, object->va_bytes);
	virtio_va_free(&ctx->va, object->place.start, object->va_bytes);
}

static void end_registered(struct virtio_context *ctx, struct object *object)
{
	void *address = (void *)(uintptr_t)object->place.start;

	if (object->registrations)
		(void)hsaKmtUnmapMemoryToGPUCtx(ctx->kfd, address);
	for (; object->registrations; object->registrations--)
		(void)hsaKmtDeregisterMemoryCtx(ctx->kfd, address);
}

/* The object is in no table any more and nobody uses it. */
static void object_end(struct virtio_context *ctx, struct object *object)
{
	switch (object->kind) {
	case OBJECT_MEMORY:
		end_memory(ctx, object);
		break;
	case OBJECT_SCRATCH:
		virtio_va_free(&ctx->scratch[object->node_id].va, object->place.start,
			       object->va_bytes);
		break;
	case OBJECT_SCRATCH_MAP:
		(void)hsaKmtUnmapMemoryToGPUCtx(ctx->kfd, (void *)(uintptr_t)object->place.start);
		break;
	case OBJECT_USERPTR:
		end_registered(ctx, object);
		munmap((void *)(uintptr_t)object->place.start, object->place.size_bytes);
		break;
	case OBJECT_EVENT:
		(void)hsaKmtDestroyEventCtx(ctx->kfd, object->event);
		break;
	case OBJECT_QUEUE:
		(void)hsaKmtDestroyQueueCtx(ctx->kfd, object->queue_id);
		break;
	case OBJECT_DMABUF:
		end_registered(ctx, object);
		break;
	case OBJECT_BUFFER:
		(void)amdgpu_bo_free(object->buffer);
		break;
	case OBJECT_DOORBELL:
	case OBJECT_RW_POINTERS:
		break; /* the thunk's, and told only */
	}
	for (int i = 0; i < 2; i++)
		if (object->pins[i])
			object_put(ctx, object->pins[i]);
	if (object->fd >= 0)
		close(object->fd);
	if (object->indexed)
		range_tree_remove(&ctx->memory, &object->place);
	if (object->previous)
		object->previous->next = object->next;
	else
		ctx->objects = object->next;
	if (object->next)
		object->next->previous = object->previous;
	ctx->object_count--;
	free(object);
}

void object_put(struct virtio_context *ctx, struct object *object)
{
	if (--object->refs == 0)
		object_end(ctx, object);
}

void object_drop(struct virtio_context *ctx, struct object *object)
{
	if (object->dropped) /* a queue keeps it a little longer, and can be asked twice */
		return;
	object->dropped = true;
	if (object->blob_id)
		virtio_ids_remove(&ctx->blobs, object->blob_id);
	if (object->res_id)
		virtio_ids_remove(&ctx->resources, object->res_id);
	if (object->token)
		virtio_ids_remove(&ctx->tokens, object->token);
	object->blob_id = object->token = 0;
	object->res_id = 0;
	object_put(ctx, object);
}
