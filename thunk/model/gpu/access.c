/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses of the engines, span by span through the host's translate(). Ring pointers,
 * signals and polled words are accessed with single-copy atomics because the program's threads use
 * them at the same time; everything else is plain bytes.
 */
#include "model/gpu/access.h"

#include <string.h>

void gpu_refuse(struct gpu_work *work, uint64_t va, bool write)
{
	if (work->faulted)
		return;
	work->faulted = true;
	work->fault_va = va;
	work->fault_write = write;
}

/* At most *size_bytes from va; less is put there when the mapping ends earlier. */
static unsigned char *span(struct gpu_work *work, uint64_t va, bool write, uint64_t *size_bytes)
{
	uint64_t valid_bytes = 0;
	void *ptr = work->host->translate(work->vm, va, write, &valid_bytes);

	if (!ptr || !valid_bytes) {
		gpu_refuse(work, va, write);
		return NULL;
	}
	if (*size_bytes > valid_bytes)
		*size_bytes = valid_bytes;
	return ptr;
}

void *gpu_pointer(struct gpu_work *work, uint64_t va, uint64_t size_bytes, bool write)
{
	uint64_t got_bytes = size_bytes;
	void *ptr = span(work, va, write, &got_bytes);

	if (!ptr || got_bytes == size_bytes)
		return ptr;
	gpu_refuse(work, va + got_bytes, write);
	return NULL;
}

bool gpu_read(struct gpu_work *work, uint64_t va, void *buf, uint64_t size_bytes)
{
	unsigned char *to = buf;

	while (size_bytes) {
		uint64_t now_bytes = size_bytes;
		unsigned char *from = span(work, va, false, &now_bytes);

		if (!from)
			return false;
		memcpy(to, from, now_bytes);
		to += now_bytes;
		va += now_bytes;
		size_bytes -= now_bytes;
	}
	return true;
}

bool gpu_write(struct gpu_work *work, uint64_t va, const void *buf, uint64_t size_bytes)
{
	const unsigned char *from = buf;

	while (size_bytes) {
		uint64_t now_bytes = size_bytes;
		unsigned char *to = span(work, va, true, &now_bytes);

		if (!to)
			return false;
		memcpy(to, from, now_bytes);
		from += now_bytes;
		va += now_bytes;
		size_bytes -= now_bytes;
	}
	return true;
}

bool gpu_copy(struct gpu_work *work, uint64_t dst, uint64_t src, uint64_t size_bytes)
{
	while (size_bytes) {
		uint64_t now_bytes = size_bytes;
		unsigned char *from = span(work, src, false, &now_bytes);
		unsigned char *to = from ? span(work, dst, true, &now_bytes) : NULL;

		if (!to)
			return false;
		memmove(to, from, now_bytes);
		src += now_bytes;
		dst += now_bytes;
		size_bytes -= now_bytes;
	}
	return true;
}

bool gpu_swap(struct gpu_work *work, uint64_t a, uint64_t b, uint64_t size_bytes)
{
	unsigned char hold[4096];

	while (size_bytes) {
		uint64_t now_bytes = size_bytes < sizeof(hold) ? size_bytes : sizeof(hold);

		if (!gpu_read(work, a, hold, now_bytes) || !gpu_copy(work, a, b, now_bytes) ||
		    !gpu_write(work, b, hold, now_bytes))
			return false;
		a += now_bytes;
		b += now_bytes;
		size_bytes -= now_bytes;
	}
	return true;
}

/* Fills one span, beginning `phase` bytes into the pattern. */
static void fill_span(unsigned char *to, uint64_t size_bytes, const unsigned char *pattern,
		      size_t pattern_bytes, size_t phase)
{
	uint64_t done = size_bytes < pattern_bytes ? size_bytes : pattern_bytes;

	for (uint64_t i = 0; i < done; i++)
		to[i] = pattern[(phase + i) % pattern_bytes];
	while (done < size_bytes) { /* done is a multiple of the pattern: doubling keeps phase */
		uint64_t now_bytes = done < size_bytes - done ? done : size_bytes - done;

		memcpy(to + done, to, now_bytes);
		done += now_bytes;
	}
}

bool gpu_fill(struct gpu_work *work, uint64_t dst, const void *pattern, size_t pattern_bytes,
	      uint64_t size_bytes)
{
	size_t phase = 0;

	while (size_bytes) {
		uint64_t now_bytes = size_bytes;
		unsigned char *to = span(work, dst, true, &now_bytes);

		if (!to)
			return false;
		fill_span(to, now_bytes, pattern, pattern_bytes, phase);
		phase = (phase + now_bytes) % pattern_bytes;
		dst += now_bytes;
		size_bytes -= now_bytes;
	}
	return true;
}

bool gpu_load32(struct gpu_work *work, uint64_t va, uint32_t *out)
{
	const uint32_t *ptr;

	if (va % sizeof(*ptr))
		return gpu_read(work, va, out, sizeof(*out));
	ptr = gpu_pointer(work, va, sizeof(*ptr), false);
	if (ptr)
		*out = __atomic_load_n(ptr, __ATOMIC_ACQUIRE);
	return ptr;
}

bool gpu_load64(struct gpu_work *work, uint64_t va, uint64_t *out)
{
	const uint64_t *ptr;

	if (va % sizeof(*ptr))
		return gpu_read(work, va, out, sizeof(*out));
	ptr = gpu_pointer(work, va, sizeof(*ptr), false);
	if (ptr)
		*out = __atomic_load_n(ptr, __ATOMIC_ACQUIRE);
	return ptr;
}

bool gpu_store32(struct gpu_work *work, uint64_t va, uint32_t value)
{
	uint32_t *ptr;

	if (va % sizeof(*ptr))
		return gpu_write(work, va, &value, sizeof(value));
	ptr = gpu_pointer(work, va, sizeof(*ptr), true);
	if (ptr)
		__atomic_store_n(ptr, value, __ATOMIC_RELEASE);
	return ptr;
}

bool gpu_store64(struct gpu_work *work, uint64_t va, uint64_t value)
{
	uint64_t *ptr;

	if (va % sizeof(*ptr))
		return gpu_write(work, va, &value, sizeof(value));
	ptr = gpu_pointer(work, va, sizeof(*ptr), true);
	if (ptr)
		__atomic_store_n(ptr, value, __ATOMIC_RELEASE);
	return ptr;
}

bool gpu_compare(uint32_t func, uint64_t value, uint64_t reference)
{
	switch (func) {
	case 0:
		return true;
	case 1:
		return value < reference;
	case 2:
		return value <= reference;
	case 3:
		return value == reference;
	case 4:
		return value != reference;
	case 5:
		return value >= reference;
	case 6:
		return value > reference;
	default:
		return true; /* reserved: the hardware's "always" as well */
	}
}
