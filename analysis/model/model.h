/* SPDX-License-Identifier: MIT */
/*
 * The state machine of all analyses: it takes records in time order and keeps processes, threads,
 * open calls and memory. One pass; its size follows what is alive and how many distinct stacks there
 * are, never how long the recording is. It does no input or output and knows no recorder.
 *
 * Not thread-safe: one thread feeds a model.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_MODEL_H
#define KFDSCOPE_ANALYSIS_MODEL_MODEL_H

#include "memory.h"
#include "process.h"
#include "record.h"

/* The newest event schema that this model understands. */
#define MODEL_SCHEMA_MAJOR 1u

/* A span in which events were lost, neighbours merged. */
struct lost_span {
	const char *hostname; /* interned, may be NULL */
	uint32_t vpid;        /* 0: any process of the host */
	int64_t begin_ns, end_ns;
	uint64_t count;
};

/* What a report may want to know while the recording goes by. Every member may be NULL. */
struct model_observer {
	void *data;
	/* A call has begun; it is the innermost of its thread. */
	void (*call_began)(void *data, const struct call *call, const struct record *entry);
	/*
	 * A call has ended. It is still the innermost one of its thread.
	 * @param exit  NULL when the call was cut: its thread went on, or the recording ended.
	 */
	void (*call_ended)(void *data, const struct call *call, int64_t time_ns,
			   const struct record *exit);
	/* A lifetime has begun or ended; usages are up to date. */
	void (*block_changed)(void *data, const struct block *block, int64_t time_ns, bool began);
	/* The process said something of its state, which the model knows by now. */
	void (*state_told)(void *data, struct process *process, const struct record *record);
};

struct model;

struct model *model_new(void);
/* Frees everything; accepts NULL. */
void model_free(struct model *model);

/* Adds an observer; the structure is copied, its data is borrowed until model_free(). */
void model_observe(struct model *model, const struct model_observer *observer);

/* @return the one copy of the string, as long as the model lives; NULL for NULL. */
const char *model_intern(struct model *model, const char *text);
/* @return the call type of that name and layer, as long as the model lives. */
const struct call_type *model_call_type(struct model *model, enum layer layer, const char *name);

/*
 * Results are to be about a part of the recording (scope.h); call it before the first record.
 * @param begin_ns, end_ns  0: no limit; negative: so long after the recording's begin.
 */
void model_limit(struct model *model, int64_t begin_ns, int64_t end_ns);
/* @return borrowed; its times are known from the first record on. */
const struct scope *model_scope(const struct model *model);

/* Takes the next record. Times must not decrease, except for LOST records. */
void model_take(struct model *model, const struct record *record);
/*
 * How a process ended, known from outside of the recording.
 * @param recording  its number, as of records; NULL: whichever.
 * @param exit_code  -1: it did not exit.
 * @param signal     0: no signal ended it.
 */
void model_end_process(struct model *model, const char *recording, uint32_t vpid, int exit_code,
		       int signal);
/* An event of another tracer is left out, since the recording lacks its counterpart. */
void model_note_unpaired(struct model *model);
/* The recording is over: closes what is open. Call it once, before reading results. */
void model_finish(struct model *model);

/* Results. */
/* What guests' calls took, in four parts: of struct guest_row (guests.h). */
const GPtrArray *model_guest_rows(const struct model *model);
const GPtrArray *model_processes(const struct model *model); /* of struct process */
const GArray *model_lost_spans(const struct model *model);   /* of struct lost_span */
uint64_t model_lost_count(const struct model *model);
uint64_t model_events(const struct model *model);
/* Of which records of kfdscope's own events. */
uint64_t model_own_events(const struct model *model);
/* Of which calls that other tracers recorded; and what of them is left out. */
uint64_t model_foreign_events(const struct model *model);
uint64_t model_unpaired_events(const struct model *model);
/* Times of the first and last record; both 0 when there was none. */
int64_t model_begin_ns(const struct model *model);
int64_t model_end_ns(const struct model *model);
/*
 * Whether a moment lies between two.
 * @param begin_ns, end_ns  0: no limit; negative: so long after the recording's begin.
 */
bool model_within(const struct model *model, int64_t begin_ns, int64_t end_ns, int64_t time_ns);
/* The same for a span: whether a part of it does. */
bool model_overlaps(const struct model *model, int64_t begin_ns, int64_t end_ns, int64_t from_ns,
		    int64_t until_ns);
/* Newest schema version that the recording announced; 0.0 when none did. */
void model_schema(const struct model *model, uint32_t *major, uint32_t *minor);

/*
 * Whether the end of a lifetime may be among lost events.
 * @return the first span that can hide it, or NULL when the block's fate is certain.
 */
const struct lost_span *model_doubt(const struct model *model, const struct block *block);
/* @return the first span after that time in which the process can have lost events, or NULL. */
const struct lost_span *model_doubt_since(const struct model *model, const struct process *process,
					  int64_t time_ns);

#endif
