/* SPDX-License-Identifier: MIT */
/* How single values get into events. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

#include "values.h"

static void text_is_cut_and_ended(void **state)
{
	char to[5];

	(void)state;
	trace_text(to, sizeof(to), "ab", 64);
	assert_string_equal(to, "ab");
	trace_text(to, sizeof(to), "abcdefg", 64);
	assert_string_equal(to, "abcd");
	trace_text(to, sizeof(to), "abcdefg", 2);
	assert_string_equal(to, "ab");
	trace_text(to, sizeof(to), NULL, 64);
	assert_string_equal(to, "");
}

static void wide_text_becomes_utf8_without_half_characters(void **state)
{
	const HSAuint16 wide[] = { 'R', 0xe9, 0x20ac, 0 };
	char to[16];

	(void)state;
	trace_text16(to, sizeof(to), wide, 64);
	assert_string_equal(to, "R\xc3\xa9\xe2\x82\xac");
	trace_text16(to, 6, wide, 64); /* room for all but the last byte */
	assert_string_equal(to, "R\xc3\xa9");
	trace_text16(to, sizeof(to), wide, 1);
	assert_string_equal(to, "R");
}

static void bits_are_counted_over_all_words(void **state)
{
	const HSAuint32 words[] = { 0xf, 0, 0x80000001 };

	(void)state;
	assert_int_equal(trace_bits(words, 3), 6);
}

static void arguments_are_read_as_far_as_the_request_says(void **state)
{
	const uint32_t arg[] = { 1, 2, 3, 4 };
	uint32_t to[4];

	(void)state;
	memset(to, 0xff, sizeof(to));
	trace_copy_argument(to, sizeof(to), _IOC(_IOC_READ, 'K', 1, 8), arg);
	assert_int_equal(to[1], 2);
	assert_int_equal(to[2], 0);
	trace_copy_argument(to, 8, _IOC(_IOC_READ, 'K', 1, 16), arg);
	assert_int_equal(to[1], 2);
	trace_copy_argument(to, sizeof(to), _IOC(_IOC_READ, 'K', 1, 16), NULL);
	assert_int_equal(to[0], 0);
	trace_rest(to, 8, _IOC(_IOC_READ, 'K', 1, 12), arg, sizeof(arg));
	assert_int_equal(to[0], 3);
	assert_int_equal(to[1], 0);
	trace_rest(to, 8, _IOC(_IOC_READ, 'K', 1, 4), arg, sizeof(arg));
	assert_int_equal(to[0], 0);
}

static void the_first_fault_of_a_wait_is_found(void **state)
{
	HsaEvent signal = { .EventId = 1 }, quiet = { .EventId = 2 }, memory = { .EventId = 3 };
	HsaEvent *events[] = { &signal, &quiet, &memory };
	struct trace_fault fault;

	(void)state;
	signal.EventData.EventType = HSA_EVENTTYPE_SIGNAL;
	/* What events are made with lies where a fault's details will. */
	quiet.EventData.EventType = HSA_EVENTTYPE_MEMORY;
	quiet.EventData.EventData.SyncVar.SyncVar.UserData = &quiet;
	quiet.EventData.EventData.SyncVar.SyncVarSize = 8;
	signal.EventData.EventData.SyncVar = quiet.EventData.EventData.SyncVar;
	memory.EventData.EventType = HSA_EVENTTYPE_MEMORY;
	memory.EventData.EventData.MemoryAccessFault.NodeId = 4;
	memory.EventData.EventData.MemoryAccessFault.VirtualAddress = 0x7000;
	memory.EventData.EventData.MemoryAccessFault.Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS;
	trace_find_fault(&fault, events, 2, true);
	assert_int_equal(fault.valid, 0);
	trace_find_fault(&fault, events, 3, false);
	assert_int_equal(fault.valid, 0);
	trace_find_fault(&fault, events, 3, true);
	assert_int_equal(fault.valid, 1);
	assert_int_equal(fault.event_id, 3);
	assert_int_equal(fault.node_id, 4);
	assert_int_equal(fault.address, 0x7000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_and_ended),
		cmocka_unit_test(wide_text_becomes_utf8_without_half_characters),
		cmocka_unit_test(bits_are_counted_over_all_words),
		cmocka_unit_test(arguments_are_read_as_far_as_the_request_says),
		cmocka_unit_test(the_first_fault_of_a_wait_is_found),
	};

	return cmocka_run_group_tests_name("trace/values", tests, NULL, NULL);
}
