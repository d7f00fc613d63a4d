/* SPDX-License-Identifier: MIT */
/*
 * How a recorder watches the commands: the guest's library and the host call what is set here, around
 * each command. A command is known by its guest (the start of the guest's address range, which both
 * sides know and no two guests of a host share) and its sequence number.
 *
 * Resources come and go beside the stream, and by closing them a guest frees: these are watched as
 * commands of numbers that the stream does not have, known by the blob's or the resource's id.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_OBSERVER_H
#define KFDSCOPE_THUNK_VIRTIO_OBSERVER_H

#include <stdint.h>

enum {
	VIRTIO_OBSERVED_MAKE = 0x100,  /* a resource of an object or of pages; seqno: the blob id */
	VIRTIO_OBSERVED_CLOSE = 0x101, /* seqno: the resource id */
};

struct virtio_observed {
	uint64_t guest; /* 0: not known yet (the guest's first command) */
	uint32_t seqno;
	uint32_t command; /* enum virtio_command, or one of the above */
	uint32_t type;    /* its sub-command */
	int32_t ret;      /* at the end: 0, a status or a negative errno number */
};

/* Every member is set. They must not block and keep errno. */
struct virtio_observer {
	void (*guest_begin)(const struct virtio_observed *command);
	void (*guest_end)(const struct virtio_observed *command);
	void (*host_begin)(const struct virtio_observed *command);
	void (*host_end)(const struct virtio_observed *command);
	/* A pair of clocks: the host's, read between two readings of the guest's. */
	void (*clock_pair)(uint64_t guest, uint64_t before_ns, uint64_t host_ns, uint64_t after_ns);
	/* The host gives up what a guest has left; between the two, nothing is the guest's doing. */
	void (*guest_gone_begin)(uint64_t guest, uint32_t ctx);
	void (*guest_gone_end)(uint64_t guest, uint32_t ctx);
};

/* The observer in use, or NULL. Set once, before the first command, by a recorder. */
extern const struct virtio_observer *virtio_observer;

#endif
