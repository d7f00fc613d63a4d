/* SPDX-License-Identifier: MIT */
/*
 * Page table updates through the render node, and waiting for them: a timeline syncobj a GPU, on which
 * each update signals the next point (memory.md 18).
 */
#ifndef KFDSCOPE_THUNK_HANDLE_TIMELINE_H
#define KFDSCOPE_THUNK_HANDLE_TIMELINE_H

#include "context.h"

struct fmm_gpu;

/* One update. */
struct timeline_update {
	uint32_t gem_handle;
	uint32_t operation; /* AMDGPU_VA_OP_MAP or AMDGPU_VA_OP_UNMAP */
	uint32_t flags;     /* AMDGPU_VM_PAGE_* */
	uint64_t address, offset_bytes, size_bytes;
};

/*
 * Issues an update on the GPU's render node and waits for it.
 * @return 0 or -errno.
 */
int kmt_timeline_update(struct kmt_context *ctx, struct fmm_gpu *gpu,
			const struct timeline_update *update);
/* Destroys the syncobj, if one was made. */
void kmt_timeline_fini(struct kmt_context *ctx, struct fmm_gpu *gpu);

#endif
