/* SPDX-License-Identifier: MIT */
/* Reading environment variables the way each of them is documented. */
#include "env.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"

bool kmt_env_flag(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "0") != 0;
}

bool kmt_env_nonzero(const char *name)
{
	const char *value = getenv(name);

	return value && strtol(value, NULL, 10) != 0;
}

bool kmt_env_is_zero(const char *name)
{
	const char *value = getenv(name);

	return value && strcmp(value, "0") == 0;
}
