/* SPDX-License-Identifier: MIT */
/* Runtime enable and the debugger calls of a process on itself (kfd.md 10), and CRIU (11). */
#include "machine.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define AQL KFD_IOC_QUEUE_TYPE_COMPUTE_AQL

static int trap(struct machine *m, uint32_t op, struct kfd_ioctl_dbg_trap_args *args)
{
	args->op = op;
	args->pid = (uint32_t)getpid();
	return machine_ioctl(m, AMDKFD_IOC_DBG_TRAP, args);
}

static int runtime(struct machine *m, uint32_t mode)
{
	struct kfd_ioctl_runtime_enable_args args = { .mode_mask = mode, .r_debug = 0x1234 };

	return machine_ioctl(m, AMDKFD_IOC_RUNTIME_ENABLE, &args);
}

/* Attaches with a pipe. @return its reading end. */
static int attach(struct machine *m, uint64_t mask)
{
	struct kfd_ioctl_dbg_trap_args args = { .enable = { .exception_mask = mask } };
	int pair[2];

	assert_int_equal(pipe2(pair, O_NONBLOCK | O_CLOEXEC), 0);
	args.enable.dbg_fd = (uint32_t)pair[1];
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_ENABLE, &args), 0);
	close(pair[1]); /* the driver has its own */
	return pair[0];
}

static void the_runtime_is_enabled_once(struct machine *m)
{
	assert_int_equal(runtime(m, 1), 0);
	assert_int_equal(runtime(m, 1), -EBUSY);
	assert_int_equal(runtime(m, 0), 0);
	assert_int_equal(runtime(m, 0), 0);
	assert_int_equal(runtime(m, 3), 0);
}

static void the_runtime_comes_before_queues(struct machine *m)
{
	machine_acquire(m, m->gpu);
	machine_queue(m, m->gpu, AQL);
	assert_int_equal(runtime(m, 1), -EEXIST);
	assert_int_equal(runtime(m, 0), 0);
}

static void *enable_in_thread(void *data)
{
	return (void *)(intptr_t)runtime(data, 1);
}

static void an_attached_debugger_holds_the_runtime(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args go = {
		.send_runtime_event = { .exception_mask = KFD_EC_MASK(EC_PROCESS_RUNTIME) }
	};
	struct kfd_ioctl_dbg_trap_args query = { .op = 0 };
	int fd = attach(m, KFD_EC_MASK(EC_PROCESS_RUNTIME));
	pthread_t thread;
	void *rc;
	char dot = 0;

	assert_int_equal(pthread_create(&thread, NULL, enable_in_thread, m), 0);
	while (read(fd, &dot, 1) != 1)
		;
	assert_int_equal(dot, '.');
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &query), 0);
	assert_true(query.query_debug_event.exception_mask == KFD_EC_MASK(EC_PROCESS_RUNTIME));
	assert_int_equal(query.query_debug_event.queue_id, KFD_INVALID_QUEUEID);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT, &go), 0);
	pthread_join(thread, &rc);
	assert_int_equal((intptr_t)rc, 0);
	close(fd);
}

static void a_second_debugger_is_too_late(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	int fd = attach(m, 0);

	args.enable.dbg_fd = (uint32_t)fd;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_ENABLE, &args), -EALREADY);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_DISABLE, &args), 0);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_DISABLE, &args), -EINVAL);
	args.enable.dbg_fd = 0x7ffffff0;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_ENABLE, &args), -EBADF);
	close(fd);
}

static void targets_must_exist_and_be_traced(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { .pid = 0x3ffffff0, .op = KFD_IOC_DBG_TRAP_ENABLE };
	pid_t child;

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP, &args), -ESRCH);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	args.pid = (uint32_t)child;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP, &args), -EPERM);
	args.op = KFD_IOC_DBG_TRAP_SET_FLAGS;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP, &args), -ESRCH);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void operations_need_attaching_and_the_runtime(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	int fd;

	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_FLAGS, &args), -EINVAL);
	fd = attach(m, 0);
	assert_int_equal(trap(m, 99, &args), -EINVAL);
	for (uint32_t op = KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE;
	     op <= KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH; op++)
		assert_int_equal(trap(m, op, &args), -EPERM);
	close(fd);
}

