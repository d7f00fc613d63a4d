/* SPDX-License-Identifier: MIT */
/* The debug part of a context, shared by the files of the module. */
#ifndef KFDSCOPE_THUNK_DEBUG_DEBUG_INTERNAL_H
#define KFDSCOPE_THUNK_DEBUG_DEBUG_INTERNAL_H

#include <pthread.h>

#include "debug/debug.h"

struct kmt_debug {
	bool *debugged; /* owned; one a node. No kernel call tells when one is set */
	uint32_t node_count;
	pthread_mutex_t lock; /* protects the rest */
	uint32_t caps_mask;
	struct kfd_runtime_info core_info;
};

#endif
