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
static int load_path(const char *path, struct kfd_model_scenario **scenario, char said[1024])
{
	char message[] = "/tmp/kfdscope-message-XXXXXX";
	int captured = mkstemp(message), saved = dup(STDERR_FILENO), rc;
	ssize_t got;

	*scenario = NULL;
	assert_true(captured >= 0 && saved >= 0);
	dup2(captured, STDERR_FILENO);
	rc = kfd_model_scenario_load(path, &topology, scenario);
	dup2(saved, STDERR_FILENO);
	got = pread(captured, said, 1023, 0);
	said[got > 0 ? got : 0] = '\0';
	close(saved);
	close(captured);
	unlink(message);
	return rc;
}

static int load(const char *text, struct kfd_model_scenario **scenario, char said[1024])
{
	char path[] = "/tmp/kfdscope-scenario-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = load_path(path, scenario, said);
	unlink(path);
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
		{ "{\"kfd_minor\": 0}", "'kfd_minor' must be from 1 to 65535" },
		{ "{\"kfd_minor\": 4294967310}", "'kfd_minor' must be from 1 to 65535" },
		{ "{\"kfd_minor\": \" -3\"}", "'kfd_minor' must be a number" },
		{ "{\"system_bytes\": \"0x1ffffffffffffffff\"}",
		  "'system_bytes' must be a number" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\"}]}", "'ioctls' needs 'errno' or 'delay_us'" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\", \"errno\": 0}]}", "a number from 1 to 4095" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\", \"errno\": \"0x1000\"}]}",
		  "unknown errno '0x1000'" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\", \"errno\": 5, \"times\": 0}]}",
		  "'times' must be from 1" },
		{ "{\"ioctls\": [{\"ioctl\": \"SVM\", \"delay_us\": \"0xffffffffffffffff\"}]}",
		  "'delay_us' must be from 0" },
		{ "{\"open\": [{\"path\": \"kfd\"}]}", "'open' needs 'errno' or 'delay_us'" },
		{ "{\"open\": [{\"path\": \"\", \"errno\": 1}]}", "needs 'path'" },
		{ "{\"open\": [{\"errno\": 1}]}", "needs 'path'" },
		{ "{\"nodes\": [{\"vram_bytes\": 1}]}", "an entry of 'nodes' needs 'node'" },
		{ "{\"nodes\": [{\"node\": 0}]}", "'node' 0 has no GPU" },
		{ "{\"nodes\": [{\"node\": 1}, {\"node\": 1}]}", "'nodes' has node 1 twice" },
		{ "{\"nodes\": [{\"node\": 1, \"clock_hz\": 0}]}", "would stand still" },
		{ "{\"nodes\": [{\"node\": 1, \"vram_bytes\": 4096, \"visible_vram_bytes\": "
		  "8192}]}",
		  "'visible_vram_bytes' must be from 0 to 4096" },
		{ "{\"actions\": [7]}", "an entry of 'actions' must be an object" },
		{ "{\"actions\": [{\"do\": \"dance\", \"at_ms\": 1}]}", "unknown action 'dance'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 1}]}",
		  "either 'at_ms' or 'on'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 1, \"at_ms\": 1, "
		  "\"on\": \"SVM\"}]}",
		  "either 'at_ms' or 'on'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 1, \"at_ms\": 1, "
		  "\"calls\": 2}]}",
		  "'calls' goes with 'on'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 1, \"at_ms\": "
		  "\"0xffffffffffffffff\"}]}",
		  "'at_ms' must be from 0" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 1, \"on\": "
		  "\"SVM\", \"calls\": 0}]}",
		  "'calls' must be from 1" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 1, \"on\": "
		  "\"DANCE\"}]}",
		  "'on' is no KFD call: 'DANCE'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"at_ms\": 5}]}",
		  "an action 'outside' needs 'bytes'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"bytes\": 1, \"at_ms\": 5}]}",
		  "an action 'outside' needs 'node'" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 0, \"bytes\": 1, \"at_ms\": 5}]}",
		  "'node' 0 has no GPU" },
		{ "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 1, \"at_ms\": 5, "
		  "\"text\": \"x\"}]}",
		  "unknown key 'text' in an action 'outside'" },
		{ "{\"actions\": [{\"do\": \"boottime_jump\", \"at_ms\": 5}]}", "needs 'ns'" },
		{ "{\"actions\": [{\"do\": \"boottime_jump\", \"ns\": -5, \"at_ms\": 5}]}",
		  "'ns' must be a number" },
		{ "{\"actions\": [{\"do\": \"memory_exception\", \"node\": 1, \"error_type\": 4, "
		  "\"at_ms\": 5}]}",
		  "'error_type' must be from 0 to 3" },
		{ "{\"actions\": [{\"do\": \"hw_exception\", \"node\": 1, \"cause\": 2, \"at_ms\": "
		  "5}]}",
		  "'cause' must be from 0 to 1" },
		{ "{\"actions\": [{\"do\": \"smi\", \"node\": 1, \"at_ms\": 1}]}", "needs 'text'" },
		{ "{\"actions\": [{\"do\": \"smi\", \"node\": 1, \"at_ms\": 1, \"text\": \"fault "
		  "1\"}]}",
		  "'text' must be an event from 1 to 3f" },
		{ "{\"actions\": [{\"do\": \"smi\", \"node\": 1, \"at_ms\": 1, \"text\": \"40 "
		  "x\"}]}",
		  "'text' must be an event from 1 to 3f" },
		{ "{\"actions\": [{\"do\": \"smi\", \"node\": 1, \"at_ms\": 1, \"text\": \"1\"}]}",
		  "'text' must be an event from 1 to 3f" },
		{ "{\"actions\": [{\"do\": \"smi\", \"node\": 1, \"at_ms\": 1, \"text\": \"1 "
		  "a\\nb\"}]}",
		  "the rest of one line" },
		{ "{\"actions\": [{\"do\": \"smi\", \"node\": 1, \"at_ms\": 1, \"text\": \"1 "
		  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		  "xxxxxxxxxxxxxx\"}]}",
		  "'text' must be shorter than 96 bytes" },
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
	char said[1024];

	(void)state;
	assert_int_equal(load_path("/nowhere.json", &scenario, said), -EINVAL);
	assert_null(scenario);
	assert_string_equal(said, "kfdscope-model: cannot open scenario '/nowhere.json': "
				  "No such file or directory\n");
	assert_int_equal(load_path("/tmp", &scenario, said), -EINVAL);
	assert_string_equal(said, "kfdscope-model: cannot read scenario '/tmp': Is a directory\n");
}

