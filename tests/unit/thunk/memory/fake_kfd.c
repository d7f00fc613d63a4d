/* SPDX-License-Identifier: MIT */
/* A KFD's buffer objects, apertures, SVM attributes and dma-bufs for unit tests. */
#include "fake_kfd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake_open.h"
#include "openclose/openclose.h"
#include "topology/acquire.h"

#define MMAP_OFFSET_STEP (1ull << 32)

static struct fake_bo *find_bo(struct fake_kfd *kfd, uint64_t handle)
{
	uint32_t index = (uint32_t)handle - 1;

	if (index >= kfd->bo_count || kfd->bos[index].handle != handle)
		return NULL;
	return &kfd->bos[index];
}

/* A free entry; its index is the low half of the handle, less one. */
static struct fake_bo *new_bo(struct fake_kfd *kfd, uint32_t gpu_id)
{
	struct fake_bo *bo;
	uint32_t index = kfd->bo_hint;

	while (index < kfd->bo_count && kfd->bos[index].handle)
		index++;
	kfd->bo_hint = index + 1;
	if (index == kfd->bo_room) {
		kfd->bo_room = kfd->bo_room ? 2 * kfd->bo_room : 64;
		kfd->bos = realloc(kfd->bos, kfd->bo_room * sizeof(*kfd->bos));
		if (!kfd->bos)
			abort();
	}
	if (index == kfd->bo_count)
		kfd->bo_count++;
	bo = &kfd->bos[index];
	memset(bo, 0, sizeof(*bo));
	bo->handle = (uint64_t)gpu_id << 32 | (index + 1);
	bo->gpu_id = gpu_id;
	return bo;
}

static bool knows_gpu(const struct fake_kfd *kfd, uint32_t gpu_id)
{
	for (uint32_t i = 0; i < kfd->gpu_count; i++)
		if (kfd->gpu_ids[i] == gpu_id)
			return true;
	return false;
}

static int do_alloc(struct fake_kfd *kfd, struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	struct fake_bo *bo;

	if (args->size == 0 || !(args->flags & 0x1f) || !knows_gpu(kfd, args->gpu_id))
		return -EINVAL;
	bo = new_bo(kfd, args->gpu_id);
	bo->va = args->va_addr;
	bo->size_bytes = args->size;
	bo->flags = args->flags;
	bo->user_addr = args->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR ? args->mmap_offset : 0;
	args->handle = bo->handle;
	if (!bo->user_addr)
		args->mmap_offset = (bo->handle & 0xffff) * MMAP_OFFSET_STEP;
	return 0;
}

static int do_free(struct fake_kfd *kfd, const struct kfd_ioctl_free_memory_of_gpu_args *args)
{
	struct fake_bo *bo = find_bo(kfd, args->handle);

	if (!bo)
		return -EINVAL;
	if (bo->gpu_count || bo->busy)
		return -EBUSY;
	bo->handle = 0;
	if ((uint32_t)(bo - kfd->bos) < kfd->bo_hint)
		kfd->bo_hint = (uint32_t)(bo - kfd->bos);
	return 0;
}

static void map_one(struct fake_bo *bo, uint32_t gpu_id)
{
	for (uint32_t i = 0; i < bo->gpu_count; i++)
		if (bo->gpus[i] == gpu_id)
			return;
	bo->gpus[bo->gpu_count++] = gpu_id;
}

static void unmap_one(struct fake_bo *bo, uint32_t gpu_id)
{
	for (uint32_t i = 0; i < bo->gpu_count; i++)
		if (bo->gpus[i] == gpu_id)
			bo->gpus[i] = bo->gpus[--bo->gpu_count];
}

static int do_map(struct fake_kfd *kfd, struct kfd_ioctl_map_memory_to_gpu_args *args, bool map)
{
	const uint32_t *ids = (const uint32_t *)(uintptr_t)args->device_ids_array_ptr;
	struct fake_bo *bo = find_bo(kfd, args->handle);

	if (args->n_devices == 0 || args->n_success > args->n_devices || !ids)
		return -EINVAL;
	if (!bo)
		return -ENOMEM;
	for (; args->n_success < args->n_devices; args->n_success++) {
		uint32_t gpu_id = ids[args->n_success];

		if (!knows_gpu(kfd, gpu_id))
			return -EINVAL;
		if (map && kfd->map_success_limit && args->n_success >= kfd->map_success_limit)
			return -ENOMEM;
		if (map)
			map_one(bo, gpu_id);
		else
			unmap_one(bo, gpu_id);
	}
	return 0;
}

