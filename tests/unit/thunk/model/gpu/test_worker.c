/* SPDX-License-Identifier: MIT */
/* The worker: stopping, moving and evicting queues, faults that evict, idling, many at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_host.h"

#define QUEUE(n)   (FAKE_BASE + 0x4000 * (uint64_t)(n))
#define RING_BYTES 4096u
#define WORD(n)    (FAKE_BASE + 0x80000 + 64 * (uint64_t)(n))
#define VA(va)     (uint32_t)(va), (uint32_t)((va) >> 32)

static void open_sdma(struct fake_queue *queue, struct fake_host *host, unsigned int n)
{
	fake_queue_open(queue, host, KFD_MODEL_QUEUE_SDMA, 90010, QUEUE(n), RING_BYTES);
}

static void write_fence(struct fake_queue *queue, uint64_t va, uint32_t value)
{
	const uint32_t dw[] = { 5, VA(va), value };

	fake_queue_write(queue, dw, 4);
	fake_queue_ring(queue);
}

static void write_poll(struct fake_queue *queue, uint64_t va, uint32_t value)
{
	const uint32_t dw[] = { 8 | 1u << 31 | 3u << 28, VA(va), value, ~0u, 0xfff0004 };

	fake_queue_write(queue, dw, 6);
	fake_queue_ring(queue);
}

static void a_gpu_without_queues_starts_and_ends(void **state)
{
	struct fake_host *host = *state;
	struct kfd_model_gpu *gpu = kfd_model_gpu_new(&host->ops);

	assert_non_null(gpu);
	kfd_model_gpu_free(gpu);
	kfd_model_gpu_free(NULL);
	kfd_model_gpu_after_fork(NULL);
	kfd_model_queue_free(NULL);
}

static void an_unknown_queue_type_is_refused(void **state)
{
	struct fake_host *host = *state;
	uint64_t doorbell = 0;
	struct kfd_model_queue_config config = { .type = (enum kfd_model_queue_type)9,
						 .gfx_version = 90010,
						 .doorbell = &doorbell,
						 .vm = host };

	assert_null(kfd_model_queue_new(host->gpu, &config));
}

static void an_evicted_queue_rests_until_the_last_restore(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;

	open_sdma(&queue, host, 0);
	kfd_model_queue_suspend(queue.queue, true);
	kfd_model_queue_suspend(queue.queue, true);
	write_fence(&queue, WORD(0), 1);
	kfd_model_queue_suspend(queue.queue, false);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queue), 0);
	kfd_model_queue_suspend(queue.queue, false);
	fake_queue_drain(&queue);
	kfd_model_queue_suspend(queue.queue, false); /* one too many counts for nothing */
	write_fence(&queue, WORD(0), 2);
	fake_queue_drain(&queue);
	fake_queue_close(&queue);
}

static void percentage_zero_stops_and_another_goes_on(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;

	open_sdma(&queue, host, 0);
	write_fence(&queue, WORD(0), 1);
	fake_queue_drain(&queue);
	kfd_model_queue_update(queue.queue, queue.config.ring_va, RING_BYTES, 0);
	write_fence(&queue, WORD(0), 2);
	fake_let_run();
	assert_int_equal(fake_load32(host, WORD(0)), 1);
	kfd_model_queue_update(queue.queue, queue.config.ring_va, RING_BYTES, 100);
	fake_queue_drain(&queue);
	assert_int_equal(fake_load32(host, WORD(0)), 2);
	fake_queue_close(&queue);
}

static void a_new_ring_is_read_from_where_the_old_one_ended(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;

	open_sdma(&queue, host, 0);
	write_fence(&queue, WORD(0), 1);
	fake_queue_drain(&queue);
	kfd_model_queue_update(queue.queue, 0, 0, 100); /* no ring: stopped */
	queue.config.ring_va = QUEUE(1);
	queue.config.ring_size_bytes = 2 * RING_BYTES;
	write_fence(&queue, WORD(0), 2);
	fake_let_run();
	assert_int_equal(fake_load32(host, WORD(0)), 1);
	kfd_model_queue_update(queue.queue, queue.config.ring_va, queue.config.ring_size_bytes, 50);
	fake_queue_drain(&queue);
	assert_int_equal(fake_load32(host, WORD(0)), 2);
	fake_queue_close(&queue);
}

static void a_queue_that_waits_can_be_moved_evicted_and_freed(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue waiting, other;

	fake_store32(host, WORD(0), 0);
	open_sdma(&waiting, host, 0);
	open_sdma(&other, host, 1);
	write_poll(&waiting, WORD(0), 1);
	for (uint32_t i = 1; i < 50; i++) { /* the other one is not held up */
		write_fence(&other, WORD(1), i);
		fake_queue_drain(&other);
	}
	kfd_model_queue_suspend(waiting.queue, true);
	fake_store32(host, WORD(0), 1);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&waiting), 0);
	kfd_model_queue_suspend(waiting.queue, false);
	fake_queue_drain(&waiting);
	write_poll(&waiting, WORD(0), 2);
	fake_let_run();
	fake_queue_close(&waiting);
	write_fence(&other, WORD(1), 99);
	fake_queue_drain(&other);
	fake_queue_close(&other);
}

/* The memory manager can always change mappings while a packet waits. */
static void a_packet_that_waits_does_not_hold_the_mappings(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;

	fake_store32(host, WORD(0), 0);
	open_sdma(&queue, host, 0);
	write_poll(&queue, WORD(0), 1);
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&host->vm_lock);
		assert_int_equal(host->bracket, 0);
		pthread_mutex_unlock(&host->vm_lock);
	}
	fake_queue_close(&queue);
}

