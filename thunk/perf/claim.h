/* SPDX-License-Identifier: MIT */
/*
 * Claims on counter slots among all processes (perf.md 3).
 *
 * The original counts free slots in shared memory under a named semaphore: a process that dies
 * takes its slots along for ever, and one that dies inside the semaphore stops everybody. Here a slot is
 * a byte of the same shared memory file that its holder keeps locked (an open-file-description
 * lock): the kernel gives it back however the holder ends. The two words that external tools know,
 * magic and free IOMMU slots, are still written, as information; nobody trusts them.
 */
#ifndef KFDSCOPE_THUNK_PERF_CLAIM_H
#define KFDSCOPE_THUNK_PERF_CLAIM_H

#include <stdint.h>

#include "perf/counters.h"

#define PMC_SHARED_MEMORY_NAME "/hsakmt_shared_mem"
#define PMC_MAX_SLOTS          1024 /* of one block */

struct pmc_claim {
	int fd; /* owned; -1: nothing claimed. Its locks are the claim */
};

/*
 * Claims slots of a block.
 *
 * @param claim     out: fd -1 on failure.
 * @param node      in sysfs, so that all processes mean the same one.
 * @param capacity  slots of the block, 1..PMC_MAX_SLOTS.
 * @return 0; -EBUSY when others hold too many (the log tells who); -errno when there is no shared
 *         memory.
 */
int pmc_claim_take(struct pmc_claim *claim, uint32_t node, enum pmc_block_index block,
		   uint32_t slots, uint32_t capacity);
/* In a forked child: closes the descriptor; the parent keeps the slots. */
void pmc_claim_drop(struct pmc_claim *claim);
/* Gives the slots back; harmless without any. */
void pmc_claim_release(struct pmc_claim *claim);

#endif
