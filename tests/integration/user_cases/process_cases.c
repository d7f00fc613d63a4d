/* SPDX-License-Identifier: MIT */
/* U24: a child of fork. */
#include "cases.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static HsaEvent *event;

static void *wait_for_event(void *data)
{
	return (void *)(uintptr_t)hsaKmtWaitOnEvent(event, *(const HSAuint32 *)data);
}

/* Exit codes tell the parent which step failed. */
static int child(uint32_t gpu)
{
	HsaSystemProperties system;
	void *memory = NULL;

	alarm(10); /* a deadlock ends the test */
	if (allocate_device(gpu, MIB, false, &memory) != HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED)
		return 1;
	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS)
		return 2;
	if (hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return 3;
	if (allocate_device(gpu, MIB, false, &memory) != HSAKMT_STATUS_SUCCESS)
		return 4;
	return 0;
}

static void a_child_starts_anew(void **state)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HSAuint32 milliseconds = 2000;
	void *blocks[3], *result;
	pthread_t thread;
	uint64_t before;
	uint32_t gpu;
	int status;
	pid_t pid;

	(void)state;
	alarm(30);
	session_begin();
	gpu = gpu_number(0);
	before = available(gpu);
	assert_status(hsaKmtCreateEvent(&desc, false, false, &event), SUCCESS);
	for (int i = 0; i < 3; i++)
		assert_status(allocate_device(gpu, MIB, false, &blocks[i]), SUCCESS);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_event, &milliseconds), 0);
	pid = fork();
	if (pid == 0)
		_exit(child(gpu));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	for (int i = 0; i < 3; i++)
		assert_status(hsaKmtFreeMemory(blocks[i], MIB), SUCCESS);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_int_equal((uintptr_t)result, HSAKMT_STATUS_WAIT_TIMEOUT);
	assert_int_equal(available(gpu), before);
	assert_status(hsaKmtDestroyEvent(event), SUCCESS);
	session_end();
}

const struct user_case process_cases[] = {
	{ "u24", a_child_starts_anew },
	{ NULL, NULL },
};
