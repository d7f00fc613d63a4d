/* SPDX-License-Identifier: MIT */
/*
 * Between the two revisions of the messages: both sides work on revision 2's structures and convert
 * at the border when the other side speaks revision 1. Pure functions over buffers.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_CODEC_H
#define KFDSCOPE_THUNK_VIRTIO_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "virtio/proto.h"

/* @return bytes of a request's structure without payload; 0 for an unknown command. */
size_t virtio_request_bytes(enum virtio_revision revision, uint32_t command);
/* The same for the response; 0 where there is none. */
size_t virtio_response_bytes(enum virtio_revision revision, uint32_t command);
/* @return whether the revision has the sub-command (field "type"). NOP has 0 only. */
int virtio_has_type(enum virtio_revision revision, uint32_t command, uint32_t type);
/* @return the field "type" of a request in revision 2's form; 0 for NOP. */
uint32_t virtio_request_type(uint32_t command, const void *request);

/*
 * Converts a request or response from one revision to the other; equal revisions copy. A source that
 * is shorter than its structure counts as continued by zeros.
 *
 * @param type   sub-command, since payloads differ by it.
 * @param bytes  of the source.
 * @param out    target; capacity bytes, zeroed by the caller.
 * @return bytes of the target, or 0 when it does not fit.
 */
size_t virtio_convert_request(enum virtio_revision from, enum virtio_revision to, uint32_t command,
			      const void *in, size_t bytes, void *out, size_t capacity);
size_t virtio_convert_response(enum virtio_revision from, enum virtio_revision to, uint32_t command,
			       uint32_t type, const void *in, size_t bytes, void *out,
			       size_t capacity);

#endif
