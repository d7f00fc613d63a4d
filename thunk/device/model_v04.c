/* SPDX-License-Identifier: MIT */
/*
 * Plug-ins of interface 0.4 run queues and know no ioctl (model.md 2). The KFD in front of them is our
 * simulated one, itself a plug-in of interface 1.1: it is loaded and handed their table.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "device/model.h"

#define KFD_FILE           "kfdscope-model.so"
#define USE_ENGINES_SYMBOL "kfdscope_model_use_engines"

typedef int (*use_engines_fn)(const void *table);

/* Beside the library, and where an installation or a build tree has it. */
static bool find_beside(char *path, size_t size)
{
	static const char *const places[] = { "/", "/kfdscope/", "/../lib/", "/../lib/kfdscope/" };
	const char *slash;
	Dl_info info;

	if (!dladdr((void *)device_model_load_v04, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, size, "%.*s%s" KFD_FILE, slash ? (int)(slash - info.dli_fname) : 1,
			 slash ? info.dli_fname : ".", places[i]);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

static bool is_complete(const struct hsakmt_model_functions *functions)
{
	return functions->create && functions->set_global_aperture && functions->register_queue &&
	       functions->set_set_event;
}

int device_model_load_v04(const char *path, const struct hsakmt_model_functions *engines,
			  void **library)
{
	const char *wanted = getenv("KFDSCOPE_MODEL_KFD");
	use_engines_fn use_engines;
	char found[PATH_MAX];
	int rc;

	if (engines->version_minor < HSAKMT_MODEL_INTERFACE_VERSION_MINOR) {
		kmt_log(KMT_LOG_ERR, "model '%s': interface 0.%u is not supported", path,
			engines->version_minor);
		return -EPROTO;
	}
	if (!is_complete(engines)) {
		kmt_log(KMT_LOG_ERR, "model '%s': its table lacks a mandatory function", path);
		return -ELIBBAD;
	}
	if (!wanted && find_beside(found, sizeof(found)))
		wanted = found;
	/* never closed, as the plug-in itself */
	*library = dlopen(wanted ? wanted : KFD_FILE, RTLD_NOW | RTLD_LOCAL);
	if (!*library) {
		kmt_log(KMT_LOG_ERR, "model '%s': cannot load the KFD that it needs: %s", path,
			dlerror());
		return -ENOENT;
	}
	use_engines = (use_engines_fn)dlsym(*library, USE_ENGINES_SYMBOL);
	if (!use_engines) {
		kmt_log(KMT_LOG_ERR, "model '%s': '%s' cannot use its engines", path,
			wanted ? wanted : KFD_FILE);
		return -ELIBBAD;
	}
	rc = use_engines(engines);
	if (rc < 0)
		kmt_log(KMT_LOG_ERR, "model '%s': the KFD has other engines already", path);
	return rc;
}
