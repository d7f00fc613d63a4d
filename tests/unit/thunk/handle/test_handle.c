/* SPDX-License-Identifier: MIT */
/* Buffer objects of libdrm: import, export, GPU addresses, CPU access and their end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <drm.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "handle/handle.h"
#include "memory/fmm.h"
#include "openclose/openclose.h"
#include "render/render.h"
#include "topology/acquire.h"

#define PAGE       4096ull
#define GPU        1u
#define PEER       2u
#define SYNCOBJ    33
#define GEM_HANDLE 44
#define BO_BYTES   (16 * PAGE)
#define DMA_BUF_FD 7

/* libdrm's side: one buffer with metadata, and what was asked for last. */
struct drm_side {
	struct fake_kfd *kfd;
	char bo; /* its address is the handle */
	int references;
	uint32_t word, words; /* metadata; words 0: there is none */
	uint32_t dma_buf;     /* what an export gives */
	unsigned char va[64]; /* the last GEM_VA */
	uint64_t waited_point;
	int wait_result;
};

static struct drm_side side;

static int on_import(struct fake_device *fake, enum device_drm_cmd cmd, union device_drm_args *args,
		     void *data)
{
	struct amdgpu_bo_import_result *result = args->bo_import.result;

	(void)fake, (void)cmd, (void)data;
	if (args->bo_import.type != amdgpu_bo_handle_type_dma_buf_fd ||
	    args->bo_import.shared_handle != DMA_BUF_FD)
		return -EINVAL;
	side.references++;
	result->buf_handle = (void *)&side.bo;
	result->alloc_size = BO_BYTES;
	return 0;
}

static int on_export(struct fake_device *fake, enum device_drm_cmd cmd, union device_drm_args *args,
		     void *data)
{
	(void)fake, (void)cmd, (void)data;
	*args->bo_export.handle =
		args->bo_export.type == amdgpu_bo_handle_type_kms ? GEM_HANDLE : side.dma_buf;
	return 0;
}

static int on_free(struct fake_device *fake, enum device_drm_cmd cmd, union device_drm_args *args,
		   void *data)
{
	(void)fake, (void)cmd, (void)data, (void)args;
	side.references--;
	return 0;
}

static int on_query(struct fake_device *fake, enum device_drm_cmd cmd, union device_drm_args *args,
		    void *data)
{
	struct amdgpu_bo_info *info = args->bo_query_info.info;

	(void)fake, (void)cmd, (void)data;
	info->metadata.size_metadata = side.words * 4;
	info->metadata.umd_metadata[0] = side.word;
	return 0;
}

static int on_set_metadata(struct fake_device *fake, enum device_drm_cmd cmd,
			   union device_drm_args *args, void *data)
{
	const struct amdgpu_bo_metadata *metadata = args->bo_set_metadata.metadata;

	(void)fake, (void)cmd, (void)data;
	side.word = metadata->umd_metadata[0];
	side.words = metadata->size_metadata / 4;
	return 0;
}

static int on_cpu_map(struct fake_device *fake, enum device_drm_cmd cmd,
		      union device_drm_args *args, void *data)
{
	(void)fake, (void)cmd, (void)data;
	*args->bo_cpu_map.cpu = &side;
	return 0;
}

static int on_command(struct fake_device *fake, enum device_drm_cmd cmd,
		      union device_drm_args *args, void *data)
{
	union drm_amdgpu_gem_mmap *gem_mmap = args->command_write_read.data;

	(void)fake, (void)cmd, (void)data;
	if (args->command_write_read.command == DRM_AMDGPU_GEM_VA) {
		assert_int_equal(args->command_write_read.size_bytes, sizeof(side.va));
		memcpy(side.va, args->command_write_read.data, sizeof(side.va));
		return 0;
	}
	if (args->command_write_read.command != DRM_AMDGPU_GEM_MMAP ||
	    gem_mmap->in.handle != GEM_HANDLE)
		return -EINVAL;
	gem_mmap->out.addr_ptr = 5ull << 32;
	return 0;
}

static int on_syncobj(struct fake_device *fake, int fd, unsigned long request, void *arg,
		      void *data)
{
	(void)fake, (void)fd, (void)data;
	if (request == DRM_IOCTL_SYNCOBJ_CREATE)
		((struct drm_syncobj_create *)arg)->handle = SYNCOBJ;
	else if (request == DRM_IOCTL_SYNCOBJ_DESTROY)
		assert_int_equal(((struct drm_syncobj_destroy *)arg)->handle, SYNCOBJ);
	return 0;
}

