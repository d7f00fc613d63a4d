/* SPDX-License-Identifier: MIT */
/* --begin and --end for reports that are JSON objects: what happened at other times is taken out. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_WINDOW_H
#define KFDSCOPE_ANALYSIS_OUTPUT_WINDOW_H

#include "output/document.h"

/*
 * Takes entries out of all lists that have times (window.c), wherever they stand, and what they count
 * for out of "findings". What goes on in the window is in it.
 */
void window_apply(json_t *json, const struct document *document);

#endif
