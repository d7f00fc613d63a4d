/* SPDX-License-Identifier: MIT */
/*
 * The entries of the first debugger (debug.md 2). Their ioctls are still made, for the kernels that
 * know them; all others answer EPERM.
 */
#include "debug/debug-internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology/topology.h"

/* The header that the kernel reads is the ioctl's argument; the content follows it. */
struct payload {
	struct kfd_ioctl_dbg_wave_control_args header; /* the same for address watches */
	unsigned char content[];
};
_Static_assert(sizeof(struct kfd_ioctl_dbg_wave_control_args) == 16, "debug.md 2");
_Static_assert(sizeof(struct kfd_ioctl_dbg_address_watch_args) == 16, "debug.md 2");

static struct payload *payload_new(uint32_t gpu_id, size_t content_bytes)
{
	struct payload *payload = calloc(1, sizeof(*payload) + content_bytes);

	if (!payload)
		return NULL;
	payload->header.content_ptr = (uintptr_t)payload->content;
	payload->header.gpu_id = gpu_id;
	payload->header.buf_size_in_bytes = (uint32_t)(sizeof(*payload) + content_bytes);
	return payload;
}

/* Appends without alignment, and moves the position on. */
static void append(unsigned char **position, const void *data, size_t size_bytes)
{
	memcpy(*position, data, size_bytes);
	*position += size_bytes;
}

static HSAKMT_STATUS register_node(struct kmt_context *ctx, uint32_t node_id, unsigned long request)
{
	struct kfd_ioctl_dbg_register_args args = { 0 };
	HSAKMT_STATUS status;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	if (!ctx->debug)
		return HSAKMT_STATUS_NO_MEMORY;
	status = kmt_topology_gpu_id(ctx, node_id, &args.gpu_id);
	if (status == HSAKMT_STATUS_SUCCESS && kmt_ioctl(ctx, request, &args))
		status = HSAKMT_STATUS_ERROR;
	return status;
}

HSAKMT_STATUS kmt_dbg_register(struct kmt_context *ctx, HSAuint32 node_id)
{
	return register_node(ctx, node_id, AMDKFD_IOC_DBG_REGISTER);
}

HSAKMT_STATUS kmt_dbg_unregister(struct kmt_context *ctx, HSAuint32 node_id)
{
	return register_node(ctx, node_id, AMDKFD_IOC_DBG_UNREGISTER);
}

HSAKMT_STATUS kmt_dbg_wavefront_control(struct kmt_context *ctx, HSAuint32 node_id,
					HSA_DBG_WAVEOP operand, HSA_DBG_WAVEMODE mode,
					HSAuint32 trap_id, HsaDbgWaveMessage *message)
{
	const uint32_t words[] = { operand, mode, trap_id };
	struct payload *payload;
	unsigned char *position;
	HSAKMT_STATUS status;
	uint32_t gpu_id;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	status = kmt_topology_gpu_id(ctx, node_id, &gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (!message)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	payload = payload_new(gpu_id, sizeof(words) + sizeof(message->DbgWaveMsg) +
					      sizeof(message->MemoryVA));
	if (!payload)
		return HSAKMT_STATUS_ERROR;
	position = payload->content;
	append(&position, words, sizeof(words));
	append(&position, &message->DbgWaveMsg, sizeof(message->DbgWaveMsg));
	append(&position, &message->MemoryVA, sizeof(message->MemoryVA));
	if (kmt_ioctl(ctx, AMDKFD_IOC_DBG_WAVE_CONTROL, payload))
		status = HSAKMT_STATUS_ERROR;
	free(payload);
	return status;
}

HSAKMT_STATUS kmt_dbg_address_watch(struct kmt_context *ctx, HSAuint32 node_id, HSAuint32 count,
				    HSA_DBG_WATCH_MODE *mode, void **address, HSAuint64 *mask,
				    HsaEvent **event)
{
	size_t point_bytes = sizeof(uint32_t) + sizeof(*address);
	struct payload *payload;
	unsigned char *position;
	HSAKMT_STATUS status;
	size_t mask_count;
	uint32_t gpu_id;

	if (!kmt_context_usable(ctx))
		return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	status = kmt_topology_gpu_id(ctx, node_id, &gpu_id);
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	if (count > MAX_ALLOWED_NUM_POINTS || !mode || !address || !mask)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	mask_count = mask[0] ? count : 1; /* 0 stands for "no mask at any point" */
	payload = payload_new(gpu_id, sizeof(count) + count * point_bytes +
					      mask_count * sizeof(*mask) +
					      (event ? count * sizeof(*event) : 0));
	if (!payload)
		return HSAKMT_STATUS_ERROR;
	position = payload->content;
	append(&position, &count, sizeof(count));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t word = mode[i];

		append(&position, &word, sizeof(word));
	}
	append(&position, address, count * sizeof(*address));
	append(&position, mask, mask_count * sizeof(*mask));
	if (event)
		append(&position, event, count * sizeof(*event));
	if (kmt_ioctl(ctx, AMDKFD_IOC_DBG_ADDRESS_WATCH, payload))
		status = HSAKMT_STATUS_ERROR;
	free(payload);
	return status;
}

HSAKMT_STATUS kmt_get_kernel_debug_trap_version_info(struct kmt_context *ctx, HSAuint32 *major,
						     HSAuint32 *minor)
{
	struct kfd_ioctl_dbg_trap_legacy_args args = {
		.pid = (uint32_t)getpid(),
		.op = LEGACY_OP_GET_VERSION,
	};

	if (!kmt_context_usable(ctx) || !major || !minor ||
	    kmt_ioctl(ctx, AMDKFD_IOC_DBG_TRAP_LEGACY, &args))
		return HSAKMT_STATUS_ERROR;
	*major = args.data1;
	*minor = args.data2;
	return HSAKMT_STATUS_SUCCESS;
}
