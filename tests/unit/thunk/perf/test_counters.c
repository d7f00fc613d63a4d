/* SPDX-License-Identifier: MIT */
/* The counter tables against the published data, and the layout that callers walk (perf.md 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "perf/counters.h"
#include "perf/perf.h"
#include "seam.h"
#include "topology/topology.h"

static json_t *data;

static int load_data(void **state)
{
	json_error_t error;

	(void)state;
	data = json_load_file(TEST_DATA_DIR "/pmc_blocks.json", 0, &error);
	if (!data)
		print_error("%s\n", error.text);
	return !data;
}

static int drop_data(void **state)
{
	(void)state;
	json_decref(data);
	return 0;
}

static int setup(void **state)
{
	struct seam *seam = seam_new();

	seam->ctx.perf = kmt_perf_new(seam->node_count);
	*state = seam;
	return !seam->ctx.perf;
}

static int teardown(void **state)
{
	struct seam *seam = *state;

	kmt_perf_free(seam->ctx.perf);
	seam_free(seam);
	return 0;
}

/* One chip of each family. */
/* clang-format off */
static const struct chip {
	const char *family;
	uint32_t major, minor, stepping;
	uint16_t device_id;
} chips[] = {
	{ "kaveri",   7, 0, 0,  0x1304 }, { "hawaii",  7, 0, 1, 0x67A0 },
	{ "carrizo",  8, 0, 1,  0x9870 }, { "fiji",    8, 0, 3, 0x7300 },
	{ "fiji",     8, 0, 3,  0x730F }, { "polaris", 8, 0, 3, 0x67C0 },
	{ "vega",     9, 0, 10, 0x740C }, { "vega",    9, 4, 2, 0x74A1 },
	{ "vega",     9, 5, 0,  0x75A0 }, { "navi",    10, 3, 0, 0x73BF },
};
/* clang-format on */

static const HsaCounterProperties *table_of(struct seam *seam, const struct chip *chip)
{
	HsaCounterProperties *properties = NULL;

	kmt_perf_free(seam->ctx.perf);
	seam->ctx.perf = kmt_perf_new(0); /* grows when asked for a node that is new to it */
	seam_set_gfx(seam, 1, chip->major, chip->minor, chip->stepping);
	seam->nodes[1].DeviceId = chip->device_id;
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 1, &properties),
			 HSAKMT_STATUS_SUCCESS);
	return properties;
}

static void uuid_text(const HSA_UUID *uuid, char text[40])
{
	snprintf(text, 40, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", uuid->Data1,
		 uuid->Data2, uuid->Data3, uuid->Data4[0], uuid->Data4[1], uuid->Data4[2],
		 uuid->Data4[3], uuid->Data4[4], uuid->Data4[5], uuid->Data4[6], uuid->Data4[7]);
}

/* The ids of a set, one after the other, as the data lists them. @return how many. */
static uint32_t expand(json_t *set, uint64_t *ids, uint32_t capacity)
{
	uint32_t count = 0;
	json_t *element;
	size_t i;

	json_array_foreach(set, i, element)
	{
		json_int_t first, last;

		if (json_is_array(element)) {
			first = json_integer_value(json_array_get(element, 0));
			last = json_integer_value(json_array_get(element, 1));
		} else {
			first = last = json_integer_value(element);
		}
		for (; first <= last; first++) {
			assert_in_range(count, 0, capacity - 1);
			ids[count++] = (uint64_t)first;
		}
	}
	return count;
}

static const HsaCounterBlockProperties *check_block(const HsaCounterBlockProperties *block,
						    json_t *family)
{
	const HsaCounter *counters = block->Counters;
	json_t *names = json_object_get(data, "block_index");
	static uint64_t ids[1024];
	const char *name = NULL, *key;
	json_t *value, *entry;
	char uuid[40];

	json_object_foreach(names, key, value) if (json_integer_value(value) ==
						   counters->BlockIndex) name = key;
	assert_non_null(name);
	entry = json_object_get(family, name);
	assert_non_null(entry);
	assert_int_equal(block->NumConcurrent, json_integer_value(json_array_get(entry, 0)));
	assert_int_equal(block->NumCounters, json_integer_value(json_array_get(entry, 1)));
	assert_int_equal(expand(json_object_get(json_object_get(data, "id_sets"),
						json_string_value(json_array_get(entry, 2))),
				ids, 1024),
			 block->NumCounters);
	uuid_text(&block->BlockId, uuid);
	assert_string_equal(uuid, json_string_value(json_object_get(
					  json_object_get(data, "block_uuid"), name)));
	for (uint32_t i = 0; i < block->NumCounters; i++) {
		assert_int_equal(counters[i].CounterId, ids[i]);
		assert_int_equal(counters[i].BlockIndex, counters->BlockIndex);
		assert_int_equal(counters[i].CounterSizeInBits, 64);
		assert_int_equal(counters[i].CounterMask, UINT64_MAX);
		assert_int_equal(counters[i].Type, HSA_PROFILE_TYPE_NONPRIV_IMMEDIATE);
		assert_int_equal(counters[i].Flags.Value, 1);
	}
	return (const void *)(counters + block->NumCounters);
}

