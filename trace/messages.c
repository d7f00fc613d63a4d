/* SPDX-License-Identifier: MIT */
/* What the thunk says goes into the recording, too, whatever is shown on stderr. */
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "trace.h"
#include "values.h"

static const char *level_name(enum kmt_log_level level)
{
	switch (level) {
	case KMT_LOG_ERR:
		return "error";
	case KMT_LOG_WARNING:
		return "warning";
	case KMT_LOG_INFO:
		return "info";
	case KMT_LOG_DEBUG:
		return "debug";
	}
	return "?";
}

static void tell(enum kmt_log_level level, const char *message)
{
	const char *name = level_name(level);
	struct kmt_state_message event = { .api_call = trace_thread.api_call };

	if (!trace_point_begin(TRACE_kmt_state_message))
		return;
	trace_text(event.level, sizeof(event.level), name, strlen(name));
	trace_text(event.text, sizeof(event.text), message, strlen(message));
	trace_call_fire(TRACE_kmt_state_message, &event);
}

void messages_begin(void)
{
	kmt_log_set_sink(tell);
}
