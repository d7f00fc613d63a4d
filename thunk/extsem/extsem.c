/* SPDX-License-Identifier: MIT */
/* External semaphores: refused on the KFD, on purpose (queues.md 9). */
#include "extsem/extsem.h"

HSAKMT_STATUS kmt_import_external_semaphore(struct kmt_context *ctx, HSAuint32 node_id,
					    void *nt_handle,
					    HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE type,
					    HSA_EXTERNAL_SEMAPHORE_HANDLE *out)
{
	(void)ctx;
	(void)node_id;
	(void)nt_handle;
	(void)type;
	(void)out;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS kmt_destroy_external_semaphore(struct kmt_context *ctx,
					     HSA_EXTERNAL_SEMAPHORE_HANDLE handle)
{
	(void)ctx;
	(void)handle;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS kmt_queue_signal_external_semaphore(struct kmt_context *ctx, HSA_QUEUEID queue,
						  HSA_EXTERNAL_SEMAPHORE_HANDLE handle,
						  HSAuint64 value)
{
	(void)ctx;
	(void)queue;
	(void)handle;
	(void)value;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS kmt_queue_wait_external_semaphore(struct kmt_context *ctx, HSA_QUEUEID queue,
						HSA_EXTERNAL_SEMAPHORE_HANDLE handle,
						HSAuint64 value)
{
	(void)ctx;
	(void)queue;
	(void)handle;
	(void)value;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}
