/* SPDX-License-Identifier: MIT */
/*
 * Which file is behind an address of this process, so that a guest in another process can map the
 * same memory. A host that shares address space with its guests (a virtual machine monitor) has no
 * need of it.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_BACKING_H
#define KFDSCOPE_THUNK_VIRTIO_BACKING_H

#include <stdint.h>

struct virtio_backing {
	int fd;              /* owned */
	uint64_t offset;     /* in the file */
	uint64_t start, end; /* of the mapping that holds the address */
};

/*
 * Looks an address up among the shared mappings of files that this process has open.
 * @return 0; -ENOENT: not mapped, private or anonymous memory, or the file is not open any more.
 */
int virtio_backing_of(uint64_t address, struct virtio_backing *out);

#endif
