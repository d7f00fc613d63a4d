/* SPDX-License-Identifier: MIT */
/* PM4 packets in a queue's ring and in indirect buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake_host.h"

#define QUEUE          FAKE_BASE
#define RING_BYTES     1024u
#define DATA           (FAKE_BASE + 0x20000)
#define SOURCE         (FAKE_BASE + 0x30000)
#define CODE           (FAKE_BASE + 0x40000)
#define CODE2          (FAKE_BASE + 0x41000)
#define MAX_DWORDS     24
#define VA(va)         (uint32_t)(va), (uint32_t)((va) >> 32)
#define P3(op, dwords) (3u << 30 | ((dwords)-2u) << 16 | (op) << 8)

/* A stream of packets and the first 16 bytes at DATA after it; before, they are these. */
#define BEFORE0 0x1111111122222222ull
#define BEFORE1 0x3333333344444444ull

struct packet_case {
	const char *name;
	uint32_t dwords, dw[MAX_DWORDS];
	uint64_t after[2];
};

/* clang-format off */
static const struct packet_case cases[] = {
	{ "NOP, filler, one-dword NOP and unknown packets are passed over", 12,
	  { P3(0x10u, 3u), 1, 2, 2u << 30, P3(0x10u, 0x4001u), P3(0x28u, 3u), 0, 0,
	    P3(0xeeu, 4u), 1, 2, 3 }, { BEFORE0, BEFORE1 } },
	{ "WRITE_DATA to memory", 6,
	  { P3(0x37u, 6u), 5u << 8 | 1u << 20, VA(DATA), 0xa, 0xb }, { 0xb0000000a, BEFORE1 } },
	{ "WRITE_DATA through the L2", 5,
	  { P3(0x37u, 5u), 2u << 8, VA(DATA + 4), 0xa }, { 0xa22222222, BEFORE1 } },
	{ "WRITE_DATA to one address", 6,
	  { P3(0x37u, 6u), 5u << 8 | 1u << 16, VA(DATA), 0xa, 0xb }, { 0x111111110000000b, BEFORE1 } },
	{ "WRITE_DATA to a register", 5, { P3(0x37u, 5u), 0, 0x20c, 0, 0xa }, { BEFORE0, BEFORE1 } },
	{ "COPY_DATA of an immediate, 32 bits", 6,
	  { P3(0x40u, 6u), 5 | 5u << 8, 0xabcd, 0x1234, VA(DATA) }, { 0x111111110000abcd, BEFORE1 } },
	{ "COPY_DATA of an immediate, 64 bits", 6,
	  { P3(0x40u, 6u), 5 | 5u << 8 | 1u << 16, 0xabcd, 0x1234, VA(DATA) }, { 0x12340000abcd, BEFORE1 } },
	{ "COPY_DATA from memory", 6,
	  { P3(0x40u, 6u), 1 | 2u << 8 | 1u << 16, VA(DATA + 8), VA(DATA) }, { BEFORE1, BEFORE1 } },
	{ "COPY_DATA of the GPU clock", 6,
	  { P3(0x40u, 6u), 9 | 5u << 8 | 1u << 16, 0, 0, VA(DATA) }, { 7777, BEFORE1 } },
	{ "DMA_DATA from memory", 7,
	  { P3(0x50u, 7u), 0, VA(DATA + 8), VA(DATA), 5 }, { 0x1111113344444444, BEFORE1 } },
	{ "DMA_DATA of a value", 7,
	  { P3(0x50u, 7u), 2u << 29 | 3u << 20, 0x5a5a, 0, VA(DATA), 16 },
	  { 0x5a5a00005a5a, 0x5a5a00005a5a } },
	{ "ATOMIC_MEM and COPY_DATA of what it returned", 15,
	  { P3(0x1eu, 9u), 47, VA(DATA), 1, 0, 0, 0, 0,
	    P3(0x40u, 6u), 6 | 5u << 8 | 1u << 16, 0, 0, VA(DATA + 8) }, { BEFORE0 + 1, BEFORE0 } },
	{ "ATOMIC_MEM compare and swap of 32 bits", 9,
	  { P3(0x1eu, 9u), 8, VA(DATA), 9, 0, 0x22222222, 0, 0 }, { 0x1111111100000009, BEFORE1 } },
	{ "PRED_EXEC for this die and for another", 14,
	  { P3(0x23u, 2u), 1u << 24 | 5, P3(0x37u, 5u), 5u << 8, VA(DATA), 0xa,
	    P3(0x23u, 2u), 2u << 24 | 5, P3(0x37u, 5u), 5u << 8, VA(DATA + 8), 0xb },
	  { 0x111111110000000a, BEFORE1 } },
	{ "ACQUIRE_MEM and EVENT_WRITE store nothing", 9,
	  { P3(0x58u, 7u), 0, 0, 0, 0, 0, 0, P3(0x46u, 2u), 0x407 }, { BEFORE0, BEFORE1 } },
	{ "RELEASE_MEM of 32 bits", 8,
	  { P3(0x49u, 8u), 0x514, 1u << 29, VA(DATA), 0xa, 0xb, 0 }, { 0x111111110000000a, BEFORE1 } },
	{ "RELEASE_MEM of 64 bits", 8,
	  { P3(0x49u, 8u), 0x514, 2u << 29, VA(DATA), 0xa, 0xb, 0 }, { 0xb0000000a, BEFORE1 } },
	{ "RELEASE_MEM of the GPU clock", 8,
	  { P3(0x49u, 8u), 0x514, 3u << 29, VA(DATA), 0, 0, 0 }, { 7777, BEFORE1 } },
	{ "EVENT_WRITE_EOP", 6,
	  { P3(0x47u, 6u), 0x514, (uint32_t)DATA, (uint32_t)(DATA >> 32) | 2u << 29, 0xa, 0xb },
	  { 0xb0000000a, BEFORE1 } },
	{ "WAIT_REG_MEM for a register, and one that is met", 14,
	  { P3(0x3cu, 7u), 3, 0, 0, 1, ~0u, 4,
	    P3(0x3cu, 7u), 3 | 1u << 4, VA(DATA), 0x22, 0xff, 4 }, { BEFORE0, BEFORE1 } },
	{ "type 0 packets are passed over", 3, { 1u << 16, 0xa, 0xb }, { BEFORE0, BEFORE1 } },
};
/* clang-format on */

