/* SPDX-License-Identifier: MIT */
/* Finds the provider and the real functions for objects that are preloaded (layer.h). */
#include "layer.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>

/* The library that a caller names, if the process has it. */
struct search {
	const char *begins; /* of the file name */
	char path[PATH_MAX];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *file = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (strncmp(file, search->begins, strlen(search->begins)) != 0 ||
	    strlen(info->dlpi_name) >= sizeof(search->path))
		return 0;
	strcpy(search->path, info->dlpi_name);
	return 1;
}

/* Opened after the walk, since the loader's lock is held during it. */
static void *find_in_library(const char *name, const char *library)
{
	struct search search = { .begins = library };
	void *handle, *real;

	if (!library || dl_iterate_phdr(look_at, &search) == 0)
		return NULL;
	handle = dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	real = dlsym(handle, name);
	dlclose(handle); /* only our reference: who loaded it keeps it */
	return real;
}

void *layer_find(struct layer_function *function, const char *library)
{
	const int saved_errno = errno;
	void *real = dlsym(RTLD_NEXT, function->name);

	if (!real)
		real = find_in_library(function->name, library);
	if (real)
		__atomic_store_n(&function->real, real, __ATOMIC_RELEASE);
	errno = saved_errno;
	return real;
}

/* The provider's tables are static, so that a provider whose constructors have not run will do. */
static void __attribute__((constructor)) layer_init(void)
{
	const struct trace_provider *provider = dlsym(RTLD_DEFAULT, TRACE_PROVIDER_SYMBOL);

	trace_options_read();
	if (provider && !trace_provider_mismatch(provider))
		__atomic_store_n(&trace_provider, provider, __ATOMIC_RELEASE);
}
