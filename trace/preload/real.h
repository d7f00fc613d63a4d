/* SPDX-License-Identifier: MIT */
/*
 * The next definitions of libc's functions. They are looked up when first used, since other libraries'
 * constructors may run before ours; and while a look-up is under way, what it calls itself (an
 * allocator that maps memory) is done by the system call at once.
 */
#ifndef KFDSCOPE_TRACE_PRELOAD_REAL_H
#define KFDSCOPE_TRACE_PRELOAD_REAL_H

#include <stddef.h>

/* @return the next definition; NULL while this thread is looking one up. */
void *real_next(void **slot, const char *name);

/* REAL(close, int (*)(int)) is the next close(), or NULL. */
#define REAL(name, type)                                                                           \
	({                                                                                         \
		static void *slot;                                                                 \
		void *real = __atomic_load_n(&slot, __ATOMIC_RELAXED);                             \
                                                                                                   \
		(type)(real ? real : real_next(&slot, #name));                                     \
	})

#endif
