/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sub_commands.h"
#include "virtio/codec.h"
#include "virtio/names.h"

static void each_revision_has_its_sub_commands(void **state)
{
	(void)state;
	for (size_t i = 0; i < sub_command_count; i++) {
		const struct sub_command *sub = &sub_commands[i];

		assert_int_equal(!!virtio_has_type(VIRTIO_REVISION_1, sub->command, sub->type),
				 sub->since_revision == 1);
		assert_true(virtio_has_type(VIRTIO_REVISION_2, sub->command, sub->type));
	}
	assert_false(virtio_has_type(VIRTIO_REVISION_2, VIRTIO_CMD_MEMORY, VIRTIO_MEMORY_COUNT));
	assert_false(virtio_has_type(VIRTIO_REVISION_2, VIRTIO_CMD_COUNT, 0));
}

static void each_sub_command_has_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sub_command_count; i++) {
		const struct sub_command *sub = &sub_commands[i];
		const char *name = virtio_command_name(sub->command, sub->type);
		size_t command_length = strcspn(name, " ");

		/* "QUERY_INFO" is "QUERY" for short */
		assert_memory_equal(name, sub->command_name, command_length);
		if (sub->name[0] != '-')
			assert_string_equal(name + command_length + 1, sub->name);
	}
	assert_string_equal(virtio_command_name(VIRTIO_CMD_MEMORY, VIRTIO_MEMORY_COUNT), "?");
	assert_string_equal(virtio_command_name(99, 0), "?");
}

static void sizes_are_those_of_the_structures(void **state)
{
	(void)state;
	assert_int_equal(virtio_request_bytes(VIRTIO_REVISION_1, VIRTIO_CMD_MEMORY),
			 sizeof(struct vhsakmt_ccmd_memory_req_r1));
	assert_int_equal(virtio_request_bytes(VIRTIO_REVISION_2, VIRTIO_CMD_MEMORY),
			 sizeof(struct vhsakmt_ccmd_memory_req));
	assert_int_equal(virtio_response_bytes(VIRTIO_REVISION_1, VIRTIO_CMD_QUEUE),
			 sizeof(struct vhsakmt_ccmd_queue_rsp_r1));
	assert_int_equal(virtio_response_bytes(VIRTIO_REVISION_2, VIRTIO_CMD_QUEUE),
			 sizeof(struct vhsakmt_ccmd_queue_rsp));
	assert_int_equal(virtio_response_bytes(VIRTIO_REVISION_1, VIRTIO_CMD_GL_INTER),
			 sizeof(struct vhsakmt_ccmd_gl_inter_rsp_r1));
	assert_int_equal(virtio_response_bytes(VIRTIO_REVISION_2, VIRTIO_CMD_NOP), 0);
}

static void a_memory_request_survives_the_older_revision(void **state)
{
	struct {
		struct vhsakmt_ccmd_memory_req req;
		uint32_t nodes[2];
	} in = { .nodes = { 7, 9 } }, out = { 0 };
	uint8_t wire[512] = { 0 };
	const struct vhsakmt_ccmd_memory_req_r1 *older = (const void *)wire;
	size_t bytes;

	(void)state;
	in.req.type = VIRTIO_MEMORY_MAP_TO_GPU_NODES;
	in.req.blob_id = 5;
	in.req.res_id = 6;
	in.req.map_to_GPU_nodes_args.MemoryAddress = 0x1234000;
	in.req.map_to_GPU_nodes_args.NumberOfNodes = 2;
	bytes = virtio_convert_request(VIRTIO_REVISION_2, VIRTIO_REVISION_1, VIRTIO_CMD_MEMORY, &in,
				       sizeof(in), wire, sizeof(wire));
	assert_int_equal(bytes, sizeof(*older) + sizeof(in.nodes));
	assert_int_equal(older->type, VIRTIO_MEMORY_MAP_TO_GPU_NODES);
	assert_int_equal(older->blob_id, 5);
	assert_int_equal(older->map_to_GPU_nodes_args.NumberOfNodes, 2);
	assert_int_equal(virtio_convert_request(VIRTIO_REVISION_1, VIRTIO_REVISION_2,
						VIRTIO_CMD_MEMORY, wire, bytes, &out, sizeof(out)),
			 sizeof(out));
	assert_memory_equal(&in, &out, sizeof(in));
}

