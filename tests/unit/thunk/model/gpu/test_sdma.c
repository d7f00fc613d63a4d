/* SPDX-License-Identifier: MIT */
/*
 * SDMA packets against what they should do to memory, byte for byte: every case states its dwords
 * and a function that does the same to a copy of the memory; the two are compared as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_host.h"

#define QUEUE      FAKE_BASE
#define RING_BYTES 4096u
#define DATA       (FAKE_BASE + 0x20000)
#define A          (DATA + 0x123)
#define B          (DATA + 0x10457)
#define C          (DATA + 0x20011)
#define D          (DATA + 0x40000)
#define WORD       (DATA + 0x60000)
#define LO(va)     ((uint32_t)(va))
#define HI(va)     ((uint32_t)((va) >> 32))
#define VA(va)     LO(va), HI(va)

static unsigned char *at(unsigned char *mem, uint64_t va)
{
	return mem + (va - FAKE_BASE);
}

static void put32(unsigned char *mem, uint64_t va, uint32_t value)
{
	memcpy(at(mem, va), &value, sizeof(value));
}

static void put64(unsigned char *mem, uint64_t va, uint64_t value)
{
	memcpy(at(mem, va), &value, sizeof(value));
}

static void nothing(unsigned char *mem)
{
	(void)mem;
}

static void copies_10001(unsigned char *mem)
{
	memcpy(at(mem, B), at(mem, A), 10001);
}

static void copies_to_two(unsigned char *mem)
{
	memcpy(at(mem, B), at(mem, A), 5000);
	memcpy(at(mem, C), at(mem, A), 5000);
}

static void copies_to_three(unsigned char *mem)
{
	copies_to_two(mem);
	memcpy(at(mem, D), at(mem, A), 5000);
}

static void swaps(unsigned char *mem)
{
	unsigned char hold[9000];

	memcpy(hold, at(mem, D), sizeof(hold));
	memcpy(at(mem, D), at(mem, DATA), sizeof(hold));
	memcpy(at(mem, DATA), hold, sizeof(hold));
}

/* 5 x 3 x 2 elements of 4 bytes; source pitch 20, slice 100, at (1,2,1); target 32, 256, (3,1,0) */
static void copies_rect(unsigned char *mem)
{
	for (unsigned int z = 0; z < 2; z++) {
		for (unsigned int y = 0; y < 3; y++)
			memcpy(at(mem, B + 4 * (z * 256 + (1 + y) * 32 + 3)),
			       at(mem, A + 4 * ((1 + z) * 100 + (2 + y) * 20 + 1)), 5 * 4);
	}
}

static void copies_rect_bytes(unsigned char *mem)
{
	for (unsigned int y = 0; y < 7; y++)
		memcpy(at(mem, B + y * 300), at(mem, A + 5 + y * 200), 111);
}

static void writes_three(unsigned char *mem)
{
	put32(mem, D, 0x11111111);
	put32(mem, D + 4, 0x22222222);
	put32(mem, D + 8, 0x33333333);
}

static void fills_dwords(unsigned char *mem)
{
	for (unsigned int i = 0; i < 3000; i++)
		put32(mem, D + 4 * i, 0xa1b2c3d4);
}

static void fills_bytes(unsigned char *mem)
{
	memset(at(mem, C), 0x5a, 4097);
}

static void fences(unsigned char *mem)
{
	put32(mem, D, 0xcafe0001);
}

static void fences64(unsigned char *mem)
{
	put64(mem, D, 0x1122334455667788);
}

static void copies_then_stores(unsigned char *mem)
{
	copies_10001(mem);
	put64(mem, WORD, 0x77);
}

struct packet_case {
	const char *name;
	uint32_t gfx_version, dwords, dw[24];
	void (*model)(unsigned char *mem);
};

#define RECT_NARROW(z, pitch, slice) (z) | ((pitch)-1) << 13, (slice)-1
#define RECT_WIDE(z, pitch, slice)   (z) | ((pitch)-1) << 16, (slice)-1
#define XY(x, y)                     ((x) | (uint32_t)(y) << 16)

