/* SPDX-License-Identifier: MIT */
/* Queues are sampled from creation to destruction, and never after it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_provider.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "sampler/sampler.h"

enum { KFD = 7, RING_BYTES = 4096, AREA_BYTES = 3 * 4096 };

static const struct device device;

/* A queue in memory of its own, so that a look at one that is gone would be a fault. */
struct queue {
	char *area;
	uint64_t *read, *write;
	uint32_t id;
};

static struct kfd_ioctl_create_queue_args create_args(const struct queue *queue)
{
	return (struct kfd_ioctl_create_queue_args){
		.ring_base_address = (uintptr_t)queue->area,
		.ring_size = RING_BYTES,
		.read_pointer_address = (uintptr_t)queue->read,
		.write_pointer_address = (uintptr_t)queue->write,
		.gpu_id = 77,
		.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.queue_id = queue->id,
	};
}

static void queue_begin(struct queue *queue, uint32_t id)
{
	struct kfd_ioctl_create_queue_args args;

	queue->area =
		mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(queue->area, MAP_FAILED);
	queue->read = (uint64_t *)(void *)(queue->area + RING_BYTES);
	queue->write = (uint64_t *)(void *)(queue->area + 2 * RING_BYTES);
	queue->id = id;
	for (int slot = 0; slot < RING_BYTES; slot += 64)
		queue->area[slot] = 1; /* INVALID, as runtimes leave it */
	args = create_args(queue);
	sampler_before_ioctl(&device, AMDKFD_IOC_CREATE_QUEUE, &args);
	sampler_after_ioctl(&device, KFD, AMDKFD_IOC_CREATE_QUEUE, &args, 0);
}

static void queue_destroy(const struct queue *queue, int ret)
{
	const struct kfd_ioctl_destroy_queue_args args = { .queue_id = queue->id };

	sampler_before_ioctl(&device, AMDKFD_IOC_DESTROY_QUEUE, &args);
	sampler_when_done(&device, AMDKFD_IOC_DESTROY_QUEUE, &args, ret);
}

static void queue_end(struct queue *queue)
{
	queue_destroy(queue, 0);
	munmap(queue->area, AREA_BYTES);
}

static void submit(struct queue *queue, uint8_t type)
{
	const uint64_t index = __atomic_fetch_add(queue->write, 1, __ATOMIC_ACQ_REL);
	char *packet = queue->area + index * 64 % RING_BYTES;

	memset(packet + 1, 0, 63);
	__atomic_store_n(packet, (char)type, __ATOMIC_RELEASE);
}

static const struct kmt_queue_sample *last_sample(void)
{
	const size_t count = fake_provider_count(TRACE_kmt_queue_sample);

	return count ? fake_provider_event(TRACE_kmt_queue_sample, count - 1) : NULL;
}

/* Once a process: the thread reads what this sets. */
static void set_up(const char *hz)
{
	setenv("KFDSCOPE_QUEUE_HZ", hz, 1);
	trace_options_read();
	fake_provider_install();
	fake_provider_enable(TRACE_kmt_queue_sample, true);
}

static int forget(void **state)
{
	(void)state;
	fake_provider_forget();
	return 0;
}

static void a_queue_is_looked_at_around_its_destruction(void **state)
{
	struct queue queue;
	const struct kmt_queue_sample *sample;

	(void)state;
	queue_begin(&queue, 3);
	submit(&queue, 2);
	submit(&queue, 3);
	submit(&queue, 3);
	queue_end(&queue);
	assert_int_equal(fake_provider_count(TRACE_kmt_queue_sample), 2);
	assert_int_equal(last_sample()->is_last, 1);
	assert_int_equal(last_sample()->kernel_dispatches, 0);
	assert_int_equal(last_sample()->write_index, 3);
	sample = fake_provider_event(TRACE_kmt_queue_sample, 0);
	assert_int_equal(sample->queue_id, 3);
	assert_int_equal(sample->gpu_id, 77);
	assert_int_equal(sample->type, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL);
	assert_int_equal(sample->indices_valid, 1);
	assert_int_equal(sample->read_index, 0);
	assert_int_equal(sample->write_index, 3);
	assert_int_equal(sample->pending, 3);
	assert_int_equal(sample->looks, 1);
	assert_int_equal(sample->busy_looks, 1);
	assert_int_equal(sample->is_last, 0);
	assert_int_equal(sample->packets_valid, 1);
	assert_int_equal(sample->kernel_dispatches, 1);
	assert_int_equal(sample->barriers_and, 2);
	assert_int_equal(sample->unseen_packets, 0);
}

static uint64_t dispatches_told(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < fake_provider_count(TRACE_kmt_queue_sample); i++) {
		const struct kmt_queue_sample *sample =
			fake_provider_event(TRACE_kmt_queue_sample, i);

		sum += sample->kernel_dispatches;
	}
	return sum;
}

/* Its header is overwritten, and the read index not moved yet, when the ioctl begins. */
static void what_the_gpu_takes_meanwhile_is_counted(void **state)
{
	const struct kfd_ioctl_destroy_queue_args args = { .queue_id = 3 };
	struct queue queue;

	(void)state;
	queue_begin(&queue, 3);
	submit(&queue, 2);
	queue.area[2] = 1; /* of a dispatch: one dimension, 64 work items, a kernel */
	queue.area[4] = 64;
	queue.area[32] = 64;
	queue.area[0] = 1;
	sampler_before_ioctl(&device, AMDKFD_IOC_DESTROY_QUEUE, &args);
	assert_int_equal(dispatches_told(), 0);
	*queue.read = 1;
	sampler_when_done(&device, AMDKFD_IOC_DESTROY_QUEUE, &args, 0);
	assert_int_equal(dispatches_told(), 1);
	munmap(queue.area, AREA_BYTES);
}