static void watch_points_are_four_a_gpu(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { .set_node_address_watch = { .gpu_id = m->gpu } };
	struct kfd_ioctl_dbg_trap_args clear = { .clear_node_address_watch = { .gpu_id = m->gpu,
									       .id = 2 } };
	int fd = attach(m, 0);

	assert_int_equal(runtime(m, 1), 0);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH, &args), 0);
		assert_int_equal(args.set_node_address_watch.id, i);
	}
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH, &args), -ENOMEM);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH, &clear), 0);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH, &clear), -EINVAL);
	args.set_node_address_watch.gpu_id = UNKNOWN_GPU;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH, &args), -ENODEV);
	close(fd);
}

static void launch_settings_are_checked(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { .launch_override = { .override_mode = 2 } };
	int fd = attach(m, 0);

	assert_int_equal(runtime(m, 1), 0);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE, &args), -EINVAL);
	args.launch_override.override_mode = 0;
	args.launch_override.support_request_mask = 0x200;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE, &args), -EACCES);
	args.launch_override.support_request_mask = 0x7f;
	args.launch_override.enable_mask = 0x3;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE, &args), 0);
	assert_int_equal(args.launch_override.enable_mask, 0);
	args.launch_override.support_request_mask = 0x7f;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE, &args), 0);
	assert_int_equal(args.launch_override.enable_mask, 0x3); /* the previous one */
	args.launch_mode.launch_mode = 2;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE, &args), -EINVAL);
	args.launch_mode.launch_mode = 1;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE, &args), 0);
	args.set_flags.flags = 0x80;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SET_FLAGS, &args), -EACCES);
	close(fd);
}

static void queues_are_suspended_and_counted(struct machine *m)
{
	uint32_t ids[2] = { 0, 55 };
	struct kfd_ioctl_dbg_trap_args args = {
		.suspend_queues = { .queue_array_ptr = (uintptr_t)ids,
				    .num_queues = 2,
				    .exception_mask = KFD_EC_MASK(EC_QUEUE_NEW) }
	};
	struct kfd_ioctl_dbg_trap_args resume = { 0 };
	int fd = attach(m, 0);

	assert_int_equal(runtime(m, 1), 0);
	machine_acquire(m, m->gpu);
	ids[0] = machine_queue(m, m->gpu, AQL);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args), 1);
	assert_int_equal(ids[0], 0);
	assert_int_equal(ids[1], 55u | KFD_DBG_QUEUE_INVALID_MASK);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_RESUME_QUEUES, &resume), 1);
	args.suspend_queues.queue_array_ptr = BAD_ADDRESS;
	args.suspend_queues.num_queues = 2;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args), -EFAULT);
	close(fd);
}

static void a_new_queue_is_an_event_of_the_debugger(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	struct kfd_queue_snapshot_entry entries[2] = { 0 };
	int fd = attach(m, KFD_EC_MASK(EC_QUEUE_NEW));
	char dot;

	machine_acquire(m, m->gpu);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args), -EAGAIN);
	machine_queue(m, m->gpu, AQL);
	assert_int_equal(read(fd, &dot, 1), 1);
	args.query_debug_event.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args), 0);
	assert_int_equal(args.query_debug_event.queue_id, 0);
	assert_int_equal(args.query_debug_event.gpu_id, m->gpu);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args), -EAGAIN);
	args.query_exception_info =
		(struct kfd_ioctl_dbg_trap_query_exception_info_args){ .exception_code =
									       EC_QUEUE_NEW };
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO, &args), -ENODATA);
	args.query_exception_info.source_id = 44;
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO, &args), -EINVAL);
	args.queue_snapshot = (struct kfd_ioctl_dbg_trap_queue_snapshot_args){
		.snapshot_buf_ptr = (uintptr_t)entries, .num_queues = 2, .entry_size = 64
	};
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, &args), 0);
	assert_int_equal(args.queue_snapshot.num_queues, 1);
	assert_int_equal(entries[0].gpu_id, m->gpu);
	assert_int_equal(entries[0].ring_size, 4096);
	close(fd);
}

