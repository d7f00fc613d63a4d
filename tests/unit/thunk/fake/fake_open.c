/* SPDX-License-Identifier: MIT */
/* Bringing the process-wide state of the thunk up on a fake device, and back to nothing. */
#include "fake_open.h"

#include <stdlib.h>
#include <string.h>

#include "openclose/fork.h"
#include "openclose/openclose.h"
#include "openclose/parts.h"
#include "render/render.h"

extern char **environ;

struct fake_device *fake_open_prepare(const char *tree)
{
	struct fake_device *fake = fake_device_new();

	if (!fake || !fake_device_load_tree(fake, tree))
		abort(); /* the tests would go on without what they are about */
	fake_device_set_file(fake, "/proc/cpuinfo",
			     "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
			     "model name\t: Fake CPU\napicid\t\t: 0\n\n");
	fake_device_install(fake);
	return fake;
}

void fake_open_reset(void)
{
	struct kmt_context *ctx = kmt_primary();

	while (kmt_close_kfd(ctx) == HSAKMT_STATUS_SUCCESS)
		;
	kmt_global_lock();
	kmt_fork_cleanup(ctx); /* what a forked child drops is all there is */
	kmt_global_unlock();
	kmt_parts_free(ctx);
	kmt_renders_free(ctx->renders);
	ctx->renders = NULL;
}

static void clear_environment(void)
{
	for (char **variable = environ; variable && *variable;) {
		char name[128];
		size_t length = strcspn(*variable, "=");

		if ((strncmp(*variable, "HSA", 3) && strncmp(*variable, "KFDSCOPE_", 9)) ||
		    length >= sizeof(name)) {
			variable++;
			continue;
		}
		memcpy(name, *variable, length);
		name[length] = '\0';
		unsetenv(name); /* moves the rest up */
	}
}

void fake_open_finish(struct fake_device *fake)
{
	fake_open_reset();
	fake_device_free(fake);
	clear_environment();
}
