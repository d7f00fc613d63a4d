/* SPDX-License-Identifier: MIT */
/*
 * The counters of every GPU family (perf.md 1). A family lists its blocks in the order of their
 * index, with the number of slots (counters usable at once) and the ids; families share id lists
 * that are equal. A test compares these tables with the published data.
 */
#include "perf/counters.h"

#include "topology/topology.h"

/* clang-format off */

/* Id lists: inclusive ranges in the order in which the ids are reported. */
#define IDS(name, ...) static const struct pmc_id_range name[] = { __VA_ARGS__ }
IDS(sq_0, { 0, 162 }, { 168, 250 });
IDS(cb_0, { 0, 225 });
IDS(cpf_0, { 0, 16 });
IDS(cpg_0, { 0, 45 });
IDS(db_0, { 0, 256 });
IDS(gds_0, { 0, 120 });
IDS(grbm_0, { 0, 33 });
IDS(grbmse_0, { 0, 14 });
IDS(ia_0, { 0, 17 });
IDS(pasc_0, { 0, 394 });
IDS(pasu_0, { 0, 152 });
IDS(spi_0, { 0, 185 });
IDS(srbm_0, { 0, 18 });
IDS(ta_0, { 0, 110 });
IDS(tca_0, { 0, 38 });
IDS(tcc_0, { 0, 44 }, { 64, 159 }, { 159, 159 });
IDS(tcp_0, { 0, 153 });
IDS(tcs_0, { 0, 20 }, { 64, 127 });
IDS(td_0, { 0, 54 });
IDS(vgt_0, { 0, 139 });
IDS(wd_0, { 0, 9 });
IDS(cb_1, { 0, 395 });
IDS(cpf_1, { 0, 19 });
IDS(cpg_1, { 0, 48 });
IDS(ia_1, { 0, 23 });
IDS(pasc_1, { 0, 396 });
IDS(spi_1, { 0, 196 });
IDS(srbm_1, { 0, 27 });
IDS(sq_1, { 1, 165 }, { 167, 291 }, { 298, 298 });
IDS(ta_1, { 0, 118 });
IDS(tca_1, { 1, 34 });
IDS(tcc_1, { 0, 107 }, { 128, 191 });
IDS(tcp_1, { 0, 182 });
IDS(vgt_1, { 0, 145 });
IDS(wd_1, { 0, 36 });
IDS(tcc_2, { 0, 107 }, { 128, 255 });
IDS(sq_2, { 1, 165 }, { 168, 274 }, { 276, 295 });
IDS(vgt_2, { 0, 146 });
IDS(cb_2, { 0, 437 });
IDS(cpf_2, { 0, 31 });
IDS(cpg_2, { 0, 58 });
IDS(db_1, { 0, 327 });
IDS(grbm_1, { 0, 37 });
IDS(grbmse_1, { 0, 15 });
IDS(pasc_2, { 0, 490 });
IDS(pasu_1, { 0, 291 });
IDS(spi_2, { 0, 195 });
IDS(sq_3, { 1, 183 }, { 255, 372 });
IDS(sx_0, { 0, 207 });
IDS(tcp_2, { 0, 84 });
IDS(td_1, { 0, 56 });
IDS(vgt_3, { 0, 147 });
IDS(wd_2, { 0, 57 });
IDS(cb_3, { 0, 460 });
IDS(cpf_3, { 0, 39 });
IDS(cpg_3, { 0, 81 });
IDS(db_2, { 0, 369 });
IDS(gds_1, { 0, 122 });
IDS(grbm_2, { 0, 46 });
IDS(pasc_3, { 0, 551 });
IDS(pasu_2, { 0, 265 });
IDS(spi_3, { 0, 328 });
IDS(sq_4, { 0, 511 });
IDS(sx_1, { 0, 224 });
IDS(tcp_3, { 0, 76 });
IDS(td_2, { 0, 60 });

