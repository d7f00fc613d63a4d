/* SPDX-License-Identifier: MIT */
/*
 * Finds the provider object and takes it into use. It may be in the process already (LD_PRELOAD),
 * or KFDSCOPE_PROVIDER asks for it: "1" looks beside the library, anything else is its path.
 * Whatever is wrong with it, the program goes on untraced; KFDSCOPE_STATUS names a file that is
 * told why.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "maker.h"
#include "origin.h"

#define SHARED_MEMORY_NEEDED_BYTES (256U << 10)
#define PROVIDER_FILE              "libkfdscope-tracepoints.so"

static pthread_once_t loaded_once = PTHREAD_ONCE_INIT;

static const struct trace_host host = {
	.dump = trace_state_dump,
	.forked = trace_state_forked,
};

/* One line, in one write, so that lines of several processes do not mix. */
static void report(const char *result, const char *detail)
{
	const char *path = secure_getenv("KFDSCOPE_STATUS");
	char line[512];
	int length, fd;

	kmt_log(KMT_LOG_INFO, "tracing: provider %s%s%s", result, *detail ? ": " : "", detail);
	if (!path || !*path)
		return;
	length = snprintf(line, sizeof(line), "pid=%d provider=%s%s%s\n", (int)getpid(), result,
			  *detail ? " reason=" : "", detail);
	if (length >= (int)sizeof(line)) {
		length = sizeof(line) - 1;
		line[length - 1] = '\n';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	/* A status file that cannot be written changes nothing for the program. */
	if (write(fd, line, (size_t)length) < 0)
		kmt_log(KMT_LOG_WARNING, "tracing: cannot write '%s'", path);
	close(fd);
}

static void take(const struct trace_provider *provider)
{
	const char *reason = trace_provider_mismatch(provider);

	if (reason) {
		report("mismatch", reason);
		return;
	}
	provider->attach(&host);
	__atomic_store_n(&trace_provider, provider, __ATOMIC_RELEASE);
	report("attached", "");
	messages_begin();
}

static const struct trace_provider *provider_in(void *handle)
{
	return dlsym(handle, TRACE_PROVIDER_SYMBOL);
}

/* Beside the library, and where an installation or a build tree has it. */
static void *load_beside(void)
{
	static const char *const places[] = { "/", "/kfdscope/", "/../", "/../lib/",
					      "/../lib/kfdscope/" };
	char path[PATH_MAX];
	void *handle = NULL;
	const char *slash;
	Dl_info info;

	if (!dladdr(&loaded_once, &info) || !info.dli_fname)
		return NULL;
	slash = strrchr(info.dli_fname, '/');
	for (size_t i = 0; slash && !handle && i < sizeof(places) / sizeof(places[0]); i++) {
		int length = snprintf(path, sizeof(path), "%.*s%s%s", (int)(slash - info.dli_fname),
				      info.dli_fname, places[i], PROVIDER_FILE);

		if (length < (int)sizeof(path) && access(path, R_OK) == 0)
			handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return handle ? handle : dlopen(PROVIDER_FILE, RTLD_NOW | RTLD_LOCAL);
}

/*
 * lttng-ust maps a page of shared memory as soon as it is loaded and touches it from its own
 * thread: on a full file system that is a SIGBUS for the whole program.
 */
static bool shared_memory_has_room(void)
{
	struct statvfs shm;

	return statvfs("/dev/shm", &shm) == 0 &&
	       (uint64_t)shm.f_bavail * shm.f_frsize >= SHARED_MEMORY_NEEDED_BYTES;
}

static void load(void)
{
	const char *wanted = secure_getenv("KFDSCOPE_PROVIDER");
	const struct trace_provider *provider = NULL;
	void *handle;

	if (trace_provider_get())
		return;
	if (!wanted || !*wanted || strcmp(wanted, "0") == 0) {
		report("absent", "none is loaded and KFDSCOPE_PROVIDER is not set");
		return;
	}
	if (!shared_memory_has_room()) {
		report("unloadable", "/dev/shm is full or missing");
		return;
	}
	dlerror();
	handle = strcmp(wanted, "1") == 0 ? load_beside() : dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		provider = provider_in(handle);
	if (provider) {
		take(provider);
	} else {
		const char *reason = dlerror();

		report(handle ? "mismatch" : "unloadable", reason ? reason : "not found");
	}
}

void trace_attach(void)
{
	int saved_errno = errno;

	pthread_once(&loaded_once, load);
	errno = saved_errno;
}

/* A provider that was preloaded is taken at once, so that calls before the open are seen too. */
static void __attribute__((constructor)) trace_init(void)
{
	const struct trace_provider *provider;

	trace_options_read();
	device_set_decorator(trace_device_decorate);
	kmt_origin_set_source(trace_maker_here);
	provider = provider_in(RTLD_DEFAULT);
	if (provider)
		take(provider);
}
