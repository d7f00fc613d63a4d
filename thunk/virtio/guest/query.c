/* SPDX-License-Identifier: MIT */
/* What the machine is, as the host says (virtio.md 5, Query). */
#include <stdlib.h>
#include <string.h>

#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

#define NOT_OPENED HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED

typedef struct vhsakmt_ccmd_query_info_req query_req;
typedef struct vhsakmt_ccmd_query_info_rsp query_rsp;

static HSAKMT_STATUS send_query(struct vkmt_device *device, const query_req *req, query_rsp *rsp)
{
	int rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, req, sizeof(*req), rsp, sizeof(*rsp));

	return vkmt_status(rc, rc == 0 ? rsp->ret : 0);
}

/* A query whose answer is rows: copies them out on success. */
static HSAKMT_STATUS query_rows(struct vkmt_device *device, const query_req *req, void *rows,
				size_t bytes)
{
	query_rsp *rsp = calloc(1, sizeof(*rsp) + bytes);
	HSAKMT_STATUS status;
	int rc;

	if (!rsp)
		return HSAKMT_STATUS_NO_MEMORY;
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, req, sizeof(*req), rsp, sizeof(*rsp) + bytes);
	status = vkmt_status(rc, rc == 0 ? rsp->ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS)
		memcpy(rows, rsp->payload, bytes);
	free(rsp);
	return status;
}

HSAKMT_STATUS vkmt_get_version(HsaVersionInfo *VersionInfo)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_VER };
	query_rsp rsp;
	HSAKMT_STATUS status;

	if (!device)
		return NOT_OPENED;
	if (!VersionInfo)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = send_query(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS)
		*VersionInfo = rsp.kfd_version;
	return status;
}

HSAKMT_STATUS vkmt_acquire_system_properties(HsaSystemProperties *SystemProperties)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_SYS_PROP };
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	query_rsp rsp;

	if (!device)
		return NOT_OPENED;
	if (!SystemProperties)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&device->cache_lock);
	if (!device->has_system) {
		status = send_query(device, &req, &rsp);
		if (status == HSAKMT_STATUS_SUCCESS) {
			device->system = rsp.sys_props;
			device->has_system = true;
		}
	}
	if (status == HSAKMT_STATUS_SUCCESS)
		*SystemProperties = device->system;
	pthread_mutex_unlock(&device->cache_lock);
	return status;
}

HSAKMT_STATUS vkmt_release_system_properties(void)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_REL_SYS_PROP };
	query_rsp rsp;

	if (!device)
		return NOT_OPENED;
	pthread_mutex_lock(&device->cache_lock);
	device->has_system = false;
	pthread_mutex_unlock(&device->cache_lock);
	return send_query(device, &req, &rsp);
}

/* A guest has neither global wave sync nor shared virtual memory, in revision 2. */
static void limit_node(const struct vkmt_device *device, HsaNodeProperties *node)
{
	if (device->revision == VIRTIO_REVISION_1)
		return;
	node->NumGws = 0;
	node->Capability.ui32.SVMAPISupported = 0;
}

HSAKMT_STATUS vkmt_get_node_properties(HSAuint32 NodeId, HsaNodeProperties *NodeProperties)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_NODE_PROP, .NodeID = NodeId };
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	query_rsp rsp;

	if (!device)
		return NOT_OPENED;
	if (!NodeProperties)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	pthread_mutex_lock(&device->cache_lock);
	if (!device->has_system || /* acquired properties come first */
	    NodeId >= VKMT_NODES_MAX || NodeId >= device->system.NumNodes)
		status = HSAKMT_STATUS_INVALID_NODE_UNIT;
	else if (!device->has_node[NodeId]) {
		status = send_query(device, &req, &rsp);
		if (status == HSAKMT_STATUS_SUCCESS) {
			limit_node(device, &rsp.node_props);
			device->nodes[NodeId] = rsp.node_props;
			device->has_node[NodeId] = true;
		}
	}
	if (status == HSAKMT_STATUS_SUCCESS)
		*NodeProperties = device->nodes[NodeId];
	pthread_mutex_unlock(&device->cache_lock);
	return status;
}

