/* SPDX-License-Identifier: MIT */
/* Creating, signalling and waiting for events: checks, the signal page, decoding (events.md). */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/event.h"
#include "event/handle_set.h"
#include "seam.h"

#define CREATE_NR  8
#define DESTROY_NR 9
#define SET_NR     10
#define RESET_NR   11
#define WAIT_NR    12
#define PAGE_TYPE  (UINT64_C(2) << 62)

/* The kernel's side: ids from 1 for signals, from 0x40000000 for the others. */
static struct {
	uint32_t next_id;
	uint64_t page_handle; /* given by the library */
	bool has_kernel_page; /* made by the kernel, for APUs */
	bool keeps_page_on_failure;
	int live;
	unsigned int pages_refused;
} kfd;

static int kfd_create(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_create_event_args *args = arg;
	bool is_signal = args->event_type == KFD_IOC_EVENT_SIGNAL ||
			 args->event_type == KFD_IOC_EVENT_DEBUG_EVENT;

	(void)request;
	assert_true(seam->global_locked);
	if (args->event_page_offset && kfd.page_handle) {
		kfd.pages_refused++;
		return -EINVAL; /* a second page */
	}
	if (args->event_page_offset)
		kfd.page_handle = args->event_page_offset;
	if (kfd.keeps_page_on_failure) {
		kfd.keeps_page_on_failure = false;
		return -ENOSPC;
	}
	args->event_id = is_signal ? kfd.next_id++ : 0x40000000 + kfd.next_id++;
	args->event_trigger_data = args->event_id;
	if (is_signal) {
		args->event_slot_index = args->event_id;
		args->event_page_offset = kfd.page_handle || kfd.has_kernel_page ? PAGE_TYPE : 0;
	}
	kfd.live++;
	return 0;
}

static int kfd_destroy(struct seam *seam, unsigned long request, void *arg)
{
	(void)seam;
	(void)request;
	(void)arg;
	kfd.live--;
	return 0;
}

static int setup(void **state)
{
	struct seam *seam = seam_new();

	memset(&kfd, 0, sizeof(kfd));
	kfd.next_id = 1;
	seam->on_ioctl[CREATE_NR] = kfd_create;
	seam->on_ioctl[DESTROY_NR] = kfd_destroy;
	seam->ctx.events = kmt_events_new();
	*state = seam;
	return 0;
}

static int teardown(void **state)
{
	struct seam *seam = *state;

	kmt_events_free(seam->ctx.events);
	seam_free(seam);
	return 0;
}

static HsaEvent *make(struct seam *seam, HSA_EVENTTYPE type)
{
	HsaEventDescriptor desc = { .EventType = type, .NodeId = 1 };
	HsaEvent *event = NULL;

	assert_int_equal(kmt_create_event(&seam->ctx, &desc, false, false, &event),
			 HSAKMT_STATUS_SUCCESS);
	assert_non_null(event);
	return event;
}

static void creation_checks_its_arguments_in_order(void **state)
{
	struct seam *seam = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_MAXID };
	HsaEvent *event = (HsaEvent *)seam;

	seam->usable = false;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, &event),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, &event),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_create_event(&seam->ctx, NULL, true, false, &event),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	desc.EventType = HSA_EVENTTYPE_SIGNAL;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_string_equal(seam->sequence, "");
}

static void an_event_carries_what_kernel_and_caller_gave(void **state)
{
	struct seam *seam = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL, .NodeId = 2 };
	const struct kfd_ioctl_create_event_args *args;
	HsaEvent *event = NULL;

	desc.SyncVar.SyncVar.UserData = seam;
	desc.SyncVar.SyncVarSize = 8;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, false, false, &event),
			 HSAKMT_STATUS_SUCCESS);
	args = SEAM_LAST(seam, AMDKFD_IOC_CREATE_EVENT, kfd_ioctl_create_event_args);
	assert_int_equal(args->auto_reset, 1);
	assert_int_equal(args->node_id, 2); /* the topology's number, not the GPU's */
	assert_int_equal(event->EventId, 1);
	assert_int_equal(event->EventData.HWData1, 1);
	assert_int_equal(event->EventData.HWData3, 1);
	assert_int_equal(event->EventData.EventType, HSA_EVENTTYPE_SIGNAL);
	assert_ptr_equal(event->EventData.EventData.SyncVar.SyncVar.UserData, seam);
	assert_int_equal(event->EventData.EventData.SyncVar.SyncVarSize, 8);
	assert_int_equal(kmt_destroy_event(&seam->ctx, event), HSAKMT_STATUS_SUCCESS);
}

