/* SPDX-License-Identifier: MIT */
/*
 * A program on the HSA runtime's own interface: blocking and asynchronous copies, fills, signals
 * with and without interrupts, barrier packets that make queues wait for each other, and the times
 * of it all. Ends with PASS, or with 1 after the first difference.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <dirent.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"
#include "check.h"

#define HSA(call)                                                                                  \
	do {                                                                                       \
		hsa_status_t hsa_status_ = (call);                                                 \
		if (hsa_status_ != HSA_STATUS_SUCCESS)                                             \
			CHECK_FAIL("%s: status 0x%x", #call, hsa_status_);                         \
	} while (0)

#define MAX_GPUS 8

struct machine {
	hsa_agent_t cpu, gpu[MAX_GPUS];
	unsigned int gpus;
	hsa_amd_memory_pool_t host_pool, kernarg_pool, gpu_pool[MAX_GPUS];
};

static hsa_status_t see_agent(hsa_agent_t agent, void *data)
{
	struct machine *machine = data;
	hsa_device_type_t type;

	HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_GPU && machine->gpus < MAX_GPUS)
		machine->gpu[machine->gpus++] = agent;
	else if (type == HSA_DEVICE_TYPE_CPU && !machine->cpu.handle)
		machine->cpu = agent;
	return HSA_STATUS_SUCCESS;
}

/* Takes the first coarse-grained pool. */
static hsa_status_t see_gpu_pool(hsa_amd_memory_pool_t pool, void *data)
{
	hsa_amd_memory_pool_t *found = data;
	hsa_amd_segment_t segment;
	uint32_t flags;

	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	if (segment != HSA_AMD_SEGMENT_GLOBAL || found->handle)
		return HSA_STATUS_SUCCESS;
	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
		*found = pool;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_cpu_pool(hsa_amd_memory_pool_t pool, void *data)
{
	struct machine *machine = data;
	hsa_amd_segment_t segment;
	uint32_t flags;

	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
	if (segment != HSA_AMD_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
	if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
		machine->kernarg_pool = pool;
	else if (!machine->host_pool.handle)
		machine->host_pool = pool;
	return HSA_STATUS_SUCCESS;
}

static void find_machine(struct machine *machine)
{
	HSA(hsa_iterate_agents(see_agent, machine));
	if (!machine->gpus || !machine->cpu.handle)
		CHECK_FAIL("%u GPUs and %s CPU", machine->gpus, machine->cpu.handle ? "a" : "no");
	HSA(hsa_amd_agent_iterate_memory_pools(machine->cpu, see_cpu_pool, machine));
	if (!machine->host_pool.handle)
		machine->host_pool = machine->kernarg_pool;
	for (unsigned int i = 0; i < machine->gpus; i++) {
		HSA(hsa_amd_agent_iterate_memory_pools(machine->gpu[i], see_gpu_pool,
						       &machine->gpu_pool[i]));
		if (!machine->gpu_pool[i].handle)
			CHECK_FAIL("GPU %u has no memory pool", i);
	}
}

static unsigned char *allocate(const struct machine *machine, hsa_amd_memory_pool_t pool,
			       size_t bytes)
{
	hsa_agent_t agents[MAX_GPUS + 1];
	void *ptr = NULL;

	HSA(hsa_amd_memory_pool_allocate(pool, bytes, 0, &ptr));
	memcpy(agents, machine->gpu, sizeof(machine->gpu));
	HSA(hsa_amd_agents_allow_access(machine->gpus, agents, NULL, ptr));
	return ptr;
}

static void wait_zero(hsa_signal_t signal)
{
	hsa_signal_value_t value = hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1,
							     UINT64_MAX, HSA_WAIT_STATE_BLOCKED);

	if (value)
		CHECK_FAIL("signal is %lld", (long long)value);
}

static void blocking_copies(const struct machine *machine)
{
	static const size_t sizes[] = { 1, 3, 4, 15, 64, 1000, 4096, 65537, (2u << 20) + 13 };
	static const size_t offsets[] = { 0, 1, 4, 7, 16 };
	const size_t all = (3u << 20);
	unsigned char *host = allocate(machine, machine->host_pool, all);
	unsigned char *a = allocate(machine, machine->gpu_pool[0], all);
	unsigned char *b = allocate(machine, machine->gpu_pool[0], all);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t k = 0; k < 25; k++) {
			size_t from = offsets[k % 5], to = offsets[k / 5], bytes = sizes[i];
			uint32_t seed = (uint32_t)(i * 100 + k);

			check_write(host, bytes + from, seed);
			HSA(hsa_memory_copy(a, host, bytes + from));
			check_write(host, bytes + 64, seed + 1);
			HSA(hsa_memory_copy(b, host, bytes + 64));
			HSA(hsa_memory_copy(b + to, a + from, bytes));
			memset(host, 0, bytes + 64);
			HSA(hsa_memory_copy(host, b, bytes + 64));
			check_same("before hsa_memory_copy", host, to, seed + 1, 0);
			check_same("hsa_memory_copy", host + to, bytes, seed, from);
			check_same("behind hsa_memory_copy", host + to + bytes, 64 - to, seed + 1,
				   to + bytes);
		}
	}
	HSA(hsa_amd_memory_pool_free(host));
	HSA(hsa_amd_memory_pool_free(a));
	HSA(hsa_amd_memory_pool_free(b));
}

