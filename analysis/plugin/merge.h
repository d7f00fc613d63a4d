/* SPDX-License-Identifier: MIT */
/*
 * A filter that puts the streams of all traces in the order of time. Where babeltrace2's own muxer stops
 * for good at the first stream that cannot be read further, here that stream ends alone, which is told,
 * and the others go on.
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_MERGE_H
#define KFDSCOPE_ANALYSIS_PLUGIN_MERGE_H

#include <babeltrace2/babeltrace.h>

/* What the graph's builder hands to the component. Borrowed. */
struct merge_listener {
	/*
	 * An input ends before its end. When babeltrace2 says why, its error is on this thread, and is to be
	 * taken.
	 * @param input    its number: that of its port, in the order of connection.
	 * @param last_ns  the time of its last message (Unix ns); INT64_MIN: it gave none.
	 * @param packets  so many came to their ends.
	 * @param problem  why; NULL: babeltrace2 knows.
	 */
	void (*input_failed)(void *data, uint64_t input, int64_t last_ns, uint64_t packets,
			     const char *problem);
	void *data;
};

/*
 * Adds the filter to a graph: each input port that is connected adds the next one; there is one output.
 * @param listener  is kept: must outlive the graph.
 * @return borrowed from the graph; NULL with babeltrace2's error on the thread.
 */
const bt_component_filter *merge_add(bt_graph *graph, const struct merge_listener *listener);

#endif
