/* SPDX-License-Identifier: MIT */
/*
 * Shaders are not executed. The few that the runtimes themselves use to copy and fill memory are
 * recognised and carried out on the CPU, so that what the runtimes promise comes true.
 */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_KERNEL_H
#define KFDSCOPE_THUNK_MODEL_GPU_KERNEL_H

#include "model/gpu/code_object.h"

/* An AQL dispatch packet, as it lies in the ring. */
struct gpu_dispatch {
	uint16_t header, setup;
	uint16_t workgroup[3], reserved0;
	uint32_t grid[3]; /* in work items */
	uint32_t private_segment_bytes, group_segment_bytes;
	uint64_t kernel_object, kernarg;
	uint64_t reserved1, completion;
};

enum gpu_kernel_result {
	GPU_KERNEL_DONE,    /* recognised and carried out */
	GPU_KERNEL_WAIT,    /* recognised; it waits for memory to change */
	GPU_KERNEL_FAULT,   /* recognised; an access was refused */
	GPU_KERNEL_UNKNOWN, /* a user's kernel: nothing was done */
};

/* Carries out a dispatch if its kernel is one of the runtimes' own. */
enum gpu_kernel_result gpu_kernel_run(struct gpu_work *work, const struct gpu_dispatch *dispatch);

/*
 * The same for the kernels of the HIP runtime, which are known by name.
 * @param object  the code object that the kernel is in.
 */
enum gpu_kernel_result gpu_kernel_run_hip(struct gpu_work *work,
					  const struct gpu_dispatch *dispatch,
					  const struct gpu_code_object *object);
/* The same for the bare code of ROCr, which is known by the shape of its arguments. */
enum gpu_kernel_result gpu_kernel_run_rocr(struct gpu_work *work,
					   const struct gpu_dispatch *dispatch);

#endif
