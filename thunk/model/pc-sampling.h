/* SPDX-License-Identifier: MIT */
/* PC sampling by a process. */
#ifndef KFDSCOPE_THUNK_MODEL_PC_SAMPLING_H
#define KFDSCOPE_THUNK_MODEL_PC_SAMPLING_H

struct kfd_model_pcs;

/* @return NULL without memory. */
struct kfd_model_pcs *kfd_model_pcs_new(void);
/* Accepts NULL. */
void kfd_model_pcs_free(struct kfd_model_pcs *pcs);
/* In a forked child: its parent goes on sampling, and it does not. */
void kfd_model_pcs_after_fork(struct kfd_model_pcs *pcs);

#endif
