/* SPDX-License-Identifier: MIT */
/* The public entries: what their events hold, and that the calls themselves stay as they are. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_device.h"
#include "fake_open.h"
#include "fake_provider.h"
#include "maker.h"
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"
#include "trace.h"

static struct fake_device *fake;

static int setup(void **state)
{
	(void)state;
	fake = fake_open_prepare("a.tree");
	fake_provider_install();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_provider_remove();
	fake_open_finish(fake);
	return 0;
}

static void calls_are_the_same_without_a_provider(void **state)
{
	HsaVersionInfo version;

	(void)state;
	fake_provider_remove();
	assert_int_equal(hsaKmtGetVersion(&version), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtGetVersion(&version), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(version.KernelInterfaceMajorVersion, 1);
	assert_int_equal(fake_provider_total(), 0);
}

static void nothing_is_made_while_no_event_is_enabled(void **state)
{
	(void)state;
	assert_int_equal(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_provider_total(), 0);
	assert_int_equal(trace_thread.api_calls, 0);
}

static void entry_and_exit_carry_the_same_number(void **state)
{
	const struct kmt_hsaKmtGetVersion_entry *entry;
	const struct kmt_hsaKmtGetVersion_exit *leave;
	HsaVersionInfo version;

	(void)state;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	hsaKmtGetVersion(&version);
	hsaKmtGetVersion(&version);
	for (size_t i = 0; i < 2; i++) {
		entry = fake_provider_event(TRACE_kmt_hsaKmtGetVersion_entry, i);
		leave = fake_provider_event(TRACE_kmt_hsaKmtGetVersion_exit, i);
		assert_non_null(entry);
		assert_non_null(leave);
		assert_int_equal(entry->call, i + 2); /* the open was the first */
		assert_int_equal(leave->call, entry->call);
	}
	assert_int_equal(leave->status, HSAKMT_STATUS_SUCCESS);
	assert_int_equal(leave->VersionInfo_valid, 1);
	assert_int_equal(leave->VersionInfo_KernelInterfaceMinorVersion,
			 version.KernelInterfaceMinorVersion);
}

static void outputs_of_a_failed_call_are_not_valid(void **state)
{
	HsaVersionInfo version = { .KernelInterfaceMajorVersion = 77 };
	const struct kmt_hsaKmtGetVersion_exit *leave;

	(void)state;
	fake_provider_enable_all();
	hsaKmtGetVersion(&version);
	leave = fake_provider_event(TRACE_kmt_hsaKmtGetVersion_exit, 0);
	assert_int_equal(leave->status, HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(leave->VersionInfo_valid, 0);
	assert_int_equal(leave->VersionInfo_KernelInterfaceMajorVersion, 0);
}

static struct device *inner;

static int forward_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	(void)dev;
	return inner->ops->ioctl(inner, fd, request, arg);
}

static int refuse(struct fake_device *device, int fd, unsigned long request, void *arg, void *data)
{
	(void)device;
	(void)fd;
	(void)request;
	(void)arg;
	return *(const int *)data;
}

static void failing_system_calls_show_in_the_exit(void **state)
{
	static const struct device_ops forward_ops = { .ioctl = forward_ioctl };
	struct device outer = { .ops = &forward_ops };
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_NODECHANGE };
	const struct kmt_hsaKmtCreateEvent_exit *leave;
	HsaVersionInfo version;
	HsaEvent *event;
	int answer = -ENOSPC;

	(void)state;
	hsaKmtOpenKFD();
	/* The fake's own decorator took the place of the tracing one. */
	inner = kmt_primary()->device;
	kmt_primary()->device = &outer;
	trace_device_decorate(&outer);
	fake_device_on_ioctl(fake, AMDKFD_IOC_CREATE_EVENT, refuse, &answer);
	fake_provider_enable_all();
	assert_int_equal(hsaKmtCreateEvent(&desc, true, false, &event), HSAKMT_STATUS_ERROR);
	leave = fake_provider_event(TRACE_kmt_hsaKmtCreateEvent_exit, 0);
	assert_int_equal(leave->os_errno, ENOSPC);
	assert_int_equal(leave->Event_valid, 0);
	/* The next call's exit does not inherit it. */
	hsaKmtGetVersion(&version);
	kmt_primary()->device = inner;
	assert_int_equal(((const struct kmt_hsaKmtGetVersion_exit *)fake_provider_event(
				  TRACE_kmt_hsaKmtGetVersion_exit, 0))
				 ->os_errno,
			 0);
}

