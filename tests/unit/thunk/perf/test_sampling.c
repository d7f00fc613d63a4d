/* SPDX-License-Identifier: MIT */
/*
 * Streaming counters and PC sampling: what goes to the kernel and what comes back (perf.md 4, 5).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perf/perf.h"
#include "seam.h"

#define SPM_NR 0x84
#define PCS_NR 0x85

static int setup(void **state)
{
	*state = seam_new();
	return 0;
}

static int teardown(void **state)
{
	seam_free(*state);
	return 0;
}

/* --- Streaming counters --- */

/*
 * A device that fills the buffer of the call before: nothing the first time, then whole buffers,
 * but for one that timed out, one filled in part and two with losses.
 */
static unsigned int spm_call;
static int spm_rc;

static int spm_device(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_spm_args *args = arg;

	(void)seam;
	(void)request;
	if (args->op != KFD_IOCTL_SPM_OP_SET_DEST_BUF)
		return 0;
	spm_call++;
	args->bytes_copied = spm_call == 1 || spm_call == 5 ? 0 : spm_call == 9 ? 12000 : 32768;
	args->has_data_loss = spm_call == 7 || spm_call == 15 ? 3 : 0;
	args->timeout = spm_call == 5 ? 0 : 4;
	return spm_rc;
}

static void twenty_buffers_are_accounted_for(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HSAuint32 copied, timeout, total = 0;
	unsigned int losses = 0;
	bool lost;
	char buffer[16];

	seam->on_ioctl[SPM_NR] = spm_device;
	spm_call = 0;
	spm_rc = 0;
	assert_int_equal(kmt_spm_acquire(ctx, 1), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_RLC_SPM, kfd_ioctl_spm_args)->op, 0);
	for (unsigned int i = 1; i <= 20; i++) {
		timeout = 10;
		assert_int_equal(
			kmt_spm_set_dest_buffer(ctx, 1, 32768, &timeout, &copied, buffer, &lost),
			HSAKMT_STATUS_SUCCESS);
		assert_int_equal(timeout, i == 5 ? 0 : 4);
		losses += lost;
		assert_true(lost == (i == 7 || i == 15));
		total += copied;
	}
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_RLC_SPM, kfd_ioctl_spm_args)->dest_buf, buffer);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_RLC_SPM, kfd_ioctl_spm_args)->timeout, 10);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_RLC_SPM, kfd_ioctl_spm_args)->gpu_id,
			 SEAM_GPU_ID);
	timeout = 10;
	assert_int_equal(kmt_spm_set_dest_buffer(ctx, 1, 0, &timeout, &copied, NULL, &lost),
			 HSAKMT_STATUS_SUCCESS);
	total += copied;
	assert_int_equal(total, 601824);
	assert_int_equal(losses, 2);
	assert_int_equal(kmt_spm_release(ctx, 1), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_RLC_SPM, kfd_ioctl_spm_args)->op, 1);
}

