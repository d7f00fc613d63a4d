/* SPDX-License-Identifier: MIT */
/*
 * The memory and the descriptors of whoever made a call. That is this process, but for calls of
 * another one that are carried out here (control.h): those reach the other's through its connection.
 */
#ifndef KFDSCOPE_THUNK_MODEL_CALLER_H
#define KFDSCOPE_THUNK_MODEL_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kfd_model_caller {
	pid_t pid;
	int (*copy_in)(struct kfd_model_caller *caller, void *to, uint64_t from, size_t size_bytes);
	int (*copy_out)(struct kfd_model_caller *caller, uint64_t to, const void *from,
			size_t size_bytes);
	int (*take_fd)(struct kfd_model_caller *caller, int fd);
	int (*give_fd)(struct kfd_model_caller *caller, int fd);
};

/* What this thread does from now on is for another process (borrowed), or for this one (NULL). */
void kfd_model_caller_set(struct kfd_model_caller *caller);
/* Process that the call comes from. */
pid_t kfd_model_caller_pid(void);

/* Copies from and to the caller's address. @return 0 or -EFAULT. */
int kfd_model_caller_copy_in(void *to, uint64_t from_addr, size_t size_bytes)
	__attribute__((warn_unused_result));
int kfd_model_caller_copy_out(uint64_t to_addr, const void *from, size_t size_bytes)
	__attribute__((warn_unused_result));
/* A descriptor of this thread for the caller's open file. @return it, or -EBADF. */
int kfd_model_caller_take_fd(int fd);
/*
 * Hands a descriptor of this thread over.
 * @return its number with the caller, or -errno; ours is then closed.
 */
int kfd_model_caller_give_fd(int fd);

/*
 * This thread has a descriptor table of its own from now on; what watches the program's descriptors
 * asks whether it has, since the same number is then something else.
 */
void kfd_model_caller_leave_table(void);
bool kfd_model_caller_has_own_table(void);

/*
 * Closes a descriptor of the simulation itself. Not close(): what watches the program's descriptors
 * would take the number for the program's, and this thread's table may be another (control.h).
 */
void kfd_model_close_fd(int fd);

#endif