static void flags_nodes_and_pointed_to_values_are_recorded(void **state)
{
	const struct kmt_hsaKmtAllocMemory_entry *entry;
	void *address = (void *)0x123450000;
	HsaMemFlags flags = { 0 };

	(void)state;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	flags.ui32.NonPaged = 1;
	flags.ui32.FixedAddress = 1;
	hsaKmtAllocMemory(1, 4096, flags, &address);
	entry = fake_provider_event(TRACE_kmt_hsaKmtAllocMemory_entry, 0);
	assert_int_equal(entry->PreferredNode, 1);
	assert_int_equal(entry->SizeInBytes, 4096);
	assert_int_equal(entry->MemFlags, flags.Value);
	assert_int_equal(flags_HsaMemFlags(entry->MemFlags).ui32.FixedAddress, 1);
	assert_int_equal(entry->MemoryAddress_valid, 1);
	assert_int_equal(entry->MemoryAddress, 0x123450000);
}

static void nodes_without_a_snapshot_have_no_gpu_id(void **state)
{
	const struct kmt_hsaKmtGetNodeProperties_entry *entry;
	const struct kmt_hsaKmtGetNodeProperties_exit *leave;
	HsaNodeProperties properties;

	(void)state;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	hsaKmtGetNodeProperties(1, &properties);
	entry = fake_provider_event(TRACE_kmt_hsaKmtGetNodeProperties_entry, 0);
	leave = fake_provider_event(TRACE_kmt_hsaKmtGetNodeProperties_exit, 0);
	assert_int_equal(entry->NodeId, 1);
	assert_int_equal(entry->NodeId_gpu_id, 0);
	assert_int_not_equal(leave->status, HSAKMT_STATUS_SUCCESS);
	assert_int_equal(leave->NodeProperties_valid, 0);
}

static void arrays_are_cut_at_their_cap_and_say_so(void **state)
{
	const struct kmt_hsaKmtMapMemoryToGPUNodes_entry *entry;
	HSAuint32 nodes[100];

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		nodes[i] = i;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	hsaKmtMapMemoryToGPUNodes((void *)0x10000, 4096, NULL, (HsaMemFlags){ 0 }, 3, nodes);
	hsaKmtMapMemoryToGPUNodes((void *)0x10000, 4096, NULL, (HsaMemFlags){ 0 }, 100, nodes);
	entry = fake_provider_event(TRACE_kmt_hsaKmtMapMemoryToGPUNodes_entry, 0);
	assert_int_equal(entry->NodeArray_count, 3);
	assert_int_equal(entry->NodeArray_len, 3);
	assert_int_equal(entry->NodeArray_truncated, 0);
	assert_int_equal(entry->NodeArray[2], 2);
	entry = fake_provider_event(TRACE_kmt_hsaKmtMapMemoryToGPUNodes_entry, 1);
	assert_int_equal(entry->NodeArray_count, 100);
	assert_int_equal(entry->NodeArray_len, 64);
	assert_int_equal(entry->NodeArray_truncated, 1);
	assert_int_equal(entry->NodeArray[63], 63);
}

