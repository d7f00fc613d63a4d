/* SPDX-License-Identifier: MIT */
/*
 * The HIP runtime's copy and fill kernels (its "blit" program), by the names and signatures they
 * have in 5.2.3. A kernel of such a name with other arguments is left alone: it is of another
 * version, and doing something wrong would be worse than doing nothing.
 */
#include "model/gpu/kernel.h"

#define MAX_PATTERN_BYTES 4096u
#define MAX_ARGS          10

/* One launch: its arguments, and which work items there are in each dimension. */
struct launch {
	struct gpu_work *work;
	uint64_t arg[MAX_ARGS][4]; /* scalars in [0], vectors of four */
	uint64_t first[3], end[3]; /* global ids */
};

struct hip_kernel {
	const char *symbol; /* of its descriptor */
	uint32_t arg_count;
	uint8_t arg_bytes[MAX_ARGS];
	enum gpu_kernel_result (*run)(const struct launch *launch);
};

static enum gpu_kernel_result result(bool ok)
{
	return ok ? GPU_KERNEL_DONE : GPU_KERNEL_FAULT;
}

/* The ids of a dimension that are below limit. */
static uint64_t end_below(const struct launch *launch, unsigned int dim, uint64_t limit)
{
	return launch->end[dim] < limit ? launch->end[dim] : limit;
}

/*
 * copyBuffer: source, target, their offsets in bytes, number of items, remainder. With remainder 8
 * an item is a byte; else it is four bytes, but the last one has only `remainder` of them.
 */
static enum gpu_kernel_result run_copy(const struct launch *launch)
{
	uint64_t src = launch->arg[0][0] + launch->arg[2][0];
	uint64_t dst = launch->arg[1][0] + launch->arg[3][0];
	uint64_t items = launch->arg[4][0], remainder = (uint32_t)launch->arg[5][0];
	uint64_t first = launch->first[0], end = end_below(launch, 0, items), first_byte, end_byte;

	if (first >= end)
		return GPU_KERNEL_DONE;
	if (remainder == 8) {
		first_byte = first;
		end_byte = end;
	} else {
		first_byte = 4 * first;
		end_byte = end == items ? 4 * (items - 1) + remainder : 4 * end;
	}
	return result(
		gpu_copy(launch->work, dst + first_byte, src + first_byte, end_byte - first_byte));
}

/* copyBufferAligned: as before, but all in elements of 16 or 4 bytes, which the last one tells. */
static enum gpu_kernel_result run_copy_aligned(const struct launch *launch)
{
	uint64_t element = (uint32_t)launch->arg[5][0] == 16 ? 16 : 4;
	uint64_t first = launch->first[0], end = end_below(launch, 0, launch->arg[4][0]);
	uint64_t src = launch->arg[0][0] + (launch->arg[2][0] + first) * element;
	uint64_t dst = launch->arg[1][0] + (launch->arg[3][0] + first) * element;

	if (first >= end)
		return GPU_KERNEL_DONE;
	return result(gpu_copy(launch->work, dst, src, (end - first) * element));
}

/* Source, target, then row pitch, slice pitch and offset of each, then the extent; in elements. */
static enum gpu_kernel_result copy_rect(const struct launch *launch, uint64_t element)
{
	const uint64_t *src = launch->arg[2], *dst = launch->arg[3], *size = launch->arg[4];
	uint64_t x = launch->first[0], end_x = end_below(launch, 0, size[0]);
	uint64_t end_y = end_below(launch, 1, size[1]), end_z = end_below(launch, 2, size[2]);

	if (x >= end_x)
		return GPU_KERNEL_DONE;
	for (uint64_t z = launch->first[2]; z < end_z; z++) {
		for (uint64_t y = launch->first[1]; y < end_y; y++) {
			uint64_t from = x + y * src[0] + z * src[1] + src[2];
			uint64_t to = x + y * dst[0] + z * dst[1] + dst[2];

			if (!gpu_copy(launch->work, launch->arg[1][0] + to * element,
				      launch->arg[0][0] + from * element, (end_x - x) * element))
				return GPU_KERNEL_FAULT;
		}
	}
	return GPU_KERNEL_DONE;
}

