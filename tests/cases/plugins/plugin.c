/* SPDX-License-Identifier: MIT */
/* A plug-in of U40: allocates in a function whose name the build gives. */
#include "../clients/client.h"

__attribute__((visibility("default"))) void plugin_run(void);
/* Hidden, so that a stripped plug-in has no name for it. */
__attribute__((visibility("hidden"))) void PLUGIN_FUNCTION(void);

CASE_FUNCTION void PLUGIN_FUNCTION(void)
{
	alloc_device(1, PLUGIN_BYTES);
}

void plugin_run(void)
{
	PLUGIN_FUNCTION();
}