static void run_case(struct fake_host *host, const struct packet_case *c)
{
	struct fake_queue queue;

	fake_store64(host, DATA, BEFORE0);
	fake_store64(host, DATA + 8, BEFORE1);
	host->ticks = 7777;
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_PM4, 90010, QUEUE, RING_BYTES);
	fake_queue_write(&queue, c->dw, c->dwords);
	fake_queue_ring(&queue);
	fake_queue_drain(&queue);
	if (fake_load64(host, DATA) != c->after[0] || fake_load64(host, DATA + 8) != c->after[1])
		fail_msg("%s: %llx %llx", c->name, (unsigned long long)fake_load64(host, DATA),
			 (unsigned long long)fake_load64(host, DATA + 8));
	fake_queue_close(&queue);
	assert_int_equal(host->faults, 0);
	assert_int_equal(host->exceptions, 0);
}

static void every_packet_does_to_memory_what_it_says(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(*state, &cases[i]);
}

static void release_mem_stores_before_it_interrupts(void **state)
{
	const uint32_t dw[] = {
		P3(0x49u, 8u), 0x514, 2u << 24 | 1u << 29, VA(DATA), 0x123, 0, 0x55
	};
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_PM4, 90010, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 8);
	fake_queue_ring(&queue);
	fake_wait_count(&host->interrupts, 1);
	assert_int_equal(host->interrupt_id[0], 0x55);
	assert_int_equal(fake_load32(host, DATA), 0x123);
	fake_queue_close(&queue);
}

