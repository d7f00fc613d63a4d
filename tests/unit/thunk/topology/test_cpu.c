/* SPDX-License-Identifier: MIT */
/* Names and caches of CPU nodes, and hosts that lack what they come from (U27, U29). */
#include "topology_fixture.h"

#define NUMA  "/sys/devices/system/node"
#define PLAIN "/sys/devices/system/cpu"

/* Four processors, two cores; apicids are 16 and up, so that they differ from the numbers. */
static const char four_cpus[] =
	"processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: EPYC Example 4-Core\n"
	"cpu MHz\t\t: 2000.0\napicid\t\t: 16\ncpu family\t: 25\n\n"
	"processor\t: 1\nvendor_id\t: AuthenticAMD\nmodel name\t: EPYC Example 4-Core\n"
	"apicid\t\t: 17\n\n"
	"processor\t: 2\nvendor_id\t: AuthenticAMD\nmodel name\t: EPYC Example 4-Core\n"
	"apicid\t\t: 18\n\n"
	"processor\t: 3\nvendor_id\t: AuthenticAMD\nmodel name\t: EPYC Example 4-Core\n"
	"apicid\t\t: 300\n\n";

struct cache_row {
	const char *list, *map, *level, *type, *size;
};

static void write_cache(struct fake_device *fake, const char *directory, int cpu, int index,
			const struct cache_row *row)
{
	const char *const names[] = { "shared_cpu_list",
				      "shared_cpu_map",
				      "level",
				      "type",
				      "size",
				      "coherency_line_size",
				      "ways_of_associativity",
				      "physical_line_partition" };
	const char *const values[] = { row->list, row->map, row->level, row->type,
				       row->size, "64\n",   "8\n",      "1\n" };
	char path[160];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/cpu%d/cache/index%d/%s", directory, cpu, index,
			 names[i]);
		fake_device_set_file(fake, path, values[i]);
	}
}

/* Each core: L1 data and instruction of its two threads; all share one L2. */
static void write_caches(struct fake_device *fake, const char *directory)
{
	static const struct cache_row rows[] = {
		{ "0-1\n", "00000000,00000003\n", "1\n", "Data\n", "32K\n" },
		{ "0-1\n", "00000000,00000003\n", "1\n", "Instruction\n", "64K\n" },
		{ "0-3\n", "00000000,0000000f\n", "2\n", "Unified\n", "4M\n" },
		{ "2-3\n", "00000000,0000000c\n", "1\n", "Data\n", "32K\n" },
		{ "2-3\n", "00000000,0000000c\n", "1\n", "Instruction\n", "64K\n" },
	};

	for (int cpu = 0; cpu < 4; cpu++)
		for (int index = 0; index < 3; index++)
			write_cache(fake, directory, cpu, index,
				    &rows[index == 2 ? 2 : index + (cpu / 2) * 3]);
}

