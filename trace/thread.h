/* SPDX-License-Identifier: MIT */
/* Threads of our own in the traced program. */
#ifndef KFDSCOPE_TRACE_THREAD_H
#define KFDSCOPE_TRACE_THREAD_H

#include <stdbool.h>

/*
 * Starts a detached thread with a small stack. All signals stay with the program's threads.
 * @param name  at most 15 characters, as debuggers show it.
 * @return false without memory or threads.
 */
bool trace_thread_start(void *(*body)(void *), const char *name);

#endif
