/* SPDX-License-Identifier: MIT */
/*
 * Memory of a graphics stack: allocated with libdrm, exported with metadata, registered, looked at,
 * copied from by a queue of the GPU, and cleaned up.
 */
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "hsakmt/hsakmt.h"

#define SIZE     (1u << 20)
#define PAGE     4096u
#define PATTERN  0xa5
#define METADATA "tiled like a picture"
#define DONE     0xc0ffeeu

#define assert_status(call, expected) assert_int_equal((call), HSAKMT_STATUS_##expected)

struct graphics {
	int fd, dmabuf;
	amdgpu_device_handle device;
	amdgpu_bo_handle bo;
};

static uint32_t gpu;

static int setup(void **state)
{
	HsaSystemProperties system;
	HsaNodeProperties node;

	(void)state;
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return -1;
	for (uint32_t i = 0; i < system.NumNodes; i++)
		if (hsaKmtGetNodeProperties(i, &node) == HSAKMT_STATUS_SUCCESS &&
		    node.NumFComputeCores)
			gpu = i;
	return gpu ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	(void)hsaKmtReleaseSystemProperties(); /* always a success */
	return hsaKmtCloseKFD() == HSAKMT_STATUS_SUCCESS ? 0 : -1;
}

static void graphics_path(char path[64])
{
	HsaNodeProperties node;

	assert_status(hsaKmtGetNodeProperties(gpu, &node), SUCCESS);
	snprintf(path, 64, "/dev/dri/renderD%d", node.DrmRenderMinor);
}

static void graphics_begin(struct graphics *g, const char *path)
{
	struct amdgpu_bo_alloc_request request = { .alloc_size = SIZE,
						   .phys_alignment = PAGE,
						   .preferred_heap = AMDGPU_GEM_DOMAIN_VRAM };
	struct amdgpu_bo_metadata metadata = { .size_metadata = sizeof(METADATA) };
	uint32_t major, minor, shared;
	void *pixels = NULL;

	g->fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(g->fd >= 0);
	assert_int_equal(amdgpu_device_initialize(g->fd, &major, &minor, &g->device), 0);
	assert_int_equal(amdgpu_bo_alloc(g->device, &request, &g->bo), 0);
	assert_int_equal(amdgpu_bo_cpu_map(g->bo, &pixels), 0);
	memset(pixels, PATTERN, SIZE);
	assert_int_equal(amdgpu_bo_cpu_unmap(g->bo), 0);
	memcpy(metadata.umd_metadata, METADATA, sizeof(METADATA));
	assert_int_equal(amdgpu_bo_set_metadata(g->bo, &metadata), 0);
	assert_int_equal(amdgpu_bo_export(g->bo, amdgpu_bo_handle_type_dma_buf_fd, &shared), 0);
	g->dmabuf = (int)shared;
}

static void graphics_end(struct graphics *g)
{
	close(g->dmabuf);
	assert_int_equal(amdgpu_bo_free(g->bo), 0);
	assert_int_equal(amdgpu_device_deinitialize(g->device), 0);
	close(g->fd);
}

static void *host(uint64_t size)
{
	HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .NonPaged = 1, .ExecuteAccess = 1 } };
	void *memory = NULL;
	HSAuint64 alternate;

	assert_status(hsaKmtAllocMemory(0, size, flags, &memory), SUCCESS);
	assert_status(hsaKmtMapMemoryToGPU(memory, size, &alternate), SUCCESS);
	memset(memory, 0, size);
	return memory;
}

static void release(void *memory, uint64_t size)
{
	assert_status(hsaKmtUnmapMemoryToGPU(memory), SUCCESS);
	assert_status(hsaKmtFreeMemory(memory, size), SUCCESS);
}

/* A copy packet and a fence behind it (gpu_packets.md 5). */
static uint32_t write_packets(uint32_t *ring, const void *from, const void *to, const void *fence)
{
	const uint64_t addresses[] = { (uintptr_t)from, (uintptr_t)to, (uintptr_t)fence };
	const uint32_t packets[] = { 1,
				     SIZE - 1,
				     0,
				     (uint32_t)addresses[0],
				     (uint32_t)(addresses[0] >> 32),
				     (uint32_t)addresses[1],
				     (uint32_t)(addresses[1] >> 32),
				     5,
				     (uint32_t)addresses[2],
				     (uint32_t)(addresses[2] >> 32),
				     DONE };

	memcpy(ring, packets, sizeof(packets));
	return sizeof(packets);
}

