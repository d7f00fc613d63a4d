/* SPDX-License-Identifier: MIT */
/* Which descriptors of the process are simulated devices. Duplicates share one open file. */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_FDS_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_FDS_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"
#include "topology.h"

enum preload_kind {
	PRELOAD_KFD,
	PRELOAD_DRM,
	PRELOAD_VIRTGPU,
};

struct preload_file {
	_Atomic unsigned int refs;
	enum preload_kind kind;
	struct kfd_model *model;           /* borrowed */
	struct kfd_model_file *kfd;        /* owned; PRELOAD_KFD */
	const struct kfd_model_node *node; /* borrowed; PRELOAD_DRM */
	uint32_t minor;                    /* PRELOAD_DRM and PRELOAD_VIRTGPU */
	bool is_card;                      /* the primary node, not the render node */
	uint64_t file_id;
	struct vkmt_transport *virtgpu; /* owned; PRELOAD_VIRTGPU */
};

/* The simulated device behind a descriptor, or NULL. Borrowed while the descriptor is open. */
struct preload_file *preload_fd(int fd);
/*
 * The same, also for a descriptor that another process opened and handed over, or this one before an
 * exec. As with the driver a KFD serves its opener only; a DRM device serves everybody, though without
 * the handles that its opener has made.
 */
struct preload_file *preload_fd_adopted(int fd);
/*
 * As preload_fd_adopted() (adopts) or preload_fd(), and the file stays until preload_file_put() when
 * another thread closes the descriptor meanwhile, as the kernel keeps it for a call that is under way.
 */
struct preload_file *preload_fd_hold(int fd, bool adopts);
/* The last one closes the file. Accepts NULL. */
void preload_file_put(struct preload_file *file);
/* Opens a device. @return a descriptor, or -1 with errno set. */
int preload_open_kfd(struct kfd_model *model, int flags);
int preload_open_drm(struct kfd_model *model, const struct kfd_model_node *node, uint32_t minor,
		     int flags);
int preload_open_virtgpu(int flags);
/* fd was duplicated to copy. */
void preload_fd_copied(int fd, int copy);
/* fd is about to be closed or overwritten. */
void preload_fd_gone(int fd);
/* All of first..last are about to be closed. */
void preload_fds_gone_from(unsigned int first, unsigned int last);
/* In a forked child: the table is now the child's own. */
void preload_fds_after_fork(void);
/* For the machine: struct kfd_model_front. */
int preload_render_file(void *data, int fd, uint32_t *minor, uint64_t *file_id);

#endif
