/* SPDX-License-Identifier: MIT */
/*
 * The search for addresses of a reserved SVM range (memory.md 5.3). A map that the kernel does not
 * make where it is asked to tells nothing about the next place, and there are half a million of
 * them below 1 TiB: the process's own list of mappings says where asking makes sense.
 */
#include "memory/fmm_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define TWO_MIB  (2ull << 20)
#define FOUR_GIB (4ull << 30)
/*
 * Places that are tried for one length although the list calls them free: one may be taken meanwhile,
 * the kernel keeps a gap below stacks, and there may be no list.
 */
#define TRIES_MAX 1024

/* What lies below the limit, in order, neighbours joined. */
struct taken {
	struct range {
		uint64_t start, end;
	} * ranges; /* owned */
	size_t count, capacity;
};

static bool add(struct taken *taken, uint64_t start, uint64_t end)
{
	struct range *last = taken->count ? &taken->ranges[taken->count - 1] : NULL;

	if (last && start <= last->end) {
		last->end = end > last->end ? end : last->end;
		return true;
	}
	if (taken->count == taken->capacity) {
		size_t capacity = taken->capacity ? 2 * taken->capacity : 64;
		struct range *ranges = realloc(taken->ranges, capacity * sizeof(*ranges));

		if (!ranges)
			return false;
		taken->ranges = ranges;
		taken->capacity = capacity;
	}
	taken->ranges[taken->count++] = (struct range){ .start = start, .end = end };
	return true;
}

/* As far as it can be told: what is not in the list is found out by asking. */
static void read_taken(struct taken *taken, uint64_t limit)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t size = 0;
	uint64_t start, end;

	while (maps && getline(&line, &size, maps) > 0)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) != 2 || start > limit ||
		    !add(taken, start, end))
			break;
	free(line);
	if (maps)
		fclose(maps);
}

/* First end of a mapping behind which a range that begins at start would not overlap it; or 0. */
static uint64_t end_of_obstacle(const struct taken *taken, uint64_t start, uint64_t size_bytes)
{
	for (size_t i = 0; i < taken->count && taken->ranges[i].start < start + size_bytes; i++)
		if (taken->ranges[i].end > start)
			return taken->ranges[i].end;
	return 0;
}

/*
 * Asks for a range at one start address. @return -ENOMEM when this length is hopeless, 0 otherwise;
 * out->size_bytes tells whether at least half of the range lies below the limit.
 */
static int try_start(struct kmt_context *ctx, uint64_t start, uint64_t size_bytes, uint64_t limit,
		     struct fmm_reservation *out)
{
	void *mapped = kmt_mmap(ctx, (void *)(uintptr_t)start, size_bytes, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t got = (uintptr_t)mapped;

	if (mapped == MAP_FAILED)
		return -ENOMEM;
	if (got + (size_bytes + 1) / 2 - 1 <= limit)
		*out = (struct fmm_reservation){ .start = got, .size_bytes = size_bytes };
	else
		kmt_munmap(ctx, mapped, size_bytes);
	return 0;
}

/* The start addresses for one length, those that are free. */
static struct fmm_reservation try_length(struct kmt_context *ctx, const struct taken *taken,
					 uint64_t length, uint64_t base, uint64_t limit)
{
	uint64_t page = kmt_process()->page_size_bytes, start = base;
	struct fmm_reservation found = { 0 };

	for (int tries = 0; tries < TRIES_MAX && start + (length + 1) / 2 - 1 <= limit;) {
		uint64_t room = limit + 1 - start;
		uint64_t size = (length < room ? length : room) & ~(page - 1);
		uint64_t obstacle = end_of_obstacle(taken, start, size);

		if (size < FOUR_GIB)
			break;
		if (obstacle) {
			start = kmt_round_up(obstacle, TWO_MIB);
			continue;
		}
		if (try_start(ctx, start, size, limit, &found) != 0 || found.size_bytes)
			break;
		start += TWO_MIB;
		tries++;
	}
	return found;
}

struct fmm_reservation fmm_svm_reserve(struct kmt_context *ctx, uint64_t base, uint64_t limit)
{
	struct fmm_reservation found = { 0 };
	struct taken taken = { 0 };

	read_taken(&taken, limit);
	for (uint64_t length = limit - base + 1; length >= FOUR_GIB; length = (length + 1) / 2) {
		found = try_length(ctx, &taken, length, base, limit);
		if (found.size_bytes)
			break;
	}
	free(taken.ranges);
	if (!found.size_bytes)
		return found;
	if (found.start > limit || limit - found.start + 1 < FOUR_GIB) {
		kmt_munmap(ctx, (void *)(uintptr_t)found.start, found.size_bytes);
		found.size_bytes = 0;
	} else if (found.size_bytes > limit - found.start + 1) {
		uint64_t keep = (limit - found.start + 1) & ~(kmt_process()->page_size_bytes - 1);

		kmt_munmap(ctx, (void *)(uintptr_t)(found.start + keep), found.size_bytes - keep);
		found.size_bytes = keep;
	}
	return found;
}
