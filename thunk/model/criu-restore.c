/* SPDX-License-Identifier: MIT */
/*
 * Makes a process that has nothing yet what a checkpoint says. The buckets and the private data may
 * say anything: what cannot be is refused, and what was made until then is taken back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "bo.h"
#include "caller.h"
#include "criu-image.h"
#include "criu.h"
#include "share.h"
#include "svm.h"
#include "usercopy.h"
#include "vm.h"

#define PAGE_BYTES  4096ull
#define NO_FD       UINT32_MAX
#define PRIVATE_MAX (1ull << 30) /* bytes; far more than any process of this simulation has */

#define VRAM       KFD_IOC_ALLOC_MEM_FLAGS_VRAM
#define GTT        KFD_IOC_ALLOC_MEM_FLAGS_GTT
#define USERPTR    KFD_IOC_ALLOC_MEM_FLAGS_USERPTR
#define DOORBELL   KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL
#define MMIO_REMAP KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP

/* What is being restored; the first three are owned, the images lie in the head's memory. */
struct restore {
	struct kfd_model_process *process; /* borrowed */
	struct kfd_model_image_head *head;
	struct kfd_criu_device_bucket *devices;
	struct kfd_criu_bo_bucket *bos;
	struct kfd_model_image_device *device_images;
	struct kfd_model_image_bo *bo_images;
	struct kfd_model_image_queue *queue_images;
	struct kfd_model_image_event *event_images;
	struct kfd_model_image_range *range_images;
	struct kfd_model_vm *vms[KFD_MODEL_MAX_GPUS]; /* borrowed, by device of the checkpoint */
};