static void fills(const struct machine *machine)
{
	static const size_t counts[] = { 1, 2, 3, 16, 100, 1024, 16385, 300001 };
	const size_t all = 4 * 300001 + 128;
	const uint32_t zero = 0, value = 0xdeadbe01;
	unsigned char *host = allocate(machine, machine->host_pool, all);
	unsigned char *a = allocate(machine, machine->gpu_pool[0], all);

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		HSA(hsa_amd_memory_fill(a, zero, all / 4));
		HSA(hsa_amd_memory_fill(a + 64, value, counts[i]));
		HSA(hsa_memory_copy(host, a, all));
		check_filled("before hsa_amd_memory_fill", host, 64, &zero, 4);
		check_filled("hsa_amd_memory_fill", host + 64, 4 * counts[i], &value, 4);
		check_filled("behind hsa_amd_memory_fill", host + 64 + 4 * counts[i],
			     all - 64 - 4 * counts[i], &zero, 4);
	}
	HSA(hsa_amd_memory_pool_free(host));
	HSA(hsa_amd_memory_pool_free(a));
}

static void check_copy_time(hsa_signal_t signal)
{
	hsa_amd_profiling_async_copy_time_t time = { 0 };
	uint64_t now;

	HSA(hsa_amd_profiling_get_async_copy_time(signal, &time));
	HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now));
	if (!time.start || time.end < time.start || time.end > now + now / 10)
		CHECK_FAIL("copy from %llu to %llu, now is %llu", (unsigned long long)time.start,
			   (unsigned long long)time.end, (unsigned long long)now);
}

/* A chain: host to each GPU in turn and back, each copy waiting for the one before it. */
static void copies_that_wait(const struct machine *machine)
{
	const size_t bytes = (5u << 20) + 3;
	unsigned char *in = allocate(machine, machine->host_pool, bytes);
	unsigned char *out = allocate(machine, machine->host_pool, bytes);
	unsigned char *on_gpu[MAX_GPUS + 1];
	hsa_signal_t start, done[MAX_GPUS + 2];
	hsa_agent_t first = machine->gpu[0], last = machine->gpu[machine->gpus - 1];
	unsigned int hops = machine->gpus + 1; /* the last GPU gets a second buffer */

	HSA(hsa_amd_profiling_async_copy_enable(true));
	HSA(hsa_signal_create(1, 0, NULL, &start));
	for (unsigned int i = 0; i <= hops; i++)
		HSA(hsa_signal_create(1, 0, NULL, &done[i]));
	for (unsigned int i = 0; i < hops; i++)
		on_gpu[i] = allocate(machine,
				     machine->gpu_pool[i < machine->gpus ? i : machine->gpus - 1],
				     bytes);
	check_write(in, bytes, 7);
	memset(out, 0, bytes);
	HSA(hsa_amd_memory_async_copy(on_gpu[0], first, in, machine->cpu, bytes, 1, &start,
				      done[0]));
	for (unsigned int i = 1; i < hops; i++)
		HSA(hsa_amd_memory_async_copy(on_gpu[i], i < machine->gpus ? machine->gpu[i] : last,
					      on_gpu[i - 1], machine->gpu[i - 1], bytes, 1,
					      &done[i - 1], done[i]));
	HSA(hsa_amd_memory_async_copy(out, machine->cpu, on_gpu[hops - 1], last, bytes, 1,
				      &done[hops - 1], done[hops]));
	if (hsa_signal_wait_scacquire(done[0], HSA_SIGNAL_CONDITION_LT, 1, 20000000,
				      HSA_WAIT_STATE_BLOCKED) != 1)
		CHECK_FAIL("a copy did not wait for its signal");
	hsa_signal_store_screlease(start, 0);
	wait_zero(done[hops]);
	check_same("chain of copies", out, bytes, 7, 0);
	for (unsigned int i = 0; i <= hops; i++) {
		check_copy_time(done[i]);
		HSA(hsa_signal_destroy(done[i]));
	}
	HSA(hsa_signal_destroy(start));
	for (unsigned int i = 0; i < hops; i++)
		HSA(hsa_amd_memory_pool_free(on_gpu[i]));
	HSA(hsa_amd_memory_pool_free(in));
	HSA(hsa_amd_memory_pool_free(out));
}

