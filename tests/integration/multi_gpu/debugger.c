/* SPDX-License-Identifier: MIT */
/*
 * One process debugs another through the thunk, as a debugger of kernels does: it traces a child from
 * its start, is told of its runtime and of its queue, stops the queue and lets it go on.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hsakmt/hsakmt.h"
#include "hsakmt/linux/kfd_ioctl.h"

#define RING        65536u
#define PATIENCE_MS 60000 /* a hang, not a measurement */

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "debugger[%d]: %s\n", (int)getpid(), what);
	exit(1);
}

static void must(HSAKMT_STATUS status, const char *what)
{
	if (status != HSAKMT_STATUS_SUCCESS)
		fprintf(stderr, "status %d: ", (int)status);
	check(status == HSAKMT_STATUS_SUCCESS, what);
}

static uint32_t begin(void)
{
	HsaSystemProperties system;
	HsaNodeProperties node;

	must(hsaKmtOpenKFD(), "open");
	must(hsaKmtAcquireSystemProperties(&system), "acquire");
	for (uint32_t i = 0; i < system.NumNodes; i++) {
		must(hsaKmtGetNodeProperties(i, &node), "properties");
		if (node.NumFComputeCores)
			return i;
	}
	check(0, "no GPU");
	return 0;
}

/* The target: its life ends well only when the debugger lets it. */
static int target(int step)
{
	HsaMemFlags flags = { 0 };
	HsaQueueResource resource = { 0 };
	uint64_t r_debug = 0, alternate;
	uint32_t gpu;
	void *ring;
	char byte;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	gpu = begin();
	must(hsaKmtRuntimeEnable(&r_debug, true), "runtime");
	flags.ui32.HostAccess = 1;
	flags.ui32.PageSize = HSA_PAGE_SIZE_4KB;
	must(hsaKmtAllocMemory(0, RING, flags, &ring), "ring");
	must(hsaKmtMapMemoryToGPU(ring, RING, &alternate), "map");
	must(hsaKmtCreateQueue(gpu, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, RING,
			       NULL, &resource),
	     "queue");
	check(read(step, &byte, 1) == 1, "the debugger is gone");
	must(hsaKmtDestroyQueue(resource.QueueId), "destroy");
	must(hsaKmtUnmapMemoryToGPU(ring), "unmap");
	must(hsaKmtFreeMemory(ring, RING), "free");
	must(hsaKmtRuntimeDisable(), "runtime end");
	must(hsaKmtCloseKFD(), "close");
	return 0;
}

static int64_t trap(pid_t pid, uint32_t op, struct kfd_ioctl_dbg_trap_args *args)
{
	HSAuint64 result = 0;

	args->pid = (uint32_t)pid;
	args->op = op;
	if (hsaKmtDebugTrapIoctl(args, NULL, &result) == HSAKMT_STATUS_SUCCESS)
		return (int64_t)result;
	return -1;
}

/* Waits for the byte, then asks who raised which of these exceptions, and takes them back. */
static void expect(pid_t pid, int fd, uint64_t mask, const char *what)
{
	struct kfd_ioctl_dbg_trap_args args = { .query_debug_event = { .exception_mask = mask } };
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char byte;

	check(poll(&pfd, 1, PATIENCE_MS) == 1 && read(fd, &byte, 1) == 1, what);
	check(trap(pid, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args) == 0, what);
	check(args.query_debug_event.exception_mask == mask, what);
}

static void stop_and_resume(pid_t pid)
{
	struct kfd_queue_snapshot_entry queue = { 0 };
	struct kfd_ioctl_dbg_trap_args args = { .queue_snapshot = { .snapshot_buf_ptr =
									    (uintptr_t)&queue,
								    .num_queues = 1,
								    .entry_size = sizeof(queue) } };
	uint32_t id;

	check(trap(pid, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, &args) == 0, "snapshot");
	check(args.queue_snapshot.num_queues == 1 && queue.ring_size == RING, "one queue");
	id = queue.queue_id;
	args.suspend_queues =
		(struct kfd_ioctl_dbg_trap_suspend_queues_args){ .queue_array_ptr = (uintptr_t)&id,
								 .num_queues = 1 };
	check(trap(pid, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args) == 1, "suspend");
	args.resume_queues =
		(struct kfd_ioctl_dbg_trap_resume_queues_args){ .queue_array_ptr = (uintptr_t)&id,
								.num_queues = 1 };
	check(trap(pid, KFD_IOC_DBG_TRAP_RESUME_QUEUES, &args) == 1, "resume");
}

static int debugger(pid_t pid, int step)
{
	const uint64_t runtime = KFD_EC_MASK(EC_PROCESS_RUNTIME);
	const uint64_t is_new = KFD_EC_MASK(EC_QUEUE_NEW);
	struct kfd_runtime_info info = { 0 };
	struct kfd_ioctl_dbg_trap_args args = { .enable = { .exception_mask = runtime | is_new,
							    .rinfo_ptr = (uintptr_t)&info,
							    .rinfo_size = sizeof(info) } };
	int pair[2], status = -1;

	check(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "the target's first stop");
	begin();
	check(pipe2(pair, O_CLOEXEC) == 0, "pipe");
	args.enable.dbg_fd = (uint32_t)pair[1];
	check(trap(pid, KFD_IOC_DBG_TRAP_ENABLE, &args) == 0, "enable");
	close(pair[1]);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	expect(pid, pair[0], runtime, "runtime");
	args.send_runtime_event =
		(struct kfd_ioctl_dbg_trap_send_runtime_event_args){ .exception_mask = runtime };
	check(trap(pid, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT, &args) == 0, "let the runtime go");
	expect(pid, pair[0], is_new, "new queue");
	stop_and_resume(pid);
	check(trap(pid, KFD_IOC_DBG_TRAP_DISABLE, &args) == 0, "disable");
	check(write(step, "g", 1) == 1, "step");
	check(waitpid(pid, &status, 0) == pid && status == 0, "the target's end");
	check(trap(pid, KFD_IOC_DBG_TRAP_ENABLE, &args) == -1, "nobody there");
	must(hsaKmtCloseKFD(), "close");
	return 0;
}

int main(void)
{
	int step[2];
	pid_t pid;

	check(pipe2(step, O_CLOEXEC) == 0, "pipe");
	pid = fork();
	if (pid == 0) {
		close(step[1]);
		return target(step[0]);
	}
	close(step[0]);
	return debugger(pid, step[1]);
}
