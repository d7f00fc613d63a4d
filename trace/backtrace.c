/* SPDX-License-Identifier: MIT */
/*
 * Stacks for events: the provider walks, this file decides when, how deep, and where the caller's
 * frames begin. One walk serves an API call; the ioctls inside it do not repeat it.
 */
#include <stdlib.h>
#include <string.h>

#include "trace.h"

enum { STACK_DEPTH_DEFAULT = 32 };

static struct trace_options options = {
	.stack_depth = STACK_DEPTH_DEFAULT,
	.stacks_at = TRACE_STACKS_API | TRACE_STACKS_ALONE,
};

const struct trace_options *trace_options(void)
{
	return &options;
}

void trace_options_read(void)
{
	static const struct {
		const char *name;
		uint32_t stacks_at;
	} places[] = {
		{ "api", TRACE_STACKS_API },
		{ "ioctl", TRACE_STACKS_IOCTL },
		{ "all", TRACE_STACKS_API | TRACE_STACKS_IOCTL },
		{ "none", 0 },
	};
	const char *depth = getenv("KFDSCOPE_STACK_DEPTH");
	const char *where = getenv("KFDSCOPE_STACKS");
	char *end = NULL;

	if (depth && *depth) {
		unsigned long value = strtoul(depth, &end, 10);

		if (*end == '\0')
			options.stack_depth =
				value < TRACE_STACK_CAP ? (uint32_t)value : TRACE_STACK_CAP;
	}
	for (size_t i = 0; where && i < sizeof(places) / sizeof(places[0]); i++) {
		if (strcmp(where, places[i].name) == 0)
			options.stacks_at = places[i].stacks_at;
	}
}

static void stack_clear(struct trace_stack *stack)
{
	stack->first = stack->frames;
	stack->length = 0;
	stack->is_truncated = 0;
}

/* Drops the frames inside the library: all before the address that the caller returns to. */
static void stack_walk(struct trace_stack *stack, const void *caller)
{
	const struct trace_provider *provider = trace_provider_get();
	const int capacity = (int)options.stack_depth + TRACE_STACK_OWN;
	int skip = 0;
	int count;

	stack_clear(stack);
	if (!provider || !options.stack_depth)
		return;
	count = provider->walk(stack->frames, capacity);
	while (skip < count && skip < TRACE_STACK_OWN &&
	       stack->frames[skip] != (uint64_t)(uintptr_t)caller)
		skip++;
	/* Not found where it must be: the walk went wrong, and the address itself is still right. */
	if (skip == count || skip == TRACE_STACK_OWN) {
		stack->frames[0] = (uint64_t)(uintptr_t)caller;
		stack->length = 1;
		stack->is_truncated = 1;
		return;
	}
	stack->first = stack->frames + skip;
	stack->is_truncated = count == capacity || count - skip > (int)options.stack_depth;
	stack->length =
		(uint16_t)(count - skip > (int)options.stack_depth ? (int)options.stack_depth
								   : count - skip);
}

void trace_stack_of_call(struct trace_stack *stack, const void *caller)
{
	if (options.stacks_at & TRACE_STACKS_API)
		stack_walk(stack, caller);
	else
		stack_clear(stack);
	trace_thread.api_has_stack = stack->length > 0;
}

void trace_stack_of_device_call(struct trace_stack *stack, const struct trace_device_call *call)
{
	const bool is_alone = !call->api_call || !trace_thread.api_has_stack;

	if ((options.stacks_at & TRACE_STACKS_IOCTL) ||
	    ((options.stacks_at & TRACE_STACKS_ALONE) && is_alone))
		stack_walk(stack, call->caller);
	else
		stack_clear(stack);
}
