/* SPDX-License-Identifier: MIT */
/* Walks the calling thread's stack. */
#ifndef KFDSCOPE_TRACEPOINTS_WALKER_H
#define KFDSCOPE_TRACEPOINTS_WALKER_H

#include <stdint.h>

/* Finds libunwind; called before the first walk where possible, and harmless twice. */
void walker_init(void);
/* "libunwind", or "backtrace" without that library. */
const char *walker_name(void);
/*
 * @param frames  return addresses, innermost first; our own are among them.
 * @return how many, at most capacity; below 1 when nothing could be walked.
 */
int walker_walk(uint64_t *frames, int capacity);

#endif
