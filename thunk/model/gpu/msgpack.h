/* SPDX-License-Identifier: MIT */
/* Reads MessagePack, the form of the notes in code objects, from memory that nobody vouches for. */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_MSGPACK_H
#define KFDSCOPE_THUNK_MODEL_GPU_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a message. Copy it to come back to the place. */
struct msgpack {
	const unsigned char *at, *end; /* borrowed */
};

/* Each reads one object of the kind and goes behind it (for a map or array: behind its head). */

/* @return false when something else or nothing is there. */
bool msgpack_map(struct msgpack *msg, uint32_t *pairs);
bool msgpack_array(struct msgpack *msg, uint32_t *items);
/* Strings are not ended by a NUL; text is borrowed. */
bool msgpack_string(struct msgpack *msg, const char **text, uint32_t *length);
/* Negative numbers are not found here and count as something else. */
bool msgpack_uint(struct msgpack *msg, uint64_t *value);
/* Passes over one object of any kind with all that is in it. @return false at a broken one. */
bool msgpack_skip(struct msgpack *msg);
/* Reads a string and compares it. @return false when it is another string or none. */
bool msgpack_is(struct msgpack *msg, const char *text);

#endif
