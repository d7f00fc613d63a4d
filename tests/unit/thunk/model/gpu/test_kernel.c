/* SPDX-License-Identifier: MIT */
/*
 * The runtimes' own kernels, carried out on the CPU: found by name in a code object or by the shape
 * of their arguments, and compared with what the shader would do, byte for byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "model/gpu/kernel.h"
#include "model/gpu/msgpack.h"

#define IMAGE   (FAKE_BASE + 0x10000)
#define KERNARG (FAKE_BASE + 0x30000)
#define PATTERN (FAKE_BASE + 0x31000)
#define SRC     (FAKE_BASE + 0x40000)
#define DST     (FAKE_BASE + 0x80000)
#define BARE    (FAKE_BASE + 0x8000) /* code without an image around it */

enum {
	COPY,
	COPY_ALIGNED,
	COPY_RECT,
	COPY_RECT_ALIGNED,
	FILL,
	FILL_2D,
	STREAM_WRITE,
	STREAM_WAIT,
	USER,
	KERNEL_COUNT,
};

static const struct code_image_kernel kernels[KERNEL_COUNT] = {
	[COPY] = { "__amd_rocclr_copyBuffer", 6, { 8, 8, 8, 8, 8, 4 } },
	[COPY_ALIGNED] = { "__amd_rocclr_copyBufferAligned", 6, { 8, 8, 8, 8, 8, 4 } },
	[COPY_RECT] = { "__amd_rocclr_copyBufferRect", 5, { 8, 8, 32, 32, 32 } },
	[COPY_RECT_ALIGNED] = { "__amd_rocclr_copyBufferRectAligned", 5, { 8, 8, 32, 32, 32 } },
	[FILL] = { "__amd_rocclr_fillBufferAligned", 8, { 8, 8, 8, 8, 8, 4, 8, 8 } },
	[FILL_2D] = { "__amd_rocclr_fillBufferAligned2D", 10, { 8, 8, 8, 8, 8, 4, 8, 8, 8, 8 } },
	[STREAM_WRITE] = { "__amd_rocclr_streamOpsWrite", 4, { 8, 8, 8, 8 } },
	[STREAM_WAIT] = { "__amd_rocclr_streamOpsWait", 5, { 8, 8, 8, 8, 8 } },
	[USER] = { "_Z6vectorPfS_", 2, { 8, 8 } },
};

struct fixture {
	struct fake_host *host;
	struct code_image image;
	bool keep_want;      /* do not copy memory before the next run */
	unsigned char *want; /* what memory should be afterwards */
	struct gpu_work work;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	void *host;

	assert_non_null(f);
	fake_host_setup(&host);
	f->host = host;
	f->image = code_image_write(f->host, IMAGE, 0, kernels, KERNEL_COUNT);
	f->want = malloc(FAKE_SIZE);
	assert_non_null(f->want);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	void *host = f->host;

	free(f->want);
	free(f);
	return fake_host_teardown(&host);
}

/* Writes argument n of a kernel of the image. */
static void set_arg(struct fixture *f, unsigned int kernel, uint32_t n, const void *data)
{
	memcpy(fake_at(f->host, KERNARG + code_image_arg(&kernels[kernel], n)), data,
	       kernels[kernel].arg_bytes[n]);
}

/* Writes scalars into the arguments from the first on, and the global offsets behind them. */
static void set_args(struct fixture *f, unsigned int kernel, const uint64_t *values,
		     const uint64_t *global_offset)
{
	static const uint64_t none[3];
	uint32_t count = kernels[kernel].arg_count;

	for (uint32_t i = 0; i < count; i++)
		set_arg(f, kernel, i, &values[i]);
	memcpy(fake_at(f->host, KERNARG + code_image_arg(&kernels[kernel], count)),
	       global_offset ? global_offset : none, sizeof(none));
}

static enum gpu_kernel_result run_object(struct fixture *f, uint64_t kernel_object, uint32_t x,
					 uint32_t y, uint32_t z)
{
	struct gpu_dispatch dispatch = { .header = 2,
					 .setup = z   ? 3
						  : y ? 2
						      : 1,
					 .workgroup = { 64, 1, 1 },
					 .grid = { x, y, z },
					 .kernel_object = kernel_object,
					 .kernarg = KERNARG };
	enum gpu_kernel_result result;

	f->work = (struct gpu_work){ .host = &f->host->ops, .vm = f->host, .gfx_version = 90010 };
	if (!f->keep_want)
		memcpy(f->want, f->host->mem, FAKE_SIZE);
	f->host->ops.enter(f->host);
	result = gpu_kernel_run(&f->work, &dispatch);
	f->host->ops.leave(f->host);
	return result;
}

