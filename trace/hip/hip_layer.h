/* SPDX-License-Identifier: MIT */
/* What the generated functions in front of the HIP runtime are made with. */
#ifndef KFDSCOPE_TRACE_HIP_HIP_LAYER_H
#define KFDSCOPE_TRACE_HIP_HIP_LAYER_H

#include "hip/hip_types.h"
#include "layer.h"

#define LAYER_LIBRARY "libamdhip64."
/*
 * What a function returns that the program's HIP does not have. Without this object the program would
 * not have started, or would have taken another way; neither can be had from in here.
 */
#define LAYER_ABSENT hipErrorNotSupported

/* Memory that the program holds of the runtime, kept for recordings that start later (requests.c). */
struct layer_request {
	uint64_t address, size_bytes; /* the address comes first: it is the id */
	uint64_t maker;               /* maker.h; 0: not known */
	uint32_t asked;               /* layer_order() before the call */
};

void layer_request_note(enum trace_event entry, const void *caller, uint32_t asked,
			uint64_t address, uint64_t size_bytes);
void layer_request_forget(struct layer_request *given, uint64_t address);
void layer_request_restore(const struct layer_request *given);

static inline bool layer_keeps(void)
{
	return __builtin_expect(trace_provider_get() != NULL, 0) && trace_options()->keeps;
}

/* How many objects have been made so far. */
static inline uint32_t layer_order(void)
{
	const struct trace_provider *provider = trace_provider_get();

	return __builtin_expect(provider != NULL, 0)
		       ? __atomic_load_n(provider->order, __ATOMIC_RELAXED)
		       : 0;
}

/*
 * The program gets memory.
 * @param entry, caller  see trace_maker_of()
 * @param asked  layer_order() before the call.
 */
static inline void layer_request_take(enum trace_event entry, const void *caller, uint32_t asked,
				      uint64_t address, uint64_t size_bytes)
{
	if (layer_keeps() && address)
		layer_request_note(entry, caller, asked, address, size_bytes);
}

/* The program is about to give memory back. @param given  what is known of it; all 0: nothing. */
static inline void layer_request_give(struct layer_request *given, uint64_t address)
{
	*given = (struct layer_request){ 0 };
	if (layer_keeps() && address)
		layer_request_forget(given, address);
}

/* It was refused. */
static inline void layer_request_return(const struct layer_request *given)
{
	if (given->address)
		layer_request_restore(given);
}

#endif
