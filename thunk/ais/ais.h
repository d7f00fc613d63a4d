/* SPDX-License-Identifier: MIT */
/* Direct transfers between files and device memory (queues.md 10). */
#ifndef KFDSCOPE_THUNK_AIS_AIS_H
#define KFDSCOPE_THUNK_AIS_AIS_H

#include "context.h"

/*
 * Reads a file into device memory, or writes device memory to a file, without a copy in between.
 * One transfer, which may be shorter than asked for; the caller goes on from there.
 *
 * @param address      in one allocation, with all that is transferred.
 * @param size_bytes   at most 0x7FFFF000 are transferred at once, as for read(2).
 * @param fd           opened for direct IO.
 * @param size_copied  out, on failure of the transfer too; may be NULL.
 * @param io_status    out, likewise: 0 or the transfer's negative errno; may be NULL.
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for other flags than one of read
 *         and write, and for memory that is not in one allocation; ERROR.
 */
HSAKMT_STATUS kmt_ais_read_write_file(struct kmt_context *ctx, void *address, HSAuint64 size_bytes,
				      HSAint32 fd, HSAint64 file_offset_bytes, HsaAisFlags flags,
				      HSAuint64 *size_copied, HSAint32 *io_status);

#endif