static void fill_apertures(const struct fake_kfd *kfd, struct kfd_process_device_apertures *entry,
			   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		entry[i].lds_base = 1ull << 48;
		entry[i].lds_limit = entry[i].lds_base | 0xffffffff;
		entry[i].scratch_base = 2ull << 48;
		entry[i].scratch_limit = entry[i].scratch_base | 0xffffffff;
		entry[i].gpuvm_base = kfd->gpuvm_base;
		entry[i].gpuvm_limit = kfd->gpuvm_limit;
		entry[i].gpu_id = kfd->gpu_ids[i];
	}
}

static int do_apertures_new(struct fake_kfd *kfd,
			    struct kfd_ioctl_get_process_apertures_new_args *args)
{
	if (kfd->no_new_apertures)
		return -EINVAL;
	if (args->num_of_nodes > kfd->gpu_count)
		args->num_of_nodes = kfd->gpu_count;
	fill_apertures(kfd, (void *)(uintptr_t)args->kfd_process_device_apertures_ptr,
		       args->num_of_nodes);
	return 0;
}

static int do_apertures(struct fake_kfd *kfd, struct kfd_ioctl_get_process_apertures_args *args)
{
	args->num_of_nodes = kfd->gpu_count;
	fill_apertures(kfd, args->process_apertures, kfd->gpu_count);
	return 0;
}

/* What GET_ATTR says: preferred the first GPU, prefetched undefined, no access. */
static void answer(const struct fake_kfd *kfd, struct kfd_ioctl_svm_attribute *attribute)
{
	if (attribute->type == KFD_IOCTL_SVM_ATTR_PREFERRED_LOC)
		attribute->value = kfd->gpu_ids[0];
	else if (attribute->type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC)
		attribute->value = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
	else if (attribute->type == KFD_IOCTL_SVM_ATTR_ACCESS)
		attribute->type = KFD_IOCTL_SVM_ATTR_NO_ACCESS;
}

static int do_svm(struct fake_kfd *kfd, unsigned long request, struct kfd_ioctl_svm_args *args)
{
	struct fake_svm_call *call = &kfd->svm[kfd->svm_count % FAKE_KFD_SVM_CALLS];

	if (_IOC_SIZE(request) != sizeof(*args) + args->nattr * sizeof(args->attrs[0]))
		return -EINVAL;
	if (!args->start_addr || !args->size || ((args->start_addr | args->size) & 0xfff))
		return -EINVAL;
	kfd->svm_count++;
	call->op = args->op;
	call->count = args->nattr;
	call->start = args->start_addr;
	call->size_bytes = args->size;
	for (uint32_t i = 0; i < args->nattr && i < FAKE_KFD_SVM_ATTRS; i++)
		call->attributes[i] = args->attrs[i];
	for (uint32_t i = 0; i < args->nattr && args->op == KFD_IOCTL_SVM_OP_GET_ATTR; i++)
		answer(kfd, &args->attrs[i]);
	return 0;
}

static int do_dma_buf_info(struct fake_kfd *kfd, struct kfd_ioctl_get_dmabuf_info_args *args)
{
	uint32_t capacity = args->metadata_size;

	if (!kfd->dma_buf.size_bytes)
		return -EINVAL;
	args->metadata_size = kfd->dma_buf.metadata_size_bytes;
	args->size = kfd->dma_buf.size_bytes;
	args->gpu_id = kfd->dma_buf.gpu_id;
	args->flags = kfd->dma_buf.flags;
	if (args->metadata_ptr && capacity < args->metadata_size)
		return -EINVAL;
	if (args->metadata_ptr)
		memset((void *)(uintptr_t)args->metadata_ptr, 0x5a, args->metadata_size);
	return 0;
}

static int do_import(struct fake_kfd *kfd, struct kfd_ioctl_import_dmabuf_args *args)
{
	struct fake_bo *bo;

	if (!knows_gpu(kfd, args->gpu_id))
		return -EINVAL;
	bo = new_bo(kfd, args->gpu_id);
	bo->va = args->va_addr;
	bo->size_bytes = kfd->dma_buf.size_bytes;
	args->handle = bo->handle;
	return 0;
}

static int do_ipc_import(struct fake_kfd *kfd, struct kfd_ioctl_ipc_import_handle_args *args)
{
	struct fake_bo *bo;

	if (!knows_gpu(kfd, args->gpu_id) || args->share_handle[0] != 0xabcd)
		return -EINVAL;
	bo = new_bo(kfd, args->gpu_id);
	bo->va = args->va_addr;
	args->handle = bo->handle;
	args->flags = kfd->ipc_flags;
	args->mmap_offset = kfd->ipc_mmap_offset;
	return 0;
}

