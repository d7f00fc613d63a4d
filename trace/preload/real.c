/* SPDX-License-Identifier: MIT */
/* Look-up of the next definitions (real.h). */
#include "preload/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

static __thread bool is_looking __attribute__((tls_model("initial-exec")));

void *real_next(void **slot, const char *name)
{
	const int saved_errno = errno;
	void *real;

	if (is_looking)
		return NULL;
	is_looking = true;
	real = dlsym(RTLD_NEXT, name);
	is_looking = false;
	__atomic_store_n(slot, real, __ATOMIC_RELAXED);
	errno = saved_errno;
	return real;
}

/* The linker's names for the section's ends. */
extern struct real_use __start_real_uses[] __attribute__((visibility("hidden")));
extern struct real_use __stop_real_uses[] __attribute__((visibility("hidden")));

static void __attribute__((constructor)) real_init(void)
{
	for (struct real_use *use = __start_real_uses; use < __stop_real_uses; use++)
		(void)real_next(use->slot, use->name); /* one that is missing is looked for again */
}
