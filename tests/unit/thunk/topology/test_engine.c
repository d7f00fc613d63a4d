/* SPDX-License-Identifier: MIT */
/* Engine versions, their override by the environment (U30), and register files (topology.md 6). */
#include "topology_fixture.h"

static int setup_two_gpus(void **state)
{
	setup_b(state);
	/* gfx 11.0.0 and 10.3.2, not in the device table */
	fake_device_set_key(*state, T "/nodes/1/properties", "gfx_target_version", "110000");
	fake_device_set_key(*state, T "/nodes/1/properties", "device_id", "29772");
	fake_device_set_key(*state, T "/nodes/2/properties", "gfx_target_version", "100302");
	fake_device_set_key(*state, T "/nodes/2/properties", "device_id", "1");
	return 0;
}

static void check_versions(uint32_t override_1, uint32_t override_2)
{
	const uint32_t overrides[] = { 0, override_1, override_2 };

	must_acquire(3);
	for (uint32_t i = 1; i <= 2; i++) {
		HsaNodeProperties node = node_properties(i);
		const HSA_ENGINE_ID *id = &node.OverrideEngineId;

		/* The hardware's own version never changes. */
		if (i == 1)
			check_engine(&node.EngineId, 11, 0, 0);
		else
			check_engine(&node.EngineId, 10, 3, 2);
		assert_int_equal(KMT_GFX(id->ui32.Major, id->ui32.Minor, id->ui32.Stepping),
				 overrides[i]);
	}
}

static void without_an_override_there_is_none(void **state)
{
	(void)state;
	check_versions(0, 0);
}

static void an_empty_override_is_no_override(void **state)
{
	(void)state;
	setenv("HSA_OVERRIDE_GFX_VERSION", "", 1);
	check_versions(0, 0);
}

