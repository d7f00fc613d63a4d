/* SPDX-License-Identifier: MIT */
/* Settings of the one log function, kmt_log() in context.h. */
#ifndef KFDSCOPE_THUNK_LOG_H
#define KFDSCOPE_THUNK_LOG_H

#include "context.h"

/*
 * Reads the environment variable: 3, 4, 6 or 7; any other value leaves the level as it is. Called by
 * the first open, with HSAKMT_DEBUG_LEVEL; a guest's library has a variable of its own.
 */
void kmt_log_read_level(const char *variable);

/* Gets every message, whatever the level on stderr is. message is borrowed for the call. */
typedef void (*kmt_log_sink)(enum kmt_log_level level, const char *message);
/*
 * Hands messages to a recorder, too; NULL ends that. The sink is called in the middle of thunk
 * functions, often with the global lock held, and must not call the thunk.
 */
void kmt_log_set_sink(kmt_log_sink sink);

#endif
