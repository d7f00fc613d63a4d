/* SPDX-License-Identifier: MIT */
/*
 * A simulated KFD for the engines' tests: flat memory at a fixed GPU address, translated page by
 * page so that every access longer than a page crosses spans, with one page that is read-only.
 * It records what it is told and checks the bracket rules.
 */
#ifndef KFDSCOPE_TESTS_MODEL_GPU_FAKE_HOST_H
#define KFDSCOPE_TESTS_MODEL_GPU_FAKE_HOST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/gpu.h"

#define FAKE_BASE        0x700000000ull
#define FAKE_SIZE        (1u << 20)
#define FAKE_PAGE        4096u
#define FAKE_READ_ONLY   (FAKE_BASE + FAKE_SIZE - FAKE_PAGE)
#define FAKE_MAX_RECORDS 64u
#define FAKE_TIMEOUT_MS  20000

struct fake_host {
	struct kfd_model_gpu_host ops;
	struct kfd_model_gpu *gpu;
	unsigned char *mem;      /* FAKE_SIZE bytes, page-aligned */
	pthread_mutex_t vm_lock; /* enter to leave */
	_Atomic uint64_t ticks;
	_Atomic int bracket; /* 1 between enter and leave */
	_Atomic unsigned int rule_breaks;
	_Atomic unsigned int interrupts, faults, exceptions, dispatches;
	uint32_t interrupt_id[FAKE_MAX_RECORDS];
	uint64_t fault_va;
	bool fault_write;
	uint32_t exception_code, exception_queue;
	uint64_t kernel_object;
	/* Called from the fault callback when set: what an evicting KFD does. */
	void (*on_fault)(struct fake_host *host);
	void *on_fault_arg;
};

/* A queue in the fake's memory: ring, pointers and doorbell. */
struct fake_queue {
	struct fake_host *host;
	struct kfd_model_queue *queue;
	struct kfd_model_queue_config config;
	uint64_t doorbell;
	uint64_t written; /* in the queue type's unit */
};

/* cmocka fixtures: *state is a struct fake_host. */
int fake_host_setup(void **state);
int fake_host_teardown(void **state);

/* Host pointer to a GPU address of the fake. */
void *fake_at(struct fake_host *host, uint64_t va);
uint64_t fake_load64(struct fake_host *host, uint64_t va);
void fake_store64(struct fake_host *host, uint64_t va, uint64_t value);
uint32_t fake_load32(struct fake_host *host, uint64_t va);
void fake_store32(struct fake_host *host, uint64_t va, uint32_t value);

/*
 * Makes a queue whose pointers and ring lie at va (one page of pointers, then the ring).
 *
 * @param ring_bytes  size of the ring.
 */
void fake_queue_open(struct fake_queue *queue, struct fake_host *host,
		     enum kfd_model_queue_type type, uint32_t gfx_version, uint64_t va,
		     uint64_t ring_bytes);
void fake_queue_close(struct fake_queue *queue);
/* Puts dwords into an SDMA or PM4 ring, wrapping; rings the doorbell when told to. */
void fake_queue_write(struct fake_queue *queue, const uint32_t *dw, uint32_t count);
void fake_queue_ring(struct fake_queue *queue);
/* Puts a 64-byte packet into an AQL ring: body, header, doorbell. @return the packet's index. */
uint64_t fake_queue_packet(struct fake_queue *queue, const void *packet);
/* The queue's read pointer in its own unit and width. */
uint64_t fake_queue_read_ptr(struct fake_queue *queue);
/* Waits until the read pointer has that value. Fails the test after a time. */
void fake_queue_wait(struct fake_queue *queue, uint64_t read_ptr);
/* Waits until all that was written has been read. */
void fake_queue_drain(struct fake_queue *queue);
/* Waits until a counter of the host reaches a value. */
void fake_wait_count(_Atomic unsigned int *counter, unsigned int value);
/* Waits until a word of memory has a value. */
void fake_wait32(struct fake_host *host, uint64_t va, uint32_t value);
/* Lets the worker go round for a while, when nothing is expected to happen. */
void fake_let_run(void);

#endif
