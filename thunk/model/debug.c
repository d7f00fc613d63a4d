/* SPDX-License-Identifier: MIT */
/* Exceptions on their way to the runtime or to the debugger, and RUNTIME_ENABLE (kfd.md 10). */
#include "debug.h"

#include <errno.h>
#include <stdlib.h>

#include "debug-state.h"
#include "event.h"
#include "queue-error.h"
#include "sleep.h"
#include "usercopy.h"

struct kfd_model_debug *kfd_model_debug_new(void)
{
	struct kfd_model_debug *debug = calloc(1, sizeof(*debug));

	if (!debug)
		return NULL;
	debug->fd = -1;
	pthread_cond_init(&debug->ring, NULL);
	return debug;
}

void kfd_model_debug_free(struct kfd_model_debug *debug)
{
	if (!debug)
		return;
	pthread_cond_destroy(&debug->ring);
	free(debug);
}

bool kfd_model_debug_attached(const struct kfd_model_process *process)
{
	return process->debug->attached;
}

bool kfd_model_debug_tell_runtime(struct kfd_model_process *process,
				  const struct kfd_model_kfd_queue *queue, uint64_t mask)
{
	struct kfd_context_save_area_header header;
	uint64_t payload;

	if (!queue->args.ctx_save_restore_address ||
	    kfd_model_copy_in(&header, queue->args.ctx_save_restore_address, sizeof(header)) ||
	    !header.err_payload_addr || header.err_payload_addr % sizeof(payload))
		return false;
	if (kfd_model_range_accessible(header.err_payload_addr, sizeof(payload), true) <
	    sizeof(payload))
		return false;
	__atomic_fetch_or((uint64_t *)(uintptr_t)header.err_payload_addr, mask, __ATOMIC_SEQ_CST);
	if (header.err_event_id)
		(void)kfd_model_event_set(process, header.err_event_id); /* may be gone by now */
	return true;
}

void kfd_model_debug_queue_exception(struct kfd_model_process *process, uint32_t queue_id,
				     uint32_t code)
{
	uint64_t mask = code ? KFD_EC_MASK(code) : 0;
	struct kfd_model_kfd_queue *queue;

	pthread_mutex_lock(&process->queues_lock);
	queue = kfd_model_queue_find(process, queue_id);
	if (queue) {
		queue->exceptions |= mask;
		if (!kfd_model_debug_tell_debugger(process, mask) &&
		    !kfd_model_debug_tell_runtime(process, queue, mask))
			kfd_model_queue_error_signal(process, queue, code);
	}
	pthread_mutex_unlock(&process->queues_lock);
}

void kfd_model_debug_queue_new(struct kfd_model_process *process, struct kfd_model_kfd_queue *queue)
{
	pthread_mutex_lock(&process->queues_lock);
	queue->exceptions |= KFD_EC_MASK(EC_QUEUE_NEW);
	(void)kfd_model_debug_tell_debugger(process, KFD_EC_MASK(EC_QUEUE_NEW));
	pthread_mutex_unlock(&process->queues_lock);
}

void kfd_model_debug_memory_violation(struct kfd_model_process *process,
				      const struct kfd_hsa_memory_exception_data *data)
{
	const struct kfd_model_vm *vm = kfd_model_process_vm(process, data->gpu_id);
	const uint64_t mask = KFD_EC_MASK(EC_DEVICE_MEMORY_VIOLATION);
	struct kfd_model_debug *debug = process->debug;
	bool wants = false;

	pthread_mutex_lock(&process->queues_lock);
	if (vm && debug->attached) {
		debug->device_exceptions[vm->node->gpu_index] |= mask;
		debug->violations[vm->node->gpu_index] = *data;
		wants = kfd_model_debug_tell_debugger(process, mask);
	}
	pthread_mutex_unlock(&process->queues_lock);
	if (!wants)
		kfd_model_events_memory_exception(process, data);
}

int kfd_model_debug_wait_resumed(struct kfd_model_process *process, uint32_t queue_id)
{
	const struct kfd_model_kfd_queue *queue;
	int rc = 0;

	/* who debugs itself would wait for itself */
	while (!rc && (queue = kfd_model_queue_find(process, queue_id)) && queue->is_suspended &&
	       process->debug->debugger)
		rc = kfd_model_sleep_unlocked(&process->debug->lets_go, &process->lock);
	return rc;
}

static void runtime_disable(struct kfd_model_process *process)
{
	process->runtime_enabled = false;
	process->ttmp_enabled = false;
	process->r_debug = 0;
}

static int runtime_enable(struct kfd_model_process *process, uint64_t r_debug, bool ttmp)
{
	struct kfd_model_debug *debug = process->debug;
	uint64_t mask = KFD_EC_MASK(EC_PROCESS_RUNTIME);
	bool wants;
	int rc = 0;

	if (process->queue_count)
		return -EEXIST;
	if (process->runtime_enabled)
		return -EBUSY;
	process->runtime_enabled = true;
	process->r_debug = r_debug;
	process->ttmp_enabled = ttmp;
	pthread_mutex_lock(&process->queues_lock);
	wants = kfd_model_debug_tell_debugger(process, mask);
	if (wants)
		debug->process_exceptions |= mask;
	pthread_mutex_unlock(&process->queues_lock);
	debug->runtime_waits = wants;
	while (!rc && debug->runtime_waits && debug->attached)
		rc = kfd_model_sleep_unlocked(&debug->lets_go, &process->lock);
	if (rc) { /* whoever comes again enables again */
		runtime_disable(process);
		debug->runtime_waits = false;
	}
	return rc;
}

int kfd_model_debug_runtime_enable(struct kfd_model_process *process,
				   struct kfd_ioctl_runtime_enable_args *args)
{
	if (args->mode_mask & KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK)
		return runtime_enable(process, args->r_debug,
				      args->mode_mask & KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK);
	runtime_disable(process);
	return 0;
}

int kfd_model_debug_trap_legacy(struct kfd_model_process *process,
				struct kfd_ioctl_dbg_trap_legacy_args *args)
{
	switch (args->op) {
	case LEGACY_OP_GET_VERSION:
		args->data1 = LEGACY_DEBUG_VERSION_MAJOR;
		args->data2 = LEGACY_DEBUG_VERSION_MINOR;
		return 0;
	case LEGACY_OP_RUNTIME_ENABLE:
		if (args->data1)
			return runtime_enable(process, args->ptr, args->data2);
		runtime_disable(process);
		return 0;
	}
	/* the rest needs a target that is traced by the caller, which a process is not by itself */
	if (args->pid && args->pid != (uint32_t)process->pid)
		return -ESRCH;
	return args->op <= LEGACY_OP_SET_EXCEPTIONS_ENABLED ? -EPERM : -EINVAL;
}
