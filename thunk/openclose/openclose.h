/* SPDX-License-Identifier: MIT */
/* Opening and closing the KFD, for the primary context and for secondary ones. */
#ifndef KFDSCOPE_THUNK_OPENCLOSE_OPENCLOSE_H
#define KFDSCOPE_THUNK_OPENCLOSE_OPENCLOSE_H

#include "context.h"

/*
 * Opens the KFD, or counts one more open (openclose.md 2). In a forked child what was inherited is
 * dropped first.
 *
 * @param ctx  the primary context.
 * @return SUCCESS; KERNEL_ALREADY_OPENED, which is a success too and wants its close;
 *         KERNEL_IO_CHANNEL_NOT_OPENED when the device (or the model plug-in) cannot be opened;
 *         ERROR; DRIVER_MISMATCH for another major version; NO_MEMORY; INVALID_PARAMETER for a
 *         context that is not the primary one. Nothing stays open after a failure.
 */
HSAKMT_STATUS kmt_open_kfd(struct kmt_context *ctx);
/*
 * Takes one open back; the last one drops counters, debug flags, apertures and objects. The
 * descriptors stay for the life of the process (openclose.md 1).
 *
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for another than the primary.
 */
HSAKMT_STATUS kmt_close_kfd(struct kmt_context *ctx);

/*
 * kmt_open_kfd() of the primary context.
 * @param out  the primary context, on SUCCESS and KERNEL_ALREADY_OPENED; else untouched.
 * @return as kmt_open_kfd(); INVALID_PARAMETER for NULL.
 */
HSAKMT_STATUS kmt_open_kfd_ctx(struct kmt_context **out);
/* kmt_close_kfd() of the primary context. @return as that. */
HSAKMT_STATUS kmt_close_kfd_ctx(void);

/*
 * Opens one more, isolated KFD process object (context.md 4); its snapshot is held already.
 *
 * @param out  the context, on SUCCESS only; for kmt_close_secondary_kfd_ctx().
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED when the primary is not open or the device cannot
 *         be opened again; INVALID_PARAMETER for NULL; NOT_SUPPORTED by this kernel, and with a
 *         model; NO_MEMORY; ERROR, or what acquiring the topology returned.
 */
HSAKMT_STATUS kmt_open_secondary_kfd_ctx(struct kmt_context **out);
/*
 * Ends a secondary context with all that it owns (context.md 5).
 * @return SUCCESS; KERNEL_IO_CHANNEL_NOT_OPENED; INVALID_PARAMETER for NULL, the primary context and
 *         contexts that are closed already.
 */
HSAKMT_STATUS kmt_close_secondary_kfd_ctx(struct kmt_context *ctx);

#endif
