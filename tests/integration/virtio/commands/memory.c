/* SPDX-License-Identifier: MIT */
/* MEMORY and GL_INTER. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands.h"

#define DEVICE(handle) ((amdgpu_device_handle)(handle))

typedef struct vhsakmt_ccmd_memory_req memory_req;
typedef struct vhsakmt_ccmd_memory_rsp memory_rsp;

static const HsaMemFlags page_flags = { .ui32 = { .HostAccess = 1, .CoarseGrain = 1 } };
static const HsaMemFlags vram_flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1 } };

static bool hand_memory(const memory_req *req, memory_rsp *rsp)
{
	return by_hand(VIRTIO_CMD_MEMORY, req, sizeof(*req), rsp, sizeof(*rsp));
}

/* Aligned, without an address, and at the one that was there before. */
static bool alloc_newer(void)
{
	HsaMemFlags flags = { .ui32 = { .NonPaged = 1, .NoAddress = 1 } };
	void *memory = NULL, *place;
	bool good = OK(vhsaKmtAllocMemoryAlign(gpu, 2 * PAGE, 1ul << 24, vram_flags, &memory)) &&
		    HOLDS((uintptr_t)memory % (1ul << 24) == 0) &&
		    OK(vhsaKmtFreeMemory(memory, 2 * PAGE));

	place = memory;
	good = OK(vhsaKmtAllocMemory(gpu, PAGE, flags, &memory)) &&
	       OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
	flags = vram_flags;
	flags.ui32.FixedAddress = 1;
	memory = place;
	good = OK(vhsaKmtAllocMemory(gpu, PAGE, flags, &memory)) && HOLDS(memory == place) &&
	       HOLDS(vhsaKmtAllocMemory(gpu, PAGE, flags, &place) == HSAKMT_STATUS_NO_MEMORY) &&
	       OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
	memory = (void *)(1ul << 40);
	return HOLDS(vhsaKmtAllocMemory(gpu, PAGE, flags, &memory) == HSAKMT_STATUS_NO_MEMORY) &&
	       good;
}

static bool alloc(void)
{
	void *memory = NULL;

	if (is_newer)
		return alloc_newer();
	return OK(vhsaKmtAllocMemory(gpu, PAGE, vram_flags, &memory)) &&
	       OK(vhsaKmtFreeMemory(memory, PAGE)) &&
	       HOLDS(vhsaKmtAllocMemoryAlign(gpu, PAGE, 2 * PAGE, vram_flags, &memory) ==
		     HSAKMT_STATUS_NOT_SUPPORTED);
}

static bool map_nodes(void)
{
	void *memory = take_vram(PAGE);
	HSAuint64 va = 0;
	bool good =
		memory && OK(vhsaKmtMapMemoryToGPUNodes(memory, PAGE, &va, vram_flags, 1, &gpu));
	HsaPointerInfo info = { 0 };

	good = good && OK(vhsaKmtQueryPointerInfo(memory, &info)) &&
	       HOLDS(info.NMappedNodes == 1 && info.MappedNodes[0] == gpu);
	free((void *)(uintptr_t)info.MappedNodes);
	return OK(vhsaKmtUnmapMemoryToGPU(memory)) && OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
}

/* The library frees by closing the resource; a guest may say it, too. */
static bool free_by_command(void)
{
	void *memory = take_vram(PAGE);
	memory_req req = { .type = VIRTIO_MEMORY_FREE };
	HsaPointerInfo info;
	memory_rsp rsp;
	bool good;

	req.free_args = (struct memory_req_free_args){ .MemoryAddress = (uintptr_t)memory,
						       .SizeInBytes = PAGE };
	good = memory && HOLDS(hand_memory(&req, &rsp)) &&
	       HOLDS(vhsaKmtQueryPointerInfo(memory, &info) != HSAKMT_STATUS_SUCCESS);
	return OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
}

static bool unmap(void)
{
	void *memory = take_vram(PAGE);
	HsaPointerInfo info = { 0 };
	bool good = memory && OK(vhsaKmtMapMemoryToGPU(memory, PAGE, NULL)) &&
		    OK(vhsaKmtUnmapMemoryToGPU(memory)) &&
		    OK(vhsaKmtQueryPointerInfo(memory, &info)) && HOLDS(info.NMappedNodes == 0);

	return OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
}

static bool available(void)
{
	HSAuint64 before = 0, after = 0;
	void *memory;
	bool good = OK(vhsaKmtAvailableMemory(gpu, &before));

	memory = take_vram(64ul << 20);
	good = memory && OK(vhsaKmtAvailableMemory(gpu, &after)) &&
	       HOLDS(after <= before - (64ul << 20)) && good;
	return OK(vhsaKmtFreeMemory(memory, 64ul << 20)) && good;
}

