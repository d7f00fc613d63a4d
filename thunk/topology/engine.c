/* SPDX-License-Identifier: MIT */
/* What a GPU node is: engine version, names, register files (topology.md 6). */
#include "topology/snapshot.h"

#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/asics.h"

#define OVERRIDE_VARIABLE "HSA_OVERRIDE_GFX_VERSION"
#define MICROCODE_MASK    0x3ff

/* Largest parts of a version: the widths of HSA_ENGINE_ID's fields. */
#define MAX_MAJOR    63
#define MAX_MINOR    255
#define MAX_STEPPING 255

static void set_version(HSA_ENGINE_ID *id, uint32_t major, uint32_t minor, uint32_t stepping)
{
	id->ui32.Major = major & MAX_MAJOR;
	id->ui32.Minor = minor & MAX_MINOR;
	id->ui32.Stepping = stepping & MAX_STEPPING;
}

/* A number of a version, with the character that must follow it. */
static bool parse_part(const char **text, unsigned long max, char follower, uint32_t *out)
{
	unsigned long value;
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	value = strtoul(*text, &end, 10);
	if (value > max || *end != follower)
		return false;
	*out = (uint32_t)value;
	*text = end + (follower != '\0');
	return true;
}

/*
 * The variable that concerns the node, if it is set and not empty: the one with its number, which
 * counts all user nodes and not only GPUs, before the one for all.
 */
static const char *find_override(struct topology_node *node, uint32_t node_id)
{
	const char *value;

	snprintf(node->override_name, sizeof(node->override_name), OVERRIDE_VARIABLE "_%u",
		 node_id);
	value = getenv(node->override_name);
	if (value && *value)
		return value;
	snprintf(node->override_name, sizeof(node->override_name), OVERRIDE_VARIABLE);
	value = getenv(node->override_name);
	return value && *value ? value : NULL;
}

/* The hardware's own version stays in EngineId: only the override goes to OverrideEngineId. */
static HSAKMT_STATUS apply_override(struct topology_node *node, uint32_t node_id)
{
	HsaNodeProperties *properties = &node->properties;
	const HSA_ENGINE_ID *found = &properties->EngineId;
	const char *value = find_override(node, node_id), *text = value;
	uint32_t major, minor, stepping;

	if (!value)
		return HSAKMT_STATUS_SUCCESS;
	if (!parse_part(&text, MAX_MAJOR, '.', &major) ||
	    !parse_part(&text, MAX_MINOR, '.', &minor) ||
	    !parse_part(&text, MAX_STEPPING, '\0', &stepping)) {
		kmt_log(KMT_LOG_ERR,
			"node %u (gfx %u.%u.%u): %s='%s' is not MAJOR.MINOR.STEPPING up to "
			"%u.%u.%u",
			node_id, found->ui32.Major, found->ui32.Minor, found->ui32.Stepping,
			node->override_name, value, MAX_MAJOR, MAX_MINOR, MAX_STEPPING);
		return HSAKMT_STATUS_ERROR;
	}
	node->override_variable = node->override_name;
	properties->OverrideEngineId.ui32.uCode = found->ui32.uCode;
	set_version(&properties->OverrideEngineId, major, minor, stepping);
	kmt_log(KMT_LOG_INFO, "node %u: %s='%s' instead of gfx %u.%u.%u", node_id,
		node->override_name, value, found->ui32.Major, found->ui32.Minor,
		found->ui32.Stepping);
	return HSAKMT_STATUS_SUCCESS;
}

static void derive_version(struct topology_node *node, uint32_t node_id)
{
	HsaNodeProperties *properties = &node->properties;
	uint32_t version = node->gfx_target_version;
	uint32_t major = version / 10000 % 100;
	uint32_t minor = version / 100 % 100;
	uint32_t stepping = version % 100;
	const struct asic *asic = major > 10 ? NULL : asic_find(properties->DeviceId);

	properties->EngineId.Value = 0;
	properties->EngineId.ui32.uCode = node->fw_version & MICROCODE_MASK;
	if (asic) {
		major = asic->major;
		minor = asic->minor;
		stepping = asic->stepping;
	} else if (!version) {
		kmt_log(KMT_LOG_WARNING, "node %u: device id 0x%04x is unknown and has no version",
			node_id, properties->DeviceId);
	}
	set_version(&properties->EngineId, major, minor, stepping);
	if (asic)
		snprintf((char *)properties->AMDName, sizeof(properties->AMDName), "%s",
			 asic->name);
	else
		snprintf((char *)properties->AMDName, sizeof(properties->AMDName), "GFX%06x",
			 (unsigned int)KMT_GFX(major, minor, stepping));
}

static uint32_t vgpr_size(const HSA_ENGINE_ID *id)
{
	switch (KMT_GFX(id->ui32.Major, id->ui32.Minor, id->ui32.Stepping)) {
	case KMT_GFX(9, 0, 8):
	case KMT_GFX(9, 0, 10):
	case KMT_GFX(9, 5, 0):
		return 0x80000;
	case KMT_GFX(11, 0, 0):
	case KMT_GFX(11, 0, 1):
	case KMT_GFX(12, 0, 0):
	case KMT_GFX(12, 0, 1):
		return 0x60000;
	}
	return id->ui32.Major == 9 && id->ui32.Minor == 4 ? 0x80000 : 0x40000;
}

/* What only the DRM driver knows; without a libdrm device it stays empty. */
static void ask_drm(struct kmt_context *ctx, HsaNodeProperties *properties)
{
	void *device = kmt_render_drm_device(ctx, (uint32_t)properties->DrmRenderMinor);
	struct amdgpu_gpu_info info = { 0 };
	union device_drm_args args = { .get_marketing_name = { .dev = device } };
	const char *name;

	if (!device)
		return;
	if (kmt_drm(ctx, DEVICE_DRM_GET_MARKETING_NAME, &args) == 0 &&
	    args.get_marketing_name.name) {
		name = args.get_marketing_name.name;
		memset(properties->MarketingName, 0, sizeof(properties->MarketingName));
		for (size_t i = 0; i < HSA_PUBLIC_NAME_SIZE - 1 && name[i]; i++)
			properties->MarketingName[i] = (unsigned char)name[i];
	}
	args.query_gpu_info.dev = device;
	args.query_gpu_info.info = &info;
	if (kmt_drm(ctx, DEVICE_DRM_QUERY_GPU_INFO, &args) < 0)
		return;
	if (info.family_id) /* some kernels print it, too */
		properties->FamilyID = info.family_id;
	properties->Integrated = (info.ids_flags & AMDGPU_IDS_FLAGS_FUSION) != 0;
	properties->WallClockKHz = info.gpu_counter_freq;
}

HSAKMT_STATUS topology_engine_derive(struct kmt_context *ctx, struct topology_node *node,
				     uint32_t node_id)
{
	HsaNodeProperties *properties = &node->properties;

	derive_version(node, node_id);
	properties->uCodeEngineVersions.Value = node->sdma_fw_version & MICROCODE_MASK;
	properties->NumShaderBanks = node->array_count;
	if (node->simd_arrays_per_engine)
		properties->NumShaderBanks = node->array_count / node->simd_arrays_per_engine;
	properties->NumArrays = node->simd_arrays_per_engine;
	properties->SGPRSizePerCU = 0x4000;
	properties->VGPRSizePerCU = vgpr_size(&properties->EngineId);
	if (!properties->NumXcc)
		properties->NumXcc = 1;
	ask_drm(ctx, properties);
	return apply_override(node, node_id);
}
