/* SPDX-License-Identifier: MIT */
/* Objects between guard bytes and inaccessible pages. */
#include "guarded_area.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GUARD_BYTE      0xA5
#define OBJECT_BYTE     0x5A
#define MIN_GUARD_BYTES 64

void guarded_area_init(struct guarded_area *area, size_t object_size, enum placement placement)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	area->object_size = object_size;
	area->pages_size = (object_size + 2 * MIN_GUARD_BYTES + page - 1) / page * page;
	area->mapping_size = area->pages_size + 2 * page;
	area->mapping =
		mmap(NULL, area->mapping_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area->mapping == MAP_FAILED ||
	    mprotect(area->mapping + page, area->pages_size, PROT_READ | PROT_WRITE)) {
		perror("guarded area");
		exit(EXIT_FAILURE);
	}
	area->pages = area->mapping + page;
	switch (placement) {
	case PLACED_AT_THE_END:
		area->object = area->pages + area->pages_size - object_size;
		break;
	case PLACED_AT_THE_START:
		area->object = area->pages;
		break;
	case PLACED_IN_THE_MIDDLE:
	case PLACEMENT_COUNT:
		area->object = area->pages + MIN_GUARD_BYTES;
		break;
	}
	memset(area->pages, GUARD_BYTE, area->pages_size);
	memset(area->object, OBJECT_BYTE, object_size);
}

static bool all_bytes_are(const unsigned char *from, const unsigned char *to, unsigned char byte)
{
	while (from < to)
		if (*from++ != byte)
			return false;
	return true;
}

bool guarded_area_intact(const struct guarded_area *area)
{
	return all_bytes_are(area->pages, area->object, GUARD_BYTE) &&
	       all_bytes_are(area->object + area->object_size, area->pages + area->pages_size,
			     GUARD_BYTE);
}

bool guarded_area_object_untouched(const struct guarded_area *area)
{
	return all_bytes_are(area->object, area->object + area->object_size, OBJECT_BYTE);
}

void guarded_area_fini(struct guarded_area *area)
{
	munmap(area->mapping, area->mapping_size);
}
