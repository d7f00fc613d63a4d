/* SPDX-License-Identifier: MIT */
/*
 * Sharing buffers with other processes: dma-bufs and IPC handles (kfd.md 4).
 *
 * A dma-buf is a new open file of the memory file; its position is the place of a share record, which
 * tells whoever receives the descriptor where the buffer lies. It keeps the memory alive by itself.
 * An IPC handle is the number of the exporter's process and of its memory file, the record's place
 * and 64 random bits that the record repeats; the importer opens the file through /proc.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bo.h"
#include "caller.h"
#include "drm.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"
#include "share.h"
#include "usercopy.h"

#define RECORD_BYTES ((off_t)sizeof(struct kfd_model_share))
#define FD_SHIFT     16

static struct kfd_model_bo *sharable_bo(struct kfd_model_process *process, uint64_t handle)
{
	struct kfd_model_bo *bo = kfd_model_bo_find(process, handle, NULL);

	if (!bo || !bo->backing->store || bo->backing->is_fixed)
		return NULL;
	return bo;
}

/* A new open file of the same memory, with a position of its own. @return it, or -errno. */
static int reopen(int store_fd, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", store_fd);
	fd = open(path, O_RDWR | (flags & O_CLOEXEC));
	return fd < 0 ? -errno : fd;
}

int kfd_model_export_backing(struct kfd_model_backing *backing, int flags)
{
	struct kfd_model_share share;
	int index, fd;

	if (backing->is_foreign) /* its record is in the other file: found by place */
		index = backing->share_index;
	else
		index = kfd_model_backing_share(backing, 0);
	if (index <= 0)
		return -EINVAL;
	/* the new one first: the old one may not be in this thread's table (control.h) */
	fd = reopen(kfd_model_store_fd(backing->store), flags);
	if (fd >= 0 && (kfd_model_store_share_at(fd, (uint32_t)index, &share) ||
			lseek(fd, index * RECORD_BYTES, SEEK_SET) < 0)) {
		kfd_model_close_fd(fd);
		fd = -EINVAL;
	}
	return fd;
}

int kfd_model_call_export_dmabuf(struct kfd_model_call *call)
{
	struct kfd_ioctl_export_dmabuf_args *args = call->args;
	struct kfd_model_bo *bo = sharable_bo(call->process, args->handle);
	int fd;

	if (!bo)
		return -EINVAL;
	fd = kfd_model_export_backing(bo->backing, (int)args->flags);
	if (fd < 0)
		return fd;
	args->dmabuf_fd = (uint32_t)fd;
	return 0;
}

/* The share record of a dma-buf. @return its index, -EBADF or -EINVAL. */
static int record_of(int fd, struct kfd_model_share *share)
{
	off_t place = lseek(fd, 0, SEEK_CUR);

	if (place < 0)
		return errno == EBADF ? -EBADF : -EINVAL;
	if (place % RECORD_BYTES ||
	    kfd_model_store_share_at(fd, (uint32_t)(place / RECORD_BYTES), share))
		return -EINVAL;
	return (int)(place / RECORD_BYTES);
}

/* The backing that lies at a record, if it is one of this process's own. */
static struct kfd_model_backing *own_backing(struct kfd_model_process *process, int index)
{
	for (uint32_t i = 0; i < process->vm_count; i++) {
		struct kfd_model_vm *vm = &process->vms[i];

		for (uint32_t n = 0; n < vm->bo_capacity; n++)
			if (vm->bos[n] && !vm->bos[n]->backing->is_foreign &&
			    vm->bos[n]->backing->share_index == index)
				return kfd_model_backing_get(vm->bos[n]->backing);
	}
	/* the graphics stack's: no KFD handle names it */
	return process->is_secondary ? NULL : kfd_model_gem_shared(process->model, index);
}

static struct kfd_model_backing *import_backing(struct kfd_model_vm *vm, int fd, int index,
						const struct kfd_model_share *share)
{
	struct kfd_model_process *process = vm->process;
	struct kfd_model_backing *backing = NULL;
	struct kfd_model_store *store;
	int copy;

	if (kfd_model_store_is(process->store, fd)) {
		backing = own_backing(process, index);
		if (backing)
			return backing;
		/* freed here, alive through the dma-buf: its place is never given out again */
		store = kfd_model_store_get(process->store);
	} else {
		/* no duplicate: its position would make the front take the store for a dma-buf */
		copy = reopen(fd, O_CLOEXEC);
		store = copy < 0 ? NULL : kfd_model_store_adopt(copy);
		if (!store && copy >= 0)
			close(copy);
	}
	if (store)
		backing = kfd_model_backing_foreign(vm, store, share);
	if (backing)
		backing->share_index = index;
	return backing;
}

