/* SPDX-License-Identifier: MIT */
/* Command dwords of a ring and its indirect buffers: where to read next, and wrapping. */
#include "model/gpu/stream.h"

#define FEW_DWORDS 16

struct gpu_level *gpu_stream_top(struct gpu_stream *stream)
{
	/* Level 0 stays open: a ring is only empty, and who opened a lone buffer closes it. */
	while (stream->depth > 1 && !gpu_level_left(&stream->level[stream->depth - 1]))
		stream->depth--;
	return stream->depth ? &stream->level[stream->depth - 1] : NULL;
}

bool gpu_stream_push(struct gpu_stream *stream, uint64_t va, uint64_t size_dwords)
{
	if (stream->depth == GPU_STREAM_LEVELS)
		return false;
	stream->level[stream->depth++] = (struct gpu_level){ .va = va, .end = size_dwords };
	return true;
}

uint64_t gpu_level_left(const struct gpu_level *level)
{
	return level->end - level->pos;
}

/* Address of a dword, and how many follow it before the ring wraps. */
static uint64_t locate(const struct gpu_level *level, uint64_t offset, uint64_t *count)
{
	uint64_t index = level->pos + offset;

	if (level->size_dwords) {
		index %= level->size_dwords;
		if (*count > level->size_dwords - index)
			*count = level->size_dwords - index;
	}
	return level->va + index * sizeof(uint32_t);
}

bool gpu_level_read(struct gpu_work *work, const struct gpu_level *level, uint64_t offset,
		    uint32_t *out, uint64_t count)
{
	while (count) {
		uint64_t now = count;
		uint64_t va = locate(level, offset, &now);

		if (!gpu_read(work, va, out, now * sizeof(*out)))
			return false;
		out += now;
		offset += now;
		count -= now;
	}
	return true;
}

/* Few dwords are stored one by one: programs poll words that are written so. */
static bool store_few(struct gpu_work *work, uint64_t dst, const uint32_t *dw, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (!gpu_store32(work, dst + i * sizeof(*dw), dw[i]))
			return false;
	}
	return true;
}

bool gpu_level_copy_out(struct gpu_work *work, const struct gpu_level *level, uint64_t offset,
			uint64_t dst, uint64_t count)
{
	uint32_t few[FEW_DWORDS];

	if (count <= FEW_DWORDS)
		return gpu_level_read(work, level, offset, few, count) &&
		       store_few(work, dst, few, count);
	while (count) {
		uint64_t now = count;
		uint64_t va = locate(level, offset, &now);

		if (!gpu_copy(work, dst, va, now * sizeof(uint32_t)))
			return false;
		dst += now * sizeof(uint32_t);
		offset += now;
		count -= now;
	}
	return true;
}
