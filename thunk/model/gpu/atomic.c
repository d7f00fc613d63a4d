/* SPDX-License-Identifier: MIT */
/*
 * The L2 cache's read-modify-write operations. One compare-and-swap loop serves all of them; the
 * program's threads may change the same word meanwhile.
 */
#include "model/gpu/access.h"

#define OP_MASK 31u

static int64_t sign_extend(uint64_t value, bool wide)
{
	return wide ? (int64_t)value : (int32_t)(uint32_t)value;
}

static uint64_t result(enum gpu_atomic_op op, uint64_t old, uint64_t operand, uint64_t compare,
		       bool wide)
{
	int64_t signed_old = sign_extend(old, wide), signed_operand = sign_extend(operand, wide);

	switch (op) {
	case GPU_ATOMIC_SWAP:
		return operand;
	case GPU_ATOMIC_CMPSWAP:
		return old == compare ? operand : old;
	case GPU_ATOMIC_ADD:
		return old + operand;
	case GPU_ATOMIC_SUB:
		return old - operand;
	case GPU_ATOMIC_SMIN:
		return signed_operand < signed_old ? operand : old;
	case GPU_ATOMIC_UMIN:
		return operand < old ? operand : old;
	case GPU_ATOMIC_SMAX:
		return signed_operand > signed_old ? operand : old;
	case GPU_ATOMIC_UMAX:
		return operand > old ? operand : old;
	case GPU_ATOMIC_AND:
		return old & operand;
	case GPU_ATOMIC_OR:
		return old | operand;
	case GPU_ATOMIC_XOR:
		return old ^ operand;
	case GPU_ATOMIC_INC: /* wraps to 0 above the operand */
		return old >= operand ? 0 : old + 1;
	case GPU_ATOMIC_DEC: /* wraps to the operand below 0 */
		return !old || old > operand ? operand : old - 1;
	}
	return old;
}

bool gpu_atomic_known(uint32_t op)
{
	switch ((enum gpu_atomic_op)(op & OP_MASK)) {
	case GPU_ATOMIC_SWAP:
	case GPU_ATOMIC_CMPSWAP:
	case GPU_ATOMIC_ADD:
	case GPU_ATOMIC_SUB:
	case GPU_ATOMIC_SMIN:
	case GPU_ATOMIC_UMIN:
	case GPU_ATOMIC_SMAX:
	case GPU_ATOMIC_UMAX:
	case GPU_ATOMIC_AND:
	case GPU_ATOMIC_OR:
	case GPU_ATOMIC_XOR:
	case GPU_ATOMIC_INC:
	case GPU_ATOMIC_DEC:
		return true;
	}
	return false;
}

static uint64_t modify64(uint64_t *ptr, enum gpu_atomic_op op, uint64_t operand, uint64_t compare)
{
	uint64_t old = __atomic_load_n(ptr, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(ptr, &old, result(op, old, operand, compare, true),
					    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
	}
	return old;
}

static uint32_t modify32(uint32_t *ptr, enum gpu_atomic_op op, uint32_t operand, uint32_t compare)
{
	uint32_t old = __atomic_load_n(ptr, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(ptr, &old,
					    (uint32_t)result(op, old, operand, compare, false),
					    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
	}
	return old;
}

bool gpu_atomic(struct gpu_work *work, uint32_t op, uint64_t va, uint64_t operand, uint64_t compare,
		uint64_t *old)
{
	bool wide = op & GPU_ATOMIC_64BIT;
	enum gpu_atomic_op kind = (enum gpu_atomic_op)(op & OP_MASK);
	uint64_t size_bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
	void *ptr;

	if (va % size_bytes) { /* the L2 has no such operation */
		gpu_refuse(work, va, true);
		return false;
	}
	ptr = gpu_pointer(work, va, size_bytes, true);
	if (!ptr)
		return false;
	*old = wide ? modify64(ptr, kind, operand, compare)
		    : modify32(ptr, kind, (uint32_t)operand, (uint32_t)compare);
	return true;
}
