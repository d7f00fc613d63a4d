/* SPDX-License-Identifier: MIT */
/* Links between nodes: as listed, renumbered, and synthesised for old kernels (topology.md 7). */
#include "topology_fixture.h"

struct link {
	uint32_t from, to, type, weight;
};

#define PCIE 2
#define QPI  5
#define XGMI 11

/* Compares the links of all nodes, in their order, with a list that ends with weight 0. */
static void check_links(const struct link *expected)
{
	uint32_t node_count = kmt_topology_node_count(kmt_primary());

	for (uint32_t node_id = 0; node_id < node_count; node_id++) {
		HsaIoLinkProperties links[8];
		uint32_t count = node_properties(node_id).NumIOLinks;

		assert_true(count <= 8);
		assert_int_equal(
			kmt_get_node_io_link_properties(kmt_primary(), node_id, count, links),
			HSAKMT_STATUS_SUCCESS);
		for (uint32_t i = 0; i < count; i++, expected++) {
			assert_true(expected->weight);
			assert_int_equal(links[i].NodeFrom, expected->from);
			assert_int_equal(links[i].NodeTo, expected->to);
			assert_int_equal(links[i].IoLinkType, expected->type);
			assert_int_equal(links[i].Weight, expected->weight);
		}
	}
	assert_int_equal(expected->weight, 0);
}

static void tree_a_links_cpu_and_gpu(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 }, { 1, 0, PCIE, 20 }, { 0 } };
	HsaIoLinkProperties link;

	(void)state;
	must_acquire(2);
	check_links(expected);
	assert_int_equal(kmt_get_node_io_link_properties(kmt_primary(), 1, 1, &link),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(link.MaximumBandwidth, 31504);
	assert_int_equal(link.Flags.LinkProperty, 1);
}

static void tree_b_links_everything(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 },
						{ 0, 2, PCIE, 20 },
						{ 1, 0, PCIE, 20 },
						{ 1, 2, XGMI, 15 },
						{ 2, 0, PCIE, 20 },
						{ 2, 1, XGMI, 15 },
						{ 0 } };
	HsaIoLinkProperties links[2];

	(void)state;
	must_acquire(3);
	check_links(expected);
	assert_int_equal(kmt_get_node_io_link_properties(kmt_primary(), 1, 2, links),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(links[1].RecSdmaEngIdMask, 16);
	assert_int_equal(links[1].MinimumBandwidth, 50000);
	assert_int_equal(kmt_topology_nearest_cpu(kmt_primary(), 1), 0);
	assert_int_equal(kmt_topology_nearest_cpu(kmt_primary(), 0), INVALID_NODEID);
	assert_int_equal(kmt_topology_nearest_cpu(kmt_primary(), 3), INVALID_NODEID);
}

static void asking_for_more_links_than_there_are_is_refused(void **state)
{
	HsaIoLinkProperties links[4];

	(void)state;
	must_acquire(3);
	memset(links, 0xa5, sizeof(links));
	assert_int_equal(kmt_get_node_io_link_properties(kmt_primary(), 1, 3, links),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_get_node_io_link_properties(kmt_primary(), 1, 1, links),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(links[0].NodeTo, 0);
	assert_int_equal(links[1].NodeTo, 0xa5a5a5a5);
	assert_int_equal(kmt_get_node_io_link_properties(kmt_primary(), 1, 0, links),
			 HSAKMT_STATUS_SUCCESS);
}

static void links_to_a_hidden_node_are_left_out(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 }, { 1, 0, PCIE, 20 }, { 0 } };

	fake_device_set_render_errno(*state, 129, ENOENT);
	must_acquire(2);
	check_links(expected);
}

static void links_are_renumbered_when_a_node_before_is_hidden(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 }, { 1, 0, PCIE, 20 }, { 0 } };

	fake_device_set_file_errno(*state, T "/nodes/1/gpu_id", EPERM);
	must_acquire(2);
	check_links(expected);
}

static void remove_p2p_keys(struct fake_device *fake, int node_count)
{
	char path[128];

	for (int i = 0; i < node_count; i++) {
		snprintf(path, sizeof(path), T "/nodes/%d/properties", i);
		assert_true(fake_device_set_key(fake, path, "p2p_links_count", NULL));
	}
}

static void nothing_is_synthesised_inside_a_hive(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 },
						{ 0, 2, PCIE, 20 },
						{ 1, 0, PCIE, 20 },
						{ 1, 2, XGMI, 15 },
						{ 2, 0, PCIE, 20 },
						{ 2, 1, XGMI, 15 },
						{ 0 } };

	remove_p2p_keys(*state, 3);
	must_acquire(3);
	check_links(expected);
}

