/* SPDX-License-Identifier: MIT */
/*
 * How processes with a simulated KFD reach each other: the debugger its target, a checkpoint the
 * process that it is of, a monitor everybody. A process that has opened the KFD serves the others
 * from a thread that waits at an abstract socket named after the process.
 *
 * That thread has a descriptor table of its own, in which of the program's descriptors only the
 * memory file is left. So the program sees no descriptor that it did not open, keeps none alive that
 * it closes, and cannot close those of the thread; a forked child inherits nothing.
 */
#ifndef KFDSCOPE_THUNK_MODEL_CONTROL_H
#define KFDSCOPE_THUNK_MODEL_CONTROL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct kfd_model_process;
struct kfd_model_control;

enum kfd_model_control_call {
	KFD_MODEL_CONTROL_DEBUG = 1, /* argument: that of DBG_TRAP */
	KFD_MODEL_CONTROL_CRIU,      /* that of CRIU_OP */
	KFD_MODEL_CONTROL_SYSFS,     /* struct kfd_model_sysfs_call */
	/* a program must not hang when its debugger does: given up after a while */
	KFD_MODEL_CONTROL_TARGET, /* struct kfd_model_debug_start: does my tracer want me? */
};

#define KFD_MODEL_CONTROL_PREFIX "kfdscope-kfd/" /* of the sockets' names */
#define KFD_MODEL_CONTROL_ARGS   256             /* longest argument */

/* What kfd_model_control_call() returns when the process has no KFD open; no errno. */
#define KFD_MODEL_NO_KFD (-4095)

/* Starts to serve. @return NULL when that cannot be: nobody reaches this process then. */
struct kfd_model_control *kfd_model_control_new(struct kfd_model_process *process);
/* Stops; accepts NULL. */
void kfd_model_control_free(struct kfd_model_control *control);
/* In a forked child, where the thread is not. */
void kfd_model_control_after_fork(struct kfd_model_control *control);

/*
 * Has a call carried out by another process; its accesses to the caller's memory and descriptors
 * are served meanwhile.
 * @param args  argument and answer, size_bytes of them.
 * @return what the call returns, -EINTR when a signal ended a wait for a process that does not
 *         answer, or KFD_MODEL_NO_KFD.
 */
int kfd_model_control_call(pid_t pid, enum kfd_model_control_call call, void *args,
			   size_t size_bytes);

/* For both sides: the messages of a connection, in order. */
enum kfd_model_message_kind {
	KFD_MODEL_MESSAGE_CALL,     /* to the server: call and argument */
	KFD_MODEL_MESSAGE_DONE,     /* to the client: result and argument; the last one */
	KFD_MODEL_MESSAGE_COPY_IN,  /* to the client, which answers with bytes */
	KFD_MODEL_MESSAGE_COPY_OUT, /* to the client, with bytes */
	KFD_MODEL_MESSAGE_TAKE_FD,  /* to the client, which answers with the descriptor */
	KFD_MODEL_MESSAGE_GIVE_FD,  /* to the client, with a descriptor; it answers the number */
	KFD_MODEL_MESSAGE_ANSWER,   /* to the server */
};

struct kfd_model_message {
	uint32_t kind; /* enum kfd_model_message_kind */
	int32_t rc;    /* call, result, or descriptor number */
	uint64_t address;
	uint32_t size_bytes; /* of what is wanted, or follows */
	uint32_t reserved;
	char bytes[16384 - 24];
};

struct sockaddr_un;
/* Name of a process's socket. @return its length, or 0 for no such process. */
unsigned int kfd_model_control_name(pid_t pid, struct sockaddr_un *name);
/* Sends size_bytes of a message's bytes, and a descriptor if fd >= 0. @return 0 or -errno. */
int kfd_model_message_send(int socket, const struct kfd_model_message *message, size_t size_bytes,
			   int fd);
/*
 * Receives one.
 * @param fd  out: the descriptor that came with it, or -1; the caller's.
 * @return 0, -ESRCH when the other end is gone, or -errno.
 */
int kfd_model_message_receive(int socket, struct kfd_model_message *message, int *fd);

/* Number behind a key of /proc/PID/status, such as "TracerPid:"; 0 when there is none. */
pid_t kfd_model_status_pid(pid_t pid, const char *key);

#endif
