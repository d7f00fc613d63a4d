/* SPDX-License-Identifier: MIT */
/* The driver's event stream: text lines that clients read from a descriptor (kfd.md 9). */
#ifndef KFDSCOPE_THUNK_MODEL_SMI_H
#define KFDSCOPE_THUNK_MODEL_SMI_H

#include "process.h"

#define KFD_MODEL_SMI_EVENT_MAX 63 /* the mask's last bit asks for other processes' events */

struct kfd_model_smi *kfd_model_smi_new(void);
void kfd_model_smi_free(struct kfd_model_smi *smi);
void kfd_model_smi_after_fork(struct kfd_model_smi *smi);

/* Opens a stream of a GPU. @return a new descriptor, the caller's, or -errno. */
int kfd_model_smi_open(struct kfd_model *model, const struct kfd_model_node *node);
/*
 * Whether a descriptor is the client's end of a stream, for a front that sees what is done with it;
 * such a front has to see to what the socket does otherwise than the driver's file.
 */
bool kfd_model_smi_is(int fd);
/*
 * Sends a line to each client of the GPU that has enabled its event.
 * @param text  "EVENT body" with the event number in hexadecimal, without the newline.
 */
void kfd_model_smi_text(struct kfd_model *model, uint32_t gpu_id, const char *text);
/* The line of an access to memory that is not there. */
void kfd_model_smi_vm_fault(struct kfd_model_process *process, uint32_t gpu_id);
/* The two lines of a prefetch to a location (a gpu id, or 0 for system memory). */
void kfd_model_smi_migration(struct kfd_model_process *process, uint64_t start, uint64_t size_bytes,
			     uint32_t to_gpu_id);

#endif
