/* SPDX-License-Identifier: MIT */
/* Sharing memory between processes: handles of the out-of-tree driver and dma-bufs. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "ipc/ipc.h"
#include "memory/memory.h"

#define PAGE 4096ull
#define GPU  1u
#define PEER 2u

static int setup(void **state)
{
	*state = fake_kfd_open("b.tree");
	return 0;
}

static int teardown(void **state)
{
	fake_kfd_close(*state);
	return 0;
}

static char *alloc(struct fake_kfd *kfd, uint32_t node, uint64_t size, uint32_t more_flags)
{
	HsaMemFlags flags = { .Value = more_flags };
	void *address = NULL;

	flags.ui32.NonPaged = 1;
	flags.ui32.CoarseGrain = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, node, size, flags, &address),
			 HSAKMT_STATUS_SUCCESS);
	fake_device_log_reset(kfd->device);
	return address;
}

static void a_handle_says_what_the_importer_needs(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaSharedMemoryHandle handle;
	struct kfd_ioctl_ipc_export_handle_args args;
	char *p = alloc(kfd, PEER, 4 * PAGE, 0);

	assert_int_equal(kmt_share_memory(kfd->ctx, p, 4 * PAGE, &handle), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "81");
	assert_int_equal(handle[0], 0xabcd);
	assert_int_equal(handle[4], 1); /* SVM default */
	assert_int_equal(handle[6], 4);
	assert_int_equal(handle[7], 2987);
	memcpy(&args, fake_device_last(kfd->device, AMDKFD_IOC_IPC_EXPORT_HANDLE)->arg,
	       sizeof(args));
	assert_int_equal(args.flags, 1u << 13 | 1u); /* the caller's flags travel with it */
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
}

static void only_whole_allocations_are_shared(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaSharedMemoryHandle handle;
	char *p = alloc(kfd, GPU, 4 * PAGE, 0), *range = alloc(kfd, GPU, PAGE, 1u << 19);

	assert_int_equal(kmt_share_memory(kfd->ctx, p, PAGE, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_share_memory(kfd->ctx, p, 1ull << 44, &handle),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_share_memory(kfd->ctx, p + PAGE, PAGE, &handle),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_share_memory(kfd->ctx, &handle, PAGE, &handle),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_share_memory(kfd->ctx, range, PAGE, &handle),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_IPC_EXPORT_HANDLE, ENOTTY);
	assert_int_equal(kmt_share_memory(kfd->ctx, p, 4 * PAGE, &handle), HSAKMT_STATUS_ERROR);
}

static void an_import_has_the_exporters_flags_and_a_cpu_view(void **state)
{
	struct fake_kfd *kfd = *state;
	const HsaSharedMemoryHandle handle = { 0xabcd, 0, 0, 0, 1, 0, 2, 2987 };
	unsigned int maps = fake_device_live_maps(kfd->device);
	uint32_t nodes[] = { PEER };
	HsaPointerInfo info;
	HSAuint64 size = 0;
	char *p = NULL;

	kfd->ipc_flags = 1u << 13 | 1u << 6 | 1;
	kfd->ipc_mmap_offset = 1 << 20;
	assert_int_equal(kmt_register_shared_handle_to_nodes(kfd->ctx, &handle, (void **)&p, &size,
							     1, nodes),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(size, 2 * PAGE);
	p[PAGE] = 1;
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p + PAGE, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.Type, HSA_POINTER_REGISTERED_SHARED);
	assert_int_equal(info.Node, PEER);
	assert_int_equal(info.MemFlags.Value, kfd->ipc_flags);
	assert_int_equal(info.NRegisteredNodes, 1);
	assert_int_equal(info.RegisteredNodes[0], PEER);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, size, NULL), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_kfd_mapped(kfd, p), "2987");
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_deregister_memory(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
	assert_int_equal(fake_device_live_maps(kfd->device), maps);
}