static int on_wait(struct fake_device *fake, int fd, unsigned long request, void *arg, void *data)
{
	const struct drm_syncobj_timeline_wait *wait = arg;

	(void)fake, (void)fd, (void)data, (void)request;
	side.waited_point = *(const uint64_t *)(uintptr_t)wait->points;
	return side.wait_result;
}

static int setup(void **state)
{
	struct fake_kfd *kfd = fake_kfd_open("b.tree");

	memset(&side, 0, sizeof(side));
	side.kfd = kfd;
	side.dma_buf = 88;
	fake_device_on_drm(kfd->device, DEVICE_DRM_BO_IMPORT, on_import, NULL);
	fake_device_on_drm(kfd->device, DEVICE_DRM_BO_EXPORT, on_export, NULL);
	fake_device_on_drm(kfd->device, DEVICE_DRM_BO_FREE, on_free, NULL);
	fake_device_on_drm(kfd->device, DEVICE_DRM_BO_QUERY_INFO, on_query, NULL);
	fake_device_on_drm(kfd->device, DEVICE_DRM_BO_SET_METADATA, on_set_metadata, NULL);
	fake_device_on_drm(kfd->device, DEVICE_DRM_BO_CPU_MAP, on_cpu_map, NULL);
	fake_device_on_drm(kfd->device, DEVICE_DRM_COMMAND_WRITE_READ, on_command, NULL);
	fake_device_on_ioctl(kfd->device, DRM_IOCTL_SYNCOBJ_CREATE, on_syncobj, NULL);
	fake_device_on_ioctl(kfd->device, DRM_IOCTL_SYNCOBJ_DESTROY, on_syncobj, NULL);
	fake_device_on_ioctl(kfd->device, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, on_wait, NULL);
	*state = kfd;
	return 0;
}

static int teardown(void **state)
{
	fake_kfd_close(*state);
	return 0;
}

static HsaHandleImportDesc description(struct fake_kfd *kfd, uint32_t node)
{
	HsaHandleImportDesc desc = { .type = HSA_EXTERNAL_HANDLE_DMA_BUF, .dmabuf_fd = DMA_BUF_FD };

	assert_int_equal(kmt_get_amdgpu_device_handle(kfd->ctx, node, &desc.device_handle),
			 HSAKMT_STATUS_SUCCESS);
	return desc;
}

static HsaMemoryObjectHandle import(struct fake_kfd *kfd)
{
	HsaHandleImportDesc desc = description(kfd, GPU);
	HsaHandleImportResult result = { 0 };

	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(result.alloc_size, BO_BYTES);
	assert_int_equal(result.dmabuf_fd, DMA_BUF_FD);
	return result.buf_handle;
}

