/* SPDX-License-Identifier: MIT */
/*
 * The one place where the library may print: lines on stderr up to the level that the user asked
 * for, none by default. Nothing is allocated and errno is kept, so that it may be called anywhere.
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic int stderr_level; /* 0: silent */
static _Atomic kmt_log_sink current_sink;

void kmt_log_read_level(const char *variable)
{
	const char *value = getenv(variable);
	char *end;
	long level;

	if (!value || !*value)
		return;
	level = strtol(value, &end, 10);
	if (*end == '\0' && (level == KMT_LOG_ERR || level == KMT_LOG_WARNING ||
			     level == KMT_LOG_INFO || level == KMT_LOG_DEBUG))
		stderr_level = (int)level;
}

void kmt_log_set_sink(kmt_log_sink sink)
{
	current_sink = sink;
}

void kmt_log(enum kmt_log_level level, const char *format, ...)
{
	kmt_log_sink sink = current_sink;
	int saved_errno = errno;
	char line[512];
	va_list args;
	int length;

	if ((int)level > stderr_level && !sink)
		return;
	va_start(args, format);
	length = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (length < 0)
		goto out;
	if ((size_t)length > sizeof(line) - 2)
		length = (int)sizeof(line) - 2;
	if (sink)
		sink(level, line);
	if ((int)level <= stderr_level) {
		line[length++] = '\n';
		/* There is nobody to tell when stderr is closed. */
		if (write(STDERR_FILENO, line, (size_t)length) < 0)
			goto out;
	}
out:
	errno = saved_errno;
}
