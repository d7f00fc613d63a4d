/* SPDX-License-Identifier: MIT */
/*
 * U24: a fork while a thread waits. The child's first call is refused; it opens the driver anew, takes a
 * block and ends without freeing it. Prints the ids of parent and child.
 */
#include "asleep.h"
#include "client.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 3, BLOCK_BYTES = 1 << 20, WAIT_MS = 2000, WATCHDOG_S = 10 };

static pid_t waiting;

static CASE_FUNCTION void *alloc_in_parent(void)
{
	return alloc_device(1, BLOCK_BYTES);
}

static CASE_FUNCTION void *alloc_in_child(void)
{
	return alloc_device(1, BLOCK_BYTES);
}

static void *wait_in_vain(void *event)
{
	asleep_mark(&waiting);
	EXPECT(HSAKMT_STATUS_WAIT_TIMEOUT, hsaKmtWaitOnEvent(event, WAIT_MS));
	return NULL;
}

static void child(void)
{
	void *address = NULL;

	alarm(WATCHDOG_S);
	EXPECT(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED,
	       hsaKmtAllocMemory(1, BLOCK_BYTES, device_flags(), &address));
	open_driver();
	alloc_in_child();
	exit(0);
}

int main(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = NULL;
	void *blocks[BLOCKS];
	pthread_t waiter;
	int status = 1;
	pid_t pid;

	alarm(WATCHDOG_S);
	open_driver();
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = alloc_in_parent();
	OK(hsaKmtCreateEvent(&descriptor, false, false, &event));
	if (pthread_create(&waiter, NULL, wait_in_vain, event) != 0)
		return 98;
	asleep_await(&waiting);
	pid = fork();
	if (pid < 0)
		return 97;
	if (pid == 0)
		child();
	for (int i = 0; i < BLOCKS; i++)
		OK(hsaKmtFreeMemory(blocks[i], BLOCK_BYTES));
	pthread_join(waiter, NULL);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return 96;
	OK(hsaKmtDestroyEvent(event));
	close_driver();
	printf("%d %d\n", (int)getpid(), (int)pid);
	return 0;
}