static int do_ipc_export(struct fake_kfd *kfd, struct kfd_ioctl_ipc_export_handle_args *args)
{
	if (!find_bo(kfd, args->handle) || !knows_gpu(kfd, args->gpu_id))
		return -EINVAL;
	args->share_handle[0] = 0xabcd;
	return 0;
}

static int do_export(struct fake_kfd *kfd, struct kfd_ioctl_export_dmabuf_args *args)
{
	if (!find_bo(kfd, args->handle))
		return -EINVAL;
	args->dmabuf_fd = 77;
	return 0;
}

static int do_tile_config(struct kfd_ioctl_get_tile_config_args *args)
{
	uint32_t *tiles = (uint32_t *)(uintptr_t)args->tile_config_ptr;

	if (args->num_tile_configs > 2)
		args->num_tile_configs = 2;
	for (uint32_t i = 0; i < args->num_tile_configs; i++)
		tiles[i] = 100 + i;
	args->num_macro_tile_configs = 0;
	args->gb_addr_config = 0x1234;
	args->num_banks = 4;
	args->num_ranks = 1;
	return 0;
}

static int do_xnack(struct fake_kfd *kfd, struct kfd_ioctl_set_xnack_mode_args *args)
{
	if (args->xnack_enabled >= 0)
		kfd->xnack = args->xnack_enabled;
	args->xnack_enabled = kfd->xnack;
	return 0;
}

static int do_ioctl(struct fake_kfd *kfd, unsigned long request, void *arg)
{
	switch (_IOC_NR(request)) {
	case _IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW):
		return do_apertures_new(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES):
		return do_apertures(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU):
		return do_alloc(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU):
		return do_free(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU):
		return do_map(kfd, arg, true);
	case _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU):
		return do_map(kfd, arg, false); /* the two structures are the same */
	case _IOC_NR(AMDKFD_IOC_SVM):
		return do_svm(kfd, request, arg);
	case _IOC_NR(AMDKFD_IOC_GET_DMABUF_INFO):
		return do_dma_buf_info(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF):
		return do_import(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_EXPORT_DMABUF):
		return do_export(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_IPC_IMPORT_HANDLE):
		return do_ipc_import(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_IPC_EXPORT_HANDLE):
		return do_ipc_export(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_GET_TILE_CONFIG):
		return do_tile_config(arg);
	case _IOC_NR(AMDKFD_IOC_SET_XNACK_MODE):
		return do_xnack(kfd, arg);
	case _IOC_NR(AMDKFD_IOC_AVAILABLE_MEMORY):
		((struct kfd_ioctl_get_available_memory_args *)arg)->available = 1ull << 33;
		return 0;
	case _IOC_NR(AMDKFD_IOC_ACQUIRE_VM):
	case _IOC_NR(AMDKFD_IOC_SET_MEMORY_POLICY):
	case _IOC_NR(AMDKFD_IOC_SET_SCRATCH_BACKING_VA):
		return 0;
	default:
		return -EINVAL;
	}
}

int fake_kfd_ioctl(struct fake_kfd *kfd, unsigned long request, void *arg)
{
	int rc;

	pthread_mutex_lock(&kfd->lock);
	rc = do_ioctl(kfd, request, arg);
	pthread_mutex_unlock(&kfd->lock);
	return rc;
}

static int on_ioctl(struct fake_device *device, int fd, unsigned long request, void *arg,
		    void *data)
{
	(void)device, (void)fd;
	return fake_kfd_ioctl(data, request, arg);
}

static void hook(struct fake_kfd *kfd)
{
	static const unsigned long requests[] = {
		AMDKFD_IOC_GET_PROCESS_APERTURES_NEW,
		AMDKFD_IOC_GET_PROCESS_APERTURES,
		AMDKFD_IOC_ALLOC_MEMORY_OF_GPU,
		AMDKFD_IOC_FREE_MEMORY_OF_GPU,
		AMDKFD_IOC_MAP_MEMORY_TO_GPU,
		AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU,
		AMDKFD_IOC_SVM,
		AMDKFD_IOC_GET_DMABUF_INFO,
		AMDKFD_IOC_IMPORT_DMABUF,
		AMDKFD_IOC_EXPORT_DMABUF,
		AMDKFD_IOC_IPC_IMPORT_HANDLE,
		AMDKFD_IOC_IPC_EXPORT_HANDLE,
		AMDKFD_IOC_GET_TILE_CONFIG,
		AMDKFD_IOC_SET_XNACK_MODE,
		AMDKFD_IOC_AVAILABLE_MEMORY,
		AMDKFD_IOC_ACQUIRE_VM,
		AMDKFD_IOC_SET_MEMORY_POLICY,
		AMDKFD_IOC_SET_SCRATCH_BACKING_VA,
	};

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		fake_device_on_ioctl(kfd->device, requests[i], on_ioctl, kfd);
}

