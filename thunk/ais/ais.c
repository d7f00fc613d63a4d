/* SPDX-License-Identifier: MIT */
/* Direct transfers between files and device memory: the AIS_OP ioctl (queues.md 10). */
#include "ais/ais.h"

#include "hsakmt/linux/kfd_ioctl.h"
#include "memory/fmm.h"

#define MAX_TRANSFER_BYTES UINT64_C(0x7FFFF000)

HSAKMT_STATUS kmt_ais_read_write_file(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
				      HSAint32 fd, HSAint64 file_offset_bytes, HsaAisFlags flags,
				      HSAuint64 *size_copied, HSAint32 *io_status)
{
	struct kfd_ioctl_ais_args args = { .in = { .file_offset = (uint64_t)file_offset_bytes,
						   .fd = fd } };
	uint64_t size_to_move;
	int rc;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (flags == HSA_AIS_READ)
		args.in.op = KFD_IOC_AIS_READ;
	else if (flags == HSA_AIS_WRITE)
		args.in.op = KFD_IOC_AIS_WRITE;
	else
		return HSAKMT_STATUS_INVALID_PARAMETER;
	size_to_move = size_bytes < MAX_TRANSFER_BYTES ? size_bytes : MAX_TRANSFER_BYTES;
	args.in.size = size_to_move;
	if (!kmt_fmm_handle_of_range(ctx, address, size_to_move, &args.in.handle,
				     &args.in.handle_offset))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_AIS_OP, &args);
	if (rc && args.out.size_copied > size_to_move) {
		/* The results share their place with the handle, and were not written. */
		args.out.size_copied = 0;
		args.out.status = rc;
	}
	/* On failure too: a short transfer shows here and nowhere else. */
	if (size_copied)
		*size_copied = args.out.size_copied;
	if (io_status)
		*io_status = args.out.status;
	return rc ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}
