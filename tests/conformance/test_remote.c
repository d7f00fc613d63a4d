/* SPDX-License-Identifier: MIT */
/* The debugger calls of one process on another (kfd.md 10). */
#include "asleep.h"
#include "target.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define AQL KFD_IOC_QUEUE_TYPE_COMPUTE_AQL
#define VIOLATION                                                                                  \
	"{\"actions\":[{\"do\":\"memory_exception\",\"node\":1,"                                   \
	"\"address\":\"0x70001000\",\"read_only\":true,\"on\":\"GET_VERSION\"}]}"
static int trap(struct machine *m, struct target *t, uint32_t op,
		struct kfd_ioctl_dbg_trap_args *args)
{
	args->op = op;
	args->pid = (uint32_t)t->pid;
	return machine_ioctl(m, AMDKFD_IOC_DBG_TRAP, args);
}

/* @return the reading end of the pipe that the exceptions are told in. */
static int attach(struct machine *m, struct target *t, uint64_t mask, struct kfd_runtime_info *info)
{
	struct kfd_ioctl_dbg_trap_args args = { .enable = { .exception_mask = mask,
							    .rinfo_ptr = (uintptr_t)info,
							    .rinfo_size = sizeof(*info) } };
	int pair[2];

	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	args.enable.dbg_fd = (uint32_t)pair[1];
	assert_int_equal(trap(m, t, KFD_IOC_DBG_TRAP_ENABLE, &args), 0);
	assert_int_equal(args.enable.rinfo_size, sizeof(*info));
	close(pair[1]); /* the driver has its own */
	return pair[0];
}

static void enable_runtime(struct machine *m)
{
	struct kfd_ioctl_runtime_enable_args args = { .mode_mask = 3, .r_debug = 0x1234 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_RUNTIME_ENABLE, &args), 0);
}

/* Enables the runtime, makes a queue when told, destroys it when told. */
static void life_with_a_queue(struct machine *m, struct target *self)
{
	struct kfd_ioctl_destroy_queue_args destroy;

	open_here(m);
	enable_runtime(m);
	machine_acquire(m, m->gpu);
	finished(self);
	next_step(self);
	destroy.queue_id = machine_queue(m, m->gpu, AQL);
	finished(self);
	next_step(self);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
	finished(self);
	next_step(self);
}

static void a_debugger_sees_and_stops_queues(struct machine *m)
{
	uint64_t is_new = KFD_EC_MASK(EC_QUEUE_NEW);
	struct kfd_queue_snapshot_entry entries[2] = { 0 };
	struct kfd_dbg_device_info_entry devices[1] = { 0 };
	uint32_t ids[2] = { 0, 55 };
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	struct kfd_runtime_info info = { 0 };
	struct target t = target_start(m, life_with_a_queue);
	struct pollfd silent;
	int fd;

	assert_true(comes(t.done));
	trace(&t);
	fd = attach(m, &t, is_new, &info);
	assert_int_equal(info.runtime_state, DEBUG_RUNTIME_STATE_ENABLED);
	assert_true(info.r_debug == 0x1234 && info.ttmp_setup == 1);
	args.enable.dbg_fd = (uint32_t)fd;
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_ENABLE, &args), -EALREADY);
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args), -EAGAIN);

	go(&t);
	assert_true(comes(fd));
	assert_true(comes(t.done));
	args.query_debug_event.exception_mask = is_new;
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args), 0);
	assert_true(args.query_debug_event.exception_mask == is_new);
	assert_int_equal(args.query_debug_event.gpu_id, m->gpu);
	args.queue_snapshot = (struct kfd_ioctl_dbg_trap_queue_snapshot_args){
		.snapshot_buf_ptr = (uintptr_t)entries, .num_queues = 2, .entry_size = 64
	};
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, &args), 0);
	assert_int_equal(args.queue_snapshot.num_queues, 1);
	assert_int_equal(entries[0].ring_size, 4096);
	args.queue_snapshot.snapshot_buf_ptr = BAD_ADDRESS;
	args.queue_snapshot.num_queues = 2;
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT, &args), -EFAULT);
	args.device_snapshot = (struct kfd_ioctl_dbg_trap_device_snapshot_args){
		.snapshot_buf_ptr = (uintptr_t)devices, .num_devices = 1, .entry_size = 120
	};
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT, &args), 0);
	assert_int_equal(devices[0].gpu_id, m->gpu);

	args.suspend_queues =
		(struct kfd_ioctl_dbg_trap_suspend_queues_args){ .queue_array_ptr = (uintptr_t)ids,
								 .num_queues = 2 };
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args), 1);
	assert_int_equal(ids[0], 0);
	assert_int_equal(ids[1], 55u | KFD_DBG_QUEUE_INVALID_MASK);
	go(&t); /* destroys the queue, which waits for us */
	silent = (struct pollfd){ .fd = t.done, .events = POLLIN };
	assert_int_equal(poll(&silent, 1, 100), 0);
	args.resume_queues = (struct kfd_ioctl_dbg_trap_resume_queues_args){ 0 };
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_RESUME_QUEUES, &args), 1);
	assert_true(comes(t.done));

	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_DISABLE, &args), 0);
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SET_FLAGS, &args), -EINVAL);
	assert_int_equal(read(fd, ids, 1), 0); /* the driver has closed its end */
	close(fd);
	go(&t);
	target_end(&t, 0);
}

