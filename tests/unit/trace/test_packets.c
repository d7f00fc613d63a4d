/* SPDX-License-Identifier: MIT */
/* Packets are counted once each, by type, whatever the moment of a look. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sampler/packets.h"

enum { SLOTS = 8, INVALID = 1 };

/* The queue as the program and the GPU see it. */
static unsigned char slots[SLOTS][PACKET_BYTES];
static uint64_t read_index, write_index;
static bool ring_is_gone;
static void (*before_indices)(void); /* what happens while a look is under way */
static struct packet_ring ring;

static bool copy(void *to, uint64_t from, size_t size_bytes)
{
	const bool is_index = size_bytes == sizeof(uint64_t);

	if (is_index && before_indices) {
		before_indices();
		before_indices = NULL;
	}
	if (ring_is_gone && !is_index)
		return false;
	memcpy(to, (const void *)(uintptr_t)from, size_bytes);
	return true;
}

static void put16(unsigned char *packet, size_t offset, uint16_t value)
{
	memcpy(packet + offset, &value, sizeof(value));
}

static void put64(unsigned char *packet, size_t offset, uint64_t value)
{
	memcpy(packet + offset, &value, sizeof(value));
}

static void make(unsigned char *packet, uint8_t type)
{
	memset(packet, 0, PACKET_BYTES);
	switch (type) {
	case 2: /* kernel dispatch: one dimension, 64 work items, a kernel */
		put16(packet, 2, 1);
		put16(packet, 4, 64);
		put64(packet, 32, 0x7f0000001000);
		break;
	case 4: /* agent dispatch: its type is the application's */
		put16(packet, 2, 0x8001);
		break;
	case 0: /* a command buffer: the vendor's format, a PM4 packet */
		put16(packet, 2, 1);
		put64(packet, 4, 0xc0023f00);
		break;
	}
	packet[0] = type;
}

static void submit(uint8_t type)
{
	make(slots[write_index % SLOTS], type);
	write_index++;
}

static void consume(void)
{
	slots[read_index % SLOTS][0] = INVALID;
	read_index++;
}

static void look(void)
{
	packets_count(&ring, read_index, write_index, copy);
}

static int setup(void **state)
{
	(void)state;
	memset(slots, 0, sizeof(slots));
	for (int i = 0; i < SLOTS; i++)
		slots[i][0] = INVALID;
	read_index = write_index = 0;
	ring_is_gone = false;
	before_indices = NULL;
	ring = (struct packet_ring){ .address = (uintptr_t)slots,
				     .packet_count = SLOTS,
				     .read_va = (uintptr_t)&read_index,
				     .write_va = (uintptr_t)&write_index };
	return 0;
}

static void expect(enum packet_kind kind, uint64_t count)
{
	assert_int_equal(ring.counts[kind], count);
}

static void packets_that_wait_are_counted_by_type(void **state)
{
	(void)state;
	for (uint8_t type = 0; type <= 5; type++) {
		if (type != INVALID)
			submit(type);
	}
	look();
	look();
	expect(PACKET_VENDOR_SPECIFIC, 1);
	expect(PACKET_KERNEL_DISPATCH, 1);
	expect(PACKET_BARRIER_AND, 1);
	expect(PACKET_AGENT_DISPATCH, 1);
	expect(PACKET_BARRIER_OR, 1);
	expect(PACKET_UNSEEN, 0);
}

static void packets_that_were_taken_are_known_by_their_contents(void **state)
{
	(void)state;
	submit(0);
	submit(2);
	submit(3);
	submit(5);
	submit(4);
	for (int i = 0; i < 5; i++)
		consume();
	look();
	expect(PACKET_VENDOR_SPECIFIC, 1);
	expect(PACKET_KERNEL_DISPATCH, 1);
	expect(PACKET_BARRIER, 2);
	expect(PACKET_AGENT_DISPATCH, 1);
}

