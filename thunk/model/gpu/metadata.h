/* SPDX-License-Identifier: MIT */
/* The note in which the compiler tells the arguments of each kernel (NT_AMDGPU_METADATA). */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_METADATA_H
#define KFDSCOPE_THUNK_MODEL_GPU_METADATA_H

#include "model/gpu/code_object.h"

/*
 * Argument layout of a kernel from the notes at note_va.
 *
 * @param symbol  name of the descriptor's symbol, with its ".kd".
 * @return false when the notes cannot be read or the kernel is not in them.
 */
bool gpu_metadata_signature(struct gpu_work *work, uint64_t note_va, uint64_t note_bytes,
			    const char *symbol, struct gpu_signature *signature);

#endif
