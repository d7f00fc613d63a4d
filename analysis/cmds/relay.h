/* SPDX-License-Identifier: MIT */
/* A relay daemon that a recording is sent to. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_RELAY_H
#define KFDSCOPE_ANALYSIS_CMDS_RELAY_H

#include <stdbool.h>

#define RELAY_SCHEME    "net://"
#define RELAY_LIVE_PORT 5344 /* lttng-relayd's default, for readers */

/* Whether text is net://HOST or net://HOST:CONTROL:DATA, the host perhaps in brackets. */
bool relay_url_valid(const char *url);

/*
 * Tries whether somebody listens for recordings there. The session daemon would find out, too, but
 * 2.13's does not always survive it.
 *
 * @param reason  out on failure: one line for the user; the caller frees it.
 */
bool relay_answers(const char *url, char **reason) __attribute__((warn_unused_result));

/* The address at which a session can be read while it is made, for g_free(). */
char *relay_live_url(const char *url, int live_port, const char *session);

#endif
