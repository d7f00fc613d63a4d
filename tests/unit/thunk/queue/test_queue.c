/* SPDX-License-Identifier: MIT */
/*
 * Creating and controlling queues: checks in their order, ioctls, what a failure leaves
 * (queues.md).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "event/event.h"
#include "queue/queue.h"
#include "seam.h"

#define RING            ((void *)0x7f0000000000)
#define RING_BYTES      0x10000
#define DOORBELL_OFFSET (0xC000000000000000ull | ((uint64_t)SEAM_GPU_ID << 46))
#define QUEUE_NR        2 /* numbers of ioctls */
#define DESTROY_NR      3

static uint32_t next_queue_id;
static int live_kernel_queues;

static int create_queue(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_create_queue_args *args = arg;

	(void)seam;
	(void)request;
	args->queue_id = next_queue_id++;
	live_kernel_queues++;
	args->doorbell_offset = DOORBELL_OFFSET + args->queue_id * 8;
	return 0;
}

static int destroy_queue(struct seam *seam, unsigned long request, void *arg)
{
	(void)seam;
	(void)request;
	(void)arg;
	live_kernel_queues--;
	return 0;
}

static int setup(void **state)
{
	struct seam *seam = seam_new();

	next_queue_id = 5;
	live_kernel_queues = 0;
	seam->on_ioctl[QUEUE_NR] = create_queue;
	seam->on_ioctl[DESTROY_NR] = destroy_queue;
	seam->ctx.queues = kmt_queues_new();
	seam->ctx.events = kmt_events_new();
	*state = seam;
	return kmt_doorbells_init(&seam->ctx) != HSAKMT_STATUS_SUCCESS;
}

static int teardown(void **state)
{
	struct seam *seam = *state;

	kmt_doorbells_fini(&seam->ctx);
	kmt_queues_free(seam->ctx.queues);
	kmt_events_free(seam->ctx.events);
	seam_free(seam);
	return 0;
}

static HSAKMT_STATUS create(struct seam *seam, HSA_QUEUE_TYPE type, HsaQueueResource *resource)
{
	return kmt_create_queue_v2(&seam->ctx, 1, type, 100, HSA_QUEUE_PRIORITY_NORMAL, 0, RING,
				   RING_BYTES, 0, NULL, resource);
}

