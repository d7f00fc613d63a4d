/* SPDX-License-Identifier: MIT */
/* Dma-bufs, for the DRM calls. The callers hold the process's lock. */
#ifndef KFDSCOPE_THUNK_MODEL_SHARE_H
#define KFDSCOPE_THUNK_MODEL_SHARE_H

#include "bo.h"

/* A new dma-buf of a backing. @return a descriptor, the caller's, or -errno. */
int kfd_model_export_backing(struct kfd_model_backing *backing, int flags);
/* The backing of a dma-buf, counted for the caller. @return 0, -EBADF, -EINVAL or -ENOMEM. */
int kfd_model_dmabuf_backing(struct kfd_model_vm *vm, int fd, struct kfd_model_backing **out);

#endif
