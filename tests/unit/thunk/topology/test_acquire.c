/* SPDX-License-Identifier: MIT */
/* The life of the snapshot, and a topology that changes while it is read (topology.md 1, 2). */
#include "topology_fixture.h"

static void a_held_snapshot_is_copied_without_reading_anything(void **state)
{
	struct fake_device *fake = *state;
	HsaSystemProperties first, second;

	assert_int_equal(acquire(&first), HSAKMT_STATUS_SUCCESS);
	fake_device_log_reset(fake);
	fake_modules_sequence_reset();
	memset(&second, 0xa5, sizeof(second));
	assert_int_equal(acquire(&second), HSAKMT_STATUS_SUCCESS);
	assert_memory_equal(&first, &second, sizeof(first));
	assert_null(fake_device_log(fake, 0));
	assert_string_equal(fake_modules.sequence, "");
}

static void one_release_undoes_any_number_of_acquires(void **state)
{
	(void)state;
	must_acquire(2);
	must_acquire(2);
	fake_modules_sequence_reset();
	assert_int_equal(kmt_release_system_properties(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_modules.sequence, "doorbells_fini apertures_fini");
	assert_false(kmt_topology_held(kmt_primary()));
	assert_int_equal(kmt_topology_node_count(kmt_primary()), 0);
	fake_modules_sequence_reset();
	assert_int_equal(kmt_release_system_properties(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_modules.sequence, "");
	must_acquire(2);
	assert_string_equal(fake_modules.sequence, "apertures_init doorbells_init");
}

static void release_does_not_close_the_render_nodes(void **state)
{
	struct fake_device *fake = *state;
	unsigned int live;

	must_acquire(2);
	live = fake_device_live_fds(fake);
	assert_int_equal(kmt_release_system_properties(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_live_fds(fake), live);
}

static void refused_apertures_leave_no_snapshot(void **state)
{
	HsaSystemProperties system;

	(void)state;
	fake_modules.init_apertures_status = HSAKMT_STATUS_ERROR;
	assert_int_equal(acquire(&system), HSAKMT_STATUS_ERROR);
	assert_false(kmt_topology_held(kmt_primary()));
	fake_modules.init_apertures_status = HSAKMT_STATUS_SUCCESS;
	fake_modules.doorbells_status = HSAKMT_STATUS_NO_MEMORY;
	fake_modules_sequence_reset();
	assert_int_equal(acquire(&system), HSAKMT_STATUS_NO_MEMORY);
	assert_string_equal(fake_modules.sequence, "apertures_init doorbells_init apertures_fini");
	assert_false(kmt_topology_held(kmt_primary()));
	fake_modules.doorbells_status = HSAKMT_STATUS_SUCCESS;
	must_acquire(2);
}

struct generations {
	const char *const *values; /* the last one repeats */
	unsigned int reads;
	bool endless; /* counts up */
	char text[16];
};

static const char *next_generation(struct fake_device *fake, const char *path, void *data)
{
	struct generations *generations = data;
	const char *const *value = generations->values;

	(void)fake, (void)path;
	if (generations->endless) {
		snprintf(generations->text, sizeof(generations->text), "%u\n",
			 generations->reads++);
		return generations->text;
	}
	for (unsigned int i = 0; i < generations->reads && value[1]; i++)
		value++;
	generations->reads++;
	return *value;
}

/* U31, first run: 2, 3, 3. */
static void a_change_during_the_reading_is_retried_and_counted(void **state)
{
	static const char *const values[] = { "2\n", "3\n", "3\n", NULL };
	struct generations generations = { .values = values };
	struct kmt_topology_info info;

	fake_device_on_read(*state, T "/generation_id", next_generation, &generations);
	must_acquire(2);
	assert_int_equal(generations.reads, 4);
	assert_true(kmt_topology_info(kmt_primary(), &info));
	assert_int_equal(info.retry_count, 1);
	assert_int_equal(info.generation, 3);
	assert_non_null(strstr(messages, "1 retries"));
}

/* U31, second run: it differs on every read. */
static void a_topology_that_never_rests_is_given_up(void **state)
{
	struct generations generations = { .endless = true };
	HsaSystemProperties system;
	struct kmt_topology_info info;

	fake_device_on_read(*state, T "/generation_id", next_generation, &generations);
	assert_int_equal(acquire(&system), HSAKMT_STATUS_ERROR);
	assert_int_equal(generations.reads, 40);
	assert_false(kmt_topology_held(kmt_primary()));
	assert_false(kmt_topology_info(kmt_primary(), &info));
	assert_non_null(strstr(messages, "19 retries, given up"));
}

/* Removes the second GPU in the middle of the first reading, as a hot unplug would. */
static const char *unplug(struct fake_device *fake, const char *path, void *data)
{
	bool *done = data;

	(void)fake, (void)path;
	*done = true;
	return "";
}

struct unplugging {
	struct fake_device *fake;
	bool begun;
	unsigned int reads;
};

static const char *generation_of_unplugging(struct fake_device *fake, const char *path, void *data)
{
	struct unplugging *unplugging = data;

	(void)fake, (void)path;
	unplugging->reads++;
	return unplugging->begun ? "4\n" : "3\n";
}

static void a_file_that_vanishes_with_its_node_is_retried(void **state)
{
	struct fake_device *fake = *state;
	struct unplugging unplugging = { .fake = fake };
	struct kmt_topology_info info;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	fake_device_on_read(fake, T "/generation_id", generation_of_unplugging, &unplugging);
	/* reading node 0's bank marks the change, and the next file fails once */
	fake_device_on_read(fake, T "/nodes/0/mem_banks/0/properties", unplug, &unplugging.begun);
	fake_device_fail_op(fake, FAKE_READ_FILE, 10, ENOENT);
	must_acquire(2);
	assert_true(kmt_topology_info(kmt_primary(), &info));
	assert_int_equal(info.retry_count, 1);
}

static void whichever_call_fails_no_half_snapshot_is_held(void **state)
{
	struct fake_device *fake = *state;
	HsaSystemProperties system;
	unsigned int live;
	bool failed = true;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	live = fake_device_live_fds(fake);
	for (unsigned int n = 1; failed; n++) {
		HSAKMT_STATUS status;

		fake_device_fail_nth(fake, n, EIO);
		status = acquire(&system);
		failed = fake_device_failed(fake);
		fake_device_fail_nth(fake, 0, 0);
		assert_int_equal(kmt_topology_held(kmt_primary()), status == HSAKMT_STATUS_SUCCESS);
		kmt_release_system_properties(kmt_primary());
		assert_int_equal(fake_device_live_fds(fake), live);
		assert_true(n < 200);
	}
	must_acquire(3);
}

static void each_file_is_read_once(void **state)
{
	struct fake_device *fake = *state;
	const struct fake_call *call;

	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	fake_device_log_reset(fake);
	must_acquire(3);
	for (size_t i = 0; (call = fake_device_log(fake, i)); i++) {
		bool twice = strstr(call->path, "generation_id");

		if (call->op == FAKE_READ_FILE && call->result >= 0)
			assert_int_equal(fake_device_reads(fake, call->path), twice ? 2 : 1);
	}
	assert_int_equal(fake_device_op_calls(fake, FAKE_COUNT_DIR), 1);
	assert_int_equal(fake_device_drm_calls(fake, DEVICE_DRM_OPEN_RENDER), 0);
}

int main(void)
{
#define TEST(name, tree) cmocka_unit_test_setup_teardown(name, setup_##tree, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_held_snapshot_is_copied_without_reading_anything, a),
		TEST(one_release_undoes_any_number_of_acquires, a),
		TEST(release_does_not_close_the_render_nodes, a),
		TEST(refused_apertures_leave_no_snapshot, a),
		TEST(a_change_during_the_reading_is_retried_and_counted, a),
		TEST(a_topology_that_never_rests_is_given_up, a),
		TEST(a_file_that_vanishes_with_its_node_is_retried, a),
		TEST(whichever_call_fails_no_half_snapshot_is_held, b),
		TEST(each_file_is_read_once, b),
	};

	return cmocka_run_group_tests_name("thunk/topology/acquire", tests, NULL, NULL);
}