static void checks_come_in_the_stated_order(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaQueueResource r = { 0 };
	const HSA_QUEUE_TYPE bad_type = HSA_QUEUE_DMA_AQL;
	const HSA_QUEUE_PRIORITY bad_priority = HSA_QUEUE_PRIORITY_NUM_PRIORITY;

	/* Each line mends what the line before it was refused for. */
	seam->usable = false;
	seam->process.kfd_minor = 18;
	assert_int_equal(
		kmt_create_queue_v2(ctx, 9, bad_type, 0, bad_priority, 0, RING, 0, 5, NULL, &r),
		HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(
		kmt_create_queue_v2(ctx, 9, bad_type, 0, bad_priority, 0, RING, 0, 5, NULL, &r),
		HSAKMT_STATUS_NOT_SUPPORTED);
	seam->process.kfd_minor = 19;
	assert_int_equal(kmt_create_queue_v2(ctx, 9, bad_type, 0, HSA_QUEUE_PRIORITY_NORMAL, 0,
					     RING, 0, 5, NULL, &r),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(
		kmt_create_queue_v2(ctx, 9, bad_type, 0, bad_priority, 0, RING, 0, 4096, NULL, &r),
		HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_create_queue_v2(ctx, 9, bad_type, 0, HSA_QUEUE_PRIORITY_NORMAL, 0,
					     RING, 0, 4096, NULL, &r),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	/* A node without compute units would be a division by zero. */
	assert_int_equal(kmt_create_queue_v2(ctx, 0, bad_type, 0, HSA_QUEUE_PRIORITY_NORMAL, 0,
					     RING, 0, 4096, NULL, &r),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_create_queue_v2(ctx, 1, bad_type, 0, HSA_QUEUE_PRIORITY_NORMAL, 0,
					     RING, 0, 4096, NULL, &r),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_create_queue_v2(ctx, 1, HSA_QUEUE_SDMA, 0, HSA_QUEUE_PRIORITY_NORMAL,
					     0, RING, 0, 4096, NULL, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_string_equal(seam->sequence, "");
	assert_int_equal(seam->live_allocs, 0);
	assert_int_equal(kmt_create_queue_v2(ctx, 1, HSA_QUEUE_SDMA, 0, HSA_QUEUE_PRIORITY_NORMAL,
					     0, RING, 0, 4096, NULL, &r),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_CREATE_QUEUE, kfd_ioctl_create_queue_args)
				 ->metadata_ring_size,
			 4096);
	assert_int_equal(kmt_destroy_queue(ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void plain_creation_refuses_the_by_engine_type_before_anything_else(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };

	seam->usable = false;
	assert_int_equal(kmt_create_queue(&seam->ctx, 9, HSA_QUEUE_SDMA_BY_ENG_ID, 100,
					  HSA_QUEUE_PRIORITY_NORMAL, RING, RING_BYTES, NULL, &r),
			 HSAKMT_STATUS_ERROR);
	seam->usable = true;
	assert_int_equal(kmt_create_queue_ext(&seam->ctx, 1, HSA_QUEUE_SDMA_BY_ENG_ID, 100,
					      HSA_QUEUE_PRIORITY_NORMAL, 3, RING, RING_BYTES, NULL,
					      &r),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_CREATE_QUEUE, kfd_ioctl_create_queue_args)
				 ->sdma_engine_id,
			 3);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void an_aql_queue_keeps_the_callers_pointers(void **state)
{
	struct seam *seam = *state;
	HSAint64 reason = 0;
	HsaQueueResource r = { .QueueWptrValue = 0x1000,
			       .QueueRptrValue = 0x2000,
			       .ErrorReason = &reason };
	const struct kfd_ioctl_create_queue_args *args;
	const struct kfd_context_save_area_header *header;

	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	args = SEAM_LAST(seam, AMDKFD_IOC_CREATE_QUEUE, kfd_ioctl_create_queue_args);
	assert_int_equal(args->queue_type, 2);
	assert_int_equal(args->write_pointer_address, 0x1000);
	assert_int_equal(args->read_pointer_address, 0x2000);
	assert_int_equal(args->ring_base_address, RING);
	assert_int_equal(args->ring_size, RING_BYTES);
	assert_int_equal(args->gpu_id, SEAM_GPU_ID);
	assert_int_equal(args->queue_percentage, 100);
	assert_int_equal(args->queue_priority, 7);
	assert_int_equal(args->eop_buffer_size, 4096);
	assert_int_equal(args->ctx_save_restore_size, 0x3C91000);
	assert_int_equal(args->ctl_stack_size, 0x9000);
	assert_int_equal(r.QueueWptrValue, 0x1000);
	assert_int_equal(r.QueueRptrValue, 0x2000);
	header = (const void *)(uintptr_t)args->ctx_save_restore_address;
	assert_int_equal(header->debug_offset, 0x3C91000);
	assert_int_equal(header->debug_size, 0x20000);
	assert_int_equal(header->err_payload_addr, &reason);
	assert_int_equal(header->err_event_id, 0);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->live_allocs, 0);
}

static void an_sdma_queue_gets_pointers_in_the_librarys_page(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };

	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(r.QueueWptrValue / 4096, r.QueueId / 4096);
	assert_int_equal(r.QueueRptrValue / 4096, r.QueueId / 4096);
	assert_int_equal(*r.Queue_write_ptr_aql, 0);
	assert_int_equal(*r.Queue_read_ptr_aql, 0);
	assert_int_not_equal(r.QueueWptrValue, r.QueueRptrValue);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_CREATE_QUEUE, kfd_ioctl_create_queue_args)
				 ->eop_buffer_size,
			 0);
	assert_int_equal(seam->live_allocs, 1);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void headers_are_written_for_every_xcc(void **state)
{
	struct seam *seam = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaQueueResource r = { 0 };
	HsaEvent *event = NULL;
	const struct kfd_ioctl_create_queue_args *args;

	seam_set_gfx(seam, 1, 9, 4, 2);
	seam->nodes[1].NumFComputeCores = 1216;
	seam->nodes[1].NumXcc = 8;
	seam->nodes[1].NumShaderBanks = 32;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, &event),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_create_queue(&seam->ctx, 1, HSA_QUEUE_COMPUTE_AQL, 100,
					  HSA_QUEUE_PRIORITY_MAXIMUM, RING, RING_BYTES, event, &r),
			 HSAKMT_STATUS_SUCCESS);
	args = SEAM_LAST(seam, AMDKFD_IOC_CREATE_QUEUE, kfd_ioctl_create_queue_args);
	assert_int_equal(args->eop_buffer_size, 0);
	assert_int_equal(args->queue_priority, 15);
	for (uint64_t i = 0; i < 8; i++) {
		const struct kfd_context_save_area_header *header =
			(const void *)(uintptr_t)(args->ctx_save_restore_address + i * 0x1621000);

		assert_int_equal(header->debug_offset, (8 - i) * 0x1621000);
		assert_int_equal(header->debug_size, 8 * 0xBE00);
		assert_int_equal(header->err_event_id, event->EventId);
	}
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_event(&seam->ctx, event), HSAKMT_STATUS_SUCCESS);
	/* What was an event once must not be followed. */
	assert_int_equal(kmt_create_queue(&seam->ctx, 1, HSA_QUEUE_COMPUTE_AQL, 100,
					  HSA_QUEUE_PRIORITY_MAXIMUM, RING, RING_BYTES, event, &r),
			 HSAKMT_STATUS_INVALID_PARAMETER);
}

