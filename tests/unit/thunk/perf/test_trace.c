/* SPDX-License-Identifier: MIT */
/* Counter traces, and claims on slots among processes (perf.md 2 and 3). */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/claim.h"
#include "perf/perf.h"
#include "perf/perf_event.h"
#include "seam.h"

/* --- Shared memory of this run alone: the real name belongs to the machine --- */

static char shared_path[64];

int shm_open(const char *name, int flags, mode_t mode)
{
	assert_string_equal(name, "/hsakmt_shared_mem");
	return open(shared_path, flags | O_CLOEXEC, mode);
}

/* --- Performance events that count by themselves --- */

static struct {
	int open_errno, enable_errno, read_errno;
	unsigned int fail_open_after, fail_enable_after; /* calls that still work */
	unsigned int opened, closed, enabled, disabled, reads;
	uint64_t config[8];
} events;

static int fake_open(uint32_t type, uint64_t config)
{
	assert_int_equal(type, 12);
	if (events.open_errno && !events.fail_open_after--)
		return -events.open_errno;
	events.config[events.opened % 8] = config;
	return 1000 + (int)events.opened++;
}

static int fake_enable(int fd, bool enable)
{
	assert_in_range(fd, 1000, 2000);
	if (enable && events.enable_errno && !events.fail_enable_after--)
		return -events.enable_errno;
	events.enabled += enable;
	events.disabled += !enable;
	return 0;
}

static int fake_read(int fd, uint64_t *value)
{
	events.reads++;
	*value = (uint64_t)fd * 3;
	return -events.read_errno;
}

static void fake_close(int fd)
{
	assert_in_range(fd, 1000, 2000);
	events.closed++;
}

static const struct perf_event_ops fake_events = { fake_open, fake_enable, fake_read, fake_close };

static int setup(void **state)
{
	struct seam *seam = seam_new();

	snprintf(shared_path, sizeof(shared_path), "/dev/shm/kfdscope-test-%d", (int)getpid());
	memset(&events, 0, sizeof(events));
	perf_event_set_ops(&fake_events);
	seam->files[0].path = "/topology/nodes/1/perf/iommu/max_concurrent";
	seam->files[0].content = "4\n";
	seam->files[1].path = "/topology/nodes/1/perf/iommu/counter_ids";
	seam->files[1].content = "1 2 3 4 5 6\n";
	seam->files[2].path = "/sys/bus/event_source/devices/amd_iommu/type";
	seam->files[2].content = "12\n";
	seam->ctx.perf = kmt_perf_new(seam->node_count);
	*state = seam;
	return 0;
}

static int teardown(void **state)
{
	struct seam *seam = *state;

	kmt_perf_free(seam->ctx.perf);
	seam_free(seam);
	perf_event_set_ops(NULL);
	unlink(shared_path);
	return 0;
}

static HsaCounter iommu(uint64_t id)
{
	return (HsaCounter){ .Type = HSA_PROFILE_TYPE_PRIVILEGED_IMMEDIATE,
			     .CounterId = id,
			     .BlockIndex = 24 };
}

/* A counter of the SQ block, claimed to be privileged. */
static HsaCounter sq(uint64_t id)
{
	return (HsaCounter){ .Type = HSA_PROFILE_TYPE_PRIVILEGED_IMMEDIATE,
			     .CounterId = id,
			     .BlockIndex = 14 };
}