static void check_caches(void)
{
	HsaCacheProperties caches[5];

	assert_int_equal(node_properties(0).NumCaches, 5);
	assert_int_equal(kmt_get_node_cache_properties(kmt_primary(), 0, 0, 5, caches),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(caches[0].ProcessorIdLow, 16);
	assert_int_equal(caches[0].CacheLevel, 1);
	assert_int_equal(caches[0].CacheSize, 32768);
	assert_int_equal(caches[0].CacheLineSize, 64);
	assert_int_equal(caches[0].CacheAssociativity, 8);
	assert_int_equal(caches[0].CacheLinesPerTag, 1);
	assert_int_equal(caches[0].CacheType.ui32.Data, 1);
	assert_int_equal(caches[0].CacheType.ui32.Instruction, 0);
	assert_int_equal(caches[0].CacheType.ui32.CPU, 1);
	assert_int_equal(caches[0].SiblingMap[15], 0);
	assert_int_equal(caches[0].SiblingMap[16], 1);
	assert_int_equal(caches[0].SiblingMap[17], 1);
	assert_int_equal(caches[0].SiblingMap[18], 0);
	assert_int_equal(caches[1].CacheType.ui32.Data, 0);
	assert_int_equal(caches[1].CacheType.ui32.Instruction, 1);
	assert_int_equal(caches[2].CacheSize, 4u << 20);
	assert_int_equal(caches[2].CacheType.ui32.Data, 1);
	assert_int_equal(caches[2].CacheType.ui32.Instruction, 1);
	assert_int_equal(caches[2].SiblingMap[18], 1);
	/* the other core's two; its fourth processor has an apicid beyond the map */
	assert_int_equal(caches[3].ProcessorIdLow, 18);
	assert_int_equal(caches[3].SiblingMap[18], 1);
	assert_int_equal(caches[4].CacheType.ui32.Instruction, 1);
}

static int setup_four_cpus(void **state)
{
	setup_a(state);
	fake_device_set_file(*state, "/proc/cpuinfo", four_cpus);
	fake_device_set_key(*state, T "/nodes/0/properties", "cpu_core_id_base", "16");
	return 0;
}

static void caches_come_from_the_numa_node(void **state)
{
	fake_device_set_file(*state, NUMA "/node0/cpulist", "0-3\n");
	write_caches(*state, NUMA "/node0");
	must_acquire(2);
	check_caches();
	assert_int_equal(warnings, 0);
}

static void shared_caches_are_read_from_their_owner_only(void **state)
{
	struct fake_device *fake = *state;

	fake_device_set_file(fake, NUMA "/node0/cpulist", "0-3\n");
	write_caches(fake, NUMA "/node0");
	must_acquire(2);
	assert_int_equal(fake_device_reads(fake, NUMA "/node0/cpu0/cache/index2/level"), 1);
	assert_int_equal(fake_device_reads(fake, NUMA "/node0/cpu3/cache/index2/level"), 0);
	assert_int_equal(fake_device_reads(fake, NUMA "/node0/cpu3/cache/index2/shared_cpu_list"),
			 0);
}

static void a_numa_node_without_a_cpu_list_is_searched(void **state)
{
	write_caches(*state, NUMA "/node0");
	must_acquire(2);
	check_caches();
}

static void a_cpu_list_may_have_gaps(void **state)
{
	fake_device_set_file(*state, NUMA "/node0/cpulist", "0,2\n");
	write_caches(*state, NUMA "/node0");
	must_acquire(2);
	assert_int_equal(node_properties(0).NumCaches, 5);
}

/* U27, first run. */
static void without_numa_the_plain_directory_serves_node_0(void **state)
{
	write_caches(*state, PLAIN);
	must_acquire(2);
	check_caches();
	assert_int_equal(warnings, 1);
	assert_non_null(strstr(messages, NUMA "/node0"));
	assert_int_equal(node_properties(1).NumCaches, 3);
}

/* U27, second run. */
static void without_any_cache_directory_there_are_no_caches(void **state)
{
	HsaCacheProperties cache;

	(void)state;
	must_acquire(2);
	assert_int_equal(node_properties(0).NumCaches, 0);
	assert_int_equal(kmt_get_node_cache_properties(kmt_primary(), 0, 0, 0, &cache),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_node_cache_properties(kmt_primary(), 0, 0, 1, &cache),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(warnings, 1);
	assert_int_equal(node_properties(1).NumCaches, 3);
}

/* U27, third run: the plain directory belongs to node 0 alone. */
static void without_numa_a_second_cpu_node_has_no_caches(void **state)
{
	struct fake_device *fake = *state;

	write_caches(fake, PLAIN);
	fake_device_set_file(fake, T "/nodes/2/gpu_id", "0\n");
	fake_device_set_file(fake, T "/nodes/2/properties", "cpu_cores_count 8\n");
	must_acquire(3);
	check_caches();
	assert_int_equal(node_properties(2).NumCaches, 0);
	assert_int_equal(warnings, 1);
	assert_int_equal(node_properties(1).KFDGpuID, 40961);
}

static void check_name(uint32_t node_id, const char *name)
{
	HsaNodeProperties node = node_properties(node_id);

	for (size_t i = 0; i <= strlen(name); i++)
		assert_int_equal(node.MarketingName[i], (unsigned char)name[i]);
	assert_string_equal((const char *)node.AMDName, name);
}

static void the_cpu_is_named_by_its_first_core(void **state)
{
	(void)state;
	must_acquire(2);
	check_name(0, "EPYC Example 4-Core");
}

static void a_cpu_with_a_device_id_keeps_its_amd_name_free(void **state)
{
	HsaNodeProperties node;

	fake_device_set_key(*state, T "/nodes/0/properties", "device_id", "5");
	must_acquire(2);
	node = node_properties(0);
	assert_int_equal(node.MarketingName[0], 'E');
	assert_int_equal(node.AMDName[0], 0);
}

static void a_long_name_is_cut_and_ended(void **state)
{
	HsaNodeProperties node;
	char text[256];

	snprintf(text, sizeof(text),
		 "processor : 0\nvendor_id : GenuineIntel\nmodel name : %0100d\n"
		 "apicid : 16\n",
		 0);
	fake_device_set_file(*state, "/proc/cpuinfo", text);
	must_acquire(2);
	node = node_properties(0);
	assert_int_equal(node.MarketingName[62], '0');
	assert_int_equal(node.MarketingName[63], 0);
	assert_int_equal(strlen((const char *)node.AMDName), 63);
}

static void without_a_matching_core_the_name_is_empty(void **state)
{
	fake_device_set_key(*state, T "/nodes/0/properties", "cpu_core_id_base", "99");
	must_acquire(2);
	check_name(0, "");
}

/* U29 (a), (b), (c), and worse. */
static void odd_processor_files_are_survived_with_one_warning(void **state)
{
	static const char *const texts[] = {
		"processor\t: 0\nhart\t\t: 0\nisa\t: rv64imafdc\n\nprocessor\t: 1\nhart\t: 1\n",
		"processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: X\napicid\t: 0\n\n"
		"processor\t: 2\nvendor_id\t: AuthenticAMD\nmodel name\t: X\napicid\t: 2\n\n"
		"processor\t: 64\nvendor_id\t: AuthenticAMD\nmodel name\t: X\napicid\t: 64\n",
		"processor\t: 0\nvendor_id\t: MysteryChips\nmodel name\t: X\napicid\t: 0\n",
		"",
		"\n\n:::\nprocessor\nprocessor\t:\nmodel name: nobody's\n",
	};
	struct fake_device *fake = *state;

	fake_device_set_file(fake, NUMA "/node0/cpulist", "0-3\n");
	write_caches(fake, NUMA "/node0");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		warnings = 0;
		fake_device_set_file(fake, "/proc/cpuinfo", texts[i]);
		must_acquire(2);
		assert_int_equal(warnings, 1);
		assert_int_equal(node_properties(0).NumCaches, 5);
		assert_int_equal(node_properties(1).KFDGpuID, 40961);
		kmt_release_system_properties(kmt_primary());
	}
	fake_device_remove(fake, "/proc/cpuinfo");
	must_acquire(2);
	assert_int_equal(node_properties(1).KFDGpuID, 40961);
}

static void absurd_processor_numbers_are_ignored(void **state)
{
	fake_device_set_file(*state, "/proc/cpuinfo",
			     "processor : 99999999999999999999\nmodel name : X\n\n"
			     "processor : 8192\n\nprocessor : 16\nmodel name : Good\n"
			     "vendor_id : GenuineIntel\napicid : 16\n");
	must_acquire(2);
	check_name(0, "Good");
}

static void a_file_of_many_processors_is_read_whole(void **state)
{
	const int count = 2000;
	size_t size = (size_t)count * 256, used = 0;
	char *text = malloc(size);

	assert_non_null(text);
	for (int i = 0; i < count; i++)
		used += (size_t)snprintf(
			text + used, size - used,
			"processor\t: %d\nvendor_id\t: AuthenticAMD\n"
			"model name\t: CPU %d\napicid\t\t: %d\nflags\t: %0100d\n\n",
			i, i, i, 0);
	fake_device_set_file(*state, "/proc/cpuinfo", text);
	free(text);
	fake_device_set_key(*state, T "/nodes/0/properties", "cpu_core_id_base", "1999");
	must_acquire(2);
	check_name(0, "CPU 1999");
}

static void power9_counts_numa_nodes_by_eight(void **state)
{
	static const struct cache_row row = { "0-3\n", "0f\n", "1\n", "Data\n", "32K\n" };
	struct fake_device *fake = *state;

	fake_device_set_file(fake, "/proc/cpuinfo",
			     "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n\n"
			     "processor\t: 8\ncpu\t\t: POWER9, altivec supported\n");
	fake_device_set_key(fake, T "/nodes/0/properties", "cpu_core_id_base", "0");
	fake_device_set_file(fake, T "/nodes/2/gpu_id", "0\n");
	fake_device_set_file(fake, T "/nodes/2/properties", "cpu_cores_count 8\n");
	fake_device_set_file(fake, NUMA "/node16/cpulist", "8-11\n");
	for (int cpu = 8; cpu < 12; cpu++)
		write_cache(fake, NUMA "/node16", cpu, 0, &row);
	must_acquire(3);
	check_name(0, "POWER9");
	assert_int_equal(node_properties(2).NumCaches, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_four_cpus, teardown)
	const struct CMUnitTest tests[] = {
		TEST(caches_come_from_the_numa_node),
		TEST(shared_caches_are_read_from_their_owner_only),
		TEST(a_numa_node_without_a_cpu_list_is_searched),
		TEST(a_cpu_list_may_have_gaps),
		TEST(without_numa_the_plain_directory_serves_node_0),
		TEST(without_any_cache_directory_there_are_no_caches),
		TEST(without_numa_a_second_cpu_node_has_no_caches),
		TEST(the_cpu_is_named_by_its_first_core),
		TEST(a_cpu_with_a_device_id_keeps_its_amd_name_free),
		TEST(a_long_name_is_cut_and_ended),
		TEST(without_a_matching_core_the_name_is_empty),
		TEST(odd_processor_files_are_survived_with_one_warning),
		TEST(absurd_processor_numbers_are_ignored),
		TEST(a_file_of_many_processors_is_read_whole),
		TEST(power9_counts_numa_nodes_by_eight),
	};

	return cmocka_run_group_tests_name("thunk/topology/cpu", tests, NULL, NULL);
}
