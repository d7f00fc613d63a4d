/* SPDX-License-Identifier: MIT */
/* Which address ranges were mapped through the fake device and are still there. */
#include "fake_internal.h"

#include <string.h>

static void range_insert(struct fake_device *fake, size_t index, uint64_t start, uint64_t end)
{
	fake->ranges = fake_grow(fake->ranges, fake->range_count, &fake->range_room,
				 sizeof(*fake->ranges));
	memmove(&fake->ranges[index + 1], &fake->ranges[index],
		(fake->range_count - index) * sizeof(*fake->ranges));
	fake->ranges[index] = (struct fake_range){ start, end };
	fake->range_count++;
}

void fake_ranges_remove(struct fake_device *fake, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < fake->range_count;) {
		struct fake_range *range = &fake->ranges[i];
		struct fake_range old = *range;

		if (old.end <= start || old.start >= end) {
			i++;
			continue;
		}
		memmove(range, range + 1, (fake->range_count - i - 1) * sizeof(*range));
		fake->range_count--;
		if (old.start < start)
			range_insert(fake, i++, old.start, start);
		if (old.end > end)
			range_insert(fake, i++, end, old.end);
	}
}

void fake_ranges_add(struct fake_device *fake, uint64_t start, uint64_t end)
{
	size_t i = 0;

	fake_ranges_remove(fake, start, end);
	while (i < fake->range_count && fake->ranges[i].start < start)
		i++;
	range_insert(fake, i, start, end);
}

unsigned int fake_device_live_maps(const struct fake_device *fake)
{
	return (unsigned int)fake->range_count;
}

uint64_t fake_device_live_map_bytes(const struct fake_device *fake)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < fake->range_count; i++)
		bytes += fake->ranges[i].end - fake->ranges[i].start;
	return bytes;
}