static bool map_scratch(void)
{
	const HsaMemFlags flags = { .ui32 = { .Scratch = 1 } };
	void *scratch = NULL;
	HSAuint64 va = 0;
	bool good = OK(vhsaKmtAllocMemory(gpu, 16 * PAGE, flags, &scratch));

	for (int i = 0; good && i < 2; i++) /* what was unmapped can be mapped again */
		good = OK(vhsaKmtMapMemoryToGPU(scratch, 16 * PAGE, &va)) &&
		       OK(vhsaKmtUnmapMemoryToGPU(scratch));
	return OK(vhsaKmtFreeMemory(scratch, 16 * PAGE)) && good;
}

static bool map(void)
{
	void *memory = take_vram(PAGE);
	HSAuint64 va = 0;
	bool good = memory && OK(vhsaKmtMapMemoryToGPU(memory, PAGE, &va)) &&
		    OK(vhsaKmtUnmapMemoryToGPU(memory));

	return OK(vhsaKmtFreeMemory(memory, PAGE)) && map_scratch() && good;
}

/* The graphics library's part is played by memory of our own, which becomes a dma-buf. */
static bool register_graphics(void)
{
	void *memory = take_vram(4 * PAGE);
	HsaGraphicsResourceInfo info = { 0 };
	int fd = dmabuf_of(memory);
	bool good = HOLDS(fd >= 0) &&
		    OK(vhsaKmtRegisterGraphicsHandleToNodes((HSAuint64)fd, &info, 1, &gpu)) &&
		    HOLDS(info.SizeInBytes == 4 * PAGE) && HOLDS(info.MemoryAddress != NULL) &&
		    HOLDS(close(fd) != 0); /* the call has taken it */

	good = good && OK(vhsaKmtDeregisterMemory(info.MemoryAddress));
	return OK(vhsaKmtFreeMemory(memory, 4 * PAGE)) && good;
}