static void everything_that_is_told_of_is_accepted(void **state)
{
	struct kfd_model_scenario *scenario;
	char said[1024];

	(void)state;
	assert_int_equal(
		load("{\"kfd_minor\": \"0x0e\", \"driver\": \"upstream\", \"reuse\": false,"
		     " \"system_bytes\": 1073741824, \"nodes\": [{\"node\": 1,"
		     " \"vram_bytes\": 1073741824, \"visible_vram_bytes\": 268435456,"
		     " \"outside_bytes\": 1, \"clock_hz\": 25000000, \"clock_drift_ppb\": -50}],"
		     " \"ioctls\": [{\"ioctl\": \"ALLOC_MEMORY_OF_GPU\", \"node\": 1, \"after\": 3,"
		     " \"times\": 1, \"errno\": \"ENOMEM\"}, {\"ioctl\": \"SVM\", \"delay_us\": 0},"
		     " {\"ioctl\": \"SVM\", \"errno\": \"0x10\", \"delay_us\": 1}],"
		     " \"open\": [{\"path\": \"kfd\", \"errno\": 1, \"times\": 2, \"delay_us\": "
		     "1}],"
		     " \"actions\": [{\"do\": \"memory_exception\", \"node\": 1,"
		     " \"address\": \"0x7f0000001000\", \"not_present\": true,"
		     " \"read_only\": true, \"no_execute\": false, \"error_type\": 3,"
		     " \"at_ms\": 500}, {\"do\": \"hw_exception\", \"node\": 1, \"reset_type\": 1,"
		     " \"cause\": 1, \"memory_lost\": true, \"on\": \"SVM\", \"calls\": 2},"
		     " {\"do\": \"smi\", \"node\": 1, \"text\": \"3f x\", \"at_ms\": 0},"
		     " {\"do\": \"outside\", \"node\": 1, \"bytes\": 0, \"on\": \"SVM\"},"
		     " {\"do\": \"boottime_jump\", \"ns\": 5, \"at_ms\": 1}]}",
		     &scenario, said),
		0);
	assert_string_equal(said, "");
	assert_int_equal(kfd_model_scenario_minor(scenario), 14);
	assert_int_equal(kfd_model_scenario_before(scenario, 0x20, NULL, 0), 16);
	kfd_model_scenario_free(scenario);
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
		cmocka_unit_test(everything_that_is_told_of_is_accepted),
		cmocka_unit_test(without_a_file_everything_has_its_default),
		cmocka_unit_test(a_rule_counts_only_its_own_calls),
		cmocka_unit_test(numbers_may_be_hexadecimal_text),
	};

	return cmocka_run_group_tests_name("thunk/model/scenario", tests, setup, teardown);
}
