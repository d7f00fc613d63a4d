/* SPDX-License-Identifier: MIT */
/* Events and waits (kfd.md 7). */
#include "machine.h"

#include "asleep.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SIGNAL  KFD_IOC_EVENT_SIGNAL
#define FOREVER 0xffffffffu

static int set(struct machine *m, uint32_t id)
{
	struct kfd_ioctl_set_event_args args = { .event_id = id };

	return machine_ioctl(m, AMDKFD_IOC_SET_EVENT, &args);
}

static int reset(struct machine *m, uint32_t id)
{
	struct kfd_ioctl_reset_event_args args = { .event_id = id };

	return machine_ioctl(m, AMDKFD_IOC_RESET_EVENT, &args);
}

static int destroy(struct machine *m, uint32_t id)
{
	struct kfd_ioctl_destroy_event_args args = { .event_id = id };

	return machine_ioctl(m, AMDKFD_IOC_DESTROY_EVENT, &args);
}

static int wait_on(struct machine *m, struct kfd_event_data *data, uint32_t count, bool all,
		   uint32_t timeout, uint32_t *result)
{
	struct kfd_ioctl_wait_events_args args = { .events_ptr = (uintptr_t)data,
						   .num_events = count,
						   .wait_for_all = all,
						   .timeout = timeout,
						   .wait_result = 77 };
	int rc = machine_ioctl(m, AMDKFD_IOC_WAIT_EVENTS, &args);

	*result = args.wait_result;
	return rc;
}

static uint32_t poll_one(struct machine *m, uint32_t id)
{
	struct kfd_event_data data = { .event_id = id };
	uint32_t result;

	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	return result;
}

static void ids_start_at_one_and_are_the_slots(struct machine *m)
{
	struct kfd_ioctl_create_event_args args = { .event_type = SIGNAL };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), 0);
	assert_int_equal(args.event_id, 1);
	assert_int_equal(args.event_slot_index, 1);
	assert_int_equal(args.event_trigger_data, 1);
	assert_true(args.event_page_offset == 2ull << 62);
	assert_int_equal(machine_event(m, KFD_IOC_EVENT_DEBUG_EVENT, false), 2);
	assert_int_equal(destroy(m, 1), 0);
	assert_int_equal(machine_event(m, SIGNAL, false), 1);
}

static void other_types_have_high_ids_and_no_slot(struct machine *m)
{
	struct kfd_ioctl_create_event_args args = { .event_type = 1234, .event_slot_index = 99 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), 0);
	assert_int_equal(args.event_id, 0x40000000);
	assert_int_equal(args.event_trigger_data, 0x40000000);
	assert_int_equal(args.event_slot_index, 99);
	assert_int_equal(args.event_page_offset, 0);
}

static void the_page_is_set_once(struct machine *m)
{
	struct kfd_ioctl_create_event_args args = { .event_type = SIGNAL };
	struct buffer page, small;

	machine_acquire(m, m->gpu);
	page = machine_alloc(m, m->gpu, 32768, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	small = machine_alloc(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	args.event_page_offset = small.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), -EINVAL);
	args.event_page_offset = page.handle + 77;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), -EINVAL);
	args.event_page_offset = page.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), 0);
	args.event_page_offset = page.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), -EINVAL);
}

static void slots_run_out(struct machine *m)
{
	struct kfd_ioctl_create_event_args args = { .event_type = SIGNAL };
	struct buffer page;
	int created = 0, rc = 0;

	machine_acquire(m, m->gpu);
	page = machine_alloc(m, m->gpu, 32768, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	args.event_page_offset = page.handle;
	for (; !rc; created++) {
		rc = machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args);
		args.event_page_offset = 0;
	}
	assert_int_equal(rc, -ENOSPC);
	assert_int_equal(created, 4096); /* 4095 and the one that failed */
}

static void without_a_page_there_are_256_slots(struct machine *m)
{
	struct kfd_ioctl_create_event_args args = { .event_type = SIGNAL };
	int created = 0;
	void *page;

	while (machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args) == 0) {
		created++;
		args.event_page_offset = 0;
	}
	assert_int_equal(created, 255);
	page = kfd_model_mmap(m->model, m->file, NULL, 32768, PROT_READ | PROT_WRITE, MAP_SHARED,
			      (off_t)(2ull << 62));
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_true(((uint64_t *)page)[1] == UINT64_MAX);
	args.event_page_offset = 0;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), 0);
	assert_int_equal(args.event_id, 256);
	munmap(page, 32768);
}