/* clang-format off */
static const struct packet_case cases[] = {
	{ "nop with data is skipped", 90000, 5, { 4u << 16, 0xff, 0xff, 0xff, 0xff }, nothing },
	{ "zeros are one-dword nops", 110000, 3, { 0, 0, 0 }, nothing },
	{ "linear copy counts bytes less one", 90000, 7, { 1, 10000, 0, VA(A), VA(B) }, copies_10001 },
	{ "linear copy of gfx8 counts bytes", 80003, 7, { 1, 10001, 0, VA(A), VA(B) }, copies_10001 },
	{ "linear copy of gfx10", 100300, 7, { 1, 10000, 0, VA(A), VA(B) }, copies_10001 },
	{ "broadcast copy", 90010, 9, { 1 | 1u << 27, 4999, 0, VA(A), VA(B), VA(C) }, copies_to_two },
	{ "swap", 90402, 7, { 1 | 9u << 8, 8999, 0, VA(D), VA(DATA) }, swaps },
	{ "multicast copy", 120500, 11,
	  { 1 | 10u << 8, 4999, 3, VA(A), VA(B), VA(C), VA(D) }, copies_to_three },
	{ "rectangle before gfx12", 90010, 13,
	  { 1 | 4u << 8 | 2u << 29, VA(A), XY(1, 2), RECT_NARROW(1, 20, 100),
	    VA(B), XY(3, 1), RECT_NARROW(0, 32, 256), XY(4, 2), 1 }, copies_rect },
	{ "rectangle of gfx12", 120001, 13,
	  { 1 | 4u << 8 | 2u << 29, VA(A), XY(1, 2), RECT_WIDE(1, 20, 100),
	    VA(B), XY(3, 1), RECT_WIDE(0, 32, 256), XY(4, 2), 1 }, copies_rect },
	{ "rectangle of bytes", 110000, 13,
	  { 1 | 4u << 8, VA(A), XY(5, 0), RECT_NARROW(0, 200, 1),
	    VA(B), XY(0, 0), RECT_NARROW(0, 300, 1), XY(110, 6), 0 }, copies_rect_bytes },
	{ "write linear", 90000, 7,
	  { 2, VA(D), 2, 0x11111111, 0x22222222, 0x33333333 }, writes_three },
	{ "fill of dwords, count in the runtime's form", 90000, 5,
	  { 11 | 2u << 30, VA(D), 0xa1b2c3d4, 12000 - 4 }, fills_dwords },
	{ "fill of dwords, count in bytes less one", 110000, 5,
	  { 11 | 2u << 30, VA(D), 0xa1b2c3d4, 12000 - 1 }, fills_dwords },
	{ "fill of bytes", 100300, 5, { 11, VA(C), 0xffffff5a, 4096 }, fills_bytes },
	{ "fence", 90000, 4, { 5, VA(D), 0xcafe0001 }, fences },
	{ "fence with a memory type", 100300, 4, { 5 | 3u << 16, VA(D), 0xcafe0001 }, fences },
	{ "fence of 64 bits", 120500, 5, { 5 | 2u << 8, VA(D), 0x55667788, 0x11223344 }, fences64 },
	{ "HDP flush reads nothing", 90000, 6, { 8, 0, 0x80000000, 0, 0, 0 }, nothing },
	{ "cache control does nothing", 100300, 5, { 17 | 1u << 8, 1, 2, 3, 4 }, nothing },
	{ "cache control of gfx1250", 120500, 6, { 17 | 1u << 8, 1, 2, 3, 4, 5 }, nothing },
	{ "plain copy of gfx1250", 120500, 7, { 1, 10000, 0, VA(A), VA(B) }, copies_10001 },
	{ "copy of gfx1250 that signals", 120500, 12,
	  { 1 | 1u << 31, 10000, 0, VA(A), VA(B), 0, VA(WORD), 0x77, 0 }, copies_then_stores },
};
/* clang-format on */

/* Copies the memory apart from the queue's own pages, which are not compared. */
static void check_memory(struct fake_host *host, const unsigned char *want, const char *name)
{
	for (uint64_t i = 0x20000; i < FAKE_SIZE; i++) {
		if (host->mem[i] != want[i])
			fail_msg("%s: byte 0x%llx is %02x, not %02x", name, (unsigned long long)i,
				 host->mem[i], want[i]);
	}
}

