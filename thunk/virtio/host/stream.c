/* SPDX-License-Identifier: MIT */
/*
 * The command stream (virtio.md 3): takes it apart, calls the handlers, and answers. The guest can
 * write the shared blob at any time, so that every value is read there once, and an answer is made in
 * private memory first.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "virtio/codec.h"
#include "virtio/host/host-internal.h"
#include "virtio/observer.h"

static int handle_nop(struct host_call *call)
{
	(void)call;
	return 0;
}

static int (*const handlers[VIRTIO_CMD_COUNT])(struct host_call *call) = {
	[VIRTIO_CMD_NOP] = handle_nop,   [VIRTIO_CMD_QUERY_INFO] = host_query,
	[VIRTIO_CMD_EVENT] = host_event, [VIRTIO_CMD_MEMORY] = host_memory,
	[VIRTIO_CMD_QUEUE] = host_queue, [VIRTIO_CMD_GL_INTER] = host_gl_inter,
};

void *host_reply(struct host_call *call, size_t payload_bytes)
{
	size_t head = virtio_response_bytes(VIRTIO_REVISION_2, call->command);

	if (call->reply || head == 0 || payload_bytes > HOST_REPLY_BYTES_MAX)
		return NULL;
	call->reply = calloc(1, head + payload_bytes);
	if (call->reply)
		call->reply_bytes = head + payload_bytes;
	return call->reply;
}

/* @return where the guest wants the answer, or NULL. *room: bytes that it has kept for it. */
static char *answer_place(const struct virtio_context *ctx, uint32_t rsp_off, uint32_t *room)
{
	char *area;

	if (!ctx->shmem || rsp_off > ctx->rsp_bytes || ctx->rsp_bytes - rsp_off < 8)
		return NULL;
	area = (char *)ctx->shmem + sizeof(*ctx->shmem);
	*room = __atomic_load_n((uint32_t *)(void *)(area + rsp_off), __ATOMIC_RELAXED);
	if (*room < 8 || *room > ctx->rsp_bytes - rsp_off)
		return NULL;
	return area + rsp_off;
}

/* @return 0, -ENOMEM: no place or no memory. */
static int answer(struct host_call *call, char *place, uint32_t room)
{
	struct virtio_context *ctx = call->ctx;
	struct {
		uint32_t len;
		int32_t ret;
	} * head;
	size_t capacity, bytes;
	char *out;

	if (!call->reply && !host_reply(call, 0))
		return -ENOMEM;
	capacity = call->reply_bytes + 8;
	out = calloc(1, capacity);
	if (!out)
		return -ENOMEM;
	bytes = virtio_convert_response(VIRTIO_REVISION_2, ctx->revision, call->command, call->type,
					call->reply, call->reply_bytes, out, capacity);
	if (bytes > room)
		bytes = room;
	head = (void *)out;
	head->len = (uint32_t)bytes;
	head->ret = call->ret;
	if (bytes >= sizeof(*head))
		memcpy(place, out, bytes);
	free(out);
	return bytes >= sizeof(*head) ? 0 : -ENOMEM;
}

static void publish(struct virtio_context *ctx, uint32_t seqno)
{
	if (ctx->shmem)
		__atomic_store_n(&ctx->shmem->seqno, seqno, __ATOMIC_RELEASE);
}

/* @return bytes of the request in revision 2, in *out (owned by the caller); 0: malformed. */
static size_t widen(const struct virtio_context *ctx, const struct vhsakmt_req_header *header,
		    const void *bytes, void **out)
{
	size_t head = virtio_request_bytes(VIRTIO_REVISION_2, header->cmd);
	size_t capacity = head + header->len, length;

	*out = calloc(1, capacity);
	if (!*out)
		return 0;
	length = virtio_convert_request(ctx->revision, VIRTIO_REVISION_2, header->cmd, bytes,
					header->len, *out, capacity);
	return length;
}

static int execute(struct virtio_context *ctx, const struct vhsakmt_req_header *header,
		   const void *bytes)
{
	struct host_call call = { .ctx = ctx, .command = header->cmd };
	struct virtio_observed observed = { .guest = ctx->base,
					    .seqno = header->seqno,
					    .command = header->cmd };
	uint32_t room = 0;
	char *place = NULL;
	void *request;
	size_t length = widen(ctx, header, bytes, &request);
	int rc = length ? 0 : -ENOMEM;

	if (rc != 0)
		goto out;
	call.request = request;
	call.payload_bytes = length - virtio_request_bytes(VIRTIO_REVISION_2, header->cmd);
	call.type = virtio_request_type(header->cmd, request);
	observed.type = call.type;
	rc = -EINVAL;
	if (!virtio_has_type(ctx->revision, header->cmd, call.type))
		goto out;
	if (virtio_response_bytes(ctx->revision, header->cmd)) {
		rc = -ENOMEM;
		place = answer_place(ctx, header->rsp_off, &room);
		if (!place)
			goto out;
	}
	if (virtio_observer)
		virtio_observer->host_begin(&observed);
	rc = handlers[header->cmd](&call);
	if (rc == 0 && place)
		rc = answer(&call, place, room);
	observed.ret = rc ? rc : call.ret;
	if (virtio_observer)
		virtio_observer->host_end(&observed);
	if (rc == 0)
		publish(ctx, header->seqno);
out:
	free(call.reply);
	free(request);
	return rc;
}

/* What the header alone says. */
static bool header_good(const struct vhsakmt_req_header *header, size_t left)
{
	return header->len <= left && header->len >= sizeof(*header) && header->len % 8 == 0 &&
	       header->rsp_off % 8 == 0 && header->cmd < VIRTIO_CMD_COUNT && handlers[header->cmd];
}

int virtio_context_submit(struct virtio_context *ctx, const void *commands, size_t bytes)
{
	const char *at = commands;
	struct vhsakmt_req_header header;
	int rc = 0;

	while (rc == 0 && bytes >= sizeof(header)) {
		memcpy(&header, at, sizeof(header));
		rc = header_good(&header, bytes) ? execute(ctx, &header, at) : -EINVAL;
		at += header.len;
		bytes -= rc == 0 ? header.len : 0;
	}
	if (rc == 0 && bytes)
		rc = -EINVAL;
	/* Who waits for a number that never comes can see why. */
	if (rc != 0 && ctx->shmem)
		__atomic_store_n(&ctx->shmem->async_error, (uint32_t)-rc, __ATOMIC_RELEASE);
	return rc;
}
