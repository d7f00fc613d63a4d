/* SPDX-License-Identifier: MIT */
/*
 * Who makes an object (maker.h). In the number are from above: its place in the order of all objects (which
 * begins anew after 2^32), the function's entry event, and the number of the stack.
 */
#include "maker.h"

#include <errno.h>
#include <string.h>

enum { STACK_BITS = 20, EVENT_BITS = 12 };
_Static_assert(TRACE_EVENT_COUNT <= 1 << EVENT_BITS, "every event fits");

static bool is_kept(const struct trace_provider *provider)
{
	const struct trace_options *options = trace_options();

	return provider && options->keeps && options->stacks_at && options->stack_depth;
}

/*
 * Unlike an event's stack this one may be walked after the call that it names has ended; then the
 * caller is not found, and nothing is known rather than something wrong.
 */
static uint32_t walk_from(const struct trace_provider *provider, const void *caller)
{
	const int depth = (int)trace_options()->stack_depth;
	uint64_t frames[TRACE_STACK_CAP + TRACE_STACK_OWN];
	const int count = provider->walk(frames, depth + TRACE_STACK_OWN);
	int skip = 0, length;

	while (skip < count && frames[skip] != (uint64_t)(uintptr_t)caller)
		skip++;
	if (skip >= count || skip >= TRACE_STACK_OWN)
		return 0;
	length = count - skip;
	return provider->stack_number(frames + skip, length < depth ? length : depth,
				      length > depth);
}

uint64_t trace_maker_of(enum trace_event entry, const void *caller)
{
	const struct trace_provider *provider = trace_provider_get();
	struct trace_thread *thread = &trace_thread;
	uint32_t number = 0, order;
	int saved_errno;

	if (!is_kept(provider) || !caller)
		return 0;
	/* A recording has just walked the very stack. */
	if (thread->maker.caller == caller && thread->maker.entry == entry)
		number = thread->maker.stack;
	if (!number && !thread->busy) {
		saved_errno = errno;
		thread->busy = true;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		number = walk_from(provider, caller);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		thread->busy = false;
		errno = saved_errno;
	}
	if (!number || number >> STACK_BITS)
		return 0;
	order = __atomic_add_fetch(provider->order, 1, __ATOMIC_RELAXED);
	return (uint64_t)order << (STACK_BITS + EVENT_BITS) | (uint64_t)entry << STACK_BITS |
	       number;
}

uint64_t trace_maker_here(void)
{
	return trace_maker_of(trace_thread.maker.entry, trace_thread.maker.caller);
}

void trace_maker_tell(uint64_t maker, struct trace_made_by *out)
{
	const struct trace_provider *provider = trace_provider_get();
	const enum trace_event entry =
		(enum trace_event)(maker >> STACK_BITS & ((1U << EVENT_BITS) - 1));
	const uint32_t number = maker & ((1U << STACK_BITS) - 1);
	const char *name, *end;
	size_t length;

	memset(out->name, 0, sizeof(out->name));
	out->order = 0;
	out->stack.length = 0;
	out->stack.is_truncated = false;
	if (!maker || !provider || entry >= TRACE_EVENT_COUNT ||
	    !provider->stack_get(number, &out->stack))
		return;
	out->order = maker >> (STACK_BITS + EVENT_BITS);
	name = provider->name(entry);
	end = strstr(name, "_entry");
	length = end ? (size_t)(end - name) : strlen(name);
	memcpy(out->name, name, length < sizeof(out->name) ? length : sizeof(out->name) - 1);
}