static enum gpu_kernel_result run(struct fixture *f, unsigned int kernel, uint32_t x, uint32_t y,
				  uint32_t z)
{
	return run_object(f, f->image.descriptor + 64 * (uint64_t)kernel, x, y, z);
}

static unsigned char *want(struct fixture *f, uint64_t va)
{
	return f->want + (va - FAKE_BASE);
}

static void check(struct fixture *f, const char *name)
{
	for (uint32_t i = 0; i < FAKE_SIZE; i++) {
		if (f->host->mem[i] != f->want[i])
			fail_msg("%s: byte 0x%x is %02x, not %02x", name, i, f->host->mem[i],
				 f->want[i]);
	}
}

static void copy_buffer_copies_words_and_a_remainder(void **state)
{
	static const struct {
		uint64_t items, remainder, bytes;
	} cases[] = {
		{ 1000, 8, 1000 }, { 251, 3, 1003 }, { 251, 0, 1000 }, { 1, 1, 1 }, { 3, 4, 12 }
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t args[] = { SRC, DST, 5, 77, cases[i].items, cases[i].remainder };

		set_args(f, COPY, args, NULL);
		assert_int_equal(run(f, COPY, 1024, 0, 0), GPU_KERNEL_DONE);
		memcpy(want(f, DST + 77), want(f, SRC + 5), cases[i].bytes);
		check(f, "copyBuffer");
	}
}

static void work_items_outside_the_grid_do_nothing(void **state)
{
	const uint64_t args[] = { SRC, DST, 0, 0, 1000, 3 }, global_offset[3] = { 100 };
	struct fixture *f = *state;

	set_args(f, COPY, args, global_offset);
	assert_int_equal(run(f, COPY, 256, 0, 0), GPU_KERNEL_DONE);
	memcpy(want(f, DST + 400), want(f, SRC + 400), 1024);
	check(f, "part of the items");
	assert_int_equal(run(f, COPY, 0x80000000, 0, 0), GPU_KERNEL_DONE);
	memcpy(want(f, DST + 400), want(f, SRC + 400), 4 * 999 + 3 - 400);
	check(f, "all items from the offset on");
}

static void copy_buffer_aligned_counts_in_elements(void **state)
{
	struct fixture *f = *state;
	uint64_t args[] = { SRC, DST, 3, 7, 100, 16 };

	set_args(f, COPY_ALIGNED, args, NULL);
	assert_int_equal(run(f, COPY_ALIGNED, 128, 0, 0), GPU_KERNEL_DONE);
	memcpy(want(f, DST + 7 * 16), want(f, SRC + 3 * 16), 1600);
	check(f, "16 bytes");
	args[5] = 4;
	set_args(f, COPY_ALIGNED, args, NULL);
	assert_int_equal(run(f, COPY_ALIGNED, 128, 0, 0), GPU_KERNEL_DONE);
	memcpy(want(f, DST + 7 * 4), want(f, SRC + 3 * 4), 400);
	check(f, "4 bytes");
}

static void check_rect(struct fixture *f, unsigned int kernel, uint64_t element, uint64_t mark)
{
	const uint64_t src_rect[4] = { 50, 500, 11, 0 }, dst_rect[4] = { 64, 640, 5, 0 };
	const uint64_t size[4] = { 13, 4, 3, mark }, none[3] = { 0 };
	uint64_t src = SRC, dst = DST;

	set_arg(f, kernel, 0, &src);
	set_arg(f, kernel, 1, &dst);
	set_arg(f, kernel, 2, src_rect);
	set_arg(f, kernel, 3, dst_rect);
	set_arg(f, kernel, 4, size);
	memcpy(fake_at(f->host, KERNARG + code_image_arg(&kernels[kernel], 5)), none, sizeof(none));
	assert_int_equal(run(f, kernel, 16, 4, 3), GPU_KERNEL_DONE);
	for (uint64_t z = 0; z < 3; z++) {
		for (uint64_t y = 0; y < 4; y++)
			memcpy(want(f, DST + (5 + y * 64 + z * 640) * element),
			       want(f, SRC + (11 + y * 50 + z * 500) * element), 13 * element);
	}
	check(f, kernels[kernel].name);
}

