/* SPDX-License-Identifier: MIT */
/* QUERY_INFO and NOP. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"

#define GEM_MMAP 1ul

typedef struct vhsakmt_ccmd_query_info_req query_req;
typedef struct vhsakmt_ccmd_query_info_rsp query_rsp;

static bool nop(void)
{
	const struct vhsakmt_ccmd_nop_req req = { 0 };

	return by_hand(VIRTIO_CMD_NOP, &req, sizeof(req), NULL, 0);
}

static bool gpu_info(void)
{
	struct amdgpu_gpu_info info = { 0 };

	return HOLDS(vamdgpu_query_gpu_info(NULL, &info) == 0) && HOLDS(info.gpu_counter_freq != 0);
}

static bool open_again(void)
{
	return OK(vhsaKmtOpenKFD());
}

static bool version(void)
{
	HsaVersionInfo info = { 0 };

	return OK(vhsaKmtGetVersion(&info)) && HOLDS(info.KernelInterfaceMajorVersion == 1);
}

static bool release(void)
{
	HsaSystemProperties system;

	/* The next rows need them. */
	return OK(vhsaKmtReleaseSystemProperties()) && OK(vhsaKmtAcquireSystemProperties(&system));
}

static bool system_properties(void)
{
	HsaSystemProperties system = { 0 };

	return OK(vhsaKmtReleaseSystemProperties()) &&
	       OK(vhsaKmtAcquireSystemProperties(&system)) && HOLDS(system.NumNodes > gpu);
}

static bool node_properties(void)
{
	HsaNodeProperties node = { 0 };

	return OK(vhsaKmtGetNodeProperties(gpu, &node)) &&
	       HOLDS(node.KFDGpuID == gpu_properties.KFDGpuID);
}

static bool xnack(void)
{
	HSAint32 mode = 7;

	return OK(vhsaKmtGetXNACKMode(&mode)) && HOLDS(mode == 0 || mode == 1);
}

static bool set_xnack(void)
{
	HSAint32 before = 0, mode = 7;

	if (!OK(vhsaKmtGetXNACKMode(&before)) ||
	    vhsaKmtSetXNACKMode(!before) != HSAKMT_STATUS_SUCCESS)
		return false;
	return OK(vhsaKmtGetXNACKMode(&mode)) && HOLDS(mode == !before) &&
	       OK(vhsaKmtSetXNACKMode(before));
}

static bool runtime_enable(void)
{
	HSAKMT_STATUS status = vhsaKmtRuntimeEnable(NULL, false);

	return HOLDS(status == HSAKMT_STATUS_SUCCESS ||
		     (!shares_primary && status == HSAKMT_STATUS_NOT_SUPPORTED));
}

static bool runtime_disable(void)
{
	return OK(vhsaKmtRuntimeDisable());
}

static bool memory_banks(void)
{
	HsaMemoryProperties banks[8] = { 0 };

	return HOLDS(gpu_properties.NumMemoryBanks <= 8) &&
	       OK(vhsaKmtGetNodeMemoryProperties(gpu, gpu_properties.NumMemoryBanks, banks)) &&
	       HOLDS(banks[0].SizeInBytes != 0);
}

static bool caches(void)
{
	HsaCacheProperties rows[128] = { 0 };
	HSAuint32 count = gpu_properties.NumCaches < 128 ? gpu_properties.NumCaches : 128;

	return OK(vhsaKmtGetNodeCacheProperties(gpu, gpu_properties.FComputeIdLo, count, rows)) &&
	       HOLDS(rows[count - 1].CacheLevel >= 1 && rows[count - 1].CacheLevel <= 3) &&
	       HOLDS(rows[0].CacheSize != 0);
}

static bool links(void)
{
	HsaIoLinkProperties rows[64] = { 0 };

	return HOLDS(gpu_properties.NumIOLinks >= 1 && gpu_properties.NumIOLinks <= 64) &&
	       OK(vhsaKmtGetNodeIoLinkProperties(gpu, gpu_properties.NumIOLinks, rows)) &&
	       HOLDS(rows[0].NodeFrom == gpu && rows[0].NodeTo != gpu);
}

