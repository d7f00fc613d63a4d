/* SPDX-License-Identifier: MIT */
/* Putting an SVM request together. */
#include "svm/attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Requests up to this size come from the stack; they are what registration and mapping issue. */
#define SMALL_COUNT 16

int svm_ioctl(struct kmt_context *ctx, enum kfd_ioctl_svm_op op, uint64_t start,
	      uint64_t size_bytes, struct kfd_ioctl_svm_attribute *attributes, uint32_t count)
{
	_Alignas(struct kfd_ioctl_svm_args) char
		small[sizeof(struct kfd_ioctl_svm_args) +
		      SMALL_COUNT * sizeof(struct kfd_ioctl_svm_attribute)];
	size_t extra = count * sizeof(*attributes);
	struct kfd_ioctl_svm_args *args = (struct kfd_ioctl_svm_args *)small;
	int rc;

	if (count > SVM_ATTRIBUTE_LIMIT)
		return -EINVAL;
	if (count > SMALL_COUNT)
		args = malloc(sizeof(*args) + extra);
	if (!args)
		return -ENOMEM;
	args->start_addr = start;
	args->size = size_bytes;
	args->op = op;
	args->nattr = count;
	if (extra)
		memcpy(args->attrs, attributes, extra);
	rc = kmt_ioctl(ctx, AMDKFD_IOC_SVM + (extra << _IOC_SIZESHIFT), args);
	if (rc == 0 && extra)
		memcpy(attributes, args->attrs, extra);
	if (args != (void *)small)
		free(args);
	return rc;
}
