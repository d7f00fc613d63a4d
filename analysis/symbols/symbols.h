/* SPDX-License-Identifier: MIT */
/*
 * From an address in a loaded module to names: function (C++ names demangled), file and line, inlined
 * functions too. Files are opened once each; their build id is compared with the recorded one.
 * Separate debug files are looked for by build id below the debug directories and by debug link
 * beside the file; nothing is ever fetched from a network.
 *
 * Not thread-safe: one thread uses a resolver.
 */
#ifndef KFDSCOPE_ANALYSIS_SYMBOLS_SYMBOLS_H
#define KFDSCOPE_ANALYSIS_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* Why a frame has no function name. */
enum sym_reason {
	SYM_OK,
	SYM_OUTSIDE,    /* in no module: generated code, or a module that was never recorded */
	SYM_NO_FILE,    /* the module's file is not there */
	SYM_OTHER_FILE, /* the file has another build id than the one that ran */
	SYM_UNREADABLE, /* not an ELF file, or a damaged one */
	SYM_STRIPPED,   /* no symbol covers the address */
	SYM_GONE,       /* in a library that had gone before the recording began (address 0) */
	SYM_REASON_COUNT,
};

/* A module as it was loaded. */
struct sym_module {
	const char *path;        /* borrowed during the call */
	uint64_t base;           /* where its first segment was loaded */
	const uint8_t *build_id; /* borrowed during the call; NULL: not recorded */
	uint32_t build_id_size;
};

/* One level of a frame: the function itself, or one that was inlined into it. */
struct sym_level {
	const char *function; /* NULL when unknown */
	const char *file;     /* NULL when unknown */
	int line;             /* 0 when unknown */
};

/* What is known of an address. Owned by the resolver, valid until sym_free(). */
struct sym_frame {
	uint32_t number; /* counted from 0 in the resolver: an index for what is made of frames */
	enum sym_reason reason;
	const char *path;     /* of the module; NULL when outside any */
	const char *module;   /* the last part of path; NULL likewise */
	const char *build_id; /* as recorded, or else of the file, in hex; NULL when unknown */
	uint64_t offset;      /* in the module; outside any: the address; 0 when made up */
	bool is_made_up;      /* by sym_entered() */
	uint32_t level_count; /* at least 1 */
	const struct sym_level *levels; /* innermost (inlined) first; the last is the function */
};

struct sym;

/*
 * @param debug_dirs  colon list of directories with .build-id below them; NULL: /usr/lib/debug
 * @return a resolver, the caller's to sym_free(); NULL without memory.
 */
struct sym *sym_new(const char *debug_dirs);
void sym_free(struct sym *sym);
/*
 * Resolves an address.
 * @param module   NULL: in no module.
 * @param address  as recorded.
 * @param is_return  it is a return address: the call before it is meant.
 */
const struct sym_frame *sym_resolve(struct sym *sym, const struct sym_module *module,
				    uint64_t address, bool is_return);
/*
 * The exported function by which one module entered another, from the call instruction before a
 * return address (x86-64). A stack does not show it when that function jumped on to an inner one.
 * @param caller  the module that holds the return address.
 * @param callee  the module that was entered: the frame that is made up lies there.
 * @return NULL when the call went elsewhere or cannot be read.
 */
const struct sym_frame *sym_entered(struct sym *sym, const struct sym_module *caller,
				    uint64_t address, const struct sym_module *callee);
/* A reason in words, for reports: "stripped", "file not found" … */
const char *sym_reason_text(enum sym_reason reason);

/* The readable form of a C++ name. @return to be freed; NULL when it is none. (demangle.cpp) */
char *sym_demangle(const char *name);

#endif