static void the_first_event_brings_the_page_and_later_ones_share_it(void **state)
{
	struct seam *seam = *state;
	const struct kfd_ioctl_create_event_args *args =
		SEAM_LAST(seam, AMDKFD_IOC_CREATE_EVENT, kfd_ioctl_create_event_args);
	const struct kmt_internal_alloc *page = &seam->allocs[0].request;
	HsaEvent *first = make(seam, HSA_EVENTTYPE_MEMORY); /* of any type */
	HsaEvent *second, *third;

	assert_int_equal(args->event_page_offset, 0x500000000);
	assert_int_equal(first->EventData.HWData2, 0);
	assert_int_equal(page->size_bytes, 32768);
	assert_int_equal(page->node_id, 0);
	assert_int_equal(page->gpu_id, 0);
	assert_true(page->non_paged && page->uncached && !page->device_local);
	second = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(args->event_page_offset, 0);
	assert_int_equal(second->EventData.HWData2, (uint64_t *)seam->allocs[0].address + 2);
	third = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(third->EventData.HWData2 - second->EventData.HWData2, 8);
	assert_int_equal(seam->live_allocs, 1);
	kmt_destroy_event(&seam->ctx, first);
	kmt_destroy_event(&seam->ctx, second);
	kmt_destroy_event(&seam->ctx, third);
	assert_int_equal(seam->live_allocs, 1); /* never freed: the kernel refuses that */
	/* A forked child starts anew. */
	kmt_events_forget_page(&seam->ctx);
	kfd.page_handle = 0;
	first = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(seam->live_allocs, 2);
	kmt_destroy_event(&seam->ctx, first);
}

static void *create_in_thread(void *data)
{
	return make(data, HSA_EVENTTYPE_SIGNAL);
}

static void two_first_creators_share_one_page(void **state)
{
	struct seam *seam = *state;

	for (unsigned int round = 0; round < 50; round++) {
		pthread_t thread;
		void *other;
		HsaEvent *event;

		assert_int_equal(pthread_create(&thread, NULL, create_in_thread, seam), 0);
		event = make(seam, HSA_EVENTTYPE_SIGNAL);
		pthread_join(thread, &other);
		assert_int_equal(kfd.pages_refused, 0);
		assert_int_equal(seam->live_allocs, round + 1);
		assert_int_equal(kmt_destroy_event(&seam->ctx, event), HSAKMT_STATUS_SUCCESS);
		assert_int_equal(kmt_destroy_event(&seam->ctx, other), HSAKMT_STATUS_SUCCESS);
		kmt_events_forget_page(&seam->ctx);
		kfd.page_handle = 0;
	}
}

static void a_page_that_failed_is_tried_again_and_not_lost(void **state)
{
	struct seam *seam = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = (HsaEvent *)seam;

	/* The kernel did not take it. */
	seam->fail_ioctl_nr = CREATE_NR;
	seam->fail_ioctl_errno = ENOMEM;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, &event),
			 HSAKMT_STATUS_ERROR);
	assert_null(event);
	assert_int_equal(seam->live_allocs, 1);
	/* Now it does, and fails afterwards: the next creation must live with that. */
	kfd.keeps_page_on_failure = true;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, &event),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(seam->live_allocs, 1);
	event = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(kfd.pages_refused, 1);
	assert_int_equal(event->EventData.HWData2,
			 (uint64_t *)seam->allocs[0].address + event->EventId);
	assert_int_equal(seam->live_allocs, 1);
	assert_int_equal(kmt_destroy_event(&seam->ctx, event), HSAKMT_STATUS_SUCCESS);
}

