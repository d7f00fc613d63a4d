/* SPDX-License-Identifier: MIT */
/* Which process a DBG_TRAP is about, who may call it, and how it gets there (kfd.md 10). */
#include "debug-remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "caller.h"
#include "control.h"
#include "debug-state.h"

#define LOCK_SEC 5 /* a thread of the target may be stopped while it holds the lock */

/* The stand-in of a target that has no KFD open. */
struct kfd_model_target {
	struct sockaddr_un name;           /* of the process: its number and start */
	struct kfd_model_process *process; /* owned */
	bool is_taken;                     /* by the target; to be freed */
	struct kfd_model_target *next;     /* owned */
};

/* The stand-in of a process. The caller holds the lock. */
static struct kfd_model_target **find_target(struct kfd_model *model, pid_t pid)
{
	struct kfd_model_target **link = &model->targets;
	struct sockaddr_un name;

	if (!kfd_model_control_name(pid, &name))
		return NULL;
	while (*link && ((*link)->is_taken || memcmp(&(*link)->name, &name, sizeof(name)) != 0))
		link = &(*link)->next;
	return *link ? link : NULL;
}

static void target_free(struct kfd_model_target *target)
{
	if (target->process->debug->attached)
		kfd_model_debug_detach(target->process);
	kfd_model_process_free(target->process);
	free(target);
}

static void drop_target(struct kfd_model_target **link)
{
	struct kfd_model_target *target = *link;

	*link = target->next;
	target_free(target);
}

static struct kfd_model_target **add_target(struct kfd_model *model, pid_t pid)
{
	struct kfd_model_target *target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	/* as a context of this process: it owns nothing of the machine */
	target->process = kfd_model_process_new(model, true);
	if (!target->process || !kfd_model_control_name(pid, &target->name)) {
		kfd_model_process_free(target->process);
		free(target);
		return NULL;
	}
	target->next = model->targets;
	model->targets = target;
	return &model->targets;
}

void kfd_model_debug_targets_free(struct kfd_model *model)
{
	while (model->targets)
		drop_target(&model->targets);
}

void kfd_model_debug_targets_after_fork(struct kfd_model *model)
{
	pthread_mutex_init(&model->targets_lock, NULL);
	model->targets = NULL; /* the parent's */
}

/* Frees what targets have taken over. The caller holds the lock. */
static void sweep(struct kfd_model *model)
{
	for (struct kfd_model_target **link = &model->targets; *link;) {
		if ((*link)->is_taken)
			drop_target(link);
		else
			link = &(*link)->next;
	}
}