static void pointers_are_not_followed_before_the_open(void **state)
{
	const struct kmt_hsaKmtMapMemoryToGPUNodes_entry *entry;

	(void)state;
	fake_provider_enable_all();
	assert_int_equal(hsaKmtMapMemoryToGPUNodes((void *)0x10000, 4096, NULL, (HsaMemFlags){ 0 },
						   3, (HSAuint32 *)0x8),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	entry = fake_provider_event(TRACE_kmt_hsaKmtMapMemoryToGPUNodes_entry, 0);
	assert_int_equal(entry->NodeArray_count, 3);
	assert_int_equal(entry->NodeArray_len, 0);
}

static void stale_events_are_not_followed(void **state)
{
	const struct kmt_hsaKmtDestroyEvent_entry *entry;

	(void)state;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	assert_int_equal(hsaKmtDestroyEvent((HsaEvent *)0x8), HSAKMT_STATUS_INVALID_HANDLE);
	entry = fake_provider_event(TRACE_kmt_hsaKmtDestroyEvent_entry, 0);
	assert_int_equal(entry->Event, 0x8);
	assert_int_equal(entry->Event_id, 0);
}

static void stale_contexts_are_not_followed(void **state)
{
	HsaVersionInfo version;

	(void)state;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	assert_int_not_equal(hsaKmtAllocMemoryCtx((HsaKFDContext *)0x8, 1, 4096, (HsaMemFlags){ 0 },
						  (void **)&version),
			     HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_provider_count(TRACE_kmt_hsaKmtAllocMemory_entry), 1);
	assert_int_equal(fake_provider_count(TRACE_kmt_hsaKmtAllocMemory_exit), 1);
}

static __attribute__((noinline)) const void *call_from_here(void)
{
	HsaVersionInfo version;

	hsaKmtGetVersion(&version);
	return __builtin_return_address(0);
}

static void stacks_begin_at_the_caller(void **state)
{
	const struct kmt_hsaKmtGetVersion_entry *entry;
	const void *outer;

	(void)state;
	fake_provider_enable_all();
	outer = call_from_here();
	entry = fake_provider_event(TRACE_kmt_hsaKmtGetVersion_entry, 0);
	assert_true(entry->bt_len >= 2);
	assert_true(entry->bt[0] > (uint64_t)(uintptr_t)call_from_here &&
		    entry->bt[0] < (uint64_t)(uintptr_t)call_from_here + 256);
	assert_int_equal(entry->bt[1], (uint64_t)(uintptr_t)outer);
	assert_int_equal(entry->bt_truncated, 0);
}

static void deep_stacks_are_cut_and_say_so(void **state)
{
	const struct kmt_hsaKmtGetVersion_entry *entry;

	(void)state;
	fake_provider_enable_all();
	fake_provider_set_depth(200);
	call_from_here();
	entry = fake_provider_event(TRACE_kmt_hsaKmtGetVersion_entry, 0);
	assert_int_equal(entry->bt_len, 32);
	assert_int_equal(entry->bt_truncated, 1);
}

static void errno_belongs_to_the_caller(void **state)
{
	HsaVersionInfo version;

	(void)state;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	errno = E2BIG;
	assert_int_equal(hsaKmtGetVersion(&version), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(errno, E2BIG);
}

static void call_again(void)
{
	HsaVersionInfo version;

	fake_provider_on_fire(NULL);
	assert_int_equal(hsaKmtGetVersion(&version), HSAKMT_STATUS_SUCCESS);
}

static void calls_made_while_an_event_is_made_are_not_traced(void **state)
{
	HsaVersionInfo version;

	(void)state;
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	fake_provider_forget();
	fake_provider_on_fire(call_again);
	assert_int_equal(hsaKmtGetVersion(&version), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_provider_count(TRACE_kmt_hsaKmtGetVersion_entry), 1);
	assert_int_equal(fake_provider_count(TRACE_kmt_hsaKmtGetVersion_exit), 1);
	assert_false(trace_thread.busy);
	assert_int_equal(trace_thread.api_call, 0);
}

static int start_recording(struct fake_device *device, int fd, unsigned long request, void *arg,
			   void *data)
{
	(void)device;
	(void)fd;
	(void)request;
	(void)arg;
	(void)data;
	fake_provider_enable_all();
	return -EIO;
}

static void an_exit_whose_entry_was_not_recorded_has_number_0(void **state)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_NODECHANGE };
	const struct kmt_hsaKmtCreateEvent_exit *leave;
	HsaEvent *event;

	(void)state;
	hsaKmtOpenKFD();
	fake_device_on_ioctl(fake, AMDKFD_IOC_CREATE_EVENT, start_recording, NULL);
	assert_int_equal(hsaKmtCreateEvent(&desc, true, false, &event), HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_provider_count(TRACE_kmt_hsaKmtCreateEvent_entry), 0);
	leave = fake_provider_event(TRACE_kmt_hsaKmtCreateEvent_exit, 0);
	assert_non_null(leave);
	assert_int_equal(leave->call, 0);
	assert_int_equal(leave->status, HSAKMT_STATUS_ERROR);
}

static void *number_in_other_thread(void *unused)
{
	HsaVersionInfo version;

	(void)unused;
	hsaKmtGetVersion(&version);
	return (void *)(uintptr_t)trace_thread.api_calls;
}

static void each_thread_counts_for_itself(void **state)
{
	HsaVersionInfo version;
	pthread_t thread;
	void *calls;

	(void)state;
	fake_provider_enable_all();
	hsaKmtGetVersion(&version);
	hsaKmtGetVersion(&version);
	assert_int_equal(pthread_create(&thread, NULL, number_in_other_thread, NULL), 0);
	assert_int_equal(pthread_join(thread, &calls), 0);
	assert_int_equal((uintptr_t)calls, 1);
	assert_int_equal(trace_thread.api_calls, 2);
}

static void the_schema_is_first_and_repeated_with_the_kfd_version(void **state)
{
	const struct kmt_state_schema *schema;

	(void)state;
	trace_state_forked(); /* as in a new process */
	fake_provider_enable_all();
	hsaKmtOpenKFD();
	assert_int_equal(fake_provider_kind(0), TRACE_kmt_state_schema);
	schema = fake_provider_event(TRACE_kmt_state_schema, 0);
	assert_int_equal(schema->schema_hash, TRACE_SCHEMA_HASH);
	assert_int_equal(schema->pid, getpid());
	assert_string_equal(schema->walker, "fake");
	schema = fake_provider_event(TRACE_kmt_state_schema, 1);
	assert_int_equal(schema->kfd_major, 1);
	assert_true(schema->kfd_minor > 0);
}

