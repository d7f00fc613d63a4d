/* SPDX-License-Identifier: MIT */
/*
 * Writes down a paused process. The contents of buffers are not part of it: whoever takes the
 * checkpoint gets a dma-buf of each and copies them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "bo.h"
#include "caller.h"
#include "criu-image.h"
#include "criu.h"
#include "share.h"

#define NO_FD UINT32_MAX

static uint32_t count_bos(const struct kfd_model_process *process)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < process->vm_count; i++)
		for (uint32_t n = 0; n < process->vms[i].bo_capacity; n++)
			count += process->vms[i].bos[n] != NULL;
	return count;
}

uint64_t kfd_model_criu_private_bytes(const struct kfd_model_criu_counts *counts)
{
	return sizeof(struct kfd_model_image_head) +
	       (uint64_t)counts->devices * sizeof(struct kfd_model_image_device) +
	       (uint64_t)counts->bos * sizeof(struct kfd_model_image_bo) +
	       (uint64_t)counts->queues * sizeof(struct kfd_model_image_queue) +
	       (uint64_t)counts->events * sizeof(struct kfd_model_image_event) +
	       (uint64_t)counts->ranges * sizeof(struct kfd_model_image_range);
}

void kfd_model_criu_count(struct kfd_model_process *process, struct kfd_model_criu_counts *counts)
{
	struct kfd_model_image_head head;

	counts->devices = process->vm_count;
	counts->bos = count_bos(process);
	counts->queues = kfd_model_queues_save(process, NULL, 0);
	counts->events = kfd_model_events_save(process, &head, NULL, 0);
	counts->ranges = kfd_model_svm_save(process, NULL, 0);
	counts->private_bytes = kfd_model_criu_private_bytes(counts);
}

/* What is being written; all owned. */
struct checkpoint {
	struct kfd_model_criu_counts counts;
	struct kfd_model_image_head *head; /* the private data */
	struct kfd_criu_device_bucket *devices;
	struct kfd_criu_bo_bucket *bos;
	int *fds; /* dma-bufs of this thread, -1 where there is none */
};

static int begin(struct checkpoint *c)
{
	c->head = calloc(1, c->counts.private_bytes);
	c->devices = calloc(c->counts.devices, sizeof(*c->devices));
	c->bos = calloc(c->counts.bos + 1, sizeof(*c->bos));
	c->fds = malloc((c->counts.bos + 1) * sizeof(*c->fds));
	if (!c->head || !c->devices || !c->bos || !c->fds)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->counts.bos; i++)
		c->fds[i] = -1;
	return 0;
}

static void end(struct checkpoint *c)
{
	for (uint32_t i = 0; c->fds && i < c->counts.bos; i++)
		if (c->fds[i] >= 0)
			kfd_model_close_fd(c->fds[i]);
	free(c->fds);
	free(c->bos);
	free(c->devices);
	free(c->head);
}

static void save_device(const struct kfd_model_vm *vm, struct kfd_criu_device_bucket *bucket,
			struct kfd_model_image_device *image)
{
	bucket->user_gpu_id = vm->gpu_id;
	bucket->actual_gpu_id = vm->node->gpu_id;
	bucket->drm_fd = NO_FD;
	*image = (struct kfd_model_image_device){
		.gpu_id = vm->gpu_id,
		.gfx_version = vm->node->gfx_version,
		.acquired = vm->acquired,
		.has_doorbells = vm->doorbell_offset != 0,
		.has_mmio = vm->mmio_offset != 0,
		.gws_used = vm->gws_used,
		.tba = vm->tba,
		.tma = vm->tma,
		.scratch_base = vm->scratch_base,
		.alternate_base = vm->alternate_base,
		.alternate_size = vm->alternate_size,
		.default_policy = vm->default_policy,
		.alternate_policy = vm->alternate_policy,
	};
}

static int save_bo(const struct kfd_model_bo *bo, struct kfd_criu_bo_bucket *bucket,
		   struct kfd_model_image_bo *image, int *fd)
{
	struct kfd_model_backing *backing = bo->backing;
	uint32_t type = bo->flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT);

	*bucket = (struct kfd_criu_bo_bucket){
		.addr = bo->va,
		.size = bo->va_size_bytes,
		.offset = kfd_model_bo_mmap_offset(bo),
		.gpu_id = bo->vm->gpu_id,
		.alloc_flags = bo->flags,
		.dmabuf_fd = NO_FD,
	};
	*image = (struct kfd_model_image_bo){ .handle = bo->handle,
					      .user_addr = backing->user_addr,
					      .mapped_devices = bo->mapped_gpus };
	if (!type || !backing->store)
		return 0;
	*fd = kfd_model_export_backing(backing, O_CLOEXEC);
	return *fd < 0 ? *fd : 0;
}

