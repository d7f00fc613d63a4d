/* SPDX-License-Identifier: MIT */
/* Quantiles without keeping every value (latency.h). */
#include "model/latency.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Buckets: 32 a power of two; below 64 ns one each. */
#define SUB_BITS     5u
#define BUCKET_COUNT ((64u - SUB_BITS) * (1u << SUB_BITS))

static uint32_t bucket_of(int64_t duration_ns)
{
	uint64_t value = duration_ns > 0 ? (uint64_t)duration_ns : 0;
	uint32_t shift;

	if (value < (2u << SUB_BITS))
		return (uint32_t)value;
	shift = 63u - (uint32_t)__builtin_clzll(value) - SUB_BITS;
	return (shift << SUB_BITS) + (uint32_t)(value >> shift);
}

/* The middle of a bucket. */
static int64_t bucket_value(uint32_t bucket)
{
	uint32_t shift;
	uint64_t low;

	if (bucket < (2u << SUB_BITS))
		return bucket;
	shift = (bucket >> SUB_BITS) - 1;
	low = (uint64_t)(bucket - (shift << SUB_BITS)) << shift;
	return (int64_t)(low + ((UINT64_C(1) << shift) >> 1));
}

static void to_histogram(struct latency *latency, uint64_t count)
{
	latency->histogram = g_new0(uint32_t, BUCKET_COUNT);
	for (uint64_t i = 0; i < count; i++)
		latency->histogram[bucket_of(latency->exact[i])]++;
	g_free(latency->exact);
	latency->exact = NULL;
}

void latency_add(struct latency *latency, int64_t duration_ns, int64_t self_ns)
{
	uint64_t index = latency->count++;

	latency->total_ns += duration_ns;
	latency->self_ns += self_ns;
	latency->min_ns = index == 0 ? duration_ns : MIN(latency->min_ns, duration_ns);
	latency->max_ns = index == 0 ? duration_ns : MAX(latency->max_ns, duration_ns);
	if (!latency->histogram && index == LATENCY_EXACT)
		to_histogram(latency, index);
	if (latency->histogram) {
		latency->histogram[bucket_of(duration_ns)]++;
		return;
	}
	/* Full at every power of two: most call paths are gone only a few times. */
	if ((index & (index - 1)) == 0)
		latency->exact = g_renew(int64_t, latency->exact, index ? 2 * index : 1);
	latency->exact[index] = duration_ns;
}

/* How many exact durations there is room for with so many of them: see latency_add(). */
static uint64_t room_for(uint64_t count)
{
	uint64_t room = 1;

	while (room < count)
		room *= 2;
	return room;
}

void latency_merge(struct latency *latency, const struct latency *other)
{
	uint64_t before = latency->count;

	if (other->count == 0)
		return;
	if (!latency->histogram && !other->histogram && before + other->count <= LATENCY_EXACT) {
		latency->exact = g_renew(int64_t, latency->exact, room_for(before + other->count));
		memcpy(latency->exact + before, other->exact, other->count * sizeof(int64_t));
	} else {
		if (!latency->histogram)
			to_histogram(latency, before);
		for (uint32_t i = 0; other->histogram && i < BUCKET_COUNT; i++)
			latency->histogram[i] += other->histogram[i];
		for (uint64_t i = 0; !other->histogram && i < other->count; i++)
			latency->histogram[bucket_of(other->exact[i])]++;
	}
	latency->min_ns = before ? MIN(latency->min_ns, other->min_ns) : other->min_ns;
	latency->max_ns = before ? MAX(latency->max_ns, other->max_ns) : other->max_ns;
	latency->count += other->count;
	latency->total_ns += other->total_ns;
	latency->self_ns += other->self_ns;
}

static int compare_ns(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

int64_t latency_quantile(const struct latency *latency, unsigned int permille)
{
	uint64_t rank = (latency->count * permille + 999) / 1000, seen = 0;
	int64_t sorted[LATENCY_EXACT];

	if (latency->count == 0)
		return 0;
	rank = CLAMP(rank, 1, latency->count);
	if (!latency->histogram) {
		memcpy(sorted, latency->exact, latency->count * sizeof(sorted[0]));
		qsort(sorted, latency->count, sizeof(sorted[0]), compare_ns);
		return sorted[rank - 1];
	}
	for (uint32_t i = 0; i < BUCKET_COUNT; i++) {
		seen += latency->histogram[i];
		if (seen >= rank)
			return CLAMP(bucket_value(i), latency->min_ns, latency->max_ns);
	}
	return latency->max_ns;
}

bool latency_is_exact(const struct latency *latency)
{
	return !latency->histogram;
}

void latency_fini(struct latency *latency)
{
	g_free(latency->exact);
	g_free(latency->histogram);
	memset(latency, 0, sizeof(*latency));
}
