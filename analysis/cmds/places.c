/* SPDX-License-Identifier: MIT */
/* Finds the parts of kfdscope beside the running command. */
#include "places.h"

#include <glib.h>

#ifndef KFDSCOPE_INSTALL_LIBDIR
#error "the build passes the library directory below the prefix"
#endif

void places_init(struct places *places)
{
	char *exe = g_file_read_link("/proc/self/exe", NULL);
	char *bin = g_path_get_dirname(exe ? exe : "./kfdscope");
	char *prefix = g_path_get_dirname(bin);
	char *installed = g_build_filename(prefix, KFDSCOPE_INSTALL_LIBDIR, "kfdscope", NULL);
	char *lib = g_file_test(installed, G_FILE_TEST_IS_DIR)
			    ? g_strdup(installed)
			    : g_build_filename(prefix, "lib", NULL);

	places->thunk_dir = g_strdup(lib);
	places->provider = g_build_filename(lib, "libkfdscope-tracepoints.so", NULL);
	places->hip_layer = g_build_filename(lib, "libkfdscope-hip.so", NULL);
	places->hsa_layer = g_build_filename(lib, "libkfdscope-rocr.so", NULL);
	places->preload = g_build_filename(lib, "libkfdscope-preload.so", NULL);
	places->model = g_build_filename(lib, "kfdscope-model.so", NULL);
	places->model_preload = g_build_filename(lib, "libkfdscope-model-preload.so", NULL);
	places->topologies = g_build_filename(prefix, "share", "kfdscope", "topologies", NULL);
	places->views = g_build_filename(prefix, "share", "kfdscope", "trace-compass", NULL);
	places->plugins = g_file_test(installed, G_FILE_TEST_IS_DIR)
				  ? g_build_filename(prefix, KFDSCOPE_INSTALL_LIBDIR, "babeltrace2",
						     "plugins", NULL)
				  : g_strdup(lib);
	g_free(lib);
	g_free(installed);
	g_free(prefix);
	g_free(bin);
	g_free(exe);
}

void places_fini(struct places *places)
{
	g_free(places->thunk_dir);
	g_free(places->provider);
	g_free(places->hip_layer);
	g_free(places->hsa_layer);
	g_free(places->preload);
	g_free(places->model);
	g_free(places->model_preload);
	g_free(places->topologies);
	g_free(places->views);
	g_free(places->plugins);
}