/* Waits for a MEMORY event, which a scenario or the debugger fires. */
static void life_with_a_violation(struct machine *m, struct target *self)
{
	struct kfd_ioctl_get_version_args version;
	struct kfd_event_data data = { 0 };
	struct kfd_ioctl_wait_events_args wait = { .events_ptr = (uintptr_t)&data,
						   .num_events = 1,
						   .timeout = PATIENCE_MS };

	open_here(m);
	enable_runtime(m);
	data.event_id = machine_event(m, KFD_IOC_EVENT_MEMORY, true);
	finished(self);
	next_step(self);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &version), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_WAIT_EVENTS, &wait), 0);
	if (wait.wait_result != KFD_IOC_WAIT_RESULT_COMPLETE ||
	    data.memory_exception_data.va != 0x70001000 ||
	    !data.memory_exception_data.failure.ReadOnly)
		_exit(4);
}

static void a_violation_is_the_debuggers_first(struct machine *m)
{
	uint64_t mask = KFD_EC_MASK(EC_DEVICE_MEMORY_VIOLATION);
	struct kfd_hsa_memory_exception_data seen = { 0 };
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	struct kfd_runtime_info info;
	struct target t = target_start(m, life_with_a_violation);
	int fd;

	assert_true(comes(t.done));
	trace(&t);
	fd = attach(m, &t, mask, &info);
	go(&t);
	assert_true(comes(fd));
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args), 0);
	assert_true(args.query_debug_event.exception_mask == mask);
	assert_int_equal(args.query_debug_event.gpu_id, m->gpu);
	args.query_exception_info = (struct kfd_ioctl_dbg_trap_query_exception_info_args){
		.info_ptr = (uintptr_t)&seen,
		.info_size = sizeof(seen),
		.source_id = m->gpu,
		.exception_code = EC_DEVICE_MEMORY_VIOLATION
	};
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO, &args), 0);
	assert_true(seen.va == 0x70001000);
	assert_int_equal(args.query_exception_info.info_size, sizeof(seen));
	args.send_runtime_event =
		(struct kfd_ioctl_dbg_trap_send_runtime_event_args){ .exception_mask = mask,
								     .gpu_id = m->gpu };
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT, &args), 0);
	target_end(&t, 0);
	close(fd);
}

static void life_of_a_debugger(struct machine *m, struct target *self)
{
	uint32_t id = 0;
	struct kfd_ioctl_dbg_trap_args args = {
		.suspend_queues = { .queue_array_ptr = (uintptr_t)&id,
				    .num_queues = 1,
				    .exception_mask = KFD_EC_MASK(EC_QUEUE_NEW) }
	};
	struct kfd_runtime_info info;
	struct target t = { 0 };

	if (read(self->step, &t.pid, sizeof(t.pid)) != (ssize_t)sizeof(t.pid))
		_exit(3);
	open_here(m);
	trace(&t);
	attach(m, &t, 0, &info);
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args), 1);
	finished(self);
	pause();
}

