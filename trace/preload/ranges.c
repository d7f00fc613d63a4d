/* SPDX-License-Identifier: MIT */
/*
 * Where mappings of devices begin: a hash set of page numbers with linear probing, full or not without
 * a lock. A range that finds no place is not followed: its munmap then makes no event.
 */
#include "preload/preload.h"

enum {
	SLOTS = 65536, /* a power of two */
	PROBES = 64,
	PAGE_SHIFT = 12,
};

#define GONE 1 /* a slot that was in use; not a page number of anybody's */

static uint64_t slots[SLOTS]; /* page numbers; 0: never used */
static uint32_t used;         /* so that programs without any pay one load */

static uint32_t first_slot(uint64_t page)
{
	return (uint32_t)(page * 0x9E3779B97F4A7C15ULL >> 40) & (SLOTS - 1);
}

static uint64_t *find(uint64_t page)
{
	const uint32_t first = first_slot(page);

	for (uint32_t i = 0; i < PROBES; i++) {
		uint64_t *slot = &slots[(first + i) & (SLOTS - 1)];
		const uint64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (there == page)
			return slot;
		if (there == 0)
			return NULL;
	}
	return NULL;
}

void preload_range_add(uint64_t address)
{
	const uint64_t page = address >> PAGE_SHIFT;
	const uint32_t first = first_slot(page);

	if (page <= GONE || find(page))
		return;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint64_t *slot = &slots[(first + i) & (SLOTS - 1)];
		uint64_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (there > GONE)
			continue;
		if (__atomic_compare_exchange_n(slot, &there, page, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
			return;
		}
	}
}

bool preload_range_take(uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT;
	uint64_t *slot;

	if (__atomic_load_n(&used, __ATOMIC_RELAXED) == 0)
		return false;
	slot = find(page);
	if (!slot || !__atomic_compare_exchange_n(slot, &page, GONE, false, __ATOMIC_RELAXED,
						  __ATOMIC_RELAXED))
		return false;
	__atomic_fetch_sub(&used, 1, __ATOMIC_RELAXED);
	return true;
}

bool preload_range_known(uint64_t address)
{
	return __atomic_load_n(&used, __ATOMIC_RELAXED) != 0 && find(address >> PAGE_SHIFT) != NULL;
}