/* Registers, maps and forgets pages of this process. */
static bool register_pages(void)
{
	char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HSAuint64 va = 0;
	bool good;

	pages[PAGE] = 7;
	if (!shares_primary) { /* something else is to be forgotten then */
		good = HOLDS(vhsaKmtRegisterMemoryWithFlags(pages, 2 * PAGE, page_flags) ==
			     HSAKMT_STATUS_ERROR) &&
		       HOLDS(pages[PAGE] == 7) && register_graphics();
		munmap(pages, 2 * PAGE);
		return good;
	}
	good = OK(vhsaKmtRegisterMemoryWithFlags(pages, 2 * PAGE, page_flags)) &&
	       HOLDS(pages[PAGE] == 7) && OK(vhsaKmtMapMemoryToGPU(pages, 2 * PAGE, &va)) &&
	       HOLDS(va != 0) && OK(vhsaKmtUnmapMemoryToGPU(pages)) &&
	       OK(vhsaKmtDeregisterMemory(pages)) &&
	       HOLDS(vhsaKmtDeregisterMemory(pages) == HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
	munmap(pages, 2 * PAGE);
	return good;
}

static bool export_dmabuf(void)
{
	char *memory = take_vram(4 * PAGE);
	HSAuint64 offset = 1;
	int fd = -1;
	bool good;

	good = memory && vhsaKmtExportDMABufHandle(memory + PAGE, PAGE, &fd, &offset) ==
				 HSAKMT_STATUS_SUCCESS;
	good = good && HOLDS(offset == PAGE) && HOLDS(close(fd) == 0) &&
	       HOLDS(vhsaKmtExportDMABufHandle(memory + PAGE, 4 * PAGE, &fd, &offset) !=
		     HSAKMT_STATUS_SUCCESS);
	return OK(vhsaKmtFreeMemory(memory, 4 * PAGE)) && good;
}

/* A buffer object of memory of ours. */
struct buffer {
	void *memory;
	struct amdgpu_bo_import_result bo;
};

static bool buffer_begin(struct buffer *buffer)
{
	HsaAMDGPUDeviceHandle handle = NULL;
	HSAuint64 offset;
	int fd = -1, rc = -1;

	*buffer = (struct buffer){ .memory = take_vram(4 * PAGE) };
	if (vhsaKmtGetAMDGPUDeviceHandle(gpu, &handle) == HSAKMT_STATUS_SUCCESS && handle &&
	    OK(vhsaKmtExportDMABufHandle(buffer->memory, 4 * PAGE, &fd, &offset)))
		rc = vamdgpu_bo_import(DEVICE(handle), amdgpu_bo_handle_type_dma_buf_fd,
				       (uint32_t)fd, &buffer->bo);
	if (fd >= 0)
		close(fd);
	return rc == 0;
}

static bool buffer_end(struct buffer *buffer)
{
	bool good = vamdgpu_bo_free(buffer->bo.buf_handle) == 0;

	return OK(vhsaKmtFreeMemory(buffer->memory, 4 * PAGE)) && good;
}

static bool bo_import(void)
{
	struct buffer buffer;
	bool good = buffer_begin(&buffer);

	good = good && HOLDS(buffer.bo.buf_handle && buffer.bo.alloc_size == 4 * PAGE);
	return buffer_end(&buffer) && good;
}

static bool bo_export(void)
{
	struct buffer buffer;
	bool good = buffer_begin(&buffer);
	uint32_t kms = 0;

	good = vamdgpu_bo_export(buffer.bo.buf_handle, amdgpu_bo_handle_type_kms, &kms) == 0 &&
	       HOLDS(kms != 0) &&
	       HOLDS(vamdgpu_bo_export(buffer.bo.buf_handle, amdgpu_bo_handle_type_dma_buf_fd,
				       &kms) < 0) &&
	       good;
	return buffer_end(&buffer) && good;
}

/* Maps at addresses of ours only, and only what there is. */
static bool bo_va_op(void)
{
	const uint64_t flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
	struct buffer buffer;
	bool good = buffer_begin(&buffer);
	amdgpu_bo_handle bo = buffer.bo.buf_handle;
	uint64_t place = (uintptr_t)take_vram(4 * PAGE);
	int rc = vamdgpu_bo_va_op(bo, 0, 4 * PAGE, place, flags, AMDGPU_VA_OP_MAP);

	if (rc == 0)
		rc = vamdgpu_bo_va_op(bo, 0, 4 * PAGE, place, flags, AMDGPU_VA_OP_UNMAP);
	good = good && HOLDS(rc == 0 || (!shares_primary && rc == -EOPNOTSUPP)) &&
	       HOLDS(vamdgpu_bo_va_op(bo, 0, 4 * PAGE, 1ul << 40, flags, AMDGPU_VA_OP_MAP) < 0) &&
	       HOLDS(vamdgpu_bo_va_op(bo, PAGE, 4 * PAGE, place, flags, AMDGPU_VA_OP_MAP) < 0);
	return OK(vhsaKmtFreeMemory((void *)place, 4 * PAGE)) && buffer_end(&buffer) && good;
}

static bool bo_free(void)
{
	struct buffer buffer;
	bool good = buffer_begin(&buffer) && buffer_end(&buffer);

	return good && HOLDS(vamdgpu_bo_free(buffer.bo.buf_handle) < 0);
}

static bool bo_metadata(void)
{
	struct amdgpu_bo_metadata metadata = { .size_metadata = 8, .umd_metadata = { 11, 12 } };
	struct amdgpu_bo_info info = { 0 };
	void *memory = take_vram(4 * PAGE);
	bool good = memory && vamdgpu_bo_set_metadata(memory, &metadata) == 0 &&
		    HOLDS(vamdgpu_bo_query_info(memory, &info) == 0) &&
		    HOLDS(info.alloc_size == 4 * PAGE);

	/* The simulated driver does not carry them from one KFD process to another. */
	if (good && shares_primary)
		good = HOLDS(info.metadata.size_metadata == 8) &&
		       HOLDS(info.metadata.umd_metadata[1] == 12);
	return OK(vhsaKmtFreeMemory(memory, 4 * PAGE)) && good;
}

static bool bo_info(void)
{
	struct amdgpu_bo_info info = { 0 };
	void *memory = take_vram(4 * PAGE);
	bool good = memory && vamdgpu_bo_query_info(memory, &info) == 0 &&
		    HOLDS(info.alloc_size == 4 * PAGE);

	return OK(vhsaKmtFreeMemory(memory, 4 * PAGE)) && good;
}

static bool share(void)
{
	HsaSharedMemoryHandle handle = { 0 };
	void *memory = take_vram(PAGE), *again = NULL;
	HSAuint64 bytes = 0;
	bool good = memory && vhsaKmtShareMemory(memory, PAGE, &handle) == HSAKMT_STATUS_SUCCESS;

	/* with nodes and without */
	for (int i = 0; good && i < 2; i++)
		good = OK(i ? vhsaKmtRegisterSharedHandle(&handle, &again, &bytes)
			    : vhsaKmtRegisterSharedHandleToNodes(&handle, &again, &bytes, 1,
								 &gpu)) &&
		       HOLDS(bytes == PAGE) && OK(vhsaKmtDeregisterMemory(again));
	return OK(vhsaKmtFreeMemory(memory, PAGE)) && good;
}

static bool register_shared(void)
{
	HsaSharedMemoryHandle handle = { 0 };
	HSAuint64 bytes;
	void *memory;

	return share() && HOLDS(vhsaKmtRegisterSharedHandle(&handle, &memory, &bytes) !=
				HSAKMT_STATUS_SUCCESS);
}

/* Of the first generation of GPUs only: the host answers for all others that they do not have it. */
static bool policy(void)
{
	return vhsaKmtSetMemoryPolicy(gpu, HSA_CACHING_CACHED, HSA_CACHING_NONCACHED, NULL, 0) ==
	       HSAKMT_STATUS_NOT_IMPLEMENTED;
}

/* Pages that are registered are the host's as well, and have attributes there. */
static bool svm(void)
{
	HSA_SVM_ATTRIBUTE set[] = { { HSA_SVM_ATTR_PREFERRED_LOC, gpu },
				    { HSA_SVM_ATTR_SET_FLAGS, HSA_SVM_FLAG_COHERENT } };
	HSA_SVM_ATTRIBUTE get[] = { { HSA_SVM_ATTR_PREFERRED_LOC, 0 },
				    { HSA_SVM_ATTR_SET_FLAGS, 0 } };
	char *pages =
		mmap(NULL, 2ul << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HSAKMT_STATUS status[2];
	bool good;

	good = HOLDS(vhsaKmtRegisterMemoryWithFlags(pages, 2ul << 20, page_flags) ==
		     (shares_primary ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR));
	status[0] = vhsaKmtSVMSetAttr(pages, 2ul << 20, 2, set);
	status[1] = vhsaKmtSVMGetAttr(pages, 2ul << 20, 2, get);
	if (!is_newer) /* refused here */
		good = false;
	else if (!shares_primary && status[0] != HSAKMT_STATUS_SUCCESS)
		good = HOLDS(status[1] == status[0]) && good;
	else
		good = status[0] == HSAKMT_STATUS_SUCCESS && status[1] == HSAKMT_STATUS_SUCCESS &&
		       HOLDS(get[0].value == gpu) && HOLDS(get[1].value & HSA_SVM_FLAG_COHERENT) &&
		       good;
	good = HOLDS(vhsaKmtSVMSetAttr((void *)(1ul << 40), 2ul << 20, 2, set) !=
		     HSAKMT_STATUS_SUCCESS) &&
	       good;
	if (shares_primary)
		good = OK(vhsaKmtDeregisterMemory(pages)) && good;
	munmap(pages, 2ul << 20);
	return good;
}

const sender send_gl_inter[VIRTIO_GL_INTER_COUNT] = { register_graphics };

const sender send_memory[VIRTIO_MEMORY_COUNT] = {
	[VIRTIO_MEMORY_ALLOC] = alloc,
	[VIRTIO_MEMORY_MAP_TO_GPU_NODES] = map_nodes,
	[VIRTIO_MEMORY_FREE] = free_by_command,
	[VIRTIO_MEMORY_UNMAP_TO_GPU] = unmap,
	[VIRTIO_MEMORY_AVAIL_MEM] = available,
	[VIRTIO_MEMORY_MAP_MEM_TO_GPU] = map,
	[VIRTIO_MEMORY_REG_MEM_WITH_FLAG] = register_pages,
	[VIRTIO_MEMORY_DEREG_MEM] = register_pages,
	[VIRTIO_MEMORY_MAP_USERPTR] = register_pages,
	[VIRTIO_MEMORY_EXPORT_DMABUF] = export_dmabuf,
	[VIRTIO_MEMORY_AMDGPU_IMPORT] = bo_import,
	[VIRTIO_MEMORY_AMDGPU_EXPORT] = bo_export,
	[VIRTIO_MEMORY_AMDGPU_VA_OP] = bo_va_op,
	[VIRTIO_MEMORY_AMDGPU_BO_FREE] = bo_free,
	[VIRTIO_MEMORY_SHARE_MEMORY] = share,
	[VIRTIO_MEMORY_REGISTER_SHARED_HANDLE] = register_shared,
	[VIRTIO_MEMORY_SET_MEM_POLICY] = policy,
	[VIRTIO_MEMORY_SVM_GET_ATTR] = svm,
	[VIRTIO_MEMORY_SVM_SET_ATTR] = svm,
	[VIRTIO_MEMORY_AMDGPU_BO_QUERY_INFO] = bo_info,
	[VIRTIO_MEMORY_AMDGPU_BO_SET_METADATA] = bo_metadata,
};
