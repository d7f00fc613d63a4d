/* SPDX-License-Identifier: MIT */
/* Merging streams (merge.h). */
#include "plugin/merge.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* Of the component. */
struct merge {
	const struct merge_listener *listener; /* borrowed */
	uint64_t ports;
};

/* A stream on its way in. */
struct input {
	bt_message_iterator *upstream; /* owned */
	uint64_t number;
	uint64_t packets;                /* that came to their ends */
	bt_message_array_const messages; /* the upstream's; those from `at` on are ours */
	uint64_t at, count;
	bool has_clock;
	const bt_error *error; /* owned: that is behind the messages; NULL: none */
	int64_t time_ns; /* of the message at `at`, or of the one before; INT64_MIN: none yet */
};

/* Of the one iterator. */
struct pass {
	const struct merge_listener *listener; /* borrowed */
	GPtrArray *heap;             /* of struct input, owned: the next one is the first */
	const bt_clock_class *clock; /* owned: of the first stream that has one */
};

static bool is_before(const struct input *a, const struct input *b)
{
	/* What happened at once comes in the order of the traces, each time that they are read. */
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->number < b->number);
}

/* Gives the first one of the heap, whose time may have grown, its place. */
static void sift_down(GPtrArray *heap)
{
	void **inputs = heap->pdata;
	guint at = 0, child;

	while ((child = 2 * at + 1) < heap->len) {
		void *moved = inputs[at];

		if (child + 1 < heap->len && is_before(inputs[child + 1], inputs[child]))
			child++;
		if (is_before(moved, inputs[child]))
			break;
		inputs[at] = inputs[child];
		inputs[child] = moved;
		at = child;
	}
}

static void drop_messages(struct input *input)
{
	while (input->at < input->count)
		bt_message_put_ref(input->messages[input->at++]);
}

static void free_input(void *data)
{
	struct input *input = data;

	drop_messages(input);
	if (input->error)
		bt_error_release(input->error);
	bt_message_iterator_put_ref(input->upstream);
	g_free(input);
}

static void remove_first(GPtrArray *heap)
{
	g_ptr_array_remove_index_fast(heap, 0);
	sift_down(heap);
}

static void fail_first(struct pass *pass, const char *problem)
{
	const struct input *input = g_ptr_array_index(pass->heap, 0);

	pass->listener->input_failed(pass->listener->data, input->number, input->time_ns,
				     input->packets, problem);
	remove_first(pass->heap);
}

/* Two clocks that count from the same moment. */
static bool is_comparable(const bt_clock_class *a, const bt_clock_class *b)
{
	bt_uuid a_uuid = bt_clock_class_get_uuid(a), b_uuid = bt_clock_class_get_uuid(b);

	if (bt_clock_class_origin_is_unix_epoch(a) != bt_clock_class_origin_is_unix_epoch(b))
		return false;
	return a == b || bt_clock_class_origin_is_unix_epoch(a) ||
	       (a_uuid && b_uuid && memcmp(a_uuid, b_uuid, 16) == 0);
}

/* @return false when its clock cannot be compared with the others'. */
static bool begin_stream(struct pass *pass, struct input *input, const bt_stream *stream)
{
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
		bt_stream_borrow_class_const(stream));

	if (clock && !pass->clock) {
		bt_clock_class_get_ref(clock);
		pass->clock = clock;
	}
	input->has_clock = clock != NULL;
	return !clock || is_comparable(pass->clock, clock);
}

/* @return NULL when there is none. */
static const bt_clock_snapshot *begin_of_lost_events(const bt_message *message)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(
		bt_message_discarded_events_borrow_stream_const(message));

	return bt_stream_class_discarded_events_have_default_clock_snapshots(class)
		       ? bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
				 message)
		       : NULL;
}

static const bt_clock_snapshot *begin_of_lost_packets(const bt_message *message)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(
		bt_message_discarded_packets_borrow_stream_const(message));

	return bt_stream_class_discarded_packets_have_default_clock_snapshots(class)
		       ? bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
				 message)
		       : NULL;
}

