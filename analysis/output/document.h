/* SPDX-License-Identifier: MIT */
/*
 * Reports that are made as one JSON object: the text form is written from that object, so that the
 * numbers of both cannot differ. Here are the parts that they share.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_DOCUMENT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_DOCUMENT_H

#include <glib.h>
#include <jansson.h>

#include "output/header.h"
#include "symbols/symbols.h"

/* What a report is made from. */
struct document {
	const struct model *model;        /* borrowed */
	struct sym *sym;                  /* borrowed: names for stacks */
	const char *debug_dirs;           /* borrowed: where sym looks; NULL: the default */
	const struct report_notes *notes; /* borrowed, may be NULL */
	int64_t begin_ns, end_ns;   /* only what happened in between is listed: model_within() */
	uint32_t top;               /* entries that the text lists a section; 0: all */
	struct frames_json *frames; /* borrowed: of the frames that sym named */
};

/* True when a moment is to be listed. */
bool document_wants(const struct document *document, int64_t time_ns);
/* The same for a part of a span. */
bool document_overlaps(const struct document *document, int64_t from_ns, int64_t until_ns);

/* --- Making JSON --- */

/* Sets "vpid" and "process", a name for readers. */
void document_set_process(json_t *json, const struct process *process);
/* Sets "stack", an array of frames, and "caller", the application's own frame or null. */
void document_set_stack(const struct document *document, json_t *json,
			const struct process *process, const struct stack *stack);
/* "status" and "status_name", "errno" and "errno_name"; errno only when there is one. */
void document_set_status(json_t *json, uint32_t status);
void document_set_errno(json_t *json, uint32_t os_errno);
void document_set_int(json_t *json, const char *name, uint64_t value);
void document_set_text(json_t *json, const char *name, const char *text);
/*
 * "undecided": whether what ended it may be among lost events.
 * @param since_ns  when it was last seen to go on.
 */
void document_set_doubt(const struct document *document, json_t *json,
			const struct process *process, int64_t since_ns);
/* The recorded arguments by name: numbers, names of values, {"raw", "set"} for words of flags. */
json_t *document_args(const struct args *args);

/* --- Writing text from JSON --- */

int64_t document_int(const json_t *json, const char *name);
/* A string; "" when there is none. */
const char *document_string(const json_t *json, const char *name);
/* Title and completeness. */
void document_header(GString *text, const char *title, const struct document *document);
/* "+1.5 s" from a member that holds a time. */
void document_moment(GString *text, const struct document *document, const json_t *json,
		     const char *name);
/* The frames of "stack", one a line. */
void document_stack(GString *text, int indent, const json_t *json);
/* " in FUNCTION at FILE:LINE" from "caller"; nothing when there is none. */
void document_caller(GString *text, const json_t *json);
/* "ERROR, EBUSY" from the members that document_set_status() and _errno() made. */
void document_status(GString *text, const json_t *json);
/* A line that says so when the end may be among lost events; nothing otherwise. */
void document_doubt(GString *text, const json_t *json);
/* "NAME=VALUE, …" of document_args()'s object. */
void document_arguments(GString *text, const json_t *args);
/* How many of a section's entries the text lists. */
size_t document_shown(const struct document *document, const json_t *list);
/*
 * A titled list of the text form, cut as --top says; nothing when it is empty.
 * @param name   member of json that is the list.
 * @param what   its entries' noun, plural.
 * @param write  writes one entry.
 */
void document_section(GString *text, const json_t *json, const char *name, const char *title,
		      const char *what, const struct document *document,
		      void (*write)(GString *, const json_t *, const struct document *));
/* "and 12 more" behind a section that was cut. */
void document_more(GString *text, const struct document *document, const json_t *list,
		   const char *what);

#endif
