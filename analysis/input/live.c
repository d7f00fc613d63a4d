/* SPDX-License-Identifier: MIT */
/* Addresses of live recordings (live.h). */
#include "input/live.h"

#include <glib.h>
#include <string.h>

bool live_is_address(const char *input)
{
	return g_str_has_prefix(input, "net://") || g_str_has_prefix(input, "net4://");
}

char *live_hostname(const char *address)
{
	enum { RELAY, HOST, HOSTNAME, SESSION, PARTS };
	char **parts = g_strsplit(strstr(address, "://") + strlen("://"), "/", PARTS);
	char *hostname = NULL;

	if (g_strv_length(parts) == PARTS && *parts[RELAY] && strcmp(parts[HOST], "host") == 0 &&
	    *parts[HOSTNAME] && *parts[SESSION])
		hostname = g_strdup(parts[HOSTNAME]);
	g_strfreev(parts);
	return hostname;
}
