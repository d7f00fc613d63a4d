/* SPDX-License-Identifier: MIT */
/* What guests need that send commands by hand: statements, memory, queues. */
#ifndef KFDSCOPE_TESTS_INTEGRATION_VIRTIO_FIXTURE_H
#define KFDSCOPE_TESTS_INTEGRATION_VIRTIO_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsakmt/hsakmt_virtio.h"
#include "virtio/proto.h"

#define PAGE 4096ul
#define RING 65536ul

extern HSAuint32 gpu; /* the first node with one */
extern HsaNodeProperties gpu_properties;

/* Asks for the two by hand, so that the library has still to ask. */
bool find_gpu(void);

/* Whether a statement holds; says so if not. */
#define HOLDS(what) holds((what), __FILE__, __LINE__, #what)
#define OK(call)    HOLDS((call) == HSAKMT_STATUS_SUCCESS)
bool holds(bool is_true, const char *file, int line, const char *what);

/* Sends a request as it is. @return whether it was answered, and with 0. */
bool by_hand(uint32_t command, const void *request, size_t request_bytes, void *response,
	     size_t response_bytes);
/* A dma-buf of memory that was allocated, without a command. @return -1: there is none. */
int dmabuf_of(void *address);

/* Memory of the GPU that this process can touch; of the system. NULL: said so. */
void *take_vram(size_t bytes);
void *take_system(size_t bytes);

/* A queue and what it is made of. */
struct ring {
	void *ring, *pointers;
	HsaQueueResource resource;
};

bool ring_begin(struct ring *ring, HSA_QUEUE_TYPE type);
/* A barrier packet that the GPU takes. Once a ring. */
bool ring_runs(struct ring *ring);
bool ring_end(struct ring *ring);

#endif
