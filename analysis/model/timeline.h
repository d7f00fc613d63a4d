/* SPDX-License-Identifier: MIT */
/*
 * The recording as a sequence of simple events that a viewer can draw without arithmetic: running
 * totals, states by name, begin and end of calls. Watches a model; each item is given out at once.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_TIMELINE_H
#define KFDSCOPE_ANALYSIS_MODEL_TIMELINE_H

#include "model/model.h"

#define TIMELINE_NUMBERS 4
#define TIMELINE_TEXTS   2

enum timeline_kind {
	TIMELINE_CALL_BEGIN,
	TIMELINE_CALL_END,
	TIMELINE_MEMORY,
	TIMELINE_BUFFER,
	TIMELINE_QUEUE,
	TIMELINE_WAIT_BEGIN,
	TIMELINE_WAIT_END,
	TIMELINE_COUNTERS,
	/* What the viewer's own view of a C library's heap reads; all six must be declared. */
	TIMELINE_MALLOC,
	TIMELINE_FREE,
	TIMELINE_CALLOC,
	TIMELINE_REALLOC,
	TIMELINE_MEMALIGN,
	TIMELINE_POSIX_MEMALIGN,
	TIMELINE_KIND_COUNT,
};

/*
 * Names of an event and its fields, and the width of numbers; unused ones are NULL. A recording has as
 * many of these events as it has own ones, so each says what the views draw, and not again what the
 * event before it has said.
 */
struct timeline_event {
	const char *name;
	struct timeline_number {
		const char *name;
		uint8_t bits;
	} numbers[TIMELINE_NUMBERS];
	const char *texts[TIMELINE_TEXTS];
};

extern const struct timeline_event timeline_events[TIMELINE_KIND_COUNT];

struct timeline_item {
	enum timeline_kind kind;
	const struct process *process; /* borrowed */
	uint32_t vtid;
	const char *procname; /* borrowed during the callback */
	int64_t time_ns;      /* never less than that of the item before */
	int64_t numbers[TIMELINE_NUMBERS];
	const char *texts[TIMELINE_TEXTS]; /* borrowed during the callback */
};

struct timeline;

/*
 * Starts watching.
 * @param model  borrowed, must outlive the timeline.
 * @param give   called for each item, in time order.
 */
struct timeline *timeline_new(struct model *model,
			      void (*give)(void *data, const struct timeline_item *item),
			      void *data);
/* Ends the buffers that are still alive, for viewers; after model_finish(). */
void timeline_finish(struct timeline *timeline);
void timeline_free(struct timeline *timeline);

#endif
