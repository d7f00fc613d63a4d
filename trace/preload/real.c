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
