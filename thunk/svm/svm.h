/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory attributes and the XNACK mode (memory.md 17). All return
 * KERNEL_IO_CHANNEL_NOT_OPENED for a context that is not usable and NOT_SUPPORTED before KFD 1.5.
 */
#ifndef KFDSCOPE_THUNK_SVM_SVM_H
#define KFDSCOPE_THUNK_SVM_SVM_H

#include "context.h"

/*
 * Sets attributes of a range; values that name nodes are node ids.
 *
 * @param address, size_bytes  page multiples, not 0.
 * @return SUCCESS; INVALID_PARAMETER for the range, a NULL array with a count, and more attributes
 *         than an ioctl can carry; INVALID_NODE_UNIT; ERROR when the kernel refuses.
 */
HSAKMT_STATUS kmt_svm_set_attr(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
			       unsigned int count, HSA_SVM_ATTRIBUTE *attributes);
/*
 * Reads attributes; the kernel may change the type of an access entry.
 *
 * @param attributes  in: types, and nodes for the access types; out: values. Untouched on failure.
 * @return as kmt_svm_set_attr().
 */
HSAKMT_STATUS kmt_svm_get_attr(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
			       unsigned int count, HSA_SVM_ATTRIBUTE *attributes);
/*
 * Switches retry faults for the process.
 * @return SUCCESS; NOT_SUPPORTED by a GPU or the kernel; ERROR while there are queues.
 */
HSAKMT_STATUS kmt_set_xnack_mode(struct kmt_context *ctx, HSAint32 enable);
/* Reads the mode, 0 or 1. @return as kmt_set_xnack_mode(); INVALID_PARAMETER for NULL. */
HSAKMT_STATUS kmt_get_xnack_mode(struct kmt_context *ctx, HSAint32 *enable);

#endif
