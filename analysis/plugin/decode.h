/* SPDX-License-Identifier: MIT */
/*
 * From babeltrace2 event messages to records. What an event class means and where its fields are is
 * found out once for each class; an event then costs its wanted fields only.
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_DECODE_H
#define KFDSCOPE_ANALYSIS_PLUGIN_DECODE_H

#include <babeltrace2/babeltrace.h>

#include "model/model.h"

struct decoder;

/* What the recordings lack, found while decoding. */
struct decoder_gaps {
	bool no_vpid, no_vtid; /* in streams that carry kfdscope's events */
	bool kernel_domain;    /* a trace of the Linux kernel is among them */
	bool not_lttng_ust;    /* so is one that no LTTng user-space tracer wrote */
	char trace_name[128];  /* of the first trace that lacks something */
};

/* @param model  borrowed: names the calls and interns strings. */
struct decoder *decoder_new(struct model *model);
void decoder_free(struct decoder *decoder);
/* Before the first message: nobody will ask where a call came from, and reading that takes time. */
void decoder_leave_out_stacks(struct decoder *decoder);

/*
 * Decodes a message of an event, or of discarded events or packets.
 * @param record  out; what it points to is valid until the next call.
 * @return false: the message is no record (stream and packet borders, events without a time).
 */
bool decoder_take(struct decoder *decoder, const bt_message *message, struct record *record);

const struct decoder_gaps *decoder_gaps(const struct decoder *decoder);

#endif
