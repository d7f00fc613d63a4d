/* SPDX-License-Identifier: MIT */
/*
 * The libc functions that the preload object covers. PRELOAD_REAL(open) declares real_open(), which
 * returns the next definition, looked up when this object is loaded, or when first used: constructors
 * of other libraries may run before ours. Not later: a look-up takes the loader's lock, which a
 * dlopen() of another thread may hold while it waits for the caller's locks.
 */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_REAL_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_REAL_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

/* @return the next definition of a symbol, or NULL. */
static inline void *preload_next(_Atomic(void *) *slot, const char *name)
{
	void *symbol = atomic_load_explicit(slot, memory_order_relaxed);

	if (!symbol) {
		symbol = dlsym(RTLD_NEXT, name);
		atomic_store_explicit(slot, symbol, memory_order_relaxed);
	}
	return symbol;
}

#define PRELOAD_REAL(name, type)                                                                   \
	static type real_##name(void)                                                              \
	{                                                                                          \
		static _Atomic(void *) slot;                                                       \
                                                                                                   \
		return (type)preload_next(&slot, #name);                                           \
	}                                                                                          \
                                                                                                   \
	static void __attribute__((constructor)) real_find_##name(void)                            \
	{                                                                                          \
		(void)real_##name(); /* one that is missing is looked for again */                 \
	}

#define PRELOAD_EXPORT __attribute__((visibility("default")))

#endif
