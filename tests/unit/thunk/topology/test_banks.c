/* SPDX-License-Identifier: MIT */
/* Memory banks and caches that callers see (topology.md 5, 9). */
#include "topology_fixture.h"

#define SVM_BASE  0x1000000u
#define SVM_LIMIT 0x7fffffffffffu

/* The apertures that go with tree A. */
static int setup_apertures(void **state)
{
	setup_a(state);
	fake_modules.apertures[KMT_APERTURE_LDS].base = 0x1000000000000;
	fake_modules.apertures[KMT_APERTURE_LDS].limit = 0x10000ffffffff;
	fake_modules.apertures[KMT_APERTURE_SCRATCH].base = 0x2000000000000;
	fake_modules.apertures[KMT_APERTURE_SCRATCH].limit = 0x20000ffffffff;
	fake_modules.apertures[KMT_APERTURE_SVM].base = SVM_BASE;
	fake_modules.apertures[KMT_APERTURE_SVM].limit = SVM_LIMIT;
	fake_modules.apertures[KMT_APERTURE_MMIO].base = 0x7f0000000000;
	fake_modules.apertures[KMT_APERTURE_MMIO].limit = 0x7f0000000fff;
	return 0;
}

static void check_bank(const HsaMemoryProperties *bank, HSA_HEAPTYPE type, uint64_t base,
		       uint64_t size_bytes)
{
	assert_int_equal(bank->HeapType, type);
	assert_true(bank->VirtualBaseAddress == base);
	assert_true(bank->SizeInBytes == size_bytes);
}

static void a_gpu_has_its_own_banks_and_the_apertures(void **state)
{
	HsaMemoryProperties banks[7];

	(void)state;
	must_acquire(2);
	assert_int_equal(node_properties(1).NumMemoryBanks, 5);
	memset(banks, 0xa5, sizeof(banks));
	assert_int_equal(kmt_get_node_memory_properties(kmt_primary(), 1, 6, banks),
			 HSAKMT_STATUS_SUCCESS);
	check_bank(&banks[0], HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC, 0, 68702699520u);
	assert_int_equal(banks[0].Width, 4096);
	assert_int_equal(banks[0].MemoryClockMax, 1600);
	check_bank(&banks[1], HSA_HEAPTYPE_GPU_LDS, 0x1000000000000, 65536);
	check_bank(&banks[2], HSA_HEAPTYPE_GPU_SCRATCH, 0x2000000000000, 0x100000000);
	check_bank(&banks[3], HSA_HEAPTYPE_DEVICE_SVM, SVM_BASE, 0x7fffff000000);
	check_bank(&banks[4], HSA_HEAPTYPE_MMIO_REMAP, 0x7f0000000000,
		   kmt_process()->page_size_bytes);
	/* One more was asked for than there is: zeroed, and not beyond. */
	check_bank(&banks[5], HSA_HEAPTYPE_SYSTEM, 0, 0);
	assert_true(banks[6].SizeInBytes == 0xa5a5a5a5a5a5a5a5);
}

static void without_the_mmio_page_there_is_one_bank_less(void **state)
{
	HsaMemoryProperties banks[5];

	(void)state;
	fake_modules.apertures[KMT_APERTURE_MMIO].limit = 0;
	must_acquire(2);
	assert_int_equal(node_properties(1).NumMemoryBanks, 4);
	assert_int_equal(kmt_get_node_memory_properties(kmt_primary(), 1, 5, banks),
			 HSAKMT_STATUS_SUCCESS);
	check_bank(&banks[4], HSA_HEAPTYPE_SYSTEM, 0, 0);
}

static void a_short_array_is_filled_and_no_more(void **state)
{
	HsaMemoryProperties banks[3];

	(void)state;
	must_acquire(2);
	for (uint32_t count = 0; count < 3; count++) {
		memset(banks, 0xa5, sizeof(banks));
		assert_int_equal(kmt_get_node_memory_properties(kmt_primary(), 1, count, banks),
				 HSAKMT_STATUS_SUCCESS);
		assert_true(banks[count].SizeInBytes == 0xa5a5a5a5a5a5a5a5);
	}
	check_bank(&banks[1], HSA_HEAPTYPE_GPU_LDS, 0x1000000000000, 65536);
}