static enum gpu_kernel_result run_copy_rect(const struct launch *launch)
{
	return copy_rect(launch, 1);
}

static enum gpu_kernel_result run_copy_rect_aligned(const struct launch *launch)
{
	return copy_rect(launch, launch->arg[4][3] == 16 ? 16 : 4);
}

/* What the fills have in common: the target comes as one of four pointers, by element size. */
struct fill {
	uint64_t dst, element;
	uint64_t pattern_elements;
	unsigned char pattern[MAX_PATTERN_BYTES];
};

static enum gpu_kernel_result fill_read(const struct launch *launch, struct fill *fill)
{
	static const unsigned int order[] = { 3, 2, 1, 0 }; /* widest first */

	fill->dst = 0;
	for (unsigned int i = 0; i < 4 && !fill->dst; i++) {
		fill->dst = launch->arg[order[i]][0];
		fill->element = 1ull << order[i];
	}
	fill->pattern_elements = (uint32_t)launch->arg[5][0];
	if (fill->pattern_elements * fill->element > MAX_PATTERN_BYTES)
		return GPU_KERNEL_UNKNOWN;
	return result(gpu_read(launch->work, launch->arg[4][0], fill->pattern,
			       fill->pattern_elements * fill->element));
}

/* fillBufferAligned: pointers, pattern, its length, offset, how many patterns. */
static enum gpu_kernel_result run_fill(const struct launch *launch)
{
	uint64_t first = launch->first[0], end = end_below(launch, 0, launch->arg[7][0]), pattern;
	struct fill fill;
	enum gpu_kernel_result ready = fill_read(launch, &fill);

	if (ready != GPU_KERNEL_DONE || first >= end || !fill.pattern_elements)
		return ready;
	pattern = fill.pattern_elements * fill.element;
	return result(gpu_fill(launch->work,
			       fill.dst + launch->arg[6][0] * fill.element + first * pattern,
			       fill.pattern, pattern, (end - first) * pattern));
}

/* fillBufferAligned2D: pointers, pattern, its length, offset, width, height, pitch; in elements. */
static enum gpu_kernel_result run_fill_2d(const struct launch *launch)
{
	uint64_t first = launch->first[0], end_x = end_below(launch, 0, launch->arg[7][0]);
	uint64_t end_y = end_below(launch, 1, launch->arg[8][0]), pitch = launch->arg[9][0];
	struct fill fill;
	enum gpu_kernel_result ready = fill_read(launch, &fill);

	if (ready != GPU_KERNEL_DONE || first >= end_x || !fill.pattern_elements)
		return ready;
	if (fill.pattern_elements > 1) /* the items overwrite each other: no defined result */
		return GPU_KERNEL_UNKNOWN;
	for (uint64_t y = launch->first[1]; y < end_y; y++) {
		uint64_t index = launch->arg[6][0] + y * pitch + first;

		if (!gpu_fill(launch->work, fill.dst + index * fill.element, fill.pattern,
			      fill.element, (end_x - first) * fill.element))
			return GPU_KERNEL_FAULT;
	}
	return GPU_KERNEL_DONE;
}

/* streamOpsWrite: pointer to 32 bits or else to 64, value, size. */
static enum gpu_kernel_result run_stream_write(const struct launch *launch)
{
	if (launch->arg[0][0])
		return result(
			gpu_store32(launch->work, launch->arg[0][0], (uint32_t)launch->arg[2][0]));
	return result(gpu_store64(launch->work, launch->arg[1][0], launch->arg[2][0]));
}

/* streamOpsWait: pointer to 32 bits or else to 64, value, condition, mask. */
static enum gpu_kernel_result run_stream_wait(const struct launch *launch)
{
	bool narrow = launch->arg[0][0];
	uint64_t value = launch->arg[2][0], mask = launch->arg[4][0], found = 0;
	uint32_t low = 0;
	bool met = true;

	if (narrow ? !gpu_load32(launch->work, launch->arg[0][0], &low)
		   : !gpu_load64(launch->work, launch->arg[1][0], &found))
		return GPU_KERNEL_FAULT;
	if (narrow) {
		found = low;
		value = (uint32_t)value;
		mask = (uint32_t)mask;
	}
	switch (launch->arg[3][0]) {
	case 0: /* at least */
		met = (found & mask) >= value;
		break;
	case 1: /* equal */
		met = (found & mask) == value;
		break;
	case 2: /* any bit */
		met = found & mask & value;
		break;
	case 3: /* a bit that is in neither */
		met = ((found | value) & mask) != mask;
		break;
	default:
		break;
	}
	return met ? GPU_KERNEL_DONE : GPU_KERNEL_WAIT;
}