static void what_is_imported_twice_is_freed_twice(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemoryObjectHandle handle = import(kfd);

	assert_ptr_equal(import(kfd), handle);
	assert_int_equal(kmt_mem_handle_free_preserve_metadata(kfd->ctx, handle),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_mem_handle_free(kfd->ctx, handle), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_mem_handle_free(kfd->ctx, handle), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_mem_handle_free_preserve_metadata(kfd->ctx, handle),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(side.references, 0);
}

static void stale_handles_are_refused_everywhere(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaHandleImportDesc desc = description(kfd, GPU);
	HsaMemoryObjectHandle stale = (HsaMemoryObjectHandle)&side.bo;
	HsaHandleExportDesc export = { .type = HSA_EXTERNAL_HANDLE_DMA_BUF, .buf_handle = stale };
	HsaMemoryExportResult result;
	HSAuint64 offset = 0;
	void *cpu = NULL;

	assert_int_equal(kmt_handle_export(kfd->ctx, &export, &result, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(
		kmt_memory_va_map(kfd->ctx, stale, 0, PAGE, PAGE, HSA_MEMORY_ACCESS_RW, GPU),
		HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_memory_va_unmap(kfd->ctx, NULL, 0, PAGE, PAGE, GPU),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_memory_cpu_map(kfd->ctx, stale, &cpu), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_memory_get_cpu_addr(kfd->ctx, desc.device_handle, stale, &offset),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_mem_handle_free(kfd->ctx, stale), HSAKMT_STATUS_ERROR);
}

static void wrong_imports_are_told_apart(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaHandleImportDesc desc = description(kfd, GPU);
	HsaHandleImportResult result = { 0 };

	assert_int_equal(kmt_handle_import(kfd->ctx, NULL, &result, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, NULL, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
	desc.type = HSA_EXTERNAL_HANDLE_KMS;
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, NULL),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	desc.type = HSA_EXTERNAL_HANDLE_FABRIC;
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, NULL),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	desc.type = HSA_EXTERNAL_HANDLE_DMA_BUF;
	desc.dmabuf_fd = 99;
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, NULL), HSAKMT_STATUS_ERROR);
	desc.device_handle = &desc; /* no device of the library */
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
	desc.device_handle = NULL;
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(side.references, 0);
}

static void an_ipc_import_checks_or_sets_the_metadata_word(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaHandleImportDesc desc = description(kfd, GPU);
	HsaHandleImportFlags flags = { { .IPCHandle = 1, .UpdateMetadata = 1 } };
	HsaHandleImportResult result = { 0 };

	desc.metadata = 123;
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, &flags),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(side.word, 123);
	assert_int_equal(result.metadata, 123);
	desc.metadata = 124; /* there is one already: it stays and is told */
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, &flags),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(side.word, 123);
	assert_int_equal(result.metadata, 123);
	flags.ui32.UpdateMetadata = 0;
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, &flags),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(result.metadata, 123);
	flags.ui32.UpdateMetadata = 1;
	flags.ui32.SysMem = 1; /* never set on system memory */
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, &flags),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	desc.metadata = 123;
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, &flags),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(side.references, 3); /* the refused ones are freed */
	fake_device_fail_next_drm(kfd->device, DEVICE_DRM_BO_QUERY_INFO, EIO);
	assert_int_equal(kmt_handle_import(kfd->ctx, &desc, &result, &flags),
			 HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(side.references, 3);
	assert_int_equal(kmt_mem_handle_free(kfd->ctx, result.buf_handle), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(side.word, 0);
}

static void metadata_that_cannot_be_cleared_keeps_the_handle(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemoryObjectHandle handle = import(kfd);

	fake_device_fail_next_drm(kfd->device, DEVICE_DRM_BO_SET_METADATA, EIO);
	assert_int_equal(kmt_mem_handle_free(kfd->ctx, handle), HSAKMT_STATUS_ERROR);
	assert_int_equal(side.references, 1);
	assert_int_equal(kmt_mem_handle_free(kfd->ctx, handle), HSAKMT_STATUS_SUCCESS);
}

static void an_export_is_a_dma_buf_descriptor(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaHandleExportDesc desc = { .type = HSA_EXTERNAL_HANDLE_DMA_BUF,
				     .buf_handle = import(kfd) };
	HsaMemoryExportResult result = { 0 };

	assert_int_equal(kmt_handle_export(kfd->ctx, &desc, &result, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(result.dmabuf_fd, 88);
	side.dma_buf = 0x80000000;
	assert_int_equal(kmt_handle_export(kfd->ctx, &desc, &result, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
	desc.type = HSA_EXTERNAL_HANDLE_GEM_FLINK_NAME;
	assert_int_equal(kmt_handle_export(kfd->ctx, &desc, &result, NULL),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_handle_export(kfd->ctx, NULL, &result, NULL),
			 HSAKMT_STATUS_INVALID_HANDLE);
}

static uint64_t word(size_t offset)
{
	uint64_t value;

	memcpy(&value, side.va + offset, sizeof(value));
	return value;
}

static uint32_t half(size_t offset)
{
	uint32_t value;

	memcpy(&value, side.va + offset, sizeof(value));
	return value;
}

static void an_address_is_mapped_and_waited_for(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemoryObjectHandle handle = import(kfd);

	assert_int_equal(kmt_memory_va_map(kfd->ctx, handle, PAGE, 2 * PAGE, 1ull << 40,
					   HSA_MEMORY_ACCESS_RW, GPU),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(half(0), GEM_HANDLE);
	assert_int_equal(half(8), 1); /* map */
	assert_int_equal(half(12), AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE);
	assert_int_equal(word(16), 1ull << 40);
	assert_int_equal(word(24), PAGE);
	assert_int_equal(word(32), 2 * PAGE);
	assert_int_equal(word(40), 1);
	assert_int_equal(half(48), SYNCOBJ);
	assert_int_equal(side.waited_point, 1);
	assert_int_equal(
		kmt_memory_va_map(kfd->ctx, handle, 0, PAGE, 1ull << 41, HSA_MEMORY_ACCESS_RO, GPU),
		HSAKMT_STATUS_SUCCESS);
	assert_int_equal(half(12), AMDGPU_VM_PAGE_READABLE);
	assert_int_equal(side.waited_point, 2);
	assert_int_equal(kmt_memory_va_unmap(kfd->ctx, handle, PAGE, 2 * PAGE, 1ull << 40, GPU),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(half(8), 2); /* unmap */
	assert_int_equal(side.waited_point, 3);
	assert_int_equal(fake_device_calls(kfd->device, DRM_IOCTL_SYNCOBJ_CREATE), 1);
	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_release_system_properties(kfd->ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_calls(kfd->device, DRM_IOCTL_SYNCOBJ_DESTROY), 1);
}

static void wrong_nodes_and_refusals_are_told_apart(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemoryObjectHandle handle = import(kfd);

	assert_int_equal(
		kmt_memory_va_map(kfd->ctx, handle, 0, PAGE, PAGE, HSA_MEMORY_ACCESS_RW, 0),
		HSAKMT_STATUS_INVALID_PARAMETER);
	/* A GEM handle means nothing to another GPU's node. */
	assert_int_equal(
		kmt_memory_va_map(kfd->ctx, handle, 0, PAGE, PAGE, HSA_MEMORY_ACCESS_RW, PEER),
		HSAKMT_STATUS_ERROR);
	fake_device_fail_next_drm(kfd->device, DEVICE_DRM_COMMAND_WRITE_READ, EINVAL);
	assert_int_equal(
		kmt_memory_va_map(kfd->ctx, handle, 0, PAGE, PAGE, HSA_MEMORY_ACCESS_RW, GPU),
		HSAKMT_STATUS_ERROR);
	side.wait_result = -EIO;
	assert_int_equal(
		kmt_memory_va_map(kfd->ctx, handle, 0, PAGE, PAGE, HSA_MEMORY_ACCESS_RW, GPU),
		HSAKMT_STATUS_ERROR);
	/* A kernel without timelines in GEM_VA never signals the point, and is done by then. */
	side.wait_result = -EINVAL;
	assert_int_equal(
		kmt_memory_va_map(kfd->ctx, handle, 0, PAGE, PAGE, HSA_MEMORY_ACCESS_RW, GPU),
		HSAKMT_STATUS_SUCCESS);
}

static void the_cpu_gets_at_it_by_address_and_by_offset(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemoryObjectHandle handle = import(kfd);
	HsaHandleImportDesc desc = description(kfd, GPU);
	HSAuint64 offset = 0;
	void *cpu = NULL;

	assert_int_equal(kmt_memory_cpu_map(kfd->ctx, handle, &cpu), HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(cpu, &side);
	assert_int_equal(kmt_memory_cpu_map(kfd->ctx, handle, NULL), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_memory_get_cpu_addr(kfd->ctx, desc.device_handle, handle, &offset),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(offset, 5ull << 32);
	assert_int_equal(kmt_memory_get_cpu_addr(kfd->ctx, &desc, handle, &offset),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_memory_get_cpu_addr(kfd->ctx, desc.device_handle, handle, NULL),
			 HSAKMT_STATUS_ERROR);
}

static void nothing_works_on_a_closed_context(void **state)
{
	const HSAKMT_STATUS closed = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
	struct fake_kfd *kfd = *state;
	HsaMemoryObjectHandle handle = import(kfd);
	HSAuint64 offset = 0;
	void *cpu = NULL;

	assert_int_equal(kmt_close_kfd(kfd->ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_handle_import(kfd->ctx, NULL, NULL, NULL), closed);
	assert_int_equal(kmt_handle_export(kfd->ctx, NULL, NULL, NULL), closed);
	assert_int_equal(kmt_memory_va_map(kfd->ctx, handle, 0, 1, 1, HSA_MEMORY_ACCESS_RW, GPU),
			 closed);
	assert_int_equal(kmt_memory_va_unmap(kfd->ctx, handle, 0, 1, 1, GPU), closed);
	assert_int_equal(kmt_memory_cpu_map(kfd->ctx, handle, &cpu), closed);
	assert_int_equal(kmt_memory_get_cpu_addr(kfd->ctx, NULL, handle, &offset), closed);
	assert_int_equal(kmt_mem_handle_free(kfd->ctx, handle), closed);
	assert_int_equal(kmt_mem_handle_free_preserve_metadata(kfd->ctx, handle), closed);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_imported_twice_is_freed_twice),
		CASE(stale_handles_are_refused_everywhere),
		CASE(wrong_imports_are_told_apart),
		CASE(an_ipc_import_checks_or_sets_the_metadata_word),
		CASE(metadata_that_cannot_be_cleared_keeps_the_handle),
		CASE(an_export_is_a_dma_buf_descriptor),
		CASE(an_address_is_mapped_and_waited_for),
		CASE(wrong_nodes_and_refusals_are_told_apart),
		CASE(the_cpu_gets_at_it_by_address_and_by_offset),
		CASE(nothing_works_on_a_closed_context),
	};

	return cmocka_run_group_tests_name("thunk/handle/handle", tests, NULL, NULL);
}
