/* SPDX-License-Identifier: MIT */
/* Direct file transfers to and from VRAM (AIS_OP, kfd.md 12). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bo.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "ioctl.h"

#define PAGE_BYTES 4096ull

/* Moves bytes until the end of the buffer's part, the file, or an error. */
static uint64_t transfer(struct kfd_model_bo *bo, const struct kfd_ais_in_args *in, int *status)
{
	uint64_t done = 0;

	*status = 0;
	while (done < in->size) {
		uint64_t span = 0, left = in->size - done;
		char *host = kfd_model_bo_host(bo, in->handle_offset + done, true, &span);
		off_t at = (off_t)(in->file_offset + done);
		ssize_t moved;

		if (!host)
			break;
		if (span > left)
			span = left;
		moved = in->op == KFD_IOC_AIS_READ ? pread(in->fd, host, span, at)
						   : pwrite(in->fd, host, span, at);
		if (moved < 0)
			*status = -errno;
		if (moved <= 0)
			break;
		done += (uint64_t)moved;
	}
	return done;
}

int kfd_model_call_ais_op(struct kfd_model_call *call)
{
	struct kfd_ioctl_ais_args *args = call->args;
	const struct kfd_ais_in_args in = args->in;
	struct kfd_model_bo *bo;
	struct stat st;
	int status;

	if (in.op != KFD_IOC_AIS_READ && in.op != KFD_IOC_AIS_WRITE)
		return -EINVAL;
	if (fstat(in.fd, &st))
		return -EBADF;
	bo = kfd_model_bo_find(call->process, in.handle, NULL);
	if (!bo || !(bo->backing->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) ||
	    (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
		return -EINVAL;
	if (!bo->vm->acquired)
		return -ESRCH;
	if (!kfd_model_scenario_vram_visible(call->process->model->scenario, bo->vm->node))
		return -ENODEV; /* the other device could not reach it over the bus */
	if (in.file_offset % PAGE_BYTES || in.handle_offset % PAGE_BYTES || !in.size ||
	    in.handle_offset >= bo->backing->size_bytes ||
	    in.size > bo->backing->size_bytes - in.handle_offset)
		return -EINVAL;
	args->out.size_copied = transfer(bo, &in, &status);
	args->out.status = status;
	args->out.pad = 0;
	return status == -EIO ? -EIO : 0;
}
