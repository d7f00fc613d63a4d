/* SPDX-License-Identifier: MIT */
/*
 * A model plug-in of interface 0.4, as a user of that interface writes one: AQL queues are polled by a
 * thread each, which carries out barrier packets, and everything else is counted. What it was told
 * is in a record that the test reads.
 */
#include "engines.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hsakmt/hsakmtmodeliface.h"

#define EXPORT       __attribute__((visibility("default")))
#define PACKET_BYTES 64

struct hsakmt_model {
	char *base;
	uint64_t size;
	hsakmt_model_set_event_fn set_event;
	void *set_event_data;
};

struct hsakmt_model_queue {
	struct hsakmt_model *gpu;
	struct hsakmt_model_queue_info info;
	pthread_t thread;
	atomic_bool stop;
};

/* The fields of a signal that a packet processor touches (gpu_packets.md 3). */
struct signal {
	int64_t kind;
	_Atomic int64_t value;
	uint64_t event_mailbox;
	uint32_t event_id;
};

extern EXPORT struct engines_record engines_record;
struct engines_record engines_record;

static hsakmt_model_t *create(void)
{
	engines_record.gpus++;
	return calloc(1, sizeof(struct hsakmt_model));
}

static void destroy(hsakmt_model_t *gpu)
{
	engines_record.gpus--;
	free(gpu);
}

static void set_global_aperture(hsakmt_model_t *gpu, void *base, uint64_t size)
{
	gpu->base = base;
	gpu->size = size;
	engines_record.aperture_bytes = size;
}

static void alloced(hsakmt_model_t *gpu, void *base, uint64_t size, uint32_t flags)
{
	(void)gpu;
	(void)base;
	(void)flags;
	engines_record.allocations++;
	engines_record.bytes += size;
}

static void freed(hsakmt_model_t *gpu, void *base, uint64_t size)
{
	(void)gpu;
	(void)base;
	engines_record.frees++;
	engines_record.bytes -= size;
}

static void complete(struct hsakmt_model *gpu, uint64_t signal_va)
{
	struct signal *signal = (struct signal *)(gpu->base + signal_va);

	atomic_fetch_sub(&signal->value, 1);
	if (signal->event_mailbox) {
		*(uint64_t *)(gpu->base + signal->event_mailbox) = signal->event_id;
		gpu->set_event(gpu->set_event_data, signal->event_id);
	}
}

static void *serve(void *data)
{
	struct hsakmt_model_queue *queue = data;
	char *base = queue->gpu->base;
	_Atomic uint64_t *read = (_Atomic uint64_t *)(base + queue->info.read_pointer_address);
	_Atomic uint64_t *write = (_Atomic uint64_t *)(base + queue->info.write_pointer_address);
	uint64_t slots = queue->info.ring_size / PACKET_BYTES;
	const struct timespec pause = { .tv_nsec = 100000 };

	while (!atomic_load(&queue->stop)) {
		uint64_t at = atomic_load(read), completion;
		char *packet = base + queue->info.ring_base_address + at % slots * PACKET_BYTES;

		if (at == atomic_load(write)) {
			nanosleep(&pause, NULL);
			continue;
		}
		memcpy(&completion, packet + 56, sizeof(completion));
		atomic_fetch_add(&engines_record.packets, 1);
		atomic_store(read, at + 1);
		if (completion)
			complete(queue->gpu, completion);
	}
	return NULL;
}

static hsakmt_model_queue_t *register_queue(hsakmt_model_t *gpu,
					    struct hsakmt_model_queue_info *info)
{
	struct hsakmt_model_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->gpu = gpu;
	queue->info = *info;
	engines_record.queue_type = info->queue_type;
	engines_record.ring_bytes = info->ring_size;
	if (pthread_create(&queue->thread, NULL, serve, queue)) {
		free(queue);
		return NULL;
	}
	engines_record.queues++;
	return queue;
}

static void destroy_queue(hsakmt_model_t *gpu, hsakmt_model_queue_t *queue)
{
	(void)gpu;
	atomic_store(&queue->stop, true);
	pthread_join(queue->thread, NULL);
	free(queue);
	engines_record.queues--;
}

static void set_set_event(hsakmt_model_t *gpu, hsakmt_model_set_event_fn fn, void *data)
{
	gpu->set_event = fn;
	gpu->set_event_data = data;
}

static const struct hsakmt_model_functions functions = {
	.version_major = HSAKMT_MODEL_INTERFACE_VERSION_MAJOR,
	.version_minor = HSAKMT_MODEL_INTERFACE_VERSION_MINOR,
	.create = create,
	.destroy = destroy,
	.set_global_aperture = set_global_aperture,
	.alloced_memory = alloced,
	.freed_memory = freed,
	.register_queue = register_queue,
	.set_set_event = set_set_event,
	.destroy_queue = destroy_queue,
};

EXPORT const void *get_hsakmt_model_functions(void);

const void *get_hsakmt_model_functions(void)
{
	return &functions;
}
