/* SPDX-License-Identifier: MIT */
/* AQL packets: barriers and their signals, dispatches, vendor packets, completion, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake_host.h"

#define QUEUE      FAKE_BASE
#define OTHER      (FAKE_BASE + 0x10000)
#define RING_BYTES 1024u
#define SIGNALS    (FAKE_BASE + 0x20000)
#define SIGNAL(n)  (SIGNALS + 128 * (uint64_t)(n))
#define MAILBOX(n) (FAKE_BASE + 0x21000 + 8 * (uint64_t)(n))
#define KERNEL     (FAKE_BASE + 0x22000)
#define KERNARG    (FAKE_BASE + 0x23000)
#define CODE       (FAKE_BASE + 0x24000)
#define WORD       (FAKE_BASE + 0x30000)

enum { TYPE_VENDOR, TYPE_INVALID, TYPE_DISPATCH, TYPE_AND, TYPE_AGENT, TYPE_OR };

struct dispatch {
	uint16_t header, setup, workgroup[3], reserved0;
	uint32_t grid[3], private_bytes, group_bytes;
	uint64_t kernel_object, kernarg, reserved1, completion;
};

struct barrier {
	uint16_t header, reserved0;
	uint32_t reserved1;
	uint64_t dep[5], reserved2, completion;
};

struct barrier_value {
	uint16_t header, format;
	uint32_t reserved1;
	uint64_t signal;
	int64_t value, mask;
	uint32_t condition, reserved2;
	uint64_t reserved3[2], completion;
};

struct pm4_ib {
	uint16_t header, format;
	uint32_t ib[4], remaining, reserved[8];
	uint64_t completion;
};

static void signal_init(struct fake_host *host, unsigned int n, int64_t value, uint32_t event_id)
{
	memset(fake_at(host, SIGNAL(n)), 0, 128);
	fake_store64(host, SIGNAL(n), 1);
	fake_store64(host, SIGNAL(n) + 8, (uint64_t)value);
	if (event_id) {
		fake_store64(host, SIGNAL(n) + 16, MAILBOX(n));
		fake_store32(host, SIGNAL(n) + 24, event_id);
		fake_store64(host, MAILBOX(n), UINT64_MAX);
	}
}

static int64_t signal_value(struct fake_host *host, unsigned int n)
{
	return (int64_t)fake_load64(host, SIGNAL(n) + 8);
}

static struct dispatch dispatch_to(uint64_t completion)
{
	return (struct dispatch){
		.header = TYPE_DISPATCH | 1u << 8 | 2u << 9 | 2u << 11,
		.setup = 3,
		.workgroup = { 64, 4, 4 },
		.grid = { 1000, 10, 10 },
		.group_bytes = 65536,
		.kernel_object = KERNEL,
		.kernarg = KERNARG,
		.completion = completion,
	};
}

static void open_queue(struct fake_queue *queue, struct fake_host *host, uint64_t va)
{
	fake_queue_open(queue, host, KFD_MODEL_QUEUE_COMPUTE_AQL, 90010, va, RING_BYTES);
}

static void a_dispatch_completes_its_signal_without_running(void **state)
{
	struct dispatch dispatch = dispatch_to(SIGNAL(0));
	struct fake_host *host = *state;
	struct fake_queue queue;
	uint64_t start, end;

	memset(fake_at(host, KERNEL), 0, 64);
	signal_init(host, 0, 1, 77);
	open_queue(&queue, host, QUEUE);
	fake_queue_packet(&queue, &dispatch);
	fake_wait_count(&host->interrupts, 1);
	assert_int_equal(signal_value(host, 0), 0);
	assert_int_equal(fake_load64(host, MAILBOX(0)), 77);
	assert_int_equal(host->interrupt_id[0], 77);
	start = fake_load64(host, SIGNAL(0) + 32);
	end = fake_load64(host, SIGNAL(0) + 40);
	assert_in_range(start, 1000, end - 1);
	assert_int_equal(host->dispatches, 1);
	assert_true(host->kernel_object == KERNEL);
	/* the slot is free again: type INVALID, the other bits stay */
	assert_int_equal(fake_load32(host, queue.config.ring_va) & 0xffff,
			 (dispatch.header & 0xff00) | TYPE_INVALID);
	assert_int_equal(fake_queue_read_ptr(&queue), 1);
	fake_queue_close(&queue);
}