static void every_family_equals_the_published_data(void **state)
{
	struct seam *seam = *state;

	for (size_t c = 0; c < sizeof(chips) / sizeof(chips[0]); c++) {
		const HsaCounterProperties *properties = table_of(seam, &chips[c]);
		const HsaCounterBlockProperties *block = properties->Blocks;
		json_t *family =
			json_object_get(json_object_get(data, "families"), chips[c].family);
		json_t *totals = json_object_get(json_object_get(data, "totals"), chips[c].family);
		json_int_t counters = 0;
		uint32_t last_index = 0;

		assert_int_equal(properties->NumBlocks, json_object_size(family));
		assert_int_equal(properties->NumBlocks,
				 json_integer_value(json_object_get(totals, "NumBlocks")));
		assert_int_equal(properties->NumConcurrent,
				 json_integer_value(json_object_get(totals, "NumConcurrent")));
		for (uint32_t i = 0; i < properties->NumBlocks; i++) {
			const HsaCounter *first = block->Counters;

			assert_true(!i || first->BlockIndex > last_index);
			last_index = first->BlockIndex;
			counters += block->NumCounters;
			block = check_block(block, family);
		}
		assert_int_equal(counters, json_integer_value(json_object_get(totals, "counters")));
		/* The size that callers compute (perf.md 1) is where the walk ends. */
		assert_int_equal((const char *)block - (const char *)properties,
				 64 + 56 * ((json_int_t)properties->NumBlocks - 1) +
					 32 * (counters - properties->NumBlocks));
	}
}

static void block_numbers_equal_the_published_data(void **state)
{
	static const char *const names[] = { "CB",   "CPC",    "CPF", "CPG", "DB",   "GDS",
					     "GRBM", "GRBMSE", "IA",  "MC",  "PASC", "PASU",
					     "SPI",  "SRBM",   "SQ",  "SX",  "TA",   "TCA",
					     "TCC",  "TCP",    "TCS", "TD",  "VGT",  "WD" };
	json_t *published = json_object_get(data, "block_index");

	(void)state;
	assert_int_equal(json_object_size(published), sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(json_integer_value(json_object_get(published, names[i])), i);
	assert_int_equal(PMC_BLOCK_WD, 23);
}

static void nodes_without_family_are_invalid_parameters(void **state)
{
	/* clang-format off */
	static const uint32_t versions[][3] = {
		{ 8, 0, 2 }, { 11, 0, 0 }, { 12, 0, 1 }, { 6, 0, 0 },
	};
	/* clang-format on */
	struct seam *seam = *state;
	HsaCounterProperties *properties = NULL;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		seam_set_gfx(seam, 1, versions[i][0], versions[i][1], versions[i][2]);
		assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 1, &properties),
				 HSAKMT_STATUS_INVALID_PARAMETER);
	}
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 0, &properties),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_null(properties);
}

static void checks_come_in_order_and_the_table_is_made_once(void **state)
{
	struct seam *seam = *state;
	struct kmt_perf *perf = seam->ctx.perf;
	HsaCounterProperties *first = NULL, *second = NULL, *other = NULL;

	seam->ctx.perf = NULL;
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 9, NULL),
			 HSAKMT_STATUS_NO_MEMORY);
	seam->ctx.perf = perf;
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 9, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 9, &first),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	seam->usable = false; /* asked for nowhere: the table needs no kernel */
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 1, &first),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 2, &other),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 1, &second),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(first, second);
	assert_ptr_not_equal(first, other);
}

static void the_iommu_block_follows_where_sysfs_describes_it(void **state)
{
	struct seam *seam = *state;
	HsaCounterProperties *properties = NULL;
	const HsaCounterBlockProperties *block;
	const HsaCounter *counters;
	char uuid[40];

	seam->files[0].path = "/topology/nodes/0/perf/iommu/max_concurrent";
	seam->files[0].content = "8\n";
	seam->files[1].path = "/topology/nodes/0/perf/iommu/counter_ids";
	seam->files[1].content = "1, 2, 0x10 23\n";
	assert_int_equal(kmt_pmc_get_counter_properties(&seam->ctx, 0, &properties),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(properties->NumBlocks, 1);
	assert_int_equal(properties->NumConcurrent, 8);
	block = properties->Blocks;
	counters = block->Counters;
	assert_int_equal(block->NumCounters, 4);
	assert_int_equal(counters[2].CounterId, 16);
	assert_int_equal(counters[3].CounterId, 23);
	assert_int_equal(counters[3].Type, HSA_PROFILE_TYPE_PRIVILEGED_IMMEDIATE);
	assert_int_equal(counters[3].BlockIndex, 24);
	uuid_text(&block->BlockId, uuid);
	assert_string_equal(uuid, "80969879-b0f6-4be6-97f6-6a6300f5101d");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(every_family_equals_the_published_data),
		CASE(block_numbers_equal_the_published_data),
		CASE(nodes_without_family_are_invalid_parameters),
		CASE(checks_come_in_order_and_the_table_is_made_once),
		CASE(the_iommu_block_follows_where_sysfs_describes_it),
	};

	return cmocka_run_group_tests_name("thunk/perf/counters", tests, load_data, drop_data);
}
