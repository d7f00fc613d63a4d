/* SPDX-License-Identifier: MIT */
/*
 * A client of the KFD without any thunk, with something of everything that reports count: buffers,
 * queues, events, waits for lists of them, copies of descriptors, and a forked child of its own. The
 * numbers are those that test_reports.py expects.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "raw_library.h"

#define NOT_INLINED __attribute__((noinline))
#define SMALL_BYTES 65536u

static int kfd, copy; /* two descriptors of one open file */
static uint32_t gpu_id, any_event, both_events[2], own_event;
static uint64_t next_va = UINT64_C(0x100000000000);

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "raw_reports: %s: %s\n", what, strerror(errno));
	exit(1);
}

static NOT_INLINED uint64_t take(uint64_t size, uint32_t flags, uint64_t *va)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = next_va,
		.size = size,
		.gpu_id = gpu_id,
		.flags = flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};

	next_va += UINT64_C(1) << 32;
	need(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0, "alloc");
	if (va)
		*va = args.va_addr;
	return args.handle;
}

static uint64_t take_small(void)
{
	return take(SMALL_BYTES, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, NULL);
}

/* Twice through a library without frame pointers. */
static uint64_t take_through_library(void)
{
	return raw_library_call(take_small) + 1;
}

static NOT_INLINED void keep_five_of_six(void)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { 0 };
	volatile int count = 6; /* so that the loop keeps its one call */

	for (int i = 0; i < count; i++) {
		const uint64_t handle = raw_library_call(take_through_library) - 1;

		args.handle = i == 2 ? handle : args.handle;
	}
	need(ioctl(copy, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args) == 0, "free");
}

/* A page that the GPU sees. */
static uint64_t take_page(void)
{
	struct kfd_ioctl_map_memory_to_gpu_args map = {
		.device_ids_array_ptr = (uintptr_t)&gpu_id,
		.n_devices = 1,
	};
	uint64_t va;

	map.handle = take(4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT, &va);
	need(ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) == 0, "map");
	return va;
}

static uint32_t make_queue(const uint64_t pages[3], uint32_t gpu)
{
	struct kfd_ioctl_create_queue_args args = {
		.ring_base_address = pages[0],
		.ring_size = 4096,
		.read_pointer_address = pages[1],
		.write_pointer_address = pages[2],
		.gpu_id = gpu,
		.queue_type = KFD_IOC_QUEUE_TYPE_SDMA,
		.queue_percentage = 100,
		.queue_priority = 7,
	};

	return ioctl(copy, AMDKFD_IOC_CREATE_QUEUE, &args) == 0 ? args.queue_id : UINT32_MAX;
}