HSAKMT_STATUS vkmt_get_node_memory_properties(HSAuint32 NodeId, HSAuint32 NumBanks,
					      HsaMemoryProperties *MemoryProperties)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_NOD_MEM_PROP };

	if (!device)
		return NOT_OPENED;
	if (!MemoryProperties || NumBanks > VIRTIO_MEM_BANKS_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.node_mem_prop_args.NodeId = NodeId;
	req.node_mem_prop_args.NumBanks = NumBanks;
	return query_rows(device, &req, MemoryProperties, NumBanks * sizeof(*MemoryProperties));
}

HSAKMT_STATUS vkmt_get_node_cache_properties(HSAuint32 NodeId, HSAuint32 ProcessorId,
					     HSAuint32 NumCaches,
					     HsaCacheProperties *CacheProperties)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_NOD_CACHE_PROP };

	if (!device)
		return NOT_OPENED;
	if (!CacheProperties || NumCaches > VIRTIO_CACHES_MAX_R2)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.node_cache_prop_args.NodeId = NodeId;
	req.node_cache_prop_args.ProcessorId = ProcessorId;
	req.node_cache_prop_args.NumCaches = NumCaches;
	return query_rows(device, &req, CacheProperties, NumCaches * sizeof(*CacheProperties));
}

HSAKMT_STATUS vkmt_get_node_io_link_properties(HSAuint32 NodeId, HSAuint32 NumIoLinks,
					       HsaIoLinkProperties *IoLinkProperties)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_NOD_IO_LINK_PROP };

	if (!device)
		return NOT_OPENED;
	if (!IoLinkProperties || NumIoLinks > VIRTIO_IO_LINKS_MAX_R2)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	req.node_io_link_args.NodeId = NodeId;
	req.node_io_link_args.NumIoLinks = NumIoLinks;
	return query_rows(device, &req, IoLinkProperties, NumIoLinks * sizeof(*IoLinkProperties));
}

HSAKMT_STATUS vkmt_get_clock_counters(HSAuint32 NodeId, HsaClockCounters *Counters)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_CLOCK_COUNTERS, .NodeID = NodeId };
	query_rsp rsp;
	HSAKMT_STATUS status;

	if (!device)
		return NOT_OPENED;
	if (!Counters)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = send_query(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS)
		*Counters = rsp.clock_counters;
	return status;
}

HSAKMT_STATUS vkmt_get_tile_config(HSAuint32 NodeId, HsaGpuTileConfig *config)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_TILE_CONFIG };
	struct {
		query_rsp rsp;
		uint32_t words[2 * VIRTIO_TILE_CONFIG_MAX];
	} answer;
	HSAuint32 *tiles, *macros, tile_room, macro_room;
	HSAKMT_STATUS status;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!config || config->NumTileConfigs > VIRTIO_TILE_CONFIG_MAX ||
	    config->NumMacroTileConfigs > VIRTIO_TILE_CONFIG_MAX || !config->TileConfig ||
	    !config->MacroTileConfig)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	tiles = config->TileConfig;
	macros = config->MacroTileConfig;
	tile_room = config->NumTileConfigs;
	macro_room = config->NumMacroTileConfigs;
	req.tile_config_args.config = *config;
	req.tile_config_args.NodeId = NodeId;
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &answer, sizeof(answer));
	status = vkmt_status(rc, rc == 0 ? answer.rsp.ret : 0);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	memcpy(tiles, answer.words, tile_room * sizeof(*tiles));
	memcpy(macros, answer.words + tile_room, macro_room * sizeof(*macros));
	*config = answer.rsp.tile_config_rsp;
	config->TileConfig = tiles;
	config->MacroTileConfig = macros;
	return status;
}

HSAKMT_STATUS vkmt_get_xnack_mode(HSAint32 *enable)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_XNACK_MODE };
	query_rsp rsp;
	HSAKMT_STATUS status;

	if (!device)
		return NOT_OPENED;
	if (!enable)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = send_query(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS)
		*enable = rsp.xnack_mode;
	return status;
}

HSAKMT_STATUS vkmt_set_xnack_mode(HSAint32 enable)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_SET_XNACK_MODE, .xnack_mode = (uint32_t)enable };
	query_rsp rsp;

	return device ? send_query(device, &req, &rsp) : NOT_OPENED;
}

