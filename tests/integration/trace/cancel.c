/* SPDX-License-Identifier: MIT */
/* user-cases.md U38: a thread that is cancelled inside a wait, and calls by others afterwards. */
#include <pthread.h>
#include "asleep.h"
#include "hsakmt/hsakmt.h"

static pid_t waiting;
static HsaEvent *event;

static void *wait_long(void *unused)
{
	(void)unused;
	asleep_mark(&waiting);
	hsaKmtWaitOnEvent(event, 60000);
	return NULL;
}

int main(void)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaSystemProperties system;
	HsaVersionInfo version;
	pthread_t thread;

	hsaKmtOpenKFD();
	hsaKmtAcquireSystemProperties(&system);
	hsaKmtCreateEvent(&desc, false, false, &event);
	if (pthread_create(&thread, NULL, wait_long, NULL) != 0)
		return 1;
	asleep_await(&waiting);
	pthread_cancel(thread);
	/* Only a device that waits in the kernel can be cancelled; the simulated one is woken. */
	hsaKmtSetEvent(event);
	pthread_join(thread, NULL);
	return hsaKmtGetVersion(&version) == HSAKMT_STATUS_SUCCESS ? 0 : 2;
}