/* A window of 40 x 10 x 3 bytes out of rows of 64. */
static void rectangle_copy(const struct machine *machine)
{
	const size_t bytes = 64 * 16 * 4;
	unsigned char *in = allocate(machine, machine->host_pool, bytes);
	unsigned char *out = allocate(machine, machine->host_pool, bytes);
	unsigned char *a = allocate(machine, machine->gpu_pool[0], bytes);
	const hsa_pitched_ptr_t from = { in, 64, 64 * 16 }, there = { a, 64, 64 * 16 };
	const hsa_pitched_ptr_t back = { out, 64, 64 * 16 };
	const hsa_dim3_t src_offset = { 8, 2, 1 }, dst_offset = { 4, 1, 0 }, range = { 40, 10, 3 };
	hsa_signal_t done;

	check_write(in, bytes, 9);
	memset(out, 0, bytes);
	HSA(hsa_signal_create(1, 0, NULL, &done));
	HSA(hsa_amd_memory_async_copy_rect(&there, &dst_offset, &from, &src_offset, &range,
					   machine->gpu[0], hsaHostToDevice, 0, NULL, done));
	wait_zero(done);
	hsa_signal_store_screlease(done, 1);
	HSA(hsa_amd_memory_async_copy_rect(&back, &dst_offset, &there, &dst_offset, &range,
					   machine->gpu[0], hsaDeviceToHost, 0, NULL, done));
	wait_zero(done);
	for (size_t z = 0; z < 3; z++) {
		for (size_t y = 0; y < 10; y++)
			check_same("rectangle", out + (z * 16 + y + 1) * 64 + 4, 40, 9,
				   ((z + 1) * 16 + y + 2) * 64 + 8);
	}
	HSA(hsa_signal_destroy(done));
	HSA(hsa_amd_memory_pool_free(in));
	HSA(hsa_amd_memory_pool_free(out));
	HSA(hsa_amd_memory_pool_free(a));
}