static void spm_outputs_are_written_on_failure_too(void **state)
{
	struct seam *seam = *state;
	HSAuint32 copied = 1, timeout = 10;
	bool lost = false;

	seam->on_ioctl[SPM_NR] = spm_device;
	spm_call = 6;
	spm_rc = -EINVAL;
	assert_int_equal(kmt_spm_set_dest_buffer(&seam->ctx, 1, 8, &timeout, &copied, &lost, &lost),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(copied, 32768);
	assert_int_equal(timeout, 4);
	assert_true(lost);
	assert_int_equal(kmt_spm_set_dest_buffer(&seam->ctx, 1, 8, NULL, NULL, &lost, NULL),
			 HSAKMT_STATUS_ERROR);
}

static void spm_knows_no_more_than_the_node(void **state)
{
	struct seam *seam = *state;
	HSAuint32 copied = 7, timeout = 10;

	seam->usable = false; /* no check of its own */
	assert_int_equal(kmt_spm_acquire(&seam->ctx, 9), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_spm_release(&seam->ctx, 9), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_spm_set_dest_buffer(&seam->ctx, 9, 0, &timeout, &copied, NULL, NULL),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(copied, 7);
	assert_int_equal(seam->calls[SPM_NR], 0);
	seam->fail_ioctl_nr = SPM_NR;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_spm_acquire(&seam->ctx, 1), HSAKMT_STATUS_ERROR);
}

/* --- PC sampling --- */

static int pcs_device(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_pc_sample_args *args = arg;
	struct kfd_pc_sample_info *info = (void *)(uintptr_t)args->sample_info_ptr;

	(void)seam;
	(void)request;
	switch (args->op) {
	case KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES:
		if (args->num_sample_info && args->num_sample_info < 2) {
			args->num_sample_info = 2;
			return -ENOSPC;
		}
		args->num_sample_info = 2;
		return 0;
	case KFD_IOCTL_PCS_OP_CREATE:
		info->interval = 128;
		args->trace_id = 6;
		return 0;
	default:
		return 0;
	}
}

static void sampling_checks_arguments_then_open_then_version_then_node(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaPcSamplingInfo info = { 0 };
	HsaPcSamplingTraceId id = 9;
	HSAuint32 size = 9;

	seam->usable = false;
	seam->process.kfd_minor = 15;
	assert_int_equal(kmt_pc_sampling_query_capabilities(ctx, 9, NULL, 0, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pc_sampling_create(ctx, 9, NULL, &id),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pc_sampling_create(ctx, 9, &info, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pc_sampling_start(ctx, 9, 0), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pc_sampling_stop(ctx, 9, 0), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pc_sampling_destroy(ctx, 9, 0), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pc_sampling_support(ctx), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_pc_sampling_query_capabilities(ctx, 9, NULL, 0, &size),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_pc_sampling_create(ctx, 9, &info, &id),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(id, 9);
	assert_int_equal(kmt_pc_sampling_start(ctx, 9, 1),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(kmt_pc_sampling_support(ctx), HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_pc_sampling_query_capabilities(ctx, 9, NULL, 0, &size),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	/* The others do not ask for the version. */
	assert_int_equal(kmt_pc_sampling_create(ctx, 9, &info, &id),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(id, 0);
	assert_int_equal(kmt_pc_sampling_start(ctx, 9, 1), HSAKMT_STATUS_INVALID_NODE_UNIT);
	seam->process.kfd_minor = 16;
	assert_int_equal(kmt_pc_sampling_support(ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pc_sampling_query_capabilities(ctx, 9, NULL, 0, &size),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(size, 9);
	assert_int_equal(seam->calls[PCS_NR], 0);
}

static void a_sampling_session_from_query_to_destroy(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaPcSamplingInfo info[2] = { { .value = 100 } };
	HsaPcSamplingTraceId id = 0;
	HSAuint32 size = 0;

	seam->on_ioctl[PCS_NR] = pcs_device;
	assert_int_equal(kmt_pc_sampling_query_capabilities(ctx, 1, NULL, 0, &size),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(size, 2);
	size = 0;
	assert_int_equal(kmt_pc_sampling_query_capabilities(ctx, 1, info, 1, &size),
			 HSAKMT_STATUS_BUFFER_TOO_SMALL);
	assert_int_equal(size, 2);
	assert_int_equal(kmt_pc_sampling_create(ctx, 1, info, &id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(id, 6);
	assert_int_equal(info[0].value, 128); /* adjusted by the kernel */
	assert_int_equal(kmt_pc_sampling_start(ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_PC_SAMPLE, kfd_ioctl_pc_sample_args)->trace_id,
			 6);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_PC_SAMPLE, kfd_ioctl_pc_sample_args)->op,
			 KFD_IOCTL_PCS_OP_START);
	/* Destroying stops first, and does not care how that went. */
	seam_reset_log(seam);
	seam->fail_ioctl_nr = PCS_NR;
	seam->fail_ioctl_errno = EALREADY;
	assert_int_equal(kmt_pc_sampling_destroy(ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->calls[PCS_NR], 2);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_PC_SAMPLE, kfd_ioctl_pc_sample_args)->op,
			 KFD_IOCTL_PCS_OP_DESTROY);
}

static int pcs_errno;

static int pcs_refuse(struct seam *seam, unsigned long request, void *arg)
{
	(void)seam;
	(void)request;
	(void)arg;
	return -pcs_errno;
}

static void every_errno_has_its_status(void **state)
{
	enum { QUERY, CREATE, DESTROY, START, STOP };
	/* clang-format off */
	static const struct { int op, err; HSAKMT_STATUS status; } cases[] = {
		{ QUERY,   ENOSPC,     HSAKMT_STATUS_BUFFER_TOO_SMALL },
		{ QUERY,   EINVAL,     HSAKMT_STATUS_INVALID_PARAMETER },
		{ QUERY,   EOPNOTSUPP, HSAKMT_STATUS_NOT_SUPPORTED },
		{ QUERY,   ENOTTY,     HSAKMT_STATUS_NOT_SUPPORTED },
		{ QUERY,   EBUSY,      HSAKMT_STATUS_UNAVAILABLE },
		{ QUERY,   EIO,        HSAKMT_STATUS_ERROR },
		{ CREATE,  EINVAL,     HSAKMT_STATUS_INVALID_PARAMETER },
		{ CREATE,  ENOMEM,     HSAKMT_STATUS_NO_MEMORY },
		{ CREATE,  EBUSY,      HSAKMT_STATUS_UNAVAILABLE },
		{ CREATE,  EEXIST,     HSAKMT_STATUS_ERROR },
		{ CREATE,  EOPNOTSUPP, HSAKMT_STATUS_ERROR },
		{ DESTROY, EINVAL,     HSAKMT_STATUS_INVALID_PARAMETER },
		{ DESTROY, EBUSY,      HSAKMT_STATUS_ERROR },
		{ START,   EINVAL,     HSAKMT_STATUS_INVALID_PARAMETER },
		{ START,   ENOMEM,     HSAKMT_STATUS_OUT_OF_RESOURCES },
		{ START,   EBUSY,      HSAKMT_STATUS_UNAVAILABLE },
		{ START,   EALREADY,   HSAKMT_STATUS_KERNEL_ALREADY_OPENED },
		{ START,   EIO,        HSAKMT_STATUS_ERROR },
		{ STOP,    EINVAL,     HSAKMT_STATUS_INVALID_PARAMETER },
		{ STOP,    EALREADY,   HSAKMT_STATUS_KERNEL_ALREADY_OPENED },
		{ STOP,    ENOMEM,     HSAKMT_STATUS_ERROR },
	};
	/* clang-format on */
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaPcSamplingInfo info = { 0 };

	seam->on_ioctl[PCS_NR] = pcs_refuse;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
		HsaPcSamplingTraceId id = 9;
		HSAuint32 size;

		pcs_errno = cases[i].err;
		switch (cases[i].op) {
		case QUERY:
			status = kmt_pc_sampling_query_capabilities(ctx, 1, &info, 1, &size);
			break;
		case CREATE:
			status = kmt_pc_sampling_create(ctx, 1, &info, &id);
			assert_int_equal(id, 0);
			break;
		case DESTROY:
			status = kmt_pc_sampling_destroy(ctx, 1, 5);
			break;
		case START:
			status = kmt_pc_sampling_start(ctx, 1, 5);
			break;
		case STOP:
			status = kmt_pc_sampling_stop(ctx, 1, 5);
			break;
		default:
			fail();
		}
		assert_int_equal(status, cases[i].status);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(twenty_buffers_are_accounted_for),
		CASE(spm_outputs_are_written_on_failure_too),
		CASE(spm_knows_no_more_than_the_node),
		CASE(sampling_checks_arguments_then_open_then_version_then_node),
		CASE(a_sampling_session_from_query_to_destroy),
		CASE(every_errno_has_its_status),
	};

	return cmocka_run_group_tests_name("thunk/perf/sampling", tests, NULL, NULL);
}
