/* SPDX-License-Identifier: MIT */
/* What is at which address (guest.h). */
#include <stdlib.h>
#include <sys/mman.h>

#include "virtio/guest/guest.h"

_Static_assert(offsetof(struct vkmt_bo, place) == 0, "a node of the tree is its object");

void vkmt_bo_insert(struct vkmt_device *device, struct vkmt_bo *bo, uint64_t address,
		    uint64_t size_bytes)
{
	bo->place.start = address;
	bo->place.size_bytes = size_bytes;
	range_tree_insert(&device->bos, &bo->place);
}

struct vkmt_bo *vkmt_bo_at(struct vkmt_device *device, uint64_t address)
{
	struct range_node *node = range_tree_lower_bound(&device->bos, address, 0);

	return node && node->start == address ? (struct vkmt_bo *)node : NULL;
}

struct vkmt_bo *vkmt_bo_holding(struct vkmt_device *device, uint64_t address)
{
	return (struct vkmt_bo *)range_tree_find(&device->bos, address);
}

void vkmt_bo_free(struct vkmt_device *device, struct vkmt_bo *bo)
{
	void *address = (void *)(uintptr_t)bo->place.start;

	range_tree_remove(&device->bos, &bo->place);
	/* The addresses stay ours: only the memory goes. */
	if (bo->cpu_mapped && vkmt_in_vm(device, bo->place.start))
		(void)mmap(address, bo->place.size_bytes, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	else if (bo->cpu_mapped)
		munmap(address, bo->place.size_bytes);
	if (bo->map) {
		vkmt_resource_free(device, bo->map->handle, bo->map->res_id);
		free(bo->map);
	}
	vkmt_resource_free(device, bo->handle, bo->res_id);
	free(bo->metadata);
	free(bo);
}
