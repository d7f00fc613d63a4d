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
	.stacks_at = TRACE_STACKS_API | TRACE_STACKS_MEMORY | TRACE_STACKS_ALONE,
	.keeps = true,
};

const struct trace_options *trace_options(void)
{
	return &options;
}

/* How many samples a second make sense: more would be the program's main business. */
static uint32_t queue_hz(const char *text)
{
	enum { HZ_MAX = 1000 };
	char *end = NULL;
	unsigned long value = text ? strtoul(text, &end, 10) : 0;

	if (!text || end == text || *end != '\0')
		return 0;
	return value < HZ_MAX ? (uint32_t)value : HZ_MAX;
}

/* One word of KFDSCOPE_STACKS. */
static void read_stacks(const char *word, size_t length)
{
	static const struct {
		const char *name;
		uint32_t stacks_at;
	} places[] = {
		{ "api", TRACE_STACKS_API | TRACE_STACKS_MEMORY },
		{ "memory", TRACE_STACKS_MEMORY },
		{ "ioctl", TRACE_STACKS_IOCTL },
		{ "all", TRACE_STACKS_API | TRACE_STACKS_MEMORY | TRACE_STACKS_IOCTL },
		{ "none", 0 },
	};

	if (length == strlen("interned") && strncmp(word, "interned", length) == 0)
		options.interns = true;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (length == strlen(places[i].name) && strncmp(word, places[i].name, length) == 0)
			options.stacks_at = places[i].stacks_at;
	}
}

void trace_options_read(void)
{
	const char *depth = getenv("KFDSCOPE_STACK_DEPTH");
	const char *where = getenv("KFDSCOPE_STACKS");
	const char *smi = getenv("KFDSCOPE_SMI");
	const char *keep = getenv("KFDSCOPE_KEEP_STACKS");
	char *end = NULL;

	options.queue_hz = queue_hz(getenv("KFDSCOPE_QUEUE_HZ"));
	options.smi = smi && strcmp(smi, "1") == 0;
	if (depth && *depth) {
		unsigned long value = strtoul(depth, &end, 10);

		if (*end == '\0')
			options.stack_depth =
				value < TRACE_STACK_CAP ? (uint32_t)value : TRACE_STACK_CAP;
	}
	options.keeps = !keep || strcmp(keep, "0") != 0;
	for (const char *word = where; word && *word; word += strspn(word, ",")) {
		const size_t length = strcspn(word, ",");

		read_stacks(word, length);
		word += length;
	}
}

int trace_stack_capacity(uint32_t at)
{
	if (!(options.stacks_at & at) || !options.stack_depth)
		return 0;
	return (int)options.stack_depth + TRACE_STACK_OWN;
}

void trace_stack_cut(struct trace_stack *stack, const void *caller, int capacity, int count)
{
	const struct trace_provider *provider = trace_provider_get();
	const int depth = (int)options.stack_depth;
	int skip = 0;

	stack->first = stack->frames;
	stack->length = 0;
	stack->is_truncated = 0;
	stack->number = 0;
	stack->inline_length = 0;
	stack->defined = 0;
	if (!capacity || !provider)
		return;
	while (skip < count && skip < TRACE_STACK_OWN &&
	       stack->frames[skip] != (uint64_t)(uintptr_t)caller)
		skip++;
	/* Not found where it must be: the walk went wrong, and the address itself is still right. */
	if (skip >= count || skip == TRACE_STACK_OWN) {
		stack->frames[0] = (uint64_t)(uintptr_t)caller;
		stack->length = 1;
		stack->is_truncated = 1;
	} else {
		stack->first = stack->frames + skip;
		stack->is_truncated = count == capacity || count - skip > depth;
		stack->length = (uint16_t)(count - skip > depth ? depth : count - skip);
	}
	stack->number =
		provider->stack_number(stack->first, stack->length, stack->is_truncated != 0);
	if (__builtin_expect(options.interns, 0) && provider->stack_define(stack->number))
		stack->defined = stack->number;
	else
		stack->inline_length = stack->length;
}

void trace_stack_of_device_call(struct trace_stack *stack, const struct trace_device_call *call)
{
	const bool is_alone = !call->api_call || !trace_thread.api_has_stack;

	trace_stack_walk(stack, call->caller,
			 is_alone ? TRACE_STACKS_IOCTL | TRACE_STACKS_ALONE : TRACE_STACKS_IOCTL);
}
