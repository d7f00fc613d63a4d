/* SPDX-License-Identifier: MIT */
/* How all text reports say sizes, times, counts, processes and stacks. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_TEXT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_TEXT_H

#include <glib.h>
#include <stdio.h>

#include "model/model.h"
#include "output/stackview.h"

/* Writes a text and empties it, so that long ones need not be in memory. @return 0 or -errno. */
int text_write(GString *text, FILE *stream);
/* "104857600 bytes (100.0 MiB)"; the unit in brackets only from 1 KiB on. */
void text_bytes(GString *text, uint64_t bytes);
/* "1 block", "2 blocks". */
void text_count(GString *text, uint64_t count, const char *singular, const char *plural);
/* Nanoseconds with a fitting unit: "850 ns", "12.3 us", "4.56 ms", "1.234 s". */
void text_duration(GString *text, int64_t duration_ns);
/* A moment, as seconds since the recording's first event: "+1.234567 s". */
void text_moment(GString *text, const struct model *model, int64_t time_ns);
/* "NAME (pid 123)", with the host and the instance where they tell something. */
void text_process(GString *text, const struct process *process);
/* "device memory on node 1 (gpu 4660)". */
void text_place(GString *text, const struct site *site);
/*
 * The call chain, innermost first, one frame a line: ioctl, API function, then the stack.
 * @param indent  blanks in front of each line.
 */
void text_chain(GString *text, int indent, const struct call_type *ioctl,
		const struct call_type *type, const struct stackview *view);
/* " in FUNCTION at FILE:LINE" of the application's own frame; nothing when there is none. */
void text_caller(GString *text, const struct stackview *view);
/* The name of an errno value: "EBUSY"; "errno 999" when it has none. */
void text_errno(GString *text, uint32_t os_errno);
/* The name of an HSAKMT_STATUS without its prefix; "status 99" when it has none. */
void text_status(GString *text, uint32_t status);

#endif
