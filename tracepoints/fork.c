/* SPDX-License-Identifier: MIT */
/*
 * Forked children are recorded too: LTTng-UST's threads and sockets are made anew in the child, as
 * liblttng-ust-fork.so does it. When that one is preloaded, doing it twice would hang, so it is
 * left to do it. Handlers registered early run last before the fork and first after it, which is
 * what LTTng-UST wants: the library's own handlers are registered at its first open, later than
 * these.
 */
#include <dlfcn.h>
#include <lttng/ust-fork.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "modules.h"
#include "stacks.h"

/* Between prepare and the handlers after it; only the forking thread uses it. */
static sigset_t saved_signals;

static void before(void)
{
	lttng_ust_before_fork(&saved_signals);
}

static void after_in_parent(void)
{
	lttng_ust_after_fork_parent(&saved_signals);
}

static void host_forked(const struct trace_host *host)
{
	host->forked();
}

static void forget(void)
{
	statedump_forked();
	modules_forked();
	stacks_forked();
	host_for_each(host_forked);
}

static void tell(void)
{
	const struct kmt_state_forked event = { .pid = getpid(), .ppid = getppid() };

	provider_fire(TRACE_kmt_state_forked, &event);
}

/* Starting LTTng-UST anew may bring a state dump at once, so first the old state is forgotten. */
static void after_in_child(void)
{
	forget();
	lttng_ust_after_fork_child(&saved_signals);
	tell();
}

/* With liblttng-ust-fork.so, which starts LTTng-UST anew after these handlers. */
static void child_of_fork_library(void)
{
	forget();
}

/* True when fork() is liblttng-ust-fork.so's. */
static bool has_fork_library(void)
{
	void *address = dlsym(RTLD_DEFAULT, "fork");
	Dl_info info;

	return address && dladdr(address, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "liblttng-ust-fork") != NULL;
}

void fork_init(void)
{
	/* Without handlers the child is silent, which is no reason to disturb the program. */
	if (has_fork_library())
		(void)pthread_atfork(NULL, NULL, child_of_fork_library);
	else
		(void)pthread_atfork(before, after_in_parent, after_in_child);
}