int kfd_model_dmabuf_backing(struct kfd_model_vm *vm, int fd, struct kfd_model_backing **out)
{
	struct kfd_model_share share;
	int index = record_of(fd, &share);

	if (index < 0)
		return index;
	*out = import_backing(vm, fd, index, &share);
	return *out ? 0 : -ENOMEM;
}

int kfd_model_call_import_dmabuf(struct kfd_model_call *call)
{
	struct kfd_ioctl_import_dmabuf_args *args = call->args;
	struct kfd_model_vm *vm = kfd_model_process_vm(call->process, args->gpu_id);
	struct kfd_model_backing *backing;
	struct kfd_model_bo *bo;
	int rc;

	if (!vm)
		return -EINVAL;
	if (!vm->acquired)
		return -ENODEV;
	rc = kfd_model_dmabuf_backing(vm, (int)args->dmabuf_fd, &backing);
	if (rc)
		return rc;
	/* an import may always be written (drm.md: the exporter's rights do not travel) */
	bo = kfd_model_bo_new(vm, backing, args->va_addr,
			      backing->flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE |
				      KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE);
	if (!bo)
		return -ENOMEM;
	args->handle = bo->handle;
	return 0;
}

int kfd_model_call_get_dmabuf_info(struct kfd_model_call *call)
{
	struct kfd_ioctl_get_dmabuf_info_args *args = call->args;
	const struct kfd_model_metadata *metadata;
	const struct kfd_model_vm *owner;
	struct kfd_model_share share;
	uint32_t capacity = args->metadata_size;
	int index;

	if (!call->process->vm_count)
		return -EINVAL;
	index = record_of((int)args->dmabuf_fd, &share);
	if (index < 0)
		return index;
	metadata = &share.metadata;
	args->size = share.size_bytes;
	owner = kfd_model_process_vm_of_actual(call->process, share.gpu_id);
	args->gpu_id = owner ? owner->gpu_id : share.gpu_id;
	args->flags =
		share.alloc_flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
				     KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	args->metadata_size = metadata->size_bytes;
	if (!metadata->size_bytes || !args->metadata_ptr)
		return 0;
	if (metadata->size_bytes > capacity)
		return -EINVAL;
	return kfd_model_copy_out(args->metadata_ptr, metadata->bytes, metadata->size_bytes);
}

int kfd_model_call_ipc_export(struct kfd_model_call *call)
{
	struct kfd_ioctl_ipc_export_handle_args *args = call->args;
	struct kfd_model_bo *bo = sharable_bo(call->process, args->handle);
	struct kfd_model_share share;
	int index, fd;

	if (!kfd_model_process_vm(call->process, args->gpu_id) || !bo || bo->backing->is_foreign)
		return -EINVAL;
	index = kfd_model_backing_share(bo->backing, args->flags);
	if (index < 0)
		return index;
	fd = kfd_model_store_fd(bo->backing->store);
	if (kfd_model_store_share_at(fd, (uint32_t)index, &share))
		return -EINVAL;
	bo->backing->is_pinned = true;
	args->share_handle[0] = (uint32_t)call->process->pid;
	args->share_handle[1] = (uint32_t)fd << FD_SHIFT | (uint32_t)index;
	args->share_handle[2] = share.name[0];
	args->share_handle[3] = share.name[1];
	return 0;
}

int kfd_model_call_ipc_import(struct kfd_model_call *call)
{
	struct kfd_ioctl_ipc_import_handle_args *args = call->args;
	struct kfd_model_vm *vm = kfd_model_process_vm(call->process, args->gpu_id);
	int index = (int)(args->share_handle[1] & ((1u << FD_SHIFT) - 1));
	struct kfd_model_backing *backing = NULL;
	struct kfd_model_share share;
	struct kfd_model_bo *bo;
	char path[64];
	int fd;

	if (!vm)
		return -EINVAL;
	if (!vm->acquired)
		return -ENODEV;
	snprintf(path, sizeof(path), "/proc/%u/fd/%u", args->share_handle[0],
		 args->share_handle[1] >> FD_SHIFT);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -EINVAL;
	if (kfd_model_store_share_at(fd, (uint32_t)index, &share) == 0 &&
	    share.name[0] == args->share_handle[2] && share.name[1] == args->share_handle[3])
		backing = import_backing(vm, fd, index, &share);
	close(fd);
	if (!backing)
		return -EINVAL;
	bo = kfd_model_bo_new(vm, backing, args->va_addr,
			      backing->flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE);
	if (!bo)
		return -ENOMEM;
	args->handle = bo->handle;
	args->mmap_offset = kfd_model_bo_mmap_offset(bo);
	args->flags = share.ipc_flags;
	return 0;
}
