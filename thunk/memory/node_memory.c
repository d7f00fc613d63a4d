/* SPDX-License-Identifier: MIT */
/* What is asked of or set for a node's memory as a whole (memory.md 2, 16, 19). */
#include "memory/memory.h"

#include <string.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "memory/fmm_internal.h"
#include "topology/topology.h"

HSAKMT_STATUS kmt_available_memory(struct kmt_context *ctx, HSAuint32 node_id,
				   HSAuint64 *available_bytes)
{
	struct kfd_ioctl_get_available_memory_args args = { 0 };
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!kmt_kfd_at_least(9))
		return HSAKMT_STATUS_NOT_SUPPORTED;
	if (!available_bytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_topology_gpu_id(ctx, node_id, &args.gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (kmt_ioctl(ctx, AMDKFD_IOC_AVAILABLE_MEMORY, &args) != 0)
		return HSAKMT_STATUS_ERROR;
	*available_bytes = args.available;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_get_default_host_gpu(struct kmt_context *ctx, HSAuint32 *node_id,
				       HSAuint32 *gpu_id)
{
	const struct fmm_gpu *gpu;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!node_id && !gpu_id)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	gpu = fmm_first_gpu(ctx);
	if (!gpu)
		return HSAKMT_STATUS_ERROR;
	if (node_id)
		*node_id = gpu->node_id;
	if (gpu_id)
		*gpu_id = gpu->gpu_id;
	return HSAKMT_STATUS_SUCCESS;
}

static bool policy_is_valid(uint32_t policy)
{
	return policy == HSA_CACHING_CACHED || policy == HSA_CACHING_NONCACHED;
}

static uint32_t kfd_policy(uint32_t policy)
{
	return policy == HSA_CACHING_CACHED ? KFD_IOC_CACHE_POLICY_COHERENT
					    : KFD_IOC_CACHE_POLICY_NONCOHERENT;
}

HSAKMT_STATUS kmt_set_memory_policy(struct kmt_context *ctx, HSAuint32 node_id,
				    HSAuint32 default_policy, HSAuint32 alternate_policy,
				    void *alternate_address, HSAuint64 alternate_size_bytes)
{
	struct kfd_ioctl_set_memory_policy_args args = {
		.alternate_aperture_base = (uintptr_t)alternate_address,
		.alternate_aperture_size = alternate_size_bytes,
		.default_policy = kfd_policy(default_policy),
		.alternate_policy = kfd_policy(alternate_policy),
	};
	uint64_t page_mask = kmt_process()->page_size_bytes - 1;
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	status = kmt_topology_gpu_id(ctx, node_id, &args.gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (kmt_topology_gfx(ctx, node_id) != KMT_GFX(7, 0, 0))
		return HSAKMT_STATUS_NOT_IMPLEMENTED;
	if (!policy_is_valid(default_policy) || !policy_is_valid(alternate_policy) ||
	    ((args.alternate_aperture_base | alternate_size_bytes) & page_mask))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	return kmt_ioctl(ctx, AMDKFD_IOC_SET_MEMORY_POLICY, &args) == 0 ? HSAKMT_STATUS_SUCCESS
									: HSAKMT_STATUS_ERROR;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

HSAKMT_STATUS kmt_get_tile_config(struct kmt_context *ctx, HSAuint32 node_id,
				  HsaGpuTileConfig *config)
{
	struct kfd_ioctl_get_tile_config_args args = { 0 };
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!config)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_topology_gpu_id(ctx, node_id, &args.gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if ((!config->TileConfig && config->NumTileConfigs) ||
	    (!config->MacroTileConfig && config->NumMacroTileConfigs))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	/* Where the kernel writes less than there is room for, the caller finds zeros. */
	if (config->TileConfig)
		memset(config->TileConfig, 0, config->NumTileConfigs * sizeof(uint32_t));
	if (config->MacroTileConfig)
		memset(config->MacroTileConfig, 0, config->NumMacroTileConfigs * sizeof(uint32_t));
	args.tile_config_ptr = (uintptr_t)config->TileConfig;
	args.macro_tile_config_ptr = (uintptr_t)config->MacroTileConfig;
	args.num_tile_configs = config->NumTileConfigs;
	args.num_macro_tile_configs = config->NumMacroTileConfigs;
	if (kmt_ioctl(ctx, AMDKFD_IOC_GET_TILE_CONFIG, &args) != 0)
		return HSAKMT_STATUS_ERROR;
	config->NumTileConfigs = smaller(args.num_tile_configs, config->NumTileConfigs);
	config->NumMacroTileConfigs =
		smaller(args.num_macro_tile_configs, config->NumMacroTileConfigs);
	config->GbAddrConfig = args.gb_addr_config;
	config->NumBanks = args.num_banks;
	config->NumRanks = args.num_ranks;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_process_vm_read(struct kmt_context *ctx, HSAuint32 pid, HsaMemoryRange *local,
				  HSAuint64 local_count, HsaMemoryRange *remote,
				  HSAuint64 remote_count, HSAuint64 *copied_bytes)
{
	(void)ctx, (void)pid, (void)local, (void)local_count;
	(void)remote, (void)remote_count, (void)copied_bytes;
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS kmt_process_vm_write(struct kmt_context *ctx, HSAuint32 pid, HsaMemoryRange *local,
				   HSAuint64 local_count, HsaMemoryRange *remote,
				   HSAuint64 remote_count, HSAuint64 *copied_bytes)
{
	(void)ctx, (void)pid, (void)local, (void)local_count;
	(void)remote, (void)remote_count, (void)copied_bytes;
	return HSAKMT_STATUS_NOT_IMPLEMENTED;
}
