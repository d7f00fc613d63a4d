/* SPDX-License-Identifier: MIT */
/* The recorded program: started with its environment, waited for, signals passed on. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_CHILD_H
#define KFDSCOPE_ANALYSIS_CMDS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* What env(1) and timeout(1) answer in the same cases. */
enum child_exit {
	CHILD_EXIT_OWN_FAILURE = 125, /* kfdscope could not record; the program was not started */
	CHILD_EXIT_CANNOT_RUN = 126,
	CHILD_EXIT_NOT_FOUND = 127,
};

/* A recorder's thread sends it to the process, to have keep() called in child_wait(). */
#define CHILD_SIGNAL_OWN SIGRTMIN

struct child {
	pid_t pid;
	int status; /* as waitpid() gives it, after child_wait() */
};

/*
 * Blocks, from now until child_restore_signals(), the signals that are for the program and end nobody who
 * expects them; those that end whoever gets them still end the recorder, which has nothing to lose yet.
 */
void child_hold_signals(void);
/* Blocks these, too, so that none ends the recorder and loses the recording. */
void child_catch_signals(void);
void child_restore_signals(void);

/*
 * Starts the program.
 *
 * @param argv  NULL-terminated; argv[0] is looked up in PATH.
 * @param envp  the program's environment, also its PATH.
 * @return 0, or an errno value when it could not be started.
 */
int child_start(struct child *child, char *const *argv, char *const *envp)
	__attribute__((warn_unused_result));

/* Waits for its end; meanwhile signals sent to the recorder go on to the program. */
/*
 * Waits for its end.
 *
 * @param keep  is asked about each signal that came; true: it was the recorder's own and is not passed
 *              on. NULL: none is.
 */
void child_wait(struct child *child, bool (*keep)(int signo, void *data), void *data);

/*
 * Ends this process as the program ended: with its exit status, or by the same signal (without
 * writing a second core file).
 */
void child_exit_alike(const struct child *child) __attribute__((noreturn));

#endif
