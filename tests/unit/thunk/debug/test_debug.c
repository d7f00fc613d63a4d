/* SPDX-License-Identifier: MIT */
/* Runtime enable, self-debug, core dump facts and the first debugger's entries (debug.md). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "debug/debug.h"
#include "queue/queue.h"
#include "seam.h"

#define TRAP_NR    0x26
#define RUNTIME_NR 0x25
#define MAX_STEPS  8

/* What DBG_TRAP answers, one entry a call. */
static struct {
	struct {
		int rc;
		uint32_t count; /* of a snapshot */
	} step[MAX_STEPS];
	uint32_t calls, ops[MAX_STEPS], counts[MAX_STEPS];
	uint64_t masks[MAX_STEPS];
	uint32_t ids[MAX_STEPS]; /* of the last suspend or resume */
} trap;

static int answer_trap(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_dbg_trap_args *args = arg;
	uint32_t step = trap.calls++;
	uint32_t capacity;

	(void)seam;
	(void)request;
	assert_in_range(step, 0, MAX_STEPS - 1);
	assert_int_equal(args->pid, getpid());
	trap.ops[step] = args->op;
	switch (args->op) {
	case KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT:
		capacity = trap.counts[step] = args->queue_snapshot.num_queues;
		trap.masks[step] = args->queue_snapshot.exception_mask;
		assert_int_equal(args->queue_snapshot.entry_size, 64);
		for (uint32_t i = 0; i < capacity && i < trap.step[step].count; i++) {
			struct kfd_queue_snapshot_entry *entries =
				(void *)(uintptr_t)args->queue_snapshot.snapshot_buf_ptr;

			entries[i].queue_id = 10 + i;
			entries[i].reserved = step;
		}
		args->queue_snapshot.num_queues = trap.step[step].count;
		break;
	case KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT:
		capacity = trap.counts[step] = args->device_snapshot.num_devices;
		assert_int_equal(args->device_snapshot.entry_size, 120);
		for (uint32_t i = 0; i < capacity && i < trap.step[step].count; i++) {
			struct kfd_dbg_device_info_entry *entries =
				(void *)(uintptr_t)args->device_snapshot.snapshot_buf_ptr;

			entries[i].gpu_id = 100 + i;
		}
		args->device_snapshot.num_devices = trap.step[step].count;
		break;
	case KFD_IOC_DBG_TRAP_SUSPEND_QUEUES:
		trap.counts[step] = args->suspend_queues.num_queues;
		memcpy(trap.ids, (void *)(uintptr_t)args->suspend_queues.queue_array_ptr,
		       args->suspend_queues.num_queues * sizeof(uint32_t));
		break;
	case KFD_IOC_DBG_TRAP_RESUME_QUEUES:
		trap.counts[step] = args->resume_queues.num_queues;
		memcpy(trap.ids, (void *)(uintptr_t)args->resume_queues.queue_array_ptr,
		       args->resume_queues.num_queues * sizeof(uint32_t));
		break;
	default:
		break;
	}
	return trap.step[step].rc;
}

static int answer_runtime(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_runtime_enable_args *args = arg;

	(void)seam;
	(void)request;
	args->capabilities_mask = 0x80000000;
	return 0;
}

static int setup(void **state)
{
	struct seam *seam = seam_new();

	memset(&trap, 0, sizeof(trap));
	seam->on_ioctl[TRAP_NR] = answer_trap;
	seam->on_ioctl[RUNTIME_NR] = answer_runtime;
	seam->ctx.debug = kmt_debug_new(seam->node_count);
	seam->ctx.queues = kmt_queues_new();
	*state = seam;
	return !seam->ctx.debug;
}

static int teardown(void **state)
{
	struct seam *seam = *state;

	kmt_debug_free(seam->ctx.debug);
	kmt_doorbells_fini(&seam->ctx);
	kmt_queues_free(seam->ctx.queues);
	seam_free(seam);
	return 0;
}

