/* SPDX-License-Identifier: MIT */
/* Memory in which a write or read outside an object shows. */
#ifndef KFDSCOPE_TESTS_ABI_GUARDED_AREA_H
#define KFDSCOPE_TESTS_ABI_GUARDED_AREA_H

#include <stdbool.h>
#include <stddef.h>

/* Where the object lies in the accessible pages, which lie between two inaccessible ones. */
enum placement { PLACED_IN_THE_MIDDLE, PLACED_AT_THE_END, PLACED_AT_THE_START, PLACEMENT_COUNT };

struct guarded_area {
	unsigned char *mapping, *pages, *object;
	size_t mapping_size, pages_size, object_size;
};

/*
 * Makes an area for an object of the given size: the object is filled with 0x5A, the rest of its
 * pages with 0xA5. Ends the test program when there is no memory.
 */
void guarded_area_init(struct guarded_area *area, size_t object_size, enum placement placement);

/* True when all bytes outside the object are as they were. */
bool guarded_area_intact(const struct guarded_area *area);

/* True when the object's bytes are as they were. */
bool guarded_area_object_untouched(const struct guarded_area *area);

void guarded_area_fini(struct guarded_area *area);

#endif
