/* SPDX-License-Identifier: MIT */
/* The counters of every GPU family, as data (perf.md 1). */
#ifndef KFDSCOPE_THUNK_PERF_COUNTERS_H
#define KFDSCOPE_THUNK_PERF_COUNTERS_H

#include <stdint.h>

#include "hsakmt/hsakmttypes.h"

/* BlockIndex of a counter. */
enum pmc_block_index {
	PMC_BLOCK_CB = 0,
	PMC_BLOCK_CPC = 1,
	PMC_BLOCK_CPF = 2,
	PMC_BLOCK_CPG = 3,
	PMC_BLOCK_DB = 4,
	PMC_BLOCK_GDS = 5,
	PMC_BLOCK_GRBM = 6,
	PMC_BLOCK_GRBMSE = 7,
	PMC_BLOCK_IA = 8,
	PMC_BLOCK_MC = 9,
	PMC_BLOCK_PASC = 10,
	PMC_BLOCK_PASU = 11,
	PMC_BLOCK_SPI = 12,
	PMC_BLOCK_SRBM = 13,
	PMC_BLOCK_SQ = 14,
	PMC_BLOCK_SX = 15,
	PMC_BLOCK_TA = 16,
	PMC_BLOCK_TCA = 17,
	PMC_BLOCK_TCC = 18,
	PMC_BLOCK_TCP = 19,
	PMC_BLOCK_TCS = 20,
	PMC_BLOCK_TD = 21,
	PMC_BLOCK_VGT = 22,
	PMC_BLOCK_WD = 23,
	PMC_BLOCK_IOMMU = 24, /* of old APUs, described by sysfs (perf.md 3) */
	PMC_BLOCK_COUNT
};

#define PMC_COUNTER_BITS 64
#define PMC_COUNTER_MASK UINT64_MAX

struct pmc_id_range {
	uint16_t first, last; /* both belong to it */
};

struct pmc_block {
	enum pmc_block_index index;
	uint32_t slots; /* counters usable at once */
	uint32_t range_count;
	const struct pmc_id_range *ranges;
};

/* The blocks of a GPU family, in the order of their index; none for an unknown family. */
struct pmc_family {
	const struct pmc_block *blocks;
	uint32_t block_count;
};

/* @param gfx  KMT_GFX() number. @param device_id  of PCI. */
struct pmc_family pmc_family_of(uint32_t gfx, uint32_t device_id);
/* Number of ids in a block's ranges. */
uint32_t pmc_block_counter_count(const struct pmc_block *block);
/* All zero for blocks that have none. */
HSA_UUID pmc_block_uuid(enum pmc_block_index index);

#endif
