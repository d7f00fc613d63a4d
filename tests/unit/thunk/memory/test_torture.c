/* SPDX-License-Identifier: MIT */
/*
 * Every ioctl, every mapping and every heap allocation of every operation fails in turn. Whatever
 * fails, the operation says so, nothing is left of it, and it works the next time.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "counted_alloc.h"
#include "fake_kfd.h"
#include "graphics/graphics.h"
#include "ipc/ipc.h"
#include "memory/fmm.h"
#include "memory/memory.h"
#include "svm/svm.h"

#define PAGE       4096ull
#define GPU        1u
#define LIMIT      64 /* no operation has more calls */
#define NODE_COUNT 2

static char buffer[8 * PAGE] __attribute__((aligned(4096)));
static uint32_t nodes[NODE_COUNT] = { 2, 1 };

/*
 * One operation and its opposite. do_it reports success; undo is called after success only.
 */
struct operation {
	const char *name;
	bool (*do_it)(struct fake_kfd *kfd);
	void (*undo)(struct fake_kfd *kfd);
};

static void *address;

static bool alloc_flags(struct fake_kfd *kfd, uint32_t node, uint64_t size, uint32_t bits)
{
	HsaMemFlags flags = { .Value = bits };
	HSAKMT_STATUS status = kmt_alloc_memory(kfd->ctx, node, size, flags, &address);

	assert_int_equal(status == HSAKMT_STATUS_SUCCESS, address != NULL);
	return status == HSAKMT_STATUS_SUCCESS;
}

#define NON_PAGED    (1u << 0)
#define HOST_ACCESS  (1u << 6)
#define SCRATCH      (1u << 9)
#define AQL          (1u << 14)
#define NO_ADDRESS   (1u << 18)
#define ONLY_ADDRESS (1u << 19)

static bool do_vram(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, GPU, PAGE, NON_PAGED | HOST_ACCESS);
}

static bool do_large_vram(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, GPU, 4ull << 20, NON_PAGED);
}

static bool do_gtt(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, 0, PAGE, NON_PAGED | HOST_ACCESS);
}

static bool do_ring(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, 0, PAGE, NON_PAGED | HOST_ACCESS | AQL);
}

static bool do_paged(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, 0, 4ull << 20, HOST_ACCESS);
}

static bool do_no_address(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, GPU, PAGE, NON_PAGED | NO_ADDRESS);
}

static bool do_only_address(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, GPU, PAGE, NON_PAGED | ONLY_ADDRESS);
}

static bool do_scratch(struct fake_kfd *kfd)
{
	return alloc_flags(kfd, GPU, PAGE, NON_PAGED | SCRATCH);
}

static void undo_alloc(struct fake_kfd *kfd)
{
	assert_int_equal(kmt_free_memory(kfd->ctx, address, 1), HSAKMT_STATUS_SUCCESS);
}

static bool do_mapped_scratch(struct fake_kfd *kfd)
{
	if (!do_scratch(kfd))
		return false;
	if (kmt_map_memory_to_gpu(kfd->ctx, address, PAGE, NULL) == HSAKMT_STATUS_SUCCESS)
		return true;
	undo_alloc(kfd);
	return false;
}

/* Allocated, mapped, mapped otherwise, unmapped and freed; what was done is undone when it fails. */
static bool do_life(struct fake_kfd *kfd)
{
	const HsaMemFlags none = { 0 };
	bool good;

	if (!do_vram(kfd))
		return false;
	good = kmt_map_memory_to_gpu_nodes(kfd->ctx, address, PAGE, NULL, none, 1, nodes) ==
		       HSAKMT_STATUS_SUCCESS &&
	       kmt_map_memory_to_gpu_nodes(kfd->ctx, address, PAGE, NULL, none, 1, nodes + 1) ==
		       HSAKMT_STATUS_SUCCESS &&
	       kmt_map_memory_to_gpu(kfd->ctx, address, PAGE, NULL) == HSAKMT_STATUS_SUCCESS;
	/* One failure at most, so the second attempt of each works. */
	if (kmt_unmap_memory_to_gpu(kfd->ctx, address) != HSAKMT_STATUS_SUCCESS) {
		good = false;
		assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, address), HSAKMT_STATUS_SUCCESS);
	}
	if (kmt_free_memory(kfd->ctx, address, PAGE) != HSAKMT_STATUS_SUCCESS) {
		good = false;
		undo_alloc(kfd);
	}
	return good;
}

