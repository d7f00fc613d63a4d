/* SPDX-License-Identifier: MIT */
/* Sizes of save areas and end-of-pipe buffers against the worked examples (queues.md 4.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "queue/sizes.h"
#include "topology/topology.h"

#define PG 4096

struct example {
	uint32_t gfx, simds, per_cu, xcc, banks, arrays;
	uint32_t ctl, ctx, debug;
	uint64_t total;
};

/* clang-format off */
static const struct example examples[] = {
	{ KMT_GFX(9, 0, 6),  240,  4, 1, 4,  1, 0x5000, 0x13F1000, 0x10000, 0x1401000 },
	{ KMT_GFX(9, 0, 10), 416,  4, 1, 8,  1, 0x9000, 0x3C91000, 0x20000, 0x3CB1000 },
	{ KMT_GFX(9, 4, 2),  1216, 4, 8, 32, 1, 0x3000, 0x1621000, 0xBE00,  0xB167000 },
	{ KMT_GFX(10, 3, 0), 160,  2, 1, 8,  2, 0x7000, 0x1A97000, 0x14000, 0x1AAB000 },
	{ KMT_GFX(11, 0, 0), 192,  2, 1, 12, 2, 0xA000, 0x2BEA000, 0x18000, 0x2C02000 },
	{ KMT_GFX(12, 0, 1), 128,  2, 1, 8,  2, 0x7000, 0x1D47000, 0x10000, 0x1D57000 },
};
/* clang-format on */

static HsaNodeProperties properties_of(const struct example *example)
{
	HsaNodeProperties properties = { 0 };

	properties.NumFComputeCores = example->simds;
	properties.NumSIMDPerCU = example->per_cu;
	properties.NumXcc = example->xcc;
	properties.NumShaderBanks = example->banks;
	properties.NumArrays = example->arrays;
	properties.LDSSizeInKB = 64;
	return properties;
}

static void sizes_equal_the_worked_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *example = &examples[i];
		HsaNodeProperties properties = properties_of(example);
		struct kmt_save_area_sizes sizes;

		assert_true(kmt_queue_save_area_sizes(example->gfx, &properties, PG, &sizes));
		assert_int_equal(sizes.ctl_stack_bytes, example->ctl);
		assert_int_equal(sizes.ctx_bytes, example->ctx);
		assert_int_equal(sizes.debug_bytes, example->debug);
		assert_int_equal(sizes.xcc_count, example->xcc);
		assert_int_equal(sizes.total_bytes, example->total);
	}
}

static void what_the_kernel_reports_wins(void **state)
{
	HsaNodeProperties properties = properties_of(&examples[0]);
	struct kmt_save_area_sizes sizes;

	(void)state;
	properties.CwsrSize = 0x2000000;
	properties.CtlStackSize = 0x8000;
	assert_true(kmt_queue_save_area_sizes(KMT_GFX(9, 0, 6), &properties, PG, &sizes));
	assert_int_equal(sizes.ctx_bytes, 0x2000000);
	assert_int_equal(sizes.ctl_stack_bytes, 0x8000);
	assert_int_equal(sizes.debug_bytes, 0x10000);
	assert_int_equal(sizes.total_bytes, 0x2010000);
	/* The control stack alone moves the wave state. */
	properties.CwsrSize = 0;
	assert_true(kmt_queue_save_area_sizes(KMT_GFX(9, 0, 6), &properties, PG, &sizes));
	assert_int_equal(sizes.ctx_bytes, 0x8000 + 0x13EC000);
}

static void unusable_nodes_have_no_save_area(void **state)
{
	HsaNodeProperties properties = properties_of(&examples[0]);
	struct kmt_save_area_sizes sizes;

	(void)state;
	assert_false(kmt_queue_save_area_sizes(KMT_GFX(7, 0, 1), &properties, PG, &sizes));
	assert_false(kmt_queue_save_area_sizes(KMT_GFX(8, 0, 0), &properties, PG, &sizes));
	assert_true(kmt_queue_save_area_sizes(KMT_GFX(8, 0, 1), &properties, PG, &sizes));
	properties.NumSIMDPerCU = 0;
	assert_false(kmt_queue_save_area_sizes(KMT_GFX(9, 0, 6), &properties, PG, &sizes));
	properties.NumSIMDPerCU = 4;
	properties.NumFComputeCores = 0;
	assert_false(kmt_queue_save_area_sizes(KMT_GFX(9, 0, 6), &properties, PG, &sizes));
}

