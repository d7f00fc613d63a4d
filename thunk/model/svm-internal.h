/* SPDX-License-Identifier: MIT */
/* What svm.c and svm-image.c share. All functions are called with vm_lock held for writing. */
#ifndef KFDSCOPE_THUNK_MODEL_SVM_INTERNAL_H
#define KFDSCOPE_THUNK_MODEL_SVM_INTERNAL_H

#include "svm.h"

struct kfd_model_image_range;

#define KFD_MODEL_SVM_GRANULARITY_MAX 0x3f

struct range {
	uint64_t start, end;          /* end is the first byte behind */
	uint32_t preferred, prefetch; /* gpu_id, 0 system, or undefined */
	uint32_t flags, granularity;
	uint64_t access, in_place, no_access; /* bit a gpu_index */
	struct range *next;                   /* owned; higher addresses */
};

struct kfd_model_svm {
	struct range *ranges; /* owned */
	uint32_t count;
	struct kfd_model_image_range *restored; /* owned; from a checkpoint, not in force yet */
	uint32_t restored_count;
};

/* Checks a preferred or prefetch location; needs no lock. @return 0 or -EINVAL. */
int kfd_model_svm_check_location(struct kfd_model_process *process, uint32_t value);
/*
 * Makes all of [start,end) pieces with borders at both ends, to be given attributes.
 * @param first  out: the first piece; the last one ends at end.
 * @return 0, -EADDRINUSE where a buffer is mapped, or -ENOMEM.
 */
int kfd_model_svm_pieces(struct kfd_model_process *process, uint64_t start, uint64_t end,
			 struct range **first);
/* Forgets what is in [start,end). Without memory for a split the pieces stay. */
void kfd_model_svm_drop(struct kfd_model_svm *svm, uint64_t start, uint64_t end);

#endif
