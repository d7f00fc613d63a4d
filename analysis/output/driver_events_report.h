/* SPDX-License-Identifier: MIT */
/* What the driver's event streams told, as parts of the reports that it belongs to. */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_DRIVER_EVENTS_REPORT_H
#define KFDSCOPE_ANALYSIS_OUTPUT_DRIVER_EVENTS_REPORT_H

#include "model/driver_events.h"
#include "output/document.h"

/*
 * "driver_events" (collected, not collected, refused) and "driver_lines", lines kept as they are; in
 * every report that shows something of the streams.
 */
void driver_events_set(const struct document *document, json_t *json,
		       const struct driver_events *events);
/* "eviction_spans" and "evictions_count". */
void driver_events_set_evictions(const struct document *document, json_t *json,
				 const struct driver_events *events);
/* "migrations", "page_faults" and "unmaps". */
void driver_events_set_memory(json_t *json, const struct driver_events *events);
/* "driver_notes": VM faults, resets, throttling, starts and ends of processes. */
void driver_events_set_notes(json_t *json, const struct driver_events *events);

/* The same as text, from JSON; each ends with a blank line unless it writes nothing. */
void driver_events_text_evictions(GString *text, const json_t *json,
				  const struct document *document);
void driver_events_text_memory(GString *text, const json_t *json, const struct document *document);
void driver_events_text_notes(GString *text, const json_t *json, const struct document *document);
/* Lines that were kept as they are, and why there is nothing. @param what  "Evictions" */
void driver_events_text_rest(GString *text, const json_t *json, const struct document *document,
			     const char *what);

#endif
