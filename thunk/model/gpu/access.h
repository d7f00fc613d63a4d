/* SPDX-License-Identifier: MIT */
/*
 * How the engines touch memory: every access goes through the host's translate(), span by span. The
 * first access that is refused is remembered; the worker reports it when the packet is put away.
 */
#ifndef KFDSCOPE_THUNK_MODEL_GPU_ACCESS_H
#define KFDSCOPE_THUNK_MODEL_GPU_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gpu.h"

/* What one packet did and has to be told to the KFD after leave(). */
struct gpu_work {
	const struct kfd_model_gpu_host *host; /* borrowed */
	void *vm;                              /* borrowed, the host's */
	uint32_t gfx_version;
	bool faulted, fault_write;
	uint64_t fault_va;
	bool has_interrupt;
	uint32_t interrupt_id;
	uint32_t exception; /* EC_* number, 0 for none */
	bool dispatched;    /* a shader was asked for and not run */
	uint64_t kernel_object;
};

/*
 * Operations of the GPU's L2 cache as SDMA and PM4 atomics number them (gpu_packets.md 5.4): these
 * for 32 bits, 32 more for 64 bits, 64 more for the forms that return nothing.
 */
enum gpu_atomic_op {
	GPU_ATOMIC_SWAP = 7,
	GPU_ATOMIC_CMPSWAP = 8,
	GPU_ATOMIC_ADD = 15,
	GPU_ATOMIC_SUB = 16,
	GPU_ATOMIC_SMIN = 17,
	GPU_ATOMIC_UMIN = 18,
	GPU_ATOMIC_SMAX = 19,
	GPU_ATOMIC_UMAX = 20,
	GPU_ATOMIC_AND = 21,
	GPU_ATOMIC_OR = 22,
	GPU_ATOMIC_XOR = 23,
	GPU_ATOMIC_INC = 24,
	GPU_ATOMIC_DEC = 25,
};
#define GPU_ATOMIC_64BIT  32u
#define GPU_ATOMIC_ADD_64 (GPU_ATOMIC_ADD + GPU_ATOMIC_64BIT)

/* All return false when an address is refused; the fault is noted in work. Sizes may be 0. */

/* Notes that an access was refused; only the first one of a packet counts. */
void gpu_refuse(struct gpu_work *work, uint64_t va, bool write);
/* Host pointer to size_bytes at va, which must not cross a span; NULL notes a fault. */
void *gpu_pointer(struct gpu_work *work, uint64_t va, uint64_t size_bytes, bool write);
/* Copies out of GPU memory. */
bool gpu_read(struct gpu_work *work, uint64_t va, void *buf, uint64_t size_bytes);
/* Copies into GPU memory. */
bool gpu_write(struct gpu_work *work, uint64_t va, const void *buf, uint64_t size_bytes);
/* Copies inside GPU memory; an overlap within one mapping behaves like memmove(). */
bool gpu_copy(struct gpu_work *work, uint64_t dst, uint64_t src, uint64_t size_bytes);
/* Exchanges two areas. */
bool gpu_swap(struct gpu_work *work, uint64_t a, uint64_t b, uint64_t size_bytes);
/* Repeats pattern (pattern_bytes long, not 0) over size_bytes; the last copy may be cut. */
bool gpu_fill(struct gpu_work *work, uint64_t dst, const void *pattern, size_t pattern_bytes,
	      uint64_t size_bytes);
/* Single-copy atomic accesses with acquire (load) and release (store) order. */
bool gpu_load32(struct gpu_work *work, uint64_t va, uint32_t *out);
bool gpu_load64(struct gpu_work *work, uint64_t va, uint64_t *out);
bool gpu_store32(struct gpu_work *work, uint64_t va, uint32_t value);
bool gpu_store64(struct gpu_work *work, uint64_t va, uint64_t value);

/* Whether op (any of the four forms) is one that gpu_atomic() knows. */
bool gpu_atomic_known(uint32_t op);
/*
 * Read-modify-write at va, naturally aligned.
 *
 * @param op      enum gpu_atomic_op plus the form bits; must be known.
 * @param old     out: the value before.
 * @return false on a refused or misaligned address.
 */
bool gpu_atomic(struct gpu_work *work, uint32_t op, uint64_t va, uint64_t operand, uint64_t compare,
		uint64_t *old);

/* Compare functions of polls and waits: always, <, <=, ==, !=, >=, > (gpu_packets.md 5.3). */
bool gpu_compare(uint32_t func, uint64_t value, uint64_t reference);

#endif
