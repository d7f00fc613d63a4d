/* SPDX-License-Identifier: MIT */
/* A fork of the recorder that outlives it (guardian.h). */
#include "guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/wait.h>
#include <unistd.h>

static void keep_only(int one, int other)
{
	const int low = one < other ? one : other, high = one < other ? other : one;

	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, (unsigned int)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned int)(low < STDERR_FILENO ? STDERR_FILENO : low) + 1,
			    (unsigned int)high - 1, 0);
	close_range((unsigned int)high + 1, ~0U, 0);
}

/* Whoever looks for the recorded program by its command line is not to find us: we have the recorder's. */
static void rename_self(void)
{
	static const char title[] = "kfdscope: guardian";
	char *words = program_invocation_name; /* where the kernel put them, one behind the other */
	char text[4096];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	if (length <= 0 || memcmp(words, text, (size_t)length) != 0)
		return;
	memset(words, 0, (size_t)length);
	memcpy(words, title, MIN((size_t)length, sizeof(title)) - 1);
}

/* Nothing of it is to be seen or felt: not at the terminal, not by who waits for the end of a pipe. */
static void withdraw(int fd, int keep_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	rename_self();
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int i = STDIN_FILENO; null >= 0 && i <= STDERR_FILENO; i++)
		dup2(null, i);
	keep_only(fd, keep_fd);
	(void)!chdir("/"); /* or a file system could not be unmounted meanwhile */
}

/* @return whether the recorder was killed. */
static bool wait_for_end(int fd, struct guardian_news *news)
{
	struct guardian_news told;
	ssize_t size;

	/* What is told is less than a pipe writes at once. */
	while ((size = read(fd, &told, sizeof(told))) == sizeof(told) ||
	       (size < 0 && errno == EINTR))
		if (size > 0)
			*news = told;
	return !news->is_over;
}

void guardian_start(struct guardian *guardian, int keep_fd,
		    void (*tidy)(pid_t recorder, const struct guardian_news *news, void *data),
		    void *data)
{
	const pid_t recorder = getpid();
	struct guardian_news news = { 0 };
	int fds[2];

	*guardian = (struct guardian){ .fd = -1 };
	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	guardian->pid = fork();
	if (guardian->pid == 0) {
		withdraw(fds[0], keep_fd);
		if (wait_for_end(fds[0], &news))
			tidy(recorder, &news, data);
		_exit(0);
	}
	close(fds[0]);
	if (guardian->pid > 0) {
		guardian->fd = fds[1];
		return;
	}
	close(fds[1]);
	guardian->pid = 0;
}

void guardian_tell(const struct guardian *guardian)
{
	const struct timespec now = { 0 };
	sigset_t pipe_signal, before;

	if (guardian->pid <= 0)
		return;
	/* Nobody reads when it was killed, which is to end nobody else. */
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
	if (write(guardian->fd, &guardian->news, sizeof(guardian->news)) < 0 && errno == EPIPE &&
	    !sigismember(&before, SIGPIPE))
		sigtimedwait(&pipe_signal, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void guardian_stop(struct guardian *guardian)
{
	if (guardian->pid <= 0)
		return;
	guardian->news.is_over = true;
	guardian_tell(guardian);
	close(guardian->fd);
	while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*guardian = (struct guardian){ .fd = -1 };
}
