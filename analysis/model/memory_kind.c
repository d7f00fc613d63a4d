/* SPDX-License-Identifier: MIT */
/* What kind of memory a block is and where it lies, from flags, BO and node; and the words for it. */
#include "memory-internal.h"

/* KFD_IOC_ALLOC_MEM_FLAGS_* (kfd.md 6.1) and HsaMemFlags bits (abi.json) that tell the kind. */
#define KFD_VRAM          (1u << 0)
#define KFD_GTT           (1u << 1)
#define KFD_USERPTR       (1u << 2)
#define KFD_DOORBELL      (1u << 3)
#define KFD_MMIO_REMAP    (1u << 4)
#define KFD_PUBLIC        (1u << 29)
#define FLAG_NON_PAGED    (1u << 0)
#define FLAG_HOST_ACCESS  (1u << 6)
#define FLAG_SCRATCH      (1u << 9)
#define FLAG_ONLY_ADDRESS (1u << 19)
#define FLAG_GTT_ACCESS   (1u << 21)

static const char *const kind_names[MEMORY_KIND_COUNT] = {
	[MEMORY_UNKNOWN] = "memory of unknown kind",
	[MEMORY_DEVICE] = "device memory",
	[MEMORY_DEVICE_HOST] = "device memory with host access",
	[MEMORY_HOST] = "host memory",
	[MEMORY_HOST_GTT] = "pinned host memory",
	[MEMORY_DOORBELL] = "doorbell page",
	[MEMORY_MMIO] = "device registers",
	[MEMORY_SCRATCH] = "scratch memory",
	[MEMORY_ADDRESS_ONLY] = "address range without memory",
	[MEMORY_REGISTERED] = "registered host memory",
	[MEMORY_IMPORTED] = "imported memory",
};

static const char *const class_names[BLOCK_CLASS_COUNT] = {
	[BLOCK_ALLOCATION] = "allocation",
	[BLOCK_REGISTRATION] = "registration",
	[BLOCK_IMPORT] = "import",
	[BLOCK_INTERNAL] = "internal",
	[BLOCK_KEPT] = "kept",
	[BLOCK_BO] = "buffer object",
};

static const char *const origin_names[ORIGIN_COUNT] = {
	[ORIGIN_CALLER] = "caller", [ORIGIN_RESTORED] = "restored", [ORIGIN_QUEUE] = "queues",
	[ORIGIN_EVENT] = "events",  [ORIGIN_OPEN] = "opening",      [ORIGIN_OTHER] = "other",
};

const char *memory_kind_name(enum memory_kind kind)
{
	return kind_names[kind];
}

const char *block_class_name(enum block_class class)
{
	return class_names[class];
}

const char *block_origin_name(enum block_origin origin)
{
	return origin_names[origin];
}

bool block_is_callers(enum block_class class)
{
	return class == BLOCK_ALLOCATION || class == BLOCK_IMPORT || class == BLOCK_KEPT ||
	       class == BLOCK_BO;
}

bool site_is_reserved(const struct site *site)
{
	return site->class == BLOCK_ALLOCATION &&
	       (site->kind == MEMORY_SCRATCH || site->kind == MEMORY_ADDRESS_ONLY);
}

bool site_is_memory(const struct site *site)
{
	return block_is_callers(site->class) && !site_is_reserved(site);
}

static enum memory_kind kind_of_bo(uint32_t flags)
{
	if (flags & KFD_DOORBELL)
		return MEMORY_DOORBELL;
	if (flags & KFD_MMIO_REMAP)
		return MEMORY_MMIO;
	if (flags & KFD_VRAM)
		return flags & KFD_PUBLIC ? MEMORY_DEVICE_HOST : MEMORY_DEVICE;
	if (flags & KFD_GTT)
		return MEMORY_HOST_GTT;
	return flags & KFD_USERPTR ? MEMORY_HOST : MEMORY_UNKNOWN;
}

static enum memory_kind kind_of_flags(uint32_t flags, const struct node *node)
{
	bool on_gpu = node && node->gpu_id;

	if (flags & FLAG_GTT_ACCESS)
		return MEMORY_HOST_GTT;
	if (!node)
		return MEMORY_UNKNOWN; /* no ioctl, no node table: cannot be told */
	if (on_gpu)
		return flags & FLAG_HOST_ACCESS ? MEMORY_DEVICE_HOST : MEMORY_DEVICE;
	return flags & FLAG_NON_PAGED ? MEMORY_HOST_GTT : MEMORY_HOST;
}

void plan_place(struct block_plan *plan, const struct memory *memory, const struct values *values,
		const struct bo *bo)
{
	uint32_t flags = (uint32_t)values_get(values, FIELD_FLAGS, 0);
	struct site *site = &plan->site;
	const struct node *node;

	site->node_id = (uint32_t)values_get(values, FIELD_NODE, UINT32_MAX);
	if (values_have(values, FIELD_NODE) && values_have(values, FIELD_GPU))
		process_set_node(memory->process, site->node_id, (uint32_t)values->v[FIELD_GPU],
				 NULL);
	node = process_node(memory->process, site->node_id);
	if (flags & FLAG_SCRATCH)
		site->kind = MEMORY_SCRATCH;
	else if (flags & FLAG_ONLY_ADDRESS)
		site->kind = MEMORY_ADDRESS_ONLY;
	else if (bo && bo->ioctl_flags)
		site->kind = kind_of_bo(bo->ioctl_flags);
	else
		site->kind = kind_of_flags(flags, node);
	if (node && node->gpu_id)
		site->gpu_id = node->gpu_id;
	else if (bo && site->kind != MEMORY_HOST && site->kind != MEMORY_HOST_GTT)
		site->gpu_id = bo->gpu_id; /* host memory's BO only needs some GPU */
	if (site->node_id == UINT32_MAX && site->gpu_id) {
		node = process_node_of_gpu(memory->process, site->gpu_id);
		site->node_id = node ? node->node_id : UINT32_MAX;
	}
}
