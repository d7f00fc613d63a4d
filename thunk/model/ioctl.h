/* SPDX-License-Identifier: MIT */
/*
 * From an ioctl number to the function that carries it out. Each handler gets the argument copied
 * into its full size and returns 0 or a positive result, or -errno.
 */
#ifndef KFDSCOPE_THUNK_MODEL_IOCTL_H
#define KFDSCOPE_THUNK_MODEL_IOCTL_H

#include <stddef.h>
#include <stdint.h>

#include "process.h"

struct kfd_model_call {
	struct kfd_model_file *file;
	struct kfd_model_process *process;
	void *args;
	size_t user_bytes; /* as the caller's request code says */
};

/* Number of a call by its name without AMDKFD_IOC_, or -1. */
int kfd_model_ioctl_number(const char *name);

/* Handlers, by file. device-calls.c: */
int kfd_model_call_get_version(struct kfd_model_call *call);
int kfd_model_call_get_clock_counters(struct kfd_model_call *call);
int kfd_model_call_get_process_apertures(struct kfd_model_call *call);
int kfd_model_call_get_process_apertures_new(struct kfd_model_call *call);
int kfd_model_call_set_memory_policy(struct kfd_model_call *call);
int kfd_model_call_set_scratch_backing_va(struct kfd_model_call *call);
int kfd_model_call_get_tile_config(struct kfd_model_call *call);
int kfd_model_call_set_trap_handler(struct kfd_model_call *call);
int kfd_model_call_smi_events(struct kfd_model_call *call);
int kfd_model_call_create_process(struct kfd_model_call *call);
int kfd_model_call_refused(struct kfd_model_call *call);
int kfd_model_call_cross_memory_copy(struct kfd_model_call *call);
/* memory-calls.c: */
int kfd_model_call_acquire_vm(struct kfd_model_call *call);
int kfd_model_call_alloc_memory(struct kfd_model_call *call);
int kfd_model_call_free_memory(struct kfd_model_call *call);
int kfd_model_call_map_memory(struct kfd_model_call *call);
int kfd_model_call_unmap_memory(struct kfd_model_call *call);
int kfd_model_call_available_memory(struct kfd_model_call *call);
int kfd_model_call_svm(struct kfd_model_call *call);
int kfd_model_call_set_xnack_mode(struct kfd_model_call *call);
/* share.c: */
int kfd_model_call_get_dmabuf_info(struct kfd_model_call *call);
int kfd_model_call_import_dmabuf(struct kfd_model_call *call);
int kfd_model_call_export_dmabuf(struct kfd_model_call *call);
int kfd_model_call_ipc_import(struct kfd_model_call *call);
int kfd_model_call_ipc_export(struct kfd_model_call *call);
/* queue-calls.c: */
int kfd_model_call_create_queue(struct kfd_model_call *call);
int kfd_model_call_destroy_queue(struct kfd_model_call *call);
int kfd_model_call_update_queue(struct kfd_model_call *call);
int kfd_model_call_set_cu_mask(struct kfd_model_call *call);
int kfd_model_call_get_queue_wave_state(struct kfd_model_call *call);
int kfd_model_call_alloc_queue_gws(struct kfd_model_call *call);
int kfd_model_call_create_event(struct kfd_model_call *call);
int kfd_model_call_destroy_event(struct kfd_model_call *call);
int kfd_model_call_set_event(struct kfd_model_call *call);
int kfd_model_call_reset_event(struct kfd_model_call *call);
int kfd_model_call_wait_events(struct kfd_model_call *call);
int kfd_model_call_runtime_enable(struct kfd_model_call *call);
int kfd_model_call_dbg_trap(struct kfd_model_call *call);
int kfd_model_call_dbg_trap_legacy(struct kfd_model_call *call);
/* spm.c, pc-sampling.c, profiler.c, ais.c, criu.c: */
int kfd_model_call_rlc_spm(struct kfd_model_call *call);
int kfd_model_call_pc_sample(struct kfd_model_call *call);
int kfd_model_call_profiler(struct kfd_model_call *call);
int kfd_model_call_profiler_dkms(struct kfd_model_call *call);
int kfd_model_call_ais_op(struct kfd_model_call *call);
int kfd_model_call_criu_op(struct kfd_model_call *call);

#endif
