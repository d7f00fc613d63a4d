/* SPDX-License-Identifier: MIT */
/* MessagePack, as far as the notes of code objects use it; every length is checked. */
#include "model/gpu/msgpack.h"

#include <string.h>

/* Takes a big-endian number of so many bytes. */
static bool take(struct msgpack *msg, unsigned int bytes, uint64_t *value)
{
	if ((size_t)(msg->end - msg->at) < bytes)
		return false;
	*value = 0;
	while (bytes--)
		*value = *value << 8 | *msg->at++;
	return true;
}

/* Whether the next byte, masked, is the tag; takes it and its low bits if so. */
static bool take_tag(struct msgpack *msg, unsigned char mask, unsigned char tag, uint64_t *low)
{
	if (msg->at == msg->end || (*msg->at & mask) != tag)
		return false;
	*low = *msg->at++ & ~mask & 0xff;
	return true;
}

/* A head with its count in the tag, or behind it in two or four bytes. */
static bool head(struct msgpack *msg, unsigned char mask, unsigned char tag, unsigned char tag16,
		 uint32_t *count)
{
	struct msgpack old = *msg;
	uint64_t value = 0, none;
	bool ok = true;

	if (take_tag(msg, mask, tag, &value))
		ok = true;
	else if (take_tag(msg, 0xff, tag16, &none))
		ok = take(msg, 2, &value);
	else if (take_tag(msg, 0xff, tag16 + 1, &none))
		ok = take(msg, 4, &value);
	else
		ok = false;
	if (!ok)
		*msg = old;
	*count = (uint32_t)value;
	return ok;
}

bool msgpack_map(struct msgpack *msg, uint32_t *pairs)
{
	return head(msg, 0xf0, 0x80, 0xde, pairs);
}

bool msgpack_array(struct msgpack *msg, uint32_t *items)
{
	return head(msg, 0xf0, 0x90, 0xdc, items);
}

bool msgpack_string(struct msgpack *msg, const char **text, uint32_t *length)
{
	struct msgpack old = *msg;
	uint64_t size = 0, none;

	if (take_tag(msg, 0xff, 0xd9, &none)) {
		if (!take(msg, 1, &size))
			goto out;
	} else {
		uint32_t count;

		if (!head(msg, 0xe0, 0xa0, 0xda, &count))
			return false;
		size = count;
	}
	if (size > (size_t)(msg->end - msg->at))
		goto out;
	*text = (const char *)msg->at;
	*length = (uint32_t)size;
	msg->at += size;
	return true;
out:
	*msg = old;
	return false;
}

bool msgpack_uint(struct msgpack *msg, uint64_t *value)
{
	struct msgpack old = *msg;
	uint64_t tag;

	if (take_tag(msg, 0x80, 0x00, value))
		return true;
	if (take_tag(msg, 0xfc, 0xcc, &tag) && take(msg, 1u << tag, value))
		return true;
	*msg = old;
	return false;
}

bool msgpack_is(struct msgpack *msg, const char *text)
{
	const char *found;
	uint32_t length;

	return msgpack_string(msg, &found, &length) && length == strlen(text) &&
	       !memcmp(found, text, length);
}

/* Bytes that follow the tag of an object without others in it; -1 for the other kinds. */
static int fixed_bytes(unsigned char tag)
{
	static const signed char after_c0[] = {
		0,  -1, 0,  0,              /* nil, unused, false, true */
		-1, -1, -1, -1, -1, -1,     /* bin, ext: lengths follow */
		4,  8,                      /* floats */
		1,  2,  4,  8,              /* unsigned */
		1,  2,  4,  8,              /* signed */
		2,  3,  5,  9,  17,         /* fixext */
		-1, -1, -1, -1, -1, -1, -1, /* str, array, map */
	};

	if (tag < 0x80 || tag >= 0xe0)
		return 0;
	if (tag < 0xc0)
		return -1;
	return after_c0[tag - 0xc0];
}

/* bin and ext: the length is in 1, 2 or 4 bytes, ext has a type byte more. */
static bool skip_blob(struct msgpack *msg)
{
	unsigned char tag = *msg->at++;
	bool ext = tag >= 0xc7;
	uint64_t size;

	if (tag < 0xc4 || tag > 0xc9 || !take(msg, 1u << (tag - (ext ? 0xc7 : 0xc4)), &size))
		return false;
	size += ext;
	if (size > (size_t)(msg->end - msg->at))
		return false;
	msg->at += size;
	return true;
}

bool msgpack_skip(struct msgpack *msg)
{
	uint64_t objects = 1; /* counted instead of recursing: depth costs nothing */

	for (; objects; objects--) {
		const char *text;
		uint32_t count;

		if (msgpack_string(msg, &text, &count))
			continue;
		if (msgpack_map(msg, &count)) {
			objects += 2 * (uint64_t)count;
		} else if (msgpack_array(msg, &count)) {
			objects += count;
		} else if (msg->at == msg->end) {
			return false;
		} else if (fixed_bytes(*msg->at) < 0) {
			if (!skip_blob(msg))
				return false;
		} else {
			int bytes = 1 + fixed_bytes(*msg->at);

			if (bytes > msg->end - msg->at)
				return false;
			msg->at += bytes;
		}
	}
	return true;
}
