/* SPDX-License-Identifier: MIT */
/* A heap that fails on demand and counts what is alive: linked in by --wrap. */
#ifndef KFDSCOPE_TESTS_COUNTED_ALLOC_H
#define KFDSCOPE_TESTS_COUNTED_ALLOC_H

#include <stdbool.h>

/* Starts counting; the n-th allocation from now fails (0: none). */
void counted_alloc_begin(unsigned int fail_nth);
/* Stops. @return allocations minus frees since the begin. */
long counted_alloc_end(void);
/* Whether the failure asked for came to pass. */
bool counted_alloc_failed(void);

#endif
