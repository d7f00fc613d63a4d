/* SPDX-License-Identifier: MIT */
/*
 * Engines that are somebody else's: a model plug-in of interface 0.4 runs the queues, behind this
 * KFD (model.md 2). It sees a GPU's memory through a window of the host's address space, in which
 * every mapped buffer is shown at its GPU address.
 */
#ifndef KFDSCOPE_THUNK_MODEL_ENGINE04_H
#define KFDSCOPE_THUNK_MODEL_ENGINE04_H

#include "hsakmt/hsakmtmodeliface.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"

#define KFD_MODEL_ENGINE04_WINDOW (1ull << 38) /* bytes; GPU addresses lie below */

struct kfd_model_bo;
struct kfd_model_engine04; /* one GPU of the plug-in */

/*
 * Makes the plug-in's GPU, if the machine is to have such engines and there is none yet.
 * @return 0, or -ENOMEM without address space or when the plug-in makes no GPU.
 */
int kfd_model_engine04_start(struct kfd_model_vm *vm) __attribute__((warn_unused_result));
/* Ends it; its queues are gone. Accepts NULL. */
void kfd_model_engine04_free(struct kfd_model_engine04 *engine);

/*
 * Shows (hides) part of a buffer. The caller holds vm_lock for writing.
 * @return 0; -EINVAL outside of the window and for the program's own memory, which cannot be shown
 *         at a second address; -ENOMEM.
 */
int kfd_model_engine04_map(struct kfd_model_engine04 *engine, const struct kfd_model_bo *bo,
			   uint64_t va, uint64_t bo_offset, uint64_t size_bytes, bool writable);
void kfd_model_engine04_unmap(struct kfd_model_engine04 *engine, uint64_t va, uint64_t size_bytes);

/* Says that a buffer with an address was made, or is going. */
void kfd_model_engine04_alloced(struct kfd_model_engine04 *engine, const struct kfd_model_bo *bo);
void kfd_model_engine04_freed(struct kfd_model_engine04 *engine, const struct kfd_model_bo *bo);

/*
 * Has a queue served.
 * @return the plug-in's queue in *out, NULL when it is not to run; 0, -EINVAL for a type that such
 *         plug-ins do not know, or -ENOMEM.
 */
int kfd_model_engine04_queue_new(struct kfd_model_engine04 *engine,
				 const struct kfd_ioctl_create_queue_args *args,
				 hsakmt_model_queue_t **out);
void kfd_model_engine04_queue_free(struct kfd_model_engine04 *engine, hsakmt_model_queue_t *queue);

#endif