static void a_signal_without_mailbox_raises_nothing(void **state)
{
	struct dispatch dispatch = dispatch_to(SIGNAL(0));
	struct dispatch silent = dispatch_to(0);
	struct fake_host *host = *state;
	struct fake_queue queue;

	memset(fake_at(host, KERNEL), 0, 64);
	signal_init(host, 0, 5, 0);
	open_queue(&queue, host, QUEUE);
	fake_queue_packet(&queue, &silent);
	fake_queue_packet(&queue, &dispatch);
	fake_wait_count(&host->dispatches, 2);
	assert_int_equal(signal_value(host, 0), 4);
	assert_int_equal(host->interrupts, 0);
	fake_queue_close(&queue);
}

static void many_packets_wrap_the_ring_in_order(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;

	memset(fake_at(host, KERNEL), 0, 64);
	signal_init(host, 0, 1000, 0);
	open_queue(&queue, host, QUEUE);
	for (unsigned int i = 0; i < 1000; i++) {
		struct dispatch dispatch = dispatch_to(SIGNAL(0));

		if (i >= RING_BYTES / 64)
			fake_wait_count(&host->dispatches, i);
		fake_queue_packet(&queue, &dispatch);
	}
	fake_queue_wait(&queue, 1000);
	fake_wait_count(&host->dispatches, 1000);
	assert_int_equal(signal_value(host, 0), 0);
	fake_queue_close(&queue);
}

static void a_barrier_and_waits_for_every_signal(void **state)
{
	struct barrier barrier = { .header = TYPE_AND,
				   .dep = { SIGNAL(1), 0, SIGNAL(2), 0, SIGNAL(3) },
				   .completion = SIGNAL(0) };
	struct fake_host *host = *state;
	struct fake_queue queue;

	signal_init(host, 0, 1, 9);
	for (unsigned int i = 1; i < 4; i++)
		signal_init(host, i, (int)i, 0);
	open_queue(&queue, host, QUEUE);
	fake_queue_packet(&queue, &barrier);
	for (unsigned int i = 3; i > 0; i--) {
		fake_let_run();
		assert_int_equal(signal_value(host, 0), 1);
		assert_int_equal(fake_queue_read_ptr(&queue), 0);
		fake_store64(host, SIGNAL(i) + 8, 0);
	}
	fake_wait_count(&host->interrupts, 1);
	assert_int_equal(signal_value(host, 0), 0);
	fake_queue_close(&queue);
}

static void a_barrier_and_remembers_signals_that_were_met(void **state)
{
	struct barrier barrier = { .header = TYPE_AND,
				   .dep = { SIGNAL(1), SIGNAL(2) },
				   .completion = SIGNAL(0) };
	struct fake_host *host = *state;
	struct fake_queue queue;

	signal_init(host, 0, 1, 9);
	signal_init(host, 1, 0, 0);
	signal_init(host, 2, 1, 0);
	open_queue(&queue, host, QUEUE);
	fake_queue_packet(&queue, &barrier);
	fake_let_run();
	fake_store64(host, SIGNAL(1) + 8, 1); /* in use again */
	fake_store64(host, SIGNAL(2) + 8, 0);
	fake_wait_count(&host->interrupts, 1);
	fake_queue_close(&queue);
}

static void a_barrier_or_waits_for_one_signal(void **state)
{
	struct barrier barrier = { .header = TYPE_OR,
				   .dep = { 0, SIGNAL(1), SIGNAL(2), 0, 0 },
				   .completion = SIGNAL(0) };
	struct fake_host *host = *state;
	struct fake_queue queue;

	signal_init(host, 0, 1, 9);
	signal_init(host, 1, -1, 0);
	signal_init(host, 2, 1, 0);
	open_queue(&queue, host, QUEUE);
	fake_queue_packet(&queue, &barrier);
	fake_let_run();
	assert_int_equal(signal_value(host, 0), 1);
	fake_store64(host, SIGNAL(2) + 8, 0);
	fake_wait_count(&host->interrupts, 1);
	fake_queue_close(&queue);
}

