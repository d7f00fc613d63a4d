/* SPDX-License-Identifier: MIT */
/* QUERY_INFO: what the machine is (virtio.md 5). */
#include <amdgpu.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "virtio/host/host-internal.h"

#define GEM_MMAP_COMMAND 1u /* the one libdrm command that holds no pointer */

typedef const struct vhsakmt_ccmd_query_info_req query_req;
typedef struct vhsakmt_ccmd_query_info_rsp query_rsp;

/* The first GPU's render node, asked without the thunk: device handles are not for guests. */
static int32_t gpu_info(const struct virtio_host *host, struct amdgpu_gpu_info *info)
{
	uint32_t node = 0, major, minor;
	amdgpu_device_handle device;
	int fd, rc;

	while (node < host->node_count && !host_is_gpu(host, node))
		node++;
	if (node == host->node_count)
		return -ENODEV;
	fd = drmOpenRender(host->nodes[node].DrmRenderMinor);
	if (fd < 0)
		return -ENODEV;
	rc = amdgpu_device_initialize(fd, &major, &minor, &device);
	if (rc == 0) {
		rc = amdgpu_query_gpu_info(device, info);
		(void)amdgpu_device_deinitialize(device);
	}
	close(fd);
	return rc;
}

static int node_memory(struct host_call *call, query_req *req)
{
	const struct query_req_node_mem_prop_args *args = &req->node_mem_prop_args;
	query_rsp *rsp;

	if (args->NumBanks > VIRTIO_MEM_BANKS_MAX)
		return -EINVAL;
	rsp = host_reply(call, args->NumBanks * sizeof(HsaMemoryProperties));
	if (!rsp)
		return -ENOMEM;
	call->ret = hsaKmtGetNodeMemoryPropertiesCtx(call->ctx->kfd, args->NodeId, args->NumBanks,
						     (void *)rsp->payload);
	return 0;
}

static int node_caches(struct host_call *call, query_req *req)
{
	const struct query_req_node_cache_prop_args *args = &req->node_cache_prop_args;
	uint32_t most = call->ctx->revision == VIRTIO_REVISION_1 ? VIRTIO_CACHES_MAX_R1
								 : VIRTIO_CACHES_MAX_R2;
	query_rsp *rsp;

	if (args->NumCaches > most)
		return -EINVAL;
	rsp = host_reply(call, args->NumCaches * sizeof(HsaCacheProperties));
	if (!rsp)
		return -ENOMEM;
	call->ret = hsaKmtGetNodeCachePropertiesCtx(call->ctx->kfd, args->NodeId, args->ProcessorId,
						    args->NumCaches, (void *)rsp->payload);
	return 0;
}

static int node_links(struct host_call *call, query_req *req)
{
	const struct query_req_node_io_link_args *args = &req->node_io_link_args;
	uint32_t most = call->ctx->revision == VIRTIO_REVISION_1 ? VIRTIO_IO_LINKS_MAX_R1
								 : VIRTIO_IO_LINKS_MAX_R2;
	query_rsp *rsp;

	if (args->NumIoLinks > most)
		return -EINVAL;
	rsp = host_reply(call, args->NumIoLinks * sizeof(HsaIoLinkProperties));
	if (!rsp)
		return -ENOMEM;
	call->ret = hsaKmtGetNodeIoLinkPropertiesCtx(call->ctx->kfd, args->NodeId, args->NumIoLinks,
						     (void *)rsp->payload);
	return 0;
}

