/* SPDX-License-Identifier: MIT */
/* Importing graphics buffers; and the sanitizer's header pages, which need memory of a GPU too. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "asan/asan.h"
#include "fake_kfd.h"
#include "graphics/graphics.h"
#include "memory/memory.h"

#define PAGE 4096ull
#define GPU  1u
#define PEER 2u

static int setup(void **state)
{
	struct fake_kfd *kfd = fake_kfd_open("b.tree");

	kfd->dma_buf = (struct fake_dma_buf){ .gpu_id = 2987,
					      .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM |
						       KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC,
					      .size_bytes = 3 * PAGE,
					      .metadata_size_bytes = 16 };
	*state = kfd;
	return 0;
}

static int teardown(void **state)
{
	fake_kfd_close(*state);
	return 0;
}

static void an_import_for_nodes_has_an_address_and_metadata(void **state)
{
	struct fake_kfd *kfd = *state;
	unsigned int maps = fake_device_live_maps(kfd->device);
	struct {
		HsaGraphicsResourceInfo info;
		char behind[8];
	} out;
	uint32_t nodes[] = { GPU, PEER };
	HsaPointerInfo pointer;

	memset(&out, 0x77, sizeof(out));
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &out.info, 2, nodes),
			 HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "1c 1d");
	assert_int_equal((uintptr_t)out.info.MemoryAddress % (256 << 10), 0);
	assert_int_equal(out.info.SizeInBytes, 3 * PAGE);
	assert_int_equal(out.info.MetadataSizeInBytes, 16);
	assert_int_equal(*(const char *)out.info.Metadata, 0x5a);
	assert_int_equal(out.info.NodeId, PEER);
	/* An older caller's structure ends here. */
	assert_int_equal(out.info.SizeHintInBytes, 0x7777777777777777);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, out.info.MemoryAddress, &pointer),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(pointer.Type, HSA_POINTER_REGISTERED_GRAPHICS);
	assert_int_equal(pointer.NRegisteredNodes, 2);
	assert_true(pointer.MemFlags.ui32.CoarseGrain);
	assert_null(pointer.CPUAddress);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, out.info.MemoryAddress, 0, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, out.info.MemoryAddress), "51110 2987");
	assert_int_equal(
		kmt_unmap_graphic_handle(kfd->ctx, 99, (uintptr_t)out.info.MemoryAddress, 1),
		HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_deregister_memory(kfd->ctx, out.info.MemoryAddress),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_int_equal(fake_device_live_maps(kfd->device), maps);
}

static void an_import_without_nodes_is_a_mere_handle(void **state)
{
	struct fake_kfd *kfd = *state;
	HSA_REGISTER_MEM_FLAGS flags = { 0 };
	HsaGraphicsResourceInfo info = { 0 };

	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 0, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_true((uintptr_t)info.MemoryAddress >= 1ull << 56);
	assert_non_null(fake_kfd_bo(kfd, NULL));
	assert_int_equal(kmt_deregister_memory(kfd->ctx, info.MemoryAddress),
			 HSAKMT_STATUS_SUCCESS);
	flags.ui32.requiresVAddr = 1;
	assert_int_equal(
		kmt_register_graphics_handle_to_nodes_ext(kfd->ctx, 7, &info, 0, NULL, flags),
		HSAKMT_STATUS_SUCCESS);
	assert_non_null(fake_kfd_bo(kfd, info.MemoryAddress));
	assert_int_equal(kmt_deregister_memory(kfd->ctx, info.MemoryAddress),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void large_metadata_is_asked_for_again(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaGraphicsResourceInfo info = { 0 };

	kfd->dma_buf.metadata_size_bytes = 256;
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 0, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "1c 1c 1d");
	assert_int_equal(info.MetadataSizeInBytes, 256);
	assert_int_equal(((const char *)info.Metadata)[255], 0x5a);
	assert_int_equal(kmt_deregister_memory(kfd->ctx, info.MemoryAddress),
			 HSAKMT_STATUS_SUCCESS);
}

static void a_buffer_without_metadata_is_released_all_the_same(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaGraphicsResourceInfo info = { 0 };

	kfd->dma_buf.metadata_size_bytes = 0;
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 0, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_deregister_memory(kfd->ctx, info.MemoryAddress),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void foreign_buffers_and_wrong_arguments_are_refused(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaGraphicsResourceInfo info = { .SizeInBytes = 5 };
	uint32_t nodes[] = { 9 };

	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, NULL, 0, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 1, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 0, nodes),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 1, nodes),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	kfd->dma_buf.gpu_id = 4711;
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 0, NULL),
			 HSAKMT_STATUS_ERROR);
	kfd->dma_buf.size_bytes = 0;
	assert_int_equal(kmt_register_graphics_handle_to_nodes(kfd->ctx, 7, &info, 0, NULL),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(info.SizeInBytes, 5);
	assert_int_equal(kmt_map_graphic_handle(kfd->ctx, 0, 0, 0, 0, 0, NULL),
			 HSAKMT_STATUS_NOT_IMPLEMENTED);
}

static void a_header_page_is_the_hosts_until_it_is_returned(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = { 0 };
	const struct fake_call *call;
	void *p = NULL;

	flags.ui32.NonPaged = 1;
	flags.ui32.HostAccess = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, 2 * PAGE, flags, &p),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(asan_replace_page(kfd->ctx, &kfd), HSAKMT_STATUS_ERROR);
	fake_device_log_reset(kfd->device);
	assert_int_equal(asan_replace_page(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	call = fake_device_log(kfd->device, 0);
	assert_int_equal(call->op, FAKE_MMAP);
	assert_int_equal(call->flags, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
	fake_device_log_reset(kfd->device);
	assert_int_equal(asan_return_page(kfd->ctx, (char *)p + PAGE), HSAKMT_STATUS_SUCCESS);
	call = fake_device_log(kfd->device, 0);
	assert_int_equal(call->flags, MAP_SHARED | MAP_FIXED);
	assert_int_equal(call->addr, (uintptr_t)p + PAGE);
	assert_int_equal(call->offset_bytes % (1ull << 32), PAGE); /* behind the BO's own offset */
	fake_device_fail_op(kfd->device, FAKE_MMAP, 0, ENOMEM);
	assert_int_equal(asan_return_page(kfd->ctx, p), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if !__has_feature(address_sanitizer)
static void header_pages_are_for_sanitizer_builds_only(void **state)
{
	(void)state;
	assert_int_equal(kmt_replace_asan_header_page(NULL, NULL), HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_return_asan_header_page(NULL, NULL), HSAKMT_STATUS_NOT_SUPPORTED);
}
#endif

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_import_for_nodes_has_an_address_and_metadata),
		CASE(an_import_without_nodes_is_a_mere_handle),
		CASE(large_metadata_is_asked_for_again),
		CASE(a_buffer_without_metadata_is_released_all_the_same),
		CASE(foreign_buffers_and_wrong_arguments_are_refused),
		CASE(a_header_page_is_the_hosts_until_it_is_returned),
#if !__has_feature(address_sanitizer)
		cmocka_unit_test(header_pages_are_for_sanitizer_builds_only),
#endif
	};

	return cmocka_run_group_tests_name("thunk/graphics/graphics", tests, NULL, NULL);
}
