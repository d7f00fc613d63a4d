/* SPDX-License-Identifier: MIT */
/* The machine: opening it, mapping it, and what happens to it in a forked child. */
#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bo.h"
#include "borrowed.h"
#include "control.h"
#include "debug-remote.h"
#include "drm.h"
#include "event.h"
#include "pc-sampling.h"
#include "process.h"
#include "smi.h"
#include "spm.h"
#include "svm.h"

#define PAGE_BYTES 4096ull

void kfd_model_log(const char *format, ...)
{
	char line[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (length < 0)
		return;
	if ((size_t)length > sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length] = '\n';
	/* one write, so that lines of several threads do not mix; the prefix is part of the text */
	if (write(STDERR_FILENO, "kfdscope-model: ", 16) < 0 ||
	    write(STDERR_FILENO, line, (size_t)length + 1) < 0)
		return;
}

int kfd_model_new(const char *topology_dir, const char *scenario_path,
		  const struct kfd_model_front *front, struct kfd_model **out)
{
	struct kfd_model *model = calloc(1, sizeof(*model));
	int rc = -ENOMEM;

	if (!model)
		return -ENOMEM;
	pthread_mutex_init(&model->lock, NULL);
	pthread_mutex_init(&model->targets_lock, NULL);
	model->front = *front;
	rc = kfd_model_topology_init(&model->topology, topology_dir);
	if (rc)
		goto out;
	rc = kfd_model_scenario_load(scenario_path, &model->topology, &model->scenario);
	if (rc)
		goto out;
	rc = -ENOMEM;
	model->gpus = calloc(model->topology.gpu_count + 1, sizeof(*model->gpus));
	model->smi = kfd_model_smi_new();
	if (!model->gpus || !model->smi)
		goto out;
	for (uint32_t i = 0; i < model->topology.node_count; i++)
		if (model->topology.nodes[i].gpu_id)
			model->gpus[model->topology.nodes[i].gpu_index] = &model->topology.nodes[i];
	*out = model;
	model = NULL;
	rc = 0;
out:
	kfd_model_free(model);
	return rc;
}

void kfd_model_free(struct kfd_model *model)
{
	if (!model)
		return;
	kfd_model_scenario_stop(model->scenario);
	kfd_model_debug_targets_free(model);
	kfd_model_process_free(model->primary);
	kfd_model_spm_forget_all(model);
	kfd_model_smi_free(model->smi);
	kfd_model_scenario_free(model->scenario); /* everything above asks it */
	kfd_model_topology_fini(&model->topology);
	free((void *)model->gpus);
	pthread_mutex_destroy(&model->targets_lock);
	pthread_mutex_destroy(&model->lock);
	free(model);
}

void kfd_model_after_fork(struct kfd_model *model)
{
	pthread_mutex_init(&model->lock, NULL);
	kfd_model_memory_after_fork();
	kfd_model_scenario_after_fork(model->scenario);
	kfd_model_smi_after_fork(model->smi);
	kfd_model_debug_targets_after_fork(model);
	if (model->primary)
		kfd_model_process_after_fork(model->primary);
	model->primary = NULL;
	model->drm = NULL;
	for (size_t i = 0; i < sizeof(model->secondaries) / sizeof(model->secondaries[0]); i++)
		if (model->secondaries[i])
			kfd_model_pcs_after_fork(model->secondaries[i]->pcs);
	memset(model->secondaries, 0, sizeof(model->secondaries));
	kfd_model_spm_forget_all(model);
	/* charges of the parent are not the child's to give back */
	for (uint32_t i = 0; i < KFD_MODEL_MAX_GPUS; i++) {
		atomic_store(&model->vram_used[i], 0);
		atomic_store(&model->visible_used[i], 0);
	}
	atomic_store(&model->system_used, 0);
}

void kfd_model_use_engines(struct kfd_model *model, const struct hsakmt_model_functions *functions)
{
	model->engines = functions;
}

uint32_t kfd_model_node_count(const struct kfd_model *model)
{
	return model->topology.node_count;
}

const struct kfd_model_node *kfd_model_node_at(const struct kfd_model *model, uint32_t index)
{
	return index < model->topology.node_count ? &model->topology.nodes[index] : NULL;
}

const struct kfd_model_node *kfd_model_node_of_minor(const struct kfd_model *model, uint32_t minor)
{
	for (uint32_t i = 0; i < model->topology.gpu_count; i++)
		if (model->gpus[i]->render_minor == minor)
			return model->gpus[i];
	return NULL;
}

const struct kfd_model_node *kfd_model_node_of_gpu(const struct kfd_model *model, uint32_t gpu_id)
{
	for (uint32_t i = 0; i < model->topology.gpu_count; i++)
		if (model->gpus[i]->gpu_id == gpu_id)
			return model->gpus[i];
	return NULL;
}

const char *kfd_model_topology_dir(const struct kfd_model *model)
{
	return model->topology.dir;
}

int kfd_model_open_errno(struct kfd_model *model, const char *path)
{
	return kfd_model_scenario_open_errno(model->scenario, path);
}

/*
 * The process object of the caller, made at its first open. The caller holds the machine's lock.
 * @return NULL without memory, or without memory of its own.
 */
static struct kfd_model_process *primary_process(struct kfd_model *model)
{
	if (kfd_model_memory_is_borrowed())
		return NULL;
	/* a child that did not pass through the fork handler (raw clone) */
	if (model->primary && model->primary->pid != getpid())
		model->primary = NULL;
	if (!model->primary)
		model->primary = kfd_model_process_new(model, false);
	return model->primary;
}

int kfd_model_open(struct kfd_model *model, struct kfd_model_file **out)
{
	struct kfd_model_file *file;
	int rc;

	if (kfd_model_memory_is_borrowed())
		return -EINVAL;
	rc = kfd_model_open_errno(model, "/dev/kfd");
	if (rc)
		return -rc;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	pthread_mutex_lock(&model->lock);
	file->process = primary_process(model);
	if (file->process && !file->process->was_opened) {
		file->process->was_opened = true;
		file->process->control = kfd_model_control_new(file->process);
	}
	pthread_mutex_unlock(&model->lock);
	if (!file->process) {
		free(file);
		return -ENOMEM;
	}
	file->model = model;
	file->pid = getpid();
	kfd_model_scenario_start(model->scenario, model);
	*out = file;
	return 0;
}

int kfd_model_open_of(struct kfd_model *model, pid_t opener, struct kfd_model_file **out)
{
	struct kfd_model_file *file = calloc(1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	pthread_mutex_lock(&model->lock);
	if (opener == getpid() && model->primary && model->primary->pid == opener &&
	    model->primary->was_opened)
		file->process = model->primary;
	pthread_mutex_unlock(&model->lock);
	file->model = model;
	/* before an exec the process was another one, though it had the same number */
	file->pid = file->process || opener != getpid() ? opener : 0;
	*out = file;
	return 0;
}

void kfd_model_close(struct kfd_model_file *file)
{
	if (!file)
		return;
	if (file->pid == getpid() && file->process->is_secondary) {
		pthread_mutex_lock(&file->model->lock);
		if (file->process->has_secondary_id)
			file->model->secondaries[file->process->context_id] = NULL;
		pthread_mutex_unlock(&file->model->lock);
		/* who has found it in the table still looks at it under its lock (sysfs.c) */
		pthread_mutex_lock(&file->process->lock);
		pthread_mutex_unlock(&file->process->lock);
		kfd_model_spm_forget(file->process);
		kfd_model_process_free(file->process);
	}
	free(file);
}

int kfd_model_memory_fd(struct kfd_model *model)
{
	struct kfd_model_process *process;

	pthread_mutex_lock(&model->lock);
	process = primary_process(model);
	pthread_mutex_unlock(&model->lock);
	return process ? kfd_model_store_fd(process->store) : -ENOMEM;
}

bool kfd_model_is_memory(struct kfd_model *model, int fd)
{
	struct kfd_model_process *process;

	pthread_mutex_lock(&model->lock);
	process = model->primary;
	pthread_mutex_unlock(&model->lock);
	return process && process->pid == getpid() && kfd_model_store_is(process->store, fd);
}

static void *fail(int error)
{
	errno = error;
	return MAP_FAILED;
}

static void *map_store(struct kfd_model_process *process, void *addr, size_t size_bytes, int prot,
		       int flags, uint64_t offset)
{
	return mmap(addr, size_bytes, prot, flags, kfd_model_store_fd(process->store),
		    (off_t)offset);
}

/* Pages of the device itself, unlike those of buffers, are not a child's (kfd.md 2). */
static void *map_device_pages(struct kfd_model_process *process, void *addr, size_t size_bytes,
			      int prot, int flags, uint64_t offset)
{
	void *map = map_store(process, addr, size_bytes, prot, flags, offset);

	if (map != MAP_FAILED)
		(void)madvise(map, size_bytes, MADV_DONTFORK); /* every kernel of use has it */
	return map;
}

static void *map_events(struct kfd_model_process *process, void *addr, size_t size_bytes, int prot,
			int flags)
{
	uint64_t page;
	void *map;

	pthread_mutex_lock(&process->events->lock);
	page = process->events->kernel_page;
	pthread_mutex_unlock(&process->events->lock);
	if (!page || size_bytes > KFD_MODEL_SIGNALS * 8ull)
		return fail(EINVAL);
	map = map_device_pages(process, addr, size_bytes, prot, flags, page);
	if (map != MAP_FAILED)
		kfd_model_events_page_mapped(process, (uintptr_t)map, size_bytes);
	return map;
}

static void *map_device(struct kfd_model_process *process, enum kfd_model_mmap_type type,
			struct kfd_model_vm *vm, void *addr, size_t size_bytes, int prot, int flags)
{
	uint64_t offset = 0;
	int rc = 0;

	pthread_mutex_lock(&process->lock);
	switch (type) {
	case KFD_MODEL_MMAP_DOORBELL:
		if (size_bytes != kfd_model_doorbell_slice_bytes(vm->node))
			rc = EINVAL;
		else if (kfd_model_doorbell_slice(vm))
			rc = ENOMEM;
		offset = vm->doorbell_offset;
		break;
	case KFD_MODEL_MMAP_MMIO:
		if (size_bytes != PAGE_BYTES)
			rc = EINVAL;
		else if (kfd_model_mmio_page(vm))
			rc = ENOMEM;
		offset = vm->mmio_offset;
		break;
	case KFD_MODEL_MMAP_RESERVED:
		/* the driver maps it by itself, on APUs, while it makes the process (kfd.md 3) */
		rc = EINVAL;
		break;
	case KFD_MODEL_MMAP_EVENTS:
		break;
	}
	pthread_mutex_unlock(&process->lock);
	return rc ? fail(rc) : map_device_pages(process, addr, size_bytes, prot, flags, offset);
}

/* The process object that a map of the device is about; NULL when the caller has none. */
static struct kfd_model_process *mapping_process(struct kfd_model *model,
						 const struct kfd_model_file *file)
{
	struct kfd_model_process *process;

	if (file && file->pid == getpid())
		return file->process;
	pthread_mutex_lock(&model->lock);
	process = model->primary;
	pthread_mutex_unlock(&model->lock);
	return process && process->pid == getpid() ? process : NULL;
}

void *kfd_model_mmap(struct kfd_model *model, struct kfd_model_file *file, void *addr,
		     size_t size_bytes, int prot, int flags, off_t offset)
{
	enum kfd_model_mmap_type type = (enum kfd_model_mmap_type)((uint64_t)offset >> 62);
	uint32_t gpu_id = (uint32_t)((uint64_t)offset >> 46) & 0xffff;
	struct kfd_model_process *process = mapping_process(model, file);
	struct kfd_model_vm *vm;

	if (!process)
		return fail(EINVAL);
	if (model->front.plain_offsets) {
		if (offset && (uint64_t)offset == process->events->kernel_page)
			return map_events(process, addr, size_bytes, prot, flags);
		return kfd_model_render_mmap(model, addr, size_bytes, prot, flags, offset);
	}
	if (type == KFD_MODEL_MMAP_EVENTS)
		return map_events(process, addr, size_bytes, prot, flags);
	vm = kfd_model_process_vm(process, gpu_id);
	if (!vm)
		return fail(ENODEV);
	return map_device(process, type, vm, addr, size_bytes, prot, flags);
}

/* A buffer that lies in another process's file. */
static void *map_foreign(struct kfd_model_process *process, void *addr, size_t size_bytes, int prot,
			 int flags, uint64_t handle)
{
	struct kfd_model_bo *bo;
	void *map = MAP_FAILED;

	pthread_mutex_lock(&process->lock);
	bo = kfd_model_bo_find(process, handle, NULL);
	if (bo && bo->backing->store && size_bytes <= bo->backing->size_bytes)
		map = mmap(addr, size_bytes, prot, flags, kfd_model_store_fd(bo->backing->store),
			   (off_t)bo->backing->offset);
	else
		errno = EINVAL;
	pthread_mutex_unlock(&process->lock);
	return map;
}

void *kfd_model_render_mmap(struct kfd_model *model, void *addr, size_t size_bytes, int prot,
			    int flags, off_t offset)
{
	struct kfd_model_process *process = mapping_process(model, NULL);

	if (!process)
		return fail(EINVAL);
	if ((uint64_t)offset & KFD_MODEL_FOREIGN_OFFSET && offset > 0)
		return map_foreign(process, addr, size_bytes, prot, flags,
				   ((uint64_t)offset & ~KFD_MODEL_FOREIGN_OFFSET) >> 12);
	/* an offset that was never given out is refused, as the DRM core does */
	if (!kfd_model_store_holds(process->store, (uint64_t)offset, size_bytes))
		return fail(EINVAL);
	return map_store(process, addr, size_bytes, prot, flags, (uint64_t)offset);
}

void kfd_model_cpu_unmapped(struct kfd_model *model, uint64_t addr, uint64_t size_bytes)
{
	struct kfd_model_process *process = model->primary;

	if (process && process->pid == getpid())
		kfd_model_svm_unmapped(process, addr, size_bytes);
}

bool kfd_model_dmabuf_look(int fd, uint64_t *size_bytes, uint64_t *offset)
{
	struct kfd_model_share share;
	off_t place = lseek(fd, 0, SEEK_CUR);

	/* the position of the open file names the share record (dmabuf.c) */
	if (place <= 0 || place % (off_t)sizeof(share) ||
	    kfd_model_store_share_at(fd, (uint32_t)(place / (off_t)sizeof(share)), &share))
		return false;
	if (size_bytes)
		*size_bytes = share.size_bytes;
	if (offset)
		*offset = share.offset;
	return true;
}
