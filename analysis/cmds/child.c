/* SPDX-License-Identifier: MIT */
/* Runs the recorded program as if the recorder were not there. */
#include "child.h"

#include "limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Those that people and job managers send. Stop and continue work on the whole job by themselves. */
static const int passed_signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
				      SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH };
enum { PASSED_ENDING = 4 }; /* of them, at the beginning */
#define PASSED_COUNT (sizeof(passed_signals) / sizeof(passed_signals[0]))
/* For 64 GPUs and the tracer's buffers, and below the usual limit of 1024. */
#define DESCRIPTORS 512

static sigset_t caught, mask_before;

void child_hold_signals(void)
{
	sigset_t held;

	sigemptyset(&caught);
	sigaddset(&caught, SIGCHLD);
	sigaddset(&caught, CHILD_SIGNAL_OWN);
	for (size_t i = 0; i < PASSED_COUNT; i++)
		sigaddset(&caught, passed_signals[i]);
	/* A session daemon that hangs up must not end us; liblttng-ctl reports the error as well. */
	held = caught;
	sigaddset(&held, SIGPIPE);
	for (size_t i = 0; i < PASSED_ENDING; i++)
		sigdelset(&held, passed_signals[i]);
	sigprocmask(SIG_BLOCK, &held, &mask_before);
}

void child_catch_signals(void)
{
	sigprocmask(SIG_BLOCK, &caught, NULL);
}

void child_restore_signals(void)
{
	const struct timespec now = { 0 };

	sigaddset(&caught, SIGPIPE);
	/* One that came after the program's end must not end us half-way through the reports. */
	while (sigtimedwait(&caught, NULL, &now) > 0)
		;
	signal(CHILD_SIGNAL_OWN, SIG_IGN); /* a thread may still send one */
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* What a shell would not take for a script either. */
static bool is_binary(const char *path)
{
	char head[80];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return length > 0 && memchr(head, '\0', (size_t)length);
}

/* Runs a file; what the kernel does not know is a script of the shell. @return errno. */
static int exec_file(const char *path, char *const *argv, char *const *envp)
{
	const char **words;
	size_t count = 0;

	execve(path, argv, envp);
	if (errno != ENOEXEC)
		return errno;
	if (is_binary(path))
		return ENOEXEC;
	while (argv[count])
		count++;
	words = calloc(count + 2, sizeof(*words));
	if (!words)
		return ENOMEM;
	words[0] = "sh";
	words[1] = path;
	memcpy(words + 2, argv + 1, (count - 1) * sizeof(*words));
	execve("/bin/sh", (char *const *)words, envp);
	return errno;
}

/*
 * Runs a program as a shell does: looked for in PATH unless its name has a slash, and with the error of
 * a file that was found there but could not be run. @return errno, as a rule ENOENT.
 */
static int exec_search(char *const *argv, char *const *envp)
{
	const char *path = getenv("PATH"), *end;
	char file[PATH_MAX];
	int err = ENOENT;

	if (strchr(argv[0], '/'))
		return exec_file(argv[0], argv, envp);
	for (path = path ? path : "/bin:/usr/bin"; path; path = *end ? end + 1 : NULL) {
		int one;

		end = strchrnul(path, ':');
		if (snprintf(file, sizeof(file), "%.*s/%s", end == path ? 1 : (int)(end - path),
			     end == path ? "." : path, argv[0]) >= (int)sizeof(file))
			continue;
		one = exec_file(file, argv, envp);
		if (one != ENOENT && one != ENOTDIR)
			err = one;
		if (err != ENOENT && err != EACCES)
			break;
	}
	return err;
}

/*
 * The tracer's threads share the program's descriptor table from the start, and the kernel grows a
 * shared one only after all processors have let go of the old: milliseconds for a program that opens
 * many devices. Here it has one user, and it stays large.
 */
static void grow_descriptor_table(int fd)
{
	int last = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTORS - 1);

	if (last >= 0)
		close(last);
}

int child_start(struct child *child, char *const *argv, char *const *envp)
{
	int pipe_fds[2], err = 0;

	*child = (struct child){ 0 };
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return errno;
	child->pid = fork();
	if (child->pid == 0) {
		sigprocmask(SIG_SETMASK, &mask_before, NULL);
		limits_restore();
		grow_descriptor_table(pipe_fds[1]);
		err = exec_search(argv, envp);
		(void)!write(pipe_fds[1], &err, sizeof(err)); /* the exit status says it too */
		_exit(CHILD_EXIT_NOT_FOUND);
	}
	if (child->pid < 0)
		err = errno;
	close(pipe_fds[1]);
	if (child->pid > 0 && read(pipe_fds[0], &err, sizeof(err)) == sizeof(err))
		waitpid(child->pid, NULL, 0);
	close(pipe_fds[0]);
	return err;
}

/*
 * What the terminal sends, it has sent to the program as well; but when it is closed, to the leader of
 * the session alone, which the program would be without us.
 */
static bool has_it_too(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL && !(info->si_signo == SIGHUP && getsid(0) == getpid());
}

void child_wait(struct child *child, bool (*keep)(int signo, void *data), void *data)
{
	siginfo_t info;

	while (waitpid(child->pid, &child->status, WNOHANG) == 0) {
		if (sigwaitinfo(&caught, &info) < 0 || info.si_signo == SIGCHLD)
			continue;
		if (keep && keep(info.si_signo, data))
			continue;
		if (!has_it_too(&info))
			kill(child->pid, info.si_signo);
	}
}

void child_exit_alike(const struct child *child)
{
	const struct rlimit no_core = { 0 };
	sigset_t all;

	if (WIFSIGNALED(child->status)) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(WTERMSIG(child->status), SIG_DFL);
		sigemptyset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		raise(WTERMSIG(child->status));
	}
	exit(WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 128 + WTERMSIG(child->status));
}
