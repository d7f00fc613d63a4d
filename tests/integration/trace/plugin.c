/* SPDX-License-Identifier: MIT */
/* A library that comes late, calls, and goes. */
#include "hsakmt/hsakmt.h"

__attribute__((visibility("default"))) int plugin_call(void);
__attribute__((visibility("default"))) void *plugin_take(HSAuint64 size_bytes);

int plugin_call(void)
{
	HsaVersionInfo version;

	return hsaKmtGetVersion(&version);
}

/* What it takes stays when it goes. */
void *plugin_take(HSAuint64 size_bytes)
{
	HsaMemFlags flags = { .Value = 0 };
	void *address = NULL;

	flags.ui32.NonPaged = 1;
	hsaKmtAllocMemory(1, size_bytes, flags, &address);
	return address;
}
