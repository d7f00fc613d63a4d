/* SPDX-License-Identifier: MIT */
/* Guests' calls and what hosts do for them (analysis/model/guests.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/guests.h"
#include "read_trace.h"

#define G    " vm 10 10 app "
#define H    " h 20 20 host "
#define ONE  " guest=0x700000000000 "
#define MORE " guest=0x710000000000 "

static const struct guest_row *row_of(const struct model *model, const char *name)
{
	const GPtrArray *rows = model_guest_rows(model);

	for (guint i = 0; i < rows->len; i++) {
		const struct guest_row *row = g_ptr_array_index(rows, i);

		if (strcmp(row->type->name, name) == 0)
			return row;
	}
	fail_msg("no row for %s", name);
	return NULL;
}

static void assert_parts(const struct guest_row *row, int64_t guest_ns, int64_t transport_ns,
			 int64_t host_ns, int64_t kernel_ns)
{
	assert_int_equal(row->guest_ns, guest_ns);
	assert_int_equal(row->transport_ns, transport_ns);
	assert_int_equal(row->host_ns, host_ns);
	assert_int_equal(row->kernel_ns, kernel_ns);
	assert_int_equal(row->total_ns, guest_ns + transport_ns + host_ns + kernel_ns);
}

#define CALL_BEGINS                                                                                \
	"100" G "entry guest vhsaKmtMapMemoryToGPU call=1\n"                                       \
	"110" G "entry command command call=7" ONE "command=4 monotonic_ns=110\n"
#define CALL_ENDS                                                                                  \
	"190" G "exit command command call=7 ret=0 monotonic_ns=190\n"                             \
	"200" G "exit guest vhsaKmtMapMemoryToGPU call=1 status=0\n"

static void the_way_there_is_known_from_the_compared_clocks(void **state)
{
	/* the host's clock is 5000 ahead: it began at 120 of the guest's */
	struct model *model = read_trace(
		"50" G "clock_pair" ONE "before_ns=40 host_ns=5045 after_ns=50\n" CALL_BEGINS
		"120" H "entry host host_command call=7" ONE "command=4 monotonic_ns=5120\n"
		"130" H "entry ioctl MAP_MEMORY_TO_GPU call=1 handle=1\n"
		"155" H "exit ioctl MAP_MEMORY_TO_GPU call=1 ret=0\n"
		"160" H "exit host host_command call=7 ret=0 monotonic_ns=5160\n" CALL_ENDS);
	const struct guest_row *row = row_of(model, "vhsaKmtMapMemoryToGPU");

	(void)state;
	assert_int_equal(row->calls, 1);
	assert_int_equal(row->commands, 1);
	assert_int_equal(row->unjoined, 0);
	assert_parts(row, 20, 40, 15, 25);
	assert_int_equal(row->outbound_ns, 10);
	model_free(model);
}

static void clocks_that_were_not_compared_cannot_make_nonsense(void **state)
{
	struct model *model = read_trace(
		CALL_BEGINS
		"120" H "entry host host_command call=7" ONE "command=4 monotonic_ns=3\n"
		"160" H "exit host host_command call=7 ret=0 monotonic_ns=43\n" CALL_ENDS);
	const struct guest_row *row = row_of(model, "vhsaKmtMapMemoryToGPU");

	(void)state;
	assert_parts(row, 20, 40, 40, 0);
	assert_int_equal(row->outbound_ns, 0);
	model_free(model);
}

/* Two recordings, of machines whose clocks differ. */
static void the_hosts_events_may_come_before_the_guests(void **state)
{
	struct model *model = read_trace(
		"20" H "entry host host_command call=7" ONE "command=4 monotonic_ns=5120\n"
		"30" H "entry ioctl MAP_MEMORY_TO_GPU call=1 handle=1\n"
		"55" H "exit ioctl MAP_MEMORY_TO_GPU call=1 ret=0\n"
		"60" H
		"exit host host_command call=7 ret=0 monotonic_ns=5160\n" CALL_BEGINS CALL_ENDS);

	(void)state;
	assert_parts(row_of(model, "vhsaKmtMapMemoryToGPU"), 20, 40, 15, 25);
	model_free(model);
}

static void and_after_them(void **state)
{
	struct model *model = read_trace(
		CALL_BEGINS CALL_ENDS
		"220" H "entry host host_command call=7" ONE "command=4 monotonic_ns=5120\n"
		"230" H "entry ioctl MAP_MEMORY_TO_GPU call=1 handle=1\n"
		"255" H "exit ioctl MAP_MEMORY_TO_GPU call=1 ret=0\n"
		"260" H "exit host host_command call=7 ret=0 monotonic_ns=5160\n");

	(void)state;
	assert_parts(row_of(model, "vhsaKmtMapMemoryToGPU"), 20, 40, 15, 25);
	model_free(model);
}

static void the_same_number_of_another_guest_is_another_command(void **state)
{
	struct model *model = read_trace(
		CALL_BEGINS
		"120" H "entry host host_command call=7" MORE "command=4 monotonic_ns=120\n"
		"180" H "exit host host_command call=7 ret=0 monotonic_ns=180\n" CALL_ENDS);
	const struct guest_row *row = row_of(model, "vhsaKmtMapMemoryToGPU");

	(void)state;
	assert_int_equal(row->unjoined, 1);
	assert_parts(row, 20, 80, 0, 0);
	model_free(model);
}

static void a_resource_with_that_number_is_another_one(void **state)
{
	struct model *model = read_trace(
		CALL_BEGINS
		"120" H "entry host host_command call=7" ONE "command=257 monotonic_ns=120\n"
		"180" H "exit host host_command call=7 ret=0 monotonic_ns=180\n" CALL_ENDS);

	(void)state;
	assert_int_equal(row_of(model, "vhsaKmtMapMemoryToGPU")->unjoined, 1);
	model_free(model);
}

/* The guest has no name before the host's first answer. */
static void the_first_command_is_the_guests_own_time(void **state)
{
	struct model *model = read_trace(
		"100" G "entry guest vhsaKmtOpenKFD call=1\n"
		"110" G "entry command command call=1 guest=0 command=2 monotonic_ns=110\n"
		"120" H "entry host host_command call=1" ONE "command=2 monotonic_ns=120\n"
		"180" H "exit host host_command call=1 ret=0 monotonic_ns=180\n"
		"190" G "exit command command call=1 ret=0 monotonic_ns=190\n"
		"200" G "exit guest vhsaKmtOpenKFD call=1 status=0\n");
	const struct guest_row *row = row_of(model, "vhsaKmtOpenKFD");

	(void)state;
	assert_int_equal(row->commands, 0);
	assert_parts(row, 100, 0, 0, 0);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_way_there_is_known_from_the_compared_clocks),
		cmocka_unit_test(clocks_that_were_not_compared_cannot_make_nonsense),
		cmocka_unit_test(the_hosts_events_may_come_before_the_guests),
		cmocka_unit_test(and_after_them),
		cmocka_unit_test(the_same_number_of_another_guest_is_another_command),
		cmocka_unit_test(a_resource_with_that_number_is_another_one),
		cmocka_unit_test(the_first_command_is_the_guests_own_time),
	};

	return cmocka_run_group_tests_name("analysis/model/guests", tests, NULL, NULL);
}