static void undo_nothing(struct fake_kfd *kfd)
{
	(void)kfd;
}

static bool do_register(struct fake_kfd *kfd)
{
	return kmt_register_memory_to_nodes(kfd->ctx, buffer, 3 * PAGE, NODE_COUNT, nodes) ==
	       HSAKMT_STATUS_SUCCESS;
}

static void undo_register(struct fake_kfd *kfd)
{
	assert_int_equal(kmt_deregister_memory(kfd->ctx, buffer), HSAKMT_STATUS_SUCCESS);
}

static bool do_graphics(struct fake_kfd *kfd)
{
	HsaGraphicsResourceInfo info = { 0 };

	kfd->dma_buf = (struct fake_dma_buf){ .gpu_id = 51110,
					      .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
					      .size_bytes = 8 * PAGE,
					      .metadata_size_bytes = 200 };
	if (kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, NODE_COUNT, nodes) !=
	    HSAKMT_STATUS_SUCCESS)
		return false;
	address = info.MemoryAddress;
	return true;
}

static void undo_import(struct fake_kfd *kfd)
{
	assert_int_equal(kmt_deregister_memory(kfd->ctx, address), HSAKMT_STATUS_SUCCESS);
}

static bool do_ipc(struct fake_kfd *kfd)
{
	const HsaSharedMemoryHandle handle = { 0xabcd, 0, 0, 0, 1, 0, 2, 51110 };
	HSAuint64 size = 0;

	kfd->ipc_mmap_offset = 1 << 20;
	return kmt_register_shared_handle_to_nodes(kfd->ctx, &handle, &address, &size, NODE_COUNT,
						   nodes) == HSAKMT_STATUS_SUCCESS;
}

static bool do_internal(struct fake_kfd *kfd)
{
	const struct kmt_internal_alloc request = {
		.size_bytes = PAGE, .align_bytes = PAGE, .node_id = 2, .uncached = true
	};

	address = kmt_fmm_internal_alloc(kfd->ctx, &request);
	return address;
}

static void undo_internal(struct fake_kfd *kfd)
{
	kmt_fmm_internal_free(kfd->ctx, address);
}

static bool do_doorbell(struct fake_kfd *kfd)
{
	address = kmt_fmm_map_doorbell(kfd->ctx, GPU, 2 * PAGE, 3ull << 62);
	return address;
}

static void undo_doorbell(struct fake_kfd *kfd)
{
	kmt_fmm_unmap_doorbell(kfd->ctx, address);
}

static bool do_svm_attributes(struct fake_kfd *kfd)
{
	HSA_SVM_ATTRIBUTE attributes[20] = { { HSA_SVM_ATTR_ACCESS, GPU } };

	for (int i = 1; i < 20; i++)
		attributes[i] = attributes[0];
	return kmt_svm_set_attr(kfd->ctx, buffer, PAGE, 20, attributes) == HSAKMT_STATUS_SUCCESS;
}

static const struct operation operations[] = {
	{ "device memory", do_vram, undo_alloc },
	{ "large device memory", do_large_vram, undo_alloc },
	{ "GTT memory", do_gtt, undo_alloc },
	{ "a ring", do_ring, undo_alloc },
	{ "paged memory", do_paged, undo_alloc },
	{ "memory without address", do_no_address, undo_alloc },
	{ "an address without memory", do_only_address, undo_alloc },
	{ "scratch", do_scratch, undo_alloc },
	{ "mapped scratch", do_mapped_scratch, undo_alloc },
	{ "a whole life", do_life, undo_nothing },
	{ "registration", do_register, undo_register },
	{ "a graphics import", do_graphics, undo_import },
	{ "a shared handle", do_ipc, undo_import },
	{ "internal memory", do_internal, undo_internal },
	{ "a doorbell page", do_doorbell, undo_doorbell },
	{ "SVM attributes", do_svm_attributes, undo_nothing },
};

static int setup(void **state)
{
	setenv("HSA_USE_SVM", "0", 1);
	*state = fake_kfd_open("b.tree");
	return 0;
}

static int setup_reserved(void **state)
{
	*state = NULL;
	if (FAKE_KFD_SANITIZED)
		return 0;
	setenv("HSA_RESERVE_SVM", "1", 1);
	setenv("HSA_USE_SVM", "0", 1);
	*state = fake_kfd_open("b.tree");
	return 0;
}

static int teardown(void **state)
{
	if (*state)
		fake_kfd_close(*state);
	return 0;
}

