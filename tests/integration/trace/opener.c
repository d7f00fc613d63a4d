/* SPDX-License-Identifier: MIT */
/*
 * user-cases.md U41 (a): opens the library by name with local visibility and looks functions up one
 * by one. With an argument, it then loads that plug-in, calls it, and unloads it again.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "hsakmt/hsakmt.h"

typedef HSAKMT_STATUS (*open_function)(void);
typedef HSAKMT_STATUS (*version_function)(HsaVersionInfo *info);

int main(int argc, char **argv)
{
	void *library = dlopen("libhsakmt.so.1", RTLD_NOW | RTLD_LOCAL);
	version_function get_version;
	open_function open_kfd;
	HsaVersionInfo info;

	if (!library) {
		fprintf(stderr, "opener: %s\n", dlerror());
		return 1;
	}
	open_kfd = (open_function)dlsym(library, "hsaKmtOpenKFD");
	get_version = (version_function)dlsym(library, "hsaKmtGetVersion");
	if (!open_kfd || !get_version || open_kfd() != HSAKMT_STATUS_SUCCESS)
		return 2;
	get_version(&info);
	if (argc > 1) {
		void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		int (*call)(void) = plugin ? (int (*)(void))dlsym(plugin, "plugin_call") : NULL;

		if (!call || call() != 0)
			return 3;
		dlclose(plugin);
	}
	/* From another place, so that its address is news. */
	return get_version(&info) == HSAKMT_STATUS_SUCCESS ? 0 : 4;
}
