/* SPDX-License-Identifier: MIT */
/*
 * Code objects that a runtime has loaded into GPU memory: ELF images whose header, symbols, notes
 * and kernel descriptors lie together in the first segment. From a kernel's descriptor one finds
 * back to the image, and there its name and the layout of its arguments.
 */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_CODE_OBJECT_H
#define KFDSCOPE_THUNK_MODEL_GPU_CODE_OBJECT_H

#include "model/gpu/access.h"

struct gpu_code_object {
	uint64_t bias; /* added to the image's own addresses */
	uint64_t symtab_va, strtab_va, strtab_bytes, hash_va;
	uint64_t note_va, note_bytes; /* 0 without notes */
};

#define GPU_SIGNATURE_MAX_ARGS 16
#define GPU_SIGNATURE_NONE     UINT32_MAX

/* Where a kernel finds its arguments. */
struct gpu_signature {
	uint32_t arg_count; /* explicit ones only */
	struct {
		uint32_t offset, size_bytes;
	} arg[GPU_SIGNATURE_MAX_ARGS];
	uint32_t global_offset[3]; /* offset of each; GPU_SIGNATURE_NONE when there is none */
};

/* Nothing here notes a fault: looking is not the program's access. */

/* Finds the image around a kernel descriptor. @return false when there is none. */
bool gpu_code_object_find(struct gpu_work *work, uint64_t kernel_object,
			  struct gpu_code_object *object);
/* Address of a symbol. @return false when the image has no such symbol. */
bool gpu_code_object_symbol(struct gpu_work *work, const struct gpu_code_object *object,
			    const char *name, uint64_t *va);
/*
 * Argument layout of the kernel whose descriptor has that symbol, from the metadata note.
 * @return false when there is no readable note or the kernel is not in it.
 */
bool gpu_code_object_signature(struct gpu_work *work, const struct gpu_code_object *object,
			       const char *symbol, struct gpu_signature *signature);

#endif
