/* SPDX-License-Identifier: MIT */
/*
 * libunwind's cached walk, an eighth of the cost of glibc's (trace-compass.md 9.7). It is opened
 * here and not linked: libunwind.so.8 defines _Unwind_* without versions, and in the global scope
 * those would stand in for libgcc's in programs that throw C++ exceptions.
 */
#include "walker.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>

typedef int (*walk_function)(void **buffer, int size);

static int find_and_walk(void **buffer, int size);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static walk_function walk = find_and_walk; /* relaxed atomic; replaced once */
static const char *name;

static void find(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	walk_function found = library ? (walk_function)dlsym(library, "unw_backtrace") : NULL;
	void *frame;

	name = found ? "libunwind" : "backtrace";
	if (!found)
		found = backtrace;
	/* The first walk loads and allocates what later ones need. */
	(void)found(&frame, 1);
	__atomic_store_n(&walk, found, __ATOMIC_RELAXED);
}

static int find_and_walk(void **buffer, int size)
{
	walker_init();
	return __atomic_load_n(&walk, __ATOMIC_RELAXED)(buffer, size);
}

void walker_init(void)
{
	pthread_once(&once, find);
}

const char *walker_name(void)
{
	walker_init();
	return name;
}

int walker_walk(uint64_t *frames, int capacity)
{
	_Static_assert(sizeof(*frames) == sizeof(void *), "addresses fill a frame");
	/* A tail call: a frame less to walk. */
	return __atomic_load_n(&walk, __ATOMIC_RELAXED)((void **)frames, capacity);
}