static void a_target_outlives_its_debugger(struct machine *m)
{
	struct target t = target_start(m, life_with_a_queue);
	struct target debugger = target_start(m, life_of_a_debugger);

	assert_true(comes(t.done));
	go(&t);
	assert_true(comes(t.done));
	assert_int_equal(write(debugger.step, &t.pid, sizeof(t.pid)), sizeof(t.pid));
	assert_true(comes(debugger.done));
	go(&t);
	kill(debugger.pid, SIGKILL);
	assert_true(comes(t.done)); /* the queue could be destroyed: it is no longer held */
	go(&t);
	target_end(&debugger, SIGKILL);
	target_end(&t, 0);
}

static void a_dead_target_is_unknown(struct machine *m)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	struct kfd_runtime_info info;
	struct target t = target_start(m, life_with_a_queue);
	int fd;

	assert_true(comes(t.done));
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_ENABLE, &args), -EPERM);
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SET_FLAGS, &args), -EPERM);
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_DISABLE, &args), -EINVAL);
	trace(&t);
	args.enable.dbg_fd = 0x7ffffff0;
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_ENABLE, &args), -EBADF);
	fd = attach(m, &t, 0, &info);
	kill(t.pid, SIGKILL);
	assert_false(comes(fd));
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SET_FLAGS, &args), -ESRCH); /* a zombie */
	target_end(&t, SIGKILL);
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_ENABLE, &args), -ESRCH);
	close(fd);
}

static void life_that_opens_late(struct machine *m, struct target *self)
{
	kfd_model_after_fork(m->model);
	finished(self);
	next_step(self);
	m->render_count = 0;
	assert_int_equal(kfd_model_open(m->model, &m->file), 0);
	enable_runtime(m);
}

static void a_debugger_may_come_first(struct machine *m)
{
	uint64_t mask = KFD_EC_MASK(EC_PROCESS_RUNTIME);
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	struct kfd_runtime_info info = { 0 };
	struct target t = target_start(m, life_that_opens_late);
	int fd;

	assert_true(comes(t.done));
	trace(&t);
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SET_FLAGS, &args), -ESRCH);
	fd = attach(m, &t, 0, &info);
	assert_int_equal(info.runtime_state, DEBUG_RUNTIME_STATE_DISABLED);
	args.enable.dbg_fd = (uint32_t)fd;
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_ENABLE, &args), -EALREADY);
	args.set_exceptions_enabled.exception_mask = mask;
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SET_EXCEPTIONS_ENABLED, &args), 0);
	go(&t);
	assert_true(comes(fd)); /* its runtime is there, and waits */
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT, &args), 0);
	assert_true(args.query_debug_event.exception_mask == mask);
	args.send_runtime_event =
		(struct kfd_ioctl_dbg_trap_send_runtime_event_args){ .exception_mask = mask };
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT, &args), 0);
	target_end(&t, 0);
	close(fd);
}

static void on_signal(int number)
{
	(void)number;
}

/* Is interrupted when it enables its runtime, and when it destroys its queue; comes again then. */
static void life_with_signals(struct machine *m, struct target *self)
{
	struct kfd_ioctl_runtime_enable_args enable = { .mode_mask = 1 };
	struct kfd_ioctl_destroy_queue_args destroy;
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	open_here(m);
	finished(self);
	next_step(self);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_RUNTIME_ENABLE, &enable), -EINTR);
	finished(self);
	next_step(self);
	enable_runtime(m);
	machine_acquire(m, m->gpu);
	destroy.queue_id = machine_queue(m, m->gpu, AQL);
	finished(self);
	next_step(self);
	finished(self);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &destroy), -EINTR);
	finished(self);
	next_step(self);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
}

/* Sends a signal to a process that the caller traces, once its main thread has got to its wait. */
static void interrupt(struct target *t)
{
	char path[64], state;
	int status;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)t->pid);
	for (int looks = 0; looks < ASLEEP_LOOKS; looks = state == 'S' ? looks + 1 : 0) {
		FILE *stat = fopen(path, "re");

		assert_non_null(stat);
		assert_int_equal(fscanf(stat, "%*[^)]) %c", &state), 1);
		fclose(stat);
		asleep_pause();
	}
	kill(t->pid, SIGUSR1);
	assert_int_equal(waitpid(t->pid, &status, __WALL), t->pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1);
	assert_int_equal(ptrace(PTRACE_CONT, t->pid, NULL, SIGUSR1), 0);
}

