/* SPDX-License-Identifier: MIT */
/*
 * The operations of DBG_TRAP (kfd.md 10) on a process of this machine, whoever asks for them. Which
 * process that is, and who may, is decided in debug-remote.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller.h"
#include "debug-state.h"
#include "event.h"
#include "sleep.h"

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

static struct kfd_runtime_info runtime_info(const struct kfd_model_process *process)
{
	return (struct kfd_runtime_info){
		.r_debug = process->r_debug,
		.runtime_state = process->runtime_enabled ? DEBUG_RUNTIME_STATE_ENABLED
							  : DEBUG_RUNTIME_STATE_DISABLED,
		.ttmp_setup = process->ttmp_enabled,
	};
}

static int enable(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_enable_args *args)
{
	struct kfd_runtime_info info = runtime_info(process);
	uint32_t size = args->rinfo_size < sizeof(info) ? args->rinfo_size : sizeof(info);
	int fd, rc;

	if (process->debug->attached)
		return -EALREADY;
	for (uint32_t i = 0; i < process->vm_count; i++)
		if (process->vms[i].gws_used)
			return -EBUSY;
	fd = kfd_model_caller_take_fd((int)args->dbg_fd);
	if (fd < 0)
		return -EBADF;
	rc = kfd_model_caller_copy_out(args->rinfo_ptr, &info, size);
	if (!rc)
		rc = kfd_model_debug_attach(process, fd, kfd_model_caller_pid(),
					    args->exception_mask);
	if (rc) {
		kfd_model_close_fd(fd);
		return rc;
	}
	args->rinfo_size = sizeof(info);
	return 0;
}

static void resume(struct kfd_model_kfd_queue *queue)
{
	if (queue->is_suspended)
		kfd_model_queue_pause(queue, false);
	queue->is_suspended = false;
}

/* What the debugger was told and has not dealt with is the runtime's again. */
static void hand_back(struct kfd_model_process *process)
{
	struct kfd_model_debug *debug = process->debug;
	const uint64_t violation = KFD_EC_MASK(EC_DEVICE_MEMORY_VIOLATION);

	pthread_mutex_lock(&process->queues_lock);
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++) {
		struct kfd_model_kfd_queue *queue = process->queues[id];
		uint64_t raised = queue ? queue->exceptions & debug->enabled : 0;

		raised &= ~KFD_EC_MASK(EC_QUEUE_NEW);
		if (raised && kfd_model_debug_tell_runtime(process, queue, raised))
			queue->exceptions &= ~raised;
	}
	for (uint32_t i = 0; i < process->vm_count; i++) {
		if (debug->device_exceptions[i] & debug->enabled & violation)
			kfd_model_events_memory_exception(process, &debug->violations[i]);
		debug->device_exceptions[i] = 0;
	}
	pthread_mutex_unlock(&process->queues_lock);
}

int kfd_model_debug_disable(struct kfd_model_process *process)
{
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++)
		if (process->queues[id])
			resume(process->queues[id]);
	hand_back(process);
	kfd_model_debug_detach(process);
	return 0;
}

/* The runtime gets what the debugger saw first. */
static int send_device_event(struct kfd_model_process *process, uint32_t gpu_id, uint64_t mask)
{
	const struct kfd_model_vm *vm = kfd_model_process_vm(process, gpu_id);
	const uint64_t violation = KFD_EC_MASK(EC_DEVICE_MEMORY_VIOLATION);
	struct kfd_model_debug *debug = process->debug;
	struct kfd_hsa_memory_exception_data data = {
		.failure.NotPresent = 1,
		.gpu_id = gpu_id,
	};

	if (!vm)
		return -ENODEV;
	pthread_mutex_lock(&process->queues_lock);
	if (debug->device_exceptions[vm->node->gpu_index] & violation)
		data = debug->violations[vm->node->gpu_index];
	debug->device_exceptions[vm->node->gpu_index] &= ~mask;
	pthread_mutex_unlock(&process->queues_lock);
	if (mask & violation)
		kfd_model_events_memory_exception(process, &data);
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
		kfd_model_wake(&process->debug->lets_go);
		return 0;
	}
	if (mask & device_codes())
		return send_device_event(process, args->gpu_id, mask & device_codes());
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
	if (kfd_model_caller_copy_in(ids, array, count * sizeof(*ids))) {
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
	if (kfd_model_caller_copy_out(array, ids, count * sizeof(*ids)))
		changed = -EFAULT;
	kfd_model_wake(&process->debug->lets_go); /* who wants to destroy them waits */
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
	kfd_model_wake(&process->debug->lets_go);
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
		args->gpu_id = queue->vm->gpu_id;
	}
	for (uint32_t i = 0; i < process->vm_count && !source; i++) {
		if (!(debug->device_exceptions[i] & debug->enabled))
			continue;
		source = &debug->device_exceptions[i];
		args->gpu_id = process->vms[i].gpu_id;
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

static int tell_info(struct kfd_ioctl_dbg_trap_query_exception_info_args *args, const void *info,
		     uint32_t size_bytes)
{
	uint32_t room = args->info_size;

	args->info_size = size_bytes;
	return kfd_model_caller_copy_out(args->info_ptr, info,
					 room < size_bytes ? room : size_bytes);
}

static int query_info(struct kfd_model_process *process,
		      struct kfd_ioctl_dbg_trap_query_exception_info_args *args)
{
	struct kfd_model_debug *debug = process->debug;
	uint64_t mask, *source = &debug->process_exceptions;
	struct kfd_hsa_memory_exception_data violation = { 0 };
	struct kfd_runtime_info info;
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
		if (vm)
			violation = debug->violations[vm->node->gpu_index];
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
		info = runtime_info(process);
		return tell_info(args, &info, sizeof(info));
	}
	if (args->exception_code == EC_DEVICE_MEMORY_VIOLATION)
		return tell_info(args, &violation, sizeof(violation));
	args->info_size = 0; /* other exceptions carry nothing here */
	return 0;
}

static int set_enabled(struct kfd_model_process *process, uint64_t mask)
{
	struct kfd_model_debug *debug = process->debug;
	uint64_t raised = debug->process_exceptions;

	pthread_mutex_lock(&process->queues_lock);
	debug->enabled = mask;
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++)
		if (process->queues[id])
			raised |= process->queues[id]->exceptions;
	for (uint32_t i = 0; i < process->vm_count; i++)
		raised |= debug->device_exceptions[i];
	/* what is raised already and wanted now is told at once */
	(void)kfd_model_debug_tell_debugger(process, raised);
	pthread_mutex_unlock(&process->queues_lock);
	return 0;
}

static bool is_hardware_op(uint32_t op)
{
	return op >= KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE &&
	       op <= KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH;
}

int kfd_model_debug_operate(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_args *args)
{
	if (args->op != KFD_IOC_DBG_TRAP_ENABLE && !process->debug->attached)
		return -EINVAL;
	if (is_hardware_op(args->op) && !process->runtime_enabled)
		return -EPERM;
	switch (args->op) {
	case KFD_IOC_DBG_TRAP_ENABLE:
		return enable(process, &args->enable);
	case KFD_IOC_DBG_TRAP_DISABLE:
		return kfd_model_debug_disable(process);
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
		return kfd_model_debug_queue_snapshot(process, &args->queue_snapshot);
	case KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT:
		return kfd_model_debug_device_snapshot(process, &args->device_snapshot);
	}
	return -EINVAL;
}