static void devices_are_listed(struct machine *m)
{
	struct kfd_dbg_device_info_entry entries[2] = { 0 };
	struct kfd_ioctl_dbg_trap_args args = {
		.device_snapshot = { .snapshot_buf_ptr = (uintptr_t)entries, .num_devices = 2 }
	};
	int fd = attach(m, 0);

	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT, &args), -EINVAL);
	args.device_snapshot.entry_size = sizeof(entries[0]);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT, &args), 0);
	assert_int_equal(args.device_snapshot.num_devices, 1);
	assert_int_equal(entries[0].gfx_target_version, 90010);
	assert_true(entries[0].gpuvm_limit == 0x7fffffffffff);
	close(fd);
}

/* A queue exception without a debugger: the save area says where the runtime looks. */
static void an_exception_reaches_the_runtime(struct machine *m)
{
	uint32_t event = machine_event(m, KFD_IOC_EVENT_SIGNAL, true);
	struct kfd_event_data data = { .event_id = event };
	struct kfd_ioctl_wait_events_args wait = { .events_ptr = (uintptr_t)&data,
						   .num_events = 1,
						   .timeout = 5000 };
	struct kfd_ioctl_create_queue_args args;
	struct buffer ring, pointers;
	uint64_t payload = 0;
	void *save;
	uint64_t total;

	machine_acquire(m, m->gpu);
	args = machine_queue_args(m, m->gpu, AQL);
	ring = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	pointers = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	args.ring_base_address = ring.va;
	args.write_pointer_address = pointers.va + 56;
	args.read_pointer_address = pointers.va + 128;
	/* the save area where user space can write its header: the same address for both sides */
	total = (m->node->cwsr_size + kfd_model_debug_area_bytes(m->node) + 4095) & ~4095ull;
	save = mmap(NULL, total, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	{
		struct kfd_ioctl_alloc_memory_of_gpu_args alloc = {
			.va_addr = (uintptr_t)save,
			.mmap_offset = (uintptr_t)save,
			.size = total,
			.gpu_id = m->gpu,
			.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE
		};
		struct kfd_context_save_area_header *header = save;

		assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc), 0);
		assert_int_equal(machine_map(m, alloc.handle, m->gpu), 0);
		header->err_payload_addr = (uintptr_t)&payload;
		header->err_event_id = event;
	}
	args.ctx_save_restore_address = (uintptr_t)save;
	{
		uint16_t *packet = (uint16_t *)(uintptr_t)ring.mmap_offset;

		memset((void *)packet, 0, 4096);
		for (unsigned int i = 0; i < 64; i++)
			packet[i * 32] = 1; /* INVALID */
		packet[0] = 77;             /* no such packet type */
		*(uint64_t *)(uintptr_t)(pointers.mmap_offset + 56) = 1;
	}
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_QUEUE, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_WAIT_EVENTS, &wait), 0);
	assert_int_equal(wait.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_true(payload == KFD_EC_MASK(EC_QUEUE_PACKET_UNSUPPORTED));
	{
		struct kfd_ioctl_destroy_queue_args destroy = { .queue_id = args.queue_id };

		assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
	}
	munmap(save, total);
}

static void wave_sync_in_use_keeps_the_debugger_out(struct machine *m)
{
	struct kfd_ioctl_alloc_queue_gws_args gws = { .num_gws = 64 };
	struct kfd_ioctl_dbg_trap_args args = { 0 };

	machine_acquire(m, m->gpu);
	gws.queue_id = machine_queue(m, m->gpu, AQL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &gws), 0);
	assert_int_equal(trap(m, KFD_IOC_DBG_TRAP_ENABLE, &args), -EBUSY);
}

static void a_secondary_context_cannot_be_debugged(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { .pid = (uint32_t)getpid() };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_PROCESS, NULL), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP, &args), -EOPNOTSUPP);
}

