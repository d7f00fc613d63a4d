/* SPDX-License-Identifier: MIT */
/* One ELF file with its debug information, opened through libdwfl at address 0 (symbols.h). */
#ifndef KFDSCOPE_ANALYSIS_SYMBOLS_ELF_FILE_H
#define KFDSCOPE_ANALYSIS_SYMBOLS_ELF_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/symbols.h"

/* A slot that the loader fills with the address of a function of another module. */
struct import {
	uint64_t slot;
	const char *name; /* borrowed from the file */
};

struct elf_file {
	enum sym_reason reason; /* SYM_OK when it can be used */
	Dwfl *dwfl;             /* owned */
	Dwfl_Module *module;    /* borrowed from dwfl */
	uint64_t bias;          /* of module addresses against the file's */
	uint64_t first_vaddr;   /* page of the first loaded segment */
	struct import *imports; /* owned: slots of the global offset table, by address */
	size_t import_count;
	bool has_imports;          /* they were looked for */
	char build_id[2 * 64 + 1]; /* of the file, hex; "" when it has none */
};

/*
 * Opens a file.
 * @param expected    build id in hex that the file must have; NULL or "": any.
 * @param debug_dirs  borrowed as long as the file is open.
 */
void elf_file_open(struct elf_file *file, const char *path, const char *expected,
		   const char *debug_dirs);
void elf_file_close(struct elf_file *file);
/* Names of an address counted as in the file. @return level count; levels->function may be NULL. */
uint32_t elf_file_names(struct elf_file *file, uint64_t vaddr, struct sym_level *levels,
			uint32_t max);
/*
 * The imported function that the call instruction in front of vaddr calls.
 * @return NULL when it calls none, or on a machine that is not x86-64.
 */
const char *elf_file_call_target(struct elf_file *file, uint64_t vaddr);

#endif
