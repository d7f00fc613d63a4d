/* SPDX-License-Identifier: MIT */
/*
 * A virtio-gpu without a virtual machine: what a guest's kernel and the host's renderer would say to
 * each other, as packets over a Unix socket. Command streams lie in a ring that the guest makes, answers
 * in the shared blob, both in memory that the two processes share; a packet says that there is
 * something. Each packet is answered by one. A descriptor may travel with either.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_LOOPBACK_H
#define KFDSCOPE_THUNK_VIRTIO_LOOPBACK_H

#include <stdint.h>

#include "virtio/proto.h"

#define LOOPBACK_VERSION    1u
#define LOOPBACK_RING_BYTES (2u * VIRTIO_SHMEM_BYTES_R2)
#define LOOPBACK_SOCKET_ENV "KFDSCOPE_VIRTIO_SOCKET"

enum loopback_op {
	LOOPBACK_HELLO = 1,   /* with the ring: a memory file that cannot shrink */
	LOOPBACK_GET_CAPS,    /* capset_id; answer: capset */
	LOOPBACK_INIT,        /* capset_id, rings: makes the context */
	LOOPBACK_CREATE_BLOB, /* with the pages of a user pointer; answer: its memory, if mappable */
	LOOPBACK_CLOSE_BLOB,
	LOOPBACK_SUBMIT, /* offset, size_bytes: in the ring */
	LOOPBACK_ATTACH, /* with a dma-buf */
	LOOPBACK_EXPORT, /* answer: with a dma-buf */
};

struct loopback_request {
	uint32_t op; /* enum loopback_op */
	uint32_t version;
	uint32_t res_id, mem, flags, pad;
	uint64_t blob_id, size_bytes, offset;
	uint32_t capset_id, rings;
};

struct loopback_reply {
	int32_t rc; /* 0 or a negative errno number */
	uint32_t pad;
	uint64_t size_bytes, offset; /* of the memory in the file that comes with it */
	struct vhsakmt_capset capset;
};

/*
 * Sends a packet.
 * @param fd  travels with it; -1: none. Borrowed.
 * @return 0 or -errno; a broken connection is -EPIPE.
 */
int loopback_send(int sock, const void *packet, uint32_t bytes, int fd);
/*
 * Receives a packet of exactly that size.
 * @param fd  out: owned, or -1.
 * @return 0, -EPIPE: the other side is gone, -EPROTO: another size.
 */
int loopback_receive(int sock, void *packet, uint32_t bytes, int *fd);

#endif