static void run_case(struct fake_host *host, const struct packet_case *c)
{
	unsigned char *want = malloc(FAKE_SIZE);
	struct fake_queue queue;

	assert_non_null(want);
	memcpy(want, host->mem, FAKE_SIZE);
	c->model(want);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, c->gfx_version, QUEUE, RING_BYTES);
	fake_queue_write(&queue, c->dw, c->dwords);
	fake_queue_ring(&queue);
	fake_queue_drain(&queue);
	check_memory(host, want, c->name);
	fake_queue_close(&queue);
	free(want);
	assert_int_equal(host->faults, 0);
	assert_int_equal(host->exceptions, 0);
}

static void every_packet_does_to_memory_what_it_says(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(*state, &cases[i]);
}

struct atomic_case {
	uint32_t op;
	uint64_t before, operand, compare, after;
};

/* clang-format off */
static const struct atomic_case atomics[] = {
	{ 7,  0xffffffff00000005, 9, 0, 0xffffffff00000009 },
	{ 39, 5, 0x900000001, 0, 0x900000001 },
	{ 8,  0xffffffff00000005, 9, 5, 0xffffffff00000009 },
	{ 8,  0xffffffff00000005, 9, 6, 0xffffffff00000005 },
	{ 40, 0x100000005, 9, 0x100000005, 9 },
	{ 40, 0x100000005, 9, 5, 0x100000005 },
	{ 15, 0x00000001ffffffff, 2, 0, 0x0000000100000001 },
	{ 47, 0x00000001ffffffff, 2, 0, 0x0000000200000001 },
	{ 47, 1, UINT64_MAX, 0, 0 },
	{ 16, 5, 7, 0, 0xfffffffe },
	{ 48, 5, 7, 0, UINT64_MAX - 1 },
	{ 17, 5, 0xffffffff, 0, 0xffffffff },
	{ 49, 5, 0xffffffff, 0, 5 },
	{ 18, 5, 0xffffffff, 0, 5 },
	{ 50, 5, 4, 0, 4 },
	{ 19, 0xffffffff, 3, 0, 3 },
	{ 51, UINT64_MAX, 3, 0, 3 },
	{ 20, 5, 0xffffffff, 0, 0xffffffff },
	{ 52, 5, 4, 0, 5 },
	{ 21, 0xff, 0x0f, 0, 0x0f },
	{ 53, 0xff000000ff, 0x0f0000000f, 0, 0x0f0000000f },
	{ 22, 0xf0, 0x0f, 0, 0xff },
	{ 54, 0xf0, 0x0f00000000, 0, 0x0f000000f0 },
	{ 23, 0xff, 0x0f, 0, 0xf0 },
	{ 55, 0xff, 0x0f0000000f, 0, 0x0f000000f0 },
	{ 24, 5, 9, 0, 6 },
	{ 24, 9, 9, 0, 0 },
	{ 56, 0x100000000, 0x100000001, 0, 0x100000001 },
	{ 25, 0, 9, 0, 9 },
	{ 25, 5, 9, 0, 4 },
	{ 25, 10, 9, 0, 9 },
	{ 57, 0x100000000, 0x200000000, 0, 0xffffffff },
	{ 79, 1, 2, 0, 3 },	/* the form without a result */
};
/* clang-format on */

static void every_atomic_changes_memory_as_the_cache_does(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
	for (size_t i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++) {
		const struct atomic_case *c = &atomics[i];
		const uint32_t dw[] = { 10 | c->op << 25, VA(WORD), VA(c->operand), VA(c->compare),
					0 };

		fake_store64(host, WORD, c->before);
		fake_queue_write(&queue, dw, 8);
		fake_queue_ring(&queue);
		fake_queue_drain(&queue);
		if (fake_load64(host, WORD) != c->after)
			fail_msg("atomic %u, case %zu: 0x%llx", c->op, i,
				 (unsigned long long)fake_load64(host, WORD));
	}
	fake_queue_close(&queue);
}