/* The first input of the heap goes on to its next message, which says when that is due. */
static void advance_first(struct pass *pass)
{
	struct input *input = g_ptr_array_index(pass->heap, 0);
	const bt_message *message = input->messages[input->at];
	const bt_message_type type = bt_message_get_type(message);
	const bt_clock_snapshot *clock = NULL; /* of packets: nobody waits for them */
	int64_t time_ns;

	input->packets += type == BT_MESSAGE_TYPE_PACKET_END;
	if (type == BT_MESSAGE_TYPE_EVENT && input->has_clock) {
		clock = bt_message_event_borrow_default_clock_snapshot_const(message);
	} else if (type == BT_MESSAGE_TYPE_DISCARDED_EVENTS) {
		clock = begin_of_lost_events(message);
	} else if (type == BT_MESSAGE_TYPE_DISCARDED_PACKETS) {
		clock = begin_of_lost_packets(message);
	} else if (type == BT_MESSAGE_TYPE_STREAM_BEGINNING &&
		   !begin_stream(pass, input,
				 bt_message_stream_beginning_borrow_stream_const(message))) {
		fail_first(pass, "its clock has another origin than the other traces'");
		return;
	}
	if (!clock)
		return; /* due at once */
	if (bt_clock_snapshot_get_ns_from_origin(clock, &time_ns) !=
	    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
		fail_first(pass, NULL);
		return;
	}
	if (time_ns < input->time_ns && type == BT_MESSAGE_TYPE_EVENT) {
		fail_first(pass, "its events go back in time: it is damaged, or a file of another "
				 "recording");
		return;
	}
	input->time_ns = MAX(input->time_ns, time_ns);
	sift_down(pass->heap);
}

