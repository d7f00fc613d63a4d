/* SPDX-License-Identifier: MIT */
/*
 * What was loaded where in one process, and the distinct call stacks seen in it. Addresses may be
 * used by one library after another (a plug-in unloaded, the next loaded in its place), so a stack
 * remembers the epoch it was taken in: the epoch moves on whenever a module takes over a range.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_MODULES_H
#define KFDSCOPE_ANALYSIS_MODEL_MODULES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "pool.h"

#define MODULE_BUILD_ID_MAX 64u

struct module {
	uint64_t base, size_bytes;
	char *path; /* owned */
	uint8_t build_id[MODULE_BUILD_ID_MAX];
	uint32_t build_id_size; /* 0: none was recorded */
	uint32_t first_epoch, last_epoch;
};

struct modules {
	GPtrArray *list; /* of struct module, owned, oldest first */
	uint32_t epoch;
};

struct process;

/* A distinct call stack: interned, so equal stacks of a process are one pointer. */
struct stack {
	const struct process *process; /* borrowed: whose addresses they are */
	uint32_t id;                   /* counted from 1 within the process */
	uint32_t epoch;
	uint32_t depth;
	bool truncated;     /* the recorder cut it */
	uint64_t address[]; /* return addresses, innermost first */
};

/*
 * For tables of stacks of one process that are gone through: the order must not depend on where memory lies,
 * or two runs over a recording give reports in two orders. With NULL as the function that compares.
 */
static inline guint stack_hash_by_id(gconstpointer data)
{
	const struct stack *stack = data;

	return stack ? stack->id : 0;
}

struct stacks {
	const struct process *process; /* borrowed */
	GHashTable *table;             /* set of struct stack, of the pool */
	struct pool pool;
};

void modules_init(struct modules *modules);
void modules_fini(struct modules *modules);
/* Copies what is loaded now, for a process that took over the id of another. */
void modules_copy_current(struct modules *to, const struct modules *from);
/*
 * A module is (or still is) loaded.
 * @param path, build_id  copied; build_id may be NULL.
 */
void modules_load(struct modules *modules, uint64_t base, uint64_t size_bytes, const char *path,
		  const uint8_t *build_id, uint32_t build_id_size);
/* The build id of the module at base, when it comes in a record of its own. */
void modules_identify(struct modules *modules, uint64_t base, const uint8_t *build_id,
		      uint32_t build_id_size);
/* @return the module that held the address in that epoch, borrowed; NULL when none did. */
const struct module *modules_find(const struct modules *modules, uint64_t address, uint32_t epoch);

/*
 * All that a library was loaded as: modules of that file name, whatever follows it, and those with the
 * build id of such a one.
 * @param name  begin of the file name, as "libhsakmt.so".
 * @return the caller's; of borrowed struct module, oldest first.
 */
GPtrArray *modules_copies(const struct modules *modules, const char *name);

void stacks_init(struct stacks *stacks);
void stacks_fini(struct stacks *stacks);
/* @return the one copy of this stack, borrowed from stacks; NULL for depth 0. */
const struct stack *stacks_intern(struct stacks *stacks, const uint64_t *address, uint32_t depth,
				  uint32_t epoch, bool truncated);

#endif
