/* SPDX-License-Identifier: MIT */
/*
 * Resource limits. The user's are for the program that is recorded: the recorder and the session daemon that
 * it starts get what they may have, and the program as much as it would have without the tracer in it.
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_LIMITS_H
#define KFDSCOPE_ANALYSIS_CMDS_LIMITS_H

#include <stdbool.h>

/* Lifts those of this process and of what it starts. */
void limits_lift(void);

/*
 * Whether the limit of open files has room for the tracer's, beside a program's own: a program that has
 * none left is not to fail because of us.
 *
 * @param reason  out: one line for the user when it has none; the caller frees it.
 */
bool limits_have_room(char **reason) __attribute__((warn_unused_result));

/* In the child that becomes the program: those that the user has set, and room for the tracer's files. */
void limits_restore(void);

/* Whether a program can map the tracer's rings. */
bool limits_allow_rings(void);

#endif
