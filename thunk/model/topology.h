/* SPDX-License-Identifier: MIT */
/* The simulated machine's nodes, read from a sysfs-like tree (kfd.md 8). */
#ifndef KFDSCOPE_THUNK_MODEL_TOPOLOGY_H
#define KFDSCOPE_THUNK_MODEL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

struct kfd_model_node {
	uint32_t index;       /* in the tree */
	uint32_t gpu_id;      /* 0 for a CPU node */
	uint32_t gpu_index;   /* dense number of the GPU, for tables and masks */
	uint32_t gfx_version; /* gfx_target_version: 90010 … */
	uint32_t render_minor;
	uint32_t simd_count, simd_per_cu, num_xcc, array_count, simd_arrays_per_engine;
	uint32_t cu_per_simd_array, max_waves_per_simd, lds_size_kib, wave_front_size;
	uint32_t num_gws, num_cp_queues;
	uint32_t num_sdma_engines, num_sdma_xgmi_engines, num_sdma_queues_per_engine;
	uint32_t vendor_id, device_id, location_id, domain;
	uint32_t max_engine_mhz, max_memory_mhz;
	uint32_t fw_version, sdma_fw_version, capability;
	uint32_t cwsr_size, ctl_stack_size; /* per XCC; computed when the tree has none */
	uint64_t debug_prop, unique_id, hive_id;
	uint64_t vram_bytes, visible_vram_bytes;
	uint64_t gpuvm_limit;
	uint32_t vram_width_bits;
	bool is_apu; /* GPU and CPU cores on one node */
};

struct kfd_model_topology {
	char *dir;                    /* owned */
	struct kfd_model_node *nodes; /* owned, node_count of them */
	uint32_t node_count, gpu_count;
	uint64_t system_bytes;
	uint64_t id; /* the same for all who read this directory, however they name it */
};

/*
 * Reads a tree into *topology, to be freed by kfd_model_topology_fini().
 * @return 0 or -errno, after logging what is wrong with which file.
 */
int kfd_model_topology_init(struct kfd_model_topology *topology, const char *dir)
	__attribute__((warn_unused_result));
/* Accepts a zeroed or half-made object. */
void kfd_model_topology_fini(struct kfd_model_topology *topology);

/* gfx_target_version as major<<16 | minor<<8 | stepping, which compares well. */
uint32_t kfd_model_gfx_number(uint32_t gfx_target_version);
/* Bytes of the process's doorbell slice on this node, and of one doorbell (kfd.md 5.4). */
uint32_t kfd_model_doorbell_slice_bytes(const struct kfd_model_node *node);
uint32_t kfd_model_doorbell_bytes(const struct kfd_model_node *node);
/* Debugger part of a save area, per XCC (kfd.md 5.5). */
uint32_t kfd_model_debug_area_bytes(const struct kfd_model_node *node);

#endif