static int check_svm_args(struct seam *seam, unsigned long request, void *arg)
{
	const struct kfd_ioctl_svm_args *args = arg;
	const uint32_t flags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_GPU_EXEC |
			       KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED;
	/* clang-format off */
	const uint32_t expected[][2] = {
		{ KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, SEAM_GPU_ID },
		{ KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0 },
		{ KFD_IOCTL_SVM_ATTR_CLR_FLAGS, ~flags },
		{ KFD_IOCTL_SVM_ATTR_SET_FLAGS, flags },
		{ KFD_IOCTL_SVM_ATTR_ACCESS, SEAM_GPU_ID },
		{ KFD_IOCTL_SVM_ATTR_GRANULARITY, 0xFF },
	};
	/* clang-format on */
	const struct kfd_context_save_area_header *header =
		(const void *)(uintptr_t)args->start_addr;

	assert_int_equal(_IOC_SIZE(request), 24 + 6 * 8);
	assert_int_equal(args->op, KFD_IOCTL_SVM_OP_SET_ATTR);
	assert_int_equal(args->nattr, 6);
	assert_int_equal(args->start_addr % (2 << 20), 0);
	assert_int_equal(args->size, 0x3CB1000);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(args->attrs[i].type, expected[i][0]);
		assert_int_equal(args->attrs[i].value, expected[i][1]);
	}
	assert_int_equal(header->debug_size, 0x20000); /* written before the registration */
	assert_int_equal(seam->last_advice, MADV_DONTFORK);
	return 0;
}

static void the_save_area_is_shared_virtual_memory_where_that_exists(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };

	seam->ctx.svm_api_supported = true;
	seam->on_ioctl[0x20] = check_svm_args;
	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(seam->sequence, "20 02 ");
	assert_int_equal(seam->live_map_bytes, 0x3CB1000);
	assert_int_equal(seam->live_allocs, 2);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->live_map_bytes, 0);
	assert_int_equal(seam->live_allocs, 0);
}

