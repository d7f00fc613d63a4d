/* SPDX-License-Identifier: MIT */
/* What the test's plug-in has been told and has done. */
#ifndef KFDSCOPE_TESTS_INTEGRATION_ENGINES_H
#define KFDSCOPE_TESTS_INTEGRATION_ENGINES_H

#include <stdint.h>

struct engines_record {
	int gpus, queues, allocations, frees;
	uint64_t bytes, aperture_bytes;
	uint32_t queue_type, ring_bytes;
	_Atomic unsigned int packets;
};

#define ENGINES_RECORD "engines_record" /* symbol in the plug-in */

#endif
