/* SPDX-License-Identifier: MIT */
/*
 * Addresses of a guest: a range cut into pieces by best fit, with two indexes over what is free, by
 * address and by size (virtio.md 6). Only numbers: nothing is mapped. The caller locks.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_HOST_VA_H
#define KFDSCOPE_THUNK_VIRTIO_HOST_VA_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/range_tree.h"

struct virtio_va {
	uint64_t base, size_bytes;
	struct range_tree by_address, by_size; /* of the free pieces, owned */
};

/* @return false without memory. */
bool virtio_va_init(struct virtio_va *va, uint64_t base, uint64_t size_bytes);
void virtio_va_fini(struct virtio_va *va);
/*
 * Takes a piece.
 * @param align_bytes  a power of two.
 * @return its address, or 0: no such piece, or no memory.
 */
uint64_t virtio_va_alloc(struct virtio_va *va, uint64_t size_bytes, uint64_t align_bytes);
/* Takes these very addresses. @return false: not all of them are free, or no memory. */
bool virtio_va_take(struct virtio_va *va, uint64_t address, uint64_t size_bytes);
/* Gives a piece back that one of the two gave; merges it with its neighbours. */
void virtio_va_free(struct virtio_va *va, uint64_t address, uint64_t size_bytes);
/* @return whether [address, address + size) lies in the range. */
bool virtio_va_holds(const struct virtio_va *va, uint64_t address, uint64_t size_bytes);

#endif
