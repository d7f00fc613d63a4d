/* SPDX-License-Identifier: MIT */
/* The process debugging itself, and the bare DBG_TRAP call (debug.md 4 and 5). */
#include "debug/debug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queue/queue.h"

#define MINOR_WITH_DEBUGGER 13

static HSAKMT_STATUS check(const struct kmt_context *ctx)
{
	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	return kmt_kfd_at_least(MINOR_WITH_DEBUGGER) ? HSAKMT_STATUS_SUCCESS
						     : HSAKMT_STATUS_NOT_SUPPORTED;
}

static struct kfd_ioctl_dbg_trap_args self(uint32_t op)
{
	return (struct kfd_ioctl_dbg_trap_args){ .pid = (uint32_t)getpid(), .op = op };
}

HSAKMT_STATUS kmt_dbg_enable(struct kmt_context *ctx, void **info, HSAuint32 *size_bytes)
{
	struct kfd_ioctl_dbg_trap_args args = self(KFD_IOC_DBG_TRAP_ENABLE);
	HSAKMT_STATUS status = check(ctx);
	struct kfd_runtime_info *record;

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (!info || !size_bytes)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*info = NULL;
	*size_bytes = 0;
	record = calloc(1, sizeof(*record));
	if (!record)
		return HSAKMT_STATUS_NO_MEMORY;
	args.enable.rinfo_ptr = (uintptr_t)record;
	args.enable.rinfo_size = sizeof(*record);
	args.enable.dbg_fd = (uint32_t)ctx->fd;
	if (kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP, &args) < 0) {
		free(record);
		return HSAKMT_STATUS_ERROR;
	}
	*info = record;
	*size_bytes = sizeof(*record);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_dbg_disable(struct kmt_context *ctx)
{
	struct kfd_ioctl_dbg_trap_args args = self(KFD_IOC_DBG_TRAP_DISABLE);
	HSAKMT_STATUS status = check(ctx);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	args.enable.dbg_fd = (uint32_t)ctx->fd; /* the place that the union has for it */
	if (kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP, &args) < 0)
		status = HSAKMT_STATUS_ERROR;
	return status;
}

/* What both snapshots begin with: the checks, and outputs that say that there is nothing. */
static HSAKMT_STATUS begin_snapshot(struct kmt_context *ctx, void **data, HSAuint32 *n_entries,
				    HSAuint32 *entry_size, uint32_t size_bytes)
{
	HSAKMT_STATUS status = check(ctx);

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (!data || !n_entries || !entry_size)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*data = NULL;
	*n_entries = 0;
	*entry_size = size_bytes;
	return HSAKMT_STATUS_SUCCESS;
}

/*
 * One device snapshot.
 * @param count  in: capacity of buffer; out: how many devices there are.
 */
static int snapshot_devices(struct kmt_context *ctx, struct kfd_dbg_device_info_entry *buffer,
			    uint32_t *count)
{
	struct kfd_ioctl_dbg_trap_args args = self(KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT);
	int rc;

	args.device_snapshot.snapshot_buf_ptr = (uintptr_t)buffer;
	args.device_snapshot.num_devices = *count;
	args.device_snapshot.entry_size = sizeof(*buffer);
	rc = kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP, &args);
	*count = args.device_snapshot.num_devices;
	return rc;
}

HSAKMT_STATUS kmt_dbg_get_device_data(struct kmt_context *ctx, void **data, HSAuint32 *n_entries,
				      HSAuint32 *entry_size)
{
	struct kfd_dbg_device_info_entry *buffer;
	HSAKMT_STATUS status = begin_snapshot(ctx, data, n_entries, entry_size, sizeof(*buffer));
	uint32_t capacity = 0, count;

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	/* The count first: asking for all at once would take 4 GiB (debug.md 4). */
	if (snapshot_devices(ctx, NULL, &capacity) < 0)
		return HSAKMT_STATUS_ERROR;
	if (!capacity)
		return HSAKMT_STATUS_SUCCESS;
	buffer = calloc(capacity, sizeof(*buffer));
	if (!buffer)
		return HSAKMT_STATUS_NO_MEMORY;
	count = capacity;
	if (snapshot_devices(ctx, buffer, &count) < 0) {
		free(buffer);
		return HSAKMT_STATUS_ERROR;
	}
	*data = buffer;
	*n_entries = count < capacity ? count : capacity;
	return HSAKMT_STATUS_SUCCESS;
}

/* The same for queues, whose "new" exceptions it clears. */
static int snapshot_queues(struct kmt_context *ctx, struct kfd_queue_snapshot_entry *buffer,
			   uint32_t *count)
{
	struct kfd_ioctl_dbg_trap_args args = self(KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT);
	int rc;

	args.queue_snapshot.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW);
	args.queue_snapshot.snapshot_buf_ptr = (uintptr_t)buffer;
	args.queue_snapshot.num_queues = *count;
	args.queue_snapshot.entry_size = sizeof(*buffer);
	rc = kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP, &args);
	*count = args.queue_snapshot.num_queues;
	return rc;
}