static void a_barrier_on_a_value_is_a_vendor_packet(void **state)
{
	unsigned char packet[PACKET_BYTES] = { INVALID, 0, 2 };

	(void)state;
	assert_int_equal(packet_kind_of(packet), PACKET_VENDOR_SPECIFIC);
}

static void a_place_that_is_taken_but_not_written_waits_for_the_next_look(void **state)
{
	(void)state;
	/* once around, so that the place holds what an older packet left */
	for (int i = 0; i < SLOTS; i++) {
		submit(2);
		consume();
	}
	look();
	expect(PACKET_KERNEL_DISPATCH, SLOTS);
	write_index += 2; /* both producers have a place, the second one writes first */
	make(slots[1], 3);
	look();
	expect(PACKET_KERNEL_DISPATCH, SLOTS);
	expect(PACKET_BARRIER_AND, 0);
	make(slots[0], 2);
	look();
	expect(PACKET_KERNEL_DISPATCH, SLOTS + 1);
	expect(PACKET_BARRIER_AND, 1);
}

static void what_was_overwritten_between_looks_is_unseen(void **state)
{
	(void)state;
	for (int i = 0; i < 3 * SLOTS; i++) {
		submit(i < 2 * SLOTS ? 3 : 2);
		consume();
	}
	look();
	expect(PACKET_UNSEEN, 2 * SLOTS);
	expect(PACKET_KERNEL_DISPATCH, SLOTS);
}

static void a_producer_that_waits_for_room_is_not_counted_before_it_writes(void **state)
{
	(void)state;
	for (int i = 0; i < SLOTS; i++)
		submit(2);
	write_index += 3; /* places taken while the ring is full */
	look();
	expect(PACKET_KERNEL_DISPATCH, SLOTS);
	expect(PACKET_UNSEEN, 0);
}

static void go_once_around(void)
{
	for (int i = 0; i < SLOTS; i++) {
		consume();
		submit(3);
	}
}

static void what_is_overwritten_during_a_look_is_unseen(void **state)
{
	(void)state;
	for (int i = 0; i < SLOTS; i++)
		submit(2);
	before_indices = go_once_around;
	look();
	expect(PACKET_KERNEL_DISPATCH, 0);
	expect(PACKET_UNSEEN, SLOTS);
	look();
	expect(PACKET_BARRIER_AND, SLOTS);
}

static void a_ring_that_is_gone_gives_a_number_without_types(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		submit(2);
	ring_is_gone = true;
	look();
	expect(PACKET_UNSEEN, 5);
	expect(PACKET_KERNEL_DISPATCH, 0);
}

static void indices_of_no_queue_are_not_counted(void **state)
{
	(void)state;
	packets_count(&ring, 10, 3, copy);
	ring.packet_count = 0;
	packets_count(&ring, 0, 5, copy);
	for (int kind = 0; kind < PACKET_KIND_COUNT; kind++)
		expect((enum packet_kind)kind, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(packets_that_wait_are_counted_by_type, setup),
		cmocka_unit_test_setup(packets_that_were_taken_are_known_by_their_contents, setup),
		cmocka_unit_test_setup(a_barrier_on_a_value_is_a_vendor_packet, setup),
		cmocka_unit_test_setup(
			a_place_that_is_taken_but_not_written_waits_for_the_next_look, setup),
		cmocka_unit_test_setup(what_was_overwritten_between_looks_is_unseen, setup),
		cmocka_unit_test_setup(
			a_producer_that_waits_for_room_is_not_counted_before_it_writes, setup),
		cmocka_unit_test_setup(what_is_overwritten_during_a_look_is_unseen, setup),
		cmocka_unit_test_setup(a_ring_that_is_gone_gives_a_number_without_types, setup),
		cmocka_unit_test_setup(indices_of_no_queue_are_not_counted, setup),
	};

	return cmocka_run_group_tests_name("trace/sampler/packets", tests, NULL, NULL);
}