static void a_cpu_has_no_apertures(void **state)
{
	HsaMemoryProperties banks[2];

	(void)state;
	must_acquire(2);
	assert_int_equal(node_properties(0).NumMemoryBanks, 1);
	assert_int_equal(kmt_get_node_memory_properties(kmt_primary(), 0, 2, banks),
			 HSAKMT_STATUS_SUCCESS);
	check_bank(&banks[0], HSA_HEAPTYPE_SYSTEM, 0, 137438953472u);
	check_bank(&banks[1], HSA_HEAPTYPE_SYSTEM, 0, 0);
}

static void kaveri_alone_has_private_memory_behind_its_aperture(void **state)
{
	HsaMemoryProperties banks[6];

	fake_modules.apertures[KMT_APERTURE_GPUVM].base = 0x4000;
	fake_modules.apertures[KMT_APERTURE_GPUVM].limit = 0xffffffffff;
	fake_device_set_key(*state, T "/nodes/1/properties", "device_id", "4868"); /* 0x1304 */
	fake_device_set_key(*state, T "/nodes/1/properties", "local_mem_size", "1073741824");
	must_acquire(2);
	assert_int_equal(kmt_get_node_memory_properties(kmt_primary(), 1, 6, banks),
			 HSAKMT_STATUS_SUCCESS);
	check_bank(&banks[1], HSA_HEAPTYPE_GPU_LDS, 0x1000000000000, 65536);
	check_bank(&banks[2], HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE, 0x4000, 1073741824);
	check_bank(&banks[3], HSA_HEAPTYPE_GPU_SCRATCH, 0x2000000000000, 0x100000000);
	/* and no SVM, being older than gfx9 in a process without another GPU */
	check_bank(&banks[4], HSA_HEAPTYPE_MMIO_REMAP, 0x7f0000000000,
		   kmt_process()->page_size_bytes);
}

static void caches_come_as_the_kernel_lists_them(void **state)
{
	HsaCacheProperties caches[4];

	(void)state;
	must_acquire(2);
	memset(caches, 0xa5, sizeof(caches));
	assert_int_equal(kmt_get_node_cache_properties(kmt_primary(), 1, 77, 3, caches),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(caches[0].ProcessorIdLow, 2147487744u);
	assert_int_equal(caches[0].CacheLevel, 1);
	assert_int_equal(caches[0].CacheSize, 16);
	assert_int_equal(caches[0].CacheLineSize, 64);
	assert_int_equal(caches[0].CacheLinesPerTag, 1);
	assert_int_equal(caches[0].CacheType.Value, 9);
	assert_int_equal(caches[1].CacheType.Value, 10);
	assert_int_equal(caches[1].SiblingMap[0], 1);
	assert_int_equal(caches[1].SiblingMap[1], 1);
	assert_int_equal(caches[1].SiblingMap[2], 0);
	assert_int_equal(caches[2].CacheLevel, 2);
	assert_int_equal(caches[2].CacheSize, 8192);
	assert_int_equal(caches[2].SiblingMap[3], 1);
	assert_int_equal(caches[2].SiblingMap[4], 0);
	assert_int_equal(caches[3].CacheLevel, 0xa5a5a5a5);
	assert_int_equal(kmt_get_node_cache_properties(kmt_primary(), 1, 0, 4, caches),
			 HSAKMT_STATUS_INVALID_PARAMETER);
}

static void a_sibling_map_longer_than_the_array_is_cut(void **state)
{
	HsaCacheProperties cache;
	char content[1200] = "level 1\nsibling_map ";

	for (int i = 0; i < 300; i++)
		strcat(content, i == 299 ? "1\n" : "1,");
	fake_device_set_file(*state, T "/nodes/1/caches/0/properties", content);
	must_acquire(2);
	assert_int_equal(kmt_get_node_cache_properties(kmt_primary(), 1, 0, 1, &cache),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(cache.SiblingMap[255], 1);
	assert_int_equal(cache.PersistingCacheSizeMax, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_apertures, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_gpu_has_its_own_banks_and_the_apertures),
		TEST(without_the_mmio_page_there_is_one_bank_less),
		TEST(a_short_array_is_filled_and_no_more),
		TEST(a_cpu_has_no_apertures),
		TEST(kaveri_alone_has_private_memory_behind_its_aperture),
		TEST(caches_come_as_the_kernel_lists_them),
		TEST(a_sibling_map_longer_than_the_array_is_cut),
	};

	return cmocka_run_group_tests_name("thunk/topology/banks", tests, NULL, NULL);
}