static void without_memory_for_the_page_creation_fails(void **state)
{
	struct seam *seam = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = (HsaEvent *)seam;

	seam->fail_nth = 1;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, &event),
			 HSAKMT_STATUS_ERROR);
	assert_null(event);
	assert_false(seam->global_locked);
	assert_int_equal(kfd.live, 0);
}

static void on_an_apu_the_kernels_page_is_mapped(void **state)
{
	struct seam *seam = *state;
	HsaEvent *first, *second;

	seam->process.is_dgpu = false;
	kfd.has_kernel_page = true;
	first = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(seam->last_map_size, 32768);
	assert_int_equal(seam->last_map_offset, PAGE_TYPE);
	assert_int_equal(seam->last_map_fd, seam->ctx.fd);
	assert_int_not_equal(first->EventData.HWData2, 0);
	second = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(second->EventData.HWData2 - first->EventData.HWData2, 8);
	assert_int_equal(seam->live_map_bytes, 32768);
	kmt_destroy_event(&seam->ctx, first);
	kmt_destroy_event(&seam->ctx, second);
}

static void a_small_kernel_page_limits_the_slots(void **state)
{
	struct seam *seam = *state;
	HsaEvent *inside, *outside;

	seam->process.is_dgpu = false;
	kfd.has_kernel_page = true;
	kfd.next_id = 255;
	seam->fail_maps = 1;
	inside = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(seam->last_map_size, 4096);
	assert_int_not_equal(inside->EventData.HWData2, 0);
	outside = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_equal(outside->EventData.HWData2, 0);
	kmt_destroy_event(&seam->ctx, inside);
	kmt_destroy_event(&seam->ctx, outside);
}

static void a_kernel_page_that_cannot_be_mapped_destroys_the_event(void **state)
{
	struct seam *seam = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = (HsaEvent *)seam;

	seam->process.is_dgpu = false;
	kfd.has_kernel_page = true;
	seam->fail_maps = 2;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, false, &event),
			 HSAKMT_STATUS_ERROR);
	assert_null(event);
	assert_int_equal(kfd.live, 0);
}

static int model_without_page(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_create_event_args *args = arg;

	(void)seam;
	(void)request;
	if (args->event_page_offset)
		return -EINVAL;
	args->event_id = 1;
	args->event_slot_index = 0xFFFFFFFF;
	return 0;
}

static void a_model_may_refuse_the_page(void **state)
{
	struct seam *seam = *state;
	HsaEvent *event;

	seam->device.is_model = true;
	seam->on_ioctl[CREATE_NR] = model_without_page;
	event = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_string_equal(seam->sequence, "08 08 ");
	assert_int_equal(event->EventData.HWData2, 0);
	kmt_destroy_event(&seam->ctx, event);
	kmt_events_forget_page(&seam->ctx);
	/* One that behaves as the kernel gets it. */
	seam->on_ioctl[CREATE_NR] = kfd_create;
	event = make(seam, HSA_EVENTTYPE_SIGNAL);
	assert_int_not_equal(event->EventData.HWData2, 0);
	kmt_destroy_event(&seam->ctx, event);
}

static void an_initially_signalled_event_is_set_or_destroyed(void **state)
{
	struct seam *seam = *state;
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaEvent *event = NULL;

	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, true, &event),
			 HSAKMT_STATUS_SUCCESS);
	assert_string_equal(seam->sequence, "08 0a ");
	kmt_destroy_event(&seam->ctx, event);
	seam->fail_ioctl_nr = SET_NR;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, true, &event),
			 HSAKMT_STATUS_ERROR);
	assert_null(event);
	assert_int_equal(kfd.live, 0);
	/* Ignored for system types. */
	seam_reset_log(seam);
	desc.EventType = HSA_EVENTTYPE_HW_EXCEPTION;
	assert_int_equal(kmt_create_event(&seam->ctx, &desc, true, true, &event),
			 HSAKMT_STATUS_SUCCESS);
	assert_string_equal(seam->sequence, "08 ");
	kmt_destroy_event(&seam->ctx, event);
}

