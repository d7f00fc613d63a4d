/* SPDX-License-Identifier: MIT */
/*
 * Numbers calls thread by thread and says which events are to be made. Between begin (or end) that
 * returned true and fire, the thread is busy: signal handlers and nested calls then go untraced.
 */
#include "trace.h"

#include <errno.h>

const struct trace_provider *trace_provider;
__thread struct trace_thread trace_thread __attribute__((tls_model("initial-exec")));

/* A handler that interrupts the thread must see the flag in program order. */
static bool making_begin(struct trace_thread *thread)
{
	if (thread->busy)
		return false;
	thread->busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->saved_errno = errno;
	return true;
}

static void making_end(struct trace_thread *thread)
{
	errno = thread->saved_errno;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->busy = false;
}

/* The rest of begin and end: keeps the thread busy when the event is wanted. */
static bool making_wanted(struct trace_thread *thread, enum trace_event number)
{
	const struct trace_provider *provider = trace_provider_get();

	if (provider && trace_enabled(provider, number)) {
		trace_schema_once(provider);
		return true;
	}
	making_end(thread);
	return false;
}

bool trace_call_begin(struct trace_call *call, enum trace_event entry)
{
	struct trace_thread *thread = &trace_thread;

	if (!making_begin(thread))
		return false;
	call->number = ++thread->api_calls;
	call->outer_number = thread->api_call;
	call->outer_errno = thread->os_errno;
	call->outer_has_stack = thread->api_has_stack;
	thread->api_call = call->number;
	thread->os_errno = 0;
	thread->api_has_stack = false;
	return making_wanted(thread, entry);
}

bool trace_call_end(struct trace_call *call, enum trace_event leave)
{
	struct trace_thread *thread = &trace_thread;

	if (thread->has_reads)
		trace_reads_flush();
	call->os_errno = 0;
	thread->maker.caller = NULL;
	thread->maker.stack = 0;
	if (!making_begin(thread))
		return false;
	if (call->number) {
		call->os_errno = thread->os_errno;
		thread->api_call = call->outer_number;
		thread->os_errno = call->outer_errno;
		thread->api_has_stack = call->outer_has_stack;
	}
	return making_wanted(thread, leave);
}

void trace_call_fire(enum trace_event number, const void *event)
{
	const struct trace_provider *provider = trace_provider_get();

	if (provider)
		provider->fire[number](event);
	making_end(&trace_thread);
}

/* Each begin has its end, and a provider that is in use stays so. */
static void device_depth_add(int32_t change)
{
	const struct trace_provider *provider = trace_provider_get();

	if (provider)
		*provider->device_depth() += (uint32_t)change;
}

void trace_incident(enum trace_incident kind, const char *call, int32_t status)
{
	const struct trace_provider *provider = trace_provider_get();
	const int saved_errno = errno;

	if (provider)
		provider->incident(kind, call, status);
	errno = saved_errno;
}

bool trace_point_begin(enum trace_event number)
{
	return making_begin(&trace_thread) && making_wanted(&trace_thread, number);
}

bool trace_device_begin(struct trace_device_call *call, const void *caller, enum trace_event entry)
{
	struct trace_thread *thread = &trace_thread;

	if (thread->has_reads)
		trace_reads_flush();
	device_depth_add(1);
	if (!making_begin(thread))
		return false;
	call->number = ++thread->device_calls;
	call->api_call = thread->api_call;
	call->caller = caller;
	return making_wanted(thread, entry);
}

bool trace_device_end(struct trace_device_call *call, enum trace_event leave, int os_errno)
{
	struct trace_thread *thread = &trace_thread;

	device_depth_add(-1);
	if (os_errno)
		thread->os_errno = os_errno;
	if (!call->number)
		call->api_call = thread->api_call;
	return making_begin(thread) && making_wanted(thread, leave);
}
