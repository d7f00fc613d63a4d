/* SPDX-License-Identifier: MIT */
/* Makes the machine of the process, and keeps it through forks. */
#include "machine.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fds.h"
#include "location.h"
#include "real.h"

typedef char *(*realpath_fn)(const char *, char *);

PRELOAD_REAL(realpath, realpath_fn)

static _Atomic(struct kfd_model *) machine; /* owned; lives as long as the process */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool is_making; /* its topology may be that of the real machine's own KFD */

bool preload_modules_only(void)
{
	const char *only = getenv("KFDSCOPE_PRELOAD_ONLY");

	return only && (strcmp(only, "modules") == 0 || strcmp(only, "virtio-gpu") == 0);
}

static void after_fork(void)
{
	struct kfd_model *model = machine;

	if (model)
		kfd_model_after_fork(model);
	preload_fds_after_fork();
}

static void make(void)
{
	const struct kfd_model_front front = { .render_file = preload_render_file };
	const char *wanted = getenv("KFDSCOPE_MODEL_TOPOLOGY");
	struct kfd_model *model = NULL;
	char topology[PATH_MAX], whole[PATH_MAX];
	int rc;

	if (preload_modules_only())
		return;
	rc = kfd_model_topology_path(wanted, topology, sizeof(topology));
	if (rc) {
		kfd_model_log("no topology '%s': %s", wanted ? wanted : "", strerror(-rc));
		return;
	}
	/* the program may change its directory */
	if (real_realpath()(topology, whole))
		strcpy(topology, whole);
	if (kfd_model_new(topology, getenv("KFDSCOPE_MODEL_SCENARIO"), &front, &model))
		return;
	pthread_atfork(NULL, NULL, after_fork);
	machine = model;
}

struct kfd_model *preload_machine(void)
{
	if (is_making)
		return NULL;
	is_making = true;
	pthread_once(&once, make);
	is_making = false;
	return machine;
}

struct kfd_model *preload_machine_made(void)
{
	return machine;
}
