/* SPDX-License-Identifier: MIT */
/* Opening and closing the primary context (openclose.md 2 and 3). */
#include "openclose/openclose.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "env.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "log.h"
#include "event/event.h"
#include "memory/fmm.h"
#include "openclose/fork.h"
#include "openclose/parts.h"
#include "openclose/process.h"
#include "queue/queue.h"
#include "render/render.h"
#include "topology/acquire.h"
#include "topology/topology.h"

#define KFD_MAJOR 1

static void read_page_size(struct kmt_process *process)
{
	process->page_size_bytes = (size_t)sysconf(_SC_PAGESIZE);
	process->page_shift = (unsigned int)__builtin_ctzl(process->page_size_bytes);
}

static HSAKMT_STATUS read_version(struct kmt_context *ctx)
{
	struct kfd_ioctl_get_version_args args = { 0 };
	struct kmt_process *process = kmt_process_edit();

	if (kmt_ioctl(ctx, AMDKFD_IOC_GET_VERSION, &args) < 0)
		return HSAKMT_STATUS_ERROR;
	if (args.major_version != KFD_MAJOR) {
		kmt_log(KMT_LOG_ERR, "the KFD speaks interface %u.%u, this library %u",
			args.major_version, args.minor_version, KFD_MAJOR);
		return HSAKMT_STATUS_DRIVER_MISMATCH;
	}
	process->kfd_major = args.major_version;
	process->kfd_minor = args.minor_version;
	return HSAKMT_STATUS_SUCCESS;
}

/* APUs can take memory from a udmabuf; a kernel without the device is no error (step g). */
static void open_udmabuf(struct kmt_context *ctx)
{
	struct kmt_process *process = kmt_process_edit();
	int fd;

	if (process->udmabuf_fd >= 0 || !kmt_env_nonzero("HSA_USE_UDMABUF"))
		return;
	fd = ctx->device->ops->open(ctx->device, "/dev/udmabuf", O_RDONLY | O_CLOEXEC);
	process->udmabuf_fd = fd < 0 ? -1 : fd;
}

static void close_udmabuf(struct kmt_context *ctx)
{
	struct kmt_process *process = kmt_process_edit();

	if (process->udmabuf_fd >= 0)
		ctx->device->ops->close(ctx->device, process->udmabuf_fd);
	process->udmabuf_fd = -1;
}

/* Steps d to k with the device in place; the caller undoes. */
static HSAKMT_STATUS open_opened(struct kmt_context *ctx)
{
	HSAKMT_STATUS status;
	uint32_t node_count;

	status = read_version(ctx);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	open_udmabuf(ctx);
	ctx->svm_api_allowed = !kmt_env_is_zero("HSA_USE_SVM");
	ctx->svm_api_asked = ctx->svm_api_allowed && kmt_env_flag("HSA_USE_SVM");
	ctx->svm_api_supported = ctx->svm_api_allowed;
	status = kmt_topology_probe(ctx, &node_count);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	kmt_parts_make_counted(ctx, node_count);
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS open_device(struct kmt_context *ctx)
{
	int fd, rc;

	rc = device_new(&ctx->device);
	if (rc < 0)
		return rc == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY
				     : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	fd = ctx->device->ops->open_kfd(ctx->device);
	if (fd < 0) {
		kmt_log(KMT_LOG_ERR, "cannot open the KFD: errno %d", -fd);
		device_free(ctx->device);
		ctx->device = NULL;
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	}
	ctx->fd = fd;
	return HSAKMT_STATUS_SUCCESS;
}

/* Gives back what a failed first open acquired, so that the next one starts anew. */
static void abandon_device(struct kmt_context *ctx)
{
	close_udmabuf(ctx);
	kmt_renders_close(ctx);
	ctx->device->ops->close(ctx->device, ctx->fd);
	ctx->fd = -1;
	device_free(ctx->device);
	ctx->device = NULL;
}

static HSAKMT_STATUS open_first(struct kmt_context *ctx)
{
	struct kmt_process *process = kmt_process_edit();
	bool is_new = ctx->fd < 0;
	HSAKMT_STATUS status;

	kmt_log_read_level("HSAKMT_DEBUG_LEVEL");
	process->zero_frame_buffer = kmt_env_nonzero("HSA_ZFB");
	read_page_size(process);
	status = kmt_parts_make(ctx);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (is_new)
		status = open_device(ctx);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	status = open_opened(ctx);
	if (status != HSAKMT_STATUS_SUCCESS) {
		if (is_new)
			abandon_device(ctx);
		return status;
	}
	if (kmt_process_install_fork_handlers() < 0)
		kmt_log(KMT_LOG_WARNING, "no fork handlers: a child is noticed by its pid only");
	kmt_open_count_set(1);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS kmt_open_kfd(struct kmt_context *ctx)
{
	HSAKMT_STATUS status;

	if (!ctx || !ctx->is_primary)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	kmt_global_lock();
	if (kmt_process_check_fork())
		kmt_fork_cleanup(ctx);
	if (kmt_open_count()) {
		kmt_open_count_set(kmt_open_count() + 1);
		status = HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
	} else {
		kmt_process_check_fork(); /* remembers this process after a cleanup */
		status = open_first(ctx);
	}
	kmt_global_unlock();
	return status;
}

/*
 * The last close. Objects of the user are forgotten without ioctls; what the library itself mapped
 * (doorbells, MMIO pages) is given back, as Release does. A forked child owns none of it. Queues and
 * events stay: the kernel keeps them as long as the descriptor (openclose.md 3).
 */
static void close_last(struct kmt_context *ctx)
{
	if (kmt_process_forked())
		return;
	if (kmt_topology_held(ctx) && kmt_fmm_has_apertures(ctx)) {
		kmt_events_drop_unused_page(ctx);
		kmt_doorbells_fini(ctx);
		kmt_fmm_fini_apertures(ctx);
	}
	kmt_fmm_free(ctx->fmm);
	ctx->fmm = kmt_fmm_new(); /* NULL without memory: then the next open tries again */
}

HSAKMT_STATUS kmt_close_kfd(struct kmt_context *ctx)
{
	struct kmt_counted_parts parts = { 0 };
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
	unsigned int count;

	if (!ctx || !ctx->is_primary)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	kmt_global_lock();
	count = kmt_open_count();
	if (count == 0) {
		status = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
		goto out;
	}
	kmt_open_count_set(count - 1);
	if (count == 1) {
		parts = kmt_parts_take_counted(ctx);
		close_last(ctx);
	}
out:
	kmt_global_unlock();
	kmt_counted_parts_free(parts);
	return status;
}

HSAKMT_STATUS kmt_open_kfd_ctx(struct kmt_context **out)
{
	HSAKMT_STATUS status;

	if (!out)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	status = kmt_open_kfd(kmt_primary());
	if (status == HSAKMT_STATUS_SUCCESS || status == HSAKMT_STATUS_KERNEL_ALREADY_OPENED)
		*out = kmt_primary();
	return status;
}

HSAKMT_STATUS kmt_close_kfd_ctx(void)
{
	return kmt_close_kfd(kmt_primary());
}