static void a_destruction_that_fails_leaves_the_queue_sampled(void **state)
{
	struct queue queue;

	(void)state;
	queue_begin(&queue, 3);
	queue_destroy(&queue, -EBUSY);
	submit(&queue, 2);
	queue_end(&queue);
	/* one that finds nothing new is not told */
	assert_int_equal(fake_provider_count(TRACE_kmt_queue_sample), 3);
	assert_int_equal(dispatches_told(), 1);
}

static void memory_that_is_gone_is_told_as_unreadable(void **state)
{
	struct queue queue;

	(void)state;
	queue_begin(&queue, 3);
	munmap(queue.area, AREA_BYTES); /* before its time */
	queue_destroy(&queue, 0);
	assert_int_equal(last_sample()->indices_valid, 0);
	assert_int_equal(last_sample()->os_errno, EFAULT);
	assert_int_equal(last_sample()->pending, 0);
}

static void queues_end_with_their_descriptor(void **state)
{
	struct queue queue;

	(void)state;
	queue_begin(&queue, 3);
	sampler_before_close(&device, KFD + 1);
	assert_int_equal(fake_provider_count(TRACE_kmt_queue_sample), 0);
	sampler_before_close(&device, KFD);
	assert_int_equal(fake_provider_count(TRACE_kmt_queue_sample), 1);
	queue_end(&queue);
	assert_int_equal(fake_provider_count(TRACE_kmt_queue_sample), 1);
}

static void another_ring_is_followed(void **state)
{
	const struct kmt_queue_sample *sample;
	struct queue queue;
	char other[RING_BYTES] = { 5 };
	struct kfd_ioctl_update_queue_args args = { .ring_base_address = (uintptr_t)other,
						    .ring_size = RING_BYTES,
						    .queue_id = 3 };

	(void)state;
	queue_begin(&queue, 3);
	sampler_after_ioctl(&device, KFD, AMDKFD_IOC_UPDATE_QUEUE, &args, 0);
	args.ring_base_address = args.ring_size = 0; /* stops it */
	sampler_after_ioctl(&device, KFD, AMDKFD_IOC_UPDATE_QUEUE, &args, 0);
	*queue.write = 1;
	queue_end(&queue);
	sample = fake_provider_event(TRACE_kmt_queue_sample, 0);
	assert_int_equal(sample->ring_va, (uintptr_t)other);
	assert_int_equal(sample->barriers_or, 1);
}

static void nothing_is_sampled_unless_asked_for(void **state)
{
	struct queue queue;

	(void)state;
	queue_begin(&queue, 3);
	queue_end(&queue);
	assert_int_equal(fake_provider_total(), 0);
}

/* The thread's looks come between any two steps of this. */
static void queues_are_destroyed_under_load(void **state)
{
	uint64_t dispatches = 0, looks = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		struct queue queue;

		queue_begin(&queue, i % 5);
		for (int packet = 0; packet < 30; packet++)
			submit(&queue, 2);
		while (i % 50 == 0 && !fake_provider_count(TRACE_kmt_queue_sample))
			usleep(100); /* until the thread has looked */
		queue_end(&queue);
		for (size_t at = 0; at < fake_provider_count(TRACE_kmt_queue_sample); at++) {
			const struct kmt_queue_sample *sample =
				fake_provider_event(TRACE_kmt_queue_sample, at);

			assert_int_equal(sample->indices_valid, 1);
			dispatches += sample->kernel_dispatches;
			looks += sample->looks;
		}
		fake_provider_forget();
	}
	assert_int_equal(dispatches, 30 * 1000);
	assert_in_range(looks, 1000 + 20, UINT32_MAX);
}

static void a_forked_child_has_no_queues_of_its_parent(void **state)
{
	struct queue queue;
	int status;
	pid_t child;

	(void)state;
	queue_begin(&queue, 3);
	child = fork();
	if (child == 0) {
		sampler_forked();
		queue_end(&queue);
		_exit(fake_provider_total() ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	queue_end(&queue);
	assert_int_equal(fake_provider_count(TRACE_kmt_queue_sample), 2);
}

/* "slow": so seldom that the thread stays out of the way. "off", "load": as the names say. */
int main(int argc, char **argv)
{
	const struct CMUnitTest slow[] = {
		cmocka_unit_test_setup(a_queue_is_looked_at_around_its_destruction, forget),
		cmocka_unit_test_setup(what_the_gpu_takes_meanwhile_is_counted, forget),
		cmocka_unit_test_setup(a_destruction_that_fails_leaves_the_queue_sampled, forget),
		cmocka_unit_test_setup(memory_that_is_gone_is_told_as_unreadable, forget),
		cmocka_unit_test_setup(queues_end_with_their_descriptor, forget),
		cmocka_unit_test_setup(another_ring_is_followed, forget),
		cmocka_unit_test_setup(a_forked_child_has_no_queues_of_its_parent, forget),
	};
	const struct CMUnitTest off[] = { cmocka_unit_test(nothing_is_sampled_unless_asked_for) };
	const struct CMUnitTest load[] = { cmocka_unit_test(queues_are_destroyed_under_load) };

	if (argc == 2 && strcmp(argv[1], "slow") == 0) {
		set_up("1");
		return cmocka_run_group_tests_name("trace/sampler", slow, NULL, NULL);
	}
	if (argc == 2 && strcmp(argv[1], "off") == 0) {
		set_up("0");
		return cmocka_run_group_tests_name("trace/sampler off", off, NULL, NULL);
	}
	if (argc == 2 && strcmp(argv[1], "load") == 0) {
		set_up("1000");
		return cmocka_run_group_tests_name("trace/sampler load", load, NULL, NULL);
	}
	return 2;
}
