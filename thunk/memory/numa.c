/* SPDX-License-Identifier: MIT */
/* Binding system memory to the node that an allocation names (memory.md 8). */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdlib.h>

#ifndef MPOL_F_STATIC_NODES
#define MPOL_F_STATIC_NODES (1 << 15)
#endif

/* On POWER the firmware numbers NUMA nodes in steps of 8. */
#ifdef __powerpc__
#define NUMA_NODE_STEP 8
#else
#define NUMA_NODE_STEP 1
#endif

#define BITS_PER_WORD (8 * sizeof(unsigned long))

static int bind_to(struct kmt_context *ctx, void *address, uint64_t size_bytes,
		   unsigned int numa_node, unsigned int max_node, bool strict)
{
	unsigned long bits = max_node + 2;
	unsigned long *mask = calloc((bits + BITS_PER_WORD - 1) / BITS_PER_WORD, sizeof(*mask));
	int mode = (strict ? MPOL_BIND : MPOL_PREFERRED) | MPOL_F_STATIC_NODES;
	int rc;

	if (!mask)
		return -ENOMEM;
	mask[numa_node / BITS_PER_WORD] = 1ul << numa_node % BITS_PER_WORD;
	rc = ctx->device->ops->mbind(ctx->device, address, size_bytes, mode, mask, bits, 0);
	free(mask);
	return rc;
}

int fmm_numa_bind(struct kmt_context *ctx, void *address, uint64_t size_bytes, uint32_t node_id,
		  bool strict, bool no_bind)
{
	uint64_t numa_node = (uint64_t)node_id * NUMA_NODE_STEP;
	int max_node, rc;

	if (no_bind || numa_available() < 0)
		return strict ? -EINVAL : 0;
	max_node = numa_max_node();
	if (max_node <= 0 || numa_node > (uint64_t)max_node)
		return strict ? -EINVAL : 0;
	rc = bind_to(ctx, address, size_bytes, (unsigned int)numa_node, (unsigned int)max_node,
		     strict);
	if (rc == -EPERM) /* seccomp filters of containers forbid the call */
		return 0;
	return strict ? rc : 0;
}
