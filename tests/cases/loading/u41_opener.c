/* SPDX-License-Identifier: MIT */
/*
 * U41 (a), (c): opens each library that is named, with local visibility, makes calls through it, and ends with 7.
 * Nothing of it is linked with libhsakmt.
 */
#include <hsakmt/hsakmt.h>

#include <dlfcn.h>
#include <stdio.h>

static void call(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	HSAKMT_STATUS (*open_kfd)(void);
	HSAKMT_STATUS (*get_version)(HsaVersionInfo *);
	HsaVersionInfo info;

	if (!library) {
		printf("cannot open\n");
		return;
	}
	open_kfd = (HSAKMT_STATUS(*)(void))dlsym(library, "hsaKmtOpenKFD");
	get_version = (HSAKMT_STATUS(*)(HsaVersionInfo *))dlsym(library, "hsaKmtGetVersion");
	printf("open %d\n", (int)open_kfd());
	printf("version %d\n", (int)get_version(&info));
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		call(argv[i]);
	return 7;
}
