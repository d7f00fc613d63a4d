/* SPDX-License-Identifier: MIT */
/* Stand-ins for context, topology and memory manager, driven by the test's struct seam. */
#include "seam.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "topology/acquire.h"

struct seam *the_seam;
static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER;

static ssize_t read_file(struct device *dev, const char *path, char *buf, size_t size)
{
	(void)dev;
	for (unsigned int i = 0; i < SEAM_FILES; i++) {
		if (!the_seam->files[i].path || strcmp(the_seam->files[i].path, path))
			continue;
		snprintf(buf, size, "%s", the_seam->files[i].content);
		return (ssize_t)strlen(buf);
	}
	return -ENOENT;
}

static const struct device_ops seam_device_ops = { .name = "seam", .read_file = read_file };

struct seam *seam_new(void)
{
	struct seam *seam = calloc(1, sizeof(*seam));

	if (!seam)
		abort();
	the_seam = seam;
	seam->usable = true;
	seam->ctx.fd = 77;
	seam->ctx.is_primary = true;
	seam->ctx.device = &seam->device;
	seam->device.ops = &seam_device_ops;
	seam->device.topology_root = "/topology";
	seam->process = (struct kmt_process){
		.page_size_bytes = 4096,
		.page_shift = 12,
		.kfd_major = 1,
		.kfd_minor = 19,
		.udmabuf_fd = -1,
		.is_dgpu = true,
	};
	seam->fail_ioctl_nr = -1;
	seam->node_count = 3;
	seam->has_apertures = true;
	seam->nodes[0].NumCPUCores = 8;
	for (uint32_t i = 1; i < 3; i++) {
		seam->gpu_ids[i] = SEAM_GPU_ID + i - 1;
		seam->nodes[i].NumFComputeCores = 416;
		seam->nodes[i].NumSIMDPerCU = 4;
		seam->nodes[i].NumXcc = 1;
		seam->nodes[i].NumShaderBanks = 8;
		seam->nodes[i].NumArrays = 1;
		seam->nodes[i].MaxWavesPerSIMD = 8;
		seam->nodes[i].LDSSizeInKB = 64;
		seam->nodes[i].Capability.ui32.DebugSupportedFirmware = 1;
		seam_set_gfx(seam, i, 9, 0, 10);
	}
	return seam;
}

void seam_free(struct seam *seam)
{
	for (unsigned int i = 0; i < SEAM_ALLOCS; i++)
		free(seam->allocs[i].address);
	free(seam);
	the_seam = NULL;
}

void seam_set_gfx(struct seam *seam, uint32_t node, uint32_t major, uint32_t minor,
		  uint32_t stepping)
{
	seam->nodes[node].EngineId.ui32.Major = major & 0x3F;
	seam->nodes[node].EngineId.ui32.Minor = minor & 0xFF;
	seam->nodes[node].EngineId.ui32.Stepping = stepping & 0xFF;
}

void seam_reset_log(struct seam *seam)
{
	memset(seam->calls, 0, sizeof(seam->calls));
	seam->sequence[0] = '\0';
	seam->log[0] = '\0';
}

/* True when the torture hits this call. */
static bool tortured(void)
{
	return ++the_seam->fallible_calls == the_seam->fail_nth;
}

/* --- Context --- */

struct kmt_context *kmt_primary(void)
{
	return &the_seam->ctx;
}

const struct kmt_process *kmt_process(void)
{
	return &the_seam->process;
}

bool kmt_context_usable(const struct kmt_context *ctx)
{
	return ctx && the_seam->usable;
}

void kmt_global_lock(void)
{
	pthread_mutex_lock(&global);
	the_seam->global_locked = true;
}

void kmt_global_unlock(void)
{
	the_seam->global_locked = false;
	pthread_mutex_unlock(&global);
}

