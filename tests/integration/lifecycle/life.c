/* SPDX-License-Identifier: MIT */
/*
 * Lives through what its first argument names and prints what its calls answered, so that a traced run
 * can be compared with an untraced one.
 */
#include "asleep.h"

#include <hsakmt/hsakmt.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE_BYTES = 1 << 20, EXIT_STATUS = 7 };

static HsaEvent *event;
static pid_t waiting;

static void say(const char *what, int number)
{
	printf("%s %d\n", what, number);
	fflush(stdout);
}

static void open_driver(void)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaSystemProperties system;

	say("open", (int)hsaKmtOpenKFD());
	say("properties", (int)hsaKmtAcquireSystemProperties(&system));
	say("event", (int)hsaKmtCreateEvent(&desc, true, false, &event));
}

static void *allocate(void)
{
	HsaMemFlags flags = { .Value = 0 };
	void *address = NULL;

	flags.ui32.NonPaged = 1;
	say("alloc", (int)hsaKmtAllocMemory(1, SIZE_BYTES, flags, &address));
	return address;
}

static void use_driver(void)
{
	void *address = allocate();

	if (address)
		say("free", (int)hsaKmtFreeMemory(address, SIZE_BYTES));
}

static void await(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	say("child ended", status);
}

static void live_fork(void)
{
	pid_t pid;

	use_driver();
	pid = fork();
	if (pid == 0) {
		use_driver();
		open_driver();
		use_driver();
		exit(3);
	}
	await(pid);
	use_driver();
}

static void live_vfork_exec(void)
{
	char *argv[] = { "life", "exit", NULL };
	pid_t pid;

	use_driver();
	pid = vfork();
	if (pid == 0) {
		execv("/proc/self/exe", argv);
		_exit(98);
	}
	await(pid);
	use_driver();
}

static void *wait_long(void *unused)
{
	(void)unused;
	asleep_mark(&waiting);
	hsaKmtWaitOnEvent(event, 60000);
	return NULL;
}

static void end_thread(int number)
{
	(void)number;
	syscall(SYS_exit, 0); /* no clean-up, as when a thread is killed */
}

static pthread_t start_waiting(void)
{
	pthread_t thread;

	waiting = 0;
	if (pthread_create(&thread, NULL, wait_long, NULL) != 0)
		exit(97);
	asleep_await(&waiting);
	return thread;
}

static void live_cancel(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread = start_waiting();

		pthread_cancel(thread);
		hsaKmtSetEvent(event); /* the simulated device waits where nothing is cancelled */
		pthread_join(thread, NULL);
		hsaKmtResetEvent(event);
	}
	use_driver();
}

static void live_thread_exit(void)
{
	signal(SIGUSR2, end_thread);
	pthread_kill(start_waiting(), SIGUSR2);
	asleep_await_end(waiting);
	use_driver();
	_exit(EXIT_STATUS); /* it may have ended inside the library */
}

static void *kept;

static void free_at_exit(void)
{
	say("free at exit", (int)hsaKmtFreeMemory(kept, SIZE_BYTES));
}

static void __attribute__((destructor)) destroy(void)
{
	if (event)
		say("destroy", (int)hsaKmtDestroyEvent(event));
}

static void live_exit(void)
{
	kept = allocate();
	atexit(free_at_exit);
}

/* Calls between lines of standard input. */
static void live_steps(void)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin))
		use_driver();
	for (int i = 0; i < 2000; i++)
		hsaKmtSetEvent(event);
}

/* As programs that become daemons do. */
static void live_close_all(void)
{
	use_driver();
	for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
		close(fd);
}

/* No library can be loaded from now on. */
static void live_chroot(void)
{
	use_driver();
	if (chroot("/proc") != 0 || chdir("/") != 0)
		say("chroot", -1);
}

static const struct {
	const char *name;
	void (*live)(void);
} lives[] = {
	{ "fork", live_fork },           { "vfork_exec", live_vfork_exec },
	{ "cancel", live_cancel },       { "thread_exit", live_thread_exit },
	{ "exit", live_exit },           { "steps", live_steps },
	{ "close_all", live_close_all }, { "chroot", live_chroot },
};

int main(int argc, char **argv)
{
	setvbuf(stdin, NULL, _IONBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(lives) / sizeof(lives[0]); i++) {
		if (strcmp(lives[i].name, argv[1]) != 0)
			continue;
		open_driver();
		lives[i].live();
	}
	return EXIT_STATUS;
}
