/* SPDX-License-Identifier: MIT */
/* The names, by command and sub-command (names.h); a test compares them with the facts. */
#include "virtio/names.h"

#include <stddef.h>

#include "virtio/observer.h"
#include "virtio/proto.h"

#define NAME(command, type) [VIRTIO_##command##_##type] = #command " " #type

/* clang-format off */
static const char *const queries[VIRTIO_QUERY_COUNT] = {
	NAME(QUERY, GPU_INFO),
	NAME(QUERY, OPEN_KFD),
	NAME(QUERY, GET_VER),
	NAME(QUERY, REL_SYS_PROP),
	NAME(QUERY, GET_SYS_PROP),
	NAME(QUERY, GET_NODE_PROP),
	NAME(QUERY, GET_XNACK_MODE),
	NAME(QUERY, RUN_TIME_ENABLE),
	NAME(QUERY, RUN_TIME_DISABLE),
	NAME(QUERY, GET_NOD_MEM_PROP),
	NAME(QUERY, GET_NOD_CACHE_PROP),
	NAME(QUERY, GET_NOD_IO_LINK_PROP),
	NAME(QUERY, GET_CLOCK_COUNTERS),
	NAME(QUERY, POINTER_INFO),
	NAME(QUERY, TILE_CONFIG),
	NAME(QUERY, NANO_TIME),
	NAME(QUERY, GET_RUNTIME_CAPS),
	NAME(QUERY, AMDGPU_DEVICE_HANDLE),
	NAME(QUERY, DRM_CMD_WRITE_READ),
	NAME(QUERY, SET_XNACK_MODE),
	NAME(QUERY, SPM_ACQUIRE),
	NAME(QUERY, SPM_RELEASE),
	NAME(QUERY, SPM_SET_DST_BUFFER),
};
static const char *const events[VIRTIO_EVENT_COUNT] = {
	NAME(EVENT, CREATE),
	NAME(EVENT, DESTROY),
	NAME(EVENT, SET),
	NAME(EVENT, RESET),
	NAME(EVENT, QUERY_STATE),
	NAME(EVENT, WAIT_ON_MULTI_EVENTS),
	NAME(EVENT, SET_TRAP),
};
static const char *const memories[VIRTIO_MEMORY_COUNT] = {
	NAME(MEMORY, ALLOC),
	NAME(MEMORY, MAP_TO_GPU_NODES),
	NAME(MEMORY, FREE),
	NAME(MEMORY, UNMAP_TO_GPU),
	NAME(MEMORY, AVAIL_MEM),
	NAME(MEMORY, MAP_MEM_TO_GPU),
	NAME(MEMORY, REG_MEM_WITH_FLAG),
	NAME(MEMORY, DEREG_MEM),
	NAME(MEMORY, MAP_USERPTR),
	NAME(MEMORY, EXPORT_DMABUF),
	NAME(MEMORY, AMDGPU_IMPORT),
	NAME(MEMORY, AMDGPU_EXPORT),
	NAME(MEMORY, AMDGPU_VA_OP),
	NAME(MEMORY, AMDGPU_BO_FREE),
	NAME(MEMORY, SHARE_MEMORY),
	NAME(MEMORY, REGISTER_SHARED_HANDLE),
	NAME(MEMORY, SET_MEM_POLICY),
	NAME(MEMORY, SVM_GET_ATTR),
	NAME(MEMORY, SVM_SET_ATTR),
	NAME(MEMORY, AMDGPU_BO_QUERY_INFO),
	NAME(MEMORY, AMDGPU_BO_SET_METADATA),
};
static const char *const queues[VIRTIO_QUEUE_COUNT] = {
	NAME(QUEUE, CREATE),
	NAME(QUEUE, DESTROY),
	NAME(QUEUE, UPDATE),
	NAME(QUEUE, GET_INFO),
	NAME(QUEUE, SET_CU_MASK),
	NAME(QUEUE, ALLOC_GWS),
};
static const char *const graphics[VIRTIO_GL_INTER_COUNT] = {
	NAME(GL_INTER, REG_GHD_TO_NODES),
};
/* clang-format on */

static const struct {
	const char *const *names;
	uint32_t count;
} tables[VIRTIO_CMD_COUNT] = {
	[VIRTIO_CMD_QUERY_INFO] = { queries, VIRTIO_QUERY_COUNT },
	[VIRTIO_CMD_EVENT] = { events, VIRTIO_EVENT_COUNT },
	[VIRTIO_CMD_MEMORY] = { memories, VIRTIO_MEMORY_COUNT },
	[VIRTIO_CMD_QUEUE] = { queues, VIRTIO_QUEUE_COUNT },
	[VIRTIO_CMD_GL_INTER] = { graphics, VIRTIO_GL_INTER_COUNT },
};

const char *virtio_command_name(uint32_t command, uint32_t type)
{
	if (command == VIRTIO_CMD_NOP)
		return "NOP";
	if (command == VIRTIO_OBSERVED_MAKE)
		return "resource make";
	if (command == VIRTIO_OBSERVED_CLOSE)
		return "resource close";
	if (command >= VIRTIO_CMD_COUNT || type >= tables[command].count)
		return "?";
	return tables[command].names[type];
}
