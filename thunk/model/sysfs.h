/* SPDX-License-Identifier: MIT */
/* What sysfs tells of the processes that have the KFD open: proc/PID of kfd.md 8. */
#ifndef KFDSCOPE_THUNK_MODEL_SYSFS_H
#define KFDSCOPE_THUNK_MODEL_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kfd_model;
struct kfd_model_process;

/* The argument that travels between processes. */
struct kfd_model_sysfs_call {
	uint64_t text;       /* the caller's buffer */
	uint64_t size_bytes; /* of that; out: of the whole text, with its end */
};

/*
 * All files of a process, one a line: its path below proc/PID, then '=' and a text that ends with a
 * newline, or ':' and one that does not.
 * @return the text, the caller's to free(); NULL when the process has no KFD open.
 */
char *kfd_model_sysfs(struct kfd_model *model, pid_t pid);
/* In the process that is asked about. @return 0 or -errno. */
int kfd_model_sysfs_serve(struct kfd_model_process *process, struct kfd_model_sysfs_call *call);
/*
 * The process that can be asked with the next higher number: others may come and go between two calls.
 * @param after  0 for the first.
 * @return 0 behind the last.
 */
pid_t kfd_model_sysfs_pid(pid_t after);

#endif
