/* SPDX-License-Identifier: MIT */
/* What the generated functions in the HSA runtime's tables are made with. */
#ifndef KFDSCOPE_TRACE_ROCR_ROCR_LAYER_H
#define KFDSCOPE_TRACE_ROCR_ROCR_LAYER_H

#include "layer.h"
#include "rocr/rocr_callbacks.h"
#include "rocr/rocr_types.h"

enum rocr_table {
	ROCR_TABLE_CORE,
	ROCR_TABLE_AMD,
	ROCR_TABLE_COUNT,
};

/* A function that stands in a table instead of the runtime's. */
struct rocr_wrapper {
	void *function;
	void **real; /* where the runtime's is remembered */
	enum rocr_table table;
	uint32_t slot; /* place among the table's function pointers */
};

/* Generated; ends with a NULL function. */
extern const struct rocr_wrapper rocr_wrappers[] __attribute__((visibility("hidden")));

#endif
