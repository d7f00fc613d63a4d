/* SPDX-License-Identifier: MIT */
/*
 * The thread that met an incident waits for the dump thread, since a program that saw a fault or a
 * failure often ends next, and its state with it. The wait is bounded, whatever holds the library's
 * locks: a program may be late, but never hangs.
 */
#include "incident.h"

#include <errno.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

#define WAIT_MAX_S  1
#define INTERVAL_NS 1000000000

static const struct {
	enum trace_incident kind;
	const char *name;
} kinds[] = {
	{ TRACE_INCIDENT_FAULT, "fault" },
	{ TRACE_INCIDENT_FAILURE, "failure" },
	{ TRACE_INCIDENT_END, "end" },
};

static unsigned int wanted; /* of enum trace_incident */
static int32_t recorder;    /* its process number; 0: none */

/* One incident at a time: whoever sets is_busy writes told, waits, and sets it back. */
static struct kmt_state_dumped told;
static bool is_busy, is_posted;
static struct kmt_state_dumped taken; /* these two are the dump thread's own */
static bool is_taken;
static int64_t last_ns;
static sem_t done;

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static const char *kind_name(enum trace_incident kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return "";
}

/* "4711:fault,failure": whom to tell, and of what. */
void incident_init(void)
{
	const char *text = secure_getenv("KFDSCOPE_SNAPSHOT");
	char *words;

	sem_init(&done, 0, 0);
	if (!text)
		return;
	recorder = (int32_t)strtol(text, &words, 10);
	for (size_t i = 0; *words && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strstr(words, kinds[i].name))
			wanted |= kinds[i].kind;
}

static void wait_for_dump(void)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += WAIT_MAX_S;
	while (sem_clockwait(&done, CLOCK_MONOTONIC, &end) != 0 && errno == EINTR)
		;
}

void incident_tell(enum trace_incident kind, const char *call, int32_t status)
{
	int64_t now;

	if (!(wanted & kind) || !provider_enabled(TRACE_kmt_state_dumped) ||
	    __atomic_exchange_n(&is_busy, true, __ATOMIC_ACQUIRE))
		return;
	now = now_ns();
	/* The end comes once, and shortly after a failure often enough. */
	if (kind != TRACE_INCIDENT_END && last_ns && now - last_ns < INTERVAL_NS) {
		__atomic_store_n(&is_busy, false, __ATOMIC_RELEASE);
		return;
	}
	last_ns = now;
	memset(&told, 0, sizeof(told));
	strncpy(told.incident, kind_name(kind), sizeof(told.incident) - 1);
	strncpy(told.call, call, sizeof(told.call) - 1);
	told.status = status;
	while (sem_trywait(&done) == 0) /* of one that was not waited for to its end */
		;
	__atomic_store_n(&is_posted, true, __ATOMIC_RELEASE);
	if (statedump_request())
		wait_for_dump();
	__atomic_store_n(&is_posted, false, __ATOMIC_RELAXED);
	__atomic_store_n(&is_busy, false, __ATOMIC_RELEASE);
}

void incident_take(void)
{
	is_taken = __atomic_exchange_n(&is_posted, false, __ATOMIC_ACQUIRE);
	if (is_taken)
		taken = told;
	else
		memset(&taken, 0, sizeof(taken));
}

void incident_done(void)
{
	taken.pid = (int32_t)getpid();
	taken.recorder = recorder;
	provider_fire(TRACE_kmt_state_dumped, &taken);
	if (is_taken)
		sem_post(&done);
}

void incident_forked(void)
{
	sem_init(&done, 0, 0);
	is_posted = is_taken = is_busy = false;
}