static void rectangles_keep_their_pitches(void **state)
{
	check_rect(*state, COPY_RECT, 1, 0);
	check_rect(*state, COPY_RECT_ALIGNED, 4, 4);
	check_rect(*state, COPY_RECT_ALIGNED, 16, 16);
}

static void fills_repeat_the_pattern_in_elements_of_their_pointer(void **state)
{
	struct fixture *f = *state;

	for (unsigned int shift = 0; shift < 4; shift++) {
		uint64_t args[] = { 0, 0, 0, 0, PATTERN, 3, 5, 700 };
		uint64_t element = 1ull << shift;

		args[shift] = DST;
		set_args(f, FILL, args, NULL);
		assert_int_equal(run(f, FILL, 1024, 0, 0), GPU_KERNEL_DONE);
		for (uint64_t i = 0; i < 700; i++)
			memcpy(want(f, DST + (5 + 3 * i) * element), want(f, PATTERN), 3 * element);
		check(f, "fillBufferAligned");
	}
}

static void fills_of_rectangles_leave_the_gaps(void **state)
{
	const uint64_t args[] = { 0, 0, DST, 0, PATTERN, 1, 5, 30, 20, 100 };
	struct fixture *f = *state;

	set_args(f, FILL_2D, args, NULL);
	assert_int_equal(run(f, FILL_2D, 64, 32, 0), GPU_KERNEL_DONE);
	for (uint64_t y = 0; y < 20; y++) {
		for (uint64_t x = 0; x < 30; x++)
			memcpy(want(f, DST + (5 + y * 100 + x) * 4), want(f, PATTERN), 4);
	}
	check(f, "fillBufferAligned2D");
}

static void stream_writes_have_the_width_of_their_pointer(void **state)
{
	uint64_t args[] = { DST, 0, 0x1122334455667788, 4 };
	struct fixture *f = *state;

	set_args(f, STREAM_WRITE, args, NULL);
	assert_int_equal(run(f, STREAM_WRITE, 1, 0, 0), GPU_KERNEL_DONE);
	memcpy(want(f, DST), &args[2], 4);
	check(f, "32 bits");
	args[0] = 0;
	args[1] = DST + 8;
	set_args(f, STREAM_WRITE, args, NULL);
	assert_int_equal(run(f, STREAM_WRITE, 1, 0, 0), GPU_KERNEL_DONE);
	memcpy(want(f, DST + 8), &args[2], 8);
	check(f, "64 bits");
}

struct wait_case {
	uint64_t condition, value, mask, found;
	bool met;
};

static const struct wait_case waits[] = {
	{ 0, 5, ~0ull, 5, true },      { 0, 5, ~0ull, 4, false },      { 1, 5, 0xff, 0x105, true },
	{ 1, 5, ~0ull, 0x105, false }, { 2, 6, ~0ull, 2, true },       { 2, 6, 4, 2, false },
	{ 3, 0xf0, 0xff, 0x0e, true }, { 3, 0xf0, 0xff, 0x0f, false },
};

static void stream_waits_are_met_by_their_condition(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		for (unsigned int wide = 0; wide < 2; wide++) {
			const struct wait_case *c = &waits[i];
			const uint64_t args[] = { wide ? 0 : DST, DST, c->value, c->condition,
						  c->mask };

			fake_store64(f->host, DST, c->found);
			set_args(f, STREAM_WAIT, args, NULL);
			if (run(f, STREAM_WAIT, 1, 0, 0) !=
			    (c->met ? GPU_KERNEL_DONE : GPU_KERNEL_WAIT))
				fail_msg("case %zu, wide %u", i, wide);
		}
	}
}

static void a_users_kernel_is_left_alone(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run(f, USER, 64, 0, 0), GPU_KERNEL_UNKNOWN);
	check(f, "user kernel");
	/* between two descriptors, in the image, there is no kernel of ours */
	assert_int_equal(run_object(f, f->image.end & ~63ull, 64, 0, 0), GPU_KERNEL_UNKNOWN);
	check(f, "no kernel");
}