static bool clocks(void)
{
	HsaClockCounters first = { 0 }, second = { 0 };

	return OK(vhsaKmtGetClockCounters(gpu, &first)) &&
	       OK(vhsaKmtGetClockCounters(gpu, &second)) && HOLDS(first.GPUClockCounter != 0) &&
	       HOLDS(second.CPUClockCounter > first.CPUClockCounter);
}

static bool pointer_info(void)
{
	void *memory = take_vram(2 * PAGE);
	HsaPointerInfo info = { 0 };
	bool good;

	good = memory && OK(vhsaKmtQueryPointerInfo((char *)memory + PAGE, &info)) &&
	       HOLDS(info.Type == HSA_POINTER_ALLOCATED) && HOLDS(info.CPUAddress == memory) &&
	       HOLDS(info.SizeInBytes == 2 * PAGE) && HOLDS(info.Node == gpu);
	return OK(vhsaKmtFreeMemory(memory, 2 * PAGE)) && good;
}

static bool tile_config(void)
{
	HSAuint32 tiles[32], macros[16];
	HsaGpuTileConfig config = { .TileConfig = tiles,
				    .MacroTileConfig = macros,
				    .NumTileConfigs = 32,
				    .NumMacroTileConfigs = 16 };

	memset(tiles, 0xee, sizeof(tiles));
	return OK(vhsaKmtGetTileConfig(gpu, &config)) &&
	       HOLDS(config.TileConfig == tiles && config.MacroTileConfig == macros) &&
	       HOLDS(config.NumTileConfigs <= 32 && config.NumMacroTileConfigs <= 16) &&
	       HOLDS(config.GbAddrConfig != 0) &&
	       HOLDS(!config.NumTileConfigs || tiles[0] != 0xeeeeeeee);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The host is on this machine, so that there is one clock. */
static bool host_time(void)
{
	query_req req = { .type = VIRTIO_QUERY_NANO_TIME };
	uint64_t before = now_ns();
	query_rsp rsp;

	return HOLDS(by_hand(VIRTIO_CMD_QUERY_INFO, &req, sizeof(req), &rsp, sizeof(rsp))) &&
	       HOLDS(rsp.nano_time_rsp.nano_time >= before) &&
	       HOLDS(rsp.nano_time_rsp.nano_time <= now_ns());
}

static bool runtime_capabilities(void)
{
	HSAuint32 caps = 0x5a5a5a5a;

	return OK(vhsaKmtGetRuntimeCapabilities(&caps)) && HOLDS(caps != 0x5a5a5a5a);
}

static bool device_handle(void)
{
	HsaAMDGPUDeviceHandle handle = NULL;

	return vhsaKmtGetAMDGPUDeviceHandle(gpu, &handle) == HSAKMT_STATUS_SUCCESS && handle &&
	       HOLDS(vamdgpu_device_get_fd((amdgpu_device_handle)handle) >= 0);
}

/* Where to map a buffer object of the guest's. */
static bool drm_command(void)
{
	struct amdgpu_bo_import_result bo = { 0 };
	HsaAMDGPUDeviceHandle handle = NULL;
	void *memory = take_vram(PAGE);
	HSAuint64 offset;
	uint64_t data = 0;
	uint32_t kms = 0;
	int fd = -1, drm;
	bool good;

	good = memory && vhsaKmtGetAMDGPUDeviceHandle(gpu, &handle) == HSAKMT_STATUS_SUCCESS &&
	       vhsaKmtExportDMABufHandle(memory, PAGE, &fd, &offset) == HSAKMT_STATUS_SUCCESS;
	drm = good ? vamdgpu_device_get_fd((amdgpu_device_handle)handle) : 1;
	if (good)
		good = HOLDS(vamdgpu_bo_import((amdgpu_device_handle)handle,
					       amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)fd,
					       &bo) == 0) &&
		       HOLDS(vamdgpu_bo_export(bo.buf_handle, amdgpu_bo_handle_type_kms, &kms) ==
			     0);
	data = kms;
	good = vdrmCommandWriteRead(drm, GEM_MMAP, &data, sizeof(data)) == 0 && good;
	if (bo.buf_handle) {
		uint64_t stranger = 0x7fff;

		good = HOLDS(data != kms) && good;
		good = HOLDS(vdrmCommandWriteRead(drm, GEM_MMAP, &stranger, sizeof(stranger)) <
			     0) &&
		       good;
		good = HOLDS(vdrmCommandWriteRead(drm, 0, &stranger, sizeof(stranger)) < 0) && good;
		good = HOLDS(vamdgpu_bo_free(bo.buf_handle) == 0) && good;
	}
	if (fd >= 0)
		close(fd);
	return OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
}

