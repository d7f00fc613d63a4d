/* SPDX-License-Identifier: MIT */
/*
 * Feeds the host dispatcher with what a hostile guest may send. The input is a row of actions on one
 * context over the simulated KFD: well-framed commands with arbitrary arguments, raw bytes as a
 * stream, and resources that come and go. All guests share the primary context, so that nothing but
 * the dispatcher's own checks stands between a guest and the process.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtio/codec.h"
#include "virtio/host/host.h"

#define STREAM_MAX  4096u
#define ACTIONS_MAX 64

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct virtio_host *host;
static int pages = -1; /* a memory file that a guest may offer */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct virtio_host_options options = { .primary_only = true,
						     .kfd_bytes = 1ull << 30,
						     .scratch_bytes = 256ull << 20 };

	(void)argc;
	(void)argv;
	setenv("HSA_MODEL_LIB", FUZZ_MODEL_LIB, 1);
	setenv("HSA_MODEL_TOPOLOGY", FUZZ_TOPOLOGY, 1);
	setenv("HSA_USERPTR_FOR_PAGED_MEM", "0", 1);
	if (virtio_host_new(&options, &host) != 0)
		abort(); /* without a machine nothing would be tested */
	pages = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (pages < 0 || ftruncate(pages, 65536) != 0 ||
	    fcntl(pages, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
		abort();
	return 0;
}

/* What is left of the input. */
struct input {
	const uint8_t *at;
	size_t left;
};

static uint64_t take(struct input *input, size_t bytes)
{
	uint64_t value = 0;

	if (bytes > input->left)
		bytes = input->left;
	memcpy(&value, input->at, bytes);
	input->at += bytes;
	input->left -= bytes;
	return value;
}

static void take_bytes(struct input *input, void *out, size_t bytes)
{
	if (bytes > input->left)
		bytes = input->left;
	memcpy(out, input->at, bytes);
	input->at += bytes;
	input->left -= bytes;
}

/* Turns words that have a mark into addresses of the guest, which chance would hardly find. */
static void aim(const struct virtio_context *ctx, unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		if (word >> 56 == 0xA5) {
			word = virtio_context_guest(ctx) + (word & 0xFFFFFFF);
			memcpy(bytes + i, &word, sizeof(word));
		}
	}
}

static void send_command(struct virtio_context *ctx, struct input *input, bool is_framed)
{
	_Alignas(8) unsigned char stream[STREAM_MAX] = { 0 };
	struct vhsakmt_req_header *header = (void *)stream;
	size_t body = take(input, 2) % (STREAM_MAX - sizeof(*header)), total;

	if (!is_framed) {
		take_bytes(input, stream, body);
		(void)virtio_context_submit(ctx, stream, body);
		return;
	}
	header->cmd = (uint32_t)take(input, 1) % (VIRTIO_CMD_COUNT + 1);
	header->rsp_off = (uint32_t)take(input, 2) & ~7u;
	header->seqno = (uint32_t)take(input, 1);
	take_bytes(input, stream + sizeof(*header), body);
	aim(ctx, stream + sizeof(*header), body);
	total = sizeof(*header) + ((body + 7) & ~(size_t)7);
	header->len = (uint32_t)total;
	(void)virtio_context_submit(ctx, stream, total);
}

static void get_blob(struct virtio_context *ctx, struct input *input)
{
	const struct virtio_blob_request request = { .res_id = (uint32_t)take(input, 1),
						     .mem = (uint32_t)take(input, 1) & 3,
						     .flags = (uint32_t)take(input, 1) & 15,
						     .blob_id = take(input, 1),
						     .size_bytes = take(input, 1) * 4096,
						     .offset = take(input, 1) * 4096,
						     .fd = pages };
	struct virtio_blob_reply reply = { .fd = -1 };

	if (virtio_context_get_blob(ctx, &request, &reply) == 0 && reply.fd >= 0)
		close(reply.fd);
}

static void export_resource(struct virtio_context *ctx, struct input *input)
{
	int fd = virtio_context_export(ctx, (uint32_t)take(input, 1));

	if (fd >= 0)
		close(fd);
}

/* The blob for answers: its pages are the guest's to write, so lengths are there already. */
static void *make_shmem(struct virtio_context *ctx, uint64_t bytes)
{
	const struct virtio_blob_request request = { .res_id = 255,
						     .mem = VIRTIO_BLOB_HOST3D,
						     .flags = VIRTIO_BLOB_MAPPABLE,
						     .size_bytes = bytes,
						     .fd = -1 };
	struct virtio_blob_reply reply = { .fd = -1 };
	uint32_t *words;

	if (virtio_context_get_blob(ctx, &request, &reply) != 0)
		return NULL;
	words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reply.fd, 0);
	close(reply.fd);
	if (words == MAP_FAILED)
		return NULL;
	for (size_t i = 4; i < bytes / sizeof(*words) / 2; i += 2)
		words[i] = 1024;
	return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { .at = data, .left = size };
	struct virtio_context *ctx;
	uint64_t bytes;
	void *shmem;

	if (virtio_context_new(host, &ctx) != 0)
		abort(); /* something of an earlier guest was left */
	bytes = take(&input, 1) & 1 ? VIRTIO_SHMEM_BYTES_R1 : VIRTIO_SHMEM_BYTES_R2;
	shmem = make_shmem(ctx, bytes);
	for (int i = 0; shmem && i < ACTIONS_MAX && input.left; i++) {
		switch (take(&input, 1) & 7) {
		case 0:
			send_command(ctx, &input, false);
			break;
		case 1:
			get_blob(ctx, &input);
			break;
		case 2:
			(void)virtio_context_detach(ctx, (uint32_t)take(&input, 1));
			break;
		case 3:
			export_resource(ctx, &input);
			break;
		case 4:
			(void)virtio_context_attach(ctx, (uint32_t)take(&input, 1), pages);
			break;
		default:
			send_command(ctx, &input, true);
			break;
		}
	}
	virtio_context_free(ctx);
	if (shmem)
		munmap(shmem, bytes);
	return 0;
}
