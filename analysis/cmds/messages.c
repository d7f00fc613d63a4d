/* SPDX-License-Identifier: MIT */
/* The graph of an analysis with a sink of its own (messages.h). */
#include "messages.h"

#include <glib.h>

#include "cmds/sources.h"

struct walk {
	bool (*take)(void *data, const bt_message *message);
	void *data; /* borrowed */
	bool is_enough, is_cut;
};

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
								  void *data)
{
	struct walk *walk = data;
	uint64_t count;
	bt_message_array_const messages;
	bt_message_iterator_next_status status =
		bt_message_iterator_next(iterator, &messages, &count);

	switch (status) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	}
	for (uint64_t i = 0; i < count; i++) {
		walk->is_enough = walk->is_enough || !walk->take(walk->data, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	if (walk->is_enough)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_initialize_func_status initialize(
	bt_message_iterator *iterator, void *data)
{
	(void)iterator;
	(void)data;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static void note_cut(void *data, guint trace, const char *stream, int64_t last_ns, uint64_t packets,
		     const char *problem)
{
	struct walk *walk = data;

	(void)trace;
	(void)stream;
	(void)last_ns;
	(void)packets;
	(void)problem;
	walk->is_cut = true;
}

static bool connect_sink(struct sources *sources, struct walk *walk)
{
	const bt_component_sink *sink;

	return bt_graph_add_simple_sink_component(sources_graph(sources), "walk", initialize,
						  consume, NULL, walk,
						  &sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
	       bt_graph_connect_ports(sources_graph(sources), sources_output(sources),
				      bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				      NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

bool messages_walk(const char *directory, bool (*take)(void *data, const bt_message *message),
		   void *data)
{
	struct walk walk = { .take = take, .data = data };
	char *problem = NULL;
	struct sources *sources = sources_new(note_cut, &walk, &problem);
	bool ok = sources && sources_add(sources, 0, directory, directory, &problem) &&
		  connect_sink(sources, &walk) &&
		  bt_graph_run(sources_graph(sources)) == BT_GRAPH_RUN_STATUS_OK;

	if (!ok)
		bt_current_thread_clear_error();
	g_free(problem);
	sources_free(sources);
	return ok && !walk.is_cut;
}
