/* SPDX-License-Identifier: MIT */
/*
 * DBG_TRAP (kfd.md 10), as far as a process can debug itself: the driver needs no ptrace for that. A
 * process that is somebody else's has no KFD process here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug-state.h"
#include "event.h"
#include "usercopy.h"

#define TRAP_MASKS       0xc00001ffu /* all KFD_DBG_TRAP_MASK_* bits */
#define QUEUE_CODE_LAST  EC_QUEUE_NEW
#define DEVICE_CODE_LAST EC_DEVICE_NEW
#define ARRAY_MAX        KFD_MODEL_QUEUES_MAX

static uint64_t queue_codes(void)
{
	return KFD_EC_MASK(QUEUE_CODE_LAST + 1) - 1;
}

static uint64_t device_codes(void)
{
	return (KFD_EC_MASK(DEVICE_CODE_LAST + 1) - 1) & ~queue_codes();
}

static int enable(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_enable_args *args)
{
	struct kfd_model_debug *debug = process->debug;
	struct kfd_runtime_info info = {
		.r_debug = process->r_debug,
		.runtime_state = process->runtime_enabled ? DEBUG_RUNTIME_STATE_ENABLED
							  : DEBUG_RUNTIME_STATE_DISABLED,
		.ttmp_setup = process->ttmp_enabled,
	};
	uint32_t size = args->rinfo_size < sizeof(info) ? args->rinfo_size : sizeof(info);
	int fd;

	if (debug->attached)
		return -EALREADY;
	for (uint32_t i = 0; i < process->vm_count; i++)
		if (process->vms[i].gws_used)
			return -EBUSY;
	fd = fcntl((int)args->dbg_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -EBADF;
	if (kfd_model_copy_out(args->rinfo_ptr, &info, size)) {
		close(fd);
		return -EFAULT;
	}
	args->rinfo_size = sizeof(info);
	pthread_mutex_lock(&process->queues_lock);
	debug->attached = true;
	debug->fd = fd;
	debug->enabled = args->exception_mask;
	pthread_mutex_unlock(&process->queues_lock);
	return 0;
}

static void resume(struct kfd_model_kfd_queue *queue)
{
	if (queue->is_suspended)
		kfd_model_queue_pause(queue, false);
	queue->is_suspended = false;
}

static int disable(struct kfd_model_process *process)
{
	struct kfd_model_debug *debug = process->debug;
	int fd = debug->fd;

	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++)
		if (process->queues[id])
			resume(process->queues[id]);
	pthread_mutex_lock(&process->queues_lock);
	debug->attached = false;
	debug->fd = -1;
	debug->enabled = 0;
	debug->flags = debug->override_mask = debug->launch_mode = 0;
	memset(debug->watch_used, 0, sizeof(debug->watch_used));
	pthread_mutex_unlock(&process->queues_lock);
	close(fd);
	debug->runtime_waits = false;
	pthread_cond_broadcast(&debug->runtime_go);
	return 0;
}

static int send_runtime_event(struct kfd_model_process *process,
			      const struct kfd_ioctl_dbg_trap_send_runtime_event_args *args)
{
	struct kfd_model_kfd_queue *queue;
	uint64_t mask = args->exception_mask;

	if (mask & KFD_EC_MASK(EC_PROCESS_RUNTIME)) {
		process->debug->process_exceptions &= ~KFD_EC_MASK(EC_PROCESS_RUNTIME);
		process->debug->runtime_waits = false;
		pthread_cond_broadcast(&process->debug->runtime_go);
		return 0;
	}
	if (mask & device_codes()) {
		struct kfd_hsa_memory_exception_data data = {
			.failure.NotPresent = 1,
			.gpu_id = args->gpu_id,
		};

		if (!kfd_model_process_vm(process, args->gpu_id))
			return -ENODEV;
		if (mask & KFD_EC_MASK(EC_DEVICE_MEMORY_VIOLATION))
			kfd_model_events_memory_exception(process, &data);
		return 0;
	}
	pthread_mutex_lock(&process->queues_lock);
	queue = kfd_model_queue_find(process, args->queue_id);
	if (queue)
		(void)kfd_model_debug_tell_runtime(process, queue, mask & queue_codes());
	pthread_mutex_unlock(&process->queues_lock);
	return queue ? 0 : -EINVAL;
}

static int set_override(struct kfd_model_process *process,
			struct kfd_ioctl_dbg_trap_set_wave_launch_override_args *args)
{
	struct kfd_model_debug *debug = process->debug;
	uint32_t previous = debug->override_mask, wanted = args->support_request_mask;

