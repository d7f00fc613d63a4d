/* SPDX-License-Identifier: MIT */
/* Direct transfers between files and device memory (queues.md 10). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ais/ais.h"
#include "seam.h"

#define AIS_NR     0x87
#define BASE       0x7f0000000000
#define SIZE_BYTES 0x100000000

static const uint64_t handle = 0x123400000001;
static int device_rc;

static int device(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_ais_args *args = arg;

	(void)seam;
	(void)request;
	args->out.size_copied = 4096; /* over the handle */
	args->out.status = -ENOSPC;
	return device_rc;
}

static int setup(void **state)
{
	struct seam *seam = seam_new();

	seam->objects[0] = (struct kmt_object_info){
		.gpu_va = BASE, .size_bytes = SIZE_BYTES, .handles = &handle, .handle_count = 1
	};
	seam->on_ioctl[AIS_NR] = device;
	device_rc = 0;
	*state = seam;
	return 0;
}

static int teardown(void **state)
{
	seam_free(*state);
	return 0;
}

static void checks_come_in_order(void **state)
{
	struct seam *seam = *state;
	HSAuint64 copied = 1;
	HSAint32 status = 1;

	seam->usable = false;
	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, NULL, 8, 3, 0, (HsaAisFlags)3, &copied,
						 &status),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, (void *)BASE, 8, 3, 0, (HsaAisFlags)3,
						 &copied, &status),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(
		kmt_ais_read_write_file(&seam->ctx, NULL, 8, 3, 0, HSA_AIS_READ, &copied, &status),
		HSAKMT_STATUS_INVALID_PARAMETER);
	/* The end of the transfer must be in the allocation too. */
	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, (void *)(BASE + SIZE_BYTES - 8), 9, 3,
						 0, HSA_AIS_READ, &copied, &status),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(seam->calls[AIS_NR], 0);
	assert_int_equal(copied, 1);
}

static void a_transfer_names_buffer_offset_and_direction(void **state)
{
	struct seam *seam = *state;
	const struct kfd_ais_in_args *in =
		&SEAM_LAST(seam, AMDKFD_IOC_AIS_OP, kfd_ioctl_ais_args)->in;
	HSAuint64 copied = 0;
	HSAint32 status = 0;

	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, (void *)(BASE + 0x2000), 0x3000, 7, -5,
						 HSA_AIS_WRITE, &copied, &status),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(in->handle, handle);
	assert_int_equal(in->handle_offset, 0x2000);
	assert_int_equal((int64_t)in->file_offset, -5);
	assert_int_equal(in->size, 0x3000);
	assert_int_equal(in->op, KFD_IOC_AIS_WRITE);
	assert_int_equal(in->fd, 7);
	assert_int_equal(copied, 4096);
	assert_int_equal(status, -ENOSPC);
	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, (void *)BASE, 0x3000, 7, 0,
						 HSA_AIS_READ, NULL, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(in->op, KFD_IOC_AIS_READ);
}

static void one_transfer_is_cut_where_read_would_cut_it(void **state)
{
	struct seam *seam = *state;

	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, (void *)BASE, UINT64_MAX, 7, 0,
						 HSA_AIS_READ, NULL, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_AIS_OP, kfd_ioctl_ais_args)->in.size,
			 0x7FFFF000);
}

static void a_failed_transfer_still_tells_how_far_it_came(void **state)
{
	struct seam *seam = *state;
	HSAuint64 copied = 0;
	HSAint32 status = 0;

	device_rc = -EIO;
	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, (void *)BASE, 0x3000, 7, 0,
						 HSA_AIS_READ, &copied, &status),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(copied, 4096);
	assert_int_equal(status, -ENOSPC);
}

static void a_call_that_wrote_no_results_does_not_give_the_handle_as_size(void **state)
{
	struct seam *seam = *state;
	HSAuint64 copied = 7;
	HSAint32 status = 7;

	seam->fail_ioctl_nr = AIS_NR;
	seam->fail_ioctl_errno = ENOTTY;
	assert_int_equal(kmt_ais_read_write_file(&seam->ctx, (void *)BASE, 0x3000, 7, 0,
						 HSA_AIS_READ, &copied, &status),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(copied, 0);
	assert_int_equal(status, -ENOTTY);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(checks_come_in_order),
		CASE(a_transfer_names_buffer_offset_and_direction),
		CASE(one_transfer_is_cut_where_read_would_cut_it),
		CASE(a_call_that_wrote_no_results_does_not_give_the_handle_as_size),
		CASE(a_failed_transfer_still_tells_how_far_it_came),
	};

	return cmocka_run_group_tests_name("thunk/ais", tests, NULL, NULL);
}
