/* SPDX-License-Identifier: MIT */
/* Shared virtual memory: attributes of the program's own address ranges (kfd.md 6.5). */
#ifndef KFDSCOPE_THUNK_MODEL_SVM_H
#define KFDSCOPE_THUNK_MODEL_SVM_H

#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"

struct kfd_model_svm *kfd_model_svm_new(void);
void kfd_model_svm_free(struct kfd_model_svm *svm);

/*
 * The SVM ioctl.
 * @param size_bytes  size of the caller's argument, attributes included.
 */
int kfd_model_svm_ioctl(struct kfd_model_process *process, struct kfd_ioctl_svm_args *args,
			size_t size_bytes);
/* The SET_XNACK_MODE ioctl; the caller holds the process's lock. */
int kfd_model_xnack_ioctl(struct kfd_model_process *process,
			  struct kfd_ioctl_set_xnack_mode_args *args);
/* The program unmapped a range. */
void kfd_model_svm_unmapped(struct kfd_model_process *process, uint64_t start, uint64_t size_bytes);

/*
 * Whether a GPU may access the program's own memory at va. The caller holds vm_lock.
 * @param span_bytes  out: how far the answer is the same.
 */
bool kfd_model_svm_gpu_may(struct kfd_model_vm *vm, uint64_t va, bool write, uint64_t *span_bytes);
/* Whether the whole range is always mapped and accessible to this GPU. Takes vm_lock. */
bool kfd_model_svm_always_mapped(struct kfd_model_vm *vm, uint64_t start, uint64_t size_bytes);
/* Whether any registered range overlaps. Takes vm_lock. */
bool kfd_model_svm_overlaps(struct kfd_model_process *process, uint64_t start, uint64_t size_bytes);
/* Number of ranges, for checkpoint counts. Takes vm_lock. */
uint32_t kfd_model_svm_count(struct kfd_model_process *process);

#endif