uint64_t kfd_model_image_checksum(const struct kfd_model_image_head *head, uint64_t total_bytes)
{
	const unsigned char *bytes = (const unsigned char *)(head + 1);
	uint64_t hash = 0xcbf29ce484222325ull;

	for (uint64_t i = 0; i < total_bytes - sizeof(*head); i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

/* Whether the head is one of ours and is about as much as the caller says. */
static bool is_sound(const struct kfd_model_image_head *head,
		     const struct kfd_ioctl_criu_args *args)
{
	const struct kfd_model_criu_counts counts = {
		.devices = head->device_count,
		.bos = head->bo_count,
		.queues = head->queue_count,
		.events = head->event_count,
		.ranges = head->range_count,
	};

	return head->magic == KFD_MODEL_IMAGE_MAGIC && head->version == KFD_MODEL_IMAGE_VERSION &&
	       head->head_bytes == sizeof(*head) && counts.devices == args->num_devices &&
	       counts.devices <= KFD_MODEL_MAX_GPUS && counts.bos == args->num_bos &&
	       (uint64_t)counts.queues + counts.events + counts.ranges == args->num_objects &&
	       kfd_model_criu_private_bytes(&counts) == args->priv_data_size &&
	       head->checksum == kfd_model_image_checksum(head, args->priv_data_size);
}

static int fetch(struct restore *r, const struct kfd_ioctl_criu_args *args)
{
	struct kfd_model_image_head head;

	/* before so much memory is taken as the caller says */
	if (args->priv_data_size < sizeof(head) || args->priv_data_size > PRIVATE_MAX)
		return -EINVAL;
	if (kfd_model_copy_in(&head, args->priv_data, sizeof(head)))
		return -EFAULT;
	if (head.magic != KFD_MODEL_IMAGE_MAGIC)
		return -EINVAL;
	r->head = malloc(args->priv_data_size);
	if (!r->head)
		return -ENOMEM;
	if (kfd_model_copy_in(r->head, args->priv_data, args->priv_data_size))
		return -EFAULT;
	if (!is_sound(r->head, args))
		return -EINVAL;
	r->device_images = (void *)(r->head + 1);
	r->bo_images = (void *)(r->device_images + r->head->device_count);
	r->queue_images = (void *)(r->bo_images + r->head->bo_count);
	r->event_images = (void *)(r->queue_images + r->head->queue_count);
	r->range_images = (void *)(r->event_images + r->head->event_count);
	r->devices = calloc(args->num_devices, sizeof(*r->devices));
	r->bos = calloc(args->num_bos, sizeof(*r->bos));
	if (!r->devices || !r->bos)
		return -ENOMEM;
	if (kfd_model_copy_in(r->devices, args->devices, args->num_devices * sizeof(*r->devices)) ||
	    kfd_model_copy_in(r->bos, args->bos, args->num_bos * sizeof(*r->bos)))
		return -EFAULT;
	return 0;
}

/* Only a process that has only opened the device can become another one. */
static bool is_fresh(struct kfd_model_process *process)
{
	struct kfd_model_criu_counts counts;

	kfd_model_criu_count(process, &counts);
	for (uint32_t i = 0; i < process->vm_count; i++)
		if (process->vms[i].acquired)
			return false;
	return !counts.bos && !counts.queues && !counts.events && !counts.ranges &&
	       !process->criu_restored && !process->criu_paused;
}

/* Which GPU is which device of the checkpoint: as good, each one once, and known by one number. */
static int match_devices(struct restore *r)
{
	for (uint32_t i = 0; i < r->head->device_count; i++) {
		const struct kfd_criu_device_bucket *bucket = &r->devices[i];
		struct kfd_model_vm *vm =
			kfd_model_process_vm_of_actual(r->process, bucket->actual_gpu_id);

		if (!vm || !bucket->user_gpu_id ||
		    bucket->user_gpu_id != r->device_images[i].gpu_id ||
		    vm->node->gfx_version != r->device_images[i].gfx_version)
			return -EINVAL;
		for (uint32_t other = 0; other < i; other++)
			if (r->vms[other] == vm ||
			    r->devices[other].user_gpu_id == bucket->user_gpu_id)
				return -EINVAL;
		r->vms[i] = vm;
	}
	return 0;
}

static bool is_listed(const struct restore *r, const struct kfd_model_vm *vm)
{
	for (uint32_t i = 0; i < r->head->device_count; i++)
		if (r->vms[i] == vm)
			return true;
	return false;
}

/* GPUs that the checkpoint does not have get numbers that it does not use. */
static void rename_devices(struct restore *r)
{
	struct kfd_model_process *process = r->process;
	uint32_t spare = 0;

	for (uint32_t i = 0; i < r->head->device_count; i++)
		r->vms[i]->gpu_id = r->devices[i].user_gpu_id;
	for (uint32_t i = 0; i < process->vm_count; i++) {
		struct kfd_model_vm *vm = &process->vms[i];

		if (is_listed(r, vm) || kfd_model_process_vm(process, vm->gpu_id) == vm)
			continue;
		while (kfd_model_process_vm(process, process->vms[spare].node->gpu_id))
			spare++;
		vm->gpu_id = process->vms[spare].node->gpu_id;
	}
}

static int restore_device(struct restore *r, uint32_t index)
{
	const struct kfd_model_image_device *image = &r->device_images[index];
	const struct kfd_model_front *front = &r->process->model->front;
	struct kfd_model_vm *vm = r->vms[index];
	uint64_t file_id = 0;
	uint32_t minor = 0;

	if (image->default_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT ||
	    image->alternate_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT)
		return -EINVAL;
	if (image->acquired) {
		if (front->render_file(front->data, (int)r->devices[index].drm_fd, &minor,
				       &file_id) ||
		    (minor && minor != vm->node->render_minor))
			return -EINVAL;
		vm->acquired = true;
		vm->file_id = file_id;
	}
	vm->tba = image->tba;
	vm->tma = image->tma;
	vm->scratch_base = image->scratch_base;
	vm->default_policy = image->default_policy;
	vm->alternate_policy = image->alternate_policy;
	vm->alternate_base = image->alternate_base;
	vm->alternate_size = image->alternate_size;
	if (image->has_doorbells && kfd_model_doorbell_slice(vm))
		return -ENOMEM;
	return image->has_mmio ? kfd_model_mmio_page(vm) : 0;
}

/* The checks of ALLOC, but for the program's memory, which may not be in its place yet. */
static int check_bo(const struct restore *r, const struct kfd_criu_bo_bucket *bucket,
		    const struct kfd_model_image_bo *image, struct kfd_model_vm **out)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(r->process, bucket->gpu_id);
	uint32_t flags = bucket->alloc_flags;

	if (!vm || !vm->acquired || !bucket->size || !kfd_model_memory_type(flags) ||
	    image->handle >> 32 != bucket->gpu_id || bucket->size > vm->node->gpuvm_limit ||
	    bucket->addr + bucket->size < bucket->addr)
		return -EINVAL;
	if (((flags & VRAM) && (flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) &&
	     !kfd_model_scenario_vram_visible(r->process->model->scenario, vm->node)) ||
	    ((flags & DOORBELL) && bucket->size != kfd_model_doorbell_slice_bytes(vm->node)) ||
	    ((flags & MMIO_REMAP) && bucket->size != PAGE_BYTES) ||
	    ((flags & USERPTR) && !image->user_addr))
		return -EINVAL;
	*out = vm;
	return 0;
}

static int map_bo(const struct restore *r, struct kfd_model_bo *bo, uint64_t devices)
{
	int rc = 0;

	for (uint32_t i = 0; i < 64 && !rc; i++) {
		if (!(devices >> i & 1))
			continue;
		if (i >= r->head->device_count || !r->vms[i]->acquired)
			return -EINVAL;
		rc = kfd_model_bo_map(bo, r->vms[i]);
	}
	return rc;
}

static int restore_bo(struct restore *r, uint32_t index)
{
	struct kfd_criu_bo_bucket *bucket = &r->bos[index];
	const struct kfd_model_image_bo *image = &r->bo_images[index];
	struct kfd_model_backing *backing;
	uint64_t size = bucket->size;
	struct kfd_model_vm *vm;
	struct kfd_model_bo *bo;
	int rc = check_bo(r, bucket, image, &vm);

	if (rc)
		return rc;
	if (bucket->alloc_flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM)
		size = (size + 1) / 2;
	rc = kfd_model_backing_new(vm, size, bucket->alloc_flags,
				   bucket->alloc_flags & USERPTR ? image->user_addr : 0, &backing);
	if (rc)
		return rc;
	bo = kfd_model_bo_new_at(vm, backing, bucket->addr, bucket->alloc_flags,
				 (uint32_t)image->handle);
	if (!bo)
		return -EINVAL;
	bucket->restored_offset =
		bucket->alloc_flags & USERPTR ? image->user_addr : kfd_model_bo_mmap_offset(bo);
	return map_bo(r, bo, image->mapped_devices);
}

/* Descriptors by which whoever restores puts the contents back. */
static int export_bos(struct restore *r)
{
	for (uint32_t i = 0; i < r->head->bo_count; i++) {
		struct kfd_model_bo *bo;
		int fd;

		if (!(r->bos[i].alloc_flags & (VRAM | GTT)))
			continue;
		bo = kfd_model_bo_find(r->process, r->bo_images[i].handle, NULL);
		fd = kfd_model_export_backing(bo->backing, O_CLOEXEC);
		if (fd < 0)
			return fd;
		r->bos[i].dmabuf_fd = (uint32_t)fd;
	}
	return 0;
}

static uint64_t translate(const struct restore *r, uint64_t devices)
{
	uint64_t gpus = 0;

	for (uint32_t i = 0; i < r->head->device_count; i++)
		if (devices >> i & 1)
			gpus |= 1ull << r->vms[i]->node->gpu_index;
	return gpus;
}

static int restore_ranges(struct restore *r)
{
	for (uint32_t i = 0; i < r->head->range_count; i++) {
		struct kfd_model_image_range *range = &r->range_images[i];

		range->access = translate(r, range->access);
		range->in_place = translate(r, range->in_place);
		range->no_access = translate(r, range->no_access);
	}
	return kfd_model_svm_load(r->process, r->range_images, r->head->range_count);
}

static int restore_settings(struct restore *r)
{
	struct kfd_ioctl_set_xnack_mode_args xnack = { .xnack_enabled =
							       r->head->xnack_enabled != 0 };

	/* not on GPUs that cannot retry */
	if (kfd_model_xnack_ioctl(r->process, &xnack))
		return -EINVAL;
	r->process->runtime_enabled = r->head->runtime_enabled != 0;
	r->process->ttmp_enabled = r->head->ttmp_enabled != 0;
	r->process->r_debug = r->head->r_debug;
	return 0;
}

static int restore_all(struct restore *r)
{
	int rc = match_devices(r);

	if (rc)
		return rc;
	rename_devices(r);
	rc = restore_settings(r);
	for (uint32_t i = 0; i < r->head->device_count && !rc; i++)
		rc = restore_device(r, i);
	for (uint32_t i = 0; i < r->head->bo_count && !rc; i++)
		rc = restore_bo(r, i);
	if (!rc)
		rc = kfd_model_events_load(r->process, r->head, r->event_images);
	if (!rc)
		rc = restore_ranges(r);
	for (uint32_t i = 0; i < r->head->queue_count && !rc; i++)
		rc = kfd_model_queue_load(r->process, &r->queue_images[i]);
	return rc ? rc : export_bos(r);
}

static void undo_vm(struct kfd_model_vm *vm)
{
	for (uint32_t n = 0; n < vm->bo_capacity; n++) {
		struct kfd_model_bo *bo = vm->bos[n];

		for (uint32_t i = 0; bo && i < vm->process->vm_count; i++)
			kfd_model_bo_unmap(bo, &vm->process->vms[i]);
		if (bo)
			kfd_model_bo_close(bo);
	}
	vm->bo_first_free = 0;
	vm->gpu_id = vm->node->gpu_id;
	vm->acquired = false;
	vm->file_id = 0;
	vm->tba = vm->tma = vm->scratch_base = 0;
	vm->default_policy = vm->alternate_policy = 0;
	vm->alternate_base = vm->alternate_size = 0;
}

static void undo(struct restore *r)
{
	struct kfd_model_process *process = r->process;
	struct kfd_ioctl_set_xnack_mode_args xnack = { .xnack_enabled = 0 };

	for (uint32_t i = 0; r->bos && i < r->head->bo_count; i++)
		if (r->bos[i].dmabuf_fd != NO_FD)
			kfd_model_close_fd((int)r->bos[i].dmabuf_fd);
	kfd_model_queues_destroy_all(process);
	kfd_model_events_clear(process);
	kfd_model_svm_clear(process);
	for (uint32_t i = 0; i < process->vm_count; i++)
		undo_vm(&process->vms[i]);
	(void)kfd_model_xnack_ioctl(process, &xnack); /* there is no queue that could forbid it */
	process->runtime_enabled = process->ttmp_enabled = false;
	process->r_debug = 0;
}

int kfd_model_criu_restore(struct kfd_model_process *process,
			   const struct kfd_ioctl_criu_args *args)
{
	struct restore r = { .process = process };
	int rc;

	if (!process->vm_count)
		return -ENODEV;
	if (process->is_secondary || process->model->engines || !is_fresh(process))
		return -EINVAL;
	rc = fetch(&r, args);
	if (rc)
		goto out;
	for (uint32_t i = 0; i < args->num_bos; i++)
		r.bos[i].dmabuf_fd = NO_FD;
	rc = restore_all(&r);
	if (!rc && kfd_model_copy_out(args->bos, r.bos, args->num_bos * sizeof(*r.bos)))
		rc = -EFAULT;
	if (rc)
		undo(&r);
	else
		process->criu_restored = true;
out:
	free(r.bos);
	free(r.devices);
	free(r.head);
	return rc;
}