static void copy_by_gpu(const void *from, void *to)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	volatile uint32_t *fence = host(PAGE);
	HsaQueueResource queue = { 0 };
	uint32_t *ring = host(PAGE);
	uint32_t bytes;

	assert_status(hsaKmtCreateQueue(gpu, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring,
					PAGE, NULL, &queue),
		      SUCCESS);
	bytes = write_packets(ring, from, to, (const void *)fence);
	__atomic_store_n((uint64_t *)queue.Queue_write_ptr, bytes, __ATOMIC_RELEASE);
	__atomic_store_n(queue.Queue_DoorBell_aql, bytes, __ATOMIC_RELEASE);
	for (int i = 0; i < 60000 && *fence != DONE; i++)
		nanosleep(&pause, NULL);
	assert_int_equal(*fence, DONE);
	assert_status(hsaKmtDestroyQueue(queue.QueueId), SUCCESS);
	release(ring, PAGE);
	release((void *)(uintptr_t)fence, PAGE);
}

static void a_picture_is_used_and_given_back(void **state)
{
	HsaGraphicsResourceInfo info = { 0 };
	HSAuint64 before = 0, after = 0, alternate;
	HSAuint32 node = gpu;
	struct graphics g;
	HsaPointerInfo known;
	char *copy, path[64];

	(void)state;
	assert_status(hsaKmtAvailableMemory(gpu, &before), SUCCESS);
	graphics_path(path);
	graphics_begin(&g, path);
	assert_status(hsaKmtRegisterGraphicsHandleToNodes((HSAuint64)g.dmabuf, &info, 1, &node),
		      SUCCESS);
	assert_int_equal(info.SizeInBytes, SIZE);
	assert_int_equal(info.NodeId, gpu);
	assert_int_equal(info.MetadataSizeInBytes, sizeof(METADATA));
	assert_memory_equal(info.Metadata, METADATA, sizeof(METADATA));

	assert_status(hsaKmtQueryPointerInfo(info.MemoryAddress, &known), SUCCESS);
	assert_int_equal(known.Type, HSA_POINTER_REGISTERED_GRAPHICS);
	assert_int_equal(known.Node, gpu);
	assert_int_equal(known.NRegisteredNodes, 1);
	assert_status(hsaKmtMapMemoryToGPU(info.MemoryAddress, SIZE, &alternate), SUCCESS);

	copy = host(SIZE);
	copy_by_gpu(info.MemoryAddress, copy);
	for (uint32_t i = 0; i < SIZE; i++)
		if ((unsigned char)copy[i] != PATTERN)
			fail_msg("byte %u is 0x%x", i, (unsigned char)copy[i]);
	release(copy, SIZE);

	assert_status(hsaKmtUnmapMemoryToGPU(info.MemoryAddress), SUCCESS);
	assert_status(hsaKmtDeregisterMemory(info.MemoryAddress), SUCCESS);
	assert_status(hsaKmtQueryPointerInfo(info.MemoryAddress, &known), ERROR);
	graphics_end(&g);
	assert_status(hsaKmtAvailableMemory(gpu, &after), SUCCESS);
	assert_int_equal(after, before);
}

static void a_picture_outlives_its_maker(void **state)
{
	HsaGraphicsResourceInfo info = { 0 };
	HSAuint32 node = gpu;
	HSAuint64 alternate;
	struct graphics g;
	char *copy, path[64];

	(void)state;
	graphics_path(path);
	graphics_begin(&g, path);
	assert_status(hsaKmtRegisterGraphicsHandleToNodes((HSAuint64)g.dmabuf, &info, 1, &node),
		      SUCCESS);
	graphics_end(&g);
	assert_status(hsaKmtMapMemoryToGPU(info.MemoryAddress, SIZE, &alternate), SUCCESS);
	copy = host(SIZE);
	copy_by_gpu(info.MemoryAddress, copy);
	assert_int_equal((unsigned char)copy[SIZE - 1], PATTERN);
	release(copy, SIZE);
	assert_status(hsaKmtUnmapMemoryToGPU(info.MemoryAddress), SUCCESS);
	assert_status(hsaKmtDeregisterMemory(info.MemoryAddress), SUCCESS);
}

/* Room for one descriptor in a message that carries one byte. */
struct parcel {
	char byte;
	struct iovec data;
	struct msghdr message;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
};