/* The first input of the heap gets its next batch, or leaves the heap. @return false: not yet. */
static bool refill_first(struct pass *pass)
{
	struct input *input = g_ptr_array_index(pass->heap, 0);
	uint64_t count;

	input->at = input->count = 0;
	if (input->error) {
		BT_CURRENT_THREAD_MOVE_ERROR_AND_RESET(input->error);
		fail_first(pass, NULL);
		return true;
	}
	switch (bt_message_iterator_next(input->upstream, &input->messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		/* source.ctf.fs gives out what it has read before its error, which it leaves there. */
		input->error = bt_current_thread_take_error();
		input->count = count;
		advance_first(pass);
		return true;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return false;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		/* So it says, too, where a packet ends inside the head of an event. */
		input->error = bt_current_thread_take_error();
		if (!input->error)
			remove_first(pass->heap);
		return true; /* with an error: to come here again */
	default:
		fail_first(pass, NULL);
		return true;
	}
}

static bt_message_iterator_class_next_method_status next(bt_self_message_iterator *self,
							 bt_message_array_const messages,
							 uint64_t capacity, uint64_t *count)
{
	struct pass *pass = bt_self_message_iterator_get_data(self);

	*count = 0;
	while (*count < capacity && pass->heap->len) {
		struct input *input = g_ptr_array_index(pass->heap, 0);

		if (input->at < input->count) {
			messages[(*count)++] = input->messages[input->at++];
			if (input->at < input->count)
				advance_first(pass);
		} else if (!refill_first(pass)) {
			break;
		}
	}
	if (*count)
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
	return pass->heap->len ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN
			       : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

static void iterator_finalize(bt_self_message_iterator *self)
{
	struct pass *pass = bt_self_message_iterator_get_data(self);

	if (!pass)
		return;
	g_ptr_array_free(pass->heap, TRUE);
	bt_clock_class_put_ref(pass->clock);
	g_free(pass);
}

static bt_message_iterator_class_initialize_method_status iterator_initialize(
	bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
	bt_self_component_port_output *out)
{
	bt_self_component *component = bt_self_message_iterator_borrow_component(self);
	const struct merge *merge = bt_self_component_get_data(component);
	struct pass *pass = g_new0(struct pass, 1);

	(void)config;
	(void)out;
	pass->listener = merge->listener;
	pass->heap = g_ptr_array_new_with_free_func(free_input);
	bt_self_message_iterator_set_data(self, pass);
	for (uint64_t i = 0; i < merge->ports; i++) {
		bt_self_component_port_input *port =
			bt_self_component_filter_borrow_input_port_by_index(
				(bt_self_component_filter *)component, i);
		struct input *input;

		if (!bt_port_is_connected(bt_self_component_port_as_port(
			    bt_self_component_port_input_as_self_component_port(port))))
			continue; /* the one that the next would have been connected to */
		input = g_new0(struct input, 1);
		input->number = i;
		input->time_ns = INT64_MIN;
		g_ptr_array_add(pass->heap, input);
		if (bt_message_iterator_create_from_message_iterator(self, port,
								     &input->upstream) !=
		    BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK) {
			bt_self_message_iterator_set_data(self, NULL);
			g_ptr_array_free(pass->heap, TRUE);
			g_free(pass);
			return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
		}
	}
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bool add_input_port(bt_self_component_filter *self)
{
	struct merge *merge =
		bt_self_component_get_data(bt_self_component_filter_as_self_component(self));
	char *name = g_strdup_printf("in%" G_GUINT64_FORMAT, merge->ports++);
	bool ok = bt_self_component_filter_add_input_port(self, name, NULL, NULL) ==
		  BT_SELF_COMPONENT_ADD_PORT_STATUS_OK;

	g_free(name);
	return ok;
}

static bt_component_class_port_connected_method_status input_connected(
	bt_self_component_filter *self, bt_self_component_port_input *port,
	const bt_port_output *other)
{
	(void)port;
	(void)other;
	return add_input_port(self) ? BT_COMPONENT_CLASS_PORT_CONNECTED_METHOD_STATUS_OK
				    : BT_COMPONENT_CLASS_PORT_CONNECTED_METHOD_STATUS_MEMORY_ERROR;
}

static bt_component_class_initialize_method_status initialize(
	bt_self_component_filter *self, bt_self_component_filter_configuration *config,
	const bt_value *params, void *data)
{
	struct merge *merge = g_new0(struct merge, 1);

	(void)config;
	(void)params;
	merge->listener = data;
	bt_self_component_set_data(bt_self_component_filter_as_self_component(self), merge);
	return add_input_port(self) &&
			       bt_self_component_filter_add_output_port(self, "out", NULL, NULL) ==
				       BT_SELF_COMPONENT_ADD_PORT_STATUS_OK
		       ? BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
		       : BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
}

static void finalize(bt_self_component_filter *self)
{
	g_free(bt_self_component_get_data(bt_self_component_filter_as_self_component(self)));
}

static const bt_component_class_filter *make_class(void)
{
	bt_message_iterator_class *iterators = bt_message_iterator_class_create(next);
	bt_component_class_filter *class = NULL;

	if (!iterators)
		return NULL;
	bt_message_iterator_class_set_initialize_method(iterators, iterator_initialize);
	bt_message_iterator_class_set_finalize_method(iterators, iterator_finalize);
	class = bt_component_class_filter_create("merge", iterators);
	bt_message_iterator_class_put_ref(iterators);
	if (!class)
		return NULL;
	bt_component_class_filter_set_initialize_method(class, initialize);
	bt_component_class_filter_set_finalize_method(class, finalize);
	bt_component_class_filter_set_input_port_connected_method(class, input_connected);
	return class;
}

const bt_component_filter *merge_add(bt_graph *graph, const struct merge_listener *listener)
{
	const bt_component_class_filter *class = make_class();
	const bt_component_filter *filter = NULL;

	if (class)
		bt_graph_add_filter_component_with_initialize_method_data(
			graph, class, "merge", NULL, (void *)listener, BT_LOGGING_LEVEL_NONE,
			&filter);
	bt_component_class_filter_put_ref(class);
	return filter;
}
