/* SPDX-License-Identifier: MIT */
/* Lines of the driver's event stream are read as they are meant, or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "smi/lines.h"

static struct smi_line line;

static bool read_text(const char *text)
{
	return smi_line_parse(text, strlen(text), &line);
}

static void a_vm_fault_has_a_process(void **state)
{
	(void)state;
	assert_true(read_text("1 4d2:my app"));
	assert_int_equal(line.event, KFD_SMI_EVENT_VMFAULT);
	assert_int_equal(line.pid, 1234);
	assert_string_equal(line.text, "my app");
}

static void throttling_has_two_numbers(void **state)
{
	(void)state;
	assert_true(read_text("2 ffffffff00000001:1f"));
	assert_int_equal(line.event, KFD_SMI_EVENT_THERMAL_THROTTLE);
	assert_int_equal(line.bitmask, 0xffffffff00000001);
	assert_int_equal(line.counter, 0x1f);
}

static void a_reset_may_have_a_cause(void **state)
{
	(void)state;
	assert_true(read_text("3 a"));
	assert_int_equal(line.event, KFD_SMI_EVENT_GPU_PRE_RESET);
	assert_int_equal(line.sequence, 10);
	assert_string_equal(line.text, "");
	assert_true(read_text("4 a job hang"));
	assert_int_equal(line.event, KFD_SMI_EVENT_GPU_POST_RESET);
	assert_string_equal(line.text, "job hang");
}

static void a_migration_has_a_range_and_a_way(void **state)
{
	(void)state;
	assert_true(read_text("5 17 -99 @7f00(10) 0->a001 a001:b 1"));
	assert_int_equal(line.boottime_ns, 17);
	assert_int_equal(line.pid, 99);
	assert_int_equal(line.address, 0x7f00000);
	assert_int_equal(line.size_bytes, 0x10000);
	assert_int_equal(line.from, 0);
	assert_int_equal(line.to, 0xa001);
	assert_int_equal(line.prefetch, 0xa001);
	assert_int_equal(line.preferred, 0xb);
	assert_int_equal(line.trigger, KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU);
	assert_true(read_text("6 18 -99 @7f00(10) a001->0 3"));
	assert_int_equal(line.from, 0xa001);
	assert_int_equal(line.trigger, KFD_MIGRATE_TRIGGER_TTM_EVICTION);
	assert_false(line.has_error);
	assert_true(read_text("6 18 -99 @7f00(10) a001->0 3 -12"));
	assert_true(line.has_error);
	assert_int_equal(line.error, -12);
}

static void a_page_fault_says_how(void **state)
{
	(void)state;
	assert_true(read_text("7 17 -99 @7f00(a001) W"));
	assert_int_equal(line.address, 0x7f00000);
	assert_int_equal(line.node, 0xa001);
	assert_true(line.is_write);
	assert_true(read_text("7 17 -99 @7f00(a001) R"));
	assert_false(line.is_write);
	assert_true(read_text("8 17 -99 @7f00(a001) M"));
	assert_true(line.is_migrated);
	assert_true(read_text("8 17 -99 @7f00(a001) U"));
	assert_false(line.is_migrated);
}

static void an_eviction_and_its_end_have_a_node(void **state)
{
	(void)state;
	assert_true(read_text("9 18446744073709551615 -99 a001 2"));
	assert_int_equal(line.event, KFD_SMI_EVENT_QUEUE_EVICTION);
	assert_int_equal(line.boottime_ns, UINT64_MAX);
	assert_int_equal(line.node, 0xa001);
	assert_int_equal(line.trigger, KFD_QUEUE_EVICTION_TRIGGER_TTM);
	assert_true(read_text("a 17 -99 a001 R"));
	assert_true(line.is_rescheduled);
	assert_true(read_text("a 17 -99 a001 0"));
	assert_false(line.is_rescheduled);
	assert_true(read_text("a 17 -99 a001"));
	assert_true(read_text("a 17 -99 a001 "));
}

static void an_unmap_and_processes_are_known(void **state)
{
	(void)state;
	assert_true(read_text("b 17 -99 @7f00(10) a001 2"));
	assert_int_equal(line.size_bytes, 0x10000);
	assert_int_equal(line.trigger, KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU);
	assert_true(read_text("c 63 app"));
	assert_int_equal(line.event, KFD_SMI_EVENT_PROCESS_START);
	assert_int_equal(line.pid, 99);
	assert_true(read_text("d 63 app"));
	assert_int_equal(line.event, KFD_SMI_EVENT_PROCESS_END);
}

/* Every beginning of a good line, and the line with one more character, is none. */
static void cut_lines_are_refused(void **state)
{
	static const char *const whole[] = {
		"5 17 -99 @7f00(10) 0->a001 a001:b 1",
		"7 17 -99 @7f00(a001) W",
		"9 17 -99 a001 2",
		"b 17 -99 @7f00(10) a001 2",
		"2 ff:1",
	};
	char longer[128];

	(void)state;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		for (size_t length = 0; length < strlen(whole[i]); length++)
			assert_false(smi_line_parse(whole[i], length, &line));
		assert_true(read_text(whole[i]));
		strcpy(longer, whole[i]);
		strcat(longer, "x");
		assert_false(read_text(longer));
	}
}

static void other_lines_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		" ",
		"e 5",
		"0 1:a",
		"9",
		"9 17 99 a001 2",
		"9 -17 -99 a001 2",
		"9 17 -99 a001 -1",
		"9 17 -4294967296 a001 2",
		"9 18446744073709551616 -1 1 1",
		"9 17 -99 100000000 2",
		"5 17 -99 @fffffffffffffffff(1) 0->1 1:1 1",
		"7 17 -99 @7f00(a001) X",
		"A 17 -99 a001",
		"100000001 1:a",
		"9  17 -99 a001 2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (read_text(wrong[i]))
			fail_msg("'%s' was read", wrong[i]);
	}
	assert_false(smi_line_parse("1 1:a\0b", 7, &line));
}

static void a_text_that_is_too_long_is_refused(void **state)
{
	char text[SMI_TEXT_BYTES + 8] = "1 1:";

	(void)state;
	memset(text + 4, 'a', SMI_TEXT_BYTES - 1);
	assert_true(read_text(text));
	assert_int_equal(strlen(line.text), SMI_TEXT_BYTES - 1);
	text[4 + SMI_TEXT_BYTES - 1] = 'a';
	assert_false(read_text(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_vm_fault_has_a_process),
		cmocka_unit_test(throttling_has_two_numbers),
		cmocka_unit_test(a_reset_may_have_a_cause),
		cmocka_unit_test(a_migration_has_a_range_and_a_way),
		cmocka_unit_test(a_page_fault_says_how),
		cmocka_unit_test(an_eviction_and_its_end_have_a_node),
		cmocka_unit_test(an_unmap_and_processes_are_known),
		cmocka_unit_test(cut_lines_are_refused),
		cmocka_unit_test(other_lines_are_refused),
		cmocka_unit_test(a_text_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests_name("trace/smi/lines", tests, NULL, NULL);
}
