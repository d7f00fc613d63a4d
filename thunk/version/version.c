/* SPDX-License-Identifier: MIT */
/* The version of the kernel's interface, remembered since the open (openclose.md 5). */
#include "version/version.h"

HSAKMT_STATUS kmt_get_version(struct kmt_context *ctx, HsaVersionInfo *out)
{
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	out->KernelInterfaceMajorVersion = kmt_process()->kfd_major;
	out->KernelInterfaceMinorVersion = kmt_process()->kfd_minor;
	return HSAKMT_STATUS_SUCCESS;
}