static void a_kernel_of_that_name_with_other_arguments_is_left_alone(void **state)
{
	static const struct code_image_kernel others[] = {
		{ "__amd_rocclr_copyBuffer", 7, { 8, 8, 8, 8, 8, 4, 4 } },
		{ "__amd_rocclr_copyBufferAligned", 6, { 8, 8, 8, 8, 4, 4 } },
	};
	const uint64_t args[] = { SRC, DST, 0, 0, 100, 4, 4 };
	struct fixture *f = *state;

	f->image = code_image_write(f->host, IMAGE, 0, others, 2);
	set_args(f, COPY, args, NULL);
	assert_int_equal(run(f, 0, 64, 0, 0), GPU_KERNEL_UNKNOWN);
	assert_int_equal(run(f, 1, 64, 0, 0), GPU_KERNEL_UNKNOWN);
	check(f, "other signature");
}

static void an_image_linked_elsewhere_is_understood(void **state)
{
	const uint64_t args[] = { SRC, DST, 0, 0, 100, 4 };
	struct fixture *f = *state;

	f->image = code_image_write(f->host, IMAGE, 0x200000, kernels, KERNEL_COUNT);
	set_args(f, COPY, args, NULL);
	assert_int_equal(run(f, COPY, 128, 0, 0), GPU_KERNEL_DONE);
	memcpy(want(f, DST), want(f, SRC), 400);
	check(f, "linked elsewhere");
}

static void arguments_outside_memory_are_a_fault(void **state)
{
	const uint64_t args[] = { SRC, FAKE_READ_ONLY - 100, 0, 0, 1000, 8 };
	struct fixture *f = *state;

	set_args(f, COPY, args, NULL);
	assert_int_equal(run(f, COPY, 1024, 0, 0), GPU_KERNEL_FAULT);
	assert_true(f->work.faulted && f->work.fault_write);
	assert_true(f->work.fault_va == FAKE_READ_ONLY);
}

/* Whatever an image says of itself, reading it ends and stays inside. */
static void damaged_images_are_survived(void **state)
{
	const uint64_t args[] = { SRC, DST, 0, 0, 100, 4 };
	struct fixture *f = *state;
	unsigned char *image = fake_at(f->host, IMAGE);
	uint64_t bytes = f->image.end - f->image.va;

	set_args(f, COPY, args, NULL);
	f->keep_want = true;
	for (uint64_t i = 0; i < bytes; i++) {
		static const unsigned char flips[] = { 0xff, 0x01, 0x80 };

		for (size_t k = 0; k < sizeof(flips); k++) {
			image[i] ^= flips[k];
			(void)run(f, COPY, 64, 0, 0); /* the sanitizers judge */
			image[i] ^= flips[k];
		}
	}
	assert_int_equal(run(f, COPY, 128, 0, 0), GPU_KERNEL_DONE);
}

static void msgpack_never_reads_beyond_its_end(void **state)
{
	uint32_t seed = 12345;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		unsigned int bytes = round % 24 + 1;
		unsigned char *data = malloc(bytes); /* its end is guarded by the sanitizer */
		struct msgpack msg = { .at = data, .end = data + bytes };

		assert_non_null(data);
		for (unsigned int i = 0; i < bytes; i++) {
			seed = seed * 1664525 + 1013904223;
			data[i] = (unsigned char)(seed >> 24);
		}
		while (msg.at < msg.end && msgpack_skip(&msg)) {
		}
		assert_true(msg.at <= msg.end);
		free(data);
	}
}

static void msgpack_passes_over_every_kind(void **state)
{
	static const unsigned char data[] = {
		0xc0, 0xc2, 0xc3, /* nil, false, true */
		0xc4, 1,    9,    0xc5, 0,    1,    9,    0xc6, 0,    0,    0, 1, 9, /* bin */
		0xc7, 1,    5,    9,    0xc8, 0,    1,    5,    9,    0xc9, 0, 0, 0,   1, 5,
		9,                                                                        /* ext */
		0xca, 1,    2,    3,    4,    0xcb, 1,    2,    3,    4,    5, 6, 7,   8, /* floats */
		0xd0, 1,    0xd1, 1,    2,    0xd4, 5,    9,    0xe0, /* signed, fixext, negative */
		0xd9, 1,    'x',  0xda, 0,    1,    'x',  0xdb, 0,    0,    0, 1, 'x', /* strings */
		0xde, 0,    1,    1,    0x91, 2,    0xdd, 0,    0,    0,    1, 3, /* map, arrays */
		0xcd, 0x12, 0x34,
	};
	struct msgpack msg = { .at = data, .end = data + sizeof(data) };
	uint64_t value = 0;

	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		assert_true(msgpack_skip(&msg));
	assert_true(msgpack_uint(&msg, &value));
	assert_int_equal(value, 0x1234);
	assert_false(msgpack_skip(&msg));
}

