/* SPDX-License-Identifier: MIT */
/* Who called is noted for each thread; without a note it is the program itself. */
#include "caller.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "usercopy.h"

static _Thread_local struct kfd_model_caller *current; /* borrowed */
static _Thread_local bool has_own_table;

void kfd_model_caller_set(struct kfd_model_caller *caller)
{
	current = caller;
}

pid_t kfd_model_caller_pid(void)
{
	return current ? current->pid : getpid();
}

int kfd_model_caller_copy_in(void *to, uint64_t from_addr, size_t size_bytes)
{
	if (!current)
		return kfd_model_copy_in(to, from_addr, size_bytes);
	return size_bytes ? current->copy_in(current, to, from_addr, size_bytes) : 0;
}

int kfd_model_caller_copy_out(uint64_t to_addr, const void *from, size_t size_bytes)
{
	if (!current)
		return kfd_model_copy_out(to_addr, from, size_bytes);
	return size_bytes ? current->copy_out(current, to_addr, from, size_bytes) : 0;
}

int kfd_model_caller_take_fd(int fd)
{
	long copy;

	if (current)
		return current->take_fd(current, fd);
	copy = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -EBADF : (int)copy;
}

int kfd_model_caller_give_fd(int fd)
{
	return current ? current->give_fd(current, fd) : fd;
}

void kfd_model_caller_leave_table(void)
{
	has_own_table = true;
}

bool kfd_model_caller_has_own_table(void)
{
	return has_own_table;
}

void kfd_model_close_fd(int fd)
{
	syscall(SYS_close, fd);
}
