/* SPDX-License-Identifier: MIT */
/* A device entry for core dumps, as the debugger interface would report it (debug.md 3). */
#include "debug/debug.h"

#include <xf86drm.h>

#include "memory/fmm.h"
#include "topology/topology.h"

/* What only PCI knows; stays 0 when the render node cannot be asked. */
static void fill_pci(struct kmt_context *ctx, int minor, struct kfd_dbg_device_info_entry *info)
{
	union device_drm_args args = { .open_render = { .minor = minor, .fd = -1 } };
	drmDevicePtr device = NULL;
	int fd;

	if (minor <= 0 || !ctx->device || kmt_drm(ctx, DEVICE_DRM_OPEN_RENDER, &args))
		return;
	fd = args.open_render.fd;
	if (!drmGetDevice2(fd, DRM_DEVICE_GET_PCI_REVISION, &device)) {
		if (device->bustype == DRM_BUS_PCI) {
			info->revision_id = device->deviceinfo.pci->revision_id;
			info->subsystem_vendor_id = device->deviceinfo.pci->subvendor_id;
			info->subsystem_device_id = device->deviceinfo.pci->subdevice_id;
		}
		drmFreeDevice(&device);
	}
	args = (union device_drm_args){ .close = { .fd = fd } };
	(void)kmt_drm(ctx, DEVICE_DRM_CLOSE, &args); /* nothing depends on it */
}

static void fill_apertures(struct kmt_context *ctx, uint32_t node_id,
			   struct kfd_dbg_device_info_entry *info)
{
	uint64_t base, limit;

	if (kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_LDS, &base, &limit)) {
		info->lds_base = base;
		info->lds_limit = limit;
	}
	if (kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_SCRATCH, &base, &limit)) {
		info->scratch_base = base;
		info->scratch_limit = limit;
	}
	if (kmt_fmm_aperture(ctx, node_id, KMT_APERTURE_GPUVM, &base, &limit)) {
		info->gpuvm_base = base;
		info->gpuvm_limit = limit;
	}
}

HSAKMT_STATUS kmt_get_core_device_info(struct kmt_context *ctx, HSAuint32 gpu_id,
				       struct kfd_dbg_device_info_entry *info)
{
	const HsaNodeProperties *properties;
	uint32_t node_id;

	if (!info)
		return HSAKMT_STATUS_ERROR;
	/* CPU nodes have the gpu id 0, which is none. */
	if (!gpu_id || kmt_topology_node_of_gpu(ctx, gpu_id, &node_id) != HSAKMT_STATUS_SUCCESS)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	properties = kmt_topology_properties(ctx, node_id);
	if (!properties)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	*info = (struct kfd_dbg_device_info_entry){
		.gpu_id = gpu_id,
		.location_id = properties->LocationId,
		.vendor_id = properties->VendorId,
		.device_id = properties->DeviceId,
		.fw_version = properties->EngineId.ui32.uCode,
		.gfx_target_version = properties->EngineId.ui32.Major * 10000 +
				      properties->EngineId.ui32.Minor * 100 +
				      properties->EngineId.ui32.Stepping,
		.simd_count = properties->NumFComputeCores,
		.max_waves_per_simd = properties->MaxWavesPerSIMD,
		.array_count = properties->NumArrays,
		.simd_arrays_per_engine = properties->NumArrays,
		.num_xcc = properties->NumXcc,
		.capability = properties->Capability.Value,
		.debug_prop = (uint32_t)properties->DebugProperties.Value,
	};
	fill_apertures(ctx, node_id, info);
	fill_pci(ctx, properties->DrmRenderMinor, info);
	return HSAKMT_STATUS_SUCCESS;
}
