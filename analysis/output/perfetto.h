/* SPDX-License-Identifier: MIT */
/*
 * Timeline in the trace-event JSON that the Perfetto UI and Chrome open: a track for each thread with
 * its calls, a slice for each block of memory, counters of live bytes and queues for each node, and
 * arrows from signals to the waits that they ended. Written while the recording goes by; only what is
 * open is kept.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_PERFETTO_H
#define KFDSCOPE_ANALYSIS_OUTPUT_PERFETTO_H

#include <stdio.h>

#include "model/model.h"
#include "output/header.h"

struct perfetto;

/*
 * Starts writing.
 * @param stream  borrowed until perfetto_free().
 * @param begin_ns, end_ns  only what begins in between is written; 0: no limit.
 * @return NULL with errno when there is no room for a temporary file.
 */
struct perfetto *perfetto_new(struct model *model, FILE *stream, int64_t begin_ns, int64_t end_ns,
			      const char *debug_dirs);
/* Closes what is open and ends the JSON. @return 0 or -errno of writing. */
int perfetto_finish(struct perfetto *perfetto, const struct report_notes *notes);
void perfetto_free(struct perfetto *perfetto);

#endif
