/* SPDX-License-Identifier: MIT */
/* Quantiles without keeping every value (latency.h). */
#include "model/latency.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* Buckets: 32 a power of two; below 64 ns one each. */
#define SUB_BITS 5u

/* How many durations fell into a bucket. */
struct cell {
	uint32_t bucket, count;
};

/* Durations of one kind lie near each other: of nearly 2000 buckets, few are in use. */
struct latency_histogram {
	uint32_t used, room;
	struct cell cells[]; /* by rising bucket */
};

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

/* The durations, while there is no histogram. */
static const int64_t *durations(const struct latency *latency)
{
	return latency->exact ? latency->exact : latency->few;
}

/* @return where the bucket is, or would have to be. */
static uint32_t find_cell(const struct latency_histogram *histogram, uint32_t bucket)
{
	uint32_t low = 0, high = histogram->used;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (histogram->cells[middle].bucket < bucket)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_to_bucket(struct latency *latency, uint32_t bucket, uint32_t count)
{
	struct latency_histogram *histogram = latency->histogram;
	uint32_t at = find_cell(histogram, bucket);

	if (at < histogram->used && histogram->cells[at].bucket == bucket) {
		histogram->cells[at].count += count;
		return;
	}
	if (histogram->used == histogram->room) {
		histogram->room *= 2;
		histogram = g_realloc(histogram,
				      sizeof(*histogram) + histogram->room * sizeof(struct cell));
		latency->histogram = histogram;
	}
	memmove(&histogram->cells[at + 1], &histogram->cells[at],
		(histogram->used++ - at) * sizeof(struct cell));
	histogram->cells[at] = (struct cell){ bucket, count };
}

static void to_histogram(struct latency *latency, uint64_t count)
{
	enum { ROOM = 16 };
	const int64_t *exact = durations(latency);

	latency->histogram = g_malloc(sizeof(*latency->histogram) + ROOM * sizeof(struct cell));
	*latency->histogram = (struct latency_histogram){ .room = ROOM };
	for (uint64_t i = 0; i < count; i++)
		add_to_bucket(latency, bucket_of(exact[i]), 1);
	g_free(latency->exact);
	latency->exact = NULL;
}

/* Makes room for so many exact durations when there are count; the room doubles each time. */
static int64_t *make_room(struct latency *latency, uint64_t count, uint64_t wanted)
{
	uint64_t room = LATENCY_FEW, enough;

	while (room < count)
		room *= 2;
	if (wanted <= room)
		return latency->exact ? latency->exact : latency->few;
	for (enough = room; enough < wanted; enough *= 2)
		continue;
	if (latency->exact)
		return latency->exact = g_renew(int64_t, latency->exact, enough);
	latency->exact = g_new(int64_t, enough);
	memcpy(latency->exact, latency->few, count * sizeof(latency->few[0]));
	return latency->exact;
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
	if (latency->histogram)
		add_to_bucket(latency, bucket_of(duration_ns), 1);
	else
		make_room(latency, index, index + 1)[index] = duration_ns;
}

void latency_merge(struct latency *latency, const struct latency *other)
{
	uint64_t before = latency->count;
	const int64_t *exact = durations(other);

	if (other->count == 0)
		return;
	if (!latency->histogram && !other->histogram && before + other->count <= LATENCY_EXACT) {
		memcpy(make_room(latency, before, before + other->count) + before, exact,
		       other->count * sizeof(exact[0]));
	} else {
		if (!latency->histogram)
			to_histogram(latency, before);
		for (uint32_t i = 0; other->histogram && i < other->histogram->used; i++)
			add_to_bucket(latency, other->histogram->cells[i].bucket,
				      other->histogram->cells[i].count);
		for (uint64_t i = 0; !other->histogram && i < other->count; i++)
			add_to_bucket(latency, bucket_of(exact[i]), 1);
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
		memcpy(sorted, durations(latency), latency->count * sizeof(sorted[0]));
		qsort(sorted, latency->count, sizeof(sorted[0]), compare_ns);
		return sorted[rank - 1];
	}
	for (uint32_t i = 0; i < latency->histogram->used; i++) {
		seen += latency->histogram->cells[i].count;
		if (seen >= rank)
			return CLAMP(bucket_value(latency->histogram->cells[i].bucket),
				     latency->min_ns, latency->max_ns);
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
