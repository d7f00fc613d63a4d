/* SPDX-License-Identifier: MIT */
/* The list of things that `kfdscope doctor` looked at. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_CHECKUP_H
#define KFDSCOPE_ANALYSIS_CMDS_CHECKUP_H

#include <glib.h>
#include <stdbool.h>

#include "places.h"

enum verdict {
	VERDICT_GOOD,
	VERDICT_NOTE,    /* worth knowing; recording works */
	VERDICT_PROBLEM, /* nothing, or not everything, will be recorded */
};

/* One thing looked at. */
struct finding {
	enum verdict verdict;
	char *subject; /* owned; "session daemon" */
	char *text;    /* owned; what was found and, if it is no good, what to do */
};

struct checkup {
	GArray *findings; /* of struct finding, owned */
};

void checkup_init(struct checkup *checkup);
void checkup_fini(struct checkup *checkup);
void checkup_add(struct checkup *checkup, enum verdict verdict, const char *subject,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));
bool checkup_has_problem(const struct checkup *checkup);

/* The machine and the installation. */
void checkup_installation(struct checkup *checkup, const struct places *places);
void checkup_lttng(struct checkup *checkup);
void checkup_devices(struct checkup *checkup);

/*
 * A program: which libhsakmt it would load when recorded, and why it would load none.
 *
 * @param program  a path, or a name to look up in PATH.
 * @param envp     the environment that `kfdscope record` would give it.
 */
void checkup_program(struct checkup *checkup, const struct places *places, const char *program,
		     char **envp);

/*
 * Whether a program finds another libhsakmt before LD_LIBRARY_PATH's, since a search path is built into it
 * or into one of its libraries. Its own sub-programs and what scripts run are not looked at.
 */
bool checkup_passes_thunk_by(const struct places *places, const char *program, char **envp)
	__attribute__((warn_unused_result));

/*
 * The AddressSanitizer's library that a program is linked with, or NULL; for g_free(). It ends a program
 * that loads another one first.
 */
char *checkup_sanitizer(const char *program, char **envp);

#endif