static void a_looping_compare_and_swap_waits_for_its_value(void **state)
{
	const uint32_t dw[] = { 10 | 40u << 25 | 1u << 16, VA(WORD), 8, 0, 7, 0, 0 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_store64(host, WORD, 1);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 8);
	fake_queue_ring(&queue);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	fake_store64(host, WORD, 7);
	fake_queue_drain(&queue);
	assert_int_equal(fake_load64(host, WORD), 8);
	fake_queue_close(&queue);
}

struct poll_case {
	uint32_t func, value, reference, mask;
	bool holds;
};

static const struct poll_case polls[] = {
	{ 0, 5, 0, 0, true },       { 1, 4, 5, ~0u, true },  { 1, 5, 5, ~0u, false },
	{ 2, 5, 5, ~0u, true },     { 2, 6, 5, ~0u, false }, { 3, 0x15, 5, 0xf, true },
	{ 3, 0x15, 5, ~0u, false }, { 4, 6, 5, ~0u, true },  { 4, 5, 5, ~0u, false },
	{ 5, 5, 5, ~0u, true },     { 5, 4, 5, ~0u, false }, { 6, 6, 5, ~0u, true },
	{ 6, 5, 5, ~0u, false },
};

static void polls_hold_back_what_follows_until_they_are_met(void **state)
{
	struct fake_host *host = *state;

	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]); i++) {
		const struct poll_case *c = &polls[i];
		const uint32_t dw[] = { 8 | 1u << 31 | c->func << 28, VA(WORD), c->reference,
					c->mask, 0xfff0004 };
		struct fake_queue queue;

		fake_store32(host, WORD, c->value);
		fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
		fake_queue_write(&queue, dw, 6);
		fake_queue_ring(&queue);
		if (c->holds) {
			fake_queue_drain(&queue);
		} else {
			fake_let_run();
			assert_int_equal(fake_queue_read_ptr(&queue), 0);
		}
		fake_queue_close(&queue); /* also while it waits */
	}
}

static void a_poll_of_64_bits_compares_both_halves(void **state)
{
	const uint32_t dw[] = { 8 | 5u << 8 | 1u << 31 | 3u << 28, VA(WORD), 5, 1, ~0u, ~0u, 0 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_store64(host, WORD, 5);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 120500, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 8);
	fake_queue_ring(&queue);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	fake_store64(host, WORD, 0x100000005);
	fake_queue_drain(&queue);
	fake_queue_close(&queue);
}

static void a_gfx1250_copy_waits_for_memory_and_adds_to_a_signal(void **state)
{
	const uint32_t dw[] = { 1 | 3u << 30 | 3u << 20,
				3,
				VA(WORD),
				9,
				0,
				~0u,
				~0u,
				99,
				0,
				VA(A),
				VA(B),
				47,
				VA(WORD + 8),
				~0u,
				~0u };
	struct fake_host *host = *state;
	unsigned char want[100];
	struct fake_queue queue;

	memcpy(want, fake_at(host, A), sizeof(want));
	fake_store64(host, WORD, WORD + 64); /* both addresses are indirect */
	fake_store64(host, WORD + 8, WORD + 72);
	fake_store64(host, WORD + 64, 0);
	fake_store64(host, WORD + 72, 1);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 120500, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 19);
	fake_queue_ring(&queue);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	assert_int_equal(fake_load64(host, WORD + 72), 1);
	fake_store64(host, WORD + 64, 9);
	fake_queue_drain(&queue);
	assert_memory_equal(fake_at(host, B), want, sizeof(want));
	assert_int_equal(fake_load64(host, WORD + 72), 0);
	fake_queue_close(&queue);
}

static void a_trap_raises_the_interrupt_after_the_fence(void **state)
{
	const uint32_t dw[] = { 5, VA(WORD), 0x1234, 6, 0xf0001234 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA_XGMI, 90010, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 6);
	fake_queue_ring(&queue);
	fake_wait_count(&host->interrupts, 1);
	assert_int_equal(host->interrupt_id[0], 0x1234);
	assert_int_equal(fake_load32(host, WORD), 0x1234);
	fake_queue_close(&queue);
}

