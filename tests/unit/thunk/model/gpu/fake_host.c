/* SPDX-License-Identifier: MIT */
/* The engines' fake KFD: see fake_host.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "fake_host.h"

static void fake_enter(void *vm)
{
	struct fake_host *host = vm;

	pthread_mutex_lock(&host->vm_lock);
	atomic_fetch_add(&host->bracket, 1);
}

static void fake_leave(void *vm)
{
	struct fake_host *host = vm;

	atomic_fetch_sub(&host->bracket, 1);
	pthread_mutex_unlock(&host->vm_lock);
}

static void *fake_translate(void *vm, uint64_t va, bool write, uint64_t *span_bytes)
{
	struct fake_host *host = vm;

	if (!atomic_load(&host->bracket))
		atomic_fetch_add(&host->rule_breaks, 1);
	if (va < FAKE_BASE || va >= FAKE_BASE + FAKE_SIZE || (write && va >= FAKE_READ_ONLY))
		return NULL;
	*span_bytes = FAKE_PAGE - va % FAKE_PAGE;
	return host->mem + (va - FAKE_BASE);
}

/* What is told to the host comes outside the bracket. */
static void check_outside(struct fake_host *host)
{
	if (atomic_load(&host->bracket))
		atomic_fetch_add(&host->rule_breaks, 1);
}

static void fake_fault(void *vm, uint64_t va, bool write)
{
	struct fake_host *host = vm;

	check_outside(host);
	host->fault_va = va;
	host->fault_write = write;
	if (host->on_fault)
		host->on_fault(host);
	atomic_fetch_add(&host->faults, 1);
}

static void fake_interrupt(void *vm, uint32_t context_id)
{
	struct fake_host *host = vm;
	unsigned int count = atomic_load(&host->interrupts);

	check_outside(host);
	if (count < FAKE_MAX_RECORDS)
		host->interrupt_id[count] = context_id;
	atomic_fetch_add(&host->interrupts, 1);
}

static uint64_t fake_clock(void *vm)
{
	return atomic_fetch_add(&((struct fake_host *)vm)->ticks, 1);
}

static void fake_exception(void *vm, uint32_t queue_id, uint32_t code)
{
	struct fake_host *host = vm;

	check_outside(host);
	host->exception_code = code;
	host->exception_queue = queue_id;
	atomic_fetch_add(&host->exceptions, 1);
}

static void fake_dispatch(void *vm, uint32_t queue_id, uint64_t kernel_object)
{
	struct fake_host *host = vm;

	(void)queue_id;
	check_outside(host);
	host->kernel_object = kernel_object;
	atomic_fetch_add(&host->dispatches, 1);
}

int fake_host_setup(void **state)
{
	struct fake_host *host = calloc(1, sizeof(*host));

	assert_non_null(host);
	host->ops = (struct kfd_model_gpu_host){
		.enter = fake_enter,
		.leave = fake_leave,
		.translate = fake_translate,
		.fault = fake_fault,
		.interrupt = fake_interrupt,
		.clock = fake_clock,
		.queue_exception = fake_exception,
		.simulated_dispatch = fake_dispatch,
	};
	pthread_mutex_init(&host->vm_lock, NULL);
	host->ticks = 1000;
	host->mem = aligned_alloc(FAKE_PAGE, FAKE_SIZE);
	assert_non_null(host->mem);
	for (uint32_t i = 0; i < FAKE_SIZE; i++)
		host->mem[i] = (unsigned char)(i * 2654435761u >> 24);
	host->gpu = kfd_model_gpu_new(&host->ops);
	assert_non_null(host->gpu);
	*state = host;
	return 0;
}

int fake_host_teardown(void **state)
{
	struct fake_host *host = *state;
	unsigned int rule_breaks;

	kfd_model_gpu_free(host->gpu);
	rule_breaks = host->rule_breaks;
	free(host->mem);
	pthread_mutex_destroy(&host->vm_lock);
	free(host);
	return rule_breaks ? -1 : 0;
}

void *fake_at(struct fake_host *host, uint64_t va)
{
	assert_in_range(va, FAKE_BASE, FAKE_BASE + FAKE_SIZE - 1);
	return host->mem + (va - FAKE_BASE);
}

uint64_t fake_load64(struct fake_host *host, uint64_t va)
{
	return __atomic_load_n((uint64_t *)fake_at(host, va), __ATOMIC_ACQUIRE);
}

void fake_store64(struct fake_host *host, uint64_t va, uint64_t value)
{
	__atomic_store_n((uint64_t *)fake_at(host, va), value, __ATOMIC_RELEASE);
}

uint32_t fake_load32(struct fake_host *host, uint64_t va)
{
	return __atomic_load_n((uint32_t *)fake_at(host, va), __ATOMIC_ACQUIRE);
}

void fake_store32(struct fake_host *host, uint64_t va, uint32_t value)
{
	__atomic_store_n((uint32_t *)fake_at(host, va), value, __ATOMIC_RELEASE);
}