#define BLOCK(block, slots, ids) { PMC_BLOCK_##block, slots, sizeof(ids) / sizeof((ids)[0]), ids }
static const struct pmc_block kaveri[] = {
	BLOCK(SQ,       8, sq_0),
};
static const struct pmc_block hawaii[] = {
	BLOCK(CB,       7, cb_0),
	BLOCK(CPF,      5, cpf_0),
	BLOCK(CPG,      5, cpg_0),
	BLOCK(DB,      12, db_0),
	BLOCK(GDS,      4, gds_0),
	BLOCK(GRBM,     2, grbm_0),
	BLOCK(GRBMSE,   1, grbmse_0),
	BLOCK(IA,       7, ia_0),
	BLOCK(PASC,    11, pasc_0),
	BLOCK(PASU,    10, pasu_0),
	BLOCK(SPI,      4, spi_0),
	BLOCK(SRBM,     2, srbm_0),
	BLOCK(SQ,       8, sq_0),
	BLOCK(SX,       4, grbm_0),
	BLOCK(TA,       6, ta_0),
	BLOCK(TCA,     10, tca_0),
	BLOCK(TCC,     10, tcc_0),
	BLOCK(TCP,     10, tcp_0),
	BLOCK(TCS,      7, tcs_0),
	BLOCK(TD,       6, td_0),
	BLOCK(VGT,     10, vgt_0),
	BLOCK(WD,       4, wd_0),
};
static const struct pmc_block carrizo[] = {
	BLOCK(CB,       7, cb_1),
	BLOCK(CPF,      5, cpf_1),
	BLOCK(CPG,      5, cpg_1),
	BLOCK(DB,      12, db_0),
	BLOCK(GDS,      4, gds_0),
	BLOCK(GRBM,     2, grbm_0),
	BLOCK(GRBMSE,   1, grbmse_0),
	BLOCK(IA,       7, ia_1),
	BLOCK(PASC,    11, pasc_1),
	BLOCK(PASU,    10, pasu_0),
	BLOCK(SPI,      4, spi_1),
	BLOCK(SRBM,     2, srbm_1),
	BLOCK(SQ,       8, sq_1),
	BLOCK(SX,       4, grbm_0),
	BLOCK(TA,       6, ta_1),
	BLOCK(TCA,     10, tca_1),
	BLOCK(TCC,     10, tcc_1),
	BLOCK(TCP,     10, tcp_1),
	BLOCK(TD,       6, td_0),
	BLOCK(VGT,     10, vgt_1),
	BLOCK(WD,       4, wd_1),
};
static const struct pmc_block fiji[] = {
	BLOCK(CB,       7, cb_1),
	BLOCK(CPF,      5, cpf_1),
	BLOCK(CPG,      5, cpg_1),
	BLOCK(DB,      12, db_0),
	BLOCK(GDS,      4, gds_0),
	BLOCK(GRBM,     2, grbm_0),
	BLOCK(GRBMSE,   1, grbmse_0),
	BLOCK(IA,       7, ia_1),
	BLOCK(PASC,    11, pasc_1),
	BLOCK(PASU,    10, pasu_0),
	BLOCK(SPI,      4, spi_1),
	BLOCK(SRBM,     2, srbm_1),
	BLOCK(SQ,       8, sq_1),
	BLOCK(SX,       4, grbm_0),
	BLOCK(TA,       6, ta_1),
	BLOCK(TCA,     10, tca_1),
	BLOCK(TCC,     10, tcc_2),
	BLOCK(TCP,     10, tcp_1),
	BLOCK(TD,       6, td_0),
	BLOCK(VGT,     10, vgt_1),
	BLOCK(WD,       4, wd_1),
};
static const struct pmc_block polaris[] = {
	BLOCK(CB,       7, cb_1),
	BLOCK(CPF,      5, cpf_1),
	BLOCK(CPG,      5, cpg_1),
	BLOCK(DB,      12, db_0),
	BLOCK(GDS,      4, gds_0),
	BLOCK(GRBM,     2, grbm_0),
	BLOCK(GRBMSE,   1, grbmse_0),
	BLOCK(IA,       7, ia_1),
	BLOCK(PASC,    11, pasc_1),
	BLOCK(PASU,    10, pasu_0),
	BLOCK(SPI,      4, spi_1),
	BLOCK(SRBM,     2, srbm_1),
	BLOCK(SQ,       8, sq_2),
	BLOCK(SX,       4, grbm_0),
	BLOCK(TA,       6, ta_1),
	BLOCK(TCA,     10, tca_1),
	BLOCK(TCC,     10, tcc_2),
	BLOCK(TCP,     10, tcp_1),
	BLOCK(TD,       6, td_0),
	BLOCK(VGT,     10, vgt_2),
	BLOCK(WD,       4, wd_1),
};
static const struct pmc_block vega[] = {
	BLOCK(CB,       7, cb_2),
	BLOCK(CPF,      5, cpf_2),
	BLOCK(CPG,      5, cpg_2),
	BLOCK(DB,      12, db_1),
	BLOCK(GDS,      4, gds_0),
	BLOCK(GRBM,     2, grbm_1),
	BLOCK(GRBMSE,   1, grbmse_1),
	BLOCK(IA,       7, cpf_2),
	BLOCK(PASC,    11, pasc_2),
	BLOCK(PASU,    10, pasu_1),
	BLOCK(SPI,     18, spi_2),
	BLOCK(SQ,      16, sq_3),
	BLOCK(SX,       4, sx_0),
	BLOCK(TA,       6, ta_1),
	BLOCK(TCA,     10, tca_1),
	BLOCK(TCC,     10, tcc_2),
	BLOCK(TCP,     10, tcp_2),
	BLOCK(TD,       6, td_1),
	BLOCK(VGT,     10, vgt_3),
	BLOCK(WD,       4, wd_2),
};
static const struct pmc_block navi[] = {
	BLOCK(CB,       7, cb_3),
	BLOCK(CPF,      6, cpf_3),
	BLOCK(CPG,      6, cpg_3),
	BLOCK(DB,      12, db_2),
	BLOCK(GDS,     10, gds_1),
	BLOCK(GRBM,     2, grbm_2),
	BLOCK(GRBMSE,   1, srbm_0),
	BLOCK(PASC,    11, pasc_3),
	BLOCK(PASU,    16, pasu_2),
	BLOCK(SPI,     18, spi_3),
	BLOCK(SQ,      16, sq_4),
	BLOCK(SX,       4, sx_1),
	BLOCK(TA,       5, cb_0),
	BLOCK(TCP,     10, tcp_3),
	BLOCK(TD,       5, td_2),
};
/* clang-format on */

