/* SPDX-License-Identifier: MIT */
/* Messages to the model (feed.h). */
#include "plugin/feed.h"

#include "plugin/decode.h"

struct feed {
	struct model *model;     /* borrowed */
	struct decoder *decoder; /* owned */
	struct record record;    /* reused: its value array is large */
};

struct feed *feed_new(struct model *model)
{
	struct feed *feed = g_new0(struct feed, 1);

	feed->model = model;
	feed->decoder = decoder_new(model);
	return feed;
}

void feed_free(struct feed *feed)
{
	if (!feed)
		return;
	decoder_free(feed->decoder);
	g_free(feed);
}

void feed_leave_out_stacks(struct feed *feed)
{
	decoder_leave_out_stacks(feed->decoder);
}

enum feed_status feed_take(struct feed *feed, const bt_message *message)
{
	const struct decoder_gaps *gaps = decoder_gaps(feed->decoder);

	if (decoder_take(feed->decoder, message, &feed->record))
		model_take(feed->model, &feed->record);
	return gaps->no_vpid || gaps->no_vtid ? FEED_USELESS : FEED_OK;
}

enum feed_status feed_consume(struct feed *feed, bt_message_iterator *iterator)
{
	bt_message_array_const messages;
	enum feed_status status = FEED_OK;
	uint64_t count;

	switch (bt_message_iterator_next(iterator, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return FEED_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return FEED_END;
	default:
		return FEED_ERROR;
	}
	for (uint64_t i = 0; i < count; i++) {
		status = feed_take(feed, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return status;
}

char *feed_complaint(const struct feed *feed)
{
	const struct decoder_gaps *gaps = decoder_gaps(feed->decoder);

	if (gaps->no_vpid)
		return g_strdup_printf(
			"the recording '%s' does not say which process each event is "
			"of: record with 'kfdscope record', or with "
			"'lttng add-context --userspace --type=vpid'",
			gaps->trace_name);
	if (gaps->no_vtid)
		return g_strdup_printf("the recording '%s' does not say which thread each event is "
				       "of: record with 'kfdscope record', or with "
				       "'lttng add-context --userspace --type=vtid'",
				       gaps->trace_name);
	if (model_own_events(feed->model))
		return NULL;
	if (model_events(feed->model) == 0)
		return g_strdup("the recording has no events at all: check with 'kfdscope doctor' "
				"that the program's calls are captured");
	if (gaps->kernel_domain)
		return g_strdup_printf("the trace '%s' is of the Linux kernel and has none of "
				       "kfdscope's events: record with 'kfdscope record'",
				       gaps->trace_name);
	if (gaps->not_lttng_ust)
		return g_strdup_printf(
			"the trace '%s' is not from LTTng's user-space tracer and has "
			"none of kfdscope's events: record with 'kfdscope record'",
			gaps->trace_name);
	return g_strdup("the recording has none of kfdscope's events: enable 'kmt:*', 'kfd:*' and "
			"'kmt_state:*', and check with 'kfdscope doctor' that the program uses "
			"kfdscope's library");
}
