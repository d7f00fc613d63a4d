/* SPDX-License-Identifier: MIT */
/*
 * External semaphores (queues.md 9). The KFD has no call for them: every entry refuses, whatever
 * its arguments, and needs no open KFD. They exist because the API declares them.
 */
#ifndef KFDSCOPE_THUNK_EXTSEM_EXTSEM_H
#define KFDSCOPE_THUNK_EXTSEM_EXTSEM_H

#include "context.h"

/* Imports a semaphore of another API. @return NOT_SUPPORTED. */
HSAKMT_STATUS kmt_import_external_semaphore(struct kmt_context *ctx, HSAuint32 node_id,
					    void *nt_handle,
					    HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE type,
					    HSA_EXTERNAL_SEMAPHORE_HANDLE *out);
/* Gives it back. @return NOT_SUPPORTED. */
HSAKMT_STATUS kmt_destroy_external_semaphore(struct kmt_context *ctx,
					     HSA_EXTERNAL_SEMAPHORE_HANDLE handle);
/* Lets a queue signal it. @return NOT_SUPPORTED. */
HSAKMT_STATUS kmt_queue_signal_external_semaphore(struct kmt_context *ctx, HSA_QUEUEID queue,
						  HSA_EXTERNAL_SEMAPHORE_HANDLE handle,
						  HSAuint64 value);
/* Lets a queue wait for it. @return NOT_SUPPORTED. */
HSAKMT_STATUS kmt_queue_wait_external_semaphore(struct kmt_context *ctx, HSA_QUEUEID queue,
						HSA_EXTERNAL_SEMAPHORE_HANDLE handle,
						HSAuint64 value);

#endif
