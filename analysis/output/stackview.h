/* SPDX-License-Identifier: MIT */
/*
 * A recorded stack as a reader wants it: named frames, which of them belong to the ROCm runtimes, and
 * the first one that does not: where the application itself asked for the memory.
 */
#ifndef KFDSCOPE_ANALYSIS_OUTPUT_STACKVIEW_H
#define KFDSCOPE_ANALYSIS_OUTPUT_STACKVIEW_H

#include <glib.h>

#include "model/process.h"
#include "symbols/symbols.h"

/* Whose code a frame is. */
enum module_role {
	ROLE_APPLICATION,
	ROLE_HIP, /* and the other runtimes on top of HSA: OpenCL, compilers */
	ROLE_HSA,
	ROLE_THUNK,  /* libhsakmt, also when it is linked statically nowhere else */
	ROLE_SYSTEM, /* C and C++ libraries, the loader */
	ROLE_TOOL,   /* kfdscope, profilers */
	ROLE_COUNT,
};

struct stackview {
	uint32_t count;
	const struct sym_frame **frames; /* owned array of borrowed frames, innermost first */
	enum module_role *roles;         /* owned */
	int caller; /* index of the application's innermost frame; -1: there is none */
	int entry; /* index of the runtime function that it called; -1: the thunk directly, or none */
	bool truncated;
};

/* Names every frame. @param stack  may be NULL: then the view is empty. */
void stackview_init(struct stackview *view, struct sym *sym, const struct process *process,
		    const struct stack *stack);
void stackview_fini(struct stackview *view);
/* Adds which frames they are: of one resolver, equal keys mean the same code path. */
void stackview_key(const struct stackview *view, GByteArray *key);

/* The role of a module by its file name. NULL: application. */
enum module_role module_role(const char *module);
const char *module_role_name(enum module_role role);
/* The function a frame is in, without inlined ones; "module+0xoffset" when it has no name. */
void frame_function(GString *text, const struct sym_frame *frame);
/* " at FILE:LINE" of a level, or nothing. */
void level_place(GString *text, const struct sym_level *level);
/* True for functions by which a program asks a runtime for memory: hipMalloc, hsa_…_allocate … */
bool is_allocator(const char *function);

#endif
