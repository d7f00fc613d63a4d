/* SPDX-License-Identifier: MIT */
/*
 * A text that is written from front to back but for some blanks, whose contents are known only later.
 * Pipes and files that are appended to get the text when it is finished; it lies in a temporary file
 * until then.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_DRAFT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_DRAFT_H

#include <stdint.h>
#include <stdio.h>

struct draft;

/* @param target  borrowed until draft_free(). @return the draft, or NULL with errno. */
struct draft *draft_new(FILE *target);
/* Where to write; only blanks may be filled elsewhere than at its end. */
FILE *draft_stream(struct draft *draft);
/* Writes so many spaces. @return where they are. */
int64_t draft_blank(struct draft *draft, unsigned int size);
/* Writes over the beginning of a blank. */
void draft_fill(struct draft *draft, int64_t blank, const char *text);
/* The target gets what it has not yet. @return 0 or -errno. */
int draft_finish(struct draft *draft);
/* Accepts NULL. */
void draft_free(struct draft *draft);

#endif
