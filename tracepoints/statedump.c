/* SPDX-License-Identifier: MIT */
/*
 * A recording that starts gets the library's state. LTTng-UST tells of it by its own tracepoint
 * lttng_ust_statedump:start, fired in a listener thread that holds LTTng-UST's lock; taking the
 * library's locks there could deadlock with a thread that forks. So the probe only posts, and a
 * thread of our own, made at the first start, dumps.
 */
#include <lttng/tracepoint.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "incident.h"
#include "modules.h"
#include "stacks.h"

static sem_t wanted;
static pid_t dumper_of; /* process that has the thread */

static void dump_host(const struct trace_host *host)
{
	host->dump();
}

static void *dump_thread(void *unused)
{
	(void)unused;
	for (;;) {
		while (sem_wait(&wanted) != 0)
			;
		incident_take();
		modules_dump(); /* first: kept stacks are checked against it */
		host_for_each(dump_host);
		incident_done();
	}
	return NULL;
}

/* All signals stay with the program's threads. @return whether the thread is there. */
static bool dumper_start(void)
{
	const pid_t self = getpid();
	pid_t before_us = __atomic_load_n(&dumper_of, __ATOMIC_RELAXED);
	pthread_t thread;
	sigset_t all, before;
	pthread_attr_t attr;
	bool ok;

	if (before_us == self || !__atomic_compare_exchange_n(&dumper_of, &before_us, self, false,
							      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return true; /* another thread has started it, or is about to */
	if (pthread_attr_init(&attr) != 0) {
		__atomic_store_n(&dumper_of, 0, __ATOMIC_RELAXED);
		return false;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ok = pthread_create(&thread, &attr, dump_thread, NULL) == 0;
	if (ok)
		pthread_setname_np(thread, "kfdscope-dump");
	else
		__atomic_store_n(&dumper_of, 0, __ATOMIC_RELAXED);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return ok;
}

bool statedump_request(void)
{
	const bool ok = dumper_start();

	if (ok)
		sem_post(&wanted);
	return ok;
}

/* The probe; the session is LTTng-UST's business, and all recordings get the dump. */
static void on_statedump_start(void *data, void *session)
{
	(void)data;
	(void)session;
	stacks_recording_started();
	(void)statedump_request(); /* without a thread the recording lacks the state */
}

void statedump_forked(void)
{
	sem_init(&wanted, 0, 0);
	incident_forked();
}

void statedump_init(void)
{
	sem_init(&wanted, 0, 0);
	/* The signature is LTTng-UST's own, which it compares as text. */
	(void)lttng_ust_tracepoint_provider_register("lttng_ust_statedump", "start",
						     (void (*)(void))on_statedump_start, NULL,
						     "struct lttng_ust_session *, session");
}