static enum gpu_kernel_result run_nothing(const struct launch *launch)
{
	(void)launch;
	return GPU_KERNEL_DONE;
}

/* clang-format off */
static const struct hip_kernel kernels[] = {
	{ "__amd_rocclr_copyBuffer.kd",            6, { 8, 8, 8, 8, 8, 4 },             run_copy },
	{ "__amd_rocclr_copyBufferAligned.kd",     6, { 8, 8, 8, 8, 8, 4 },             run_copy_aligned },
	{ "__amd_rocclr_copyBufferRect.kd",        5, { 8, 8, 32, 32, 32 },             run_copy_rect },
	{ "__amd_rocclr_copyBufferRectAligned.kd", 5, { 8, 8, 32, 32, 32 },             run_copy_rect_aligned },
	{ "__amd_rocclr_fillBufferAligned.kd",     8, { 8, 8, 8, 8, 8, 4, 8, 8 },       run_fill },
	{ "__amd_rocclr_fillBufferAligned2D.kd",  10, { 8, 8, 8, 8, 8, 4, 8, 8, 8, 8 }, run_fill_2d },
	{ "__amd_rocclr_streamOpsWrite.kd",        4, { 8, 8, 8, 8 },                   run_stream_write },
	{ "__amd_rocclr_streamOpsWait.kd",         5, { 8, 8, 8, 8, 8 },                run_stream_wait },
	/* sets up a barrier between work groups, which nobody here will use */
	{ "__amd_rocclr_gwsInit.kd",               1, { 4 },                            run_nothing },
};
/* clang-format on */

static bool same_signature(const struct hip_kernel *kernel, const struct gpu_signature *signature)
{
	if (signature->arg_count != kernel->arg_count)
		return false;
	for (uint32_t i = 0; i < kernel->arg_count; i++) {
		if (signature->arg[i].size_bytes != kernel->arg_bytes[i])
			return false;
	}
	return true;
}

/* Reads arguments and id ranges. @return false on a fault. */
static bool launch_read(struct launch *launch, const struct gpu_dispatch *dispatch,
			const struct gpu_signature *signature)
{
	uint32_t dims = dispatch->setup & 3;

	for (uint32_t i = 0; i < signature->arg_count; i++) {
		if (!gpu_read(launch->work, dispatch->kernarg + signature->arg[i].offset,
			      launch->arg[i], signature->arg[i].size_bytes))
			return false;
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (signature->global_offset[i] != GPU_SIGNATURE_NONE &&
		    !gpu_read(launch->work, dispatch->kernarg + signature->global_offset[i],
			      &launch->first[i], sizeof(launch->first[i])))
			return false;
		launch->end[i] = launch->first[i] + (i < dims ? dispatch->grid[i] : 1);
	}
	return true;
}

/* The entry of the kernel whose descriptor is here. */
static const struct hip_kernel *find(struct gpu_work *work, const struct gpu_code_object *object,
				     uint64_t kernel_object)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		uint64_t va = 0;

		if (gpu_code_object_symbol(work, object, kernels[i].symbol, &va) &&
		    va == kernel_object)
			return &kernels[i];
	}
	return NULL;
}

enum gpu_kernel_result gpu_kernel_run_hip(struct gpu_work *work,
					  const struct gpu_dispatch *dispatch,
					  const struct gpu_code_object *object)
{
	struct launch launch = { .work = work };
	struct gpu_signature signature;
	const struct hip_kernel *kernel;

	kernel = find(work, object, dispatch->kernel_object);
	if (!kernel || !gpu_code_object_signature(work, object, kernel->symbol, &signature) ||
	    !same_signature(kernel, &signature))
		return GPU_KERNEL_UNKNOWN;
	if (!launch_read(&launch, dispatch, &signature))
		return GPU_KERNEL_FAULT;
	return kernel->run(&launch);
}
