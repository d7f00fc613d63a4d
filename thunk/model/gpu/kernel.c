/* SPDX-License-Identifier: MIT */
#include "model/gpu/kernel.h"

enum gpu_kernel_result gpu_kernel_run(struct gpu_work *work, const struct gpu_dispatch *dispatch)
{
	(void)work;
	(void)dispatch;
	return GPU_KERNEL_UNKNOWN;
}
