/* SPDX-License-Identifier: MIT */
/*
 * A client of the KFD without any thunk: its own open, ioctl and mmap. It takes three buffers of
 * 64 KiB and keeps two of them (through a library without frame pointers), takes one of 1 MiB, maps
 * it and gives it back, waits for an event that somebody has set, and does a call in a forked child.
 *
 *   raw_client [PAUSE]  with PAUSE it stops before its end until its input ends
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "raw_library.h"

static int kfd, render;
static uint32_t gpu_id;
static uint64_t next_va = UINT64_C(0x100000000000);

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "raw_client: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Not inlined, so that the stacks of the test have it. */
static __attribute__((noinline)) uint64_t take(uint64_t size, uint32_t flags, uint64_t *mmap_offset)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = next_va,
		.size = size,
		.gpu_id = gpu_id,
		.flags = flags,
	};

	next_va += UINT64_C(1) << 32;
	need(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0, "alloc");
	if (mmap_offset)
		*mmap_offset = args.mmap_offset;
	return args.handle;
}

static __attribute__((noinline)) void give_back(uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = handle };

	need(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args) == 0, "free");
}

static uint64_t take_small(void)
{
	return take(65536, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, NULL);
}

static __attribute__((noinline)) void keep_two(void)
{
	volatile int count = 3; /* so that the loop keeps its one call */
	uint64_t handles[3];

	for (int i = 0; i < count; i++)
		handles[i] = raw_library_call(take_small);
	give_back(handles[1]);
}

static void map_one(void)
{
	uint64_t offset, handle;
	char *memory;

	handle = take(1 << 20, KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
		      &offset);
	memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, render, (off_t)offset);
	need(memory != MAP_FAILED, "mmap");
	memset(memory, 0x5a, 1 << 20);
	need(memory[12345] == 0x5a, "compare");
	need(munmap(memory, 1 << 20) == 0, "munmap");
	give_back(handle);
}

static void wait_for_one(void)
{
	struct kfd_ioctl_create_event_args event = { .event_type = KFD_IOC_EVENT_SIGNAL };
	struct kfd_ioctl_set_event_args set = { 0 };
	struct kfd_event_data data = { 0 };
	struct kfd_ioctl_wait_events_args wait = { .num_events = 1, .timeout = 1000 };
	struct kfd_ioctl_destroy_event_args destroy = { 0 };

	need(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &event) == 0, "create event");
	set.event_id = data.event_id = destroy.event_id = event.event_id;
	wait.events_ptr = (uintptr_t)&data;
	need(ioctl(kfd, AMDKFD_IOC_SET_EVENT, &set) == 0, "set event");
	need(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &wait) == 0, "wait");
	need(wait.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE, "wait result");
	need(ioctl(kfd, AMDKFD_IOC_DESTROY_EVENT, &destroy) == 0, "destroy event");
}

/* What a forked child does with a descriptor of its own. */
static void child(void)
{
	struct kfd_ioctl_get_version_args version = { 0 };
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	_exit(fd >= 0 && ioctl(fd, AMDKFD_IOC_GET_VERSION, &version) == 0 ? 0 : 1);
}

static void in_child(void)
{
	int status = 1;
	pid_t pid = fork();

	need(pid >= 0, "fork");
	if (pid == 0)
		child();
	need(waitpid(pid, &status, 0) == pid && status == 0, "child");
}

/* Opens, and goes on with copies of the descriptors: the originals are closed. */
static void open_devices(void)
{
	struct kfd_process_device_apertures first_gpu = { 0 };
	struct kfd_ioctl_get_process_apertures_new_args get = {
		.kfd_process_device_apertures_ptr = (uintptr_t)&first_gpu,
		.num_of_nodes = 1,
	};
	struct kfd_ioctl_acquire_vm_args vm = { 0 };
	int first = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	need(first >= 0, "/dev/kfd");
	kfd = fcntl(first, F_DUPFD_CLOEXEC, 100);
	need(kfd >= 100 && close(first) == 0, "dup");
	need(ioctl(kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &get) == 0 && get.num_of_nodes == 1,
	     "apertures");
	gpu_id = first_gpu.gpu_id;
	first = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	need(first >= 0, "render node");
	render = dup2(first, 200);
	need(render == 200 && close(first) == 0, "dup2");
	vm.drm_fd = (uint32_t)render;
	vm.gpu_id = gpu_id;
	need(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &vm) == 0, "acquire vm");
}

int main(int argc, char **argv)
{
	int other = open("/dev/null", O_RDONLY);

	(void)argv;
	errno = 4711;
	open_devices();
	keep_two();
	map_one();
	wait_for_one();
	in_child();
	/* Nothing else has changed: other descriptors, failures and errno. */
	need(ioctl(other, AMDKFD_IOC_GET_VERSION, NULL) == -1 && errno == ENOTTY, "/dev/null");
	need(ioctl(-1, AMDKFD_IOC_GET_VERSION, NULL) == -1 && errno == EBADF, "no descriptor");
	need(close(-1) == -1 && errno == EBADF, "close");
	errno = 4711;
	take_small();
	need(errno == 4711, "errno");
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	close(kfd);
	puts("done");
	return 0;
}
