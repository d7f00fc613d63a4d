/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario.h"
#include "topology.h"

static struct kfd_model_topology topology;

static int setup(void **state)
{
	(void)state;
	return kfd_model_topology_init(&topology, KFDSCOPE_TOPOLOGIES "/gfx90a");
}

static int teardown(void **state)
{
	(void)state;
	kfd_model_topology_fini(&topology);
	return 0;
}

/* Loads a scenario with stderr in a file. @return the result; said gets what was printed. */
static int load(const char *text, struct kfd_model_scenario **scenario, char said[1024])
{
	char path[] = "/tmp/kfdscope-scenario-XXXXXX";
	char message[] = "/tmp/kfdscope-message-XXXXXX";
	int fd = mkstemp(path), captured = mkstemp(message), saved = dup(STDERR_FILENO), rc;
	ssize_t got;

	*scenario = NULL;
	assert_true(fd >= 0 && captured >= 0 && saved >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	dup2(captured, STDERR_FILENO);
	rc = kfd_model_scenario_load(path, &topology, scenario);
	dup2(saved, STDERR_FILENO);
	got = pread(captured, said, 1023, 0);
	said[got > 0 ? got : 0] = '\0';
	close(saved);
	close(captured);
	unlink(path);
	unlink(message);
	return rc;
}

static void a_bad_scenario_is_one_clear_line(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "{", "line 1" },
		{ "[]", "must be an object" },
		{ "{\"kfd_minr\": 3}", "unknown key 'kfd_minr'" },
		{ "{\"kfd_minor\": \"x\"}", "'kfd_minor' must be a number" },
		{ "{\"kfd_minor\": -1}", "'kfd_minor' must be a number" },
		{ "{\"driver\": \"windows\"}", "dkms or upstream" },
		{ "{\"reuse\": 1}", "true or false" },
		{ "{\"ioctls\": {}}", "'ioctls' must be a list" },
		{ "{\"ioctls\": [{\"ioctl\": \"ALLOC\"}]}", "no KFD call: 'ALLOC'" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\", \"errno\": \"EWHAT\"}]}",
		  "unknown errno 'EWHAT'" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\", \"node\": 2}]}", "'node' must be below 2" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\", \"error\": 2}]}", "unknown key 'error'" },
		{ "{\"open\": [{\"path\": \"kfd\"}]}", "needs 'path', and 'errno'" },
		{ "{\"actions\": [{\"do\": \"dance\", \"at_ms\": 1}]}", "unknown action 'dance'" },
		{ "{\"actions\": [{\"do\": \"smi\", \"node\": 1, \"at_ms\": 1}]}", "needs 'text'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1}]}", "'on' is no KFD call" },
		{ "{\"actions\": [{\"do\": \"outside\", \"at_ms\": 5}]}", "'node' must be below" },
		{ "{\"nodes\": [{\"node\": 1, \"clock_hz\": 0}]}", "would stand still" },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kfd_model_scenario *scenario;
		char said[1024];

		assert_int_equal(load(bad[i].text, &scenario, said), -EINVAL);
		assert_null(scenario);
		if (!strstr(said, bad[i].says))
			fail_msg("'%s' said: %s", bad[i].text, said);
		/* exactly one line */
		assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	}
}

static void a_missing_file_is_one_clear_line(void **state)
{
	struct kfd_model_scenario *scenario = NULL;

	(void)state;
	assert_int_equal(kfd_model_scenario_load("/nowhere.json", &topology, &scenario), -EINVAL);
	assert_null(scenario);
}

static int before(struct kfd_model_scenario *scenario, uint32_t nr, uint32_t node)
{
	return kfd_model_scenario_before(scenario, nr, &node, 1);
}

static void without_a_file_everything_has_its_default(void **state)
{
	struct kfd_model_scenario *scenario = NULL;

	(void)state;
	assert_int_equal(kfd_model_scenario_load(NULL, &topology, &scenario), 0);
	assert_int_equal(kfd_model_scenario_minor(scenario), KFD_MODEL_MINOR_DEFAULT);
	assert_true(kfd_model_scenario_dkms(scenario));
	assert_true(kfd_model_scenario_reuse(scenario));
	assert_int_equal(kfd_model_scenario_clock_hz(scenario, &topology.nodes[1]), 100000000);
	assert_int_equal(kfd_model_scenario_vram_total(scenario, &topology.nodes[1]), 68702699520);
	assert_int_equal(before(scenario, 0x16, 1), 0);
	assert_int_equal(kfd_model_scenario_open_errno(scenario, "/dev/kfd"), 0);
	kfd_model_scenario_free(scenario);
}

static void a_rule_counts_only_its_own_calls(void **state)
{
	struct kfd_model_scenario *scenario;
	char said[1024];

	(void)state;
	assert_int_equal(load("{\"ioctls\": [{\"ioctl\": \"ALLOC_MEMORY_OF_GPU\", \"node\": 1,"
			      " \"after\": 1, \"times\": 2, \"errno\": 12}]}",
			      &scenario, said),
			 0);
	assert_string_equal(said, "");
	assert_int_equal(before(scenario, 0x16, 1), 0);
	assert_int_equal(before(scenario, 0x16, 0), 0);
	assert_int_equal(before(scenario, 0x17, 1), 0);
	assert_int_equal(before(scenario, 0x16, KFD_MODEL_ANY_NODE), 0);
	assert_int_equal(before(scenario, 0x16, 1), ENOMEM);
	assert_int_equal(before(scenario, 0x16, 1), ENOMEM);
	assert_int_equal(before(scenario, 0x16, 1), 0);
	kfd_model_scenario_free(scenario);
}

static void numbers_may_be_hexadecimal_text(void **state)
{
	struct kfd_model_scenario *scenario;
	char said[1024];

	(void)state;
	assert_int_equal(load("{\"nodes\": [{\"node\": 1, \"vram_bytes\": \"0x100000\"}],"
			      " \"open\": [{\"path\": \"renderD128\", \"errno\": \"EACCES\"}]}",
			      &scenario, said),
			 0);
	assert_int_equal(kfd_model_scenario_vram_total(scenario, &topology.nodes[1]), 0x100000);
	/* the visible part cannot be larger than the whole */
	assert_int_equal(kfd_model_scenario_vram_visible(scenario, &topology.nodes[1]), 0x100000);
	assert_int_equal(kfd_model_scenario_open_errno(scenario, "/dev/dri/renderD128"), EACCES);
	assert_int_equal(kfd_model_scenario_open_errno(scenario, "/dev/dri/renderD129"), 0);
	kfd_model_scenario_free(scenario);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_scenario_is_one_clear_line),
		cmocka_unit_test(a_missing_file_is_one_clear_line),
		cmocka_unit_test(without_a_file_everything_has_its_default),
		cmocka_unit_test(a_rule_counts_only_its_own_calls),
		cmocka_unit_test(numbers_may_be_hexadecimal_text),
	};

	return cmocka_run_group_tests_name("thunk/model/scenario", tests, setup, teardown);
}