static NOT_INLINED void leave_two_of_three_queues(void)
{
	struct kfd_ioctl_destroy_queue_args destroy = { 0 };
	uint32_t ids[3];
	uint64_t pages[9];

	for (volatile int i = 0; i < 9; i++)
		pages[i] = take_page();
	for (int i = 0; i < 3; i++) {
		ids[i] = make_queue(pages + 3 * i, gpu_id);
		need(ids[i] != UINT32_MAX, "queue");
	}
	destroy.queue_id = ids[1];
	need(ioctl(kfd, AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0, "destroy queue");
	need(make_queue(pages, gpu_id + 1) == UINT32_MAX, "refused queue");
}

static NOT_INLINED uint32_t make_event(void)
{
	struct kfd_ioctl_create_event_args args = { .event_type = KFD_IOC_EVENT_SIGNAL,
						    .auto_reset = 1 };

	need(ioctl(kfd, AMDKFD_IOC_CREATE_EVENT, &args) == 0, "create event");
	return args.event_id;
}

static void set_event(uint32_t id)
{
	struct kfd_ioctl_set_event_args args = { .event_id = id };

	need(ioctl(copy, AMDKFD_IOC_SET_EVENT, &args) == 0, "set event");
}

static uint32_t wait_events(const uint32_t *ids, uint32_t count, int for_all, uint32_t timeout_ms)
{
	struct kfd_event_data data[4] = { 0 };
	struct kfd_ioctl_wait_events_args args = {
		.events_ptr = (uintptr_t)data,
		.num_events = count,
		.wait_for_all = (uint32_t)for_all,
		.timeout = timeout_ms,
	};

	for (uint32_t i = 0; i < count; i++)
		data[i].event_id = ids[i];
	need(ioctl(kfd, AMDKFD_IOC_WAIT_EVENTS, &args) == 0, "wait");
	return args.wait_result;
}

static pid_t waits_for_any, waits_for_both;

static NOT_INLINED void wait_for_any(void)
{
	const uint32_t ids[] = { both_events[0], any_event, both_events[1] };

	asleep_mark(&waits_for_any);
	need(wait_events(ids, 3, 0, 60000) == KFD_IOC_WAIT_RESULT_COMPLETE, "any");
}

static NOT_INLINED void wait_for_both(void)
{
	asleep_mark(&waits_for_both);
	need(wait_events(both_events, 2, 1, 60000) == KFD_IOC_WAIT_RESULT_COMPLETE, "both");
}

static void *wait_in_thread(void *unused)
{
	(void)unused;
	wait_for_any();
	wait_for_both();
	return NULL;
}

static NOT_INLINED void wait_in_vain(int times)
{
	for (int i = 0; i < times; i++)
		need(wait_events(&own_event, 1, 0, 1) == KFD_IOC_WAIT_RESULT_TIMEOUT, "time-out");
}

static NOT_INLINED void wait_for_what_is_there(void)
{
	set_event(own_event);
	need(wait_events(&own_event, 1, 0, 10000) == KFD_IOC_WAIT_RESULT_COMPLETE, "there");
}

static void signal_and_wait(void)
{
	struct kfd_ioctl_destroy_event_args destroy = { 0 };
	struct kfd_ioctl_reset_event_args reset = { 0 };
	pthread_t thread;

	any_event = make_event();
	both_events[0] = make_event();
	both_events[1] = make_event();
	own_event = make_event();
	need(pthread_create(&thread, NULL, wait_in_thread, NULL) == 0, "thread");
	asleep_await(&waits_for_any);
	set_event(any_event);
	asleep_await(&waits_for_both);
	set_event(both_events[0]);
	set_event(both_events[1]);
	need(pthread_join(thread, NULL) == 0, "join");
	wait_in_vain(5);
	wait_for_what_is_there();
	set_event(own_event);
	set_event(own_event);
	reset.event_id = own_event;
	need(ioctl(kfd, AMDKFD_IOC_RESET_EVENT, &reset) == 0, "reset event");
	destroy.event_id = any_event;
	need(ioctl(copy, AMDKFD_IOC_DESTROY_EVENT, &destroy) == 0, "destroy event");
}

/* Opens, and goes on with copies of the descriptor: the original is closed. */
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
	kfd = dup(first);
	copy = fcntl(kfd, F_DUPFD_CLOEXEC, 300);
	need(kfd >= 0 && copy >= 300 && close(first) == 0, "dup");
	need(ioctl(copy, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &get) == 0, "apertures");
	gpu_id = first_gpu.gpu_id;
	vm.drm_fd = (uint32_t)open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	vm.gpu_id = gpu_id;
	need(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &vm) == 0, "acquire vm");
}

static NOT_INLINED void keep_two_in_child(void)
{
	for (volatile int i = 0; i < 2; i++)
		take_small();
}

/* The child has nothing of its parent's, and is another process for the driver. */
static void child(void)
{
	close(kfd);
	close(copy);
	open_devices();
	keep_two_in_child();
	own_event = make_event();
	wait_in_vain(1);
	_exit(0);
}

int main(void)
{
	int status = 1;
	pid_t pid;

	open_devices();
	keep_five_of_six();
	leave_two_of_three_queues();
	signal_and_wait();
	pid = fork();
	need(pid >= 0, "fork");
	if (pid == 0)
		child();
	need(waitpid(pid, &status, 0) == pid && status == 0, "child");
	printf("%d %d\n", (int)getpid(), (int)pid);
	return 0;
}
