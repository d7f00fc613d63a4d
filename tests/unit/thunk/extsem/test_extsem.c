/* SPDX-License-Identifier: MIT */
/* External semaphores are refused without a look at anything (queues.md 9). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "extsem/extsem.h"
#include "seam.h"

static void every_entry_refuses_and_asks_nobody(void **state)
{
	struct seam *seam = seam_new();
	HSA_EXTERNAL_SEMAPHORE_HANDLE handle = { 0 };

	(void)state;
	seam->usable = false;
	assert_int_equal(kmt_import_external_semaphore(&seam->ctx, 99, NULL,
						       HSA_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
						       NULL),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_destroy_external_semaphore(&seam->ctx, handle),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_queue_signal_external_semaphore(&seam->ctx, 0, handle, 1),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_queue_wait_external_semaphore(&seam->ctx, 0, handle, 1),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	assert_string_equal(seam->sequence, "");
	seam_free(seam);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_entry_refuses_and_asks_nobody),
	};

	return cmocka_run_group_tests_name("thunk/extsem", tests, NULL, NULL);
}
