/* SPDX-License-Identifier: MIT */
/*
 * Sends every command of the protocol and looks at its answer. Where a public function sends it, that
 * one is called; what no public function sends goes out by hand.
 */
#ifndef KFDSCOPE_TESTS_INTEGRATION_VIRTIO_COMMANDS_H
#define KFDSCOPE_TESTS_INTEGRATION_VIRTIO_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsakmt/hsakmt_virtio.h"
#include "virtio/proto.h"

#define PAGE 4096ul
#define RING 65536ul

/* @return whether the command did what it is for; false also where the revision lacks it. */
typedef bool (*sender)(void);

/* By sub-command. */
extern const sender send_query[VIRTIO_QUERY_COUNT], send_event[VIRTIO_EVENT_COUNT],
	send_memory[VIRTIO_MEMORY_COUNT], send_queue[VIRTIO_QUEUE_COUNT],
	send_gl_inter[VIRTIO_GL_INTER_COUNT], send_nop[1];

extern HSAuint32 gpu; /* the first node with one */
extern HsaNodeProperties gpu_properties;
/*
 * Whether the host has put us on the KFD's primary context. On one of our own, the KFD has neither
 * shared virtual memory nor a debugger's runtime, and older versions of libdrm cannot map (context.md 6).
 */
extern bool shares_primary;
extern bool is_newer; /* revision 2 */

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

#endif