static void the_save_area_falls_back_when_svm_cannot_hold_it(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };

	seam->ctx.svm_api_supported = true;
	seam->fail_ioctl_nr = 0x20;
	seam->fail_ioctl_errno = EOPNOTSUPP;
	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->live_map_bytes, 0);
	assert_int_equal(seam->live_allocs, 3);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	/* Not even tried with a GPU that stalls on faults, an older KFD, or without SVM. */
	seam->calls[0x20] = 0;
	seam->nodes[1].Capability2.ui32.StallOnRetryFault = 1;
	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	seam->nodes[1].Capability2.ui32.StallOnRetryFault = 0;
	seam->process.kfd_minor = 10;
	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	seam->process.kfd_minor = 19;
	seam->device.is_model = true; /* it would not notice the end of the mapping */
	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	seam->device.is_model = false;
	seam->ctx.svm_api_supported = false;
	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->calls[0x20], 0);
}

static void every_failing_step_leaves_nothing_behind(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };
	unsigned int failures = 0;

	seam->ctx.svm_api_supported = true;
	for (unsigned int n = 1;; n++) {
		HSAKMT_STATUS status;

		r.QueueId = 0xDEAD;
		seam->fallible_calls = 0;
		seam->fail_nth = n;
		seam->refuse_gpuvm_doorbell = 1;
		status = create(seam, HSA_QUEUE_COMPUTE_AQL, &r);
		seam->fail_nth = 0;
		if (status == HSAKMT_STATUS_SUCCESS) {
			assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId),
					 HSAKMT_STATUS_SUCCESS);
			if (seam->fallible_calls < n)
				break; /* nothing was left to fail */
		} else {
			failures++;
			assert_int_equal(r.QueueId, 0xDEAD);
		}
		kmt_doorbells_fini(&seam->ctx);
		assert_int_equal(kmt_doorbells_init(&seam->ctx), HSAKMT_STATUS_SUCCESS);
		assert_int_equal(seam->live_allocs, 0);
		assert_int_equal(seam->live_map_bytes, 0);
		assert_int_equal(live_kernel_queues, 0);
	}
	/* Page, end-of-pipe buffer, ioctl, doorbell; SVM's two steps have a fallback. */
	assert_int_equal(failures, 4);
}

static void the_kernels_refusal_keeps_its_meaning(void **state)
{
	struct seam *seam = *state;
	/* clang-format off */
	static const struct { int err; HSAKMT_STATUS status; } cases[] = {
		{ ENOMEM, HSAKMT_STATUS_NO_MEMORY },
		{ EINVAL, HSAKMT_STATUS_INVALID_PARAMETER },
		{ ENOSPC, HSAKMT_STATUS_ERROR },
	};
	/* clang-format on */
	HsaQueueResource r = { 0 };

	for (size_t i = 0; i < 3; i++) {
		seam->fail_ioctl_nr = QUEUE_NR;
		seam->fail_ioctl_errno = cases[i].err;
		assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), cases[i].status);
		assert_int_equal(seam->live_allocs, 0);
	}
}

static void a_doorbell_that_cannot_be_mapped_destroys_the_kernels_queue(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };

	seam->refuse_gpuvm_doorbell = 1;
	seam->fail_maps = 1;
	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), HSAKMT_STATUS_ERROR);
	assert_string_equal(seam->sequence, "02 03 ");
	assert_int_equal(
		SEAM_LAST(seam, AMDKFD_IOC_DESTROY_QUEUE, kfd_ioctl_destroy_queue_args)->queue_id,
		5);
	assert_int_equal(seam->live_allocs, 0);
	/* And the next one maps it anew. */
	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void the_doorbell_page_is_mapped_once_a_node(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource first = { 0 }, second = { 0 };

	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &first), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->last_map_offset, DOORBELL_OFFSET);
	assert_int_equal(seam->last_map_size, 8192);
	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &second), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->live_gpuvm_doorbells, 1);
	assert_int_equal(second.QueueDoorBell - first.QueueDoorBell, 8);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, first.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, second.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->live_gpuvm_doorbells, 1);
	kmt_doorbells_fini(&seam->ctx);
	assert_int_equal(seam->live_gpuvm_doorbells, 0);
	/* Without the records a creation fails cleanly. */
	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &first), HSAKMT_STATUS_ERROR);
	assert_int_equal(seam->live_allocs, 0);
}

