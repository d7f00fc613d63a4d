/* SPDX-License-Identifier: MIT */
/* Known GPUs by PCI device id (topology.md 6). */
#ifndef KFDSCOPE_THUNK_TOPOLOGY_ASICS_H
#define KFDSCOPE_THUNK_TOPOLOGY_ASICS_H

#include <stddef.h>
#include <stdint.h>

struct asic {
	const char *name;
	uint8_t major, minor, stepping;
};

/* @return the GPU of that id; NULL for an unknown one. */
const struct asic *asic_find(uint32_t device_id);

/* The table's id ranges, in its order, for the test that walks it. @return false at the end. */
const struct asic *asic_range(size_t index, uint32_t *first, uint32_t *last);

#endif