static int give_event_id(struct fake_device *device, int fd, unsigned long request, void *arg,
			 void *data)
{
	struct kfd_ioctl_create_event_args *args = arg;

	(void)device;
	(void)fd;
	(void)request;
	(void)data;
	args->event_id = 0x40000001;
	return 0;
}

static void a_dump_states_what_is_alive(void **state)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_NODECHANGE };
	const struct kmt_hsaKmtDestroyEvent_entry *entry;
	const struct kmt_state_event *event;
	const struct kmt_state_end *end;
	HsaEvent *object;

	(void)state;
	hsaKmtOpenKFD();
	fake_device_on_ioctl(fake, AMDKFD_IOC_CREATE_EVENT, give_event_id, NULL);
	trace_state_dump();
	assert_int_equal(fake_provider_total(), 0);
	fake_provider_enable_all();
	trace_state_dump();
	end = fake_provider_event(TRACE_kmt_state_end, 0);
	assert_non_null(end);
	assert_int_equal(end->events, 0);
	assert_int_equal(hsaKmtCreateEvent(&desc, true, false, &object), HSAKMT_STATUS_SUCCESS);
	fake_provider_forget();
	trace_state_dump();
	event = fake_provider_event(TRACE_kmt_state_event, 0);
	assert_int_equal(event->event, (uintptr_t)object);
	assert_int_equal(event->event_id, 0x40000001);
	end = fake_provider_event(TRACE_kmt_state_end, 0);
	assert_int_equal(end->events, 1);
	/* Calls name a live event by its id too. */
	hsaKmtDestroyEvent(object);
	entry = fake_provider_event(TRACE_kmt_hsaKmtDestroyEvent_entry, 0);
	assert_int_equal(entry->Event_id, 0x40000001);
}

static __attribute__((noinline)) HsaEvent *make_event(void)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_NODECHANGE };
	HsaEvent *object = NULL;

	assert_int_equal(hsaKmtCreateEvent(&desc, true, false, &object), HSAKMT_STATUS_SUCCESS);
	return object;
}

/* The first frame is in the function that called the library. */
static bool is_in(uint64_t address, HsaEvent *(*function)(void))
{
	return address > (uintptr_t)function && address < (uintptr_t)function + 512;
}

static void what_is_made_while_nothing_is_recorded_has_its_stack(void **state)
{
	const struct kmt_state_event *event;
	HsaEvent *object;

	(void)state;
	hsaKmtOpenKFD();
	fake_device_on_ioctl(fake, AMDKFD_IOC_CREATE_EVENT, give_event_id, NULL);
	errno = EDOM;
	object = make_event();
	assert_int_equal(errno, EDOM);
	assert_int_equal(fake_provider_total(), 0);
	fake_provider_enable_all();
	trace_state_dump();
	event = fake_provider_event(TRACE_kmt_state_event, 0);
	assert_non_null(event);
	assert_string_equal(event->created_by, "hsaKmtCreateEvent");
	assert_true(event->bt_len > 1);
	assert_true(is_in(event->bt[0], make_event));
	assert_true(event->made > 0);
	hsaKmtDestroyEvent(object);
}

static void without_a_caller_on_the_stack_nothing_is_said_of_the_maker(void **state)
{
	struct trace_made_by by = { .order = 1 };

	(void)state;
	assert_int_equal(trace_maker_of(TRACE_kmt_hsaKmtCreateEvent_entry, &by), 0);
	trace_maker_tell(0, &by);
	assert_string_equal(by.name, "");
	assert_int_equal(by.stack.length, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(calls_are_the_same_without_a_provider),
		CASE(nothing_is_made_while_no_event_is_enabled),
		CASE(entry_and_exit_carry_the_same_number),
		CASE(outputs_of_a_failed_call_are_not_valid),
		CASE(failing_system_calls_show_in_the_exit),
		CASE(flags_nodes_and_pointed_to_values_are_recorded),
		CASE(nodes_without_a_snapshot_have_no_gpu_id),
		CASE(arrays_are_cut_at_their_cap_and_say_so),
		CASE(pointers_are_not_followed_before_the_open),
		CASE(stale_events_are_not_followed),
		CASE(stale_contexts_are_not_followed),
		CASE(stacks_begin_at_the_caller),
		CASE(deep_stacks_are_cut_and_say_so),
		CASE(errno_belongs_to_the_caller),
		CASE(calls_made_while_an_event_is_made_are_not_traced),
		CASE(an_exit_whose_entry_was_not_recorded_has_number_0),
		CASE(each_thread_counts_for_itself),
		CASE(the_schema_is_first_and_repeated_with_the_kfd_version),
		CASE(a_dump_states_what_is_alive),
		CASE(what_is_made_while_nothing_is_recorded_has_its_stack),
		CASE(without_a_caller_on_the_stack_nothing_is_said_of_the_maker),
	};

	return cmocka_run_group_tests_name("trace/entries", tests, NULL, NULL);
}