static void a_signal_ends_the_wait_for_the_debugger(struct machine *m)
{
	const uint64_t mask = KFD_EC_MASK(EC_PROCESS_RUNTIME);
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	struct kfd_runtime_info info = { 0 };
	struct target t = target_start(m, life_with_signals);
	uint32_t id = 0;
	int fd;

	assert_true(comes(t.done));
	trace(&t);
	fd = attach(m, &t, mask, &info);
	go(&t);
	assert_true(comes(fd)); /* it waits */
	interrupt(&t);
	assert_true(comes(t.done));
	go(&t);
	assert_true(comes(fd)); /* once more */
	args.send_runtime_event =
		(struct kfd_ioctl_dbg_trap_send_runtime_event_args){ .exception_mask = mask };
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT, &args), 0);
	assert_true(comes(t.done));
	args.suspend_queues =
		(struct kfd_ioctl_dbg_trap_suspend_queues_args){ .exception_mask =
									 KFD_EC_MASK(EC_QUEUE_NEW),
								 .queue_array_ptr = (uintptr_t)&id,
								 .num_queues = 1 };
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES, &args), 1);
	go(&t);
	assert_true(comes(t.done));
	interrupt(&t);
	assert_true(comes(t.done));
	args.resume_queues =
		(struct kfd_ioctl_dbg_trap_resume_queues_args){ .queue_array_ptr = (uintptr_t)&id,
								.num_queues = 1 };
	assert_int_equal(trap(m, &t, KFD_IOC_DBG_TRAP_RESUME_QUEUES, &args), 1);
	go(&t);
	target_end(&t, 0);
	close(fd);
}

static void a_checkpoint_pauses_another_process(struct machine *m)
{
	struct kfd_ioctl_criu_args info = { .op = KFD_CRIU_OP_PROCESS_INFO };
	struct kfd_ioctl_criu_args end = { .op = KFD_CRIU_OP_UNPAUSE };
	struct target t = target_start(m, life_with_a_queue);

	if (geteuid() != 0) {
		kill(t.pid, SIGKILL);
		target_end(&t, SIGKILL);
		skip();
	}
	assert_true(comes(t.done));
	go(&t);
	assert_true(comes(t.done));
	info.pid = end.pid = (uint32_t)t.pid;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &end), -EINVAL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &info), 0);
	assert_int_equal(info.pid, t.pid);
	assert_int_equal(info.num_bos, 5); /* ring, two pointers, end-of-pipe, save area */
	assert_int_equal(info.num_objects, 1);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &info), -EBUSY);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &end), 0);
	go(&t);
	assert_true(comes(t.done));
	go(&t);
	target_end(&t, 0);
	info.pid = (uint32_t)t.pid;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &info), -ESRCH);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "DBG_TRAP", "EALREADY", "a debugger sees and stops queues", a_debugger_sees_and_stops_queues, NULL, NULL },
	{ "DBG_TRAP", NULL, "a violation is the debugger's first", a_violation_is_the_debuggers_first, NULL, VIOLATION },
	{ "DBG_TRAP", NULL, "a target outlives its debugger", a_target_outlives_its_debugger, NULL, NULL },
	{ "DBG_TRAP", "ESRCH", "a dead target is unknown", a_dead_target_is_unknown, NULL, NULL },
	{ "RUNTIME_ENABLE", "EINTR/ERESTARTSYS", "a signal ends the wait for the debugger",
	  a_signal_ends_the_wait_for_the_debugger, NULL, NULL },
	{ "DESTROY_QUEUE", "ERESTARTSYS", "a signal ends the wait for the debugger",
	  a_signal_ends_the_wait_for_the_debugger, NULL, NULL },
	{ "DBG_TRAP", NULL, "a debugger may come before the KFD", a_debugger_may_come_first, NULL, NULL },
	{ "CRIU_OP", "ESRCH", "a checkpoint pauses another process", a_checkpoint_pauses_another_process, NULL, NULL },
	{ "RUNTIME_ENABLE", NULL, "the debugger of another process holds it", a_debugger_may_come_first, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "remote", cases, sizeof(cases) / sizeof(cases[0]));
}