	args->support_request_mask = TRAP_MASKS;
	if (args->override_mode > KFD_DBG_TRAP_OVERRIDE_REPLACE)
		return -EINVAL;
	if (wanted & ~TRAP_MASKS)
		return -EACCES;
	debug->override_mask = args->override_mode == KFD_DBG_TRAP_OVERRIDE_OR
				       ? previous | (args->enable_mask & wanted)
				       : (previous & ~wanted) | (args->enable_mask & wanted);
	args->enable_mask = previous;
	return 0;
}

static int set_launch_mode(struct kfd_model_process *process,
			   const struct kfd_ioctl_dbg_trap_set_wave_launch_mode_args *args)
{
	switch (args->launch_mode) {
	case KFD_DBG_TRAP_WAVE_LAUNCH_MODE_NORMAL:
	case KFD_DBG_TRAP_WAVE_LAUNCH_MODE_HALT:
	case KFD_DBG_TRAP_WAVE_LAUNCH_MODE_DEBUG:
		process->debug->launch_mode = args->launch_mode;
		return 0;
	}
	return -EINVAL;
}

/* Suspends or resumes the listed queues; what cannot be done is marked in the array. */
static int change_queues(struct kfd_model_process *process, uint64_t array, uint32_t count,
			 bool suspend, uint64_t clear)
{
	uint32_t *ids;
	int changed = 0;

	if (count > ARRAY_MAX)
		return -EINVAL;
	ids = calloc(count ? count : 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	if (kfd_model_copy_in(ids, array, count * sizeof(*ids))) {
		free(ids);
		return -EFAULT;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct kfd_model_kfd_queue *queue = kfd_model_queue_find(process, ids[i]);

		/* a queue that nobody has looked at since it was made cannot be suspended */
		if (!queue || (suspend && queue->exceptions & KFD_EC_MASK(EC_QUEUE_NEW) & ~clear)) {
			ids[i] |= KFD_DBG_QUEUE_INVALID_MASK;
			continue;
		}
		if (suspend && !queue->is_suspended)
			kfd_model_queue_pause(queue, true);
		else if (!suspend)
			resume(queue);
		queue->is_suspended = suspend;
		queue->exceptions &= ~clear;
		changed++;
	}
	if (kfd_model_copy_out(array, ids, count * sizeof(*ids)))
		changed = -EFAULT;
	free(ids);
	return changed;
}

static int resume_queues(struct kfd_model_process *process,
			 const struct kfd_ioctl_dbg_trap_resume_queues_args *args)
{
	int resumed = 0;

	if (args->num_queues)
		return change_queues(process, args->queue_array_ptr, args->num_queues, false, 0);
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++) {
		if (!process->queues[id])
			continue;
		resume(process->queues[id]);
		resumed++;
	}
	return resumed;
}

static int set_watch(struct kfd_model_process *process,
		     struct kfd_ioctl_dbg_trap_set_node_address_watch_args *args)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(process, args->gpu_id);
	uint8_t *used;

	if (!vm)
		return -ENODEV;
	used = &process->debug->watch_used[vm->node->gpu_index];
	for (uint32_t slot = 0; slot < KFD_MODEL_WATCH_SLOTS; slot++) {
		if (*used >> slot & 1)
			continue;
		*used |= (uint8_t)(1u << slot);
		args->id = slot;
		return 0;
	}
	return -ENOMEM;
}

static int clear_watch(struct kfd_model_process *process,
		       const struct kfd_ioctl_dbg_trap_clear_node_address_watch_args *args)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(process, args->gpu_id);
	uint8_t *used;

	if (!vm)
		return -ENODEV;
	used = &process->debug->watch_used[vm->node->gpu_index];
	if (args->id >= KFD_MODEL_WATCH_SLOTS || !(*used >> args->id & 1))
		return -EINVAL;
	*used &= (uint8_t) ~(1u << args->id);
	return 0;
}

static int set_flags(struct kfd_model_process *process,
		     struct kfd_ioctl_dbg_trap_set_flags_args *args)
{
	const uint32_t known = KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP | KFD_DBG_TRAP_FLAG_SINGLE_ALU_OP;
	uint32_t previous = process->debug->flags;

	if (args->flags & ~known)
		return -EACCES;
	process->debug->flags = args->flags;
	args->flags = previous;
	return 0;
}

/* The first source with an exception that the debugger wants: queues, GPUs, then the process. */
static int query_event(struct kfd_model_process *process,
		       struct kfd_ioctl_dbg_trap_query_debug_event_args *args)
{
	struct kfd_model_debug *debug = process->debug;
	uint64_t clear = args->exception_mask, *source = NULL;