#define FAMILY(name) ((struct pmc_family){ name, sizeof(name) / sizeof((name)[0]) })
#define NO_FAMILY    ((struct pmc_family){ NULL, 0 })

struct pmc_family pmc_family_of(uint32_t gfx, uint32_t device_id)
{
	switch (gfx >> 16) {
	case 7:
		return gfx == KMT_GFX(7, 0, 0) ? FAMILY(kaveri) : FAMILY(hawaii);
	case 8:
		if (gfx == KMT_GFX(8, 0, 2)) /* Tonga was never described */
			return NO_FAMILY;
		if (gfx == KMT_GFX(8, 0, 1))
			return FAMILY(carrizo);
		return device_id == 0x7300 || device_id == 0x730F ? FAMILY(fiji) : FAMILY(polaris);
	case 9:
		return FAMILY(vega);
	case 10:
		return FAMILY(navi);
	default:
		return NO_FAMILY;
	}
}

uint32_t pmc_block_counter_count(const struct pmc_block *block)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < block->range_count; i++)
		count += block->ranges[i].last - block->ranges[i].first + 1u;
	return count;
}

HSA_UUID pmc_block_uuid(enum pmc_block_index index)
{
	/* clang-format off */
	static const HSA_UUID none;

	switch (index) {
	case PMC_BLOCK_CB:      return HSA_PROFILEBLOCK_AMD_CB;
	case PMC_BLOCK_CPF:     return HSA_PROFILEBLOCK_AMD_CPF;
	case PMC_BLOCK_CPG:     return HSA_PROFILEBLOCK_AMD_CPG;
	case PMC_BLOCK_DB:      return HSA_PROFILEBLOCK_AMD_DB;
	case PMC_BLOCK_GDS:     return HSA_PROFILEBLOCK_AMD_GDS;
	case PMC_BLOCK_GRBM:    return HSA_PROFILEBLOCK_AMD_GRBM;
	case PMC_BLOCK_GRBMSE:  return HSA_PROFILEBLOCK_AMD_GRBMSE;
	case PMC_BLOCK_IA:      return HSA_PROFILEBLOCK_AMD_IA;
	case PMC_BLOCK_MC:      return HSA_PROFILEBLOCK_AMD_MC;
	case PMC_BLOCK_PASC:    return HSA_PROFILEBLOCK_AMD_PASC;
	case PMC_BLOCK_PASU:    return HSA_PROFILEBLOCK_AMD_PASU;
	case PMC_BLOCK_SPI:     return HSA_PROFILEBLOCK_AMD_SPI;
	case PMC_BLOCK_SRBM:    return HSA_PROFILEBLOCK_AMD_SRBM;
	case PMC_BLOCK_SQ:      return HSA_PROFILEBLOCK_AMD_SQ;
	case PMC_BLOCK_SX:      return HSA_PROFILEBLOCK_AMD_SX;
	case PMC_BLOCK_TA:      return HSA_PROFILEBLOCK_AMD_TA;
	case PMC_BLOCK_TCA:     return HSA_PROFILEBLOCK_AMD_TCA;
	case PMC_BLOCK_TCC:     return HSA_PROFILEBLOCK_AMD_TCC;
	case PMC_BLOCK_TCP:     return HSA_PROFILEBLOCK_AMD_TCP;
	case PMC_BLOCK_TCS:     return HSA_PROFILEBLOCK_AMD_TCS;
	case PMC_BLOCK_TD:      return HSA_PROFILEBLOCK_AMD_TD;
	case PMC_BLOCK_VGT:     return HSA_PROFILEBLOCK_AMD_VGT;
	case PMC_BLOCK_WD:      return HSA_PROFILEBLOCK_AMD_WD;
	case PMC_BLOCK_IOMMU:   return HSA_PROFILEBLOCK_AMD_IOMMUV2;
	case PMC_BLOCK_CPC:     return none; /* never got one */
	case PMC_BLOCK_COUNT:   return none;
	}
	/* clang-format on */
	return none;
}
