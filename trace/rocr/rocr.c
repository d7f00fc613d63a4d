/* SPDX-License-Identifier: MIT */
/*
 * The tool that the HSA runtime loads (HSA_TOOLS_LIB) and hands its tables of functions to. Each table
 * begins with its version, in which the minor number is the table's size in bytes: what lies beyond it
 * the runtime does not have. A table of another major version is left alone, since its places may mean
 * other functions.
 */
#include <string.h>

#include "rocr/rocr_layer.h"

struct table_version {
	uint32_t major, size_bytes, step, reserved;
};

/* How every table begins. */
struct table {
	struct table_version version;
	void *functions[];
};

/* The table of tables. */
struct api_table {
	struct table_version version;
	struct table *tables[ROCR_TABLE_COUNT]; /* core first, then AMD's extensions */
};

enum { MAJOR_KNOWN = 1 }; /* of all three */

bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_tool_count,
	    const char *const *failed_tool_names);
void OnUnload(void);

static struct table *usable_table(const struct api_table *api, enum rocr_table which)
{
	const size_t end =
		offsetof(struct api_table, tables) + ((size_t)which + 1) * sizeof(api->tables[0]);
	struct table *table;

	if (api->version.major != MAJOR_KNOWN || api->version.size_bytes < end)
		return NULL;
	table = api->tables[which];
	return table && table->version.major == MAJOR_KNOWN ? table : NULL;
}

static void put_wrapper(struct table *table, const struct rocr_wrapper *wrapper)
{
	const size_t end = offsetof(struct table, functions) +
			   ((size_t)wrapper->slot + 1) * sizeof(table->functions[0]);
	void **place = &table->functions[wrapper->slot];

	/* A runtime that is initialised again may hand over tables that still have our functions. */
	if (table->version.size_bytes < end || !*place || *place == wrapper->function)
		return;
	__atomic_store_n(wrapper->real, *place, __ATOMIC_RELEASE);
	__atomic_store_n(place, wrapper->function, __ATOMIC_RELEASE);
}

LAYER_API bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_tool_count,
		      const char *const *failed_tool_names)
{
	const struct api_table *api = table;

	(void)runtime_version;
	(void)failed_tool_count;
	(void)failed_tool_names;
	if (!api || !trace_provider_get())
		return true; /* nobody listens: leave the runtime as it is */
	for (const struct rocr_wrapper *wrapper = rocr_wrappers; wrapper->function; wrapper++) {
		struct table *target = usable_table(api, wrapper->table);

		if (target)
			put_wrapper(target, wrapper);
	}
	return true;
}

/* The wrappers stay: the runtime puts its own functions back, and threads may still be in them. */
LAYER_API void OnUnload(void)
{
}
