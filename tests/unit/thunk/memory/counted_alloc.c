/* SPDX-License-Identifier: MIT */
/* The wrapped heap. Blocks that the fake device takes meanwhile are its log's, and not counted. */
#include "counted_alloc.h"

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *block);

static bool counting;
static unsigned int left; /* allocations until the failure; 0: none is due */
static long alive;

static bool refuse(void)
{
	return counting && left && --left == 0;
}

static void *count(void *block)
{
	alive += counting && block;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return refuse() ? NULL : count(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return refuse() ? NULL : count(__real_calloc(n, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return refuse() ? NULL : count(__real_aligned_alloc(align, size));
}

void __wrap_free(void *block)
{
	alive -= counting && block;
	__real_free(block);
}

void counted_alloc_begin(unsigned int fail_nth)
{
	left = fail_nth;
	alive = 0;
	counting = true;
}

long counted_alloc_end(void)
{
	counting = false;
	return alive;
}

bool counted_alloc_failed(void)
{
	return left == 0;
}