static void barriers_without_signals_are_met(void **state)
{
	struct barrier and = { .header = TYPE_AND, .completion = SIGNAL(0) };
	struct barrier or = { .header = TYPE_OR, .completion = SIGNAL(0) };
	struct fake_host *host = *state;
	struct fake_queue queue;

	signal_init(host, 0, 2, 9);
	open_queue(&queue, host, QUEUE);
	fake_queue_packet(&queue, &and);
	fake_queue_packet(&queue, & or);
	fake_wait_count(&host->interrupts, 2);
	assert_int_equal(signal_value(host, 0), 0);
	fake_queue_close(&queue);
}

struct value_case {
	uint32_t condition;
	int64_t value, mask, held_by, not_held_by;
};

static const struct value_case values[] = {
	{ 0, 5, 0xff, 0x105, 6 },
	{ 1, 5, -1, 6, 5 },
	{ 2, -5, -1, -6, -5 },
	{ 3, -5, -1, -5, -6 },
};

static void a_barrier_value_compares_the_masked_signal(void **state)
{
	struct fake_host *host = *state;

	for (unsigned int i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct barrier_value barrier = { .format = 2,
						 .signal = SIGNAL(1),
						 .value = values[i].value,
						 .mask = values[i].mask,
						 .condition = values[i].condition,
						 .completion = SIGNAL(0) };
		struct fake_queue queue;

		signal_init(host, 0, 1, 9);
		signal_init(host, 1, values[i].not_held_by, 0);
		open_queue(&queue, host, QUEUE);
		fake_queue_packet(&queue, &barrier);
		fake_let_run();
		assert_int_equal(signal_value(host, 0), 1);
		fake_store64(host, SIGNAL(1) + 8, (uint64_t)values[i].held_by);
		fake_wait_count(&host->interrupts, i + 1);
		fake_queue_close(&queue);
	}
}

static void queues_meet_at_each_others_signals(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue left, right;
	const unsigned int rounds = 200;

	open_queue(&left, host, QUEUE);
	open_queue(&right, host, OTHER);
	signal_init(host, 10, 1, 9);
	for (unsigned int i = 0; i < rounds; i++) {
		/* left waits for what right completes, which waits for left's step before */
		struct barrier first = { .header = TYPE_AND, .completion = SIGNAL(0) };
		struct barrier second = { .header = TYPE_AND,
					  .dep = { SIGNAL(0) },
					  .completion = SIGNAL(1) };
		struct barrier third = { .header = TYPE_AND,
					 .dep = { SIGNAL(1) },
					 .completion = SIGNAL(10) };

		signal_init(host, 0, 1, 0);
		signal_init(host, 1, 1, 0);
		fake_store64(host, SIGNAL(10) + 8, 1);
		fake_queue_packet(&right, &second);
		fake_queue_packet(&left, &first);
		fake_queue_packet(&left, &third);
		fake_wait_count(&host->interrupts, i + 1);
		assert_int_equal(signal_value(host, 10), 0);
	}
	fake_queue_close(&left);
	fake_queue_close(&right);
}

static void a_pm4_buffer_runs_and_completes_once(void **state)
{
	const uint32_t code[] = {
		0xc0033700,
		5u << 8 | 1u << 20,
		(uint32_t)WORD,
		WORD >> 32,
		0x1111, /* WRITE_DATA */
		0xc0053c00,
		3 | 1u << 4,
		(uint32_t)(WORD + 4),
		WORD >> 32,
		1,
		~0u,
		4,
		0xc0033700,
		5u << 8,
		(uint32_t)WORD,
		WORD >> 32,
		0x2222,
	};
	struct pm4_ib packet = { .format = 1,
				 .ib = { 0xc0023f00, (uint32_t)CODE, CODE >> 32,
					 sizeof(code) / 4 | 1u << 23 },
				 .remaining = 10,
				 .completion = SIGNAL(0) };
	struct fake_host *host = *state;
	struct fake_queue queue;

	memcpy(fake_at(host, CODE), code, sizeof(code));
	fake_store64(host, WORD, 0);
	signal_init(host, 0, 1, 9);
	open_queue(&queue, host, QUEUE);
	for (unsigned int round = 1; round < 3; round++) {
		fake_store64(host, WORD, 0);
		fake_queue_packet(&queue, &packet);
		fake_wait32(host, WORD, 0x1111);
		fake_let_run();
		assert_int_equal(fake_queue_read_ptr(&queue), round - 1);
		fake_store32(host, WORD + 4, 1);
		fake_wait_count(&host->interrupts, round);
		assert_int_equal(fake_load32(host, WORD), 0x2222);
		assert_int_equal(signal_value(host, 0), 1 - (int)round);
	}
	fake_queue_close(&queue);
}

