/* SPDX-License-Identifier: MIT */
/*
 * JSON that is put together piece by piece, for outputs of millions of small objects: making each a
 * tree first, or formatting with printf(), takes longer than all that leads to it.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_JSON_TEXT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_JSON_TEXT_H

#include <glib.h>
#include <jansson.h>
#include <stdint.h>

/* Punctuation and names that need no escapes. */
#define json_text_literal(text, literal) g_string_append_len(text, literal, sizeof(literal) - 1)

void json_text_unsigned(GString *text, uint64_t number);
void json_text_signed(GString *text, int64_t number);
/* Addresses and handles, which do not fit a JavaScript number: a string that begins with 0x. */
void json_text_hex(GString *text, uint64_t number);
/* Nanoseconds as microseconds with three places. */
void json_text_microseconds(GString *text, int64_t time_ns);
/* A string with quotes and escapes. @param string  NULL: an empty one; what is not UTF-8: "?". */
void json_text_string(GString *text, const char *string);
/*
 * A tree on one line, as jansson writes it; that looks at every object for whether it is inside of
 * itself, which takes longer than writing it.
 */
void json_text_tree(GString *text, const json_t *json);

#endif