static void an_override_concerns_all_gpus(void **state)
{
	(void)state;
	setenv("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 1);
	check_versions(KMT_GFX(10, 3, 0), KMT_GFX(10, 3, 0));
	assert_int_equal(node_properties(0).OverrideEngineId.Value, 0);
}

static void a_numbered_override_concerns_that_node_only(void **state)
{
	(void)state;
	setenv("HSA_OVERRIDE_GFX_VERSION_1", "10.3.0", 1);
	check_versions(KMT_GFX(10, 3, 0), 0);
}

static void a_numbered_override_goes_before_the_general_one(void **state)
{
	(void)state;
	setenv("HSA_OVERRIDE_GFX_VERSION_2", "10.3.1", 1);
	setenv("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 1);
	check_versions(KMT_GFX(10, 3, 0), KMT_GFX(10, 3, 1));
}

static void the_largest_version_fits(void **state)
{
	(void)state;
	setenv("HSA_OVERRIDE_GFX_VERSION", "63.255.255", 1);
	check_versions(KMT_GFX(63, 255, 255), KMT_GFX(63, 255, 255));
}

static void malformed_overrides_fail_and_are_named(void **state)
{
	static const char *const values[] = { "10.3",    "99.0.0",   "64.0.0",  "1.256.0",
					      "1.0.256", "10.3.0.1", "10.3.0 ", "gfx1030",
					      "-1.0.0",  "1..0",     "+1.0.0",  ".1.2" };
	HsaSystemProperties system;
	char quoted[64];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		messages[0] = '\0';
		setenv("HSA_OVERRIDE_GFX_VERSION", values[i], 1);
		assert_int_equal(acquire(&system), HSAKMT_STATUS_ERROR);
		snprintf(quoted, sizeof(quoted), "HSA_OVERRIDE_GFX_VERSION='%s'", values[i]);
		assert_non_null(strstr(messages, quoted));
	}
	unsetenv("HSA_OVERRIDE_GFX_VERSION");
	must_acquire(3);
}

struct seen {
	char variables[3][64];
	uint32_t gfx[3], override_gfx[3];
};

static void keep_override(const struct kmt_node_info *info, void *data)
{
	struct seen *seen = data;

	snprintf(seen->variables[info->node_id], sizeof(seen->variables[0]), "%s",
		 info->override_variable ? info->override_variable : "");
	seen->gfx[info->node_id] = info->gfx;
	seen->override_gfx[info->node_id] = info->override_gfx;
}

static void it_is_told_which_variable_took_effect(void **state)
{
	struct seen seen = { 0 };

	(void)state;
	setenv("HSA_OVERRIDE_GFX_VERSION_2", "10.3.1", 1);
	setenv("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 1);
	must_acquire(3);
	kmt_global_lock();
	kmt_topology_for_each_node(kmt_primary(), keep_override, &seen);
	kmt_global_unlock();
	assert_string_equal(seen.variables[0], "");
	assert_string_equal(seen.variables[1], "HSA_OVERRIDE_GFX_VERSION");
	assert_string_equal(seen.variables[2], "HSA_OVERRIDE_GFX_VERSION_2");
	assert_int_equal(seen.gfx[1], KMT_GFX(11, 0, 0));
	assert_int_equal(seen.override_gfx[1], KMT_GFX(10, 3, 0));
	assert_int_equal(seen.override_gfx[2], KMT_GFX(10, 3, 1));
	assert_non_null(strstr(messages, "node 2: HSA_OVERRIDE_GFX_VERSION_2='10.3.1' instead of "
					 "gfx 10.3.2"));
}

static void an_unknown_gpu_without_a_version_is_kept(void **state)
{
	HsaNodeProperties node;

	fake_device_set_key(*state, T "/nodes/2/properties", "gfx_target_version", "0");
	must_acquire(3);
	node = node_properties(2);
	check_engine(&node.EngineId, 0, 0, 0);
	assert_string_equal((const char *)node.AMDName, "GFX000000");
	assert_non_null(strstr(messages, "node 2: device id 0x0001 is unknown"));
}

static void the_device_table_goes_before_the_kernels_version(void **state)
{
	HsaNodeProperties node;

	/* Raven, printed as something else */
	fake_device_set_key(*state, T "/nodes/2/properties", "device_id", "5597");
	fake_device_set_key(*state, T "/nodes/2/properties", "gfx_target_version", "90000");
	must_acquire(3);
	node = node_properties(2);
	check_engine(&node.EngineId, 9, 0, 2);
	assert_string_equal((const char *)node.AMDName, "Raven");
}

static void the_device_table_is_not_asked_from_gfx11_on(void **state)
{
	HsaNodeProperties node;

	fake_device_set_key(*state, T "/nodes/2/properties", "device_id", "5597");
	fake_device_set_key(*state, T "/nodes/2/properties", "gfx_target_version", "120001");
	must_acquire(3);
	node = node_properties(2);
	check_engine(&node.EngineId, 12, 0, 1);
	assert_string_equal((const char *)node.AMDName, "GFX0c0001");
}

static void register_files_have_the_size_of_their_generation(void **state)
{
	static const struct {
		const char *version;
		uint32_t vgpr_bytes;
	} rows[] = {
		{ "80003", 0x40000 },  { "90000", 0x40000 },  { "90008", 0x80000 },
		{ "90010", 0x80000 },  { "90012", 0x40000 },  { "90400", 0x80000 },
		{ "90402", 0x80000 },  { "90500", 0x80000 },  { "100300", 0x40000 },
		{ "110000", 0x60000 }, { "110001", 0x60000 }, { "110002", 0x40000 },
		{ "115000", 0x40000 }, { "120000", 0x60000 }, { "120001", 0x60000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fake_device_set_key(*state, T "/nodes/2/properties", "gfx_target_version",
				    rows[i].version);
		must_acquire(3);
		assert_int_equal(node_properties(2).VGPRSizePerCU, rows[i].vgpr_bytes);
		assert_int_equal(node_properties(2).SGPRSizePerCU, 0x4000);
		kmt_release_system_properties(kmt_primary());
	}
}

static void odd_counts_divide_without_a_fault(void **state)
{
	HsaNodeProperties node;

	fake_device_set_key(*state, T "/nodes/1/properties", "simd_arrays_per_engine", "0");
	fake_device_set_key(*state, T "/nodes/1/properties", "num_xcc", "0");
	fake_device_set_key(*state, T "/nodes/2/properties", "simd_arrays_per_engine", "2");
	fake_device_set_key(*state, T "/nodes/2/properties", "fw_version", "2047");
	must_acquire(3);
	node = node_properties(1);
	assert_int_equal(node.NumShaderBanks, 32);
	assert_int_equal(node.NumXcc, 1);
	node = node_properties(2);
	assert_int_equal(node.NumShaderBanks, 16);
	assert_int_equal(node.NumArrays, 2);
	assert_int_equal(node.EngineId.ui32.uCode, 1023);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_two_gpus, teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_an_override_there_is_none),
		TEST(an_empty_override_is_no_override),
		TEST(an_override_concerns_all_gpus),
		TEST(a_numbered_override_concerns_that_node_only),
		TEST(a_numbered_override_goes_before_the_general_one),
		TEST(the_largest_version_fits),
		TEST(malformed_overrides_fail_and_are_named),
		TEST(it_is_told_which_variable_took_effect),
		TEST(an_unknown_gpu_without_a_version_is_kept),
		TEST(the_device_table_goes_before_the_kernels_version),
		TEST(the_device_table_is_not_asked_from_gfx11_on),
		TEST(register_files_have_the_size_of_their_generation),
		TEST(odd_counts_divide_without_a_fault),
	};

	return cmocka_run_group_tests_name("thunk/topology/engine", tests, NULL, NULL);
}
