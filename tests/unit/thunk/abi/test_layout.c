/* SPDX-License-Identifier: MIT */
/*
 * The conversion between the newest and the 5.2.3 layout: every member arrives, nothing behind the
 * target is written. Where members lie is checked by tests/abi against the interface facts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "abi/layout.h"

#define GUARD_SIZE 64
#define GUARD_BYTE 0xA5

/* An object between two guard areas; the object itself starts as 0x5A. */
struct guarded {
	unsigned char before[GUARD_SIZE];
	unsigned char object[2 * sizeof(HsaCacheProperties)];
	unsigned char after[GUARD_SIZE];
};

static void guarded_init(struct guarded *guarded)
{
	memset(guarded, GUARD_BYTE, sizeof(*guarded));
	memset(guarded->object, 0x5A, sizeof(guarded->object));
}

/* Fails when a byte outside the first size bytes of the object has changed. */
static void assert_untouched_behind(const struct guarded *guarded, size_t size)
{
	for (size_t i = 0; i < GUARD_SIZE; i++)
		assert_int_equal(guarded->before[i], GUARD_BYTE);
	for (size_t i = size; i < sizeof(guarded->object); i++)
		assert_int_equal(guarded->object[i], 0x5A);
	for (size_t i = 0; i < GUARD_SIZE; i++)
		assert_int_equal(guarded->after[i], GUARD_BYTE);
}

/* Gives each byte of an object a value of its own, so that a member that is mixed up shows. */
static void fill(void *object, size_t size, unsigned int seed)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)object)[i] = (unsigned char)(seed + i * 7);
}

#define assert_same_member(a, b, member)                                                           \
	assert_memory_equal(&(a)->member, &(b)->member, sizeof((a)->member))

static void node_properties_arrive_in_the_old_order(void **state)
{
	struct guarded guarded;
	struct layout_523_node_properties *old = (void *)guarded.object;
	HsaNodeProperties new;

	(void)state;
	guarded_init(&guarded);
	fill(&new, sizeof(new), 1);
	new.OverrideEngineId.Value = 0;
	kmt_layout_523_node_properties(old, &new);

	assert_untouched_behind(&guarded, sizeof(*old));
	assert_same_member(old, &new, NumCPUCores);
	assert_same_member(old, &new, NumMemoryBanks);
	assert_same_member(old, &new, NumIOLinks);
	assert_same_member(old, &new, Capability);
	assert_same_member(old, &new, MaxWavesPerSIMD);
	assert_same_member(old, &new, EngineId);
	assert_same_member(old, &new, DeviceId);
	assert_same_member(old, &new, LocalMemSize);
	assert_same_member(old, &new, DrmRenderMinor);
	assert_same_member(old, &new, MarketingName);
	assert_same_member(old, &new, AMDName);
	assert_same_member(old, &new, DebugProperties);
	assert_same_member(old, &new, HiveID);
	assert_same_member(old, &new, NumGws);
	assert_same_member(old, &new, UniqueID);
	assert_same_member(old, &new, SGPRSizePerCU);
}

static void node_properties_reserved_bytes_are_zero(void **state)
{
	struct guarded guarded;
	struct layout_523_node_properties *old = (void *)guarded.object;
	static const HSAuint8 zero[sizeof(old->Reserved)];
	HsaNodeProperties new;

	(void)state;
	guarded_init(&guarded);
	fill(&new, sizeof(new), 3);
	kmt_layout_523_node_properties(old, &new);

	assert_int_equal(old->Reserved2, 0);
	assert_memory_equal(old->Reserved, zero, sizeof(zero));
}

static void an_overridden_engine_keeps_its_microcode_version(void **state)
{
	struct layout_523_node_properties old = { 0 };
	HsaNodeProperties new = { 0 };

	(void)state;
	new.EngineId.ui32.uCode = 77;
	new.EngineId.ui32.Major = 10;
	new.EngineId.ui32.Minor = 3;
	new.EngineId.ui32.Stepping = 2;
	new.OverrideEngineId.ui32.Major = 9;
	kmt_layout_523_node_properties(&old, &new);

	assert_int_equal(old.EngineId.ui32.uCode, 77);
	assert_int_equal(old.EngineId.ui32.Major, 9);
	assert_int_equal(old.EngineId.ui32.Minor, 0);
	assert_int_equal(old.EngineId.ui32.Stepping, 0);
}

