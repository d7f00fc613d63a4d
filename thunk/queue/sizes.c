/* SPDX-License-Identifier: MIT */
/* Sizes of end-of-pipe buffers and save areas of every generation (queues.md 4.1 to 4.4). */
#include "queue/sizes.h"

#include "context.h"
#include "topology/topology.h"

#define GFX_TONGA      KMT_GFX(8, 0, 2)
#define GFX_FIRST_CWSR KMT_GFX(8, 0, 1) /* Carrizo */
#define GFX_NAVI10     KMT_GFX(10, 1, 0)
#define GFX_1250       KMT_GFX(12, 5, 0)

#define HEADER_BYTES             40
#define DEBUG_BYTES_PER_WAVE     32
#define DEBUG_ALIGN              64
#define GFX10_MAX_CTL_STACK      0x7000 /* what the hardware can address */
#define WAVES_PER_SHADER_ENGINE  512
#define HWREG_BYTES              0x1000
#define GFX1250_WAVE_HWREG_BYTES 512

uint32_t kmt_queue_eop_bytes(uint32_t gfx, HSA_QUEUE_TYPE type)
{
	if (type != HSA_QUEUE_COMPUTE && type != HSA_QUEUE_COMPUTE_AQL)
		return 0;
	if (gfx == GFX_TONGA)
		return 0x8000;
	if ((gfx & 0xFFFF00) == KMT_GFX(9, 4, 0))
		return type == HSA_QUEUE_COMPUTE ? 4096 : 0;
	return gfx >= KMT_GFX(8, 0, 0) ? 4096 : 0;
}

uint32_t kmt_queue_cu_count(const HsaNodeProperties *properties)
{
	return properties->NumSIMDPerCU ? properties->NumFComputeCores / properties->NumSIMDPerCU
					: 0;
}

/* Vector registers of a CU; 0 for generations after the last one known. */
static uint32_t vgpr_bytes(uint32_t gfx)
{
	/* clang-format off */
	static const struct { uint32_t below, bytes; } ranges[] = {
		{ KMT_GFX(9, 0, 8),      0x40000 },
		{ KMT_GFX(9, 0, 10) + 1, 0x80000 },
		{ KMT_GFX(9, 0, 12) + 1, 0x40000 },
		{ KMT_GFX(9, 5, 0) + 1,  0x80000 },
		{ KMT_GFX(11, 0, 0),     0x40000 },
		{ KMT_GFX(12, 0, 1) + 1, 0x60000 },
		{ GFX_1250 + 1,          0x80000 },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (gfx < ranges[i].below)
			return ranges[i].bytes;
	return 0;
}

static uint32_t wave_count(uint32_t gfx, const HsaNodeProperties *properties, uint32_t cu)
{
	uint32_t waves = cu * 40, cap;

	if (gfx >= GFX_1250)
		return cu * properties->NumSIMDPerCU * properties->MaxWavesPerSIMD;
	if (gfx >= GFX_NAVI10)
		return cu * 32;
	if (!properties->NumArrays)
		return waves;
	cap = properties->NumShaderBanks / properties->NumArrays * WAVES_PER_SHADER_ENGINE;
	return waves < cap ? waves : cap;
}

/* Everything of a CU that is saved: registers, LDS, state. 0 when unknown. */
static uint64_t cu_bytes(uint32_t gfx, const HsaNodeProperties *properties)
{
	uint32_t vgpr = vgpr_bytes(gfx);
	uint32_t hwreg = HWREG_BYTES, sgpr = 0x4000;

	if (!vgpr)
		return 0;
	if (gfx >= GFX_1250) {
		sgpr = 0x8000;
		hwreg = properties->MaxWavesPerSIMD * properties->NumSIMDPerCU *
			GFX1250_WAVE_HWREG_BYTES;
	}
	return (uint64_t)vgpr + sgpr + properties->LDSSizeInKB * UINT64_C(1024) + hwreg;
}

bool kmt_queue_save_area_sizes(uint32_t gfx, const HsaNodeProperties *properties,
			       uint64_t page_size_bytes, struct kmt_save_area_sizes *sizes)
{
	uint32_t xcc_count = properties->NumXcc ? properties->NumXcc : 1;
	uint32_t cu = kmt_queue_cu_count(properties) / xcc_count;
	uint32_t waves = wave_count(gfx, properties, cu);
	uint64_t work_group = cu_bytes(gfx, properties) * cu;
	uint64_t ctl, ctx;

	if (gfx < GFX_FIRST_CWSR || !properties->NumFComputeCores || !properties->NumSIMDPerCU)
		return false;
	ctl = kmt_round_up(HEADER_BYTES + waves * (gfx >= GFX_NAVI10 ? UINT64_C(12) : 8) + 8,
			   page_size_bytes);
	if ((gfx & 0x3F0000) == KMT_GFX(10, 0, 0) && ctl > GFX10_MAX_CTL_STACK)
		ctl = GFX10_MAX_CTL_STACK;
	if (properties->CtlStackSize)
		ctl = properties->CtlStackSize;
	ctx = ctl + kmt_round_up(work_group, page_size_bytes);
	if (properties->CwsrSize)
		ctx = properties->CwsrSize;
	else if (!work_group)
		return false;
	if (ctx > UINT32_MAX || ctl > ctx)
		return false; /* the ioctl has 32 bits for each */
	sizes->ctl_stack_bytes = (uint32_t)ctl;
	sizes->ctx_bytes = (uint32_t)ctx;
	sizes->debug_bytes =
		(uint32_t)kmt_round_up((uint64_t)waves * DEBUG_BYTES_PER_WAVE, DEBUG_ALIGN);
	sizes->xcc_count = xcc_count;
	sizes->total_bytes = (ctx + sizes->debug_bytes) * xcc_count;
	return true;
}
