/* SPDX-License-Identifier: MIT */
/* Levels within the scope (scope.h). */
#include "scope.h"

#include <glib.h>

/* Time goes on to a change: what lasted until then was there when the scope began, or ended. */
static void usage_pass(struct usage *usage, const struct scope *scope, int64_t time_ns)
{
	if (scope->begin_ns && !usage->is_begun && time_ns >= scope->begin_ns) {
		usage->is_begun = true;
		usage->peak_bytes = usage->live_bytes;
		usage->peak_ns = scope->begin_ns;
	}
	if (!usage->is_over && scope_is_over(scope, time_ns)) {
		usage->is_over = true;
		usage->end_bytes = usage->live_bytes;
		usage->end_count = usage->live_count;
	}
}

void usage_add(struct usage *usage, const struct scope *scope, uint64_t bytes, int64_t time_ns)
{
	usage_pass(usage, scope, time_ns);
	usage->live_bytes += bytes;
	usage->live_count++;
	if (!usage->is_over && usage->live_bytes > usage->peak_bytes) {
		usage->peak_bytes = usage->live_bytes;
		usage->peak_ns = time_ns;
	}
}

void usage_sub(struct usage *usage, const struct scope *scope, uint64_t bytes, int64_t time_ns)
{
	usage_pass(usage, scope, time_ns);
	usage->live_bytes -= MIN(bytes, usage->live_bytes);
	if (usage->live_count)
		usage->live_count--;
}

struct usage usage_result(const struct usage *usage, const struct scope *scope)
{
	struct usage result = *usage;

	usage_pass(&result, scope, INT64_MAX);
	if (!result.is_over)
		return result;
	result.live_bytes = result.end_bytes;
	result.live_count = result.end_count;
	return result;
}