static void narrow_doorbells_are_found_by_queue_number(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource first = { 0 }, second = { 0 };

	seam_set_gfx(seam, 1, 8, 0, 2); /* Tonga: never through the memory manager */
	next_queue_id = 0;
	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &first), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->live_gpuvm_doorbells, 0);
	assert_int_equal(seam->last_map_size, 4096);
	assert_int_equal(seam->last_map_fd, seam->ctx.fd);
	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &second), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(second.QueueDoorBell - first.QueueDoorBell, 4);
	kmt_doorbells_after_fork(&seam->ctx);
	assert_int_equal(seam->live_map_bytes, 0);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, first.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, second.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void a_forked_child_leaves_the_memory_managers_doorbells_alone(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };
	void *doorbells;

	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), HSAKMT_STATUS_SUCCESS);
	doorbells = (void *)(uintptr_t)(r.QueueDoorBell & ~UINT64_C(0xF));
	kmt_doorbells_after_fork(&seam->ctx);
	assert_int_equal(seam->live_gpuvm_doorbells, 1);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	free((char *)doorbells - (5 * 8 & ~0xF)); /* what the memory manager would do */
}

static void updating_passes_values_on_and_checks_in_order(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	const struct kfd_ioctl_update_queue_args *args;
	HsaQueueResource r = { 0 };

	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), HSAKMT_STATUS_SUCCESS);
	seam->usable = false;
	assert_int_equal(kmt_update_queue(ctx, 0, 0, 4, NULL, 0, NULL),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(kmt_update_queue(ctx, r.QueueId, 0, 4, NULL, 0, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_update_queue(ctx, r.QueueId, 0, -4, NULL, 0, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_update_queue(ctx, 0, 0, 0, NULL, 0, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(seam->calls[7], 0);
	assert_int_equal(kmt_update_queue(ctx, r.QueueId, 0, -3, NULL, 0, NULL),
			 HSAKMT_STATUS_SUCCESS);
	args = SEAM_LAST(seam, AMDKFD_IOC_UPDATE_QUEUE, kfd_ioctl_update_queue_args);
	assert_int_equal(args->queue_id, 5);
	assert_int_equal(args->ring_base_address, 0);
	assert_int_equal(args->queue_percentage, 0);
	assert_int_equal(args->queue_priority, 0);
	seam->fail_ioctl_nr = 7;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_update_queue(ctx, r.QueueId, 100, 0, RING, RING_BYTES, NULL),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_destroy_queue(ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void a_failing_destruction_keeps_the_queue(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { 0 };
	HSAuint32 id;

	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE, &r), HSAKMT_STATUS_SUCCESS);
	seam->fail_ioctl_nr = DESTROY_NR;
	seam->fail_ioctl_errno = ETIME;
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_ERROR);
	assert_int_equal(seam->live_allocs, 3);
	assert_int_equal(kmt_get_kernel_queue_id(&seam->ctx, r.QueueId, &id),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(id, 5);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->live_allocs, 0);
}

static void dead_and_made_up_handles_are_refused_everywhere(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaQueueResource r = { 0 };
	HsaQueueInfo info;
	HSAuint32 word = ~0u;
	HSA_QUEUEID handles[4] = { 0, 1, 0x123456789, 0 };

	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
	handles[3] = r.QueueId;
	seam_reset_log(seam);
	for (size_t i = 0; i < 4; i++) {
		HSA_QUEUEID h = handles[i];

		assert_int_equal(kmt_destroy_queue(ctx, h), HSAKMT_STATUS_INVALID_PARAMETER);
		assert_int_equal(kmt_update_queue(ctx, h, 0, 0, NULL, 0, NULL),
				 HSAKMT_STATUS_INVALID_PARAMETER);
		assert_int_equal(kmt_set_queue_cu_mask(ctx, h, 32, &word),
				 HSAKMT_STATUS_INVALID_PARAMETER);
		assert_int_equal(kmt_get_queue_info(ctx, h, &info),
				 HSAKMT_STATUS_INVALID_PARAMETER);
		assert_int_equal(kmt_get_kernel_queue_id(ctx, h, &word),
				 HSAKMT_STATUS_INVALID_PARAMETER);
		assert_int_equal(kmt_alloc_queue_gws(ctx, h, 1, &word),
				 HSAKMT_STATUS_INVALID_PARAMETER);
		assert_null(kmt_queue_kernel_ids(&h, 1));
	}
	assert_string_equal(seam->sequence, "");
}

static void the_cu_mask_is_checked_and_kept(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaQueueResource r = { 0 };
	HsaQueueInfo info;
	HSAuint32 mask[2] = { 0xF0F0F0F0, 0x0F };

	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	/* By default all 104 units, in whole words. */
	assert_int_equal(kmt_get_queue_info(ctx, r.QueueId, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.NumCUAssigned, 128);
	assert_int_equal(info.CUMaskInfo[2], 0xFFFFFFFF);
	assert_int_equal(info.CUMaskInfo[3], 0xFF);
	assert_int_equal(kmt_set_queue_cu_mask(ctx, r.QueueId, 0, mask),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_queue_cu_mask(ctx, r.QueueId, 64, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_queue_cu_mask(ctx, r.QueueId, 33, mask),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_queue_cu_mask(ctx, r.QueueId, 1u << 20, mask),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(seam->calls[0x1a], 0);
	seam->fail_ioctl_nr = 0x1a;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_set_queue_cu_mask(ctx, r.QueueId, 64, mask), HSAKMT_STATUS_ERROR);
	assert_int_equal(info.CUMaskInfo[0], 0xFFFFFFFF);
	assert_int_equal(kmt_set_queue_cu_mask(ctx, r.QueueId, 64, mask), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_queue_info(ctx, r.QueueId, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.NumCUAssigned, 64);
	assert_int_equal(info.CUMaskInfo[0], 0xF0F0F0F0);
	assert_int_equal(info.CUMaskInfo[1], 0x0F);
	assert_int_equal(kmt_destroy_queue(ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static int wave_state(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_get_queue_wave_state_args *args = arg;

	(void)seam;
	(void)request;
	args->ctl_stack_used_size = 0x100;
	args->save_area_used_size = 0x2000;
	return 0;
}

static void queue_info_points_into_the_save_area(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaQueueResource r = { 0 };
	HsaQueueInfo info;
	char *base;

	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_queue_info(ctx, r.QueueId, &info), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_destroy_queue(ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);

	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_queue_info(ctx, r.QueueId, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
	seam->fail_ioctl_nr = 0x1b;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_get_queue_info(ctx, r.QueueId, &info), HSAKMT_STATUS_ERROR);
	seam->on_ioctl[0x1b] = wave_state;
	assert_int_equal(kmt_get_queue_info(ctx, r.QueueId, &info), HSAKMT_STATUS_SUCCESS);
	base = (char *)info.SaveAreaHeader;
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_GET_QUEUE_WAVE_STATE,
				   kfd_ioctl_get_queue_wave_state_args)
				 ->ctl_stack_address,
			 base);
	assert_ptr_equal(info.UserContextSaveArea, base + 0x9000);
	assert_ptr_equal(info.ControlStackTop, base + 0x9000 - 0x100);
	assert_int_equal(info.ControlStackUsedInBytes, 0x100);
	assert_int_equal(info.SaveAreaSizeInBytes, 0x2000);
	assert_int_equal(info.SaveAreaAllocSize, 0x3C91000);
	assert_int_equal(info.QueueDetailError, 0);
	assert_int_equal(kmt_destroy_queue(ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void global_wave_sync_tells_why_not(void **state)
{
	struct seam *seam = *state;
	/* clang-format off */
	static const struct { int err; HSAKMT_STATUS status; } cases[] = {
		{ EINVAL, HSAKMT_STATUS_INVALID_PARAMETER },
		{ EBUSY, HSAKMT_STATUS_OUT_OF_RESOURCES },
		{ ENODEV, HSAKMT_STATUS_NOT_SUPPORTED },
		{ EIO, HSAKMT_STATUS_ERROR },
	};
	/* clang-format on */
	HsaQueueResource r = { 0 };
	HSAuint32 first = 99;

	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	for (size_t i = 0; i < 4; i++) {
		seam->fail_ioctl_nr = 0x1e;
		seam->fail_ioctl_errno = cases[i].err;
		assert_int_equal(kmt_alloc_queue_gws(&seam->ctx, r.QueueId, 64, &first),
				 cases[i].status);
		assert_int_equal(first, 99);
	}
	assert_int_equal(kmt_alloc_queue_gws(&seam->ctx, r.QueueId, 64, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_alloc_queue_gws(&seam->ctx, r.QueueId, 64, &first),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(first, 0);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void the_trap_handler_goes_to_the_nodes_gpu(void **state)
{
	struct seam *seam = *state;
	const struct kfd_ioctl_set_trap_handler_args *args;

	seam->usable = false;
	assert_int_equal(kmt_set_trap_handler(&seam->ctx, 9, NULL, 0, NULL, 0),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(kmt_set_trap_handler(&seam->ctx, 9, NULL, 0, NULL, 0),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_set_trap_handler(&seam->ctx, 2, (void *)0x1000, 4, (void *)0x2000, 4),
			 HSAKMT_STATUS_SUCCESS);
	args = SEAM_LAST(seam, AMDKFD_IOC_SET_TRAP_HANDLER, kfd_ioctl_set_trap_handler_args);
	assert_int_equal(args->tba_addr, 0x1000);
	assert_int_equal(args->tma_addr, 0x2000);
	assert_int_equal(args->gpu_id, SEAM_GPU_ID + 1);
	seam->fail_ioctl_nr = 0x13;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_set_trap_handler(&seam->ctx, 2, NULL, 0, NULL, 0),
			 HSAKMT_STATUS_ERROR);
}

static void handles_translate_to_kernel_ids_all_or_none(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource a = { 0 }, b = { 0 };
	HSA_QUEUEID handles[2];
	uint32_t *ids;

	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &a), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(create(seam, HSA_QUEUE_SDMA, &b), HSAKMT_STATUS_SUCCESS);
	handles[0] = b.QueueId;
	handles[1] = a.QueueId;
	ids = kmt_queue_kernel_ids(handles, 2);
	assert_non_null(ids);
	assert_int_equal(ids[0], 6);
	assert_int_equal(ids[1], 5);
	free(ids);
	assert_null(kmt_queue_kernel_ids(handles, 0));
	assert_null(kmt_queue_kernel_ids(NULL, 2));
	handles[1] = 0;
	assert_null(kmt_queue_kernel_ids(handles, 2));
	assert_int_equal(kmt_destroy_queue(&seam->ctx, a.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, b.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void remember(const struct kmt_queue_info *info, void *data)
{
	struct kmt_queue_info *copy = data;

	*copy = *info;
}

static void a_live_queue_is_visited_with_all_it_has(void **state)
{
	struct seam *seam = *state;
	HsaQueueResource r = { .QueueWptrValue = 0x1000, .QueueRptrValue = 0x2000 };
	struct kmt_queue_info info = { 0 };

	kmt_queue_for_each(&seam->ctx, remember, &info);
	assert_int_equal(info.handle, 0);
	assert_int_equal(create(seam, HSA_QUEUE_COMPUTE_AQL, &r), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(
		kmt_update_queue(&seam->ctx, r.QueueId, 50, -2, (void *)0x3000, 0x800, NULL),
		HSAKMT_STATUS_SUCCESS);
	kmt_queue_for_each(&seam->ctx, remember, &info);
	assert_int_equal(info.handle, r.QueueId);
	assert_int_equal(info.kernel_id, 5);
	assert_int_equal(info.node_id, 1);
	assert_int_equal(info.gpu_id, SEAM_GPU_ID);
	assert_int_equal(info.type, HSA_QUEUE_COMPUTE_AQL);
	assert_int_equal(info.priority, -2);
	assert_int_equal(info.percentage, 50);
	assert_int_equal(info.ring_va, 0x3000);
	assert_int_equal(info.ring_size_bytes, 0x800);
	assert_int_equal(info.write_ptr_va, 0x1000);
	assert_int_equal(info.read_ptr_va, 0x2000);
	assert_int_equal(info.doorbell_va, r.QueueDoorBell);
	assert_int_equal(info.eop_size_bytes, 4096);
	assert_int_equal(info.cwsr_size_bytes, 0x3CB1000);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void entries_that_linux_lacks_refuse(void **state)
{
	struct seam *seam = *state;

	assert_int_equal(kmt_report_queue(&seam->ctx, 0, NULL), HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_queue_ring_doorbell(&seam->ctx, 0, 1), HSAKMT_STATUS_NOT_SUPPORTED);
}

static HSA_QUEUEID doomed;

/* Another thread destroys the queue while this call is in the kernel. */
static int destroy_meanwhile(struct seam *seam, unsigned long request, void *arg)
{
	(void)request;
	(void)arg;
	assert_int_equal(kmt_destroy_queue(&seam->ctx, doomed), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_queue(&seam->ctx, doomed), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_true(seam->live_allocs > 0); /* the call that is under way still uses it */
	return 0;
}

static void a_queue_outlives_the_calls_that_use_it(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	uint32_t mask[2] = { 1, 1 };
	HsaQueueInfo info;

	for (int call = 0; call < 3; call++) {
		HsaQueueResource r = { 0 };

		assert_int_equal(create(seam, HSA_QUEUE_COMPUTE, &r), HSAKMT_STATUS_SUCCESS);
		doomed = r.QueueId;
		seam->on_ioctl[_IOC_NR(AMDKFD_IOC_UPDATE_QUEUE)] = destroy_meanwhile;
		seam->on_ioctl[_IOC_NR(AMDKFD_IOC_SET_CU_MASK)] = destroy_meanwhile;
		seam->on_ioctl[_IOC_NR(AMDKFD_IOC_GET_QUEUE_WAVE_STATE)] = destroy_meanwhile;
		assert_int_equal(call == 0   ? kmt_update_queue(ctx, r.QueueId, 0,
								HSA_QUEUE_PRIORITY_NORMAL, NULL, 0,
								NULL)
				 : call == 1 ? kmt_set_queue_cu_mask(ctx, r.QueueId, 64, mask)
					     : kmt_get_queue_info(ctx, r.QueueId, &info),
				 HSAKMT_STATUS_SUCCESS);
		assert_int_equal(live_kernel_queues, 0);
		assert_int_equal(seam->live_allocs, 0);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(checks_come_in_the_stated_order),
		CASE(a_queue_outlives_the_calls_that_use_it),
		CASE(plain_creation_refuses_the_by_engine_type_before_anything_else),
		CASE(an_aql_queue_keeps_the_callers_pointers),
		CASE(an_sdma_queue_gets_pointers_in_the_librarys_page),
		CASE(headers_are_written_for_every_xcc),
		CASE(the_save_area_is_shared_virtual_memory_where_that_exists),
		CASE(the_save_area_falls_back_when_svm_cannot_hold_it),
		CASE(every_failing_step_leaves_nothing_behind),
		CASE(the_kernels_refusal_keeps_its_meaning),
		CASE(a_doorbell_that_cannot_be_mapped_destroys_the_kernels_queue),
		CASE(the_doorbell_page_is_mapped_once_a_node),
		CASE(narrow_doorbells_are_found_by_queue_number),
		CASE(a_forked_child_leaves_the_memory_managers_doorbells_alone),
		CASE(updating_passes_values_on_and_checks_in_order),
		CASE(a_failing_destruction_keeps_the_queue),
		CASE(dead_and_made_up_handles_are_refused_everywhere),
		CASE(the_cu_mask_is_checked_and_kept),
		CASE(queue_info_points_into_the_save_area),
		CASE(global_wave_sync_tells_why_not),
		CASE(the_trap_handler_goes_to_the_nodes_gpu),
		CASE(handles_translate_to_kernel_ids_all_or_none),
		CASE(a_live_queue_is_visited_with_all_it_has),
		CASE(entries_that_linux_lacks_refuse),
	};

	return cmocka_run_group_tests_name("thunk/queue", tests, NULL, NULL);
}