/* What must be as before, whatever happened in between. */
struct balance {
	uint32_t bos;
	uint64_t map_bytes;
	unsigned int fds;
};

static struct balance take_balance(struct fake_kfd *kfd)
{
	struct balance balance = { .bos = fake_kfd_live(kfd),
				   .map_bytes = fake_device_live_map_bytes(kfd->device),
				   .fds = fake_device_live_fds(kfd->device) };

	return balance;
}

static void is_balanced(struct fake_kfd *kfd, const struct operation *op, unsigned int nth,
			const struct balance *before)
{
	struct balance after = take_balance(kfd);

	if (after.bos != before->bos || after.map_bytes != before->map_bytes ||
	    after.fds != before->fds)
		fail_msg("%s, failing call %u: %u BOs, %lld bytes mapped, %d descriptors left",
			 op->name, nth, after.bos - before->bos,
			 (long long)(after.map_bytes - before->map_bytes),
			 (int)(after.fds - before->fds));
}

static void fail_each_call(struct fake_kfd *kfd, const struct operation *op)
{
	struct balance before = take_balance(kfd);
	bool failed = true;

	for (unsigned int nth = 1; failed; nth++) {
		bool good;

		assert_true(nth < LIMIT);
		fake_device_fail_nth(kfd->device, nth, ENOMEM);
		good = op->do_it(kfd);
		failed = fake_device_failed(kfd->device);
		fake_device_fail_nth(kfd->device, 0, 0);
		if (!failed)
			assert_true(good);
		if (good) /* advice that fails is no failure */
			op->undo(kfd);
		is_balanced(kfd, op, nth, &before);
	}
}

static void every_failing_call_leaves_nothing(void **state)
{
	struct fake_kfd *kfd = *state;

	if (!kfd)
		skip();
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		fail_each_call(kfd, &operations[i]);
}

static void fail_each_allocation(struct fake_kfd *kfd, const struct operation *op)
{
	struct balance before = take_balance(kfd);
	bool failed = true;

	for (unsigned int nth = 1; failed; nth++) {
		long alive;
		bool good;

		assert_true(nth < LIMIT);
		counted_alloc_begin(nth);
		good = op->do_it(kfd);
		failed = counted_alloc_failed();
		if (good)
			op->undo(kfd);
		alive = counted_alloc_end();
		if (!failed)
			assert_true(good);
		is_balanced(kfd, op, nth, &before);
		/* Lists of GPUs stay; they were made when the operation ran before. */
		if (alive != 0)
			fail_msg("%s, failing allocation %u: %ld blocks left", op->name, nth,
				 alive);
	}
}

static void every_failing_allocation_leaves_nothing(void **state)
{
	struct fake_kfd *kfd = *state;

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		assert_true(operations[i].do_it(kfd));
		operations[i].undo(kfd);
		fail_each_allocation(kfd, &operations[i]);
	}
}

/* Making the apertures themselves, and giving them back. */
static void failing_calls_while_apertures_are_made_leave_nothing(void **state)
{
	struct fake_kfd *kfd = *state;
	struct balance before;
	bool failed = true;

	kmt_global_lock();
	kmt_fmm_fini_apertures(kfd->ctx);
	before = take_balance(kfd);
	for (unsigned int nth = 1; failed; nth++) {
		HSAKMT_STATUS status;

		assert_true(nth < LIMIT);
		fake_device_fail_nth(kfd->device, nth, ENODEV);
		status = kmt_fmm_init_apertures(kfd->ctx);
		failed = fake_device_failed(kfd->device);
		fake_device_fail_nth(kfd->device, 0, 0);
		assert_int_equal(status == HSAKMT_STATUS_SUCCESS, kmt_fmm_has_apertures(kfd->ctx));
		if (status == HSAKMT_STATUS_SUCCESS) /* MMIO pages may fail */
			kmt_fmm_fini_apertures(kfd->ctx);
		is_balanced(kfd, &(struct operation){ .name = "apertures" }, nth, &before);
	}
	kmt_global_unlock();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_failing_call_leaves_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(every_failing_call_leaves_nothing, setup_reserved,
						teardown),
		cmocka_unit_test_setup_teardown(every_failing_allocation_leaves_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			failing_calls_while_apertures_are_made_leave_nothing, setup, teardown),
	};

	return cmocka_run_group_tests_name("thunk/memory/torture", tests, NULL, NULL);
}