HSAKMT_STATUS vkmt_runtime_enable(void *rDebug, bool setupTtmp)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_RUN_TIME_ENABLE };
	query_rsp rsp;

	(void)rDebug; /* a pointer for a debugger in the guest: the host could not read it */
	req.run_time_enable_args.setupTtmp = setupTtmp;
	return device ? send_query(device, &req, &rsp) : NOT_OPENED;
}

HSAKMT_STATUS vkmt_runtime_disable(void)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_RUN_TIME_DISABLE };
	query_rsp rsp;

	return device ? send_query(device, &req, &rsp) : NOT_OPENED;
}

HSAKMT_STATUS vkmt_get_runtime_capabilities(HSAuint32 *caps_mask)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_GET_RUNTIME_CAPS };
	query_rsp rsp;
	HSAKMT_STATUS status;

	if (!device)
		return NOT_OPENED;
	if (!caps_mask)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = send_query(device, &req, &rsp);
	if (status == HSAKMT_STATUS_SUCCESS)
		*caps_mask = rsp.caps;
	return status;
}

HSAKMT_STATUS vkmt_spm_acquire(HSAuint32 PreferredNode)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_SPM_ACQUIRE, .NodeID = PreferredNode };
	query_rsp rsp;

	return device ? send_query(device, &req, &rsp) : NOT_OPENED;
}

HSAKMT_STATUS vkmt_spm_release(HSAuint32 PreferredNode)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_SPM_RELEASE, .NodeID = PreferredNode };
	query_rsp rsp;

	return device ? send_query(device, &req, &rsp) : NOT_OPENED;
}

/* Memory that the host shares is written there; anything else travels in the answer. */
HSAKMT_STATUS vkmt_spm_set_dest_buffer(HSAuint32 PreferredNode, HSAuint32 SizeInBytes,
				       HSAuint32 *timeout, HSAuint32 *SizeCopied,
				       void *DestMemoryAddress, bool *isSPMDataLoss)
{
	struct vkmt_device *device = vkmt_device();
	query_req req = { .type = VIRTIO_QUERY_SPM_SET_DST_BUFFER };
	struct query_spm_set_dst_buffer_args *args = &req.spm_set_dst_buffer_args;
	HSAKMT_STATUS status = HSAKMT_STATUS_NO_MEMORY;
	size_t bytes = 0;
	struct vkmt_bo *bo;
	query_rsp *rsp;
	int rc;

	if (!device)
		return NOT_OPENED;
	if (!timeout || !SizeCopied || !isSPMDataLoss)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	args->PreferredNode = PreferredNode;
	args->SizeInBytes = SizeInBytes;
	args->timeout = *timeout;
	args->DestMemoryAddress = (uintptr_t)DestMemoryAddress;
	pthread_mutex_lock(&device->bo_lock);
	bo = vkmt_bo_holding(device, (uintptr_t)DestMemoryAddress);
	if (bo && bo->kind == VKMT_BO_MEMORY)
		args->res_id = bo->res_id;
	pthread_mutex_unlock(&device->bo_lock);
	if (DestMemoryAddress && !args->res_id)
		bytes = SizeInBytes;
	if (bytes > VIRTIO_SPM_BYTES_MAX)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	rsp = calloc(1, sizeof(*rsp) + bytes);
	if (!rsp)
		return status;
	rc = vkmt_send(device, VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), rsp, sizeof(*rsp) + bytes);
	status = vkmt_status(rc, rc == 0 ? rsp->ret : 0);
	if (status == HSAKMT_STATUS_SUCCESS) {
		*timeout = rsp->spm_set_dst_buffer_rsp.timeout;
		*SizeCopied = rsp->spm_set_dst_buffer_rsp.SizeCopied;
		*isSPMDataLoss = rsp->spm_set_dst_buffer_rsp.IsTileDataLoss;
		if (bytes)
			memcpy(DestMemoryAddress, rsp->payload, bytes);
	}
	free(rsp);
	return status;
}

HSAKMT_STATUS vkmt_model_enabled(bool *enable)
{
	if (!enable)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*enable = false;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS vkmt_open_smi(HSAuint32 NodeId, int *fd)
{
	(void)NodeId;
	(void)fd;
	return vkmt_device() ? HSAKMT_STATUS_NOT_SUPPORTED : NOT_OPENED;
}
