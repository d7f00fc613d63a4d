/* SPDX-License-Identifier: MIT */
/*
 * Reads the topology tree that the machine is made of. The tree is the one that user space sees, so
 * that what the ioctls answer can never contradict it.
 */
#include "topology.h"
#include "model.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSFS_PAGE  4096                  /* no attribute is longer */
#define ID_FACTOR   0x9e3779b97f4a7c15ull /* spreads device numbers */
#define VM_LIMIT    0x7fffffffffffull
#define VM_LIMIT_G8 0xffffffffffull

static int read_text(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, text, SYSFS_PAGE - 1);
	close(fd);
	if (got < 0)
		return -EIO;
	text[got] = '\0';
	return 0;
}

/* Value of a "name value" line; 0 when there is none. */
static uint64_t key_value(const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *line = text;

	while (line && *line) {
		if (strncmp(line, key, length) == 0 && line[length] == ' ')
			return strtoull(line + length + 1, NULL, 10);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return 0;
}

static uint32_t key_u32(const char *text, const char *key)
{
	return (uint32_t)key_value(text, key);
}

uint32_t kfd_model_gfx_number(uint32_t version)
{
	return ((version / 10000) % 100) << 16 | ((version / 100) % 100) << 8 | version % 100;
}

uint32_t kfd_model_doorbell_bytes(const struct kfd_model_node *node)
{
	return node->gfx_version >= 90000 ? 8 : 4;
}

uint32_t kfd_model_doorbell_slice_bytes(const struct kfd_model_node *node)
{
	return kfd_model_doorbell_bytes(node) * 1024;
}

static uint32_t waves_per_xcc(const struct kfd_model_node *node, uint32_t cu)
{
	uint32_t by_array;

	if (kfd_model_gfx_number(node->gfx_version) >= 0x0a0100)
		return cu * 32;
	by_array = node->simd_arrays_per_engine
			   ? node->array_count / node->simd_arrays_per_engine * 512
			   : UINT32_MAX;
	return cu * 40 < by_array ? cu * 40 : by_array;
}

static uint32_t cu_per_xcc(const struct kfd_model_node *node)
{
	if (!node->simd_per_cu || !node->num_xcc)
		return 0;
	return node->simd_count / node->simd_per_cu / node->num_xcc;
}

uint32_t kfd_model_debug_area_bytes(const struct kfd_model_node *node)
{
	return (waves_per_xcc(node, cu_per_xcc(node)) * 32 + 63) & ~63u;
}

static uint32_t vgpr_bytes_per_cu(uint32_t gfx)
{
	if (gfx == 0x090008 || gfx == 0x09000a || (gfx >> 8) == 0x0904 || gfx == 0x090500)
		return 0x80000;
	if (gfx == 0x0b0000 || gfx == 0x0b0001 || gfx == 0x0c0000 || gfx == 0x0c0001)
		return 0x60000;
	return 0x40000;
}

/* kfd.md 5.5; a tree that names the sizes wins. */
static void compute_save_area(struct kfd_model_node *node)
{
	uint32_t gfx = kfd_model_gfx_number(node->gfx_version);
	uint32_t cu = cu_per_xcc(node);
	uint32_t per_wave = gfx >= 0x0a0100 ? 12 : 8;
	uint32_t stack = (40 + waves_per_xcc(node, cu) * per_wave + 8 + 4095) & ~4095u;
	uint32_t per_cu = vgpr_bytes_per_cu(gfx) + 0x4000 + node->lds_size_kib * 1024 + 0x1000;

	if ((gfx & 0x3f0000) == 0x0a0000 && stack > 0x7000)
		stack = 0x7000;
	if (!node->ctl_stack_size)
		node->ctl_stack_size = stack;
	if (!node->cwsr_size)
		node->cwsr_size = stack + ((cu * per_cu + 4095) & ~4095u);
}

static void parse_properties(struct kfd_model_node *node, const char *text)
{
	node->gfx_version = key_u32(text, "gfx_target_version");
	node->render_minor = key_u32(text, "drm_render_minor");
	node->simd_count = key_u32(text, "simd_count");
	node->simd_per_cu = key_u32(text, "simd_per_cu");
	node->num_xcc = key_u32(text, "num_xcc");
	node->array_count = key_u32(text, "array_count");
	node->simd_arrays_per_engine = key_u32(text, "simd_arrays_per_engine");
	node->cu_per_simd_array = key_u32(text, "cu_per_simd_array");
	node->max_waves_per_simd = key_u32(text, "max_waves_per_simd");
	node->lds_size_kib = key_u32(text, "lds_size_in_kb");
	node->wave_front_size = key_u32(text, "wave_front_size");
	node->num_gws = key_u32(text, "num_gws");
	node->num_cp_queues = key_u32(text, "num_cp_queues");
	node->num_sdma_engines = key_u32(text, "num_sdma_engines");
	node->num_sdma_xgmi_engines = key_u32(text, "num_sdma_xgmi_engines");
	node->num_sdma_queues_per_engine = key_u32(text, "num_sdma_queues_per_engine");
	node->vendor_id = key_u32(text, "vendor_id");
	node->device_id = key_u32(text, "device_id");
	node->location_id = key_u32(text, "location_id");
	node->domain = key_u32(text, "domain");
	node->max_engine_mhz = key_u32(text, "max_engine_clk_fcompute");
	node->fw_version = key_u32(text, "fw_version");
	node->sdma_fw_version = key_u32(text, "sdma_fw_version");
	node->capability = key_u32(text, "capability");
	node->cwsr_size = key_u32(text, "cwsr_size");
	node->ctl_stack_size = key_u32(text, "ctl_stack_size");
	node->debug_prop = key_value(text, "debug_prop");
	node->unique_id = key_value(text, "unique_id");
	node->hive_id = key_value(text, "hive_id");
	node->is_apu = node->gpu_id && key_u32(text, "cpu_cores_count");
	if (node->gpu_id && !node->num_xcc)
		node->num_xcc = 1;
}

/* Adds up the banks of a node: heap 0 is system memory, 1 visible VRAM, 2 invisible VRAM. */
static void read_banks(struct kfd_model_topology *topology, struct kfd_model_node *node,
		       const char *dir, char *text)
{
	char path[4096];

	for (uint32_t bank = 0;; bank++) {
		uint64_t size;

		snprintf(path, sizeof(path), "%s/nodes/%u/mem_banks/%u/properties", dir,
			 node->index, bank);
		if (read_text(path, text))
			return;
		size = key_value(text, "size_in_bytes");
		switch (key_u32(text, "heap_type")) {
		case 0:
			topology->system_bytes += size;
			break;
		case 1:
			node->visible_vram_bytes += size;
			node->vram_bytes += size;
			break;
		case 2:
			node->vram_bytes += size;
			break;
		}
		node->vram_width_bits = key_u32(text, "width");
		node->max_memory_mhz = key_u32(text, "mem_clk_max");
	}
}

static int read_node(struct kfd_model_topology *topology, uint32_t index, char *text)
{
	struct kfd_model_node *node = &topology->nodes[index];
	char path[4096];
	int rc;

	node->index = index;
	snprintf(path, sizeof(path), "%s/nodes/%u/gpu_id", topology->dir, index);
	rc = read_text(path, text);
	if (rc)
		goto out;
	node->gpu_id = (uint32_t)strtoul(text, NULL, 10);
	snprintf(path, sizeof(path), "%s/nodes/%u/properties", topology->dir, index);
	rc = read_text(path, text);
	if (rc)
		goto out;
	parse_properties(node, text);
	node->gpuvm_limit = node->gfx_version >= 90000 ? VM_LIMIT : VM_LIMIT_G8;
	read_banks(topology, node, topology->dir, text);
	if (node->gpu_id) {
		compute_save_area(node);
		node->gpu_index = topology->gpu_count++;
		if (topology->gpu_count > KFD_MODEL_MAX_GPUS)
			rc = -E2BIG;
	}
out:
	if (rc)
		kfd_model_log("cannot use topology file '%s': %s", path, strerror(-rc));
	return rc;
}

static uint32_t count_nodes(const char *dir)
{
	char path[4096];
	uint32_t count = 0;

	for (;; count++) {
		snprintf(path, sizeof(path), "%s/nodes/%u", dir, count);
		if (access(path, F_OK))
			return count;
	}
}

static uint64_t identify(const char *dir)
{
	struct stat st;

	return stat(dir, &st) ? 0 : (uint64_t)st.st_dev * ID_FACTOR + st.st_ino;
}

int kfd_model_topology_init(struct kfd_model_topology *topology, const char *dir)
{
	char *text = NULL;
	int rc = -ENOMEM;

	memset(topology, 0, sizeof(*topology));
	topology->node_count = count_nodes(dir);
	if (!topology->node_count) {
		kfd_model_log("no topology in '%s': no nodes/0 there", dir);
		return -ENOENT;
	}
	topology->dir = strdup(dir);
	topology->id = identify(dir);
	topology->nodes = calloc(topology->node_count, sizeof(*topology->nodes));
	text = malloc(SYSFS_PAGE);
	if (!topology->dir || !topology->nodes || !text)
		goto out;
	rc = 0;
	for (uint32_t i = 0; i < topology->node_count && !rc; i++)
		rc = read_node(topology, i, text);
out:
	free(text);
	if (rc)
		kfd_model_topology_fini(topology);
	return rc;
}

void kfd_model_topology_fini(struct kfd_model_topology *topology)
{
	free(topology->dir);
	free(topology->nodes);
	memset(topology, 0, sizeof(*topology));
}