struct fake_kfd *fake_kfd_prepare(const char *tree)
{
	struct fake_kfd *kfd = calloc(1, sizeof(*kfd));

	if (!kfd)
		abort();
	pthread_mutex_init(&kfd->lock, NULL);
	kfd->device = fake_open_prepare(tree);
	kfd->ctx = kmt_primary();
	kfd->gpuvm_base = 0x10000;
	kfd->gpuvm_limit = (1ull << 47) - 1;
	if (tree[0] == 'a') {
		kfd->gpu_ids[kfd->gpu_count++] = 40961;
	} else {
		kfd->gpu_ids[kfd->gpu_count++] = 51110;
		kfd->gpu_ids[kfd->gpu_count++] = 2987;
	}
	hook(kfd);
	return kfd;
}

HSAKMT_STATUS fake_kfd_acquire(struct fake_kfd *kfd)
{
	HsaSystemProperties system;
	HSAKMT_STATUS status = kmt_open_kfd(kfd->ctx);

	if (status == HSAKMT_STATUS_SUCCESS)
		status = kmt_acquire_system_properties(kfd->ctx, &system);
	fake_device_log_reset(kfd->device);
	return status;
}

struct fake_kfd *fake_kfd_open(const char *tree)
{
	struct fake_kfd *kfd = fake_kfd_prepare(tree);

	if (fake_kfd_acquire(kfd) != HSAKMT_STATUS_SUCCESS)
		abort(); /* the tests would go on without what they are about */
	return kfd;
}

void fake_kfd_close(struct fake_kfd *kfd)
{
	if (kfd->slow_ops) /* the fake device finds itself by them */
		kfd->ctx->device->ops = kfd->slow_ops;
	fake_open_finish(kfd->device);
	pthread_mutex_destroy(&kfd->lock);
	free(kfd->bos);
	free(kfd);
}

struct fake_bo *fake_kfd_bo(struct fake_kfd *kfd, const void *va)
{
	for (uint32_t i = 0; i < kfd->bo_count; i++)
		if (kfd->bos[i].handle && kfd->bos[i].va == (uintptr_t)va)
			return &kfd->bos[i];
	return NULL;
}

uint32_t fake_kfd_live(const struct fake_kfd *kfd)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < kfd->bo_count; i++)
		live += kfd->bos[i].handle &&
			!(kfd->bos[i].flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP);
	return live;
}

const char *fake_kfd_mapped(struct fake_kfd *kfd, const void *va)
{
	static char text[16 * FAKE_KFD_GPUS];
	struct fake_bo *bo = fake_kfd_bo(kfd, va);
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; bo && i < bo->gpu_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u", i ? " " : "",
					 bo->gpus[i]);
	return bo ? text : "no such BO";
}

/* --- the fast way --- */

static struct fake_kfd *fast_kfd;

static int fast_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	(void)dev, (void)fd;
	return fake_kfd_ioctl(fast_kfd, request, arg);
}

static void *fast_mmap(struct device *dev, void *addr, size_t size, int prot, int flags, int fd,
		       off_t offset)
{
	(void)dev, (void)offset;
	if (fd >= 0)
		flags = (flags & ~MAP_SHARED) | MAP_PRIVATE | MAP_ANONYMOUS;
	/* Terabytes are for the asking: nothing counts on the pages being there. */
	return mmap(addr, size, prot, flags | MAP_NORESERVE, -1, 0);
}

static int fast_munmap(struct device *dev, void *addr, size_t size)
{
	(void)dev;
	return munmap(addr, size) == 0 ? 0 : -errno;
}

static int fast_madvise(struct device *dev, void *addr, size_t size, int advice)
{
	(void)dev;
	return madvise(addr, size, advice) == 0 ? 0 : -errno;
}

void fake_kfd_go_fast(struct fake_kfd *kfd)
{
	static struct device_ops ops;

	kfd->slow_ops = kfd->ctx->device->ops;
	ops = *kfd->slow_ops;
	ops.ioctl = fast_ioctl;
	ops.mmap = fast_mmap;
	ops.munmap = fast_munmap;
	ops.madvise = fast_madvise;
	fast_kfd = kfd;
	kfd->ctx->device->ops = &ops;
}
