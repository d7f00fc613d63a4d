/* SPDX-License-Identifier: MIT */
/*
 * What the library can tell about a memory fault: the reason, the buffer by its own records, or
 * else what the kernel's SVM says about the page (events.md 5). Seen with HSAKMT_DEBUG_LEVEL >= 3.
 */
#include "event/event-internal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory/fmm.h"

static const char *reason_of(const struct kfd_memory_exception_failure *failure)
{
	if (failure->NotPresent)
		return "page not present";
	if (failure->ReadOnly)
		return "write to a read-only page";
	if (failure->NoExecute)
		return "execution of a no-execute page";
	return "unknown reason";
}

struct search {
	uint64_t address;
	bool found;
};

static const char *kind_of(const struct kmt_object_info *info)
{
	if (info->is_import)
		return "imported";
	if (info->user_ptr)
		return "user pointer";
	return info->handle_count ? "allocated" : "reserved address";
}

static void report_gpus(const char *what, const uint32_t *gpus, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		kmt_log(KMT_LOG_ERR, "  %s on GPU 0x%x", what, gpus[i]);
}

static void report_object(const struct kmt_object_info *info, void *data)
{
	struct search *search = data;

	if (search->found || search->address - info->gpu_va >= info->size_bytes)
		return;
	search->found = true;
	kmt_log(KMT_LOG_ERR,
		"  in a buffer: GPU address 0x%" PRIx64 ", %" PRIu64 " bytes, node %u, %s%s",
		info->gpu_va, info->size_bytes, info->node_id, kind_of(info),
		info->is_internal ? ", the library's own" : "");
	if (info->user_ptr)
		kmt_log(KMT_LOG_ERR, "  CPU address 0x%" PRIx64 "", info->user_ptr);
	report_gpus("registered", info->registered_gpus, info->registered_count);
	report_gpus("mapped", info->mapped_gpus, info->mapped_count);
}

/* Four attributes of the one page; the attributes follow the argument in place. */
#define SVM_ATTRIBUTES 4

static bool report_svm(struct kmt_context *ctx, uint64_t va, uint32_t gpu_id)
{
	const size_t attributes_bytes = SVM_ATTRIBUTES * sizeof(struct kfd_ioctl_svm_attribute);
	const uint64_t page = kmt_process()->page_size_bytes;
	struct kfd_ioctl_svm_args *args;
	bool known;

	if (!kmt_kfd_at_least(5) || !page)
		return false;
	args = calloc(1, sizeof(*args) + attributes_bytes);
	if (!args)
		return false;
	args->start_addr = va & ~(page - 1);
	args->size = page;
	args->op = KFD_IOCTL_SVM_OP_GET_ATTR;
	args->nattr = SVM_ATTRIBUTES;
	args->attrs[0].type = KFD_IOCTL_SVM_ATTR_PREFERRED_LOC;
	args->attrs[1].type = KFD_IOCTL_SVM_ATTR_PREFETCH_LOC;
	args->attrs[2].type = KFD_IOCTL_SVM_ATTR_ACCESS;
	args->attrs[2].value = gpu_id;
	args->attrs[3].type = KFD_IOCTL_SVM_ATTR_SET_FLAGS;
	known = !kmt_ioctl(ctx, AMDKFD_IOC_SVM + (attributes_bytes << _IOC_SIZESHIFT), args);
	if (known)
		kmt_log(KMT_LOG_ERR,
			"  SVM: preferred 0x%x, prefetched to 0x%x, access type %u, flags 0x%x",
			args->attrs[0].value, args->attrs[1].value, args->attrs[2].type,
			args->attrs[3].value);
	free(args);
	return known;
}

void event_report_fault(struct kmt_context *ctx, uint32_t node_id,
			const struct kfd_hsa_memory_exception_data *fault)
{
	struct search search = { .address = fault->va };

	kmt_log(KMT_LOG_ERR, "memory fault at 0x%" PRIx64 " on node %u (GPU 0x%x): %s%s", fault->va,
		node_id, fault->gpu_id, reason_of(&fault->failure),
		fault->failure.imprecise ? ", address not exact" : "");
	kmt_fmm_for_each(ctx, report_object, &search);
	if (!search.found && !report_svm(ctx, fault->va, fault->gpu_id))
		kmt_log(KMT_LOG_ERR, "  the address is unknown");
}
