/* SPDX-License-Identifier: MIT */
/* filter.kfd.timeline (timeline.h). */
#include "plugin/timeline.h"

#include "model/timeline.h"
#include "model/timeline_window.h"
#include "plugin/derived.h"

/* Of the component. */
struct filter {
	struct timeline_shared shared;
	struct model *own_model; /* owned; NULL: shared */
	struct feed *own_feed;
	bool in_use; /* a recording goes by once only */
};

/* Of its one iterator. */
struct pass {
	bt_self_message_iterator *self; /* borrowed */
	struct filter *filter;          /* borrowed */
	bt_message_iterator *upstream;  /* owned */
	struct timeline *timeline;      /* owned */
	struct timeline_window *window; /* owned */
	GHashTable *traces;             /* hostname (interned, may be NULL) -> struct derived */
	const char *last_host;          /* interned: of the last item */
	struct derived *last;           /* borrowed: its trace; NULL: not looked up yet */
	GPtrArray *messages;            /* of owned bt_message, to be given out */
	guint given;                    /* so many of them are the next component's */
	bool failed, ended;
};

static void free_derived(void *data)
{
	derived_free(data);
}

bt_component_class_initialize_method_status timeline_initialize(
	bt_self_component_filter *self, bt_self_component_filter_configuration *config,
	const bt_value *params, void *data)
{
	bt_self_component *component = bt_self_component_filter_as_self_component(self);
	struct filter *filter;

	(void)config;
	if (!bt_value_map_is_empty(params)) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			component, "filter.kfd.timeline has no parameters");
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	if (bt_self_component_filter_add_input_port(self, "in", NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK ||
	    bt_self_component_filter_add_output_port(self, "out", NULL, NULL) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	filter = g_new0(struct filter, 1);
	if (data) {
		filter->shared = *(struct timeline_shared *)data;
	} else {
		filter->shared.model = filter->own_model = model_new();
		filter->shared.feed = filter->own_feed = feed_new(filter->own_model);
	}
	feed_leave_out_stacks(filter->shared.feed);
	bt_self_component_set_data(component, filter);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void timeline_finalize(bt_self_component_filter *self)
{
	struct filter *filter =
		bt_self_component_get_data(bt_self_component_filter_as_self_component(self));

	if (!filter)
		return;
	feed_free(filter->own_feed);
	model_free(filter->own_model);
	g_free(filter);
}

static void give(void *data, const struct timeline_item *item)
{
	struct pass *pass = data;
	const char *hostname = item->process->hostname;

	if (!timeline_window_takes(pass->window, item) || pass->failed)
		return;
	if (!pass->last || pass->last_host != hostname) {
		pass->last = g_hash_table_lookup(pass->traces, hostname);
		pass->last_host = hostname;
	}
	if (pass->last)
		pass->failed = !derived_give(pass->last, item, pass->messages);
}

bt_message_iterator_class_initialize_method_status timeline_iterator_initialize(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
	bt_self_component_port_output *port)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	struct filter *filter = bt_self_component_get_data(component);
	struct pass *pass;

	(void)config;
	(void)port;
	if (filter->in_use) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
			component, "filter.kfd.timeline can be read once only");
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	pass = g_new0(struct pass, 1);
	pass->self = self;
	pass->filter = filter;
	if (bt_message_iterator_create_from_message_iterator(
		    self,
		    bt_self_component_filter_borrow_input_port_by_index(
			    (bt_self_component_filter *)component, 0),
		    &pass->upstream) !=
	    BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK) {
		g_free(pass);
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	filter->in_use = true;
	pass->messages = g_ptr_array_new();
	pass->traces = g_hash_table_new_full(NULL, NULL, NULL, free_derived);
	pass->window = timeline_window_new(filter->shared.model, filter->shared.begin_ns,
					   filter->shared.end_ns);
	pass->timeline = timeline_new(filter->shared.model, give, pass);
	bt_self_message_iterator_set_data(self, pass);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

void timeline_iterator_finalize(bt_self_message_iterator *self)
{
	struct pass *pass = bt_self_message_iterator_get_data(self);

	if (!pass)
		return;
	for (guint i = pass->given; i < pass->messages->len; i++)
		bt_message_put_ref(g_ptr_array_index(pass->messages, i));
	g_ptr_array_free(pass->messages, TRUE);
	timeline_free(pass->timeline);
	timeline_window_free(pass->window);
	g_hash_table_destroy(pass->traces);
	bt_message_iterator_put_ref(pass->upstream);
	g_free(pass);
}

/* The first stream of a host gives the derived trace its clock. */
static void note_stream(struct pass *pass, const bt_message *message)
{
	const bt_stream *stream;
	const bt_value *host;
	const char *hostname;
	struct derived *derived;

	if (bt_message_get_type(message) != BT_MESSAGE_TYPE_STREAM_BEGINNING)
		return;
	stream = bt_message_stream_beginning_borrow_stream_const(message);
	host = bt_trace_borrow_environment_entry_value_by_name_const(
		bt_stream_borrow_trace_const(stream), "hostname");
	hostname =
		model_intern(pass->filter->shared.model,
			     host && bt_value_is_string(host) ? bt_value_string_get(host) : NULL);
	if (g_hash_table_contains(pass->traces, hostname) ||
	    !bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream)))
		return;
	derived = derived_new(pass->self, stream);
	pass->failed |= !derived;
	if (derived)
		g_hash_table_insert(pass->traces, (void *)hostname, derived);
}