static void the_timestamp_is_the_gpu_clock(void **state)
{
	const uint32_t dw[] = { 13 | 2u << 8, VA(WORD), 13 | 2u << 8, VA(WORD + 32) };
	struct fake_host *host = *state;
	struct fake_queue queue;

	host->ticks = 0x500000000;
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA_BY_ENG_ID, 90402, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 6);
	fake_queue_ring(&queue);
	fake_queue_drain(&queue);
	assert_true(fake_load64(host, WORD) == 0x500000000);
	assert_true(fake_load64(host, WORD + 32) == 0x500000001);
	fake_queue_close(&queue);
}

static void an_indirect_buffer_counts_as_one_packet(void **state)
{
	const uint32_t ib[] = {
		5, VA(WORD), 0x1111, 8 | 1u << 31 | 3u << 28, VA(WORD + 4), 1, ~0u, 0,
		5, VA(WORD), 0x2222
	};
	const uint32_t dw[] = { 4, VA(D), 14, 0, 0, 5, VA(WORD + 8), 0x3333 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	memcpy(fake_at(host, D), ib, sizeof(ib));
	fake_store32(host, WORD, 0);
	fake_store32(host, WORD + 4, 0);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 10);
	fake_queue_ring(&queue);
	fake_wait32(host, WORD, 0x1111);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	fake_store32(host, WORD + 4, 1);
	fake_queue_drain(&queue);
	assert_int_equal(fake_load32(host, WORD), 0x2222);
	assert_int_equal(fake_load32(host, WORD + 8), 0x3333);
	fake_queue_close(&queue);
}

static void packets_wrap_at_the_end_of_the_ring(void **state)
{
	static const uint32_t versions[] = { 80003, 90000 };
	struct fake_host *host = *state;

	for (size_t v = 0; v < 2; v++) {
		struct fake_queue queue;

		/* 7 dwords do not divide the ring: sooner or later one is cut by its end */
		fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, versions[v], QUEUE, 256);
		for (uint32_t i = 0; i < 100; i++) {
			const uint32_t dw[] = { 2, VA(WORD), 2, i, ~i, i * 3 };

			fake_queue_write(&queue, dw, 7);
			fake_queue_ring(&queue);
			fake_queue_drain(&queue);
			assert_int_equal(fake_load32(host, WORD), i);
			assert_int_equal(fake_load32(host, WORD + 4), ~i);
			assert_int_equal(fake_load32(host, WORD + 8), i * 3);
		}
		/* monotonic since gfx9, wrapping before */
		assert_int_equal(fake_queue_read_ptr(&queue), v ? 2800 : 2800 % 256);
		fake_queue_close(&queue);
	}
}

static void the_read_pointer_stops_before_a_packet_that_is_not_whole(void **state)
{
	const uint32_t dw[] = { 0, 5, VA(WORD), 0x77 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_store32(host, WORD, 0);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 3);
	fake_queue_ring(&queue);
	fake_queue_wait(&queue, 4);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 4);
	fake_queue_write(&queue, dw + 3, 2);
	fake_queue_ring(&queue);
	fake_queue_drain(&queue);
	assert_int_equal(fake_load32(host, WORD), 0x77);
	fake_queue_close(&queue);
}

static void expect_dead(struct fake_host *host, uint32_t gfx_version, const uint32_t *dw,
			uint32_t count)
{
	const uint32_t fence[] = { 5, VA(WORD), 0x77 };
	unsigned int reports = host->faults + host->exceptions;
	struct fake_queue queue;

	fake_store32(host, WORD, 0);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, gfx_version, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, count);
	fake_queue_write(&queue, fence, 4);
	fake_queue_ring(&queue);
	while (atomic_load(&host->faults) + atomic_load(&host->exceptions) == reports)
		fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	assert_int_equal(fake_load32(host, WORD), 0);
	fake_queue_close(&queue);
}