static void a_gfx8_slot_is_pm4_itself(void **state)
{
	const uint32_t code[] = { 0xc0033700, 5u << 8, (uint32_t)WORD, WORD >> 32, 0x4444 };
	const uint32_t slot[16] = {
		0xc0031000,
		0,
		0,
		0,
		0, /* NOP of 5 dwords */
		0xc0023f00,
		(uint32_t)CODE,
		CODE >> 32,
		5 | 1u << 23, /* INDIRECT_BUFFER */
		0xc0054900,
		0x514,
		2u << 24 | 1u << 29,
		(uint32_t)(WORD + 8), /* RELEASE_MEM */
		WORD >> 32,
		0x5555,
		0,
	};
	struct fake_host *host = *state;
	struct fake_queue queue;

	memcpy(fake_at(host, CODE), code, sizeof(code));
	fake_queue_open(&queue, host, KFD_MODEL_QUEUE_COMPUTE_AQL, 80003, QUEUE, RING_BYTES);
	fake_queue_packet(&queue, slot);
	fake_wait_count(&host->interrupts, 1);
	assert_int_equal(host->interrupt_id[0], 0);
	assert_int_equal(fake_load32(host, WORD), 0x4444);
	assert_int_equal(fake_load32(host, WORD + 8), 0x5555);
	fake_queue_wait(&queue, 1);
	fake_queue_close(&queue);
}

struct error_case {
	const char *name;
	void (*damage)(struct dispatch *dispatch);
	uint32_t code;
};

static void no_dimension(struct dispatch *dispatch)
{
	dispatch->setup = 0;
}

static void empty_grid(struct dispatch *dispatch)
{
	dispatch->grid[1] = 0;
}

static void empty_group(struct dispatch *dispatch)
{
	dispatch->workgroup[2] = 0;
}

static void group_too_large(struct dispatch *dispatch)
{
	dispatch->workgroup[2] = 5;
}

static void too_much_local_memory(struct dispatch *dispatch)
{
	dispatch->group_bytes++;
}

static void no_kernel(struct dispatch *dispatch)
{
	dispatch->kernel_object = 0;
}

static void unmapped_kernel(struct dispatch *dispatch)
{
	dispatch->kernel_object = FAKE_BASE - 64;
}

static void host_function(struct dispatch *dispatch)
{
	dispatch->header = TYPE_AGENT;
}

static void unknown_type(struct dispatch *dispatch)
{
	dispatch->header = 6;
}

static void unknown_vendor(struct dispatch *dispatch)
{
	dispatch->header = TYPE_VENDOR;
	dispatch->setup = 3; /* the format */
}

static const struct error_case errors[] = {
	{ "no dimension", no_dimension, 16 },
	{ "empty grid", empty_grid, 16 },
	{ "empty work group", empty_group, 21 },
	{ "work group too large", group_too_large, 21 },
	{ "too much local memory", too_much_local_memory, 17 },
	{ "no kernel object", no_kernel, 18 },
	{ "kernel object not mapped", unmapped_kernel, 18 },
	{ "host-function dispatch", host_function, 20 },
	{ "unknown type", unknown_type, 20 },
	{ "unknown vendor format", unknown_vendor, 23 },
};