static bool complain(struct pass *pass)
{
	char *complaint = feed_complaint(pass->filter->shared.feed);

	if (!complaint)
		return false;
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(pass->self, "%s", complaint);
	g_free(complaint);
	return true;
}

static void end(struct pass *pass)
{
	GHashTableIter iter;
	void *derived;

	pass->ended = true;
	if (pass->filter->shared.at_end)
		pass->filter->shared.at_end(pass->filter->shared.data);
	else if (complain(pass))
		pass->failed = true;
	if (pass->failed)
		return;
	model_finish(pass->filter->shared.model);
	timeline_finish(pass->timeline);
	g_hash_table_iter_init(&iter, pass->traces);
	while (g_hash_table_iter_next(&iter, NULL, &derived))
		pass->failed |= !derived_end(derived, pass->messages);
}

static bt_message_iterator_class_next_method_status pull(struct pass *pass)
{
	bt_message_array_const messages;
	uint64_t count;
	enum feed_status status = FEED_OK;

	const struct timeline_shared *shared = &pass->filter->shared;

	if (shared->is_stopped && shared->is_stopped(shared->data)) {
		end(pass);
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
	}
	switch (bt_message_iterator_next(pass->upstream, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		end(pass);
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN;
	default:
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
	}
	for (uint64_t i = 0; i < count; i++) {
		note_stream(pass, messages[i]);
		status = feed_take(pass->filter->shared.feed, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	if (status == FEED_USELESS && complain(pass))
		pass->failed = true;
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}

bt_message_iterator_class_next_method_status timeline_iterator_next(bt_self_message_iterator *self,
								    bt_message_array_const messages,
								    uint64_t capacity,
								    uint64_t *count)
{
	struct pass *pass = bt_self_message_iterator_get_data(self);
	bt_message_iterator_class_next_method_status status;

	while (pass->given == pass->messages->len) {
		g_ptr_array_set_size(pass->messages, 0);
		pass->given = 0;
		if (pass->ended)
			return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
		status = pull(pass);
		if (pass->failed)
			status = BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
		if (pass->filter->shared.failed)
			*pass->filter->shared.failed |=
				status == BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
		if (status != BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK)
			return status;
	}
	for (*count = 0; *count < capacity && pass->given < pass->messages->len; (*count)++)
		messages[*count] = g_ptr_array_index(pass->messages, pass->given++);
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
}