/* Only pointers of the guest's own; addresses of this process are not told. */
static int pointer_info(struct host_call *call, query_req *req)
{
	const struct object *object = object_at(call->ctx, req->pointer, 1);
	HsaPointerInfo info = { 0 };
	query_rsp *rsp;
	size_t nodes = 0;

	call->ret = HSAKMT_STATUS_INVALID_PARAMETER;
	if (object)
		call->ret = hsaKmtQueryPointerInfoCtx(call->ctx->kfd,
						      (const void *)(uintptr_t)req->pointer, &info);
	if (call->ret == HSAKMT_STATUS_SUCCESS && info.MappedNodes)
		nodes = info.NMappedNodes < HOST_NODES_MAX ? info.NMappedNodes : HOST_NODES_MAX;
	rsp = host_reply(call, nodes * sizeof(uint32_t));
	if (!rsp)
		return -ENOMEM;
	if (nodes)
		memcpy(rsp->payload, info.MappedNodes, nodes * sizeof(uint32_t));
	info.NMappedNodes = (HSAuint32)nodes;
	info.MappedNodes = info.RegisteredNodes = NULL;
	info.NRegisteredNodes = 0;
	info.UserData = NULL;
	rsp->ptr_info = info;
	return 0;
}

static int tile_config(struct host_call *call, query_req *req)
{
	HsaGpuTileConfig config = req->tile_config_args.config;
	uint32_t tiles = config.NumTileConfigs, macros = config.NumMacroTileConfigs;
	query_rsp *rsp;

	if (tiles > VIRTIO_TILE_CONFIG_MAX || macros > VIRTIO_TILE_CONFIG_MAX)
		return -EINVAL;
	rsp = host_reply(call, (tiles + macros) * sizeof(uint32_t));
	if (!rsp)
		return -ENOMEM;
	config.TileConfig = (void *)rsp->payload;
	config.MacroTileConfig = config.TileConfig + tiles;
	call->ret = hsaKmtGetTileConfigCtx(call->ctx->kfd, req->tile_config_args.NodeId, &config);
	config.TileConfig = req->tile_config_args.config.TileConfig;
	config.MacroTileConfig = req->tile_config_args.config.MacroTileConfig;
	rsp->tile_config_rsp = config;
	return 0;
}

/*
 * A number for the node in place of both the handle and the descriptor. The real handle must exist,
 * or else the guest would find out at its first use only.
 */
static int device_handle(struct host_call *call, query_req *req)
{
	query_rsp *rsp = host_reply(call, 0);

	if (!rsp)
		return -ENOMEM;
	call->ret = HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (!host_is_gpu(call->ctx->host, req->NodeID))
		return 0;
	call->ret = HSAKMT_STATUS_ERROR;
	if (!host_amdgpu(call->ctx, req->NodeID))
		return 0;
	call->ret = HSAKMT_STATUS_SUCCESS;
	rsp->device_handle_rsp.amdgpu_device_handle = req->NodeID + 1;
	rsp->device_handle_rsp.fd = req->NodeID + 1;
	return 0;
}

/*
 * Most commands of the driver hold pointers, which the kernel would take for this process's; of all
 * others a guest has no need.
 */
static int drm_command(struct host_call *call, query_req *req)
{
	const struct query_drm_cmd_write_read_args *args = &req->drm_cmd_write_read_args;
	struct amdgpu_device *device = NULL;
	query_rsp *rsp;
	uint64_t data = 0;
	bool known = false;

	if (args->size > VIRTIO_DRM_COMMAND_BYTES || args->size > call->payload_bytes)
		return -EINVAL;
	rsp = host_reply(call, args->size);
	if (!rsp)
		return -ENOMEM;
	memcpy(rsp->payload, req->payload, args->size);
	call->ret = -EACCES;
	if (args->drmCommandIndex != GEM_MMAP_COMMAND || args->size != sizeof(data))
		return 0;
	memcpy(&data, req->payload, sizeof(data));
	for (struct object *object = call->ctx->objects; object && !known; object = object->next) {
		uint32_t handle;

		known = object->kind == OBJECT_BUFFER && object->node_id + 1 == args->fd &&
			amdgpu_bo_export(object->buffer, amdgpu_bo_handle_type_kms, &handle) == 0 &&
			handle == (uint32_t)data;
	}
	call->ret = -ENOENT;
	if (known)
		device = host_amdgpu(call->ctx, (uint32_t)args->fd - 1);
	if (device)
		call->ret = drmCommandWriteRead(amdgpu_device_get_fd(device), GEM_MMAP_COMMAND,
						rsp->payload, args->size);
	return 0;
}

