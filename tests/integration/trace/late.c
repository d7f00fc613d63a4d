/* SPDX-License-Identifier: MIT */
/*
 * Allocates, says "ready", waits for a line on standard input while another thread is inside a
 * wait, and frees one of two blocks. With an argument, that plug-in takes 7 MiB before and is unloaded.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "asleep.h"
#include "hsakmt/hsakmt.h"

static pid_t waiting;
static HsaEvent *event;

static void *wait_long(void *unused)
{
	(void)unused;
	asleep_mark(&waiting);
	hsaKmtWaitOnEvent(event, 60000);
	return NULL;
}

static void *allocate(HSAuint64 size_bytes)
{
	HsaMemFlags flags = { .Value = 0 };
	void *address = NULL;

	flags.ui32.NonPaged = 1;
	hsaKmtAllocMemory(1, size_bytes, flags, &address);
	return address;
}

static bool take_by_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *(*take)(HSAuint64) =
		plugin ? (void *(*)(HSAuint64))dlsym(plugin, "plugin_take") : NULL;
	const bool taken = take && take(7 << 20);

	return taken && dlclose(plugin) == 0 && !dlopen(path, RTLD_NOW | RTLD_NOLOAD);
}

int main(int argc, char **argv)
{
	HsaEventDescriptor desc = { .EventType = HSA_EVENTTYPE_SIGNAL };
	HsaSystemProperties system;
	pthread_t thread;
	void *kept, *freed;
	char line[16];

	hsaKmtOpenKFD();
	hsaKmtAcquireSystemProperties(&system);
	hsaKmtCreateEvent(&desc, false, false, &event);
	if (argc > 1 && !take_by_plugin(argv[1]))
		return 2;
	kept = allocate(3 << 20);
	freed = allocate(5 << 20);
	if (!kept || !freed || pthread_create(&thread, NULL, wait_long, NULL) != 0)
		return 1;
	asleep_await(&waiting);
	printf("ready\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	hsaKmtFreeMemory(freed, 5 << 20);
	hsaKmtSetEvent(event);
	pthread_join(thread, NULL);
	return 0;
}
