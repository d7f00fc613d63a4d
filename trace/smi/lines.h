/* SPDX-License-Identifier: MIT */
/* The lines of the driver's event stream (kfd.md 9): "EVENT body", read strictly. */
#ifndef KFDSCOPE_TRACE_SMI_LINES_H
#define KFDSCOPE_TRACE_SMI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SMI_TEXT_BYTES = 96 };

/* What a line says; which members have a meaning follows from the event (KFD_SMI_EVENT_*). */
struct smi_line {
	uint32_t event;
	uint64_t boottime_ns;
	uint32_t pid;
	uint64_t address, size_bytes;
	uint32_t node, from, to, prefetch, preferred, trigger;
	uint32_t sequence; /* of a reset */
	uint64_t bitmask, counter;
	bool is_write, is_migrated, is_rescheduled;
	bool has_error;
	int32_t error;
	char text[SMI_TEXT_BYTES]; /* task name or cause */
};

/*
 * Reads one line.
 *
 * @param text  without the newline; length bytes.
 * @return false when it is none of the events, or has not the event's form: the text is then all that
 *         is known.
 */
bool smi_line_parse(const char *text, size_t length, struct smi_line *line);

#endif
