/* SPDX-License-Identifier: MIT */
/* The methods of a report sink, in calling order (sink.h). */
#include "plugin/sink.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "plugin/feed.h"
#include "plugin/params.h"

struct sink {
	bt_self_component *self;       /* borrowed */
	bt_message_iterator *iterator; /* owned; NULL until the graph is configured */
	struct model *model;           /* owned */
	struct feed *feed;             /* owned */
	struct report *report;         /* owned */
};

static void sink_free(struct sink *sink)
{
	if (!sink)
		return;
	bt_message_iterator_put_ref(sink->iterator);
	feed_free(sink->feed);
	report_free(sink->report);
	model_free(sink->model);
	g_free(sink);
}

static bool sink_open(struct sink *sink, const bt_value *params, enum report_kind kind)
{
	struct report_options options;
	int error;

	if (!params_read(sink->self, params, &options))
		return false;
	sink->model = model_new();
	sink->feed = feed_new(sink->model);
	sink->report = report_new(kind, sink->model, &options, &error);
	if (sink->report)
		return true;
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(sink->self, "cannot write to '%s': %s",
							    options.output, strerror(-error));
	return false;
}

bt_component_class_initialize_method_status sink_initialize(bt_self_component_sink *self,
							    const bt_value *params,
							    enum report_kind kind)
{
	bt_component_class_initialize_method_status status =
		BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	struct sink *sink = g_new0(struct sink, 1);

	sink->self = bt_self_component_sink_as_self_component(self);
	if (!sink_open(sink, params, kind))
		goto out;
	if (bt_self_component_sink_add_input_port(self, "in", NULL, NULL) !=
	    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
		goto out;
	bt_self_component_set_data(sink->self, sink);
	sink = NULL; /* the component's now; sink_finalize() frees it */
	status = BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
out:
	sink_free(sink);
	return status;
}

bt_component_class_sink_graph_is_configured_method_status sink_graph_is_configured(
	bt_self_component_sink *self)
{
	struct sink *sink =
		bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
	bt_self_component_port_input *port =
		bt_self_component_sink_borrow_input_port_by_index(self, 0);

	if (bt_message_iterator_create_from_sink_component(self, port, &sink->iterator) !=
	    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
		return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bool sink_refuse(struct sink *sink)
{
	char *complaint = feed_complaint(sink->feed);

	if (!complaint)
		return false;
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(sink->self, "%s", complaint);
	g_free(complaint);
	return true;
}

static bt_component_class_sink_consume_method_status sink_end(struct sink *sink)
{
	int error;

	if (sink_refuse(sink))
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	model_finish(sink->model);
	error = report_finish(sink->report, NULL);
	if (error) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			sink->self, "cannot write the report: %s", strerror(-error));
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self)
{
	struct sink *sink =
		bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

	switch (feed_consume(sink->feed, sink->iterator)) {
	case FEED_OK:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
	case FEED_AGAIN:
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_AGAIN;
	case FEED_END:
		return sink_end(sink);
	case FEED_USELESS:
		(void)sink_refuse(sink);
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
	case FEED_ERROR:
		break;
	}
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(sink->self,
							    "the recording cannot be read further");
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

void sink_finalize(bt_self_component_sink *self)
{
	sink_free(bt_self_component_get_data(bt_self_component_sink_as_self_component(self)));
}
