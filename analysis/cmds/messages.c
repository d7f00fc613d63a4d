/* SPDX-License-Identifier: MIT */
/* A graph of source.ctf.fs, a muxer and a simple sink (messages.h). */
#include "messages.h"

struct walk {
	bool (*take)(void *data, const bt_message *message);
	void *data; /* borrowed */
	bool is_enough;
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

/* source.ctf.fs has one output port a stream: a muxer joins them. */
static bool connect_streams(bt_graph *graph, const bt_component_source *source,
			    const bt_component_filter *muxer, const bt_component_sink *sink)
{
	uint64_t ports = bt_component_source_get_output_port_count(source);

	for (uint64_t i = 0; i < ports; i++) {
		/* The muxer adds an input port each time one is connected. */
		uint64_t last = bt_component_filter_get_input_port_count(muxer) - 1;

		if (bt_graph_connect_ports(
			    graph, bt_component_source_borrow_output_port_by_index_const(source, i),
			    bt_component_filter_borrow_input_port_by_index_const(muxer, last),
			    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return false;
	}
	return bt_graph_connect_ports(
		       graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		       bt_component_sink_borrow_input_port_by_index_const(sink, 0),
		       NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

bool messages_walk(const char *directory, bool (*take)(void *data, const bt_message *message),
		   void *data)
{
	struct walk walk = { .take = take, .data = data };
	const bt_plugin *ctf = NULL, *utils = NULL;
	const bt_component_source *source = NULL;
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	bt_graph *graph = bt_graph_create(0);
	bt_value *params = bt_value_map_create(), *inputs = NULL;
	bool ok = false;

	if (bt_plugin_find("ctf", true, true, true, true, true, &ctf) != BT_PLUGIN_FIND_STATUS_OK ||
	    bt_plugin_find("utils", true, true, true, true, true, &utils) !=
		    BT_PLUGIN_FIND_STATUS_OK)
		goto out;
	if (bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ||
	    bt_value_array_append_string_element(inputs, directory))
		goto out;
	if (bt_graph_add_source_component(
		    graph, bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs"), "in",
		    params, BT_LOGGING_LEVEL_NONE, &source) ||
	    bt_graph_add_filter_component(
		    graph, bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer"),
		    "mux", NULL, BT_LOGGING_LEVEL_NONE, &muxer) ||
	    bt_graph_add_simple_sink_component(graph, "walk", initialize, consume, NULL, &walk,
					       &sink))
		goto out;
	ok = connect_streams(graph, source, muxer, sink) &&
	     bt_graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
out:
	if (!ok)
		bt_current_thread_clear_error();
	bt_value_put_ref(params);
	bt_graph_put_ref(graph);
	bt_plugin_put_ref(ctf);
	bt_plugin_put_ref(utils);
	return ok;
}
