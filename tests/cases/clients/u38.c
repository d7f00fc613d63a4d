/* SPDX-License-Identifier: MIT */
/*
 * U38: thread A waits when the recording starts, B when it stops, C calls a wait that contains one,
 * and D ends inside a wait. The test says on standard input when the recording has started and ended.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client.h"

static volatile sig_atomic_t d_is_waiting;

static HsaEvent *make_event(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, true, false, &event));
	return event;
}

static CASE_FUNCTION void *wait_a(void *event)
{
	EXPECT(HSAKMT_STATUS_WAIT_TIMEOUT, hsaKmtWaitOnEvent(event, 3000));
	return NULL;
}

static CASE_FUNCTION void *wait_b(void *event)
{
	(void)hsaKmtWaitOnEvent(event, 30000);
	return NULL;
}

static CASE_FUNCTION void *wait_c(void *event)
{
	EXPECT(HSAKMT_STATUS_WAIT_TIMEOUT, hsaKmtWaitOnEvent(event, 100));
	return NULL;
}

static void end_thread(int number)
{
	(void)number;
	syscall(SYS_exit, 0);
}

static CASE_FUNCTION void *wait_d(void *event)
{
	d_is_waiting = 1;
	(void)hsaKmtWaitOnEvent(event, 30000);
	return NULL;
}

static void ask_test(const char *what)
{
	puts(what);
	fflush(stdout);
	if (getchar() == EOF)
		exit(98);
}

int main(void)
{
	pthread_t a, b, c, d;
	HsaEvent *event;

	signal(SIGUSR1, end_thread);
	open_driver();
	event = make_event();
	pthread_create(&a, NULL, wait_a, event);
	usleep(200000);
	ask_test("A waits");
	pthread_create(&c, NULL, wait_c, event);
	pthread_join(c, NULL);
	pthread_create(&d, NULL, wait_d, event);
	while (!d_is_waiting)
		usleep(1000);
	usleep(300000);
	pthread_kill(d, SIGUSR1);
	pthread_join(a, NULL);
	pthread_create(&b, NULL, wait_b, event);
	usleep(300000);
	ask_test("B waits");
	_exit(0); /* threads are inside the library: nothing can be closed */
}