static HSATraceId make(struct seam *seam, uint32_t count)
{
	HsaCounter counters[8];
	HsaPmcTraceRoot root = { 0 };

	for (uint32_t i = 0; i < count; i++)
		counters[i] = iommu(i + 1);
	assert_int_equal(kmt_pmc_register_trace(&seam->ctx, 1, count, counters, &root),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(root.NumberOfPasses, 1);
	assert_int_equal(root.TraceBufferMinSizeBytes, 4096);
	assert_int_not_equal(root.TraceId, 0);
	return root.TraceId;
}

static void registering_checks_in_order(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	struct kmt_perf *perf = ctx->perf;
	HsaPmcTraceRoot root;
	HsaCounter counters[20] = { { .Type = HSA_PROFILE_TYPE_NONPRIV_IMMEDIATE } };

	ctx->perf = NULL;
	assert_int_equal(kmt_pmc_register_trace(ctx, 9, 0, NULL, NULL), HSAKMT_STATUS_NO_MEMORY);
	ctx->perf = perf;
	assert_int_equal(kmt_pmc_register_trace(ctx, 9, 1, NULL, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_register_trace(ctx, 9, 1, counters, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_register_trace(ctx, 9, 0, counters, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_register_trace(ctx, 9, 513, counters, &root),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_pmc_register_trace(ctx, 1, 513, counters, &root),
			 HSAKMT_STATUS_NO_MEMORY);
	/* Nothing privileged among them. */
	assert_int_equal(kmt_pmc_register_trace(ctx, 1, 20, counters, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	counters[0] = sq(1);
	counters[0].BlockIndex = 25;
	assert_int_equal(kmt_pmc_register_trace(ctx, 1, 1, counters, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	counters[0].BlockIndex = 1; /* CPC: no family has it */
	assert_int_equal(kmt_pmc_register_trace(ctx, 1, 1, counters, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	counters[0] = sq(200); /* in no range of vega's ids */
	assert_int_equal(kmt_pmc_register_trace(ctx, 1, 1, counters, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	for (size_t i = 0; i < 17; i++)
		counters[i] = sq(i + 1);
	assert_int_equal(kmt_pmc_register_trace(ctx, 1, 17, counters, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER); /* one more than slots */
	assert_int_equal(kmt_pmc_register_trace(ctx, 1, 16, counters, &root),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_unregister_trace(ctx, 1, root.TraceId), HSAKMT_STATUS_SUCCESS);
	/* A node without any table has no block either. */
	assert_int_equal(kmt_pmc_register_trace(ctx, 0, 1, counters, &root),
			 HSAKMT_STATUS_INVALID_PARAMETER);
}

static void a_run_from_register_to_unregister(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HSATraceId id = make(seam, 3);
	uint64_t values[3];

	assert_int_equal(kmt_pmc_acquire_trace_access(ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(events.opened, 3);
	assert_int_equal(events.config[2], 3);
	assert_int_equal(kmt_pmc_acquire_trace_access(ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(events.opened, 3);
	assert_int_equal(kmt_pmc_start_trace(ctx, id, values, sizeof(values)),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(events.enabled, 3);
	for (unsigned int i = 0; i < 5; i++) {
		memset(values, 0, sizeof(values));
		assert_int_equal(kmt_pmc_query_trace(ctx, id), HSAKMT_STATUS_SUCCESS);
		assert_int_equal(values[0], 3000);
		assert_int_equal(values[2], 3006);
	}
	assert_int_equal(kmt_pmc_stop_trace(ctx, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(events.disabled, 3);
	assert_int_equal(kmt_pmc_query_trace(ctx, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_release_trace_access(ctx, 0, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(events.closed, 3);
	assert_int_equal(kmt_pmc_query_trace(ctx, id), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_pmc_unregister_trace(ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_query_trace(ctx, id), HSAKMT_STATUS_INVALID_HANDLE);
}

static void ids_are_checked_everywhere(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HSATraceId id = make(seam, 1);
	uint64_t value;

	assert_int_equal(kmt_pmc_unregister_trace(ctx, 9, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_unregister_trace(ctx, 9, 5), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_pmc_unregister_trace(ctx, 1, 5), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pmc_unregister_trace(ctx, 2, id), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_pmc_acquire_trace_access(ctx, 9, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_acquire_trace_access(ctx, 9, 5), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pmc_acquire_trace_access(ctx, 9, id), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_pmc_release_trace_access(ctx, 1, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_release_trace_access(ctx, 1, 5), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pmc_start_trace(ctx, 0, &value, 8), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_start_trace(ctx, id, NULL, 8), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_start_trace(ctx, id, &value, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_start_trace(ctx, 5, &value, 8), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pmc_query_trace(ctx, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_query_trace(ctx, 5), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_pmc_stop_trace(ctx, 0), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_stop_trace(ctx, 5), HSAKMT_STATUS_INVALID_HANDLE);
	/* Descriptor 0 is not a counter: without access nothing starts. */
	assert_int_equal(kmt_pmc_start_trace(ctx, id, &value, 8), HSAKMT_STATUS_UNAVAILABLE);
	assert_int_equal(kmt_pmc_stop_trace(ctx, id), HSAKMT_STATUS_UNAVAILABLE);
	assert_int_equal(kmt_pmc_unregister_trace(ctx, 1, id), HSAKMT_STATUS_SUCCESS);
}

static void a_start_that_fails_in_part_is_undone(void **state)
{
	struct seam *seam = *state;
	HSATraceId id = make(seam, 3);
	uint64_t values[3];

	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	events.enable_errno = EIO;
	events.fail_enable_after = 2;
	assert_int_equal(kmt_pmc_start_trace(&seam->ctx, id, values, sizeof(values)),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(events.enabled, 2);
	assert_int_equal(events.disabled, 3);
	events.enable_errno = 0;
	assert_int_equal(kmt_pmc_start_trace(&seam->ctx, id, values, sizeof(values)),
			 HSAKMT_STATUS_SUCCESS);
	/* Unregistering stops what runs. */
	assert_int_equal(kmt_pmc_unregister_trace(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(events.disabled, 6);
	assert_int_equal(events.closed, 3);
}

static void a_short_buffer_keeps_what_fitted(void **state)
{
	struct seam *seam = *state;
	HSATraceId id = make(seam, 3);
	uint64_t values[3] = { 1, 1, 1 };

	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_start_trace(&seam->ctx, id, values, 20), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_query_trace(&seam->ctx, id), HSAKMT_STATUS_NO_MEMORY);
	assert_int_equal(values[1], 3003);
	assert_int_equal(values[2], 1);
	events.read_errno = EIO;
	assert_int_equal(kmt_pmc_query_trace(&seam->ctx, id), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_pmc_unregister_trace(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
}

static void access_that_is_denied_leaves_no_claim(void **state)
{
	struct seam *seam = *state;
	HSATraceId id = make(seam, 4), other;

	events.open_errno = EACCES;
	events.fail_open_after = 2;
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_ERROR);
	assert_int_equal(events.closed, 2);
	events.open_errno = 0;
	other = make(seam, 4); /* all slots: only possible when the first gave them back */
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, other), HSAKMT_STATUS_SUCCESS);
	seam->files[2].path = NULL; /* no such PMU */
	assert_int_equal(kmt_pmc_release_trace_access(&seam->ctx, 1, other), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, other), HSAKMT_STATUS_ERROR);
}

static void counters_without_kernel_interface_can_be_claimed_but_not_started(void **state)
{
	struct seam *seam = *state;
	HsaCounter counters[2] = { sq(1), iommu(1) };
	HsaPmcTraceRoot root;
	uint64_t values[2];

	assert_int_equal(kmt_pmc_register_trace(&seam->ctx, 1, 2, counters, &root),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, root.TraceId),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(events.opened, 1);
	assert_int_equal(kmt_pmc_start_trace(&seam->ctx, root.TraceId, values, sizeof(values)),
			 HSAKMT_STATUS_UNAVAILABLE);
	assert_int_equal(events.enabled, 0);
	/* The context's end frees what is left, claims too. */
	kmt_perf_free(seam->ctx.perf);
	assert_int_equal(events.closed, 1);
	seam->ctx.perf = kmt_perf_new(1);
	assert_int_equal(kmt_pmc_query_trace(&seam->ctx, root.TraceId),
			 HSAKMT_STATUS_INVALID_HANDLE);
}

/* --- Several processes --- */

struct shared_head {
	uint32_t magic, slots_left;
};

static struct shared_head read_head(void)
{
	struct shared_head head = { 0 };
	FILE *file = fopen(shared_path, "r");

	assert_non_null(file);
	assert_int_equal(fread(&head, sizeof(head), 1, file), 1);
	fclose(file);
	return head;
}

/* Starts a process that claims slots, tells whether it could, and holds them until it is killed. */
static pid_t claimer(struct seam *seam, uint32_t slots, char *answer)
{
	int pipe_fds[2];
	pid_t pid;

	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		HSATraceId id = make(seam, slots);
		HSAKMT_STATUS status = kmt_pmc_acquire_trace_access(&seam->ctx, 1, id);
		char byte = status == HSAKMT_STATUS_SUCCESS       ? 'y'
			    : status == HSAKMT_STATUS_UNAVAILABLE ? 'n'
								  : '?';

		if (write(pipe_fds[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipe_fds[0], answer, 1), 1);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void another_process_holds_the_counters(void **state)
{
	struct seam *seam = *state;
	char answer = 0;
	HSATraceId id = make(seam, 3);
	pid_t pid;

	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(read_head().magic, 0x54415348);
	assert_int_equal(read_head().slots_left, 1);
	pid = claimer(seam, 2, &answer);
	assert_int_equal(answer, 'n');
	end(pid);
	pid = claimer(seam, 1, &answer);
	assert_int_equal(answer, 'y');
	assert_int_equal(read_head().slots_left, 0);
	end(pid);
	assert_int_equal(kmt_pmc_release_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(read_head().slots_left, 4);
	pid = claimer(seam, 4, &answer);
	assert_int_equal(answer, 'y');
	/* Refused the other way round, and the log says by whom. */
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id),
			 HSAKMT_STATUS_UNAVAILABLE);
	char text[32];
	snprintf(text, sizeof(text), "process %d claimed", (int)pid);
	assert_non_null(strstr(seam->log, text));
	assert_int_equal(events.opened, 3);
	end(pid);
}

static void a_killed_holder_blocks_nobody(void **state)
{
	struct seam *seam = *state;
	char answer = 0;
	HSATraceId id = make(seam, 4);
	pid_t pid = claimer(seam, 4, &answer);

	assert_int_equal(answer, 'y');
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id),
			 HSAKMT_STATUS_UNAVAILABLE);
	end(pid); /* without a chance to give anything back */
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
}

static void a_forked_child_does_not_keep_its_parents_claim(void **state)
{
	struct seam *seam = *state;
	HSATraceId id = make(seam, 4), other = make(seam, 4);
	pid_t pid;

	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, other),
			 HSAKMT_STATUS_UNAVAILABLE);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	/*
	 * The child is alive and took no part; the parent still holds the claim, then gives it
	 * up.
	 */
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, other),
			 HSAKMT_STATUS_UNAVAILABLE);
	assert_int_equal(kmt_pmc_release_trace_access(&seam->ctx, 1, id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_acquire_trace_access(&seam->ctx, 1, other), HSAKMT_STATUS_SUCCESS);
	end(pid);
}

static void blocks_of_different_nodes_are_claimed_apart(void **state)
{
	struct pmc_claim a, b, c, d;

	(void)state;
	assert_int_equal(pmc_claim_take(&a, 1, PMC_BLOCK_SQ, 16, 16), 0);
	assert_int_equal(pmc_claim_take(&b, 2, PMC_BLOCK_SQ, 16, 16), 0);
	assert_int_equal(pmc_claim_take(&c, 1, PMC_BLOCK_SX, 4, 4), 0);
	assert_int_equal(pmc_claim_take(&d, 1, PMC_BLOCK_SQ, 1, 16), -EBUSY);
	assert_int_equal(d.fd, -1);
	pmc_claim_release(&a);
	assert_int_equal(pmc_claim_take(&d, 1, PMC_BLOCK_SQ, 1, 16), 0);
	pmc_claim_release(&a); /* once more: harmless */
	pmc_claim_release(&b);
	pmc_claim_release(&c);
	pmc_claim_release(&d);
	assert_int_equal(pmc_claim_take(&a, 1, PMC_BLOCK_SQ, 17, 16), -EBUSY);
	/* The IOMMU is the same one on every node. */
	assert_int_equal(pmc_claim_take(&a, 1, PMC_BLOCK_IOMMU, 4, 4), 0);
	assert_int_equal(pmc_claim_take(&b, 2, PMC_BLOCK_IOMMU, 1, 4), -EBUSY);
	pmc_claim_release(&a);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(registering_checks_in_order),
		CASE(a_run_from_register_to_unregister),
		CASE(ids_are_checked_everywhere),
		CASE(a_start_that_fails_in_part_is_undone),
		CASE(a_short_buffer_keeps_what_fitted),
		CASE(access_that_is_denied_leaves_no_claim),
		CASE(counters_without_kernel_interface_can_be_claimed_but_not_started),
		CASE(another_process_holds_the_counters),
		CASE(a_killed_holder_blocks_nobody),
		CASE(a_forked_child_does_not_keep_its_parents_claim),
		CASE(blocks_of_different_nodes_are_claimed_apart),
	};

	return cmocka_run_group_tests_name("thunk/perf/trace", tests, NULL, NULL);
}
