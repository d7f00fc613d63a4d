/* SPDX-License-Identifier: MIT */
/*
 * Feeds a model from a message iterator and says in plain words why a recording cannot be analysed.
 * The component classes and the kfdscope command use the same one.
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_FEED_H
#define KFDSCOPE_ANALYSIS_PLUGIN_FEED_H

#include <babeltrace2/babeltrace.h>

#include "model/model.h"

struct feed;

/* @param model  borrowed. */
struct feed *feed_new(struct model *model);
void feed_free(struct feed *feed);
/* decoder_leave_out_stacks() */
void feed_leave_out_stacks(struct feed *feed);

enum feed_status {
	FEED_OK,    /* took some messages */
	FEED_AGAIN, /* nothing there yet (live input) */
	FEED_END,
	FEED_ERROR,   /* the iterator failed; babeltrace2's causes are on the thread */
	FEED_USELESS, /* feed_complaint() says why going on makes no sense */
};

/* Takes one message, borrowed. @return FEED_OK or FEED_USELESS. */
enum feed_status feed_take(struct feed *feed, const bt_message *message);
/* Takes the next batch of messages. */
enum feed_status feed_consume(struct feed *feed, bt_message_iterator *iterator);

/*
 * Why the recording gives no result, in one sentence that names the setting which helps.
 * @return to be freed with g_free(); NULL when there is nothing to complain about.
 */
char *feed_complaint(const struct feed *feed);

#endif