static bool spm_acquire(void)
{
	return vhsaKmtSPMAcquire(gpu) == HSAKMT_STATUS_SUCCESS && OK(vhsaKmtSPMRelease(gpu));
}

static bool spm_release(void)
{
	if (vhsaKmtSPMRelease(gpu) == HSAKMT_STATUS_SUCCESS)
		return HOLDS(!"nobody has acquired it");
	return vhsaKmtSPMAcquire(gpu) == HSAKMT_STATUS_SUCCESS && OK(vhsaKmtSPMRelease(gpu));
}

static bool set_destination(void *target, uint32_t bytes)
{
	HSAuint32 timeout = 10, copied = 99;
	bool lost = true;

	return OK(vhsaKmtSPMSetDestBuffer(gpu, bytes, &timeout, &copied, target, &lost)) &&
	       HOLDS(!lost) && HOLDS(copied <= bytes);
}

/* Into memory of the host's, into our own through the answer, and off again. */
static bool spm_destination(void)
{
	HSAuint32 timeout = 1, copied = 0;
	char own[PAGE] = { 0 };
	bool lost, good;
	void *memory;

	if (vhsaKmtSPMAcquire(gpu) != HSAKMT_STATUS_SUCCESS)
		return vhsaKmtSPMSetDestBuffer(gpu, 0, &timeout, &copied, NULL, &lost) ==
		       HSAKMT_STATUS_SUCCESS;
	memory = take_system(PAGE);
	good = memory && set_destination(memory, PAGE);
	good = set_destination(own, sizeof(own)) && good;
	good = set_destination(NULL, 0) && good;
	good = OK(vhsaKmtSPMRelease(gpu)) && good;
	return OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
}

const sender send_nop[1] = { nop };

const sender send_query[VIRTIO_QUERY_COUNT] = {
	[VIRTIO_QUERY_GPU_INFO] = gpu_info,
	[VIRTIO_QUERY_OPEN_KFD] = open_again,
	[VIRTIO_QUERY_GET_VER] = version,
	[VIRTIO_QUERY_REL_SYS_PROP] = release,
	[VIRTIO_QUERY_GET_SYS_PROP] = system_properties,
	[VIRTIO_QUERY_GET_NODE_PROP] = node_properties,
	[VIRTIO_QUERY_GET_XNACK_MODE] = xnack,
	[VIRTIO_QUERY_RUN_TIME_ENABLE] = runtime_enable,
	[VIRTIO_QUERY_RUN_TIME_DISABLE] = runtime_disable,
	[VIRTIO_QUERY_GET_NOD_MEM_PROP] = memory_banks,
	[VIRTIO_QUERY_GET_NOD_CACHE_PROP] = caches,
	[VIRTIO_QUERY_GET_NOD_IO_LINK_PROP] = links,
	[VIRTIO_QUERY_GET_CLOCK_COUNTERS] = clocks,
	[VIRTIO_QUERY_POINTER_INFO] = pointer_info,
	[VIRTIO_QUERY_TILE_CONFIG] = tile_config,
	[VIRTIO_QUERY_NANO_TIME] = host_time,
	[VIRTIO_QUERY_GET_RUNTIME_CAPS] = runtime_capabilities,
	[VIRTIO_QUERY_AMDGPU_DEVICE_HANDLE] = device_handle,
	[VIRTIO_QUERY_DRM_CMD_WRITE_READ] = drm_command,
	[VIRTIO_QUERY_SET_XNACK_MODE] = set_xnack,
	[VIRTIO_QUERY_SPM_ACQUIRE] = spm_acquire,
	[VIRTIO_QUERY_SPM_RELEASE] = spm_release,
	[VIRTIO_QUERY_SPM_SET_DST_BUFFER] = spm_destination,
};
