/* SPDX-License-Identifier: MIT */
/*
 * Everything about a recording in one HTML file that needs no network and no other file: what was
 * found, memory over time, what leaked, failures, and lanes of queues, waits and counters.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_HTML_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_HTML_REPORT_H

#include <stdio.h>

#include "output/document.h"

struct html_report;

/* Starts watching. @param model  borrowed, unfinished. */
struct html_report *html_report_new(struct model *model);
void html_report_free(struct html_report *report);
/*
 * All that the page shows, of the finished model: a new JSON object, schema "kfdscope.report". What was
 * left is in it as leaks_json() makes it.
 */
json_t *html_report_json(struct html_report *report, const struct document *document);
/* Writes that object. @return 0 or -errno. */
int html_report_write_json(struct html_report *report, const json_t *json, FILE *stream);
/* Writes the page with it. @return 0 or -errno. */
int html_report_write(struct html_report *report, const json_t *json, FILE *stream);

#endif
