/* SPDX-License-Identifier: MIT */
/* Environment variables in the spellings of openclose.md 6, beside kmt_env_flag() of context.h. */
#ifndef KFDSCOPE_THUNK_ENV_H
#define KFDSCOPE_THUNK_ENV_H

#include <stdbool.h>

/* True when the variable begins with a decimal number other than 0. */
bool kmt_env_nonzero(const char *name);
/* True when the variable is exactly "0". */
bool kmt_env_is_zero(const char *name);

#endif
