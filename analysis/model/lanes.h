/* SPDX-License-Identifier: MIT */
/*
 * What a reader can see beside the memory on one time axis: a lane for each queue's life, for each
 * thread's waits and for each counter run. Each lane has a limit on its bars: beyond it, bars that lie
 * close together become one that says how many they were. Bars are those that lie in the model's scope,
 * or reach into it.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_LANES_H
#define KFDSCOPE_ANALYSIS_MODEL_LANES_H

#include "model.h"

#define LANE_BARS_MAX 1024u
#define LANES_MAX     256u

enum lane_class {
	LANE_QUEUE,
	LANE_WAIT,
	LANE_COUNTER,
	LANE_CLASS_COUNT,
};

struct lane_bar {
	int64_t begin_ns, end_ns;
	uint32_t count; /* bars that are merged in it */
	bool is_open;   /* had no end in the recording; end_ns is then the recording's */
};

struct lane {
	enum lane_class class;
	const struct process *process; /* borrowed */
	uint64_t id;                   /* queue id, thread id, id of the counter run */
	uint32_t node_id;              /* UINT32_MAX: unknown */
	char *what;                    /* owned: name of the thread or the counters */
	GArray *bars;                  /* owned, of struct lane_bar, by begin */
	int64_t grain_ns;
};

struct lanes;

struct lanes *lanes_new(struct model *model);
void lanes_free(struct lanes *lanes);
/* Of struct lane, borrowed, in the order of their first bar; those of the finished model. */
const GPtrArray *lanes_list(const struct lanes *lanes, enum lane_class class);
/* How many lanes were not kept. */
uint64_t lanes_dropped(const struct lanes *lanes, enum lane_class class);
const char *lane_class_name(enum lane_class class);

#endif
