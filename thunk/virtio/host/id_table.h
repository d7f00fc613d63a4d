/* SPDX-License-Identifier: MIT */
/* From numbers that a guest names to what they mean. The caller locks and owns the values. */
#ifndef KFDSCOPE_THUNK_VIRTIO_HOST_ID_TABLE_H
#define KFDSCOPE_THUNK_VIRTIO_HOST_ID_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised is empty. */
struct virtio_ids {
	struct virtio_id {
		uint64_t id;     /* 0: free */
		void *value;     /* NULL with an id: removed */
	} * slots;               /* owned */
	uint32_t capacity, used; /* used counts removed ones, too */
	uint32_t count;
};

/* Adds an id, not 0 and not there yet. @return false without memory. */
bool virtio_ids_add(struct virtio_ids *ids, uint64_t id, void *value);
/* @return the value, or NULL. */
void *virtio_ids_find(const struct virtio_ids *ids, uint64_t id);
/* Removes an id. @return its value, or NULL. */
void *virtio_ids_remove(struct virtio_ids *ids, uint64_t id);
void virtio_ids_fini(struct virtio_ids *ids);

#endif