static void support_needs_firmware_kernel_and_primary_context(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;

	assert_int_equal(kmt_check_runtime_debug_support(ctx), HSAKMT_STATUS_SUCCESS);
	seam->process.kfd_minor = 12;
	assert_int_equal(kmt_check_runtime_debug_support(ctx), HSAKMT_STATUS_NOT_SUPPORTED);
	seam->process.kfd_minor = 13;
	seam->nodes[2].Capability.ui32.DebugSupportedFirmware = 0;
	assert_int_equal(kmt_check_runtime_debug_support(ctx), HSAKMT_STATUS_NOT_SUPPORTED);
	/* A CPU with compute cores counts as a GPU; one without does not. */
	seam->nodes[2].Capability.ui32.DebugSupportedFirmware = 1;
	seam->nodes[0].NumFComputeCores = 4;
	assert_int_equal(kmt_check_runtime_debug_support(ctx), HSAKMT_STATUS_NOT_SUPPORTED);
	seam->nodes[0].NumFComputeCores = 0;
	seam->refuse_snapshot = true;
	assert_int_equal(kmt_check_runtime_debug_support(ctx), HSAKMT_STATUS_ERROR);
	ctx->is_primary = false;
	assert_int_equal(kmt_check_runtime_debug_support(ctx), HSAKMT_STATUS_NOT_SUPPORTED);
	seam->usable = false;
	assert_int_equal(kmt_check_runtime_debug_support(ctx),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_runtime_enable(ctx, NULL, false),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_string_equal(seam->sequence, "");
}

static void enabling_the_runtime_keeps_capabilities_and_core_record(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	struct kfd_runtime_info info;
	HSAuint32 caps = 5;

	assert_int_equal(kmt_get_runtime_capabilities(ctx, &caps), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(caps, 0);
	assert_int_equal(kmt_runtime_enable(ctx, (void *)0x5000, true), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_RUNTIME_ENABLE, kfd_ioctl_runtime_enable_args)
				 ->mode_mask,
			 3);
	assert_int_equal(kmt_get_runtime_capabilities(ctx, &caps), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(caps, 0x80000000);
	assert_int_equal(kmt_get_core_runtime_info(ctx, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.r_debug, 0x5000);
	assert_int_equal(info.runtime_state, DEBUG_RUNTIME_STATE_ENABLED);
	assert_int_equal(info.ttmp_setup, 1);
	/* A failure writes the arguments down and leaves the state. */
	seam->fail_ioctl_nr = RUNTIME_NR;
	seam->fail_ioctl_errno = EEXIST;
	assert_int_equal(kmt_runtime_enable(ctx, (void *)0x6000, false), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_get_core_runtime_info(ctx, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.r_debug, 0x6000);
	assert_int_equal(info.runtime_state, DEBUG_RUNTIME_STATE_ENABLED);
	assert_int_equal(info.ttmp_setup, 0);
	seam->fail_ioctl_nr = RUNTIME_NR;
	seam->fail_ioctl_errno = EBUSY;
	assert_int_equal(kmt_runtime_enable(ctx, NULL, false), HSAKMT_STATUS_UNAVAILABLE);
	assert_int_equal(kmt_get_core_runtime_info(ctx, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.runtime_state, DEBUG_RUNTIME_STATE_ENABLED_BUSY);
	/* Disabling changes neither. */
	assert_int_equal(kmt_runtime_disable(ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_RUNTIME_ENABLE, kfd_ioctl_runtime_enable_args)
				 ->mode_mask,
			 0);
	assert_int_equal(kmt_get_runtime_capabilities(ctx, &caps), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(caps, 0x80000000);
	assert_int_equal(kmt_get_core_runtime_info(ctx, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.runtime_state, DEBUG_RUNTIME_STATE_ENABLED_BUSY);
	seam->fail_ioctl_nr = RUNTIME_NR;
	assert_int_equal(kmt_runtime_disable(ctx), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_get_core_runtime_info(ctx, NULL), HSAKMT_STATUS_ERROR);
}

static void a_core_device_entry_is_made_of_the_nodes_facts(void **state)
{
	struct seam *seam = *state;
	struct kfd_dbg_device_info_entry info;
	HsaNodeProperties *node = &seam->nodes[2];

	node->LocationId = 0x4300;
	node->VendorId = 0x1002;
	node->DeviceId = 0x740c;
	node->EngineId.ui32.uCode = 77;
	node->DebugProperties.Value = 0x9900000123;
	assert_int_equal(kmt_get_core_device_info(&seam->ctx, SEAM_GPU_ID + 1, NULL),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_get_core_device_info(&seam->ctx, 0x777, &info),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_get_core_device_info(&seam->ctx, 0, &info),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	memset(&info, 0xFF, sizeof(info));
	assert_int_equal(kmt_get_core_device_info(&seam->ctx, SEAM_GPU_ID + 1, &info),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.exception_status, 0);
	assert_int_equal(info.gpu_id, SEAM_GPU_ID + 1);
	assert_int_equal(info.location_id, 0x4300);
	assert_int_equal(info.vendor_id, 0x1002);
	assert_int_equal(info.device_id, 0x740c);
	assert_int_equal(info.fw_version, 77);
	assert_int_equal(info.gfx_target_version, 90010);
	assert_int_equal(info.simd_count, 416);
	assert_int_equal(info.max_waves_per_simd, 8);
	assert_int_equal(info.array_count, 1);
	assert_int_equal(info.simd_arrays_per_engine, 1);
	assert_int_equal(info.num_xcc, 1);
	assert_int_equal(info.capability, node->Capability.Value);
	assert_int_equal(info.debug_prop, 0x123);
	assert_int_equal(info.lds_base, 0x1000000000000);
	assert_int_equal(info.scratch_base, 0x2000000000000);
	assert_int_equal(info.gpuvm_limit, 0x30000FFFFFFFF);
	assert_int_equal(info.revision_id, 0);
	seam->has_apertures = false;
	assert_int_equal(kmt_get_core_device_info(&seam->ctx, SEAM_GPU_ID + 1, &info),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.lds_base, 0);
}

static void self_debug_checks_open_and_version(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	void *data;
	HSAuint32 n, size;

	seam->process.kfd_minor = 12;
	for (unsigned int round = 0; round < 2; round++) {
		HSAKMT_STATUS expected = round ? HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED
					       : HSAKMT_STATUS_NOT_SUPPORTED;

		assert_int_equal(kmt_dbg_enable(ctx, &data, &size), expected);
		assert_int_equal(kmt_dbg_disable(ctx), expected);
		assert_int_equal(kmt_dbg_get_device_data(ctx, &data, &n, &size), expected);
		assert_int_equal(kmt_dbg_get_queue_data(ctx, &data, &n, &size, true), expected);
		seam->usable = false;
	}
	assert_int_equal(trap.calls, 0);
}

static void enabling_self_debug_gives_a_record_or_nothing(void **state)
{
	struct seam *seam = *state;
	HSAuint32 size = 1;
	void *info = seam;

	assert_int_equal(kmt_dbg_enable(&seam->ctx, &info, &size), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(size, 16);
	assert_non_null(info);
	free(info);
	assert_int_equal(
		SEAM_LAST(seam, AMDKFD_IOC_DBG_TRAP, kfd_ioctl_dbg_trap_args)->enable.dbg_fd,
		seam->ctx.fd);
	trap.step[1].rc = -EALREADY;
	info = seam;
	assert_int_equal(kmt_dbg_enable(&seam->ctx, &info, &size), HSAKMT_STATUS_ERROR);
	assert_null(info); /* not the freed record */
	assert_int_equal(kmt_dbg_disable(&seam->ctx), HSAKMT_STATUS_SUCCESS);
	trap.step[3].rc = -EINVAL;
	assert_int_equal(kmt_dbg_disable(&seam->ctx), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_dbg_enable(&seam->ctx, NULL, &size), HSAKMT_STATUS_INVALID_PARAMETER);
}

static void device_data_asks_for_the_count_first(void **state)
{
	struct seam *seam = *state;
	void *data = NULL;
	HSAuint32 n, size;

	trap.step[0].count = 2;
	trap.step[1].count = 3; /* one more came in between: it has no room */
	assert_int_equal(kmt_dbg_get_device_data(&seam->ctx, &data, &n, &size),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(trap.counts[0], 0);
	assert_int_equal(trap.counts[1], 2);
	assert_int_equal(n, 2);
	assert_int_equal(size, 120);
	assert_int_equal(((struct kfd_dbg_device_info_entry *)data)[1].gpu_id, 101);
	free(data);
	trap.step[2].count = 2;
	trap.step[3].rc = -EIO;
	assert_int_equal(kmt_dbg_get_device_data(&seam->ctx, &data, &n, &size),
			 HSAKMT_STATUS_ERROR);
	assert_null(data);
	assert_int_equal(n, 0);
	assert_int_equal(kmt_dbg_get_device_data(&seam->ctx, &data, &n, &size),
			 HSAKMT_STATUS_SUCCESS);
	assert_null(data);
	assert_int_equal(n, 0);
}

static void queue_data_without_suspending_is_one_plain_snapshot(void **state)
{
	struct seam *seam = *state;
	void *data = NULL;
	HSAuint32 n, size;

	trap.step[0].count = trap.step[1].count = 2;
	assert_int_equal(kmt_dbg_get_queue_data(&seam->ctx, &data, &n, &size, false),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(n, 2);
	assert_int_equal(size, 64);
	assert_int_equal(((struct kfd_queue_snapshot_entry *)data)[1].queue_id, 11);
	assert_int_equal(trap.calls, 2);
	assert_int_equal(trap.masks[0], 1u << 30);
	free(data);
	/* No queues at all is no error either. */
	assert_int_equal(kmt_dbg_get_queue_data(&seam->ctx, &data, &n, &size, true),
			 HSAKMT_STATUS_SUCCESS);
	assert_null(data);
	assert_int_equal(n, 0);
	assert_int_equal(trap.calls, 3);
}

static void suspended_queues_are_read_after_the_suspension(void **state)
{
	struct seam *seam = *state;
	void *data = NULL;
	HSAuint32 n, size;

	trap.step[0].count = trap.step[1].count = trap.step[3].count = 3;
	trap.step[2].rc = 3; /* suspended */
	assert_int_equal(kmt_dbg_get_queue_data(&seam->ctx, &data, &n, &size, true),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(trap.ops[2], KFD_IOC_DBG_TRAP_SUSPEND_QUEUES);
	assert_int_equal(trap.counts[2], 3);
	assert_int_equal(trap.ids[2], 12);
	assert_int_equal(n, 3);
	assert_int_equal(((struct kfd_queue_snapshot_entry *)data)[0].reserved, 3);
	free(data);
}

static void a_failure_after_the_suspension_resumes_the_queues(void **state)
{
	struct seam *seam = *state;
	void *data = seam;
	HSAuint32 n, size;

	trap.step[0].count = trap.step[1].count = 2;
	trap.step[2].rc = 2;
	trap.step[3].rc = -EIO;
	assert_int_equal(kmt_dbg_get_queue_data(&seam->ctx, &data, &n, &size, true),
			 HSAKMT_STATUS_ERROR);
	assert_null(data);
	assert_int_equal(trap.calls, 5);
	assert_int_equal(trap.ops[4], KFD_IOC_DBG_TRAP_RESUME_QUEUES);
	assert_int_equal(trap.ids[1], 11);
}

static void a_bare_trap_translates_handles_and_returns_counts(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	uint32_t ids[2] = { 0 };
	struct kfd_ioctl_dbg_trap_args args = { .pid = (uint32_t)getpid(),
						.op = KFD_IOC_DBG_TRAP_SUSPEND_QUEUES };
	HsaQueueResource r = { 0 };
	HSA_QUEUEID handles[2];
	HSAuint64 result = 7;

	assert_int_equal(kmt_doorbells_init(ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_create_queue(ctx, 1, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL,
					  (void *)0x1000, 4096, NULL, &r),
			 HSAKMT_STATUS_SUCCESS);
	handles[0] = handles[1] = r.QueueId;
	args.suspend_queues.queue_array_ptr = (uintptr_t)ids;
	args.suspend_queues.num_queues = 2;
	trap.step[0].rc = 1; /* fewer than asked for is still success */
	assert_int_equal(kmt_debug_trap_ioctl(ctx, &args, handles, &result), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(result, 1);
	assert_int_equal(ids[1], 0); /* the fake kernel's queue id */
	trap.step[1].rc = 3;         /* more than asked for is not */
	assert_int_equal(kmt_debug_trap_ioctl(ctx, &args, handles, &result), HSAKMT_STATUS_ERROR);
	args.op = KFD_IOC_DBG_TRAP_RESUME_QUEUES;
	args.resume_queues.queue_array_ptr = (uintptr_t)ids;
	args.resume_queues.num_queues = 2;
	trap.step[2].rc = 2;
	assert_int_equal(kmt_debug_trap_ioctl(ctx, &args, handles, NULL), HSAKMT_STATUS_SUCCESS);
	trap.step[3].rc = -ESRCH;
	errno = 0;
	assert_int_equal(kmt_debug_trap_ioctl(ctx, &args, NULL, &result), HSAKMT_STATUS_ERROR);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(result, UINT64_MAX);
	handles[1] = 0;
	assert_int_equal(kmt_debug_trap_ioctl(ctx, &args, handles, NULL), HSAKMT_STATUS_NO_MEMORY);
	args.resume_queues.num_queues = 0;
	assert_int_equal(kmt_debug_trap_ioctl(ctx, &args, handles, NULL), HSAKMT_STATUS_NO_MEMORY);
	assert_int_equal(trap.calls, 4);
	assert_int_equal(kmt_debug_trap_ioctl(ctx, NULL, NULL, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	seam->usable = false;
	assert_int_equal(kmt_debug_trap_ioctl(ctx, NULL, NULL, NULL),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(kmt_destroy_queue(ctx, r.QueueId), HSAKMT_STATUS_SUCCESS);
}

static void registration_checks_in_order(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	struct kmt_debug *debug = ctx->debug;

	seam->usable = false;
	assert_int_equal(kmt_dbg_register(ctx, 9), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	ctx->debug = NULL;
	assert_int_equal(kmt_dbg_register(ctx, 9), HSAKMT_STATUS_NO_MEMORY);
	assert_false(kmt_debug_is_debugged(ctx, 0));
	ctx->debug = debug;
	assert_int_equal(kmt_dbg_register(ctx, 9), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_dbg_unregister(ctx, 9), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_dbg_register(ctx, 2), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(
		SEAM_LAST(seam, AMDKFD_IOC_DBG_REGISTER, kfd_ioctl_dbg_register_args)->gpu_id,
		SEAM_GPU_ID + 1);
	seam->fail_ioctl_nr = 0x0e;
	seam->fail_ioctl_errno = EPERM;
	assert_int_equal(kmt_dbg_unregister(ctx, 2), HSAKMT_STATUS_ERROR);
	assert_false(kmt_debug_is_debugged(ctx, 2));
	assert_false(kmt_debug_is_debugged(ctx, 9));
}

static unsigned char content[1024];
static uint32_t content_bytes;

static int copy_payload(struct seam *seam, unsigned long request, void *arg)
{
	const struct kfd_ioctl_dbg_wave_control_args *args = arg;

	(void)seam;
	(void)request;
	assert_int_equal(args->gpu_id, SEAM_GPU_ID);
	assert_ptr_equal((char *)(uintptr_t)args->content_ptr, (char *)arg + 16);
	content_bytes = args->buf_size_in_bytes;
	memcpy(content, (char *)arg + 16, content_bytes - 16);
	return 0;
}

static void wave_control_packs_its_payload(void **state)
{
	struct seam *seam = *state;
	HsaDbgWaveMessage message = { .MemoryVA = (void *)0x1122334455667788 };
	uint32_t words[3];
	uint64_t va;

	message.DbgWaveMsg.WaveMsgInfoGen2.Value = 0xABCD;
	seam->on_ioctl[0x10] = copy_payload;
	assert_int_equal(kmt_dbg_wavefront_control(&seam->ctx, 9, HSA_DBG_WAVEOP_KILL,
						   HSA_DBG_WAVEMODE_SINGLE, 5, NULL),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_dbg_wavefront_control(&seam->ctx, 1, HSA_DBG_WAVEOP_KILL,
						   HSA_DBG_WAVEMODE_SINGLE, 5, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_dbg_wavefront_control(&seam->ctx, 1, HSA_DBG_WAVEOP_KILL,
						   HSA_DBG_WAVEMODE_BROADCAST_PROCESS, 5, &message),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(content_bytes, 44);
	memcpy(words, content, sizeof(words));
	assert_int_equal(words[0], HSA_DBG_WAVEOP_KILL);
	assert_int_equal(words[1], HSA_DBG_WAVEMODE_BROADCAST_PROCESS);
	assert_int_equal(words[2], 5);
	memcpy(words, content + 12, 4);
	assert_int_equal(words[0], 0xABCD);
	memcpy(&va, content + 20, 8);
	assert_int_equal(va, 0x1122334455667788);
	seam->fail_ioctl_nr = 0x10;
	seam->fail_ioctl_errno = EPERM;
	assert_int_equal(kmt_dbg_wavefront_control(&seam->ctx, 1, HSA_DBG_WAVEOP_KILL,
						   HSA_DBG_WAVEMODE_SINGLE, 5, &message),
			 HSAKMT_STATUS_ERROR);
}

static void address_watches_pack_their_payload(void **state)
{
	struct seam *seam = *state;
	HSA_DBG_WATCH_MODE modes[2] = { HSA_DBG_WATCH_READ, HSA_DBG_WATCH_ALL };
	void *addresses[2] = { (void *)0x1000, (void *)0x2000 };
	HSAuint64 masks[2] = { 0xFF, 0xF0 };
	HsaEvent *events[2] = { NULL, NULL };
	uint64_t value;

	seam->on_ioctl[0x0f] = copy_payload;
	assert_int_equal(kmt_dbg_address_watch(&seam->ctx, 9, 200, modes, addresses, masks, NULL),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_dbg_address_watch(&seam->ctx, 1, 101, modes, addresses, masks, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_dbg_address_watch(&seam->ctx, 1, 2, modes, addresses, NULL, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_dbg_address_watch(&seam->ctx, 1, 2, modes, addresses, masks, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(content_bytes, 16 + 4 + 2 * 4 + 2 * 8 + 2 * 8);
	memcpy(&value, content + 4 + 2 * 4 + 8, 8);
	assert_int_equal(value, 0x2000);
	memcpy(&value, content + 4 + 2 * 4 + 2 * 8 + 8, 8);
	assert_int_equal(value, 0xF0);
	/* One mask stands for all when the first is 0; events are appended when given. */
	masks[0] = 0;
	assert_int_equal(kmt_dbg_address_watch(&seam->ctx, 1, 2, modes, addresses, masks, events),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(content_bytes, 16 + 4 + 2 * 4 + 2 * 8 + 8 + 2 * 8);
	seam->fail_ioctl_nr = 0x0f;
	seam->fail_ioctl_errno = EPERM;
	assert_int_equal(kmt_dbg_address_watch(&seam->ctx, 1, 2, modes, addresses, masks, events),
			 HSAKMT_STATUS_ERROR);
}

static int answer_version(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_dbg_trap_legacy_args *args = arg;

	(void)seam;
	(void)request;
	assert_int_equal(args->op, 7);
	args->data1 = 13;
	args->data2 = 1;
	return 0;
}

static void the_private_debug_interface_tells_its_version_or_error(void **state)
{
	struct seam *seam = *state;
	HSAuint32 major = 0, minor = 0;

	seam->on_ioctl[0x82] = answer_version;
	assert_int_equal(kmt_get_kernel_debug_trap_version_info(&seam->ctx, &major, &minor),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(major, 13);
	assert_int_equal(minor, 1);
	assert_int_equal(kmt_get_kernel_debug_trap_version_info(&seam->ctx, NULL, &minor),
			 HSAKMT_STATUS_ERROR);
	seam->fail_ioctl_nr = 0x82;
	seam->fail_ioctl_errno = ENOTTY;
	assert_int_equal(kmt_get_kernel_debug_trap_version_info(&seam->ctx, &major, &minor),
			 HSAKMT_STATUS_ERROR);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(support_needs_firmware_kernel_and_primary_context),
		CASE(enabling_the_runtime_keeps_capabilities_and_core_record),
		CASE(a_core_device_entry_is_made_of_the_nodes_facts),
		CASE(self_debug_checks_open_and_version),
		CASE(enabling_self_debug_gives_a_record_or_nothing),
		CASE(device_data_asks_for_the_count_first),
		CASE(queue_data_without_suspending_is_one_plain_snapshot),
		CASE(suspended_queues_are_read_after_the_suspension),
		CASE(a_failure_after_the_suspension_resumes_the_queues),
		CASE(a_bare_trap_translates_handles_and_returns_counts),
		CASE(registration_checks_in_order),
		CASE(wave_control_packs_its_payload),
		CASE(address_watches_pack_their_payload),
		CASE(the_private_debug_interface_tells_its_version_or_error),
	};

	return cmocka_run_group_tests_name("thunk/debug", tests, NULL, NULL);
}
