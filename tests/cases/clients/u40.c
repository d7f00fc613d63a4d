/* SPDX-License-Identifier: MIT */
/* U40: plug-ins that come and go, and a frame of generated code. Arguments: the plug-ins' files. */
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "client.h"

typedef void (*run_fn)(void);

static void *plugin_base(void *function)
{
	Dl_info info;

	if (!dladdr(function, &info))
		exit(98);
	return info.dli_fbase;
}

/* Runs it and unloads it again. @return where it was loaded. */
static CASE_FUNCTION void *run_plugin(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *base;
	run_fn run = NULL;

	if (!handle) {
		fprintf(stderr, "client: %s\n", dlerror());
		exit(97);
	}
	*(void **)(void *)&run = dlsym(handle, "plugin_run");
	base = plugin_base(*(void **)(void *)&run);
	run();
	dlclose(handle);
	return base;
}

static CASE_FUNCTION void allocate_for_generated(void)
{
	alloc_device(1, 5 << 12);
}

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static void run_generated(void)
{
#ifdef __x86_64__
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	void (*generated)(run_fn) = NULL;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(96);
	memcpy(page, code, sizeof(code));
	*(void **)(void *)&generated = page;
	generated(allocate_for_generated);
#else
	allocate_for_generated();
#endif
}

int main(int argc, char **argv)
{
	void *first = NULL;

	open_driver();
	for (int i = 1; i < argc; i++) {
		void *base = run_plugin(argv[i]);

		if (i == 1)
			first = base;
		if (i == 2)
			printf("%s\n", base == first ? "same address" : "another address");
	}
	run_generated();
	close_driver();
	return 0;
}
