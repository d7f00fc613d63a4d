/* SPDX-License-Identifier: MIT */
/* From addresses to names (analysis/symbols/symbols.h), with this program and the fixtures as files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/symbols.h"

static char self_path[4096];
static struct sym_module self; /* this program as it is loaded */

static int find_self(struct dl_phdr_info *info, size_t size, void *data)
{
	uint64_t begin = UINT64_MAX;

	(void)size;
	(void)data;
	if (*info->dlpi_name)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_vaddr < begin)
			begin = info->dlpi_phdr[i].p_vaddr;
	}
	self.base = info->dlpi_addr + begin;
	return 1;
}

static int setup(void **state)
{
	ssize_t length = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);

	self_path[length > 0 ? length : 0] = '\0';
	dl_iterate_phdr(find_self, NULL);
	self.path = self_path;
	*state = sym_new(NULL);
	return 0;
}

static int teardown(void **state)
{
	sym_free(*state);
	return 0;
}

__attribute__((noinline)) static uint64_t where_am_i(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static void a_return_address_is_named_by_the_call_before_it(void **state)
{
	int line = __LINE__ + 1;
	uint64_t address = where_am_i();
	const struct sym_frame *frame = sym_resolve(*state, &self, address, true);
	const struct sym_level *level = &frame->levels[frame->level_count - 1];

	assert_int_equal(frame->reason, SYM_OK);
	assert_string_equal(level->function, __func__);
	assert_true(g_str_has_suffix(level->file, "test_symbols.c"));
	assert_int_equal(level->line, line);
	assert_string_equal(frame->path, self_path);
	assert_int_equal(frame->offset, address - self.base);
	/* The answer is kept. */
	assert_ptr_equal(frame, sym_resolve(*state, &self, address, true));
}

static volatile uint64_t inlined_at;

static inline __attribute__((always_inline)) void inner_function(void)
{
	inlined_at = where_am_i();
}

static void inlined_functions_are_levels_of_a_frame(void **state)
{
	const struct sym_frame *frame;

	inner_function();
	frame = sym_resolve(*state, &self, inlined_at, true);
	assert_int_equal(frame->level_count, 2);
	assert_string_equal(frame->levels[0].function, "inner_function");
	assert_string_equal(frame->levels[1].function, __func__);
	assert_true(frame->levels[0].line > 0);
	assert_true(frame->levels[1].line > frame->levels[0].line);
}

static void an_address_outside_any_module_says_so(void **state)
{
	const struct sym_frame *frame = sym_resolve(*state, NULL, 0xdead, true);

	assert_int_equal(frame->reason, SYM_OUTSIDE);
	assert_null(frame->path);
	assert_int_equal(frame->offset, 0xdead);
	assert_ptr_equal(frame, sym_resolve(*state, NULL, 0xdead, true));
}

static void a_missing_file_keeps_module_offset_and_build_id(void **state)
{
	static const uint8_t id[] = { 0xab, 0xcd };
	const struct sym_module module = {
		.path = "/nonexistent/lib.so", .base = 0x1000, .build_id = id, .build_id_size = 2
	};
	const struct sym_frame *frame = sym_resolve(*state, &module, 0x1234, true);

	assert_int_equal(frame->reason, SYM_NO_FILE);
	assert_string_equal(frame->module, "lib.so");
	assert_string_equal(frame->build_id, "abcd");
	assert_int_equal(frame->offset, 0x234);
	assert_null(frame->levels[0].function);
}

static void a_file_with_another_build_id_gives_no_names(void **state)
{
	static const uint8_t id[20] = { 1 };
	const struct sym_module module = { .path = FIXTURES "/application",
					   .base = 0x1000,
					   .build_id = id,
					   .build_id_size = sizeof(id) };
	const struct sym_frame *frame = sym_resolve(*state, &module, 0x2100, true);

	assert_int_equal(frame->reason, SYM_OTHER_FILE);
	assert_null(frame->levels[0].function);
	/* What ran is what is of interest, not what lies there now. */
	assert_int_equal(strncmp(frame->build_id, "0100", 4), 0);
}

static void a_file_that_is_no_elf_is_unreadable(void **state)
{
	const struct sym_module module = { .path = "/etc/passwd", .base = 0x1000 };

	assert_int_equal(sym_resolve(*state, &module, 0x1010, true)->reason, SYM_UNREADABLE);
}

static void a_stripped_library_is_not_named_by_its_nearest_symbol(void **state)
{
	const struct sym_module module = { .path = FIXTURES "/libhsa-runtime64.so.1", .base = 0 };

	/* Far behind all exported functions, in the last page of its code. */
	assert_int_equal(sym_resolve(*state, &module, 0x1fff, true)->reason, SYM_STRIPPED);
	assert_int_equal(sym_resolve(*state, &module, 0x10, true)->reason, SYM_STRIPPED);
}

/* A debug file found by build id below a debug directory, as distributions install them. */
static void a_separate_debug_file_is_found_by_build_id(void **state)
{
	char *dir = g_dir_make_tmp("kfdscope-test-XXXXXX", NULL);
	char *stripped = g_build_filename(dir, "stripped", NULL), *id_dir, *debug, *command;
	struct sym *sym;
	struct sym_module module = self;
	uint64_t address = where_am_i();
	const struct sym_frame *frame = sym_resolve(*state, &self, address, true);

	assert_non_null(frame->build_id); /* the linker's default on every distribution we know */
	id_dir = g_strdup_printf("%s/.build-id/%.2s", dir, frame->build_id);
	debug = g_strdup_printf("%s/%s.debug", id_dir, frame->build_id + 2);
	g_mkdir_with_parents(id_dir, 0700);
	command = g_strdup_printf("objcopy --only-keep-debug '%s' '%s' && objcopy -S '%s' '%s'",
				  self_path, debug, self_path, stripped);
	if (system(command) != 0)
		skip(); /* no binutils here */
	module.path = stripped;
	sym = sym_new("/nonexistent");
	assert_int_equal(sym_resolve(sym, &module, address, true)->reason, SYM_STRIPPED);
	sym_free(sym);
	g_free(command);
	command = g_strdup_printf("/nonexistent:%s", dir);
	sym = sym_new(command);
	frame = sym_resolve(sym, &module, address, true);
	assert_int_equal(frame->reason, SYM_OK);
	assert_string_equal(frame->levels[frame->level_count - 1].function, __func__);
	assert_non_null(frame->levels[0].file);
	sym_free(sym);
	g_free(command);
	command = g_strdup_printf("rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
	g_free(command);
	g_free(stripped);
	g_free(id_dir);
	g_free(debug);
	g_free(dir);
}

/* Clang leaves this table out. */
static void names_need_no_table_of_address_ranges(void **state)
{
	char *path = g_strdup_printf("%s/kfdscope-test-%d", g_get_tmp_dir(), (int)getpid());
	char *command = g_strdup_printf("objcopy -R .debug_aranges '%s' '%s'", self_path, path);
	struct sym_module module = self;
	uint64_t address = where_am_i();
	const struct sym_frame *frame;

	if (system(command) != 0)
		skip(); /* no binutils here */
	module.path = path;
	frame = sym_resolve(*state, &module, address, true);
	assert_string_equal(frame->levels[frame->level_count - 1].function, __func__);
	assert_true(frame->levels[0].file && g_str_has_suffix(frame->levels[0].file, "symbols.c"));
	unlink(path);
	g_free(command);
	g_free(path);
}

static void a_cxx_name_is_readable(void **state)
{
	char *name = sym_demangle("_ZN4rocr6memory8allocateEm");

	(void)state;
	assert_string_equal(name, "rocr::memory::allocate(unsigned long)");
	free(name);
	assert_null(sym_demangle("hipMalloc"));
	assert_null(sym_demangle(NULL));
}

static void every_reason_has_words(void **state)
{
	(void)state;
	for (int i = 0; i < SYM_REASON_COUNT; i++)
		assert_true(strlen(sym_reason_text((enum sym_reason)i)) > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_return_address_is_named_by_the_call_before_it),
		cmocka_unit_test(inlined_functions_are_levels_of_a_frame),
		cmocka_unit_test(an_address_outside_any_module_says_so),
		cmocka_unit_test(a_missing_file_keeps_module_offset_and_build_id),
		cmocka_unit_test(a_file_with_another_build_id_gives_no_names),
		cmocka_unit_test(a_file_that_is_no_elf_is_unreadable),
		cmocka_unit_test(a_stripped_library_is_not_named_by_its_nearest_symbol),
		cmocka_unit_test(a_separate_debug_file_is_found_by_build_id),
		cmocka_unit_test(names_need_no_table_of_address_ranges),
		cmocka_unit_test(a_cxx_name_is_readable),
		cmocka_unit_test(every_reason_has_words),
	};

	return cmocka_run_group_tests_name("analysis/symbols", tests, setup, teardown);
}