static void handles_that_are_none_are_refused(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaSharedMemoryHandle handle = { 0xabcd, 0, 0, 0, 1, 0, 2, 2987 };
	unsigned int maps = fake_device_live_maps(kfd->device);
	uint32_t nodes[] = { 9 };
	HSAuint64 size = 5;
	void *p = NULL;

	assert_int_equal(kmt_register_shared_handle(kfd->ctx, NULL, &p, &size),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_register_shared_handle(kfd->ctx, &handle, NULL, &size),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_register_shared_handle(kfd->ctx, &handle, &p, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(
		kmt_register_shared_handle_to_nodes(kfd->ctx, &handle, &p, &size, 1, nodes),
		HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_register_shared_handle_to_nodes(kfd->ctx, &handle, &p, &size, 1, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	for (uint32_t type = 0; type < 300; type += 17) {
		handle[4] = type; /* 0, and what no aperture has */
		assert_int_equal(kmt_register_shared_handle(kfd->ctx, &handle, &p, &size),
				 HSAKMT_STATUS_INVALID_PARAMETER);
	}
	handle[4] = 3; /* GPUVM of a GPU that is not there, or has none */
	handle[5] = 99;
	assert_int_equal(kmt_register_shared_handle(kfd->ctx, &handle, &p, &size),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	handle[5] = 0;
	assert_int_equal(kmt_register_shared_handle(kfd->ctx, &handle, &p, &size),
			 HSAKMT_STATUS_NO_MEMORY);
	handle[4] = 1;
	handle[6] = 0;
	assert_int_equal(kmt_register_shared_handle(kfd->ctx, &handle, &p, &size),
			 HSAKMT_STATUS_NO_MEMORY);
	handle[6] = 2;
	handle[0] = 1; /* unknown to the kernel; the addresses are given back */
	assert_int_equal(kmt_register_shared_handle(kfd->ctx, &handle, &p, &size),
			 HSAKMT_STATUS_ERROR);
	assert_null(p);
	assert_int_equal(size, 5);
	assert_int_equal(fake_device_live_maps(kfd->device), maps);
}

static void a_dma_buf_of_any_part_has_an_offset(void **state)
{
	struct fake_kfd *kfd = *state;
	struct kfd_ioctl_export_dmabuf_args args;
	char *p = alloc(kfd, GPU, 4 * PAGE, 0), *no_va = alloc(kfd, GPU, PAGE, 1u << 18);
	HSAuint64 offset = 9;
	int fd = -1;

	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, p + PAGE + 5, PAGE, &fd, &offset),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fd, 77);
	assert_int_equal(offset, PAGE + 5);
	memcpy(&args, fake_device_last(kfd->device, AMDKFD_IOC_EXPORT_DMABUF)->arg, sizeof(args));
	assert_int_equal(args.flags, O_CLOEXEC);
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, no_va, PAGE, &fd, &offset),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(offset, 0);
	fd = -1;
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, p + PAGE, 4 * PAGE, &fd, &offset),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, p, UINT64_MAX, &fd, &offset),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, &fd, 4, &fd, &offset),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, p, PAGE, NULL, &offset),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, p, PAGE, &fd, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_EXPORT_DMABUF, EMFILE);
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, p, PAGE, &fd, &offset),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(fd, -1);
}

static void dma_bufs_need_a_newer_kernel(void **state)
{
	struct fake_kfd *kfd = fake_kfd_prepare("a.tree");
	HSAuint64 offset = 0;
	int fd = 0;

	(void)state;
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, &fd, 1, &fd, &offset),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	fake_device_set_version(kfd->device, 1, 11);
	assert_int_equal(fake_kfd_acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_export_dma_buf_handle(kfd->ctx, &fd, 1, &fd, &offset),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	fake_kfd_close(kfd);
}

static void a_strange_dma_buf_tells_its_size_and_owner(void **state)
{
	struct fake_kfd *kfd = *state;
	struct {
		uint64_t size_bytes;
		uint32_t gpu_id;
		bool is_device_memory;
	} info = { 0 };

	assert_int_equal(kmt_query_dma_buf_info(kfd->ctx, -1, (HsaDmaBufInfo *)&info),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_query_dma_buf_info(kfd->ctx, 5, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_query_dma_buf_info(kfd->ctx, 5, (HsaDmaBufInfo *)&info),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	kfd->dma_buf = (struct fake_dma_buf){ .gpu_id = 2987,
					      .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM,
					      .size_bytes = 8 * PAGE,
					      .metadata_size_bytes = 32 };
	assert_int_equal(kmt_query_dma_buf_info(kfd->ctx, 5, (HsaDmaBufInfo *)&info),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.size_bytes, 8 * PAGE);
	assert_int_equal(info.gpu_id, 2987);
	assert_true(info.is_device_memory);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_handle_says_what_the_importer_needs),
		CASE(only_whole_allocations_are_shared),
		CASE(an_import_has_the_exporters_flags_and_a_cpu_view),
		CASE(handles_that_are_none_are_refused),
		CASE(a_dma_buf_of_any_part_has_an_offset),
		cmocka_unit_test(dma_bufs_need_a_newer_kernel),
		CASE(a_strange_dma_buf_tells_its_size_and_owner),
	};

	return cmocka_run_group_tests_name("thunk/ipc/ipc", tests, NULL, NULL);
}
