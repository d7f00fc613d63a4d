/* SPDX-License-Identifier: MIT */
/*
 * Recordings that a person can write: one record a line. Used by tests only.
 *
 *   # comment
 *   TIME_NS HOST VPID VTID PROCNAME KIND [LAYER NAME] [FIELD=VALUE…]
 *
 * KIND is entry or exit (then LAYER is hip, api, ioctl … and NAME the call), or schema, begin,
 * node, allocation, queue, event, request, requests, stack, end, forked, exiting, module,
 * module_id, clock_pair, lost, other. A host or
 * procname of "-" is absent. FIELD is a name of model/field.def, or
 *   stack=A,B,…   return addresses, innermost first; A may be FILE!SYMBOL or FILE!SYMBOL+N: the
 *                 address N bytes (default 4) into a function of a module that was loaded before, or
 *                 FILE!SYMBOL>N: behind the Nth call instruction in it (x86-64)
 *   .NAME=         an argument for those that read all: a number, NUMBER:LABEL, numbers with commas
 *                  between, or a text that begins with "
 *   ids=, handles=  numbers;  text=WORD, with \_ for a blank;  build_id=HEX, or build_id=file
 * A module's text may begin with @: the directory of the fixtures.
 */
#ifndef KFDSCOPE_TESTS_UNIT_ANALYSIS_TEXT_TRACE_H
#define KFDSCOPE_TESTS_UNIT_ANALYSIS_TEXT_TRACE_H

#include "model/model.h"

/*
 * Feeds a model from text, without model_finish().
 * @param fixtures  the directory that @ stands for; may be NULL.
 * @return NULL, or what is wrong with which line; to be freed with g_free().
 */
char *text_trace_read(struct model *model, const char *text, const char *fixtures);
/* The same from a file. */
char *text_trace_read_file(struct model *model, const char *path, const char *fixtures);

#endif