static void cache_arrays_have_the_old_stride(void **state)
{
	struct guarded guarded;
	struct layout_523_cache_properties *old = (void *)guarded.object;
	HsaCacheProperties new[2];

	(void)state;
	guarded_init(&guarded);
	fill(new, sizeof(new), 5);
	kmt_layout_523_cache_properties(old, new, 2);

	assert_untouched_behind(&guarded, 2 * sizeof(*old));
	for (size_t i = 0; i < 2; i++) /* all of the old layout is a prefix of the new one */
		assert_memory_equal(&old[i], &new[i], sizeof(old[i]));
}

static void link_arrays_have_the_old_stride_and_flags(void **state)
{
	struct guarded guarded;
	struct layout_523_io_link_properties *old = (void *)guarded.object;
	HsaIoLinkProperties new[3];

	(void)state;
	guarded_init(&guarded);
	fill(new, sizeof(new), 9);
	kmt_layout_523_io_link_properties(old, new, 3);

	assert_untouched_behind(&guarded, 3 * sizeof(*old));
	for (size_t i = 0; i < 3; i++) {
		assert_memory_equal(&old[i], &new[i],
				    offsetof(HsaIoLinkProperties, RecSdmaEngIdMask));
		assert_same_member(&old[i], &new[i], Flags);
	}
}

static void an_empty_array_writes_nothing(void **state)
{
	struct guarded guarded;
	HsaCacheProperties cache;
	HsaIoLinkProperties link;

	(void)state;
	guarded_init(&guarded);
	fill(&cache, sizeof(cache), 1);
	fill(&link, sizeof(link), 1);
	kmt_layout_523_cache_properties((void *)guarded.object, &cache, 0);
	kmt_layout_523_io_link_properties((void *)guarded.object, &link, 0);
	assert_untouched_behind(&guarded, 0);
}

static void queue_info_loses_its_tail_only(void **state)
{
	struct guarded guarded;
	struct layout_523_queue_info *old = (void *)guarded.object;
	HsaQueueInfo new;

	(void)state;
	guarded_init(&guarded);
	fill(&new, sizeof(new), 11);
	kmt_layout_523_queue_info(old, &new);
	assert_untouched_behind(&guarded, sizeof(*old));
	assert_memory_equal(old, &new, sizeof(*old));
}

static void queue_resource_goes_out_and_comes_back(void **state)
{
	struct guarded guarded;
	struct layout_523_queue_resource *old = (void *)guarded.object;
	HsaQueueResource new, back;

	(void)state;
	guarded_init(&guarded);
	fill(&new, sizeof(new), 13);
	kmt_layout_523_queue_resource(old, &new);
	assert_untouched_behind(&guarded, sizeof(*old));
	assert_memory_equal(old, &new, sizeof(*old));

	kmt_layout_newest_queue_resource(&back, old);
	assert_memory_equal(&back, &new, sizeof(*old));
	assert_int_equal(back.SdmaProgressFenceVA, 0);
	assert_int_equal(back.SdmaHwQueueEpilogueBytes, 0);
}

static void graphics_info_of_an_old_caller_has_no_size_hint(void **state)
{
	struct guarded guarded;
	struct layout_523_graphics_resource_info *old = (void *)guarded.object;
	HsaGraphicsResourceInfo new, back;

	(void)state;
	guarded_init(&guarded);
	fill(&new, sizeof(new), 17);
	kmt_layout_523_graphics_resource_info(old, &new);
	assert_untouched_behind(&guarded, sizeof(*old));
	assert_memory_equal(old, &new, offsetof(HsaGraphicsResourceInfo, NodeId));
	assert_int_equal(old->Reserved, 0);

	kmt_layout_newest_graphics_resource_info(&back, old);
	assert_memory_equal(&back, &new, offsetof(HsaGraphicsResourceInfo, NodeId));
	assert_int_equal(back.NodeId, 0);
	assert_int_equal(back.SizeHintInBytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_properties_arrive_in_the_old_order),
		cmocka_unit_test(node_properties_reserved_bytes_are_zero),
		cmocka_unit_test(an_overridden_engine_keeps_its_microcode_version),
		cmocka_unit_test(cache_arrays_have_the_old_stride),
		cmocka_unit_test(link_arrays_have_the_old_stride_and_flags),
		cmocka_unit_test(an_empty_array_writes_nothing),
		cmocka_unit_test(queue_info_loses_its_tail_only),
		cmocka_unit_test(queue_resource_goes_out_and_comes_back),
		cmocka_unit_test(graphics_info_of_an_old_caller_has_no_size_hint),
	};

	return cmocka_run_group_tests_name("thunk/abi/layout", tests, NULL, NULL);
}