static void only_signal_and_debug_events_can_be_set_and_reset(void **state)
{
	struct seam *seam = *state;

	for (uint32_t type = 0; type < HSA_EVENTTYPE_MAXID; type++) {
		HsaEvent *event = make(seam, (HSA_EVENTTYPE)type);
		bool may = type == HSA_EVENTTYPE_SIGNAL || type == HSA_EVENTTYPE_DEBUG_EVENT;

		seam_reset_log(seam);
		assert_int_equal(kmt_set_event(&seam->ctx, event),
				 may ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR);
		assert_int_equal(kmt_reset_event(&seam->ctx, event),
				 may ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR);
		assert_string_equal(seam->sequence, may ? "0a 0b " : "");
		assert_int_equal(kmt_query_event_state(&seam->ctx, event), HSAKMT_STATUS_SUCCESS);
		kmt_destroy_event(&seam->ctx, event);
	}
}

static void dead_and_made_up_events_are_invalid_handles(void **state)
{
	struct seam *seam = *state;
	struct kmt_context *ctx = &seam->ctx;
	HsaEvent *live = make(seam, HSA_EVENTTYPE_SIGNAL);
	HsaEvent *dead = make(seam, HSA_EVENTTYPE_SIGNAL);
	HsaEvent on_stack = *live;
	HsaEvent *bad[4];

	assert_int_equal(kmt_destroy_event(ctx, dead), HSAKMT_STATUS_SUCCESS);
	bad[0] = NULL;
	bad[1] = dead;
	bad[2] = &on_stack;
	bad[3] = (HsaEvent *)0x1234;
	seam_reset_log(seam);
	for (size_t i = 0; i < 4; i++) {
		HsaEvent *both[2] = { live, bad[i] };

		assert_int_equal(kmt_destroy_event(ctx, bad[i]), HSAKMT_STATUS_INVALID_HANDLE);
		assert_int_equal(kmt_set_event(ctx, bad[i]), HSAKMT_STATUS_INVALID_HANDLE);
		assert_int_equal(kmt_reset_event(ctx, bad[i]), HSAKMT_STATUS_INVALID_HANDLE);
		assert_int_equal(kmt_query_event_state(ctx, bad[i]), HSAKMT_STATUS_INVALID_HANDLE);
		assert_int_equal(kmt_wait_on_event(ctx, bad[i], 0), HSAKMT_STATUS_INVALID_HANDLE);
		assert_int_equal(kmt_wait_on_multiple_events(ctx, both, 2, false, 0),
				 HSAKMT_STATUS_INVALID_HANDLE);
	}
	assert_string_equal(seam->sequence, "");
	seam->usable = false;
	assert_int_equal(kmt_destroy_event(ctx, NULL), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_set_event(ctx, NULL), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_reset_event(ctx, NULL), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(kmt_query_event_state(ctx, NULL),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	/* The single wait looks at its argument first. */
	assert_int_equal(kmt_wait_on_event(ctx, NULL, 0), HSAKMT_STATUS_INVALID_HANDLE);
	assert_int_equal(kmt_wait_on_multiple_events(ctx, NULL, 1, true, 0),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	seam->usable = true;
	assert_int_equal(kmt_wait_on_multiple_events(ctx, NULL, 1, true, 0),
			 HSAKMT_STATUS_INVALID_HANDLE);
	kmt_destroy_event(ctx, live);
}

static void a_failing_destruction_keeps_the_event(void **state)
{
	struct seam *seam = *state;
	HsaEvent *event = make(seam, HSA_EVENTTYPE_SIGNAL);

	seam->fail_ioctl_nr = DESTROY_NR;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_destroy_event(&seam->ctx, event), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_set_event(&seam->ctx, event), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_destroy_event(&seam->ctx, event), HSAKMT_STATUS_SUCCESS);
}

/* What the kernel answers to a wait. */
static struct {
	uint32_t result;
	int error;
	uint64_t age_step;
	struct kfd_event_data record; /* put over the first record unless its gpu ids are 0 */
	uint32_t first_id, count, all, timeout;
} answer;

static int kfd_wait(struct seam *seam, unsigned long request, void *arg)
{
	struct kfd_ioctl_wait_events_args *args = arg;
	struct kfd_event_data *records = (void *)(uintptr_t)args->events_ptr;

	(void)request;
	assert_false(seam->global_locked);
	answer.count = args->num_events;
	answer.all = args->wait_for_all;
	answer.timeout = args->timeout;
	if (args->num_events)
		answer.first_id = records[0].event_id;
	for (uint32_t i = 0; i < args->num_events; i++) {
		assert_int_equal(records[i].kfd_event_data_ext, 0);
		if (records[i].signal_event_data.last_event_age)
			records[i].signal_event_data.last_event_age += answer.age_step;
	}
	if (answer.record.memory_exception_data.gpu_id || answer.record.hw_exception_data.gpu_id)
		memcpy(&records[0], &answer.record, 32);
	args->wait_result = answer.result;
	return answer.error;
}

static int setup_wait(void **state)
{
	int rc = setup(state);

	memset(&answer, 0, sizeof(answer));
	((struct seam *)*state)->on_ioctl[WAIT_NR] = kfd_wait;
	return rc;
}

static void a_wait_passes_its_arguments_and_tells_timeout_from_failure(void **state)
{
	struct seam *seam = *state;
	HsaEvent *events[2] = { make(seam, HSA_EVENTTYPE_SIGNAL),
				make(seam, HSA_EVENTTYPE_SIGNAL) };

	assert_int_equal(kmt_wait_on_multiple_events(&seam->ctx, events, 2, false, 0xFFFFFFFF),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(answer.count, 2);
	assert_int_equal(answer.all, 0);
	assert_int_equal(answer.timeout, 0xFFFFFFFF);
	assert_int_equal(kmt_wait_on_event(&seam->ctx, events[1], 20), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(answer.first_id, events[1]->EventId);
	assert_int_equal(answer.all, 1);
	assert_int_equal(answer.timeout, 20);
	answer.result = KFD_IOC_WAIT_RESULT_TIMEOUT;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, events[0], 0), HSAKMT_STATUS_WAIT_TIMEOUT);
	answer.result = KFD_IOC_WAIT_RESULT_FAIL;
	answer.error = -EIO;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, events[0], 0), HSAKMT_STATUS_ERROR);
	/* None at all is the kernel's to judge. */
	answer.result = answer.error = 0;
	assert_int_equal(kmt_wait_on_multiple_events(&seam->ctx, events, 0, true, 0),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(answer.count, 0);
	kmt_destroy_event(&seam->ctx, events[0]);
	kmt_destroy_event(&seam->ctx, events[1]);
}

static void ages_come_back_in_every_outcome_for_signals_only(void **state)
{
	struct seam *seam = *state;
	HsaEvent *events[3] = { make(seam, HSA_EVENTTYPE_SIGNAL),
				make(seam, HSA_EVENTTYPE_DEBUG_EVENT),
				make(seam, HSA_EVENTTYPE_SIGNAL) };
	uint64_t ages[3] = { 5, 77, 0 };

	answer.age_step = 2;
	assert_int_equal(kmt_wait_on_multiple_events_ext(&seam->ctx, events, 3, true, 0, ages),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(ages[0], 7);
	assert_int_equal(ages[1], 77);
	assert_int_equal(ages[2], 0);
	answer.result = KFD_IOC_WAIT_RESULT_TIMEOUT;
	assert_int_equal(kmt_wait_on_multiple_events_ext(&seam->ctx, events, 3, true, 0, ages),
			 HSAKMT_STATUS_WAIT_TIMEOUT);
	assert_int_equal(ages[0], 9);
	answer.error = -EIO;
	assert_int_equal(kmt_wait_on_multiple_events_ext(&seam->ctx, events, 3, true, 0, ages),
			 HSAKMT_STATUS_ERROR);
	assert_int_equal(ages[0], 11);
	answer.error = 0;
	answer.result = 0;
	assert_int_equal(kmt_wait_on_event_ext(&seam->ctx, events[2], 0, &ages[0]),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(ages[0], 13);
	for (size_t i = 0; i < 3; i++)
		kmt_destroy_event(&seam->ctx, events[i]);
}

static void a_memory_exception_is_decoded(void **state)
{
	struct seam *seam = *state;
	HsaEvent *event = make(seam, HSA_EVENTTYPE_MEMORY);
	struct kfd_hsa_memory_exception_data *data = &answer.record.memory_exception_data;
	HsaMemoryAccessFault *fault = &event->EventData.EventData.MemoryAccessFault;

	fault->Failure.GpuAccess = 1;
	data->gpu_id = SEAM_GPU_ID + 1;
	data->va = 0x7f1234567000;
	data->failure.NotPresent = 1;
	data->failure.imprecise = 1;
	data->ErrorType = KFD_MEM_ERR_POISON_CONSUMED;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fault->NodeId, 2);
	assert_int_equal(fault->VirtualAddress, 0x7f1234567000);
	assert_int_equal(fault->Failure.NotPresent, 1);
	assert_int_equal(fault->Failure.ReadOnly, 0);
	assert_int_equal(fault->Failure.NoExecute, 0);
	assert_int_equal(fault->Failure.Imprecise, 1);
	assert_int_equal(fault->Failure.ErrorType, 2);
	assert_int_equal(fault->Failure.ECC, 1);
	assert_int_equal(fault->Failure.GpuAccess, 1); /* untouched */
	assert_int_equal(fault->Flags, HSA_EVENTID_MEMORY_FATAL_PROCESS);
	data->ErrorType = KFD_MEM_ERR_GPU_HANG;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fault->Failure.ECC, 0);
	kmt_destroy_event(&seam->ctx, event);
}

static void a_hardware_exception_is_decoded(void **state)
{
	struct seam *seam = *state;
	HsaEvent *event = make(seam, HSA_EVENTTYPE_HW_EXCEPTION);
	struct kfd_hsa_hw_exception_data *data = &answer.record.hw_exception_data;
	HsaHwException *exception = &event->EventData.EventData.HwException;

	data->gpu_id = SEAM_GPU_ID;
	data->reset_type = KFD_HW_EXCEPTION_PER_ENGINE_RESET;
	data->reset_cause = KFD_HW_EXCEPTION_ECC;
	data->memory_lost = 1;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(exception->NodeId, 1);
	assert_int_equal(exception->ResetType, 1);
	assert_int_equal(exception->ResetCause, HSA_EVENTID_HW_EXCEPTION_ECC);
	assert_int_equal(exception->MemoryLost, 1);
	kmt_destroy_event(&seam->ctx, event);
}

static void records_without_gpu_leave_the_users_data_alone(void **state)
{
	struct seam *seam = *state;
	HsaEvent *event = make(seam, HSA_EVENTTYPE_MEMORY);
	HsaEvent before;

	event->EventData.EventData.MemoryAccessFault.VirtualAddress = 0x42;
	before = *event;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_memory_equal(event, &before, sizeof(before));
	kmt_destroy_event(&seam->ctx, event);
}

static void an_unknown_gpu_in_the_details_is_an_invalid_node(void **state)
{
	struct seam *seam = *state;
	HsaEvent *events[2] = { make(seam, HSA_EVENTTYPE_MEMORY),
				make(seam, HSA_EVENTTYPE_SIGNAL) };
	uint64_t ages[2] = { 1, 1 };

	answer.age_step = 1;
	answer.record.memory_exception_data.gpu_id = 0x9999;
	assert_int_equal(kmt_wait_on_multiple_events_ext(&seam->ctx, events, 2, false, 0, ages),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(ages[1], 2);
	answer.record.memory_exception_data.gpu_id = 0;
	answer.record.hw_exception_data.gpu_id = 0x9999;
	kmt_destroy_event(&seam->ctx, events[0]);
	events[0] = make(seam, HSA_EVENTTYPE_HW_EXCEPTION);
	assert_int_equal(kmt_wait_on_multiple_events(&seam->ctx, events, 2, false, 0),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	kmt_destroy_event(&seam->ctx, events[0]);
	kmt_destroy_event(&seam->ctx, events[1]);
}

static void a_fault_is_reported_with_the_buffer_it_hit(void **state)
{
	struct seam *seam = *state;
	HsaEvent *event = make(seam, HSA_EVENTTYPE_MEMORY);
	const uint64_t handle = 1;
	const uint32_t mapped = SEAM_GPU_ID;

	seam->objects[0] = (struct kmt_object_info){
		.gpu_va = 0x10000, .size_bytes = 0x1000, .handles = &handle, .handle_count = 1
	};
	seam->objects[1] = (struct kmt_object_info){ .gpu_va = 0x20000,
						     .size_bytes = 0x2000,
						     .handles = &handle,
						     .handle_count = 1,
						     .node_id = 1,
						     .mapped_gpus = &mapped,
						     .mapped_count = 1 };
	answer.record.memory_exception_data.gpu_id = SEAM_GPU_ID;
	answer.record.memory_exception_data.va = 0x21FFF;
	answer.record.memory_exception_data.failure.ReadOnly = 1;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_non_null(strstr(seam->log, "write to a read-only page"));
	assert_non_null(strstr(seam->log, "GPU address 0x20000, 8192 bytes"));
	assert_non_null(strstr(seam->log, "mapped on GPU 0x1234"));
	assert_null(strstr(seam->log, "0x10000"));
	assert_int_equal(seam->calls[0x20], 0);
	/* One byte further nobody knows: ask the kernel. */
	seam_reset_log(seam);
	answer.record.memory_exception_data.va = 0x22000;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->calls[0x20], 1);
	assert_non_null(strstr(seam->log, "SVM: preferred"));
	assert_int_equal(SEAM_LAST(seam, AMDKFD_IOC_SVM, kfd_ioctl_svm_args)->start_addr, 0x22000);
	/* Not even the kernel, and a kernel that cannot be asked. */
	seam->fail_ioctl_nr = 0x20;
	seam->fail_ioctl_errno = EINVAL;
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_non_null(strstr(seam->log, "the address is unknown"));
	seam->process.kfd_minor = 4;
	seam_reset_log(seam);
	assert_int_equal(kmt_wait_on_event(&seam->ctx, event, 0), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(seam->calls[0x20], 0);
	kmt_destroy_event(&seam->ctx, event);
}

static void thousands_of_events_can_be_awaited_at_once(void **state)
{
	enum { COUNT = 4000 };
	struct seam *seam = *state;
	static HsaEvent *events[COUNT];
	static uint64_t ages[COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		events[i] = make(seam, HSA_EVENTTYPE_SIGNAL);
		ages[i] = i + 1;
	}
	answer.age_step = 1;
	assert_int_equal(kmt_wait_on_multiple_events_ext(&seam->ctx, events, COUNT, false, 0, ages),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(answer.count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(ages[i], i + 2);
		assert_int_equal(kmt_destroy_event(&seam->ctx, events[i]), HSAKMT_STATUS_SUCCESS);
	}
	assert_int_equal(kfd.live, 0);
}

static void count_event(const struct kmt_event_info *info, void *data)
{
	struct kmt_event_info *last = data;

	*last = *info;
}

static void a_live_event_is_visited(void **state)
{
	struct seam *seam = *state;
	HsaEvent *event = make(seam, HSA_EVENTTYPE_HW_EXCEPTION);
	struct kmt_event_info info = { 0 };

	kmt_event_for_each(&seam->ctx, count_event, &info);
	assert_int_equal(info.address, event);
	assert_int_equal(info.event_id, event->EventId);
	assert_int_equal(info.type, HSA_EVENTTYPE_HW_EXCEPTION);
	assert_int_equal(info.node_id, 1);
	assert_true(info.auto_reset);
	kmt_destroy_event(&seam->ctx, event);
	info.address = 0;
	kmt_event_for_each(&seam->ctx, count_event, &info);
	assert_int_equal(info.address, 0);
}

static void handles_survive_growth_and_removal(void **state)
{
	enum { COUNT = 20000 };
	struct kmt_handle_set set;
	static char records[COUNT];

	(void)state;
	kmt_handle_set_init(&set);
	assert_false(kmt_handle_set_add(&set, 0, records));
	assert_false(kmt_handle_set_add(&set, 1, records));
	assert_null(kmt_handle_set_find(&set, 4096));
	for (size_t i = 0; i < COUNT; i++)
		assert_true(kmt_handle_set_add(&set, (i + 1) * 4096, &records[i]));
	for (size_t i = 0; i < COUNT; i += 2)
		assert_ptr_equal(kmt_handle_set_take(&set, (i + 1) * 4096), &records[i]);
	for (size_t i = 0; i < COUNT; i++)
		assert_ptr_equal(kmt_handle_set_find(&set, (i + 1) * 4096),
				 i % 2 ? &records[i] : NULL);
	/* Coming and going must not fill the table with what was removed. */
	for (size_t i = 0; i < COUNT * 5; i++) {
		assert_true(kmt_handle_set_add(&set, 8 + i * 16, records));
		assert_non_null(kmt_handle_set_take(&set, 8 + i * 16));
		assert_null(kmt_handle_set_take(&set, 8 + i * 16));
	}
	assert_in_range(set.capacity, COUNT / 2, COUNT * 4);
	kmt_handle_set_fini(&set);
}

#define CASE(name)      cmocka_unit_test_setup_teardown(name, setup, teardown)
#define WAIT_CASE(name) cmocka_unit_test_setup_teardown(name, setup_wait, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(creation_checks_its_arguments_in_order),
		CASE(an_event_carries_what_kernel_and_caller_gave),
		CASE(the_first_event_brings_the_page_and_later_ones_share_it),
		CASE(two_first_creators_share_one_page),
		CASE(a_page_that_failed_is_tried_again_and_not_lost),
		CASE(without_memory_for_the_page_creation_fails),
		CASE(on_an_apu_the_kernels_page_is_mapped),
		CASE(a_small_kernel_page_limits_the_slots),
		CASE(a_kernel_page_that_cannot_be_mapped_destroys_the_event),
		CASE(a_model_may_refuse_the_page),
		CASE(an_initially_signalled_event_is_set_or_destroyed),
		CASE(only_signal_and_debug_events_can_be_set_and_reset),
		CASE(dead_and_made_up_events_are_invalid_handles),
		CASE(a_failing_destruction_keeps_the_event),
		WAIT_CASE(a_wait_passes_its_arguments_and_tells_timeout_from_failure),
		WAIT_CASE(ages_come_back_in_every_outcome_for_signals_only),
		WAIT_CASE(a_memory_exception_is_decoded),
		WAIT_CASE(a_hardware_exception_is_decoded),
		WAIT_CASE(records_without_gpu_leave_the_users_data_alone),
		WAIT_CASE(an_unknown_gpu_in_the_details_is_an_invalid_node),
		WAIT_CASE(a_fault_is_reported_with_the_buffer_it_hit),
		WAIT_CASE(thousands_of_events_can_be_awaited_at_once),
		CASE(a_live_event_is_visited),
		CASE(handles_survive_growth_and_removal),
	};

	return cmocka_run_group_tests_name("thunk/event", tests, NULL, NULL);
}