int kmt_ioctl(struct kmt_context *ctx, unsigned long request, void *arg)
{
	struct seam *seam = the_seam;
	unsigned int nr = _IOC_NR(request);
	size_t size = _IOC_SIZE(request);
	size_t used = strlen(seam->sequence);

	(void)ctx;
	seam->calls[nr]++;
	if (used + 4 < sizeof(seam->sequence))
		sprintf(seam->sequence + used, "%02x ", nr);
	memcpy(seam->last_arg[nr], arg, size < 256 ? size : 256);
	if (seam->fail_ioctl_nr == (int)nr) {
		seam->fail_ioctl_nr = -1;
		return -seam->fail_ioctl_errno;
	}
	if (tortured())
		return -EIO;
	return seam->on_ioctl[nr] ? seam->on_ioctl[nr](seam, request, arg) : 0;
}

void *kmt_mmap(struct kmt_context *ctx, void *addr, size_t size_bytes, int prot, int flags, int fd,
	       int64_t offset)
{
	void *address;

	(void)ctx;
	the_seam->last_map_size = size_bytes;
	the_seam->last_map_offset = (uint64_t)offset;
	the_seam->last_map_fd = fd;
	if (fd >= 0 && the_seam->fail_maps) {
		the_seam->fail_maps--;
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (tortured()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	address = mmap(addr, size_bytes, prot, (flags & ~MAP_SHARED) | MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (address != MAP_FAILED)
		the_seam->live_map_bytes += (int64_t)size_bytes;
	return address;
}

int kmt_munmap(struct kmt_context *ctx, void *addr, size_t size_bytes)
{
	(void)ctx;
	the_seam->live_map_bytes -= (int64_t)size_bytes;
	return munmap(addr, size_bytes) ? -errno : 0;
}

int kmt_madvise(struct kmt_context *ctx, void *addr, size_t size_bytes, int advice)
{
	(void)ctx;
	the_seam->last_advice = advice;
	return madvise(addr, size_bytes, advice) ? -errno : 0;
}

void kmt_log(enum kmt_log_level level, const char *format, ...)
{
	size_t used = strlen(the_seam->log);
	va_list args;

	(void)level;
	va_start(args, format);
	vsnprintf(the_seam->log + used, sizeof(the_seam->log) - used, format, args);
	va_end(args);
	used = strlen(the_seam->log);
	snprintf(the_seam->log + used, sizeof(the_seam->log) - used, "\n");
}

bool kmt_env_flag(const char *name)
{
	(void)name;
	return false;
}

/* --- Topology --- */

bool kmt_topology_held(const struct kmt_context *ctx)
{
	(void)ctx;
	return the_seam->node_count > 0;
}

uint32_t kmt_topology_node_count(const struct kmt_context *ctx)
{
	(void)ctx;
	return the_seam->node_count;
}

HSAKMT_STATUS kmt_topology_gpu_id(const struct kmt_context *ctx, uint32_t node_id, uint32_t *gpu_id)
{
	(void)ctx;
	if (node_id >= the_seam->node_count)
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	*gpu_id = the_seam->gpu_ids[node_id];
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_topology_node_of_gpu(const struct kmt_context *ctx, uint32_t gpu_id,
				       uint32_t *node_id)
{
	(void)ctx;
	for (uint32_t i = 0; i < the_seam->node_count; i++) {
		if (the_seam->gpu_ids[i] == gpu_id) {
			*node_id = i;
			return HSAKMT_STATUS_SUCCESS;
		}
	}
	return HSAKMT_STATUS_INVALID_NODE_UNIT;
}

const HsaNodeProperties *kmt_topology_properties(const struct kmt_context *ctx, uint32_t node_id)
{
	(void)ctx;
	return node_id < the_seam->node_count ? &the_seam->nodes[node_id] : NULL;
}

uint32_t kmt_topology_gfx(const struct kmt_context *ctx, uint32_t node_id)
{
	const HsaNodeProperties *properties = kmt_topology_properties(ctx, node_id);

	return properties
		       ? KMT_GFX(properties->EngineId.ui32.Major, properties->EngineId.ui32.Minor,
				 properties->EngineId.ui32.Stepping)
		       : 0;
}

uint32_t kmt_topology_sysfs_id(const struct kmt_context *ctx, uint32_t node_id)
{
	(void)ctx;
	return node_id;
}

HSAKMT_STATUS kmt_acquire_system_properties(struct kmt_context *ctx, HsaSystemProperties *system)
{
	(void)ctx;
	if (the_seam->refuse_snapshot)
		return HSAKMT_STATUS_NO_MEMORY;
	*system = (HsaSystemProperties){ .NumNodes = the_seam->node_count };
	return HSAKMT_STATUS_SUCCESS;
}

/* No render node opens. */
int kmt_drm(struct kmt_context *ctx, enum device_drm_cmd cmd, union device_drm_args *args)
{
	(void)ctx;
	(void)cmd;
	(void)args;
	return -ENOENT;
}

/* --- Memory manager --- */

void *kmt_fmm_internal_alloc(struct kmt_context *ctx, const struct kmt_internal_alloc *request)
{
	uint64_t size = kmt_round_up(request->size_bytes, request->align_bytes);
	struct seam_alloc *slot = the_seam->allocs;

	(void)ctx;
	if (tortured())
		return NULL;
	while (slot->address)
		if (++slot == the_seam->allocs + SEAM_ALLOCS)
			abort();
	slot->address = aligned_alloc(request->align_bytes, size);
	slot->request = *request;
	memset(slot->address, 0xA5, size);
	the_seam->live_allocs++;
	return slot->address;
}

void kmt_fmm_internal_free(struct kmt_context *ctx, void *address)
{
	(void)ctx;
	for (unsigned int i = 0; address && i < SEAM_ALLOCS; i++) {
		if (the_seam->allocs[i].address == address) {
			free(address);
			the_seam->allocs[i].address = NULL;
			the_seam->live_allocs--;
			return;
		}
	}
	if (address)
		abort(); /* freed twice, or never allocated */
}

bool kmt_fmm_handle(const struct kmt_context *ctx, const void *address, uint64_t *handle)
{
	(void)ctx;
	for (unsigned int i = 0; i < SEAM_ALLOCS; i++) {
		if (the_seam->allocs[i].address == address) {
			*handle = 0x500000000ull + i;
			return true;
		}
	}
	return false;
}

bool kmt_fmm_handle_of_range(const struct kmt_context *ctx, const void *address,
			     uint64_t size_bytes, uint64_t *handle, uint64_t *offset_bytes)
{
	(void)ctx;
	for (unsigned int i = 0; i < SEAM_OBJECTS; i++) {
		const struct kmt_object_info *object = &the_seam->objects[i];
		uint64_t offset = (uintptr_t)address - object->gpu_va;

		if (object->gpu_va && offset < object->size_bytes &&
		    size_bytes <= object->size_bytes - offset) {
			*handle = object->handles[0];
			*offset_bytes = offset;
			return true;
		}
	}
	return false;
}

void *kmt_fmm_map_doorbell(struct kmt_context *ctx, uint32_t node_id, uint64_t size_bytes,
			   uint64_t kfd_offset)
{
	(void)ctx;
	(void)node_id;
	if (the_seam->refuse_gpuvm_doorbell)
		return NULL;
	the_seam->last_map_offset = kfd_offset;
	the_seam->last_map_size = size_bytes;
	the_seam->live_gpuvm_doorbells++;
	return calloc(1, size_bytes);
}

void kmt_fmm_unmap_doorbell(struct kmt_context *ctx, void *address)
{
	(void)ctx;
	the_seam->live_gpuvm_doorbells--;
	free(address);
}

bool kmt_fmm_aperture(const struct kmt_context *ctx, uint32_t node_id, enum kmt_aperture_kind kind,
		      uint64_t *base, uint64_t *limit)
{
	(void)ctx;
	if (!the_seam->has_apertures || !the_seam->gpu_ids[node_id])
		return false;
	*base = 0x1000000000000ull * (kind + 1);
	*limit = *base + 0xFFFFFFFF;
	return true;
}

int kmt_fmm_render_fd(const struct kmt_context *ctx, uint32_t node_id)
{
	(void)ctx;
	(void)node_id;
	return -1;
}

void kmt_fmm_for_each(struct kmt_context *ctx,
		      void (*visit)(const struct kmt_object_info *info, void *data), void *data)
{
	(void)ctx;
	for (unsigned int i = 0; i < SEAM_OBJECTS; i++)
		if (the_seam->objects[i].gpu_va)
			visit(&the_seam->objects[i], data);
}
