/* SPDX-License-Identifier: MIT */
/* A library that comes late, calls, and goes. */
#include "hsakmt/hsakmt.h"

__attribute__((visibility("default"))) int plugin_call(void);

int plugin_call(void)
{
	HsaVersionInfo version;

	return hsaKmtGetVersion(&version);
}