static void the_old_debugger_call_knows_its_version(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_legacy_args args = { .op = LEGACY_OP_GET_VERSION };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP_LEGACY, &args), 0);
	assert_int_equal(args.data1, LEGACY_DEBUG_VERSION_MAJOR);
	args.op = LEGACY_OP_RUNTIME_ENABLE;
	args.data1 = 1;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP_LEGACY, &args), 0);
	assert_int_equal(runtime(m, 1), -EBUSY);
}

static void the_old_debugger_call_refuses_the_rest(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_legacy_args args = { .op = 99, .pid = (uint32_t)getpid() };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP_LEGACY, &args), -EINVAL);
	args.op = LEGACY_OP_ENABLE;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP_LEGACY, &args), -EPERM);
	args.pid = 0x3ffffff0;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP_LEGACY, &args), -ESRCH);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "RUNTIME_ENABLE", "EBUSY", "it is enabled once", the_runtime_is_enabled_once, NULL, NULL },
	{ "RUNTIME_ENABLE", "EEXIST", "it comes before queues", the_runtime_comes_before_queues, NULL, NULL },
	{ "RUNTIME_ENABLE", NULL, "an attached debugger holds it", an_attached_debugger_holds_the_runtime, NULL, NULL },
	{ "DBG_TRAP", "EALREADY", "a second debugger is too late", a_second_debugger_is_too_late, NULL, NULL },
	{ "DBG_TRAP", "EBADF", "the descriptor must be open", a_second_debugger_is_too_late, NULL, NULL },
	{ "DBG_TRAP", "ESRCH", "targets must exist", targets_must_exist_and_be_traced, NULL, NULL },
	{ "DBG_TRAP", "EPERM", "targets must be traced", targets_must_exist_and_be_traced, NULL, NULL },
	{ "DBG_TRAP", "EINVAL", "operations need attaching", operations_need_attaching_and_the_runtime, NULL, NULL },
	{ "DBG_TRAP", "EPERM", "hardware operations need the runtime", operations_need_attaching_and_the_runtime, NULL, NULL },
	{ "DBG_TRAP", "ENODEV", "watch points are four a GPU", watch_points_are_four_a_gpu, NULL, NULL },
	{ "DBG_TRAP", "EACCES", "launch settings are checked", launch_settings_are_checked, NULL, NULL },
	{ "DBG_TRAP", NULL, "suspended queues are counted", queues_are_suspended_and_counted, NULL, NULL },
	{ "DBG_TRAP", "EAGAIN", "a new queue is an event", a_new_queue_is_an_event_of_the_debugger, NULL, NULL },
	{ "DBG_TRAP", "EBUSY", "wave sync in use keeps the debugger out", wave_sync_in_use_keeps_the_debugger_out, NULL, NULL },
	{ "DBG_TRAP", "EOPNOTSUPP", "a secondary context cannot be debugged", a_secondary_context_cannot_be_debugged, NULL, NULL },
	{ "DBG_TRAP", "EFAULT", "the array of queues must be readable", queues_are_suspended_and_counted, NULL, NULL },
	{ "DBG_TRAP", "ENODATA", "a cleared exception has no info", a_new_queue_is_an_event_of_the_debugger, NULL, NULL },
	{ "DBG_TRAP", "ENOMEM", "a fifth watch point is too many", watch_points_are_four_a_gpu, NULL, NULL },
	{ "DBG_TRAP", NULL, "devices are listed", devices_are_listed, NULL, NULL },
	{ "CREATE_QUEUE", NULL, "an exception reaches the runtime", an_exception_reaches_the_runtime, NULL, NULL },
	{ "DBG_TRAP_LEGACY", NULL, "it knows its version", the_old_debugger_call_knows_its_version, NULL, NULL },
	{ "DBG_TRAP_LEGACY", "EINVAL", "unknown operations are refused", the_old_debugger_call_refuses_the_rest, NULL, NULL },
	{ "DBG_TRAP_LEGACY", "EPERM", "targets must be traced", the_old_debugger_call_refuses_the_rest, NULL, NULL },
	{ "DBG_TRAP_LEGACY", "ESRCH", "targets must exist", the_old_debugger_call_refuses_the_rest, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "debug", cases, sizeof(cases) / sizeof(cases[0]));
}