static int save_bos(const struct kfd_model_process *process, struct checkpoint *c,
		    struct kfd_model_image_bo *images)
{
	uint32_t count = 0;
	int rc = 0;

	for (uint32_t i = 0; i < process->vm_count && !rc; i++) {
		const struct kfd_model_vm *vm = &process->vms[i];

		for (uint32_t n = 0; n < vm->bo_capacity && !rc; n++) {
			if (!vm->bos[n])
				continue;
			rc = save_bo(vm->bos[n], &c->bos[count], &images[count], &c->fds[count]);
			count++;
		}
	}
	return rc;
}

static int save(struct kfd_model_process *process, struct checkpoint *c)
{
	const struct kfd_model_criu_counts *counts = &c->counts;
	struct kfd_model_image_head *head = c->head;
	struct kfd_model_image_device *devices = (void *)(head + 1);
	struct kfd_model_image_bo *bos = (void *)(devices + counts->devices);
	struct kfd_model_image_queue *queues = (void *)(bos + counts->bos);
	struct kfd_model_image_event *events = (void *)(queues + counts->queues);
	struct kfd_model_image_range *ranges = (void *)(events + counts->events);
	int rc;

	for (uint32_t i = 0; i < counts->devices; i++)
		save_device(&process->vms[i], &c->devices[i], &devices[i]);
	rc = save_bos(process, c, bos);
	if (rc)
		return rc;
	/* events and ranges go without the process's lock, too */
	if (kfd_model_queues_save(process, queues, counts->queues) != counts->queues ||
	    kfd_model_events_save(process, head, events, counts->events) != counts->events ||
	    kfd_model_svm_save(process, ranges, counts->ranges) != counts->ranges)
		return -EINVAL;
	head->magic = KFD_MODEL_IMAGE_MAGIC;
	head->version = KFD_MODEL_IMAGE_VERSION;
	head->head_bytes = sizeof(*head);
	head->device_count = counts->devices;
	head->bo_count = counts->bos;
	head->queue_count = counts->queues;
	head->event_count = counts->events;
	head->range_count = counts->ranges;
	head->xnack_enabled = process->xnack_enabled;
	head->runtime_enabled = process->runtime_enabled;
	head->ttmp_enabled = process->ttmp_enabled;
	head->r_debug = process->r_debug;
	head->checksum = kfd_model_image_checksum(head, counts->private_bytes);
	return 0;
}

/* The descriptors last: nobody can take them back from another process. */
static int give(struct checkpoint *c, const struct kfd_ioctl_criu_args *args)
{
	const struct kfd_model_criu_counts *counts = &c->counts;
	size_t bo_bytes = counts->bos * sizeof(*c->bos);

	if (kfd_model_caller_copy_out(args->priv_data, c->head, counts->private_bytes) ||
	    kfd_model_caller_copy_out(args->devices, c->devices,
				      counts->devices * sizeof(*c->devices)) ||
	    kfd_model_caller_copy_out(args->bos, c->bos, bo_bytes))
		return -EFAULT;
	for (uint32_t i = 0; i < counts->bos; i++) {
		int number;

		if (c->fds[i] < 0)
			continue;
		number = kfd_model_caller_give_fd(c->fds[i]);
		c->fds[i] = -1;
		if (number < 0)
			return number;
		c->bos[i].dmabuf_fd = (uint32_t)number;
	}
	return kfd_model_caller_copy_out(args->bos, c->bos, bo_bytes);
}

int kfd_model_criu_checkpoint(struct kfd_model_process *process,
			      const struct kfd_ioctl_criu_args *args)
{
	struct checkpoint c = { 0 };
	int rc;

	if (!process->vm_count)
		return -ENODEV;
	/* what another's engines are doing with a queue nobody can tell */
	if (!process->criu_paused || process->is_secondary || process->model->engines)
		return -EINVAL;
	kfd_model_criu_count(process, &c.counts);
	if (args->num_devices != c.counts.devices || args->num_bos != c.counts.bos ||
	    args->num_objects != c.counts.queues + c.counts.events + c.counts.ranges ||
	    args->priv_data_size != c.counts.private_bytes)
		return -EINVAL;
	rc = begin(&c);
	if (!rc)
		rc = save(process, &c);
	if (!rc)
		rc = give(&c, args);
	end(&c);
	return rc;
}