/* A process that runs or may run again. */
static bool is_alive(pid_t pid)
{
	char path[64], text[512];
	const char *state = NULL;
	size_t got = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file) {
		got = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[got] = '\0';
	state = strrchr(text, ')');
	return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

static bool is_traced_by(pid_t pid, pid_t tracer)
{
	return kfd_model_status_pid(pid, "TracerPid:") == tracer;
}

/* An operation on a target without KFD. The caller holds the lock. */
static int trap_stand_in(struct kfd_model *model, struct kfd_ioctl_dbg_trap_args *args)
{
	bool is_enable = args->op == KFD_IOC_DBG_TRAP_ENABLE;
	struct kfd_model_target **link = find_target(model, (pid_t)args->pid);
	int rc;

	if (!link && is_enable) {
		link = add_target(model, (pid_t)args->pid);
		if (!link)
			return -ENOMEM;
	}
	if (!link)
		return -ESRCH;
	if (args->op != KFD_IOC_DBG_TRAP_DISABLE && !is_traced_by((pid_t)args->pid, getpid()))
		return -EPERM;
	pthread_mutex_lock(&(*link)->process->lock);
	rc = kfd_model_debug_operate((*link)->process, args);
	pthread_mutex_unlock(&(*link)->process->lock);
	if (!(*link)->process->debug->attached)
		drop_target(link);
	return rc;
}

static int call_target(struct kfd_ioctl_dbg_trap_args *args)
{
	int rc = kfd_model_control_call((pid_t)args->pid, KFD_MODEL_CONTROL_DEBUG, args,
					sizeof(*args));

	/* what these let go may be at its end before it has answered */
	if (rc == -ESRCH && (args->op == KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT ||
			     args->op == KFD_IOC_DBG_TRAP_DISABLE))
		return 0;
	return rc;
}

/*
 * The target may open the KFD at any moment: it serves first and then asks for its stand-in; here
 * the stand-in is made first, and then the target is looked at once more.
 */
static int trap_other(struct kfd_model *model, struct kfd_ioctl_dbg_trap_args *args)
{
	struct kfd_ioctl_dbg_trap_args again = *args;
	struct kfd_model_target **link;
	int rc = call_target(args);

	if (rc != KFD_MODEL_NO_KFD)
		return rc;
	pthread_mutex_lock(&model->targets_lock);
	sweep(model);
	rc = trap_stand_in(model, args);
	pthread_mutex_unlock(&model->targets_lock);
	if (rc || args->op != KFD_IOC_DBG_TRAP_ENABLE)
		return rc;
	rc = call_target(&again);
	if (rc == KFD_MODEL_NO_KFD || rc == -EALREADY)
		return 0;
	*args = again;
	pthread_mutex_lock(&model->targets_lock);
	link = find_target(model, (pid_t)args->pid);
	if (link)
		drop_target(link);
	pthread_mutex_unlock(&model->targets_lock);
	return rc;
}

static int operate_locked(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_args *args)
{
	struct timespec until;
	int rc;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LOCK_SEC;
	if (pthread_mutex_timedlock(&process->lock, &until))
		return -EBUSY;
	rc = kfd_model_debug_operate(process, args);
	pthread_mutex_unlock(&process->lock);
	return rc;
}

int kfd_model_debug_trap(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_args *args)
{
	int rc;

	if (process->is_secondary)
		return -EOPNOTSUPP;
	if (args->pid == (uint32_t)process->pid) {
		pthread_mutex_lock(&process->lock);
		rc = kfd_model_debug_operate(process, args);
		pthread_mutex_unlock(&process->lock);
		return rc;
	}
	if ((int32_t)args->pid <= 0 || !is_alive((pid_t)args->pid))
		return -ESRCH;
	if (args->op == KFD_IOC_DBG_TRAP_ENABLE && !is_traced_by((pid_t)args->pid, getpid()))
		return -EPERM;
	return trap_other(process->model, args);
}

int kfd_model_debug_serve(struct kfd_model_process *process, struct kfd_ioctl_dbg_trap_args *args)
{
	pid_t debugger = kfd_model_debug_debugger(process), caller = kfd_model_caller_pid();

	/* whoever traces no more may still let go; nobody else may */
	if (!is_traced_by(getpid(), caller) &&
	    (args->op != KFD_IOC_DBG_TRAP_DISABLE || (debugger && debugger != caller)))
		return -EPERM;
	/* what debugs itself does so with a descriptor that only its own threads have */
	if (args->op == KFD_IOC_DBG_TRAP_DISABLE && !debugger)
		return -EINVAL;
	return operate_locked(process, args);
}

/* A copy in this thread's table of a descriptor of the program. @return it, or -errno. */
static int program_fd(int fd)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int copy = self < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, self, fd, 0);
	int rc = copy < 0 ? -errno : copy;

	if (self >= 0)
		kfd_model_close_fd(self);
	return rc;
}

int kfd_model_debug_start_of(struct kfd_model *model, pid_t target,
			     struct kfd_model_debug_start *start)
{
	struct kfd_model_target **link;
	int rc = -ESRCH, fd;

	pthread_mutex_lock(&model->targets_lock);
	link = find_target(model, target);
	if (link) {
		const struct kfd_model_debug *debug = (*link)->process->debug;

		start->enabled = debug->enabled;
		start->flags = debug->flags;
		fd = program_fd(debug->fd);
		rc = fd < 0 ? fd : kfd_model_caller_give_fd(fd);
		start->fd = rc;
		/* its descriptor is in the program's table, which this thread does not share */
		(*link)->is_taken = true;
	}
	pthread_mutex_unlock(&model->targets_lock);
	return rc < 0 ? rc : 0;
}

void kfd_model_debug_greet(struct kfd_model_process *process)
{
	struct kfd_model_debug_start start = { .fd = -1 };
	pid_t tracer = kfd_model_status_pid(getpid(), "TracerPid:");

	if (!tracer ||
	    kfd_model_control_call(tracer, KFD_MODEL_CONTROL_TARGET, &start, sizeof(start)))
		return;
	if (start.fd >= 0 && kfd_model_debug_attach(process, start.fd, tracer, start.enabled) == 0)
		process->debug->flags = start.flags;
}

pid_t kfd_model_debug_debugger(struct kfd_model_process *process)
{
	pid_t pid;

	pthread_mutex_lock(&process->queues_lock);
	pid = process->debug->debugger;
	pthread_mutex_unlock(&process->queues_lock);
	return pid;
}

void kfd_model_debug_debugger_died(struct kfd_model_process *process)
{
	pthread_mutex_lock(&process->lock);
	if (kfd_model_debug_debugger(process))
		(void)kfd_model_debug_disable(process); /* answers nothing but success */
	pthread_mutex_unlock(&process->lock);
}
