/* SPDX-License-Identifier: MIT */
/* Tells whose kernel a dispatch is for: one in a code object, or bare code. */
#include "model/gpu/kernel.h"

enum gpu_kernel_result gpu_kernel_run(struct gpu_work *work, const struct gpu_dispatch *dispatch)
{
	struct gpu_code_object object;

	if (gpu_code_object_find(work, dispatch->kernel_object, &object))
		return gpu_kernel_run_hip(work, dispatch, &object);
	return gpu_kernel_run_rocr(work, dispatch);
}