/* One guest at a time streams the counters of a node: they are the machine's, not a process's. */
static int32_t spm_claim(struct virtio_context *ctx, uint32_t node, bool take)
{
	struct virtio_host *host = ctx->host;
	int32_t ret = HSAKMT_STATUS_INVALID_NODE_UNIT;

	if (!host_is_gpu(host, node))
		return ret;
	pthread_mutex_lock(&host->lock);
	if (take ? host->spm_owner[node] != NULL : host->spm_owner[node] != ctx) {
		ret = HSAKMT_STATUS_UNAVAILABLE;
	} else {
		ret = take ? hsaKmtSPMAcquire(node) : hsaKmtSPMRelease(node);
		if (ret == HSAKMT_STATUS_SUCCESS)
			host->spm_owner[node] = take ? ctx : NULL;
	}
	pthread_mutex_unlock(&host->lock);
	return ret;
}

/* Only we could change that it is ours. */
static bool spm_is_owned(struct virtio_context *ctx, uint32_t node)
{
	bool owned;

	if (node >= ctx->host->node_count)
		return false;
	pthread_mutex_lock(&ctx->host->lock);
	owned = ctx->host->spm_owner[node] == ctx;
	pthread_mutex_unlock(&ctx->host->lock);
	return owned;
}

static int spm_buffer(struct host_call *call, query_req *req)
{
	const struct query_spm_set_dst_buffer_args *args = &req->spm_set_dst_buffer_args;
	struct virtio_context *ctx = call->ctx;
	uint32_t size = args->SizeInBytes, timeout = args->timeout, copied = 0;
	void *target = (void *)(uintptr_t)args->DestMemoryAddress;
	bool lost = false;
	query_rsp *rsp;

	if (args->res_id == 0 && size > VIRTIO_SPM_BYTES_MAX)
		return -EINVAL;
	rsp = host_reply(call, args->res_id ? 0 : size);
	if (!rsp)
		return -ENOMEM;
	call->ret = HSAKMT_STATUS_INVALID_PARAMETER;
	if (args->res_id) {
		const struct object *object = object_at(ctx, args->DestMemoryAddress, size);

		if (!object || object->res_id != args->res_id || object->kind != OBJECT_MEMORY ||
		    !object->flags.ui32.HostAccess)
			return 0;
	} else {
		target = args->DestMemoryAddress ? rsp->payload : NULL;
	}
	if (!spm_is_owned(ctx, args->PreferredNode)) {
		call->ret = HSAKMT_STATUS_UNAVAILABLE;
		return 0;
	}
	if (timeout > 100) /* a guest must not hold its own stream for ever */
		timeout = 100;
	call->ret =
		hsaKmtSPMSetDestBuffer(args->PreferredNode, size, &timeout, &copied, target, &lost);
	rsp->spm_set_dst_buffer_rsp.SizeCopied = copied;
	rsp->spm_set_dst_buffer_rsp.timeout = timeout;
	rsp->spm_set_dst_buffer_rsp.IsTileDataLoss = lost;
	return 0;
}

static int32_t open_kfd(const struct virtio_context *ctx, query_req *req, query_rsp *rsp)
{
	if (req->open_kfd_args.cur_vm_start >= ctx->base)
		return HSAKMT_STATUS_ERROR;
	rsp->open_kfd_rsp.vm_start = ctx->base;
	rsp->open_kfd_rsp.vm_size = ctx->total_bytes;
	return HSAKMT_STATUS_SUCCESS;
}

