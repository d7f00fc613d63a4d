/* SPDX-License-Identifier: MIT */
/*
 * U38: thread A waits when the recording starts, B when it stops, C calls a wait that contains one,
 * and D ends inside a wait. The test says on standard input when the recording has started and ended.
 * Prints how long C's wait took at the most, in nanoseconds.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asleep.h"
#include "client.h"

static pid_t a_waits, b_waits, d_waits;

static HsaEvent *make_event(void)
{
	HsaEventDescriptor descriptor = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = NULL;

	OK(hsaKmtCreateEvent(&descriptor, true, false, &event));
	return event;
}

static CASE_FUNCTION void *wait_a(void *event)
{
	asleep_mark(&a_waits);
	OK(hsaKmtWaitOnEvent(event, 0xFFFFFFFF));
	return NULL;
}

static CASE_FUNCTION void *wait_b(void *event)
{
	asleep_mark(&b_waits);
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
	asleep_mark(&d_waits);
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
	HsaEvent *event, *event_of_a;
	uint64_t begin_ns;

	signal(SIGUSR1, end_thread);
	open_driver();
	event = make_event();
	event_of_a = make_event();
	pthread_create(&a, NULL, wait_a, event_of_a);
	asleep_await(&a_waits);
	ask_test("A waits");
	begin_ns = now_ns();
	pthread_create(&c, NULL, wait_c, event);
	pthread_join(c, NULL);
	printf("%llu\n", (unsigned long long)(now_ns() - begin_ns));
	pthread_create(&d, NULL, wait_d, event);
	asleep_await(&d_waits);
	pthread_kill(d, SIGUSR1);
	OK(hsaKmtSetEvent(event_of_a));
	pthread_join(a, NULL);
	pthread_create(&b, NULL, wait_b, event);
	asleep_await(&b_waits);
	ask_test("B waits");
	_exit(0); /* threads are inside the library: nothing can be closed */
}
