/* SPDX-License-Identifier: MIT */
/*
 * Calls of HIP and HSA that other LTTng providers record, in the two shapes that are in use: a pair of
 * events PROVIDER:FUNCTION_entry and _exit, or one event PROVIDER:FUNCTION fired twice, whose field
 * "phase" says which of both it is.
 */
#ifndef KFDSCOPE_ANALYSIS_PLUGIN_FOREIGN_H
#define KFDSCOPE_ANALYSIS_PLUGIN_FOREIGN_H

#include <babeltrace2/babeltrace.h>
#include <glib.h>

#include "model/record.h"

enum foreign_shape {
	FOREIGN_NONE,     /* not such an event */
	FOREIGN_UNPAIRED, /* such an event, but the recording has not the one that belongs to it */
	FOREIGN_ENTRY,
	FOREIGN_EXIT,
	FOREIGN_PHASE, /* each event says it for itself */
};

struct foreign {
	enum foreign_shape shape;
	enum layer layer;
	/*
	 * Owned: the function; with its provider in front where our own events of that layer are
	 * recorded, too, since then each call is there twice.
	 */
	char *name;
	uint64_t phase; /* index of the field, for FOREIGN_PHASE */
};

/* Says what an event is from its class and the others of its trace. */
struct foreign foreign_of(const bt_event_class *class);
void foreign_fini(struct foreign *foreign);
/* What an event with a phase is: RECORD_CALL_ENTRY, _EXIT, or RECORD_OTHER when it says neither. */
enum record_kind foreign_phase(const bt_field *field);

#endif
