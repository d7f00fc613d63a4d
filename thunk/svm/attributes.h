/* SPDX-License-Identifier: MIT */
/* The SVM ioctl, whose request number and size depend on the number of attributes (memory.md 17). */
#ifndef KFDSCOPE_THUNK_SVM_ATTRIBUTES_H
#define KFDSCOPE_THUNK_SVM_ATTRIBUTES_H

#include "context.h"
#include "hsakmt/linux/kfd_ioctl.h"

/* Most attributes that fit into the 14 bits that a request number has for the size. */
#define SVM_ATTRIBUTE_LIMIT                                                                        \
	((((1u << _IOC_SIZEBITS) - 1) - sizeof(struct kfd_ioctl_svm_args)) /                       \
	 sizeof(struct kfd_ioctl_svm_attribute))

/*
 * Issues it.
 * @param attributes  count of them; for GET_ATTR in and out.
 * @return 0 or -errno; -EINVAL above the limit, -ENOMEM.
 */
int svm_ioctl(struct kmt_context *ctx, enum kfd_ioctl_svm_op op, uint64_t start,
	      uint64_t size_bytes, struct kfd_ioctl_svm_attribute *attributes, uint32_t count);

#endif
