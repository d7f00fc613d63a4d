/* SPDX-License-Identifier: MIT */
/* The live recordings among the inputs of a report: copied, all at a time, until they end. */
#ifndef KFDSCOPE_ANALYSIS_CMDS_COPIES_H
#define KFDSCOPE_ANALYSIS_CMDS_COPIES_H

#include <glib.h>
#include <signal.h>
#include <stddef.h>

struct copies;

/*
 * Attaches to those of the inputs that are addresses.
 * @param problem  out: why one cannot be read, to be freed.
 * @return NULL on failure.
 */
struct copies *copies_new(const char *const *inputs, size_t count, char **problem);
/*
 * Copies until all sessions have ended, or until told to stop.
 * @param notes  of char *, owned: a sentence for each that broke off is added.
 */
void copies_run(struct copies *copies, const volatile sig_atomic_t *stop, GPtrArray *notes);
/* Where the copy of an input is; NULL when it is not an address. */
const char *copies_folder(const struct copies *copies, size_t input);
/* Removes the copies; accepts NULL. */
void copies_free(struct copies *copies);

#endif
