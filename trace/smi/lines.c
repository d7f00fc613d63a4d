/* SPDX-License-Identifier: MIT */
/* A small scanner, and for each event the pattern of its body. */
#include "smi/lines.h"

#include <string.h>

#include "hsakmt/linux/kfd_ioctl.h"

enum { PAGE_SHIFT = 12, DECIMAL = 10, HEX = 16 };

/* What is left of a line; ok stays false after the first thing that is not as it must be. */
struct scan {
	const char *at, *end;
	bool ok;
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static uint64_t number(struct scan *scan, int base, uint64_t max)
{
	uint64_t value = 0;
	const char *begin = scan->at;

	while (scan->at < scan->end) {
		const int next = digit(*scan->at);

		if (next < 0 || next >= base)
			break;
		if (value > (max - (uint64_t)next) / (uint64_t)base)
			scan->ok = false; /* too large for what it is */
		value = value * (uint64_t)base + (uint64_t)next;
		scan->at++;
	}
	scan->ok = scan->ok && scan->at > begin;
	return scan->ok ? value : 0;
}

static uint64_t hex(struct scan *scan)
{
	return number(scan, HEX, UINT64_MAX);
}

static uint32_t hex32(struct scan *scan)
{
	return (uint32_t)number(scan, HEX, UINT32_MAX);
}

static uint32_t decimal32(struct scan *scan)
{
	return (uint32_t)number(scan, DECIMAL, UINT32_MAX);
}

static uint64_t pages(struct scan *scan)
{
	return number(scan, HEX, UINT64_MAX >> PAGE_SHIFT) << PAGE_SHIFT;
}

static void expect(struct scan *scan, const char *text)
{
	const size_t length = strlen(text);

	scan->ok = scan->ok && (size_t)(scan->end - scan->at) >= length &&
		   memcmp(scan->at, text, length) == 0;
	if (scan->ok)
		scan->at += length;
}

static bool is_at(const struct scan *scan, char c)
{
	return scan->ok && scan->at < scan->end && *scan->at == c;
}

/* One of two letters. @return true for the first one. */
static bool letter(struct scan *scan, char yes, char no)
{
	const bool is_yes = is_at(scan, yes);

	scan->ok = is_yes || is_at(scan, no);
	if (scan->ok)
		scan->at++;
	return is_yes;
}

/* All that is left. */
static void rest(struct scan *scan, char to[SMI_TEXT_BYTES])
{
	const size_t length = (size_t)(scan->end - scan->at);

	scan->ok = scan->ok && length < SMI_TEXT_BYTES && !memchr(scan->at, '\0', length);
	if (!scan->ok)
		return;
	memcpy(to, scan->at, length);
	to[length] = '\0';
	scan->at = scan->end;
}

/* "ns -pid ": the sign is no part of the number. */
static void stamp(struct scan *scan, struct smi_line *line)
{
	line->boottime_ns = number(scan, DECIMAL, UINT64_MAX);
	expect(scan, " -");
	line->pid = decimal32(scan);
	expect(scan, " ");
}

/* "@start(size) " */
static void range(struct scan *scan, struct smi_line *line)
{
	expect(scan, "@");
	line->address = pages(scan);
	expect(scan, "(");
	line->size_bytes = pages(scan);
	expect(scan, ") ");
}

static void from_to(struct scan *scan, struct smi_line *line)
{
	line->from = hex32(scan);
	expect(scan, "->");
	line->to = hex32(scan);
	expect(scan, " ");
}

static void task(struct scan *scan, struct smi_line *line, const char *separator)
{
	line->pid = hex32(scan);
	expect(scan, separator);
	rest(scan, line->text);
}

static void throttle(struct scan *scan, struct smi_line *line)
{
	line->bitmask = hex(scan);
	expect(scan, ":");
	line->counter = hex(scan);
}

/* The cause is newer. */
static void reset(struct scan *scan, struct smi_line *line)
{
	line->sequence = hex32(scan);
	if (!is_at(scan, ' '))
		return;
	scan->at++;
	rest(scan, line->text);
}

static void migrate_start(struct scan *scan, struct smi_line *line)
{
	stamp(scan, line);
	range(scan, line);
	from_to(scan, line);
	line->prefetch = hex32(scan);
	expect(scan, ":");
	line->preferred = hex32(scan);
	expect(scan, " ");
	line->trigger = decimal32(scan);
}

static void migrate_end(struct scan *scan, struct smi_line *line)
{
	bool is_negative;

	stamp(scan, line);
	range(scan, line);
	from_to(scan, line);
	line->trigger = decimal32(scan);
	if (!is_at(scan, ' '))
		return;
	scan->at++;
	is_negative = is_at(scan, '-');
	scan->at += is_negative;
	line->has_error = true;
	line->error = (int32_t)number(scan, DECIMAL, INT32_MAX);
	line->error = is_negative ? -line->error : line->error;
}

static void page_fault(struct scan *scan, struct smi_line *line)
{
	const bool is_start = line->event == KFD_SMI_EVENT_PAGE_FAULT_START;

	stamp(scan, line);
	expect(scan, "@");
	line->address = pages(scan);
	expect(scan, "(");
	line->node = hex32(scan);
	expect(scan, ") ");
	if (is_start)
		line->is_write = letter(scan, 'W', 'R');
	else
		line->is_migrated = letter(scan, 'M', 'U');
}

static void eviction(struct scan *scan, struct smi_line *line)
{
	stamp(scan, line);
	line->node = hex32(scan);
	expect(scan, " ");
	line->trigger = decimal32(scan);
}

/* Older drivers end behind the node. */
static void restore(struct scan *scan, struct smi_line *line)
{
	stamp(scan, line);
	line->node = hex32(scan);
	if (!is_at(scan, ' ') || scan->at + 1 == scan->end)
		return;
	scan->at++;
	line->is_rescheduled = letter(scan, 'R', '0');
}

static void unmap(struct scan *scan, struct smi_line *line)
{
	stamp(scan, line);
	range(scan, line);
	line->node = hex32(scan);
	expect(scan, " ");
	line->trigger = decimal32(scan);
}

static void body(struct scan *scan, struct smi_line *line)
{
	switch (line->event) {
	case KFD_SMI_EVENT_VMFAULT:
		task(scan, line, ":");
		break;
	case KFD_SMI_EVENT_THERMAL_THROTTLE:
		throttle(scan, line);
		break;
	case KFD_SMI_EVENT_GPU_PRE_RESET:
	case KFD_SMI_EVENT_GPU_POST_RESET:
		reset(scan, line);
		break;
	case KFD_SMI_EVENT_MIGRATE_START:
		migrate_start(scan, line);
		break;
	case KFD_SMI_EVENT_MIGRATE_END:
		migrate_end(scan, line);
		break;
	case KFD_SMI_EVENT_PAGE_FAULT_START:
	case KFD_SMI_EVENT_PAGE_FAULT_END:
		page_fault(scan, line);
		break;
	case KFD_SMI_EVENT_QUEUE_EVICTION:
		eviction(scan, line);
		break;
	case KFD_SMI_EVENT_QUEUE_RESTORE:
		restore(scan, line);
		break;
	case KFD_SMI_EVENT_UNMAP_FROM_GPU:
		unmap(scan, line);
		break;
	case KFD_SMI_EVENT_PROCESS_START:
	case KFD_SMI_EVENT_PROCESS_END:
		task(scan, line, " ");
		break;
	default:
		scan->ok = false;
	}
}

bool smi_line_parse(const char *text, size_t length, struct smi_line *line)
{
	struct scan scan = { .at = text, .end = text + length, .ok = true };

	memset(line, 0, sizeof(*line));
	line->event = hex32(&scan);
	expect(&scan, " ");
	if (scan.ok)
		body(&scan, line);
	/* A blank at the end is no part of a body. */
	while (scan.ok && scan.at < scan.end && *scan.at == ' ')
		scan.at++;
	return scan.ok && scan.at == scan.end;
}