static int32_t runtime_enable(const struct virtio_context *ctx, query_req *req)
{
	int32_t ret = hsaKmtRuntimeEnableCtx(ctx->kfd, NULL, req->run_time_enable_args.setupTtmp);

	return ret == HSAKMT_STATUS_UNAVAILABLE ? HSAKMT_STATUS_SUCCESS : ret;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int32_t simple(struct virtio_context *ctx, query_req *req, query_rsp *rsp)
{
	switch ((enum virtio_query)req->type) {
	case VIRTIO_QUERY_GPU_INFO:
		return gpu_info(ctx->host, &rsp->gpu_info);
	case VIRTIO_QUERY_OPEN_KFD:
		return open_kfd(ctx, req, rsp);
	case VIRTIO_QUERY_GET_VER:
		return hsaKmtGetVersion(&rsp->kfd_version);
	case VIRTIO_QUERY_GET_SYS_PROP:
		return hsaKmtAcquireSystemPropertiesCtx(ctx->kfd, &rsp->sys_props);
	case VIRTIO_QUERY_GET_NODE_PROP:
		return hsaKmtGetNodePropertiesCtx(ctx->kfd, req->NodeID, &rsp->node_props);
	case VIRTIO_QUERY_GET_XNACK_MODE:
		return hsaKmtGetXNACKModeCtx(ctx->kfd, &rsp->xnack_mode);
	case VIRTIO_QUERY_SET_XNACK_MODE:
		return hsaKmtSetXNACKModeCtx(ctx->kfd, (HSAint32)req->xnack_mode);
	case VIRTIO_QUERY_RUN_TIME_ENABLE:
		return runtime_enable(ctx, req);
	case VIRTIO_QUERY_GET_CLOCK_COUNTERS:
		return hsaKmtGetClockCountersCtx(ctx->kfd, req->NodeID, &rsp->clock_counters);
	case VIRTIO_QUERY_NANO_TIME:
		rsp->nano_time_rsp.nano_time = now_ns();
		return 0;
	case VIRTIO_QUERY_GET_RUNTIME_CAPS:
		return hsaKmtGetRuntimeCapabilitiesCtx(ctx->kfd, &rsp->caps);
	case VIRTIO_QUERY_SPM_ACQUIRE:
		return spm_claim(ctx, req->NodeID, true);
	case VIRTIO_QUERY_SPM_RELEASE:
		return spm_claim(ctx, req->NodeID, false);
	case VIRTIO_QUERY_REL_SYS_PROP:     /* this and the next: the host's state is */
	case VIRTIO_QUERY_RUN_TIME_DISABLE: /* not one guest's to end */
		return 0;
	case VIRTIO_QUERY_GET_NOD_MEM_PROP:
	case VIRTIO_QUERY_GET_NOD_CACHE_PROP:
	case VIRTIO_QUERY_GET_NOD_IO_LINK_PROP:
	case VIRTIO_QUERY_POINTER_INFO:
	case VIRTIO_QUERY_TILE_CONFIG:
	case VIRTIO_QUERY_AMDGPU_DEVICE_HANDLE:
	case VIRTIO_QUERY_DRM_CMD_WRITE_READ:
	case VIRTIO_QUERY_SPM_SET_DST_BUFFER:
	case VIRTIO_QUERY_COUNT:
		break;
	}
	return -EINVAL;
}

int host_query(struct host_call *call)
{
	static int (*const with_payload[VIRTIO_QUERY_COUNT])(struct host_call *, query_req *) = {
		[VIRTIO_QUERY_GET_NOD_MEM_PROP] = node_memory,
		[VIRTIO_QUERY_GET_NOD_CACHE_PROP] = node_caches,
		[VIRTIO_QUERY_GET_NOD_IO_LINK_PROP] = node_links,
		[VIRTIO_QUERY_POINTER_INFO] = pointer_info,
		[VIRTIO_QUERY_TILE_CONFIG] = tile_config,
		[VIRTIO_QUERY_AMDGPU_DEVICE_HANDLE] = device_handle,
		[VIRTIO_QUERY_DRM_CMD_WRITE_READ] = drm_command,
		[VIRTIO_QUERY_SPM_SET_DST_BUFFER] = spm_buffer,
	};
	query_req *req = call->request;
	query_rsp *rsp;

	if (with_payload[call->type])
		return with_payload[call->type](call, req);
	rsp = host_reply(call, 0);
	if (!rsp)
		return -ENOMEM;
	call->ret = simple(call->ctx, req, rsp);
	return 0;
}
