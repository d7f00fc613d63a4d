/* SPDX-License-Identifier: MIT */
/*
 * The next definitions of libc's functions. They are looked up when this object is loaded, or at their
 * first use, since other libraries' constructors may run before ours. Not later: a look-up takes the
 * loader's lock, which a dlopen() of another thread may hold while it waits for the caller's locks.
 * While a look-up is under way, what it calls itself (an allocator that maps memory) is done by the
 * system call at once.
 */
#ifndef KFDSCOPE_TRACE_PRELOAD_REAL_H
#define KFDSCOPE_TRACE_PRELOAD_REAL_H

#include <stddef.h>

/* @return the next definition; NULL while this thread is looking one up. */
void *real_next(void **slot, const char *name);

/* One use of REAL(); all of them are in the section real_uses. */
struct real_use {
	void **slot;
	const char *name;
};

/* REAL(close, int (*)(int)) is the next close(), or NULL. */
#define REAL(function, type)                                                                       \
	({                                                                                         \
		static void *slot;                                                                 \
		static struct real_use use                                                         \
			__attribute__((section("real_uses"), used)) = { &slot, #function };        \
		void *real = __atomic_load_n(&slot, __ATOMIC_RELAXED);                             \
                                                                                                   \
		(type)(real ? real : real_next(use.slot, use.name));                               \
	})

#endif