void fake_queue_open(struct fake_queue *queue, struct fake_host *host,
		     enum kfd_model_queue_type type, uint32_t gfx_version, uint64_t va,
		     uint64_t ring_bytes)
{
	*queue = (struct fake_queue){ .host = host, .doorbell = UINT64_MAX };
	queue->config = (struct kfd_model_queue_config){
		.type = type,
		.queue_id = (uint32_t)(va >> 12),
		.gfx_version = gfx_version,
		.ring_va = va + FAKE_PAGE,
		.ring_size_bytes = ring_bytes,
		.read_ptr_va = va + 128,
		.write_ptr_va = va + 56,
		.doorbell = &queue->doorbell,
		.vm = host,
	};
	fake_store64(host, va + 128, 0);
	fake_store64(host, va + 56, 0);
	/* AQL rings begin with INVALID headers, the others with anything. */
	if (type == KFD_MODEL_QUEUE_COMPUTE_AQL) {
		for (uint64_t i = 0; i < ring_bytes; i += 64)
			fake_store32(host, queue->config.ring_va + i, 1);
	}
	queue->queue = kfd_model_queue_new(host->gpu, &queue->config);
	assert_non_null(queue->queue);
}

void fake_queue_close(struct fake_queue *queue)
{
	kfd_model_queue_free(queue->queue);
	queue->queue = NULL;
}

/* Value that the write pointer and the doorbell have in this type and generation. */
static uint64_t pointer_value(const struct fake_queue *queue, uint64_t units)
{
	uint64_t ring = queue->config.ring_size_bytes;

	switch (queue->config.type) {
	case KFD_MODEL_QUEUE_COMPUTE_AQL:
		return units;
	case KFD_MODEL_QUEUE_COMPUTE_PM4:
		return queue->config.gfx_version >= 90000 ? units : units % (ring / 4);
	default:
		return queue->config.gfx_version >= 90000 ? units * 4 : units * 4 % ring;
	}
}

void fake_queue_ring(struct fake_queue *queue)
{
	uint64_t value = pointer_value(queue, queue->written);

	if (queue->config.gfx_version >= 90000) {
		fake_store64(queue->host, queue->config.write_ptr_va, value);
		__atomic_store_n(&queue->doorbell, value, __ATOMIC_RELEASE);
	} else {
		fake_store32(queue->host, queue->config.write_ptr_va, (uint32_t)value);
		__atomic_store_n((uint32_t *)&queue->doorbell, (uint32_t)value, __ATOMIC_RELEASE);
	}
}

void fake_queue_write(struct fake_queue *queue, const uint32_t *dw, uint32_t count)
{
	uint64_t ring_dwords = queue->config.ring_size_bytes / 4;

	for (uint32_t i = 0; i < count; i++) {
		fake_store32(queue->host, queue->config.ring_va + queue->written % ring_dwords * 4,
			     dw[i]);
		queue->written++;
	}
}

uint64_t fake_queue_packet(struct fake_queue *queue, const void *packet)
{
	uint64_t index = queue->written++;
	uint64_t va = queue->config.ring_va + index % (queue->config.ring_size_bytes / 64) * 64;
	uint32_t first;

	memcpy(&first, packet, sizeof(first));
	memcpy((char *)fake_at(queue->host, va) + 4, (const char *)packet + 4, 60);
	fake_store64(queue->host, queue->config.write_ptr_va, queue->written);
	fake_store32(queue->host, va, first);
	__atomic_store_n(&queue->doorbell, index, __ATOMIC_RELEASE);
	return index;
}

uint64_t fake_queue_read_ptr(struct fake_queue *queue)
{
	if (queue->config.type == KFD_MODEL_QUEUE_COMPUTE_PM4 ||
	    (queue->config.type != KFD_MODEL_QUEUE_COMPUTE_AQL &&
	     queue->config.gfx_version < 90000))
		return fake_load32(queue->host, queue->config.read_ptr_va);
	return fake_load64(queue->host, queue->config.read_ptr_va);
}

static void nap(void)
{
	const struct timespec moment = { .tv_nsec = 20000 };

	nanosleep(&moment, NULL);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void fake_queue_wait(struct fake_queue *queue, uint64_t read_ptr)
{
	uint64_t deadline = now_ms() + FAKE_TIMEOUT_MS;

	while (fake_queue_read_ptr(queue) != read_ptr && now_ms() < deadline)
		nap();
	assert_int_equal(fake_queue_read_ptr(queue), read_ptr);
}

void fake_queue_drain(struct fake_queue *queue)
{
	uint64_t value = pointer_value(queue, queue->written);

	if (queue->config.type == KFD_MODEL_QUEUE_COMPUTE_PM4)
		value %= queue->config.ring_size_bytes / 4;
	fake_queue_wait(queue, value);
}

void fake_wait_count(_Atomic unsigned int *counter, unsigned int value)
{
	uint64_t deadline = now_ms() + FAKE_TIMEOUT_MS;

	while (atomic_load(counter) < value && now_ms() < deadline)
		nap();
	assert_int_equal(atomic_load(counter), value);
}

void fake_wait32(struct fake_host *host, uint64_t va, uint32_t value)
{
	uint64_t deadline = now_ms() + FAKE_TIMEOUT_MS;

	while (fake_load32(host, va) != value && now_ms() < deadline)
		nap();
	assert_int_equal(fake_load32(host, va), value);
}

void fake_let_run(void)
{
	const struct timespec moment = { .tv_nsec = 20000000 };

	nanosleep(&moment, NULL);
}