static void put_barrier(hsa_queue_t *queue, hsa_packet_type_t type, hsa_signal_t dep,
			hsa_signal_t completion)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	hsa_barrier_and_packet_t *slot;
	uint16_t header =
		(uint16_t)(type << HSA_PACKET_HEADER_TYPE |
			   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			   HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);

	while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
	}
	slot = (hsa_barrier_and_packet_t *)queue->base_address + index % queue->size;
	memset((char *)slot + sizeof(header), 0, sizeof(*slot) - sizeof(header));
	slot->dep_signal[1] = dep;
	slot->completion_signal = completion;
	__atomic_store_n(&slot->header, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static void queue_failed(hsa_status_t status, hsa_queue_t *source, void *data)
{
	(void)source;
	(void)data;
	CHECK_FAIL("queue error 0x%x", status);
}

static bool others_sleep(void)
{
	DIR *threads = opendir("/proc/self/task");
	bool sleep = true;
	struct dirent *thread;

	if (!threads)
		CHECK_FAIL("no /proc/self/task");
	while ((thread = readdir(threads))) {
		const int number = atoi(thread->d_name);
		const char state = number && number != getpid() ? asleep_state(number) : 0;

		if (state && state != 'S')
			sleep = false;
	}
	closedir(threads);
	return sleep;
}

/*
 * The destruction of a queue and the runtime's event thread wait for the same auto-reset event.
 * When the thread is between its look at the signals and its wait, the destruction can take the
 * event that was meant for it, and both wait for ever, on hardware as well. So it must wait first.
 */
static void destroy_queue(hsa_queue_t *queue)
{
	const char *interrupts = getenv("HSA_ENABLE_INTERRUPT");
	const struct timespec nap = { .tv_nsec = 1000000 };

	/* without interrupts there are no events, and the thread never sleeps */
	if (!interrupts || strcmp(interrupts, "0") != 0)
		for (int looks = 0; looks < 3; looks = others_sleep() ? looks + 1 : 0)
			nanosleep(&nap, NULL);
	HSA(hsa_queue_destroy(queue));
}

/* Two queues hand a token to and fro; the second time round their rings have wrapped. */
static void queues_wait_for_each_other(const struct machine *machine)
{
	const hsa_signal_t none = { 0 };
	hsa_signal_t token[2], end;
	hsa_queue_t *queue[2];

	for (int i = 0; i < 2; i++) {
		HSA(hsa_queue_create(machine->gpu[0], 64, HSA_QUEUE_TYPE_MULTI, queue_failed, NULL,
				     UINT32_MAX, UINT32_MAX, &queue[i]));
		HSA(hsa_signal_create(1, 0, NULL, &token[i]));
	}
	HSA(hsa_signal_create(1, 0, NULL, &end));
	for (int round = 0; round < 200; round++) {
		hsa_signal_store_screlease(token[0], 1);
		hsa_signal_store_screlease(token[1], 1);
		hsa_signal_store_screlease(end, 1);
		put_barrier(queue[0], HSA_PACKET_TYPE_BARRIER_OR, token[0], token[1]);
		put_barrier(queue[1], HSA_PACKET_TYPE_BARRIER_AND, token[1], end);
		put_barrier(queue[1], HSA_PACKET_TYPE_BARRIER_AND, none, none);
		hsa_signal_store_screlease(token[0], 0);
		wait_zero(end);
	}
	for (int i = 0; i < 2; i++) {
		destroy_queue(queue[i]);
		HSA(hsa_signal_destroy(token[i]));
	}
	HSA(hsa_signal_destroy(end));
}

static void note_error(hsa_status_t status, hsa_queue_t *source, void *data)
{
	(void)source;
	__atomic_store_n((int *)data, (int)status, __ATOMIC_RELEASE);
}

/* A dispatch without dimensions stops its queue, which the runtime tells; another one goes on. */
static void bad_packet(const struct machine *machine)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	hsa_kernel_dispatch_packet_t *slot;
	hsa_queue_t *queue;
	int status = 0;

	HSA(hsa_queue_create(machine->gpu[0], 64, HSA_QUEUE_TYPE_SINGLE, note_error, &status,
			     UINT32_MAX, UINT32_MAX, &queue));
	slot = (hsa_kernel_dispatch_packet_t *)queue->base_address +
	       hsa_queue_add_write_index_relaxed(queue, 1);
	memset((char *)slot + sizeof(slot->header), 0, sizeof(*slot) - sizeof(slot->header));
	__atomic_store_n(&slot->header, HSA_PACKET_TYPE_KERNEL_DISPATCH, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, 0);
	for (int i = 0; i < 10000 && !__atomic_load_n(&status, __ATOMIC_ACQUIRE); i++)
		nanosleep(&nap, NULL);
	if (status != HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS)
		CHECK_FAIL("queue error 0x%x", status);
	destroy_queue(queue);
}

/* A signal that only the CPU polls has no interrupt. */
static void polled_signal(const struct machine *machine)
{
	const hsa_signal_t none = { 0 };
	hsa_queue_t *queue;
	hsa_signal_t done;

	HSA(hsa_queue_create(machine->gpu[0], 64, HSA_QUEUE_TYPE_SINGLE, queue_failed, NULL,
			     UINT32_MAX, UINT32_MAX, &queue));
	HSA(hsa_amd_signal_create(1, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &done));
	put_barrier(queue, HSA_PACKET_TYPE_BARRIER_AND, none, done);
	while (hsa_signal_load_scacquire(done)) {
	}
	HSA(hsa_signal_destroy(done));
	destroy_queue(queue);
}

int main(void)
{
	const char *sdma = getenv("HSA_ENABLE_SDMA");
	struct machine machine = { 0 };

	HSA(hsa_init());
	find_machine(&machine);
	blocking_copies(&machine);
	fills(&machine);
	copies_that_wait(&machine);
	if (!sdma || strcmp(sdma, "0")) /* the runtime's shaders do no rectangles */
		rectangle_copy(&machine);
	queues_wait_for_each_other(&machine);
	polled_signal(&machine);
	bad_packet(&machine);
	polled_signal(&machine);
	HSA(hsa_shut_down());
	printf("PASS hsa_copy on %u GPU(s)\n", machine.gpus);
	return 0;
}
