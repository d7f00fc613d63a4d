/* SPDX-License-Identifier: MIT */
/* All fields of a babeltrace2 event, for whoever asks (model/args.h). */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_EVENT_ARGS_H
#define KFDSCOPE_ANALYSIS_PLUGIN_EVENT_ARGS_H

#include <babeltrace2/babeltrace.h>

#include "model/args.h"

struct field_names;

struct event_args {
	struct args_reader reader;
	const bt_message *message; /* borrowed; counted when the reader is kept */
	const bt_field *payload;   /* borrowed from the message */
	struct field_names *names; /* owned; borrowed when the reader is kept */
};

/* Classes of events must live as long as the reader. */
void event_args_init(struct event_args *args);
void event_args_fini(struct event_args *args);
/*
 * Sets a reader to an event's fields.
 * @param event  of the message.
 * @return it, valid as long as the message.
 */
const struct args_reader *event_args_of(struct event_args *args, const bt_message *message,
					const bt_event *event);

#endif