static void a_packet_of_another_generation_stops_the_queue(void **state)
{
	const uint32_t gcr[] = { 17 | 1u << 8, 0, 0, 0, 0 };
	const uint32_t swap[] = { 1 | 9u << 8, 63, 0, VA(D), VA(D + 64) };
	const uint32_t multicast[] = { 1 | 10u << 8, 63, 1, VA(A), VA(D) };
	const uint32_t unknown[] = { 200, 0 };
	struct fake_host *host = *state;

	expect_dead(host, 90000, gcr, 5);
	expect_dead(host, 90000, swap, 7);
	expect_dead(host, 110000, multicast, 7);
	expect_dead(host, 110000, unknown, 2);
	assert_int_equal(host->exceptions, 4);
	assert_int_equal(host->exception_code, 20);
	assert_int_equal(host->exception_queue, (uint32_t)(QUEUE >> 12));
}

static void an_unmapped_address_is_reported_and_stops_the_queue(void **state)
{
	const uint32_t beyond[] = { 1, 99, 0, VA(A), VA(FAKE_BASE - 50) };
	const uint32_t read_only[] = { 11, VA(FAKE_READ_ONLY - 8), 0, 63 };
	const uint32_t unmapped_source[] = { 1, 99, 0, VA(FAKE_BASE + FAKE_SIZE), VA(A) };
	struct fake_host *host = *state;

	expect_dead(host, 90000, beyond, 7);
	assert_int_equal(host->faults, 1);
	assert_true(host->fault_va == FAKE_BASE - 50 && host->fault_write);
	expect_dead(host, 90000, read_only, 5);
	assert_int_equal(host->faults, 2);
	assert_true(host->fault_va == FAKE_READ_ONLY && host->fault_write);
	expect_dead(host, 90000, unmapped_source, 7);
	assert_int_equal(host->faults, 3);
	assert_true(host->fault_va == FAKE_BASE + FAKE_SIZE && !host->fault_write);
}

static void a_doorbell_alone_is_enough(void **state)
{
	const uint32_t dw[] = { 5, VA(WORD), 0x99 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 4);
	__atomic_store_n(&queue.doorbell, 16, __ATOMIC_RELEASE);
	fake_queue_wait(&queue, 16);
	assert_int_equal(fake_load32(host, WORD), 0x99);
	fake_queue_close(&queue);
}

static void a_write_pointer_alone_is_enough(void **state)
{
	const uint32_t dw[] = { 5, VA(WORD), 0x99 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
	for (uint32_t i = 1; i < 3; i++) { /* the second time there is no recent work any more */
		fake_queue_write(&queue, dw, 4);
		fake_store64(host, queue.config.write_ptr_va, 16 * i);
		fake_queue_wait(&queue, 16 * i);
		fake_let_run();
	}
	fake_queue_close(&queue);
}

static void a_write_pointer_beyond_the_ring_is_not_followed(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_SDMA, 90000, QUEUE, RING_BYTES);
	fake_store64(host, queue.config.write_ptr_va, RING_BYTES + 4);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	fake_queue_close(&queue);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_host_setup, fake_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_packet_does_to_memory_what_it_says),
		TEST(every_atomic_changes_memory_as_the_cache_does),
		TEST(a_looping_compare_and_swap_waits_for_its_value),
		TEST(polls_hold_back_what_follows_until_they_are_met),
		TEST(a_poll_of_64_bits_compares_both_halves),
		TEST(a_gfx1250_copy_waits_for_memory_and_adds_to_a_signal),
		TEST(a_trap_raises_the_interrupt_after_the_fence),
		TEST(the_timestamp_is_the_gpu_clock),
		TEST(an_indirect_buffer_counts_as_one_packet),
		TEST(packets_wrap_at_the_end_of_the_ring),
		TEST(the_read_pointer_stops_before_a_packet_that_is_not_whole),
		TEST(a_packet_of_another_generation_stops_the_queue),
		TEST(an_unmapped_address_is_reported_and_stops_the_queue),
		TEST(a_doorbell_alone_is_enough),
		TEST(a_write_pointer_alone_is_enough),
		TEST(a_write_pointer_beyond_the_ring_is_not_followed),
	};

	return cmocka_run_group_tests_name("thunk/model/gpu/sdma", tests, NULL, NULL);
}
