/* SPDX-License-Identifier: MIT */
/* What the topology tests share: an opened thunk on an example tree, and its log messages. */
#ifndef KFDSCOPE_TESTS_TOPOLOGY_FIXTURE_H
#define KFDSCOPE_TESTS_TOPOLOGY_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_modules.h"
#include "fake_open.h"
#include "log.h"
#include "openclose/openclose.h"
#include "topology/acquire.h"
#include "topology/getters.h"
#include "topology/topology.h"

#define T FAKE_TOPOLOGY_ROOT

static char messages[8192];
static unsigned int warnings;

static void keep_message(enum kmt_log_level level, const char *message)
{
	size_t used = strlen(messages);

	warnings += level == KMT_LOG_WARNING;
	snprintf(messages + used, sizeof(messages) - used, "%s\n", message);
}

static int setup_tree(void **state, const char *tree)
{
	fake_modules_reset();
	*state = fake_open_prepare(tree);
	messages[0] = '\0';
	warnings = 0;
	kmt_log_set_sink(keep_message);
	return 0;
}

static inline int setup_a(void **state)
{
	return setup_tree(state, "a.tree");
}

static inline int setup_b(void **state)
{
	return setup_tree(state, "b.tree");
}

static int teardown(void **state)
{
	kmt_log_set_sink(NULL);
	fake_open_finish(*state);
	return 0;
}

/* Opens and acquires. The status is that of the step that failed. */
static inline HSAKMT_STATUS acquire(HsaSystemProperties *system)
{
	HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;

	if (!kmt_context_usable(kmt_primary()))
		status = kmt_open_kfd(kmt_primary());
	if (status != HSAKMT_STATUS_SUCCESS)
		return status;
	return kmt_acquire_system_properties(kmt_primary(), system);
}

static inline void must_acquire(uint32_t node_count)
{
	HsaSystemProperties system = { 0 };

	assert_int_equal(acquire(&system), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(system.NumNodes, node_count);
}

static inline HsaNodeProperties node_properties(uint32_t node_id)
{
	HsaNodeProperties node;

	memset(&node, 0xa5, sizeof(node));
	assert_int_equal(kmt_get_node_properties(kmt_primary(), node_id, &node),
			 HSAKMT_STATUS_SUCCESS);
	return node;
}

static inline void check_engine(const HSA_ENGINE_ID *id, uint32_t major, uint32_t minor,
				uint32_t stepping)
{
	assert_int_equal(id->ui32.Major, major);
	assert_int_equal(id->ui32.Minor, minor);
	assert_int_equal(id->ui32.Stepping, stepping);
}

#endif