static void run_bare(struct fixture *f, const void *args, size_t bytes, uint32_t items)
{
	memset(fake_at(f->host, KERNARG), 0xee, 256);
	memcpy(fake_at(f->host, KERNARG), args, bytes);
	assert_int_equal(run_object(f, BARE, items, 0, 0), GPU_KERNEL_DONE);
}

static void rocr_copies_between_equally_aligned_addresses(void **state)
{
	struct {
		uint64_t point[10];
		uint32_t items;
	} args = { { SRC + 3, DST + 3, SRC + 16, DST + 16, SRC + 8208, DST + 8208, SRC + 8212,
		     DST + 8212, SRC + 8213, DST + 8213 },
		   4096 };
	struct fixture *f = *state;

	run_bare(f, &args, 84, 4096);
	memcpy(want(f, DST + 3), want(f, SRC + 3), 8210);
	check(f, "aligned");
}

static void rocr_copies_between_other_addresses(void **state)
{
	struct {
		uint64_t point[6];
		uint32_t items;
	} args = { { SRC + 3, DST + 4, SRC + 4099, DST + 4100, SRC + 4200, DST + 4201 }, 4096 };
	struct fixture *f = *state;

	run_bare(f, &args, 52, 4096);
	memcpy(want(f, DST + 4), want(f, SRC + 3), 4197);
	check(f, "misaligned");
}

static void rocr_fills_words(void **state)
{
	struct {
		uint64_t point[3];
		uint32_t value, items;
	} args = { { DST, DST + 4096, DST + 4100 }, 0x12345678, 2048 };
	struct fixture *f = *state;

	run_bare(f, &args, 32, 2048);
	for (uint64_t i = 0; i < 4100; i += 4)
		memcpy(want(f, DST + i), &args.value, 4);
	check(f, "fill");
}

static void arguments_of_another_shape_are_left_alone(void **state)
{
	struct {
		uint64_t point[10];
		uint32_t items;
	} args = { { SRC, DST, SRC + 16, DST + 16, SRC + 32, DST + 32, SRC + 48, DST + 49, SRC + 64,
		     DST + 64 },
		   64 };
	struct fixture *f = *state;

	memset(fake_at(f->host, KERNARG), 0xee, 256);
	memcpy(fake_at(f->host, KERNARG), &args, sizeof(args));
	assert_int_equal(run_object(f, BARE, 64, 0, 0), GPU_KERNEL_UNKNOWN);
	args.point[7] = DST + 48; /* now the steps agree, but not the number of items */
	memcpy(fake_at(f->host, KERNARG), &args, sizeof(args));
	assert_int_equal(run_object(f, BARE, 128, 0, 0), GPU_KERNEL_UNKNOWN);
	check(f, "another shape");
	assert_int_equal(run_object(f, BARE, 64, 0, 0), GPU_KERNEL_DONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(copy_buffer_copies_words_and_a_remainder),
		TEST(work_items_outside_the_grid_do_nothing),
		TEST(copy_buffer_aligned_counts_in_elements),
		TEST(rectangles_keep_their_pitches),
		TEST(fills_repeat_the_pattern_in_elements_of_their_pointer),
		TEST(fills_of_rectangles_leave_the_gaps),
		TEST(stream_writes_have_the_width_of_their_pointer),
		TEST(stream_waits_are_met_by_their_condition),
		TEST(a_users_kernel_is_left_alone),
		TEST(a_kernel_of_that_name_with_other_arguments_is_left_alone),
		TEST(an_image_linked_elsewhere_is_understood),
		TEST(arguments_outside_memory_are_a_fault),
		TEST(damaged_images_are_survived),
		TEST(rocr_copies_between_equally_aligned_addresses),
		TEST(rocr_copies_between_other_addresses),
		TEST(rocr_fills_words),
		TEST(arguments_of_another_shape_are_left_alone),
		cmocka_unit_test(msgpack_never_reads_beyond_its_end),
		cmocka_unit_test(msgpack_passes_over_every_kind),
	};

	return cmocka_run_group_tests_name("thunk/model/gpu/kernel", tests, NULL, NULL);
}
