/* SPDX-License-Identifier: MIT */
/*
 * Sends every command of the protocol and looks at its answer. Where a public function sends it, that
 * one is called; what no public function sends goes out by hand.
 */
#ifndef KFDSCOPE_TESTS_INTEGRATION_VIRTIO_COMMANDS_H
#define KFDSCOPE_TESTS_INTEGRATION_VIRTIO_COMMANDS_H

#include "fixture.h"

/* @return whether the command did what it is for; false also where the revision lacks it. */
typedef bool (*sender)(void);

/* By sub-command. */
extern const sender send_query[VIRTIO_QUERY_COUNT], send_event[VIRTIO_EVENT_COUNT],
	send_memory[VIRTIO_MEMORY_COUNT], send_queue[VIRTIO_QUEUE_COUNT],
	send_gl_inter[VIRTIO_GL_INTER_COUNT], send_nop[1];

/*
 * Whether the host has put us on the KFD's primary context. On one of our own, the KFD has neither
 * shared virtual memory nor a debugger's runtime, and older versions of libdrm cannot map (context.md 6).
 */
extern bool shares_primary;
extern bool is_newer; /* revision 2 */

#endif
