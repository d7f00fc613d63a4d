/* SPDX-License-Identifier: MIT */
/* The version of the kernel's interface. */
#ifndef KFDSCOPE_THUNK_VERSION_VERSION_H
#define KFDSCOPE_THUNK_VERSION_VERSION_H

#include "context.h"

/*
 * The version that the KFD reported when it was opened; no ioctl.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL.
 */
HSAKMT_STATUS kmt_get_version(struct kmt_context *ctx, HsaVersionInfo *out);

#endif