/* Two GPUs behind one CPU that know nothing of each other. */
static void separate_gpus(struct fake_device *fake)
{
	char path[128];

	for (int i = 1; i <= 2; i++) {
		snprintf(path, sizeof(path), T "/nodes/%d/properties", i);
		assert_true(fake_device_set_key(fake, path, "hive_id", "0"));
		assert_true(fake_device_set_key(fake, path, "io_links_count", "1"));
		snprintf(path, sizeof(path), T "/nodes/%d/io_links/1", i);
		fake_device_remove(fake, path);
	}
}

static void gpus_of_one_cpu_are_joined_for_old_kernels(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 },
						{ 0, 2, PCIE, 20 },
						{ 1, 0, PCIE, 20 },
						{ 1, 2, PCIE, 40 },
						{ 2, 0, PCIE, 20 },
						{ 2, 1, PCIE, 40 },
						{ 0 } };

	remove_p2p_keys(*state, 3);
	separate_gpus(*state);
	must_acquire(3);
	check_links(expected);
}

static void new_kernels_get_no_synthesised_links(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 },
						{ 0, 2, PCIE, 20 },
						{ 1, 0, PCIE, 20 },
						{ 2, 0, PCIE, 20 },
						{ 0 } };

	separate_gpus(*state);
	must_acquire(3);
	check_links(expected);
}

static void no_path_leads_to_private_memory(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 }, { 0, 2, PCIE, 20 },
						{ 1, 0, PCIE, 20 }, { 2, 0, PCIE, 20 },
						{ 2, 1, PCIE, 40 }, { 0 } };

	remove_p2p_keys(*state, 3);
	separate_gpus(*state);
	assert_true(
		fake_device_set_key(*state, T "/nodes/2/mem_banks/0/properties", "heap_type", "2"));
	must_acquire(3);
	check_links(expected);
}

static void write_link(struct fake_device *fake, int node, int index, int to, int type, int weight)
{
	char path[128], content[128];

	snprintf(path, sizeof(path), T "/nodes/%d/io_links/%d/properties", node, index);
	snprintf(content, sizeof(content), "type %d\nnode_from %d\nnode_to %d\nweight %d\n", type,
		 node, to, weight);
	fake_device_set_file(fake, path, content);
}

static void write_node(struct fake_device *fake, int node, int gpu_id, int links)
{
	char path[128], content[256];

	snprintf(path, sizeof(path), T "/nodes/%d/gpu_id", node);
	snprintf(content, sizeof(content), "%d\n", gpu_id);
	fake_device_set_file(fake, path, content);
	snprintf(path, sizeof(path), T "/nodes/%d/mem_banks/0/properties", node);
	fake_device_set_file(fake, path,
			     gpu_id ? "heap_type 1\nsize_in_bytes 4096\n"
				    : "heap_type 0\nsize_in_bytes 4096\n");
	snprintf(path, sizeof(path), T "/nodes/%d/properties", node);
	snprintf(content, sizeof(content),
		 "cpu_cores_count %d\nsimd_count %d\nmem_banks_count 1\nio_links_count %d\n"
		 "gfx_target_version 90006\ndrm_render_minor %d\n",
		 gpu_id ? 0 : 4, gpu_id ? 64 : 0, links, gpu_id ? 128 + node : 0);
	fake_device_set_file(fake, path, content);
}

/* Two sockets, one GPU behind each; qpi_weight joins the sockets. */
static void write_two_sockets(struct fake_device *fake, int socket_type, int socket_weight)
{
	fake_device_remove(fake, T "/nodes");
	write_node(fake, 0, 0, 2);
	write_link(fake, 0, 0, 1, socket_type, socket_weight);
	write_link(fake, 0, 1, 2, PCIE, 20);
	write_node(fake, 1, 0, 2);
	write_link(fake, 1, 0, 0, socket_type, socket_weight);
	write_link(fake, 1, 1, 3, PCIE, 20);
	write_node(fake, 2, 12, 1);
	write_link(fake, 2, 0, 0, PCIE, 20);
	write_node(fake, 3, 13, 1);
	write_link(fake, 3, 0, 1, PCIE, 20);
}

static void gpus_of_two_sockets_are_joined_over_both(void **state)
{
	static const struct link expected[] = { { 0, 1, QPI, 10 },  { 0, 2, PCIE, 20 },
						{ 0, 3, QPI, 30 }, /* CPU to far GPU */
						{ 1, 0, QPI, 10 },  { 1, 3, PCIE, 20 },
						{ 1, 2, QPI, 30 },  { 2, 0, PCIE, 20 },
						{ 2, 1, QPI, 30 },  { 2, 3, QPI, 50 },
						{ 3, 1, PCIE, 20 }, { 3, 0, QPI, 30 },
						{ 3, 2, QPI, 50 },  { 0 } };

	write_two_sockets(*state, QPI, 10);
	must_acquire(4);
	check_links(expected);
	assert_int_equal(kmt_topology_nearest_cpu(kmt_primary(), 2), 0);
	assert_int_equal(kmt_topology_nearest_cpu(kmt_primary(), 3), 1);
}