static void evict_all(struct fake_host *host)
{
	struct fake_queue *queues = host->on_fault_arg;

	for (int i = 0; i < 2; i++) {
		kfd_model_queue_suspend(queues[i].queue, true);
		kfd_model_queue_update(queues[i].queue, queues[i].config.ring_va, RING_BYTES, 100);
	}
}

static void a_fault_may_evict_all_queues_from_its_callback(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queues[2];

	host->on_fault = evict_all;
	host->on_fault_arg = queues;
	open_sdma(&queues[0], host, 0);
	open_sdma(&queues[1], host, 1);
	write_fence(&queues[0], FAKE_BASE - 8, 1);
	fake_wait_count(&host->faults, 1);
	write_fence(&queues[1], WORD(0), 1);
	fake_let_run();
	assert_int_equal(fake_queue_read_ptr(&queues[1]), 0);
	kfd_model_queue_suspend(queues[1].queue, false);
	fake_queue_drain(&queues[1]);
	fake_queue_close(&queues[0]);
	fake_queue_close(&queues[1]);
}

static void a_long_batch_does_not_starve_another_queue(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue busy, other;
	const uint32_t dw[] = { 0 };

	open_sdma(&busy, host, 0);
	open_sdma(&other, host, 1);
	for (uint32_t i = 0; i < RING_BYTES / 4; i++)
		fake_queue_write(&busy, dw, 1);
	fake_queue_ring(&busy);
	write_fence(&other, WORD(0), 5);
	fake_queue_drain(&other);
	fake_queue_drain(&busy);
	fake_queue_close(&busy);
	fake_queue_close(&other);
}

struct churn {
	struct fake_host *host;
	unsigned int number;
};

static void *churn(void *arg)
{
	struct churn *job = arg;

	for (uint32_t round = 0; round < 30; round++) {
		struct fake_queue queue;

		open_sdma(&queue, job->host, job->number);
		for (uint32_t i = 0; i < 20; i++)
			write_fence(&queue, WORD(job->number), round * 100 + i);
		if (round % 3 == 1) {
			kfd_model_queue_suspend(queue.queue, true);
			kfd_model_queue_suspend(queue.queue, false);
		}
		if (round % 3 != 2) /* else freed with packets left */
			fake_queue_drain(&queue);
		fake_queue_close(&queue);
	}
	return NULL;
}

static void queues_come_and_go_from_many_threads(void **state)
{
	struct fake_host *host = *state;
	struct churn jobs[4];
	pthread_t threads[4];

	for (unsigned int i = 0; i < 4; i++) {
		jobs[i] = (struct churn){ .host = host, .number = i };
		assert_int_equal(pthread_create(&threads[i], NULL, churn, &jobs[i]), 0);
	}
	for (unsigned int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void idle_queues_cost_next_to_nothing(void **state)
{
	const struct timespec second = { .tv_sec = 1 };
	struct fake_host *host = *state;
	struct fake_queue queues[8];
	struct rusage before, after;
	uint64_t used_us;

	for (unsigned int i = 0; i < 8; i++) {
		open_sdma(&queues[i], host, i);
		write_fence(&queues[i], WORD(i), 1);
		fake_queue_drain(&queues[i]);
	}
	nanosleep(&second, NULL);
	getrusage(RUSAGE_SELF, &before);
	nanosleep(&second, NULL);
	getrusage(RUSAGE_SELF, &after);
	used_us = (uint64_t)(after.ru_utime.tv_sec - before.ru_utime.tv_sec +
			     after.ru_stime.tv_sec - before.ru_stime.tv_sec) *
			  1000000 +
		  (uint64_t)(after.ru_utime.tv_usec - before.ru_utime.tv_usec +
			     after.ru_stime.tv_usec - before.ru_stime.tv_usec);
	print_message("idle: %llu us of CPU in a second\n", (unsigned long long)used_us);
	/* the budget is one percent; sanitizers and a loaded machine may take some more */
	assert_in_range(used_us, 0, 50000);
	for (unsigned int i = 0; i < 8; i++)
		fake_queue_close(&queues[i]);
}

static void a_forked_child_drops_everything_without_waiting(void **state)
{
	struct fake_host *host = *state;
	struct fake_queue queue;
	int status = -1;
	pid_t child;

	open_sdma(&queue, host, 0);
	write_fence(&queue, WORD(0), 1);
	fake_queue_drain(&queue);
	child = fork();
	if (!child) {
		kfd_model_gpu_after_fork(host->gpu);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	write_fence(&queue, WORD(0), 2); /* the parent's goes on */
	fake_queue_drain(&queue);
	fake_queue_close(&queue);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_host_setup, fake_host_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_gpu_without_queues_starts_and_ends),
		TEST(an_unknown_queue_type_is_refused),
		TEST(an_evicted_queue_rests_until_the_last_restore),
		TEST(percentage_zero_stops_and_another_goes_on),
		TEST(a_new_ring_is_read_from_where_the_old_one_ended),
		TEST(a_queue_that_waits_can_be_moved_evicted_and_freed),
		TEST(a_packet_that_waits_does_not_hold_the_mappings),
		TEST(a_fault_may_evict_all_queues_from_its_callback),
		TEST(a_long_batch_does_not_starve_another_queue),
		TEST(queues_come_and_go_from_many_threads),
		TEST(idle_queues_cost_next_to_nothing),
		TEST(a_forked_child_drops_everything_without_waiting),
	};

	return cmocka_run_group_tests_name("thunk/model/gpu/worker", tests, NULL, NULL);
}