/* Fills the buffer; *count is what it then holds. */
static int read_queues(struct kmt_context *ctx, struct kfd_queue_snapshot_entry *buffer,
		       uint32_t capacity, uint32_t *count)
{
	int rc;

	*count = capacity;
	rc = snapshot_queues(ctx, buffer, count);
	if (*count > capacity) /* queues that came in between */
		*count = capacity;
	return rc;
}

static int resume_queues(struct kmt_context *ctx, uint32_t *ids, uint32_t count)
{
	struct kfd_ioctl_dbg_trap_args args = self(KFD_IOC_DBG_TRAP_RESUME_QUEUES);

	args.resume_queues.queue_array_ptr = (uintptr_t)ids;
	args.resume_queues.num_queues = count;
	return kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP, &args);
}

/* Suspends the queues in the buffer and reads them again, as they are then. */
static HSAKMT_STATUS suspend_and_read(struct kmt_context *ctx,
				      struct kfd_queue_snapshot_entry *buffer, uint32_t capacity,
				      uint32_t *count)
{
	struct kfd_ioctl_dbg_trap_args args = self(KFD_IOC_DBG_TRAP_SUSPEND_QUEUES);
	HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
	uint32_t suspended = *count;
	uint32_t *ids = malloc(suspended * sizeof(*ids));

	if (!ids)
		return HSAKMT_STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < suspended; i++)
		ids[i] = buffer[i].queue_id;
	args.suspend_queues.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW);
	args.suspend_queues.queue_array_ptr = (uintptr_t)ids;
	args.suspend_queues.num_queues = suspended;
	if (kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP, &args) < 0)
		goto out;
	if (read_queues(ctx, buffer, capacity, count) < 0)
		(void)resume_queues(ctx, ids, suspended); /* the snapshot's failure is told */
	else
		status = HSAKMT_STATUS_SUCCESS;
out:
	free(ids);
	return status;
}

HSAKMT_STATUS kmt_dbg_get_queue_data(struct kmt_context *ctx, void **data, HSAuint32 *n_entries,
				     HSAuint32 *entry_size, bool suspend_queues)
{
	struct kfd_queue_snapshot_entry *buffer;
	HSAKMT_STATUS status = begin_snapshot(ctx, data, n_entries, entry_size, sizeof(*buffer));
	uint32_t capacity = 0, count;

	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (snapshot_queues(ctx, NULL, &capacity) < 0)
		return HSAKMT_STATUS_ERROR;
	if (!capacity)
		return HSAKMT_STATUS_SUCCESS;
	buffer = calloc(capacity, sizeof(*buffer));
	if (!buffer)
		return HSAKMT_STATUS_NO_MEMORY;
	status = HSAKMT_STATUS_ERROR;
	if (read_queues(ctx, buffer, capacity, &count) < 0)
		goto out;
	status = suspend_queues && count ? suspend_and_read(ctx, buffer, capacity, &count)
					 : HSAKMT_STATUS_SUCCESS;
	if (status != HSAKMT_STATUS_SUCCESS)
		goto out;
	*data = buffer;
	*n_entries = count;
	buffer = NULL; /* the caller's now */
out:
	free(buffer);
	return status;
}

/* Writes the kernel's ids of the handles where the operation wants them. */
static bool translate_queues(struct kmt_context *ctx, const struct kfd_ioctl_dbg_trap_args *args,
			     const HSA_QUEUEID *queues)
{
	bool suspend = args->op == KFD_IOC_DBG_TRAP_SUSPEND_QUEUES;
	uint32_t count = suspend ? args->suspend_queues.num_queues : args->resume_queues.num_queues;
	uint64_t target = suspend ? args->suspend_queues.queue_array_ptr
				  : args->resume_queues.queue_array_ptr;
	uint32_t *ids = kmt_queue_kernel_ids_of(ctx, queues, count);
	bool translated = ids && target;

	if (translated)
		memcpy((void *)(uintptr_t)target, ids, count * sizeof(*ids));
	free(ids);
	return translated;
}

HSAKMT_STATUS kmt_debug_trap_ioctl(struct kmt_context *ctx, struct kfd_ioctl_dbg_trap_args *args,
				   HSA_QUEUEID *queues, HSAuint64 *debug_return)
{
	uint32_t requested = 0;
	int rc;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!args)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	if (queues && !translate_queues(ctx, args, queues))
		return HSAKMT_STATUS_NO_MEMORY;
	if (args->op == KFD_IOC_DBG_TRAP_SUSPEND_QUEUES)
		requested = args->suspend_queues.num_queues;
	else if (args->op == KFD_IOC_DBG_TRAP_RESUME_QUEUES)
		requested = args->resume_queues.num_queues;
	rc = kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP, args);
	if (rc < 0)
		errno = -rc; /* the caller of this entry is meant to read it */
	if (debug_return)
		*debug_return = rc < 0 ? UINT64_MAX : (uint64_t)rc;
	/* The other operations count nothing, so that only 0 is right for them. */
	return rc >= 0 && (uint32_t)rc <= requested ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}
