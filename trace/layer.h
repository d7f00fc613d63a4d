/* SPDX-License-Identifier: MIT */
/*
 * What the objects that stand in front of other libraries have in common: they use the provider that is
 * in the process, and find the functions behind their own. They are preloaded, so nothing may depend on
 * their constructors having run.
 */
#ifndef KFDSCOPE_TRACE_LAYER_H
#define KFDSCOPE_TRACE_LAYER_H

#include "trace.h"
#include "values.h"

#define LAYER_API __attribute__((visibility("default")))

/* A function behind one of ours; found at its first call. */
struct layer_function {
	const char *name;
	void *real;
};

/*
 * Finds the next definition of a function behind this object, or the one in a library that was loaded
 * for others only (RTLD_LOCAL), as Python does with its modules. Keeps errno.
 *
 * @param library  how the file name of that library begins; NULL: no library in particular.
 * @return NULL when the process does not have it, so far.
 */
void *layer_find(struct layer_function *function, const char *library);

/* The same, remembering what was found. */
static inline void *layer_real(struct layer_function *function, const char *library)
{
	void *real = __atomic_load_n(&function->real, __ATOMIC_ACQUIRE);

	return __builtin_expect(real != NULL, 1) ? real : layer_find(function, library);
}

#endif
