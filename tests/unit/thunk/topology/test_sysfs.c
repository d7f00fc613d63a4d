/* SPDX-License-Identifier: MIT */
/* Lines of sysfs files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_device.h"
#include "topology/sysfs.h"

struct values {
	uint64_t wide;
	uint32_t word;
	uint16_t half;
	uint8_t byte, guard;
};

static const struct sysfs_key keys[] = {
	SYSFS_KEY("wide", struct values, wide),
	SYSFS_KEY("word", struct values, word),
	SYSFS_KEY("half", struct values, half),
	SYSFS_KEY("byte", struct values, byte),
};

static struct values parse(const char *text)
{
	struct values values = { .guard = 0xa5 };

	sysfs_parse(text, keys, 4, &values);
	assert_int_equal(values.guard, 0xa5);
	return values;
}

static void numbers_are_cut_to_their_fields(void **state)
{
	struct values values = parse("wide 18446744073709551615\nword 4294967298\nhalf 65539\n"
				     "byte 260\n");

	(void)state;
	assert_true(values.wide == UINT64_MAX);
	assert_int_equal(values.word, 2);
	assert_int_equal(values.half, 3);
	assert_int_equal(values.byte, 4);
}

static void order_and_unknown_names_do_not_matter(void **state)
{
	struct values values = parse("byte 1\nwor 9\nwords 9\nother 9\nword 2\nwide 3\nhalf 4");

	(void)state;
	assert_int_equal(values.byte, 1);
	assert_int_equal(values.word, 2);
	assert_true(values.wide == 3);
	assert_int_equal(values.half, 4);
}

static void parsing_ends_at_the_first_line_of_another_shape(void **state)
{
	static const char *const texts[] = { "word 1\nhalf\nbyte 1\n", "word 1\n\nbyte 1\n",
					     "word 1\nhalf x\nbyte 1\n",
					     "word 1\n half 2\nbyte 1\n",
					     "word 1\nhalf -1\nbyte 1\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct values values = parse(texts[i]);

		assert_int_equal(values.word, 1);
		assert_int_equal(values.byte, 0);
	}
	assert_int_equal(parse("").word, 0);
}

static void the_rest_of_a_line_is_there_for_lists(void **state)
{
	const char *text = "map 1,0,7\nword 5\n";
	struct sysfs_line line;

	(void)state;
	assert_true(sysfs_next_line(&text, &line));
	assert_true(sysfs_line_is(&line, "map"));
	assert_false(sysfs_line_is(&line, "ma"));
	assert_int_equal(line.value, 1);
	assert_memory_equal(line.rest, "1,0,7", 5);
	assert_true(sysfs_next_line(&text, &line));
	assert_int_equal(line.value, 5);
	assert_false(sysfs_next_line(&text, &line));
}

static void files_are_read_and_failures_passed_on(void **state)
{
	struct fake_device *fake = fake_device_new();
	struct kmt_context ctx = { .device = fake_device_door(fake) };
	char buf[SYSFS_BUFFER_SIZE], long_name[600];
	uint64_t value = 7;

	(void)state;
	fake_device_set_file(fake, "/a/1", "42 and more\n");
	fake_device_set_file(fake, "/a/2", "no number\n");
	fake_device_set_file_errno(fake, "/a/3", EPERM);
	assert_int_equal(sysfs_read(&ctx, buf, "/a/%d", 1), 12);
	assert_string_equal(buf, "42 and more\n");
	assert_int_equal(sysfs_read_number(&ctx, &value, "/a/%d", 1), 0);
	assert_int_equal(value, 42);
	assert_int_equal(sysfs_read_number(&ctx, &value, "/a/%d", 2), -EINVAL);
	assert_int_equal(sysfs_read_number(&ctx, &value, "/a/%d", 3), -EPERM);
	assert_int_equal(sysfs_read_number(&ctx, &value, "/a/%d", 4), -ENOENT);
	assert_int_equal(value, 42);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(sysfs_read(&ctx, buf, "/%s", long_name), -ENAMETOOLONG);
	assert_string_equal(buf, "");
	fake_device_free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_cut_to_their_fields),
		cmocka_unit_test(order_and_unknown_names_do_not_matter),
		cmocka_unit_test(parsing_ends_at_the_first_line_of_another_shape),
		cmocka_unit_test(the_rest_of_a_line_is_there_for_lists),
		cmocka_unit_test(files_are_read_and_failures_passed_on),
	};

	return cmocka_run_group_tests_name("thunk/topology/sysfs", tests, NULL, NULL);
}