static void unknown_events_are_einval(struct machine *m)
{
	uint32_t other = machine_event(m, KFD_IOC_EVENT_MEMORY, false);

	assert_int_equal(set(m, 0), -EINVAL);
	assert_int_equal(reset(m, 4095), -EINVAL);
	assert_int_equal(destroy(m, 0x50000000), -EINVAL);
	/* only the signal types can be set and reset by user space */
	assert_int_equal(set(m, other), -EINVAL);
	assert_int_equal(reset(m, other), -EINVAL);
	assert_int_equal(destroy(m, other), 0);
	assert_int_equal(destroy(m, other), -EINVAL);
}

static void manual_events_stay_set(struct machine *m)
{
	uint32_t id = machine_event(m, SIGNAL, false);

	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(set(m, id), 0);
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(reset(m, id), 0);
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_TIMEOUT);
}

static void auto_reset_events_are_taken_once(struct machine *m)
{
	uint32_t id = machine_event(m, SIGNAL, true);

	assert_int_equal(set(m, id), 0);
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_TIMEOUT);
}

static void any_and_all_differ(struct machine *m)
{
	struct kfd_event_data data[2] = { { .event_id = machine_event(m, SIGNAL, false) },
					  { .event_id = machine_event(m, SIGNAL, false) } };
	uint32_t result;

	assert_int_equal(set(m, data[1].event_id), 0);
	assert_int_equal(wait_on(m, data, 2, false, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(wait_on(m, data, 2, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(set(m, data[0].event_id), 0);
	assert_int_equal(wait_on(m, data, 2, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
}

static void no_events_complete_at_once(struct machine *m)
{
	uint32_t result;

	assert_int_equal(wait_on(m, NULL, 0, true, FOREVER, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(wait_on(m, NULL, 0, false, FOREVER, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
}

static void an_unknown_event_fails_but_consumes(struct machine *m)
{
	uint32_t id = machine_event(m, SIGNAL, true), result;
	struct kfd_event_data data[2] = { { .event_id = id }, { .event_id = 999 } };

	assert_int_equal(set(m, id), 0);
	assert_int_equal(wait_on(m, data, 2, false, 0, &result), -EINVAL);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_FAIL);
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_TIMEOUT);
}

static void the_list_must_be_readable(struct machine *m)
{
	uint32_t result;

	assert_int_equal(wait_on(m, (struct kfd_event_data *)BAD_ADDRESS, 1, false, 0, &result),
			 -EFAULT);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_FAIL);
}

static void a_timeout_is_a_success_and_never_short(struct machine *m)
{
	struct kfd_event_data data = { .event_id = machine_event(m, SIGNAL, false) };
	struct timespec a, b;
	uint32_t result;

	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(wait_on(m, &data, 1, false, 20, &result), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_true((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec >= 20000000);
}

static void ages_tell_a_signal_that_is_over(struct machine *m)
{
	uint32_t id = machine_event(m, SIGNAL, true), result;
	struct kfd_event_data data = { .event_id = id };

	data.signal_event_data.last_event_age = 1;
	assert_int_equal(set(m, id), 0);
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_COMPLETE); /* consumed */
	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(data.signal_event_data.last_event_age, 2);
	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(data.signal_event_data.last_event_age, 2);
}

static void without_an_age_none_is_told(struct machine *m)
{
	uint32_t id = machine_event(m, SIGNAL, true), result;
	struct kfd_event_data data = { .event_id = id };

	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(set(m, id), 0);
	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(data.signal_event_data.last_event_age, 0);
}

static void old_drivers_know_no_ages(struct machine *m)
{
	uint32_t id = machine_event(m, SIGNAL, true), result;
	struct kfd_event_data data = { .event_id = id };

	data.signal_event_data.last_event_age = 7;
	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(set(m, id), 0);
	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(data.signal_event_data.last_event_age, 7);
}

struct waiting {
	struct machine *m;
	uint32_t id, result;
	int rc;
	pid_t thread; /* once it runs */
	uint32_t timeout, timeout_left;
};

static void *wait_in_thread(void *arg)
{
	struct waiting *w = arg;
	struct kfd_event_data data = { .event_id = w->id };
	struct kfd_ioctl_wait_events_args args = { .events_ptr = (uintptr_t)&data,
						   .num_events = 1,
						   .timeout = w->timeout };

	asleep_mark(&w->thread);
	w->rc = machine_ioctl(w->m, AMDKFD_IOC_WAIT_EVENTS, &args);
	w->result = args.wait_result;
	w->timeout_left = args.timeout;
	return NULL;
}

/* @return when the thread sleeps in its wait */
static pthread_t start(struct waiting *w, void *(*body)(void *))
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, body, w), 0);
	asleep_await(&w->thread);
	return thread;
}

static void a_signal_wakes_all_waiters_and_resets(struct machine *m)
{
	uint32_t id = machine_event(m, SIGNAL, true);
	struct waiting a = { .m = m, .id = id, .timeout = FOREVER }, b = a;
	pthread_t ta = start(&a, wait_in_thread), tb = start(&b, wait_in_thread);

	assert_int_equal(set(m, id), 0);
	pthread_join(ta, NULL);
	pthread_join(tb, NULL);
	assert_int_equal(a.rc, 0);
	assert_int_equal(b.rc, 0);
	assert_int_equal(a.result, KFD_IOC_WAIT_RESULT_COMPLETE);
	/* somebody waited, so the state stayed clear */
	assert_int_equal(poll_one(m, id), KFD_IOC_WAIT_RESULT_TIMEOUT);
}

static void destroying_fails_the_waiters(struct machine *m)
{
	struct waiting w = { .m = m, .id = machine_event(m, SIGNAL, true), .timeout = FOREVER };
	pthread_t thread = start(&w, wait_in_thread);

	assert_int_equal(destroy(m, w.id), 0);
	pthread_join(thread, NULL);
	assert_int_equal(w.rc, -EIO);
	assert_int_equal(w.result, KFD_IOC_WAIT_RESULT_FAIL);
}

static void on_signal(int number)
{
	(void)number;
}

static void a_signal_handler_ends_the_wait_with_the_rest_of_the_time(struct machine *m)
{
	struct sigaction action = { .sa_handler = on_signal }, old;
	struct waiting w = { .m = m, .id = machine_event(m, SIGNAL, true), .timeout = 60000 };
	pthread_t thread;

	sigaction(SIGUSR1, &action, &old);
	thread = start(&w, wait_in_thread);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &old, NULL);
	assert_int_equal(w.rc, -EINTR);
	assert_int_equal(w.result, KFD_IOC_WAIT_RESULT_FAIL);
	assert_true(w.timeout_left > 50000 && w.timeout_left < 60000);
}

static _Atomic int signals_handled;

static void on_counted_signal(int number)
{
	(void)number;
	signals_handled++;
}

static void a_handler_that_restarts_calls_does_not_end_the_wait(struct machine *m)
{
	struct sigaction action = { .sa_handler = on_counted_signal, .sa_flags = SA_RESTART }, old;
	const uint32_t timeouts[] = { 60000, FOREVER };

	sigaction(SIGUSR1, &action, &old);
	for (size_t i = 0; i < sizeof(timeouts) / sizeof(timeouts[0]); i++) {
		struct waiting w = { .m = m,
				     .id = machine_event(m, SIGNAL, true),
				     .timeout = timeouts[i] };
		pthread_t thread = start(&w, wait_in_thread);
		int handled = signals_handled;

		pthread_kill(thread, SIGUSR1);
		/* not until the handler ran: a sanitizer calls it when the wait is over */
		for (int pauses = 0; pauses < ASLEEP_LOOKS; pauses++)
			asleep_pause();
		assert_int_equal(set(m, w.id), 0);
		pthread_join(thread, NULL);
		assert_int_equal(signals_handled, handled + 1);
		assert_int_equal(w.rc, 0);
		assert_int_equal(w.result, KFD_IOC_WAIT_RESULT_COMPLETE);
	}
	sigaction(SIGUSR1, &old, NULL);
}

static void *wait_for_both(void *arg)
{
	struct waiting *w = arg;
	struct kfd_event_data data[2] = { { .event_id = w[0].id }, { .event_id = w[1].id } };

	asleep_mark(&w->thread);
	w->rc = wait_on(w->m, data, 2, true, FOREVER, &w->result);
	return NULL;
}

static void what_an_interrupted_wait_took_is_there_for_the_next(struct machine *m)
{
	struct sigaction action = { .sa_handler = on_signal }, old;
	struct waiting w[2] = { { .m = m, .id = machine_event(m, SIGNAL, true) },
				{ .m = m, .id = machine_event(m, SIGNAL, true) } };
	pthread_t thread;

	sigaction(SIGUSR1, &action, &old);
	thread = start(w, wait_for_both);
	assert_int_equal(set(m, w[0].id), 0);
	assert_int_equal(poll_one(m, w[0].id), KFD_IOC_WAIT_RESULT_TIMEOUT); /* taken */
	asleep_await(&w->thread);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &old, NULL);
	assert_int_equal(w->rc, -EINTR);
	assert_int_equal(poll_one(m, w[0].id), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(poll_one(m, w[1].id), KFD_IOC_WAIT_RESULT_TIMEOUT);
}

static void the_scenario_raises_a_memory_exception(struct machine *m)
{
	struct kfd_event_data data = { .event_id = machine_event(m, KFD_IOC_EVENT_MEMORY, false) };
	uint32_t result;

	assert_int_equal(wait_on(m, &data, 1, true, 2000, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_true(data.memory_exception_data.va == 0x7f0012345000ull);
	assert_int_equal(data.memory_exception_data.failure.ReadOnly, 1);
	assert_int_equal(data.memory_exception_data.failure.NotPresent, 0);
	assert_int_equal(data.memory_exception_data.gpu_id, m->gpu);
}

static void the_scenario_resets_the_gpu(struct machine *m)
{
	struct kfd_event_data data = { .event_id = machine_event(m, KFD_IOC_EVENT_HW_EXCEPTION,
								 false) };
	struct kfd_ioctl_get_version_args version;
	uint32_t result;

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &version), 0);
	assert_int_equal(wait_on(m, &data, 1, true, 0, &result), 0);
	assert_int_equal(result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(data.hw_exception_data.memory_lost, 1);
	assert_int_equal(data.hw_exception_data.reset_cause, KFD_HW_EXCEPTION_ECC);
	assert_int_equal(data.hw_exception_data.gpu_id, m->gpu);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "CREATE_EVENT", NULL, "ids start at 1 and are the slots", ids_start_at_one_and_are_the_slots, NULL, NULL },
	{ "CREATE_EVENT", NULL, "other types have high ids and no slot", other_types_have_high_ids_and_no_slot, NULL, NULL },
	{ "CREATE_EVENT", "EINVAL", "the page is set once", the_page_is_set_once, NULL, NULL },
	{ "CREATE_EVENT", "ENOSPC", "slots run out", slots_run_out, NULL, NULL },
	{ "CREATE_EVENT", "ENOSPC", "without a page there are 256", without_a_page_there_are_256_slots, NULL, NULL },
	{ "DESTROY_EVENT", "EINVAL", "the event must be known", unknown_events_are_einval, NULL, NULL },
	{ "SET_EVENT", "EINVAL", "the event must be a known signal", unknown_events_are_einval, NULL, NULL },
	{ "RESET_EVENT", "EINVAL", "the event must be a known signal", unknown_events_are_einval, NULL, NULL },
	{ "RESET_EVENT", NULL, "manual events stay set until then", manual_events_stay_set, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "auto-reset events are taken once", auto_reset_events_are_taken_once, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "any and all differ", any_and_all_differ, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "no events complete at once", no_events_complete_at_once, NULL, NULL },
	{ "WAIT_EVENTS", "EINVAL", "an unknown event fails but consumes", an_unknown_event_fails_but_consumes, NULL, NULL },
	{ "WAIT_EVENTS", "EFAULT", "the list must be readable", the_list_must_be_readable, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "a timeout is a success and never short", a_timeout_is_a_success_and_never_short, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "ages tell a signal that is over", ages_tell_a_signal_that_is_over, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "without an age none is told", without_an_age_none_is_told, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "old drivers know no ages", old_drivers_know_no_ages, NULL, "{\"kfd_minor\": 13}" },
	{ "SET_EVENT", NULL, "it wakes all waiters", a_signal_wakes_all_waiters_and_resets, NULL, NULL },
	{ "WAIT_EVENTS", "EIO", "destroying fails the waiters", destroying_fails_the_waiters, NULL, NULL },
	{ "WAIT_EVENTS", "EINTR/ERESTARTSYS", "a signal handler ends it with the rest of the time",
	  a_signal_handler_ends_the_wait_with_the_rest_of_the_time, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "a handler that restarts calls does not end it",
	  a_handler_that_restarts_calls_does_not_end_the_wait, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "what an interrupted wait took is there for the next",
	  what_an_interrupted_wait_took_is_there_for_the_next, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "a scenario raises a memory exception", the_scenario_raises_a_memory_exception, NULL,
	  "{\"actions\": [{\"do\": \"memory_exception\", \"node\": 1, \"at_ms\": 60,"
	  " \"address\": \"0x7f0012345678\", \"read_only\": true}]}" },
	{ "WAIT_EVENTS", NULL, "a scenario resets the GPU", the_scenario_resets_the_gpu, NULL,
	  "{\"actions\": [{\"do\": \"hw_exception\", \"node\": 1, \"on\": \"GET_VERSION\","
	  " \"memory_lost\": true, \"cause\": 1}]}" },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "event", cases, sizeof(cases) / sizeof(cases[0]));
}
