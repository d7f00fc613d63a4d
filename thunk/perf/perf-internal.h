/* SPDX-License-Identifier: MIT */
/* The counter part of a context, shared by the files of the module. */
#ifndef KFDSCOPE_THUNK_PERF_PERF_INTERNAL_H
#define KFDSCOPE_THUNK_PERF_PERF_INTERNAL_H

#include <pthread.h>

#include "perf/counters.h"
#include "perf/perf.h"

struct kmt_perf {
	pthread_mutex_t lock;         /* protects the rest */
	HsaCounterProperties **nodes; /* owned, as its elements; NULL: not asked for yet */
	uint32_t node_count;
};

/* Frees the traces of a context; part of kmt_perf_free(). */
void pmc_traces_free(const struct kmt_perf *perf);

/*
 * The block of a node's table with this BlockIndex.
 * @return NULL when the node has no such block. Borrowed, until the last close.
 */
const HsaCounterBlockProperties *pmc_find_block(const HsaCounterProperties *properties,
						uint32_t block_index);

#endif
