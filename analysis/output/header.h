/* SPDX-License-Identifier: MIT */
/*
 * What every report begins with: which recording, how complete it is, and what that means for the
 * results. The same facts in text and JSON.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_HEADER_H
#define KFDSCOPE_ANALYSIS_OUTPUT_HEADER_H

#include <glib.h>
#include <jansson.h>

#include "model/model.h"

/* What the reader of the recording noticed, beyond the records themselves. */
struct report_notes {
	GPtrArray
		*partial; /* of char *, owned by whoever made it: what could not be read, and why */
	uint64_t bytes;   /* that were read, to plan recordings with; 0: unknown */
};

/* Title and completeness. @param notes  may be NULL. */
void header_text(GString *text, const char *title, const struct model *model,
		 const struct report_notes *notes);
/* "Events are missing" or "3 events were lost", of a model that has such spans. */
void header_loss(GString *text, const struct model *model);
/*
 * A new JSON object with "schema", "version", "recording" and "complete".
 * @return NULL without memory.
 */
json_t *header_json(const char *schema, const char *version, const struct model *model,
		    const struct report_notes *notes);
/* Identity and end of a process. */
json_t *process_json(const struct process *process);

#endif
