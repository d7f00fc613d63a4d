/* SPDX-License-Identifier: MIT */
/* AMDGPU_INFO: what libdrm_amdgpu and tools want to know about a GPU (drm.md 2, 3). */
#include <errno.h>
#include <string.h>

#include <amdgpu_drm.h>

#include "drm.h"
#include "usercopy.h"

#define FAMILY_AI     141
#define FAMILY_VI     130
#define FAMILY_NV     143
#define FAMILY_GC1100 145
#define FAMILY_GC1200 152

uint32_t kfd_model_drm_family(const struct kfd_model_node *node)
{
	if (node->gfx_version >= 120000)
		return FAMILY_GC1200;
	if (node->gfx_version >= 110000)
		return FAMILY_GC1100;
	if (node->gfx_version >= 100000)
		return FAMILY_NV;
	return node->gfx_version >= 90000 ? FAMILY_AI : FAMILY_VI;
}

static void fill_device(struct kfd_model *model, const struct kfd_model_node *node,
			struct drm_amdgpu_info_device *info)
{
	uint32_t cus = node->simd_per_cu ? node->simd_count / node->simd_per_cu : 0;
	uint32_t per_engine = node->simd_arrays_per_engine ? node->simd_arrays_per_engine : 1;

	info->device_id = node->device_id;
	info->family = kfd_model_drm_family(node);
	info->num_shader_engines = node->array_count / per_engine;
	info->num_shader_arrays_per_engine = per_engine;
	/* the driver tells kHz; the same clock that GET_CLOCK_COUNTERS reads */
	info->gpu_counter_freq =
		(uint32_t)(kfd_model_scenario_clock_hz(model->scenario, node) / 1000);
	info->max_engine_clock = node->max_engine_mhz * 1000ull;
	info->max_memory_clock = node->max_memory_mhz * 1000ull;
	info->cu_active_number = cus;
	for (uint32_t i = 0; i < cus && i < 16 * 32; i++)
		info->cu_bitmap[i / 32 / 4 % 4][i / 32 % 4] |= 1u << (i % 32);
	info->ids_flags = node->is_apu ? AMDGPU_IDS_FLAGS_FUSION : 0;
	info->virtual_address_offset = GEM_VA_FIRST;
	info->virtual_address_max = GEM_VA_END;
	info->virtual_address_alignment = GEM_PAGE_BYTES;
	info->pte_fragment_size = 2 << 20;
	info->gart_page_size = GEM_PAGE_BYTES;
	info->vram_type = AMDGPU_VRAM_TYPE_HBM;
	info->vram_bit_width = node->vram_width_bits;
	info->wave_front_size = node->wave_front_size;
	info->num_cu_per_sh = node->cu_per_simd_array;
	info->enabled_rb_pipes_mask = 1;
	info->num_rb_pipes = 1;
	info->num_hw_gfx_contexts = 8;
}

static void fill_memory(struct kfd_model *model, const struct kfd_model_node *node,
			struct drm_amdgpu_memory_info *info)
{
	uint64_t vram = kfd_model_scenario_vram_total(model->scenario, node);
	uint64_t visible = kfd_model_scenario_vram_visible(model->scenario, node);
	uint64_t free_bytes = kfd_model_vram_available(model, node);

	info->vram.total_heap_size = vram;
	info->vram.usable_heap_size = vram;
	info->vram.heap_usage = vram - free_bytes;
	info->cpu_accessible_vram.total_heap_size = visible;
	info->cpu_accessible_vram.usable_heap_size = visible;
	info->gtt.total_heap_size = model->topology.system_bytes;
	info->gtt.usable_heap_size = model->topology.system_bytes;
	info->gtt.heap_usage = atomic_load(&model->system_used);
}

int kfd_model_drm_info(struct kfd_model *model, const struct kfd_model_node *node,
		       const struct drm_amdgpu_info *request)
{
	/* the largest answer; others use its first bytes and leave zeros */
	union {
		struct drm_amdgpu_info_device device;
		struct drm_amdgpu_memory_info memory;
		struct drm_amdgpu_info_vram_gtt vram_gtt;
		uint32_t words[256];
		uint64_t number;
	} answer;
	size_t size = sizeof(uint32_t);

	if (!request->return_size || !request->return_pointer)
		return -EINVAL;
	memset(&answer, 0, sizeof(answer));
	switch (request->query) {
	case AMDGPU_INFO_ACCEL_WORKING:
		answer.words[0] = 1;
		break;
	case AMDGPU_INFO_DEV_INFO:
		fill_device(model, node, &answer.device);
		size = sizeof(answer.device);
		break;
	case AMDGPU_INFO_READ_MMR_REG:
		if (request->read_mmr_reg.count > sizeof(answer.words) / sizeof(answer.words[0]))
			return -EINVAL;
		size = request->read_mmr_reg.count * sizeof(uint32_t);
		break;
	case AMDGPU_INFO_MEMORY:
		fill_memory(model, node, &answer.memory);
		size = sizeof(answer.memory);
		break;
	case AMDGPU_INFO_VRAM_GTT:
		answer.vram_gtt.vram_size = kfd_model_scenario_vram_total(model->scenario, node);
		answer.vram_gtt.vram_cpu_accessible_size =
			kfd_model_scenario_vram_visible(model->scenario, node);
		answer.vram_gtt.gtt_size = model->topology.system_bytes;
		size = sizeof(answer.vram_gtt);
		break;
	case AMDGPU_INFO_VRAM_USAGE:
		answer.number = atomic_load(&model->vram_used[node->gpu_index]);
		size = sizeof(answer.number);
		break;
	case AMDGPU_INFO_GTT_USAGE:
		answer.number = atomic_load(&model->system_used);
		size = sizeof(answer.number);
		break;
	case AMDGPU_INFO_TIMESTAMP:
		answer.number = 0;
		size = sizeof(answer.number);
		break;
	default:
		return -EINVAL;
	}
	if (size > request->return_size)
		size = request->return_size;
	return kfd_model_copy_out(request->return_pointer, &answer, size);
}
