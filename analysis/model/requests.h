/* SPDX-License-Identifier: MIT */
/*
 * What a program asked a runtime above the thunk for, when that runtime's calls are recorded: hipMalloc
 * and the like. A request is alive from the call that gave its address until the free of that address.
 * Runtimes take memory in larger pieces, take some for themselves, and keep what was given back: only
 * requests tell what of it the program is to blame for.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_REQUESTS_H
#define KFDSCOPE_ANALYSIS_MODEL_REQUESTS_H

#include "memory.h"

struct request {
	uint64_t id; /* counted from 1 within the process */
	/* Borrowed: class ALLOCATION, with the stack and type of the runtime's function. */
	struct site *site;
	uint64_t address, size_bytes;
	int64_t entry_ns; /* of the call that gave it */
	int64_t begin_ns; /* of its exit, or the state dump */
	/* Its place in the order of all that was made; what was made for it comes after asked. */
	uint64_t asked, made;
	bool from_dump;
	bool free_pending;
	bool ended;
	uint32_t refs;
};

struct requests {
	GHashTable *sites;   /* set of struct site, owned */
	GHashTable *types;   /* set of borrowed struct call_type: those that gave memory */
	GHashTable *indexed; /* address -> struct request: those that a free can name */
	GHashTable *live;    /* set of struct request, owned */
	/* What was held when the recording began is known, too. */
	bool is_dumped;
	uint64_t ids;
	uint64_t taken_count, freed_count, unknown_frees, replaced;
	struct usage usage;
};

struct requests *requests_new(void);
/* Accepts NULL. */
void requests_free(struct requests *requests);
/* A call of the runtime has begun; remembers what a free is about. */
void requests_call_entry(struct requests *requests, struct call *call);
/* It has ended. */
void requests_call_exit(struct requests *requests, struct process *process, struct call *call,
			const struct record *exit);
/* A live request from before the recording. */
void requests_dump(struct requests *requests, struct process *process, const struct record *record);
/* It was given up without an exit. */
void requests_call_cut(struct call *call);
/* One reference less; accepts NULL. */
void request_put(struct request *request);
/* True for functions that hand memory to the program. */
bool requests_gives(const struct requests *requests, const struct call_type *type);
/*
 * Finds the memory behind each live request.
 * @return struct request (borrowed) -> struct block (borrowed), only those found; the caller's to
 *         g_hash_table_destroy().
 */
GHashTable *requests_match(const struct requests *requests, const struct memory *memory);

#endif
