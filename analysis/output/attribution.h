/* SPDX-License-Identifier: MIT */
/*
 * Whose fault a left-over block is: the application's, a runtime's, the thunk's or the kernel's. Where
 * the runtime's calls are recorded, they tell. Otherwise the names in its stack do: a block that a
 * runtime took for itself while it served a call of the program looks much like one that the program
 * asked for.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_ATTRIBUTION_H
#define KFDSCOPE_ANALYSIS_OUTPUT_ATTRIBUTION_H

#include "model/memory.h"
#include "output/stackview.h"

/* Who failed to give memory back. */
enum leak_layer {
	LEAK_APPLICATION, /* it never called free */
	LEAK_KERNEL,      /* a free was tried and the kernel refused it */
	LEAK_RUNTIME,     /* a runtime, or the thunk of a queue or event, took it for itself */
	LEAK_THUNK,       /* the thunk freed the allocation and kept a buffer object */
	LEAK_UNKNOWN,     /* taken before the recording began: no stack */
	LEAK_LAYER_COUNT,
};

struct attribution;

/* @param sym  borrowed until attribution_free(). */
struct attribution *attribution_new(struct sym *sym);
void attribution_free(struct attribution *attribution);
/* @return the named stack, borrowed from the attribution; an empty view for NULL. */
const struct stackview *attribution_view(struct attribution *attribution,
					 const struct process *process, const struct stack *stack);
/*
 * Learns from all that a process took by which way through the runtime a request is served. To be
 * called before attribution_layer().
 */
void attribution_learn(struct attribution *attribution, const struct process *process);
/* The block holds memory that the program asked a runtime for and has not given back. */
void attribution_ask(struct attribution *attribution, const struct block *block);
bool attribution_has_request(const struct attribution *attribution, const struct block *block);
enum leak_layer attribution_layer(const struct attribution *attribution, const struct block *block,
				  const struct stackview *view);

const char *leak_layer_name(enum leak_layer layer);

#endif