static void a_long_way_between_sockets_does_not_join_gpus(void **state)
{
	static const struct link expected[] = { { 0, 1, QPI, 21 },
						{ 0, 2, PCIE, 20 },
						{ 0, 3, QPI, 41 },
						{ 1, 0, QPI, 21 },
						{ 1, 3, PCIE, 20 },
						{ 1, 2, QPI, 41 },
						{ 2, 0, PCIE, 20 },
						{ 2, 1, QPI, 41 },
						{ 3, 1, PCIE, 20 },
						{ 3, 0, QPI, 41 },
						{ 0 } };

	write_two_sockets(*state, QPI, 21);
	must_acquire(4);
	check_links(expected);
}

static void a_cpu_without_memory_is_nobodys_nearest(void **state)
{
	fake_device_set_key(*state, T "/nodes/0/mem_banks/0/properties", "size_in_bytes", "0");
	must_acquire(2);
	assert_int_equal(kmt_topology_nearest_cpu(kmt_primary(), 1), INVALID_NODEID);
}

static void links_in_the_wrong_place_fail_the_snapshot(void **state)
{
	HsaSystemProperties system;

	write_link(*state, 1, 0, 0, PCIE, 20);
	fake_device_set_key(*state, T "/nodes/1/io_links/0/properties", "node_from", "0");
	assert_int_equal(acquire(&system), HSAKMT_STATUS_INVALID_NODE_UNIT);
	fake_device_set_key(*state, T "/nodes/1/io_links/0/properties", "node_from", "1");
	fake_device_set_key(*state, T "/nodes/1/io_links/0/properties", "node_to", "7");
	assert_int_equal(acquire(&system), HSAKMT_STATUS_ERROR);
	fake_device_set_key(*state, T "/nodes/1/io_links/0/properties", "node_to", "0");
	must_acquire(2);
}

static void forbidden_and_empty_links_are_left_out(void **state)
{
	static const struct link expected[] = {
		{ 1, 0, PCIE, 20 }, { 2, 0, PCIE, 20 }, { 2, 1, XGMI, 15 }, { 0 }
	};

	fake_device_set_file_errno(*state, T "/nodes/0/io_links/0/properties", EPERM);
	fake_device_set_file(*state, T "/nodes/0/io_links/1/properties", "");
	fake_device_set_file(*state, T "/nodes/1/io_links/1/properties", "");
	must_acquire(3);
	check_links(expected);
}

static void p2p_links_follow_the_direct_ones(void **state)
{
	static const struct link expected[] = { { 0, 1, PCIE, 20 }, { 0, 2, PCIE, 20 },
						{ 1, 0, PCIE, 20 }, { 1, 2, PCIE, 40 },
						{ 2, 0, PCIE, 20 }, { 0 } };

	separate_gpus(*state);
	fake_device_set_key(*state, T "/nodes/1/properties", "p2p_links_count", "1");
	fake_device_set_file(*state, T "/nodes/1/p2p_links/0/properties",
			     "type 2\nnode_from 1\nnode_to 2\nweight 40\n");
	must_acquire(3);
	check_links(expected);
}

static void more_links_than_other_nodes_are_dropped(void **state)
{
	fake_device_set_key(*state, T "/nodes/1/properties", "p2p_links_count", "1");
	fake_device_set_file(*state, T "/nodes/1/p2p_links/0/properties",
			     "type 2\nnode_from 1\nnode_to 0\nweight 40\n");
	must_acquire(2);
	assert_int_equal(node_properties(1).NumIOLinks, 1);
	assert_non_null(strstr(messages, "dropped"));
}

int main(void)
{
#define TEST(name, tree) cmocka_unit_test_setup_teardown(name, setup_##tree, teardown)
	const struct CMUnitTest tests[] = {
		TEST(tree_a_links_cpu_and_gpu, a),
		TEST(tree_b_links_everything, b),
		TEST(asking_for_more_links_than_there_are_is_refused, b),
		TEST(links_to_a_hidden_node_are_left_out, b),
		TEST(links_are_renumbered_when_a_node_before_is_hidden, b),
		TEST(nothing_is_synthesised_inside_a_hive, b),
		TEST(gpus_of_one_cpu_are_joined_for_old_kernels, b),
		TEST(new_kernels_get_no_synthesised_links, b),
		TEST(no_path_leads_to_private_memory, b),
		TEST(gpus_of_two_sockets_are_joined_over_both, a),
		TEST(a_long_way_between_sockets_does_not_join_gpus, a),
		TEST(a_cpu_without_memory_is_nobodys_nearest, a),
		TEST(links_in_the_wrong_place_fail_the_snapshot, a),
		TEST(forbidden_and_empty_links_are_left_out, b),
		TEST(p2p_links_follow_the_direct_ones, b),
		TEST(more_links_than_other_nodes_are_dropped, a),
	};

	return cmocka_run_group_tests_name("thunk/topology/links", tests, NULL, NULL);
}
