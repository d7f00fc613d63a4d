/* SPDX-License-Identifier: MIT */
/* What moves where between the revisions, as tables (codec.h). */
#include "virtio/codec.h"

#include <stdbool.h>
#include <string.h>

#define CACHE_BYTES_R1 1056u /* HsaCacheProperties without its last member */
#define MOVES_MAX      4

/* A run of bytes that has another place in the other revision. */
struct move {
	uint16_t at[2]; /* offsets, by revision - 1 */
	uint16_t bytes;
};

struct layout {
	uint16_t bytes[2]; /* of the structure, by revision - 1; 0: there is none */
	struct move moves[MOVES_MAX];
};

#define SAME(bytes)                                                                                \
	{                                                                                          \
		{ bytes, bytes },                                                                  \
		{                                                                                  \
			{                                                                          \
				{ 0, 0 }, bytes                                                    \
			}                                                                          \
		}                                                                                  \
	}

static const struct layout requests[VIRTIO_CMD_COUNT] = {
	[VIRTIO_CMD_NOP] = SAME(16),
	[VIRTIO_CMD_QUERY_INFO] = SAME(128),
	[VIRTIO_CMD_EVENT] = SAME(104),
	[VIRTIO_CMD_MEMORY] = { { 80, 312 }, { { { 0, 0 }, 64 }, { { 64, 296 }, 16 } } },
	[VIRTIO_CMD_QUEUE] = SAME(136),
	[VIRTIO_CMD_GL_INTER] = SAME(48),
};

static const struct layout responses[VIRTIO_CMD_COUNT] = {
	[VIRTIO_CMD_QUERY_INFO] = SAME(424),
	[VIRTIO_CMD_EVENT] = SAME(80),
	[VIRTIO_CMD_MEMORY] = { { 24, 320 }, { { { 0, 0 }, 24 } } },
	[VIRTIO_CMD_QUEUE] = { { 96, 192 }, { { { 0, 0 }, 48 }, { { 48, 64 }, 48 } } },
	[VIRTIO_CMD_GL_INTER] = { { 40, 48 }, { { { 0, 0 }, 40 } } },
};

/* Number of sub-commands, by revision - 1. */
static const uint16_t types[VIRTIO_CMD_COUNT][2] = {
	[VIRTIO_CMD_NOP] = { 1, 1 },
	[VIRTIO_CMD_QUERY_INFO] = { VIRTIO_QUERY_AMDGPU_DEVICE_HANDLE, VIRTIO_QUERY_COUNT },
	[VIRTIO_CMD_EVENT] = { VIRTIO_EVENT_COUNT, VIRTIO_EVENT_COUNT },
	[VIRTIO_CMD_MEMORY] = { VIRTIO_MEMORY_EXPORT_DMABUF, VIRTIO_MEMORY_COUNT },
	[VIRTIO_CMD_QUEUE] = { VIRTIO_QUEUE_UPDATE, VIRTIO_QUEUE_COUNT },
	[VIRTIO_CMD_GL_INTER] = { VIRTIO_GL_INTER_COUNT, VIRTIO_GL_INTER_COUNT },
};

size_t virtio_request_bytes(enum virtio_revision revision, uint32_t command)
{
	return command < VIRTIO_CMD_COUNT ? requests[command].bytes[revision - 1] : 0;
}

size_t virtio_response_bytes(enum virtio_revision revision, uint32_t command)
{
	return command < VIRTIO_CMD_COUNT ? responses[command].bytes[revision - 1] : 0;
}

int virtio_has_type(enum virtio_revision revision, uint32_t command, uint32_t type)
{
	return command < VIRTIO_CMD_COUNT && type < types[command][revision - 1];
}

uint32_t virtio_request_type(uint32_t command, const void *request)
{
	static const uint16_t places[VIRTIO_CMD_COUNT] = {
		[VIRTIO_CMD_QUERY_INFO] = offsetof(struct vhsakmt_ccmd_query_info_req, type),
		[VIRTIO_CMD_EVENT] = offsetof(struct vhsakmt_ccmd_event_req, type),
		[VIRTIO_CMD_MEMORY] = offsetof(struct vhsakmt_ccmd_memory_req, type),
		[VIRTIO_CMD_QUEUE] = offsetof(struct vhsakmt_ccmd_queue_req, type),
		[VIRTIO_CMD_GL_INTER] = offsetof(struct vhsakmt_ccmd_gl_inter_req, type),
	};
	uint32_t type = 0;

	if (command < VIRTIO_CMD_COUNT && places[command])
		memcpy(&type, (const char *)request + places[command], sizeof(type));
	return type;
}

/* Rows of another length; stops at what either side has room for. @return bytes of the target. */
static size_t copy_rows(const char *in, size_t bytes, size_t from_row, char *out, size_t capacity,
			size_t to_row)
{
	size_t rows = bytes / from_row, row = from_row < to_row ? from_row : to_row;

	if (rows > capacity / to_row)
		return SIZE_MAX;
	for (size_t i = 0; i < rows; i++)
		memcpy(out + i * to_row, in + i * from_row, row);
	return rows * to_row;
}

static size_t convert(const struct layout *layout, int from, int to, const char *in, size_t bytes,
		      char *out, size_t capacity, size_t from_row, size_t to_row)
{
	size_t head = layout->bytes[to], payload;

	if (head > capacity)
		return 0;
	for (int i = 0; i < MOVES_MAX && layout->moves[i].bytes; i++) {
		const struct move *move = &layout->moves[i];
		size_t left = bytes > move->at[from] ? bytes - move->at[from] : 0;

		if (from == to && i == 0) { /* nothing moves: the whole structure at once */
			memcpy(out, in, bytes < head ? bytes : head);
			break;
		}
		memcpy(out + move->at[to], in + move->at[from],
		       left < move->bytes ? left : move->bytes);
	}
	if (bytes <= layout->bytes[from])
		return head;
	payload = copy_rows(in + layout->bytes[from], bytes - layout->bytes[from], from_row,
			    out + head, capacity - head, to_row);
	return payload == SIZE_MAX ? 0 : head + payload;
}

size_t virtio_convert_request(enum virtio_revision from, enum virtio_revision to, uint32_t command,
			      const void *in, size_t bytes, void *out, size_t capacity)
{
	struct vhsakmt_ccmd_memory_req *memory = out;
	size_t length;

	if (!virtio_request_bytes(from, command))
		return 0;
	length = convert(&requests[command], (int)from - 1, (int)to - 1, in, bytes, out, capacity,
			 1, 1);
	/* Revision 1 has no alignment; what lies in its place means nothing. */
	if (length && command == VIRTIO_CMD_MEMORY && from == VIRTIO_REVISION_1 &&
	    to == VIRTIO_REVISION_2 && memory->type == VIRTIO_MEMORY_ALLOC)
		memory->alloc_args.Alignment = 0;
	return length;
}

size_t virtio_convert_response(enum virtio_revision from, enum virtio_revision to, uint32_t command,
			       uint32_t type, const void *in, size_t bytes, void *out,
			       size_t capacity)
{
	const size_t rows[2] = { CACHE_BYTES_R1, sizeof(HsaCacheProperties) };
	bool caches = command == VIRTIO_CMD_QUERY_INFO && type == VIRTIO_QUERY_GET_NOD_CACHE_PROP;

	if (!virtio_response_bytes(from, command))
		return 0;
	return convert(&responses[command], (int)from - 1, (int)to - 1, in, bytes, out, capacity,
		       caches ? rows[from - 1] : 1, caches ? rows[to - 1] : 1);
}