	args->gpu_id = 0;
	args->queue_id = KFD_INVALID_QUEUEID;
	pthread_mutex_lock(&process->queues_lock);
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX && !source; id++) {
		struct kfd_model_kfd_queue *queue = process->queues[id];

		if (!queue || !(queue->exceptions & debug->enabled))
			continue;
		source = &queue->exceptions;
		args->queue_id = id;
		args->gpu_id = queue->vm->node->gpu_id;
	}
	for (uint32_t i = 0; i < process->vm_count && !source; i++) {
		if (!(debug->device_exceptions[i] & debug->enabled))
			continue;
		source = &debug->device_exceptions[i];
		args->gpu_id = process->vms[i].node->gpu_id;
	}
	if (!source && debug->process_exceptions & debug->enabled)
		source = &debug->process_exceptions;
	if (source) {
		args->exception_mask = *source;
		*source &= ~clear;
	}
	pthread_mutex_unlock(&process->queues_lock);
	return source ? 0 : -EAGAIN;
}

static int query_info(struct kfd_model_process *process,
		      struct kfd_ioctl_dbg_trap_query_exception_info_args *args)
{
	struct kfd_model_debug *debug = process->debug;
	uint64_t mask, *source = &debug->process_exceptions;
	struct kfd_model_kfd_queue *queue;
	struct kfd_model_vm *vm;
	int rc = 0;

	if (args->exception_code == EC_NONE || args->exception_code >= EC_MAX)
		return -EINVAL;
	mask = KFD_EC_MASK(args->exception_code);
	pthread_mutex_lock(&process->queues_lock);
	if (mask & queue_codes()) {
		queue = kfd_model_queue_find(process, args->source_id);
		source = queue ? &queue->exceptions : NULL;
	} else if (mask & device_codes()) {
		vm = kfd_model_process_vm(process, args->source_id);
		source = vm ? &debug->device_exceptions[vm->node->gpu_index] : NULL;
	}
	if (!source)
		rc = -EINVAL;
	else if (!(*source & mask))
		rc = -ENODATA;
	else if (args->clear_exception)
		*source &= ~mask;
	pthread_mutex_unlock(&process->queues_lock);
	if (rc)
		return rc;
	if (args->exception_code == EC_PROCESS_RUNTIME) {
		struct kfd_runtime_info info = {
			.r_debug = process->r_debug,
			.runtime_state = process->runtime_enabled ? DEBUG_RUNTIME_STATE_ENABLED
								  : DEBUG_RUNTIME_STATE_DISABLED,
			.ttmp_setup = process->ttmp_enabled,
		};
		uint32_t size = args->info_size < sizeof(info) ? args->info_size : sizeof(info);

		args->info_size = sizeof(info);
		return kfd_model_copy_out(args->info_ptr, &info, size);
	}
	args->info_size = 0; /* other exceptions carry nothing here */
	return 0;
}

static void snapshot_queue(struct kfd_model_kfd_queue *queue, struct kfd_queue_snapshot_entry *out)
{
	memset(out, 0, sizeof(*out));
	out->exception_status = queue->exceptions;
	out->ring_base_address = queue->args.ring_base_address;
	out->write_pointer_address = queue->args.write_pointer_address;
	out->read_pointer_address = queue->args.read_pointer_address;
	out->ctx_save_restore_address = queue->args.ctx_save_restore_address;
	out->queue_id = queue->id;
	out->gpu_id = queue->vm->node->gpu_id;
	out->ring_size = queue->args.ring_size;
	out->queue_type = queue->type;
	out->ctx_save_restore_area_size = queue->args.ctx_save_restore_size;
}

static int queue_snapshot(struct kfd_model_process *process,
			  struct kfd_ioctl_dbg_trap_queue_snapshot_args *args)
{
	uint32_t room = args->num_queues, stride = args->entry_size, filled = 0;
	uint32_t size = stride < sizeof(struct kfd_queue_snapshot_entry)
				? stride
				: sizeof(struct kfd_queue_snapshot_entry);
	struct kfd_queue_snapshot_entry entry;
	int rc = 0;

	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX && !rc; id++) {
		struct kfd_model_kfd_queue *queue = process->queues[id];

		if (!queue)
			continue;
		if (filled < room) {
			snapshot_queue(queue, &entry);
			queue->exceptions &= ~args->exception_mask;
			rc = kfd_model_copy_out(args->snapshot_buf_ptr + (uint64_t)filled * stride,
						&entry, size);
			filled++;
		}
	}
	args->num_queues = process->queue_count;
	args->entry_size = size;
	return rc;
}

static void snapshot_device(const struct kfd_model_vm *vm, uint64_t exceptions,
			    struct kfd_dbg_device_info_entry *out)
{
	const struct kfd_model_node *node = vm->node;

