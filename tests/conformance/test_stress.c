/* SPDX-License-Identifier: MIT */
/* Many threads at once: mostly for the thread sanitizer, but the numbers must be right, too. */
#include "machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS    150
#define LOOKS_MAX 60000 /* a hang, not a measurement: one each millisecond */

struct worker {
	struct machine *m;
	pthread_t thread;
	uint64_t va;
	int failures;
};

/* What the queue's packets and pointers lie in. */
struct ring {
	struct buffer packets, pointers, target;
	int failures;
};

static int map_call(struct machine *m, unsigned long request, uint64_t handle)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = { .handle = handle,
							 .device_ids_array_ptr = (uintptr_t)&m->gpu,
							 .n_devices = 1 };

	return machine_ioctl(m, request, &args);
}

static void *churn_memory(void *data)
{
	struct worker *w = data;
	struct machine *m = w->m;

	for (int i = 0; i < ROUNDS; i++) {
		struct kfd_ioctl_alloc_memory_of_gpu_args args = {
			.va_addr = w->va,
			.size = 1 << 16,
			.gpu_id = m->gpu,
			.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE
		};
		struct kfd_ioctl_free_memory_of_gpu_args free_args;

		w->failures += machine_ioctl(m, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) != 0;
		free_args.handle = args.handle;
		w->failures += map_call(m, AMDKFD_IOC_MAP_MEMORY_TO_GPU, args.handle) != 0;
		w->failures +=
			machine_ioctl(m, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &free_args) != -EBUSY;
		w->failures += map_call(m, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, args.handle) != 0;
		w->failures += machine_ioctl(m, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &free_args) != 0;
	}
	return NULL;
}

static void *churn_events(void *data)
{
	struct worker *w = data;
	struct machine *m = w->m;

	for (int i = 0; i < ROUNDS; i++) {
		struct kfd_ioctl_create_event_args create = { .auto_reset = 1 };
		struct kfd_ioctl_set_event_args set;
		struct kfd_ioctl_destroy_event_args destroy;
		struct kfd_event_data event = { 0 };
		struct kfd_ioctl_wait_events_args wait = { .events_ptr = (uintptr_t)&event,
							   .num_events = 1,
							   .timeout = 1000 };

		w->failures += machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &create) != 0;
		set.event_id = destroy.event_id = event.event_id = create.event_id;
		w->failures += machine_ioctl(m, AMDKFD_IOC_SET_EVENT, &set) != 0;
		w->failures += machine_ioctl(m, AMDKFD_IOC_WAIT_EVENTS, &wait) != 0 ||
			       wait.wait_result != KFD_IOC_WAIT_RESULT_COMPLETE;
		w->failures += machine_ioctl(m, AMDKFD_IOC_DESTROY_EVENT, &destroy) != 0;
	}
	return NULL;
}

static void *churn_svm(void *data)
{
	struct worker *w = data;
	struct machine_svm call = { .size = 4 * PAGE,
				    .nattr = 1,
				    .attrs = { { KFD_IOCTL_SVM_ATTR_ACCESS, w->m->gpu } } };
	void *range =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	call.start_addr = (uintptr_t)range;
	for (int i = 0; i < ROUNDS; i++) {
		w->failures += machine_svm(w->m, &call) != 0;
		kfd_model_cpu_unmapped(w->m->model, (uintptr_t)range + PAGE, PAGE);
	}
	kfd_model_cpu_unmapped(w->m->model, (uintptr_t)range, 4 * PAGE);
	munmap(range, 4 * PAGE);
	return NULL;
}

static struct ring make_ring(struct machine *m)
{
	const uint32_t userptr = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
	struct kfd_ioctl_create_queue_args args = machine_queue_args(m, m->gpu, 1);
	struct ring ring = { .packets = machine_alloc_mapped(m, m->gpu, 4096, userptr),
			     .pointers = machine_alloc_mapped(m, m->gpu, 4096, userptr),
			     .target = machine_alloc_mapped(m, m->gpu, 4096, userptr) };

	args.ring_base_address = ring.packets.va;
	args.write_pointer_address = ring.pointers.va;
	args.read_pointer_address = ring.pointers.va + 8;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_QUEUE, &args), 0);
	return ring;
}

/* Writes by an SDMA queue while the address space changes around it. */
static void *run_queue(void *data)
{
	struct ring *ring = data;
	volatile uint64_t *wptr = (uint64_t *)(uintptr_t)ring->pointers.mmap_offset;
	uint32_t *packets = (uint32_t *)(uintptr_t)ring->packets.mmap_offset;
	uint32_t *result = (uint32_t *)(uintptr_t)ring->target.mmap_offset;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t *packet = packets + (i * 4) % 1024;

		packet[0] = 5; /* fence */
		packet[1] = (uint32_t)ring->target.va;
		packet[2] = (uint32_t)(ring->target.va >> 32);
		packet[3] = i + 1;
		__atomic_store_n(wptr, (i + 1) * 16ull, __ATOMIC_RELEASE);
		for (int looks = 0; __atomic_load_n(result, __ATOMIC_ACQUIRE) != i + 1; looks++) {
			if (looks > LOOKS_MAX) {
				ring->failures++;
				return NULL;
			}
			usleep(1000);
		}
	}
	return NULL;
}

static void calls_of_many_threads_do_not_disturb_each_other(struct machine *m)
{
	void *(*const work[])(void *) = { churn_memory, churn_memory, churn_events, churn_events,
					  churn_svm };
	struct kfd_ioctl_get_available_memory_args before = { .gpu_id = m->gpu }, after = before;
	struct worker workers[5];
	struct ring ring;
	pthread_t queue;

	machine_acquire(m, m->gpu);
	ring = make_ring(m); /* before the memory is asked for */
	assert_int_equal(pthread_create(&queue, NULL, run_queue, &ring), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AVAILABLE_MEMORY, &before), 0);
	for (unsigned int i = 0; i < 5; i++) {
		workers[i] = (struct worker){ .m = m, .va = (2ull + i) << 44 };
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work[i], &workers[i]), 0);
	}
	for (unsigned int i = 0; i < 5; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].failures, 0);
	}
	pthread_join(queue, NULL);
	assert_int_equal(ring.failures, 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AVAILABLE_MEMORY, &after), 0);
	assert_int_equal(before.available, after.available);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "MAP_MEMORY_TO_GPU", NULL, "calls of many threads do not disturb each other",
	  calls_of_many_threads_do_not_disturb_each_other, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "stress", cases, sizeof(cases) / sizeof(cases[0]));
}