static void garbage_behind_an_older_allocation_is_no_alignment(void **state)
{
	struct vhsakmt_ccmd_memory_req_r1 in = { .type = VIRTIO_MEMORY_ALLOC };
	struct vhsakmt_ccmd_memory_req out = { 0 };

	(void)state;
	memset((char *)&in + 40, 0xff, 8);
	assert_true(virtio_convert_request(VIRTIO_REVISION_1, VIRTIO_REVISION_2, VIRTIO_CMD_MEMORY,
					   &in, sizeof(in), &out, sizeof(out)));
	assert_int_equal(out.alloc_args.Alignment, 0);
}

static void a_queue_answer_moves_between_the_revisions(void **state)
{
	struct vhsakmt_ccmd_queue_rsp in = { .ret = 3 }, out = { 0 };
	struct vhsakmt_ccmd_queue_rsp_r1 older = { 0 };

	(void)state;
	in.vqueue_res.r.QueueId = 11;
	in.vqueue_res.host_doorbell = 12;
	in.vqueue_res.queue_handle = 13;
	assert_int_equal(virtio_convert_response(VIRTIO_REVISION_2, VIRTIO_REVISION_1,
						 VIRTIO_CMD_QUEUE, VIRTIO_QUEUE_CREATE, &in,
						 sizeof(in), &older, sizeof(older)),
			 sizeof(older));
	assert_int_equal(older.vqueue_res.host_doorbell, 12);
	assert_int_equal(older.vqueue_res.queue_handle, 13);
	assert_true(virtio_convert_response(VIRTIO_REVISION_1, VIRTIO_REVISION_2, VIRTIO_CMD_QUEUE,
					    VIRTIO_QUEUE_CREATE, &older, sizeof(older), &out,
					    sizeof(out)));
	assert_memory_equal(&in, &out, sizeof(in));
}

static void caches_have_shorter_rows_in_the_older_revision(void **state)
{
	struct {
		struct vhsakmt_ccmd_query_info_rsp rsp;
		HsaCacheProperties caches[2];
	} in = { 0 };
	uint8_t wire[4096] = { 0 };
	uint32_t level;

	(void)state;
	in.caches[1].CacheLevel = 3;
	assert_int_equal(virtio_convert_response(VIRTIO_REVISION_2, VIRTIO_REVISION_1,
						 VIRTIO_CMD_QUERY_INFO,
						 VIRTIO_QUERY_GET_NOD_CACHE_PROP, &in, sizeof(in),
						 wire, sizeof(wire)),
			 424 + 2 * 1056);
	memcpy(&level, wire + 424 + 1056 + 4, sizeof(level));
	assert_int_equal(level, 3);
}

static void what_does_not_fit_is_refused(void **state)
{
	uint8_t in[512] = { 0 }, out[320];

	(void)state;
	assert_int_equal(virtio_convert_request(VIRTIO_REVISION_1, VIRTIO_REVISION_2,
						VIRTIO_CMD_MEMORY, in, sizeof(in), out,
						sizeof(out)),
			 0);
	assert_int_equal(virtio_convert_request(VIRTIO_REVISION_1, VIRTIO_REVISION_2,
						VIRTIO_CMD_COUNT, in, sizeof(in), out, sizeof(out)),
			 0);
}

static void a_short_request_counts_as_continued_by_zeros(void **state)
{
	struct vhsakmt_req_header in = { .cmd = VIRTIO_CMD_MEMORY, .len = sizeof(in) };
	struct vhsakmt_ccmd_memory_req out = { 0 };

	(void)state;
	assert_int_equal(virtio_convert_request(VIRTIO_REVISION_2, VIRTIO_REVISION_2,
						VIRTIO_CMD_MEMORY, &in, sizeof(in), &out,
						sizeof(out)),
			 sizeof(out));
	assert_int_equal(out.type, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_revision_has_its_sub_commands),
		cmocka_unit_test(each_sub_command_has_its_name),
		cmocka_unit_test(sizes_are_those_of_the_structures),
		cmocka_unit_test(a_memory_request_survives_the_older_revision),
		cmocka_unit_test(garbage_behind_an_older_allocation_is_no_alignment),
		cmocka_unit_test(a_queue_answer_moves_between_the_revisions),
		cmocka_unit_test(caches_have_shorter_rows_in_the_older_revision),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(a_short_request_counts_as_continued_by_zeros),
	};

	return cmocka_run_group_tests_name("thunk/virtio/codec", tests, NULL, NULL);
}