	memset(out, 0, sizeof(*out));
	out->exception_status = exceptions;
	kfd_model_apertures(vm, &out->lds_base, &out->scratch_base, &out->gpuvm_base);
	out->lds_limit = out->lds_base | 0xffffffffull;
	out->scratch_limit = out->scratch_base | 0xffffffffull;
	out->gpuvm_limit = node->gpuvm_limit;
	out->gpu_id = node->gpu_id;
	out->location_id = node->location_id;
	out->vendor_id = node->vendor_id;
	out->device_id = node->device_id;
	out->fw_version = node->fw_version;
	out->gfx_target_version = node->gfx_version;
	out->simd_count = node->simd_count;
	out->max_waves_per_simd = node->max_waves_per_simd;
	out->array_count = node->array_count;
	out->simd_arrays_per_engine = node->simd_arrays_per_engine;
	out->num_xcc = node->num_xcc;
	out->capability = node->capability;
	out->debug_prop = (uint32_t)node->debug_prop;
}

static int device_snapshot(struct kfd_model_process *process,
			   struct kfd_ioctl_dbg_trap_device_snapshot_args *args)
{
	uint64_t *exceptions = process->debug->device_exceptions;
	uint32_t room = args->num_devices, stride = args->entry_size;
	uint32_t size = stride < sizeof(struct kfd_dbg_device_info_entry)
				? stride
				: sizeof(struct kfd_dbg_device_info_entry);
	struct kfd_dbg_device_info_entry entry;

	if (!stride)
		return -EINVAL;
	for (uint32_t i = 0; i < process->vm_count && i < room; i++) {
		snapshot_device(&process->vms[i], exceptions[i], &entry);
		exceptions[i] &= ~args->exception_mask;
		if (kfd_model_copy_out(args->snapshot_buf_ptr + (uint64_t)i * stride, &entry, size))
			return -EFAULT;
	}
	args->num_devices = process->vm_count;
	args->entry_size = size;
	return 0;
}

static int set_enabled(struct kfd_model_process *process, uint64_t mask)
{
	struct kfd_model_debug *debug = process->debug;

	pthread_mutex_lock(&process->queues_lock);
	debug->enabled = mask;
	/* what is raised already and wanted now is told at once */
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++)
		if (process->queues[id])
			(void)kfd_model_debug_tell_debugger(debug, process->queues[id]->exceptions);
	pthread_mutex_unlock(&process->queues_lock);
	return 0;
}

static bool is_hardware_op(uint32_t op)
{
	return op >= KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE &&
	       op <= KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH;
}

static int check(struct kfd_model_process *process, const struct kfd_ioctl_dbg_trap_args *args)
{
	if (process->is_secondary)
		return -EOPNOTSUPP;
	if (args->pid != (uint32_t)process->pid) {
		if (!args->pid || kill((pid_t)args->pid, 0))
			return -ESRCH;
		return args->op == KFD_IOC_DBG_TRAP_ENABLE ? -EPERM : -ESRCH;
	}
	if (args->op != KFD_IOC_DBG_TRAP_ENABLE && !process->debug->attached)
		return -EINVAL;
	if (is_hardware_op(args->op) && !process->runtime_enabled)
		return -EPERM;
	return 0;
}

int kfd_model_debug_trap(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_args *args)
{
	int rc = check(process, args);

	if (rc)
		return rc;
	switch (args->op) {
	case KFD_IOC_DBG_TRAP_ENABLE:
		return enable(process, &args->enable);
	case KFD_IOC_DBG_TRAP_DISABLE:
		return disable(process);
	case KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT:
		return send_runtime_event(process, &args->send_runtime_event);
	case KFD_IOC_DBG_TRAP_SET_EXCEPTIONS_ENABLED:
		return set_enabled(process, args->set_exceptions_enabled.exception_mask);
	case KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE:
		return set_override(process, &args->launch_override);
	case KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE:
		return set_launch_mode(process, &args->launch_mode);
	case KFD_IOC_DBG_TRAP_SUSPEND_QUEUES:
		return change_queues(process, args->suspend_queues.queue_array_ptr,
				     args->suspend_queues.num_queues, true,
				     args->suspend_queues.exception_mask);
	case KFD_IOC_DBG_TRAP_RESUME_QUEUES:
		return resume_queues(process, &args->resume_queues);
	case KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH:
		return set_watch(process, &args->set_node_address_watch);
	case KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH:
		return clear_watch(process, &args->clear_node_address_watch);
	case KFD_IOC_DBG_TRAP_SET_FLAGS:
		return set_flags(process, &args->set_flags);
	case KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT:
		return query_event(process, &args->query_debug_event);
	case KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO:
		return query_info(process, &args->query_exception_info);
	case KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT:
		return queue_snapshot(process, &args->queue_snapshot);
	case KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT:
		return device_snapshot(process, &args->device_snapshot);
	}
	return -EINVAL;
}
