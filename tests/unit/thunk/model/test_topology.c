/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "model.h"
#include "topology.h"

static void open_tree(struct kfd_model_topology *topology, const char *name)
{
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/%s", KFDSCOPE_TOPOLOGIES, name);
	assert_int_equal(kfd_model_topology_init(topology, dir), 0);
}

/* The worked examples of queues.md 4.5, which user space computes in the same way. */
static void save_areas_have_the_sizes_that_user_space_computes(void **state)
{
	static const struct {
		const char *tree;
		uint32_t node, stack, area, debug;
	} examples[] = {
		{ "gfx906", 1, 0x5000, 0x13f1000, 0x10000 },
		{ "gfx90a", 1, 0x9000, 0x3c91000, 0x20000 },
		{ "gfx942x8", 2, 0x3000, 0x1621000, 0xbe00 },
		{ "gfx1030", 1, 0x7000, 0x1a97000, 0x14000 },
		{ "gfx1100", 1, 0xa000, 0x2bea000, 0x18000 },
		{ "gfx1201", 1, 0x7000, 0x1d47000, 0x10000 },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct kfd_model_topology topology;
		const struct kfd_model_node *node;

		open_tree(&topology, examples[i].tree);
		node = &topology.nodes[examples[i].node];
		assert_int_equal(node->ctl_stack_size, examples[i].stack);
		assert_int_equal(node->cwsr_size, examples[i].area);
		assert_int_equal(kfd_model_debug_area_bytes(node), examples[i].debug);
		kfd_model_topology_fini(&topology);
	}
}

static void sixty_four_partitions_are_told_apart(void **state)
{
	struct kfd_model_topology topology;

	(void)state;
	open_tree(&topology, "gfx942x64");
	assert_int_equal(topology.node_count, 66);
	assert_int_equal(topology.gpu_count, 64);
	for (uint32_t i = 2; i < 66; i++) {
		assert_int_equal(topology.nodes[i].render_minor, 126 + i);
		for (uint32_t j = 2; j < i; j++) {
			assert_true(topology.nodes[i].gpu_id != topology.nodes[j].gpu_id);
			assert_true(topology.nodes[i].location_id !=
					    topology.nodes[j].location_id ||
				    topology.nodes[i].domain != topology.nodes[j].domain);
		}
	}
	kfd_model_topology_fini(&topology);
}

static void an_apu_has_both_kinds_of_cores(void **state)
{
	struct kfd_model_topology topology;

	(void)state;
	open_tree(&topology, "apu");
	assert_int_equal(topology.node_count, 1);
	assert_true(topology.nodes[0].is_apu);
	assert_int_equal(topology.system_bytes, 16777216000);
	assert_int_equal(topology.nodes[0].vram_bytes, 2147483648);
	kfd_model_topology_fini(&topology);
}

static void invisible_vram_is_counted_apart(void **state)
{
	struct kfd_model_topology topology;

	(void)state;
	open_tree(&topology, "gfx1030");
	assert_int_equal(topology.nodes[1].visible_vram_bytes, 0);
	assert_int_equal(topology.nodes[1].vram_bytes, 17163091968);
	kfd_model_topology_fini(&topology);
}

static void a_directory_without_nodes_is_refused(void **state)
{
	struct kfd_model_topology topology;

	(void)state;
	assert_int_equal(kfd_model_topology_init(&topology, "/nowhere"), -ENOENT);
	assert_null(topology.nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(save_areas_have_the_sizes_that_user_space_computes),
		cmocka_unit_test(sixty_four_partitions_are_told_apart),
		cmocka_unit_test(an_apu_has_both_kinds_of_cores),
		cmocka_unit_test(invisible_vram_is_counted_apart),
		cmocka_unit_test(a_directory_without_nodes_is_refused),
	};

	return cmocka_run_group_tests_name("thunk/model/topology", tests, NULL, NULL);
}
