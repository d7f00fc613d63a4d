/* SPDX-License-Identifier: MIT */
/* Writes a small code object, as a runtime would have loaded it, into the fake host's memory. */
#ifndef KFDSCOPE_TESTS_MODEL_GPU_CODE_IMAGE_H
#define KFDSCOPE_TESTS_MODEL_GPU_CODE_IMAGE_H

#include "fake_host.h"

#define CODE_IMAGE_MAX_ARGS 10

struct code_image_kernel {
	const char *name;
	uint32_t arg_count;
	uint8_t arg_bytes[CODE_IMAGE_MAX_ARGS]; /* each aligned to its size; ends with a 0 */
};

struct code_image {
	uint64_t va, end;
	uint64_t descriptor;    /* of the first kernel; the others follow, 64 bytes each */
	uint64_t hidden_offset; /* where the last kernel's global offsets are in its arguments */
};

/*
 * Writes the image at va (a multiple of 4096).
 *
 * @param text_va  address the image pretends to be linked for; usually 0.
 */
struct code_image code_image_write(struct fake_host *host, uint64_t va, uint64_t text_va,
				   const struct code_image_kernel *kernels, uint32_t count);
/* Offset of argument n of a kernel. */
uint32_t code_image_arg(const struct code_image_kernel *kernel, uint32_t n);

#endif