static void parcel_init(struct parcel *parcel)
{
	memset(parcel, 0, sizeof(*parcel));
	parcel->data = (struct iovec){ .iov_base = &parcel->byte, .iov_len = 1 };
	parcel->message = (struct msghdr){ .msg_iov = &parcel->data,
					   .msg_iovlen = 1,
					   .msg_control = &parcel->control,
					   .msg_controllen = sizeof(parcel->control.space) };
}

static int send_descriptor(int channel, int fd)
{
	struct parcel parcel;

	parcel_init(&parcel);
	parcel.control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						.cmsg_level = SOL_SOCKET,
						.cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&parcel.control.head), &fd, sizeof(fd));
	return sendmsg(channel, &parcel.message, 0) == 1 ? 0 : -errno;
}

static int receive_descriptor(int channel)
{
	struct parcel parcel;
	int fd = -1;

	parcel_init(&parcel);
	if (recvmsg(channel, &parcel.message, MSG_CMSG_CLOEXEC) == 1 &&
	    parcel.control.head.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&parcel.control.head), sizeof(fd));
	return fd;
}

/*
 * The other process: makes a picture on a render node, gives it away and describes it anew, since
 * metadata belongs to the buffer and not to the moment of its export. Ends with its peer.
 */
static int make_picture(const char *path, int channel)
{
	struct amdgpu_bo_metadata metadata = { .size_metadata = sizeof(METADATA) };
	struct graphics g;
	char byte = 0;
	int rc;

	graphics_begin(&g, path);
	memcpy(metadata.umd_metadata, "another picture, repeat", sizeof(METADATA));
	rc = send_descriptor(channel, g.dmabuf);
	if (rc == 0 && read(channel, &byte, 1) == 1) {
		rc = amdgpu_bo_set_metadata(g.bo, &metadata);
		if (write(channel, &byte, 1) != 1 || read(channel, &byte, 1) != 0)
			rc = -EIO;
	}
	graphics_end(&g);
	return rc ? 1 : 0;
}

static pid_t start_maker(const char *path, int *channel)
{
	int pair[2];
	char number[16];
	char *const args[] = { "interop", (char *)path, number, NULL };
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(fcntl(pair[0], F_SETFD, FD_CLOEXEC), 0);
	snprintf(number, sizeof(number), "%d", pair[1]);
	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ), 0);
	close(pair[1]);
	*channel = pair[0];
	return pid;
}

static void another_process_tells_of_its_picture(void **state)
{
	HsaGraphicsResourceInfo info = { 0 };
	HSAuint32 node = gpu;
	HSAuint64 alternate;
	int channel, status, dmabuf;
	char *copy, path[64], byte = 1;
	pid_t pid;

	(void)state;
	graphics_path(path);
	pid = start_maker(path, &channel);
	dmabuf = receive_descriptor(channel);
	assert_true(dmabuf >= 0);
	assert_status(hsaKmtRegisterGraphicsHandleToNodes((HSAuint64)dmabuf, &info, 1, &node),
		      SUCCESS);
	assert_int_equal(info.MetadataSizeInBytes, sizeof(METADATA));
	assert_memory_equal(info.Metadata, METADATA, sizeof(METADATA));
	assert_status(hsaKmtMapMemoryToGPU(info.MemoryAddress, SIZE, &alternate), SUCCESS);
	copy = host(SIZE);
	copy_by_gpu(info.MemoryAddress, copy);
	assert_int_equal((unsigned char)copy[SIZE - 1], PATTERN);
	release(copy, SIZE);
	assert_status(hsaKmtUnmapMemoryToGPU(info.MemoryAddress), SUCCESS);
	assert_status(hsaKmtDeregisterMemory(info.MemoryAddress), SUCCESS);

	assert_int_equal(write(channel, &byte, 1), 1);
	assert_int_equal(read(channel, &byte, 1), 1);
	assert_status(hsaKmtRegisterGraphicsHandleToNodes((HSAuint64)dmabuf, &info, 1, &node),
		      SUCCESS);
	assert_memory_equal(info.Metadata, "another picture, repeat", sizeof(METADATA));
	assert_status(hsaKmtDeregisterMemory(info.MemoryAddress), SUCCESS);
	close(dmabuf);
	close(channel);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_picture_is_used_and_given_back),
		cmocka_unit_test(a_picture_outlives_its_maker),
		cmocka_unit_test(another_process_tells_of_its_picture),
	};

	if (argc == 3)
		return make_picture(argv[1], atoi(argv[2]));
	return cmocka_run_group_tests_name("interop", tests, setup, teardown);
}
