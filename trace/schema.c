/* SPDX-License-Identifier: MIT */
/* The event that says who recorded, in what process, and by which schema: the first of each process. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"
#include "values.h"

static int schema_is_told; /* in this process */

/* Reads a small file whole. @return its length, 0 when it cannot be read; to is NUL-terminated. */
static size_t read_small(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = 0;

	if (fd >= 0) {
		length = read(fd, to, size - 1);
		close(fd);
	}
	if (length < 0)
		length = 0;
	to[length] = '\0';
	return (size_t)length;
}

static void fill_command_line(char *to, size_t size)
{
	size_t length = read_small("/proc/self/cmdline", to, size);

	for (size_t i = 0; i + 1 < length; i++) {
		if (to[i] == '\0')
			to[i] = ' ';
	}
}

/* The variables that change what the library does. */
static void fill_environment(char *to, size_t size)
{
	static const char *const prefixes[] = { "HSA_", "HSAKMT_", "KFDSCOPE_", "ROCR_", "HIP_" };
	size_t used = 0;

	to[0] = '\0';
	for (char **env = environ; env && *env; env++) {
		bool is_ours = false;
		int length;

		for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
			is_ours |= strncmp(*env, prefixes[i], strlen(prefixes[i])) == 0;
		if (!is_ours)
			continue;
		length = snprintf(to + used, size - used, "%s%s", used ? "\n" : "", *env);
		if (length < 0 || used + (size_t)length >= size) {
			to[used] = '\0';
			return;
		}
		used += (size_t)length;
	}
}

static void fill_limits(struct kmt_state_schema *event)
{
	struct rlimit limit;
	char text[16];

	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
		event->memlock_unlimited = limit.rlim_cur == RLIM_INFINITY;
		event->memlock_bytes = event->memlock_unlimited ? 0 : limit.rlim_cur;
	}
	if (read_small("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text))) {
		event->perf_event_paranoid = atoi(text);
		event->perf_event_paranoid_valid = 1;
	}
}

void trace_schema_emit(const struct trace_provider *provider)
{
	const struct trace_schema_origin origin = trace_schema_origin();
	struct kmt_state_schema event = {
		.schema_major = TRACE_SCHEMA_MAJOR,
		.schema_minor = TRACE_SCHEMA_MINOR,
		.schema_hash = TRACE_SCHEMA_HASH,
		.kfd_major = origin.kfd_major,
		.kfd_minor = origin.kfd_minor,
		.page_size_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
		.pid = getpid(),
		.ppid = getppid(),
		.uid = geteuid(),
		.gid = getegid(),
		.clock_monotonic_id = CLOCK_MONOTONIC,
		.clock_monotonic_raw_id = CLOCK_MONOTONIC_RAW,
		.clock_boottime_id = CLOCK_BOOTTIME,
		.stack_depth = trace_options()->stack_depth,
		.stacks_at = trace_options()->stacks_at,
	};

	if (!trace_enabled(provider, TRACE_kmt_state_schema))
		return;
	__atomic_store_n(&schema_is_told, 1, __ATOMIC_RELAXED);
	trace_text(event.library, sizeof(event.library), origin.library, 63);
	trace_text(event.walker, sizeof(event.walker), provider->walker(), 31);
	fill_limits(&event);
	fill_command_line(event.command_line, sizeof(event.command_line));
	fill_environment(event.environment, sizeof(event.environment));
	provider->fire[TRACE_kmt_state_schema](&event);
}

void trace_schema_once(const struct trace_provider *provider)
{
	if (__atomic_load_n(&schema_is_told, __ATOMIC_RELAXED) ||
	    !trace_enabled(provider, TRACE_kmt_state_schema))
		return;
	if (!__atomic_exchange_n(&schema_is_told, 1, __ATOMIC_RELAXED))
		trace_schema_emit(provider);
}

void trace_schema_forget(void)
{
	__atomic_store_n(&schema_is_told, 0, __ATOMIC_RELAXED);
}
