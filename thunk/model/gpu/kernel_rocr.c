/* SPDX-License-Identifier: MIT */
/*
 * ROCr's copy and fill shaders. They are bare code without a name; what tells them is the shape of
 * their arguments: addresses that rise from phase to phase, with the same steps on both sides, and
 * the number of work items behind them, which has to be the dispatch's own.
 */
#include <string.h>

#include "model/gpu/kernel.h"

/* Copy between addresses of the same alignment: bytes, vectors, words, bytes. */
struct copy_aligned {
	uint64_t src1, dst1, src2, dst2, src3, dst3, src4, dst4, src_end, dst_end;
	uint32_t items;
};

/* Copy between others: bytes many at a time, bytes. */
struct copy_misaligned {
	uint64_t src1, dst1, src2, dst2, src_end, dst_end;
	uint32_t items;
};

/* Fill of words: many at a time, one at a time. */
struct fill {
	uint64_t dst1, dst2, dst_end;
	uint32_t value, items;
};

union args {
	struct copy_aligned aligned;
	struct copy_misaligned misaligned;
	struct fill fill;
};

#define ALIGNED_BYTES    84u /* without what the compiler adds at the end */
#define MISALIGNED_BYTES 52u
#define FILL_BYTES       32u

/* Whether points[0..pairs) are pairs (source, target) that never fall and keep their distance. */
static bool rise_together(const uint64_t *points, unsigned int pairs)
{
	for (unsigned int i = 1; i < pairs; i++) {
		uint64_t src_step = points[2 * i] - points[2 * i - 2];
		uint64_t dst_step = points[2 * i + 1] - points[2 * i - 1];

		if (points[2 * i] < points[2 * i - 2] || src_step != dst_step)
			return false;
	}
	return points[0] && points[1] && points[2 * (pairs - 1)] > points[0];
}

static bool is_aligned(const struct copy_aligned *args, uint32_t items)
{
	const uint64_t points[] = {
		args->src1, args->dst1, args->src2, args->dst2,    args->src3,
		args->dst3, args->src4, args->dst4, args->src_end, args->dst_end
	};

	return args->items == items && rise_together(points, 5);
}

static bool is_misaligned(const struct copy_misaligned *args, uint32_t items)
{
	const uint64_t points[] = { args->src1, args->dst1,    args->src2,
				    args->dst2, args->src_end, args->dst_end };

	return args->items == items && rise_together(points, 3);
}

static bool is_fill(const struct fill *args, uint32_t items)
{
	return args->items == items && args->dst1 && args->dst1 <= args->dst2 &&
	       args->dst2 <= args->dst_end && args->dst1 < args->dst_end &&
	       (args->dst_end - args->dst1) % sizeof(uint32_t) == 0;
}

static enum gpu_kernel_result result(bool ok)
{
	return ok ? GPU_KERNEL_DONE : GPU_KERNEL_FAULT;
}

/* Reads arguments of one shape; there may be no more memory behind a shorter one. */
static bool read_args(struct gpu_work *work, uint64_t va, union args *args, uint64_t size_bytes)
{
	struct gpu_work quiet = *work;

	memset(args, 0, sizeof(*args));
	return gpu_read(&quiet, va, args, size_bytes);
}

enum gpu_kernel_result gpu_kernel_run_rocr(struct gpu_work *work,
					   const struct gpu_dispatch *dispatch)
{
	uint64_t va = dispatch->kernarg;
	uint32_t items = dispatch->grid[0];
	union args args;

	if ((dispatch->setup & 3) != 1 || !va)
		return GPU_KERNEL_UNKNOWN;
	if (read_args(work, va, &args, ALIGNED_BYTES) && is_aligned(&args.aligned, items))
		return result(gpu_copy(work, args.aligned.dst1, args.aligned.src1,
				       args.aligned.src_end - args.aligned.src1));
	if (read_args(work, va, &args, MISALIGNED_BYTES) && is_misaligned(&args.misaligned, items))
		return result(gpu_copy(work, args.misaligned.dst1, args.misaligned.src1,
				       args.misaligned.src_end - args.misaligned.src1));
	if (read_args(work, va, &args, FILL_BYTES) && is_fill(&args.fill, items))
		return result(gpu_fill(work, args.fill.dst1, &args.fill.value,
				       sizeof(args.fill.value),
				       args.fill.dst_end - args.fill.dst1));
	return GPU_KERNEL_UNKNOWN;
}