static void a_wait_holds_back_what_follows(void **state)
{
	const uint32_t dw[] = { P3(0x3cu, 7u), 5 | 1u << 4, VA(DATA),     10,  0xff, 4,
				P3(0x37u, 5u), 5u << 8,     VA(DATA + 8), 0x99 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_store64(host, DATA, 9);
	fake_store64(host, DATA + 8, 0);
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_PM4, 90010, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 12);
	fake_queue_ring(&queue);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	assert_int_equal(fake_load64(host, DATA + 8), 0);
	fake_store64(host, DATA, 10);
	fake_queue_drain(&queue);
	assert_int_equal(fake_load64(host, DATA + 8), 0x99);
	fake_queue_close(&queue);
}

static void buffers_nest_and_count_as_one_packet(void **state)
{
	const uint32_t inner[] = { P3(0x37u, 5u), 5u << 8, VA(DATA), 0x1 };
	const uint32_t outer[] = { P3(0x3fu, 4u), VA(CODE2),    5,  P3(0x37u, 5u),
				   5u << 8,       VA(DATA + 4), 0x2 };
	const uint32_t dw[] = { P3(0x3fu, 4u), VA(CODE),     9 | 1u << 23, P3(0x37u, 5u),
				5u << 8,       VA(DATA + 8), 0x3 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	memcpy(fake_at(host, CODE), outer, sizeof(outer));
	memcpy(fake_at(host, CODE2), inner, sizeof(inner));
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_PM4, 90010, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 9);
	fake_queue_ring(&queue);
	fake_queue_drain(&queue);
	assert_true(fake_load64(host, DATA) == 0x200000001);
	assert_int_equal(fake_load32(host, DATA + 8), 3);
	fake_queue_close(&queue);
}

static void a_buffer_that_calls_itself_is_stopped(void **state)
{
	const uint32_t dw[] = { P3(0x3fu, 4u), VA(CODE), 4 | 1u << 23 };
	struct fake_host *host = *state;
	struct fake_queue queue;

	memcpy(fake_at(host, CODE), dw, sizeof(dw));
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_PM4, 90010, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 4);
	fake_queue_ring(&queue);
	fake_wait_count(&host->exceptions, 1);
	assert_int_equal(host->exception_code, 19);
	fake_queue_close(&queue);
}

static void a_dispatch_is_counted_with_its_program(void **state)
{
	const uint32_t dw[] = {
		P3(0x76u, 4u), 0x20c, 0x00123456, 0x1, P3(0x15u, 5u), 1, 1, 1, 0x21
	};
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_PM4, 90010, QUEUE, RING_BYTES);
	fake_queue_write(&queue, dw, 9);
	fake_queue_ring(&queue);
	fake_wait_count(&host->dispatches, 1);
	assert_true(host->kernel_object == 0x10012345600);
	fake_queue_close(&queue);
}

static void pointers_wrap_as_the_generation_does(void **state)
{
	static const uint32_t versions[] = { 70001, 90010 };
	struct fake_host *host = *state;

	for (size_t v = 0; v < 2; v++) {
		struct fake_queue queue;

		fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_PM4, versions[v], QUEUE,
				RING_BYTES);
		for (uint32_t i = 0; i < 200; i++) {
			const uint32_t dw[] = { P3(0x37u, 7u), 5u << 8, VA(DATA), i, ~i, i + 1 };

			fake_queue_write(&queue, dw, 7);
			fake_queue_ring(&queue);
			fake_queue_drain(&queue);
			assert_int_equal(fake_load32(host, DATA), i);
			assert_int_equal(fake_load32(host, DATA + 4), ~i);
			assert_int_equal(fake_load32(host, DATA + 8), i + 1);
		}
		assert_int_equal(fake_queue_read_ptr(&queue), 1400 % (RING_BYTES / 4));
		fake_queue_close(&queue);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_host_setup, fake_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_packet_does_to_memory_what_it_says),
		TEST(release_mem_stores_before_it_interrupts),
		TEST(a_wait_holds_back_what_follows),
		TEST(buffers_nest_and_count_as_one_packet),
		TEST(a_buffer_that_calls_itself_is_stopped),
		TEST(a_dispatch_is_counted_with_its_program),
		TEST(pointers_wrap_as_the_generation_does),
	};

	return cmocka_run_group_tests_name("thunk/model/gpu/pm4", tests, NULL, NULL);
}