static void a_bad_packet_raises_its_exception_and_stops_the_queue(void **state)
{
	struct fake_host *host = *state;

	memset(fake_at(host, KERNEL), 0, 64);
	for (unsigned int i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct dispatch dispatch = dispatch_to(SIGNAL(0));
		struct dispatch good = dispatch;
		struct fake_queue queue;

		errors[i].damage(&dispatch);
		signal_init(host, 0, 1, 9);
		open_queue(&queue, host, QUEUE);
		fake_queue_packet(&queue, &dispatch);
		fake_wait_count(&host->exceptions, i + 1);
		if (host->exception_code != errors[i].code)
			fail_msg("%s: code %u", errors[i].name, host->exception_code);
		assert_int_equal(host->exception_queue, queue.config.queue_id);
		fake_queue_packet(&queue, &good);
		fake_let_run();
		assert_int_equal(fake_queue_read_ptr(&queue), 0);
		assert_int_equal(signal_value(host, 0), 1);
		fake_queue_close(&queue);
	}
	assert_int_equal(host->dispatches, 0);
}

static void a_signal_outside_memory_is_a_fault(void **state)
{
	struct barrier barrier = { .header = TYPE_AND, .dep = { FAKE_BASE + FAKE_SIZE } };
	struct fake_host *host = *state;
	struct fake_queue queue;

	open_queue(&queue, host, QUEUE);
	fake_queue_packet(&queue, &barrier);
	fake_wait_count(&host->faults, 1);
	assert_true(host->fault_va == FAKE_BASE + FAKE_SIZE + 8 && !host->fault_write);
	fake_queue_close(&queue);
}

static void slots_beyond_the_write_index_are_not_looked_at(void **state)
{
	struct barrier barrier = { .header = TYPE_AND, .completion = SIGNAL(0) };
	struct fake_host *host = *state;
	struct fake_queue queue;

	signal_init(host, 0, 1, 0);
	open_queue(&queue, host, QUEUE);
	memset(fake_at(host, queue.config.ring_va), 0, RING_BYTES); /* vendor packets, all of it */
	memcpy(fake_at(host, queue.config.ring_va), &barrier, sizeof(barrier));
	fake_store64(host, queue.config.write_ptr_va, 1);
	fake_queue_wait(&queue, 1);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 1);
	assert_int_equal(signal_value(host, 0), 0);
	assert_int_equal(host->exceptions, 0);
	fake_queue_close(&queue);
}

static void a_reserved_slot_holds_up_those_behind_it(void **state)
{
	struct barrier barrier = { .header = TYPE_AND, .completion = SIGNAL(0) };
	struct fake_host *host = *state;
	struct fake_queue queue;
	uint64_t first;

	signal_init(host, 0, 2, 9);
	open_queue(&queue, host, QUEUE);
	first = queue.config.ring_va;
	queue.written = 1; /* another producer has taken slot 0 */
	fake_queue_packet(&queue, &barrier);
	fake_let_run();
	assert_int_equal(signal_value(host, 0), 2);
	memcpy((char *)fake_at(host, first) + 4, (char *)&barrier + 4, 60);
	fake_store32(host, first, barrier.header);
	__atomic_store_n(&queue.doorbell, 0, __ATOMIC_RELEASE);
	fake_wait_count(&host->interrupts, 2);
	assert_int_equal(signal_value(host, 0), 0);
	fake_queue_close(&queue);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_host_setup, fake_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_dispatch_completes_its_signal_without_running),
		TEST(a_signal_without_mailbox_raises_nothing),
		TEST(many_packets_wrap_the_ring_in_order),
		TEST(a_barrier_and_waits_for_every_signal),
		TEST(a_barrier_and_remembers_signals_that_were_met),
		TEST(a_barrier_or_waits_for_one_signal),
		TEST(barriers_without_signals_are_met),
		TEST(a_barrier_value_compares_the_masked_signal),
		TEST(queues_meet_at_each_others_signals),
		TEST(a_pm4_buffer_runs_and_completes_once),
		TEST(a_gfx8_slot_is_pm4_itself),
		TEST(a_bad_packet_raises_its_exception_and_stops_the_queue),
		TEST(a_signal_outside_memory_is_a_fault),
		TEST(slots_beyond_the_write_index_are_not_looked_at),
		TEST(a_reserved_slot_holds_up_those_behind_it),
	};

	return cmocka_run_group_tests_name("thunk/model/gpu/aql", tests, NULL, NULL);
}