static void a_generation_after_the_last_known_needs_the_kernels_sizes(void **state)
{
	HsaNodeProperties properties = properties_of(&examples[5]);
	struct kmt_save_area_sizes sizes;

	(void)state;
	assert_false(kmt_queue_save_area_sizes(KMT_GFX(13, 0, 0), &properties, PG, &sizes));
	properties.CwsrSize = 0x100000;
	properties.CtlStackSize = 0x4000;
	assert_true(kmt_queue_save_area_sizes(KMT_GFX(13, 0, 0), &properties, PG, &sizes));
	assert_int_equal(sizes.ctx_bytes, 0x100000);
}

static void gfx1250_counts_waves_and_registers_by_simd(void **state)
{
	HsaNodeProperties properties = properties_of(&examples[5]);
	struct kmt_save_area_sizes sizes;
	uint64_t a_cu;

	(void)state;
	properties.MaxWavesPerSIMD = 16;
	assert_true(kmt_queue_save_area_sizes(KMT_GFX(12, 5, 0), &properties, PG, &sizes));
	/* 64 CUs of 2 SIMDs with 16 waves: 2048 waves, 12 bytes each, header 40, 8 more. */
	assert_int_equal(sizes.ctl_stack_bytes, 0x7000);
	assert_int_equal(sizes.debug_bytes, 2048 * 32);
	a_cu = 0x80000 + 0x8000 + 0x10000 + 16 * 2 * 512;
	assert_int_equal(sizes.ctx_bytes, 0x7000 + 64 * a_cu);
}

static void vgpr_sizes_change_at_the_documented_generations(void **state)
{
	/* clang-format off */
	static const struct { uint32_t gfx, vgpr; } cases[] = {
		{ KMT_GFX(8, 0, 3), 0x40000 },  { KMT_GFX(9, 0, 6), 0x40000 },
		{ KMT_GFX(9, 0, 8), 0x80000 },  { KMT_GFX(9, 0, 10), 0x80000 },
		{ KMT_GFX(9, 0, 12), 0x40000 }, { KMT_GFX(9, 4, 0), 0x80000 },
		{ KMT_GFX(9, 5, 0), 0x80000 },  { KMT_GFX(10, 1, 0), 0x40000 },
		{ KMT_GFX(10, 3, 6), 0x40000 }, { KMT_GFX(11, 0, 0), 0x60000 },
		{ KMT_GFX(11, 5, 1), 0x60000 }, { KMT_GFX(12, 0, 1), 0x60000 },
		{ KMT_GFX(12, 0, 2), 0x80000 },
	};
	/* clang-format on */
	HsaNodeProperties properties = properties_of(
		&(struct example){ .simds = 4, .per_cu = 4, .xcc = 1, .banks = 1, .arrays = 1 });
	struct kmt_save_area_sizes sizes;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(kmt_queue_save_area_sizes(cases[i].gfx, &properties, PG, &sizes));
		assert_int_equal(sizes.ctx_bytes - sizes.ctl_stack_bytes,
				 cases[i].vgpr + 0x4000 + 0x10000 + 0x1000);
	}
}

static void end_of_pipe_buffers_follow_generation_and_type(void **state)
{
	(void)state;
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(7, 0, 1), HSA_QUEUE_COMPUTE), 0);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(8, 0, 2), HSA_QUEUE_COMPUTE_AQL), 0x8000);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(8, 0, 3), HSA_QUEUE_COMPUTE), 4096);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(9, 0, 10), HSA_QUEUE_COMPUTE_AQL), 4096);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(9, 4, 2), HSA_QUEUE_COMPUTE), 4096);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(9, 4, 2), HSA_QUEUE_COMPUTE_AQL), 0);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(11, 0, 0), HSA_QUEUE_SDMA), 0);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(11, 0, 0), HSA_QUEUE_SDMA_XGMI), 0);
	assert_int_equal(kmt_queue_eop_bytes(KMT_GFX(11, 0, 0), HSA_QUEUE_SDMA_BY_ENG_ID), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_equal_the_worked_examples),
		cmocka_unit_test(what_the_kernel_reports_wins),
		cmocka_unit_test(unusable_nodes_have_no_save_area),
		cmocka_unit_test(a_generation_after_the_last_known_needs_the_kernels_sizes),
		cmocka_unit_test(gfx1250_counts_waves_and_registers_by_simd),
		cmocka_unit_test(vgpr_sizes_change_at_the_documented_generations),
		cmocka_unit_test(end_of_pipe_buffers_follow_generation_and_type),
	};

	return cmocka_run_group_tests_name("thunk/queue/sizes", tests, NULL, NULL);
}
