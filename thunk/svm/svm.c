/* SPDX-License-Identifier: MIT */
/* SVM attributes with node ids, and the XNACK mode. */
#include "svm/svm.h"

#include <errno.h>
#include <stdlib.h>

#include "svm/attributes.h"
#include "topology/topology.h"

#define SVM_MINOR 5

static bool is_access(uint32_t type)
{
	return type == HSA_SVM_ATTR_ACCESS || type == HSA_SVM_ATTR_ACCESS_IN_PLACE ||
	       type == HSA_SVM_ATTR_NO_ACCESS;
}

static bool is_location(uint32_t type)
{
	return type == HSA_SVM_ATTR_PREFERRED_LOC || type == HSA_SVM_ATTR_PREFETCH_LOC;
}

/* A node id in a request. set: locations count too. */
static HSAKMT_STATUS to_gpu_id(const struct kmt_context *ctx, bool set, uint32_t type,
			       uint32_t *value)
{
	HSAKMT_STATUS status;
	uint32_t gpu_id = 0;

	if (!is_access(type) && !(set && is_location(type)))
		return HSAKMT_STATUS_SUCCESS;
	if (type == HSA_SVM_ATTR_PREFERRED_LOC && *value == INVALID_NODEID) {
		*value = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
		return HSAKMT_STATUS_SUCCESS;
	}
	status = kmt_topology_gpu_id(ctx, *value, &gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (is_access(type) && gpu_id == 0)
		return HSAKMT_STATUS_INVALID_NODE_UNIT; /* the CPU always has access */
	*value = gpu_id;                                /* 0: system memory */
	return HSAKMT_STATUS_SUCCESS;
}

/* A gpu id in an answer. */
static HSAKMT_STATUS to_node_id(const struct kmt_context *ctx, uint32_t type, uint32_t *value)
{
	if (!is_access(type) && !is_location(type))
		return HSAKMT_STATUS_SUCCESS;
	if (*value == KFD_IOCTL_SVM_LOCATION_SYSMEM)
		return HSAKMT_STATUS_SUCCESS; /* node 0 */
	if (*value == KFD_IOCTL_SVM_LOCATION_UNDEFINED) {
		*value = INVALID_NODEID;
		return HSAKMT_STATUS_SUCCESS;
	}
	return kmt_topology_node_of_gpu(ctx, *value, value);
}

static HSAKMT_STATUS check(const struct kmt_context *ctx, const void *address, uint64_t size_bytes,
			   unsigned int count, const HSA_SVM_ATTRIBUTE *attributes)
{
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!kmt_kfd_at_least(SVM_MINOR))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	if (!address || !size_bytes ||
	    (((uintptr_t)address | size_bytes) & (kmt_process()->page_size_bytes - 1)))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (count > SVM_ATTRIBUTE_LIMIT || (count && !attributes))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return HSAKMT_STATUS_SUCCESS;
}

/* Copies a request with node ids translated. */
static HSAKMT_STATUS translate_in(const struct kmt_context *ctx, bool set, unsigned int count,
				  const HSA_SVM_ATTRIBUTE *in, struct kfd_ioctl_svm_attribute *out)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	for (unsigned int i = 0; i < count && status == HSAKMT_STATUS_SUCCESS; i++) {
		out[i].type = in[i].type;
		out[i].value = in[i].value;
		status = to_gpu_id(ctx, set, out[i].type, &out[i].value);
	}
	return status;
}

static HSAKMT_STATUS translate_out(const struct kmt_context *ctx, unsigned int count,
				   struct kfd_ioctl_svm_attribute *attributes)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	for (unsigned int i = 0; i < count && status == HSAKMT_STATUS_SUCCESS; i++)
		status = to_node_id(ctx, attributes[i].type, &attributes[i].value);
	return status;
}

static HSAKMT_STATUS request(struct kmt_context *ctx, enum kfd_ioctl_svm_op op, void *address,
			     uint64_t size_bytes, unsigned int count, HSA_SVM_ATTRIBUTE *attributes)
{
	bool set = op == KFD_IOCTL_SVM_OP_SET_ATTR;
	HSAKMT_STATUS status = check(ctx, address, size_bytes, count, attributes);
	struct kfd_ioctl_svm_attribute *translated;

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	translated = malloc((count + 1) * sizeof(*translated));
	if (!translated)
		return HSAKMT_STATUS_ERROR;
	status = translate_in(ctx, set, count, attributes, translated);
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	status = HSAKMT_STATUS_ERROR;
	if (svm_ioctl(ctx, op, (uintptr_t)address, size_bytes, translated, count) != 0)
		goto out;
	status = set ? HSAKMT_STATUS_SUCCESS : translate_out(ctx, count, translated);
	for (unsigned int i = 0; !set && status == HSAKMT_STATUS_SUCCESS && i < count; i++) {
		attributes[i].type = translated[i].type;
		attributes[i].value = translated[i].value;
	}
out:
	free(translated);
	return status;
}

HSAKMT_STATUS kmt_svm_set_attr(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
			       unsigned int count, HSA_SVM_ATTRIBUTE *attributes)
{
	return request(ctx, KFD_IOCTL_SVM_OP_SET_ATTR, address, size_bytes, count, attributes);
}

HSAKMT_STATUS kmt_svm_get_attr(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
			       unsigned int count, HSA_SVM_ATTRIBUTE *attributes)
{
	return request(ctx, KFD_IOCTL_SVM_OP_GET_ATTR, address, size_bytes, count, attributes);
}

static HSAKMT_STATUS xnack(struct kmt_context *ctx, struct kfd_ioctl_set_xnack_mode_args *args)
{
	int rc;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!kmt_kfd_at_least(SVM_MINOR))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_SET_XNACK_MODE, args);
	if (rc == -EPERM)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	return rc == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS kmt_set_xnack_mode(struct kmt_context *ctx, HSAint32 enable)
{
	struct kfd_ioctl_set_xnack_mode_args args = { .xnack_enabled = enable };

	return xnack(ctx, &args);
}

HSAKMT_STATUS kmt_get_xnack_mode(struct kmt_context *ctx, HSAint32 *enable)
{
	struct kfd_ioctl_set_xnack_mode_args args = { .xnack_enabled = -1 };
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!enable)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = xnack(ctx, &args);
	if (status == HSAKMT_STATUS_SUCCESS)
		*enable = args.xnack_enabled;
	return status;
}
