/* SPDX-License-Identifier: MIT */
/*
 * The memory of a simulated machine as one process sees it: one sparse memory file in which every
 * buffer, doorbell page and event page has a place. Mapping the file at a buffer's offset gives its
 * memory, with no help from anybody; a process that is handed the file by another one can map the
 * other's buffers.
 */
#ifndef KFDSCOPE_THUNK_MODEL_STORE_H
#define KFDSCOPE_THUNK_MODEL_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct kfd_model_store;

#define KFD_MODEL_METADATA_MAX 256

/* What a graphics driver notes of a buffer for whoever imports it; opaque here. */
struct kfd_model_metadata {
	uint64_t flags, tiling_info;
	uint32_t size_bytes;
	uint8_t bytes[KFD_MODEL_METADATA_MAX];
};

/* A record in the file that tells another process about a shared buffer. */
struct kfd_model_share {
	uint64_t magic;
	uint64_t offset, size_bytes;
	uint32_t gpu_id;      /* owner */
	uint32_t alloc_flags; /* KFD_IOC_ALLOC_MEM_FLAGS_* */
	uint32_t ipc_flags;   /* as IPC_EXPORT_HANDLE got them */
	uint32_t name[2];     /* random */
	struct kfd_model_metadata metadata;
	uint8_t reserved[184]; /* a page holds whole records */
};

/* @return NULL without memory or descriptors. */
struct kfd_model_store *kfd_model_store_new(void);
/*
 * The memory file of another process (or of this one), by a descriptor that maps it. Takes the
 * descriptor only on success.
 * @return NULL when it is no such file, or without memory.
 */
struct kfd_model_store *kfd_model_store_adopt(int fd);
struct kfd_model_store *kfd_model_store_get(struct kfd_model_store *store);
void kfd_model_store_put(struct kfd_model_store *store);
/* Descriptor of the file, borrowed. */
int kfd_model_store_fd(const struct kfd_model_store *store);
/* True when the descriptor is this file. */
bool kfd_model_store_is(const struct kfd_model_store *store, int fd);

/*
 * Finds a page-aligned place; its memory is zero.
 * @return 0 or -ENOMEM.
 */
int kfd_model_store_alloc(struct kfd_model_store *store, uint64_t size_bytes, uint64_t *offset);
/* True when all of a range lies where memory has been handed out. */
bool kfd_model_store_holds(struct kfd_model_store *store, uint64_t offset, uint64_t size_bytes);
/* Gives a place back; reuse says whether the next allocation may have it. */
void kfd_model_store_release(struct kfd_model_store *store, uint64_t offset, uint64_t size_bytes,
			     bool reuse);
/*
 * Host address of a file offset, valid as long as the store.
 * @param span_bytes  out: number of bytes valid from there.
 * @return NULL when the host has no room for the mapping.
 */
void *kfd_model_store_host(struct kfd_model_store *store, uint64_t offset, uint64_t *span_bytes);

/* Writes a share record. @return its index, or -ENOSPC. */
int kfd_model_store_share(struct kfd_model_store *store, const struct kfd_model_share *share);
/* Reads a share record. @return 0, or -EINVAL when there is none. */
int kfd_model_store_share_at(int fd, uint32_t index, struct kfd_model_share *share);
/* Replaces the metadata of a record. @return 0, or -EINVAL when there is none. */
int kfd_model_store_describe(int fd, uint32_t index, const struct kfd_model_metadata *metadata);
void kfd_model_store_unshare(struct kfd_model_store *store, uint32_t index);

#endif
