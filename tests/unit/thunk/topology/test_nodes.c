/* SPDX-License-Identifier: MIT */
/* Nodes of the example trees, and which of them are shown (topology.md 3, 4, 10, 11). */
#include "topology_fixture.h"

static void tree_a_has_the_expected_system(void **state)
{
	HsaSystemProperties system;

	(void)state;
	assert_int_equal(acquire(&system), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(system.NumNodes, 2);
	assert_int_equal(system.PlatformOem, (uint32_t)35498446626881u);
	assert_int_equal(system.PlatformId, (uint32_t)35322352389441u);
	assert_int_equal(system.PlatformRev, 2);
}

static void tree_a_has_the_expected_cpu(void **state)
{
	HsaNodeProperties node;

	(void)state;
	must_acquire(2);
	node = node_properties(0);
	assert_int_equal(node.NumCPUCores, 8);
	assert_int_equal(node.NumFComputeCores, 0);
	assert_int_equal(node.NumIOLinks, 1);
	assert_int_equal(node.NumMemoryBanks, 1);
	assert_int_equal(node.KFDGpuID, 0);
	assert_int_equal(node.MaxEngineClockMhzCCompute, 3400);
	assert_int_equal(node.EngineId.Value, 0);
}

static void tree_a_has_the_expected_gpu(void **state)
{
	HsaNodeProperties node;

	(void)state;
	must_acquire(2);
	node = node_properties(1);
	assert_int_equal(node.NumCPUCores, 0);
	assert_int_equal(node.NumFComputeCores, 416);
	assert_int_equal(node.NumMemoryBanks, 4);
	assert_int_equal(node.NumCaches, 3);
	assert_int_equal(node.NumIOLinks, 1);
	assert_int_equal(node.FComputeIdLo, 2147487744u);
	assert_int_equal(node.Capability.Value, 746037888);
	assert_int_equal(node.MaxWavesPerSIMD, 8);
	assert_int_equal(node.LDSSizeInKB, 64);
	assert_int_equal(node.NumGws, 64);
	assert_int_equal(node.WaveFrontSize, 64);
	assert_int_equal(node.NumShaderBanks, 8);
	assert_int_equal(node.NumArrays, 1);
	assert_int_equal(node.NumXcc, 1);
	assert_int_equal(node.NumCUPerArray, 14);
	assert_int_equal(node.NumSIMDPerCU, 4);
	assert_int_equal(node.MaxSlotsScratchCU, 32);
	check_engine(&node.EngineId, 9, 0, 10);
	assert_int_equal(node.EngineId.ui32.uCode, 78);
	assert_int_equal(node.OverrideEngineId.Value, 0);
	assert_string_equal((const char *)node.AMDName, "Aldebaran");
	assert_int_equal(node.VendorId, 4098);
	assert_int_equal(node.DeviceId, 29711);
	assert_int_equal(node.LocationId, 49920);
	assert_int_equal(node.DrmRenderMinor, 128);
	assert_int_equal(node.NumSdmaEngines, 2);
	assert_int_equal(node.NumSdmaXgmiEngines, 3);
	assert_int_equal(node.NumSdmaQueuesPerEngine, 8);
	assert_int_equal(node.NumCpQueues, 24);
	assert_int_equal(node.MaxEngineClockMhzFCompute, 1700);
	assert_int_equal(node.uCodeEngineVersions.uCodeSDMA, 8);
	assert_true(node.DebugProperties.Value == 1511);
	assert_true(node.UniqueID == 1234605616436508552u);
	assert_int_equal(node.VGPRSizePerCU, 0x80000);
	assert_int_equal(node.SGPRSizePerCU, 0x4000);
	assert_int_equal(node.KFDGpuID, 40961);
	assert_int_equal(node.CwsrSize, 0);
}

static void tree_b_has_the_expected_gpus(void **state)
{
	(void)state;
	must_acquire(3);
	for (uint32_t i = 1; i <= 2; i++) {
		HsaNodeProperties node = node_properties(i);

		check_engine(&node.EngineId, 9, 4, 2);
		assert_int_equal(node.EngineId.ui32.uCode, 166);
		assert_string_equal((const char *)node.AMDName, "GFX090402");
		assert_int_equal(node.NumShaderBanks, 32);
		assert_int_equal(node.NumXcc, 8);
		assert_int_equal(node.VGPRSizePerCU, 0x80000);
		assert_int_equal(node.CwsrSize, 22003712);
		assert_int_equal(node.CtlStackSize, 28672);
		assert_true(node.HiveID == 7700712345678901234u);
		assert_true(node.UniqueID ==
			    (i == 1 ? 11111111111111111111u : 12222222222222222222u));
	}
}

static void lookups_know_both_directions(void **state)
{
	const uint32_t nodes[] = { 2, 0, 1 }, bad[] = { 1, 3 };
	uint32_t gpu_id, node_id, *gpu_ids = NULL;
	struct kmt_context *ctx = kmt_primary();

	(void)state;
	assert_int_equal(kmt_topology_gpu_id(ctx, 0, &gpu_id), HSAKMT_STATUS_INVALID_NODE_UNIT);
	must_acquire(3);
	assert_int_equal(kmt_topology_node_count(ctx), 3);
	assert_int_equal(kmt_topology_raw_node_count(ctx), 3);
	assert_int_equal(kmt_topology_gpu_id(ctx, 1, &gpu_id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(gpu_id, 51110);
	assert_int_equal(kmt_topology_gpu_id(ctx, 3, &gpu_id), HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_topology_node_of_gpu(ctx, 2987, &node_id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(node_id, 2);
	assert_int_equal(kmt_topology_node_of_gpu(ctx, 0, &node_id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(node_id, 0);
	assert_int_equal(kmt_topology_node_of_gpu(ctx, 1, &node_id),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_topology_gfx(ctx, 1), KMT_GFX(9, 4, 2));
	assert_int_equal(kmt_topology_gfx(ctx, 0), 0);
	assert_int_equal(kmt_topology_gfx(ctx, 7), 0);
	assert_int_equal(kmt_topology_gpu_ids(ctx, nodes, 3, &gpu_ids), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(gpu_ids[0], 2987);
	assert_int_equal(gpu_ids[1], 0);
	assert_int_equal(gpu_ids[2], 51110);
	free(gpu_ids);
	gpu_ids = NULL;
	assert_int_equal(kmt_topology_gpu_ids(ctx, nodes, 0, &gpu_ids),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_topology_gpu_ids(ctx, NULL, 1, &gpu_ids),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_topology_gpu_ids(ctx, bad, 2, &gpu_ids),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_topology_gpu_ids(ctx, bad, UINT64_MAX / 8, &gpu_ids),
			 HSAKMT_STATUS_NO_MEMORY);
	assert_null(gpu_ids);
}

static void a_missing_render_node_hides_its_gpu(void **state)
{
	fake_device_set_render_errno(*state, 129, ENOENT);
	must_acquire(2);
	assert_int_equal(node_properties(1).KFDGpuID, 51110);
	assert_int_equal(kmt_topology_raw_node_count(kmt_primary()), 3);
}

static void a_gpu_id_forbidden_by_a_cgroup_hides_its_gpu(void **state)
{
	HsaNodeProperties node;

	fake_device_set_file_errno(*state, T "/nodes/1/gpu_id", EPERM);
	must_acquire(2);
	node = node_properties(1);
	assert_int_equal(node.KFDGpuID, 2987);
	assert_int_equal(node.DrmRenderMinor, 129);
	assert_int_equal(kmt_topology_sysfs_id(kmt_primary(), 1), 2);
	assert_int_equal(kmt_topology_sysfs_id(kmt_primary(), 9), 9);
}

struct node_row {
	struct kmt_node_info info;
	bool has_properties;
};

struct node_rows {
	struct node_row rows[8];
	size_t count;
};

static void keep_row(const struct kmt_node_info *info, void *data)
{
	struct node_rows *rows = data;

	assert_true(rows->count < 8);
	rows->rows[rows->count].info = *info;
	rows->rows[rows->count++].has_properties = info->properties != NULL;
}

/* The container of U28: four GPUs, two render nodes passed in, one GPU forbidden by a cgroup. */
static void only_some_gpus_in_a_container_are_numbered_densely(void **state)
{
	struct fake_device *fake = *state;
	struct node_rows rows = { .count = 0 };
	struct kmt_topology_info info;
	char path[128], value[64];

	for (int gpu = 2; gpu <= 4; gpu++) {
		snprintf(path, sizeof(path), T "/nodes/%d/gpu_id", gpu);
		snprintf(value, sizeof(value), "%d\n", 1000 + gpu);
		fake_device_set_file(fake, path, value);
		snprintf(path, sizeof(path), T "/nodes/%d/properties", gpu);
		snprintf(value, sizeof(value), "simd_count 4\nlocation_id %d\n", gpu * 256);
		snprintf(value + strlen(value), sizeof(value) - strlen(value),
			 "drm_render_minor %d\n", 127 + gpu);
		fake_device_set_file(fake, path, value);
	}
	fake_device_set_file_errno(fake, T "/nodes/4/gpu_id", EPERM);
	fake_device_set_render_errno(fake, 129, ENOENT);
	must_acquire(3);
	kmt_global_lock();
	kmt_topology_for_each_node(kmt_primary(), keep_row, &rows);
	kmt_global_unlock();
	assert_int_equal(rows.count, 5);
	assert_int_equal(rows.rows[1].info.node_id, 1);
	assert_int_equal(rows.rows[1].info.sysfs_id, 1);
	assert_int_equal(rows.rows[1].info.gpu_id, 40961);
	assert_int_equal(rows.rows[2].info.node_id, 2);
	assert_int_equal(rows.rows[2].info.sysfs_id, 3);
	assert_int_equal(rows.rows[2].info.gpu_id, 1003);
	assert_int_equal(rows.rows[2].info.location_id, 3 * 256);
	assert_int_equal(rows.rows[2].info.render_minor, 130);
	assert_true(rows.rows[2].has_properties);
	assert_int_equal(rows.rows[3].info.node_id, INVALID_NODEID);
	assert_int_equal(rows.rows[3].info.sysfs_id, 2);
	assert_int_equal(rows.rows[3].info.gpu_id, 1002);
	assert_int_equal(rows.rows[3].info.render_minor, 129);
	assert_int_equal(rows.rows[3].info.hidden_errno, ENOENT);
	assert_false(rows.rows[3].has_properties);
	assert_int_equal(rows.rows[4].info.sysfs_id, 4);
	assert_int_equal(rows.rows[4].info.hidden_errno, EPERM);
	assert_true(kmt_topology_info(kmt_primary(), &info));
	assert_int_equal(info.raw_node_count, 5);
	assert_int_equal(info.hidden_count, 2);
}

static void check_open_fails(struct fake_device *fake)
{
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_ERROR);
	assert_int_equal(fake_device_live_fds(fake), 0);
}

static void broken_trees_fail_the_open(void **state)
{
	struct fake_device *fake = *state;

	fake_device_set_file_errno(fake, T "/nodes/1/gpu_id", EIO);
	check_open_fails(fake);
	fake_device_set_file(fake, T "/nodes/1/gpu_id", "\n");
	check_open_fails(fake);
	fake_device_remove(fake, T "/nodes/1/gpu_id");
	check_open_fails(fake);
	fake_device_set_file(fake, T "/nodes/1/gpu_id", "40961\n");
	fake_device_set_key(fake, T "/nodes/1/properties", "drm_render_minor", "0");
	check_open_fails(fake);
	fake_device_set_key(fake, T "/nodes/1/properties", "drm_render_minor", "300");
	check_open_fails(fake);
	fake_device_set_key(fake, T "/nodes/1/properties", "drm_render_minor", "128");
	fake_device_set_render_errno(fake, 128, EACCES);
	check_open_fails(fake);
	assert_non_null(strstr(messages, "render group"));
	fake_device_set_render_errno(fake, 128, 0);
	fake_device_remove(fake, T "/system_properties");
	check_open_fails(fake);
	fake_device_set_file(fake, T "/system_properties", "");
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
}

static void broken_details_fail_the_acquire(void **state)
{
	static const char *const files[] = {
		T "/generation_id",
		T "/nodes/1/mem_banks/0/properties",
		T "/nodes/1/caches/1/properties",
		T "/nodes/1/io_links/0/properties",
	};
	struct fake_device *fake = *state;
	HsaSystemProperties system;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		fake_device_set_file_errno(fake, files[i], EIO);
		assert_int_equal(acquire(&system), HSAKMT_STATUS_ERROR);
		assert_false(kmt_topology_held(kmt_primary()));
		fake_device_remove(fake, T);
		assert_true(fake_device_load_tree(fake, "a.tree"));
	}
	must_acquire(2);
}

static void properties_may_come_in_any_order_with_unknown_names(void **state)
{
	HsaNodeProperties node;

	fake_device_set_file(*state, T "/nodes/1/properties",
			     "max_engine_clk_ccompute 3400\nnot_yet_invented 7\nnum_xcc 2\n"
			     "drm_render_minor 128\nsimd_count 416\ncwsr_size 8192\n"
			     "gfx_target_version 110001\nfamily_id 145\n");
	must_acquire(2);
	node = node_properties(1);
	assert_int_equal(node.NumXcc, 2);
	assert_int_equal(node.CwsrSize, 8192);
	assert_int_equal(node.FamilyID, 145);
	assert_int_equal(node.NumMemoryBanks, 3);
	check_engine(&node.EngineId, 11, 0, 1);
}

static void the_svm_capability_follows_the_environment(void **state)
{
	(void)state;
	setenv("HSA_USE_SVM", "0", 1);
	fake_device_set_key(*state, T "/nodes/1/properties", "capability", "4294967295");
	must_acquire(2);
	assert_int_equal(node_properties(1).Capability.Value, 0xffffffffu & ~(1u << 27));
}

static void without_a_snapshot_or_with_a_wrong_node_there_is_no_node_unit(void **state)
{
	HsaNodeProperties node;
	HsaMemoryProperties bank;
	HsaCacheProperties cache;
	HsaIoLinkProperties link;
	uint64_t hz;

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	for (uint32_t id = 0; id < 4; id++) {
		const HSAKMT_STATUS none = HSAKMT_STATUS_INVALID_NODE_UNIT;

		if (id == 2)
			must_acquire(2);
		assert_int_equal(kmt_get_node_properties(kmt_primary(), id, &node), none);
		assert_int_equal(kmt_get_node_memory_properties(kmt_primary(), id, 1, &bank), none);
		assert_int_equal(kmt_get_node_cache_properties(kmt_primary(), id, 0, 1, &cache),
				 none);
		assert_int_equal(kmt_get_node_io_link_properties(kmt_primary(), id, 1, &link),
				 none);
		assert_int_equal(kmt_get_node_wallclock_frequency(kmt_primary(), id, &hz), none);
	}
}

static void the_drm_driver_names_the_gpu(void **state)
{
	const struct fake_gpu_info info = { .family_id = 141,
					    .ids_flags = 1,
					    .counter_freq_khz = 100000,
					    .marketing_name = "AMD Instinct MI210" };
	HsaNodeProperties node;
	uint64_t hz = 1;

	fake_device_set_gpu_info(*state, 128, &info);
	must_acquire(2);
	node = node_properties(1);
	assert_int_equal(node.FamilyID, 141);
	assert_int_equal(node.Integrated, 1);
	assert_true(node.WallClockKHz == 100000);
	for (size_t i = 0; i <= strlen(info.marketing_name); i++)
		assert_int_equal(node.MarketingName[i], info.marketing_name[i]);
	assert_int_equal(kmt_get_node_wallclock_frequency(kmt_primary(), 1, &hz),
			 HSAKMT_STATUS_SUCCESS);
	assert_true(hz == 100000000);
	assert_int_equal(kmt_get_node_wallclock_frequency(kmt_primary(), 0, &hz),
			 HSAKMT_STATUS_SUCCESS);
	assert_true(hz == 0);
}

static void without_libdrm_the_gpu_is_nameless(void **state)
{
	HsaNodeProperties node;

	fake_device_fail_next_drm(*state, DEVICE_DRM_DEVICE_INITIALIZE, EIO);
	must_acquire(2);
	node = node_properties(1);
	assert_int_equal(node.FamilyID, 0);
	assert_int_equal(node.MarketingName[0], 0);
	assert_int_equal(fake_device_live_fds(*state), 2);
}

int main(void)
{
#define TEST(name, tree) cmocka_unit_test_setup_teardown(name, setup_##tree, teardown)
	const struct CMUnitTest tests[] = {
		TEST(tree_a_has_the_expected_system, a),
		TEST(tree_a_has_the_expected_cpu, a),
		TEST(tree_a_has_the_expected_gpu, a),
		TEST(tree_b_has_the_expected_gpus, b),
		TEST(lookups_know_both_directions, b),
		TEST(a_missing_render_node_hides_its_gpu, b),
		TEST(a_gpu_id_forbidden_by_a_cgroup_hides_its_gpu, b),
		TEST(only_some_gpus_in_a_container_are_numbered_densely, a),
		TEST(broken_trees_fail_the_open, a),
		TEST(broken_details_fail_the_acquire, a),
		TEST(properties_may_come_in_any_order_with_unknown_names, a),
		TEST(the_svm_capability_follows_the_environment, a),
		TEST(without_a_snapshot_or_with_a_wrong_node_there_is_no_node_unit, a),
		TEST(the_drm_driver_names_the_gpu, a),
		TEST(without_libdrm_the_gpu_is_nameless, a),
	};

	return cmocka_run_group_tests_name("thunk/topology/nodes", tests, NULL, NULL);
}
