/* SPDX-License-Identifier: MIT */
/* Addresses of recordings that are still being made, as babeltrace2 writes them. */
#ifndef KFDSCOPE_ANALYSIS_INPUT_LIVE_H
#define KFDSCOPE_ANALYSIS_INPUT_LIVE_H

#include <stdbool.h>

/* Whether an input is an address, not a directory. */
bool live_is_address(const char *input);
/*
 * Takes net://HOST[:PORT]/host/HOSTNAME/SESSION apart.
 * @return HOSTNAME, the machine that records, to be freed; NULL when the address names no session.
 */
char *live_hostname(const char *address);

#endif
