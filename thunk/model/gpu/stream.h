/* SPDX-License-Identifier: MIT */
/*
 * A stream of command dwords, as SDMA and PM4 read it: the ring at the bottom and indirect buffers
 * on top of it. A stream keeps its place over a packet that has to wait.
 */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_STREAM_H
#define KFDSCOPE_THUNK_MODEL_GPU_STREAM_H

#include "model/gpu/access.h"

#define GPU_STREAM_LEVELS 3 /* ring, indirect buffer, and one more inside it */

struct gpu_level {
	uint64_t va;
	uint64_t size_dwords; /* of the ring; indexes wrap there. 0: no ring, never wraps */
	uint64_t pos, end;    /* in dwords; monotonic for a ring */
};

struct gpu_stream {
	struct gpu_level level[GPU_STREAM_LEVELS];
	unsigned int depth; /* number of levels in use; the last one is being read */
};

/* The level being read, after those that have ended are left; NULL when none is open. */
struct gpu_level *gpu_stream_top(struct gpu_stream *stream);
/* Opens an indirect buffer. @return false when nested too deeply. */
bool gpu_stream_push(struct gpu_stream *stream, uint64_t va, uint64_t size_dwords);
/* Dwords left in a level. */
uint64_t gpu_level_left(const struct gpu_level *level);
/* Reads count dwords at offset dwords after the level's position. @return false on a fault. */
bool gpu_level_read(struct gpu_work *work, const struct gpu_level *level, uint64_t offset,
		    uint32_t *out, uint64_t count);
/* Copies count dwords at that offset to GPU memory. @return false on a fault. */
bool gpu_level_copy_out(struct gpu_work *work, const struct gpu_level *level, uint64_t offset,
			uint64_t dst, uint64_t count);

#endif
