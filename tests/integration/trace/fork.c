/* SPDX-License-Identifier: MIT */
/*
 * user-cases.md U24: a child inherits everything but a working driver. Exit status 0: both did what
 * they had to.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hsakmt/hsakmt.h"

enum { SIZE_BYTES = 1 << 20, CHILD_BYTES = 2 << 20 };

static HsaEvent *event;

static void *wait_long(void *unused)
{
	(void)unused;
	hsaKmtWaitOnEvent(event, 1000);
	return NULL;
}

static HSAKMT_STATUS allocate(HSAuint64 size_bytes, void **address)
{
	HsaMemFlags flags = { .Value = 0 };

	flags.ui32.NonPaged = 1;
	*address = NULL;
	return hsaKmtAllocMemory(1, size_bytes, flags, address);
}

static int child(void)
{
	HsaSystemProperties system;
	void *address;

	if (allocate(SIZE_BYTES, &address) != HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED)
		return 10;
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
		return 11;
	if (hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return 12;
	return allocate(CHILD_BYTES, &address) == HSAKMT_STATUS_SUCCESS ? 0 : 13;
}

int main(void)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaSystemProperties system;
	void *blocks[3];
	pthread_t thread;
	int status;
	pid_t pid;

	hsaKmtOpenKFD();
	hsaKmtAcquireSystemProperties(&system);
	hsaKmtCreateEvent(&desc, false, false, &event);
	for (int i = 0; i < 3; i++) {
		if (allocate(SIZE_BYTES, &blocks[i]) != HSAKMT_STATUS_SUCCESS)
			return 1;
	}
	if (pthread_create(&thread, NULL, wait_long, NULL) != 0)
		return 2;
	pid = fork();
	if (pid == 0)
		return child();
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 3;
	for (int i = 0; i < 3; i++)
		hsaKmtFreeMemory(blocks[i], SIZE_BYTES);
	pthread_join(thread, NULL);
	hsaKmtCloseKFD();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
