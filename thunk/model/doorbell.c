/* SPDX-License-Identifier: MIT */
/* Slots of the doorbell slice and of the SDMA engines. */
#include "doorbell.h"

#include <errno.h>

#include "hsakmt/linux/kfd_ioctl.h"

#define SLOTS          1024
#define MIRROR         512   /* the non-CP window appears again this many slots higher */
#define NON_CP_FIRST   0xf0u /* first engine doorbell inside the window, in 8-byte slots */
#define NON_CP_LAST    0x1ffu
#define PER_ENGINE     10  /* doorbells of one SDMA engine in the window */
#define SDMA_SLOTS     128 /* bits of sdma_used and of xgmi_used */
#define ENGINES_WINDOW ((NON_CP_LAST - NON_CP_FIRST + 1) / PER_ENGINE)

static bool is_used(const struct kfd_model_vm *vm, uint32_t slot)
{
	return vm->doorbell_used[slot / 64] >> (slot % 64) & 1;
}

static int take(struct kfd_model_vm *vm, uint32_t slot)
{
	if (slot >= SLOTS || is_used(vm, slot))
		return -EBUSY;
	vm->doorbell_used[slot / 64] |= 1ull << (slot % 64);
	return (int)slot;
}

/* The window that the hardware keeps for SDMA, interrupt and video rings, and its copy. */
static bool is_non_cp(uint32_t slot)
{
	uint32_t low = slot % MIRROR;

	return low >= NON_CP_FIRST && low <= NON_CP_LAST;
}

int kfd_model_doorbell_take(struct kfd_model_vm *vm, uint32_t queue_id)
{
	if (vm->node->gfx_version < 90000)
		return take(vm, queue_id);
	for (uint32_t slot = 0; slot < SLOTS; slot++)
		if (!is_non_cp(slot) && !is_used(vm, slot))
			return take(vm, slot);
	return -EBUSY;
}

int kfd_model_doorbell_take_at(struct kfd_model_vm *vm, uint32_t queue_id, uint32_t slot)
{
	if (vm->node->gfx_version < 90000 ? slot != queue_id : is_non_cp(slot))
		return -EBUSY;
	return take(vm, slot);
}

int kfd_model_doorbell_take_sdma(struct kfd_model_vm *vm, uint32_t queue_id, uint32_t engine,
				 uint32_t hw_queue)
{
	if (vm->node->gfx_version < 90000)
		return take(vm, queue_id);
	return take(vm, NON_CP_FIRST + engine % ENGINES_WINDOW * PER_ENGINE +
				(hw_queue & 1) * MIRROR + (hw_queue >> 1));
}

void kfd_model_doorbell_release(struct kfd_model_vm *vm, uint32_t slot)
{
	vm->doorbell_used[slot / 64] &= ~(1ull << (slot % 64));
}

/* 2 queues an engine are the driver's own on SDMA 6 and 7 (kfd.md 5.3). */
static uint32_t reserved_queues(const struct kfd_model_vm *vm)
{
	return vm->node->gfx_version >= 110000 ? 2 : 0;
}

static uint32_t slots_of(const struct kfd_model_vm *vm, uint32_t engines)
{
	uint32_t slots = engines * vm->node->num_sdma_queues_per_engine;

	return slots > SDMA_SLOTS ? SDMA_SLOTS : slots;
}

/* The engines that a queue may be on, by its type. */
struct pool {
	uint32_t engines, first; /* number of the first one */
	uint64_t *used;          /* borrowed: bit a slot */
	bool is_xgmi;
};

static struct pool pool_of(struct kfd_model_vm *vm, uint32_t queue_type, uint32_t engine_id)
{
	const struct kfd_model_node *node = vm->node;

	if (queue_type == KFD_IOC_QUEUE_TYPE_SDMA_XGMI ||
	    (queue_type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID &&
	     engine_id >= node->num_sdma_engines))
		return (struct pool){ node->num_sdma_xgmi_engines, node->num_sdma_engines,
				      vm->xgmi_used, true };
	return (struct pool){ node->num_sdma_engines, 0, vm->sdma_used, false };
}

int kfd_model_sdma_take(struct kfd_model_vm *vm, uint32_t queue_type, uint32_t engine_id,
			uint32_t *engine, uint32_t *hw_queue)
{
	const struct pool pool = pool_of(vm, queue_type, engine_id);

	for (uint32_t slot = pool.engines * reserved_queues(vm); slot < slots_of(vm, pool.engines);
	     slot++) {
		if (pool.used[slot / 64] >> (slot % 64) & 1)
			continue;
		if (queue_type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID &&
		    pool.first + slot % pool.engines != engine_id)
			continue;
		pool.used[slot / 64] |= 1ull << (slot % 64);
		*engine = pool.first + slot % pool.engines;
		*hw_queue = slot / pool.engines;
		return (int)(pool.is_xgmi ? slot + SDMA_SLOTS : slot);
	}
	return -ENOMEM;
}

int kfd_model_sdma_take_at(struct kfd_model_vm *vm, uint32_t queue_type, uint32_t engine_id,
			   int taken, uint32_t *engine, uint32_t *hw_queue)
{
	const struct pool pool = pool_of(vm, queue_type, engine_id);
	uint32_t slot = (uint32_t)taken - (pool.is_xgmi ? SDMA_SLOTS : 0);

	if (taken < 0 || slot < pool.engines * reserved_queues(vm) ||
	    slot >= slots_of(vm, pool.engines) || pool.used[slot / 64] >> (slot % 64) & 1)
		return -EINVAL;
	*engine = pool.first + slot % pool.engines;
	*hw_queue = slot / pool.engines;
	if (queue_type == KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID && *engine != engine_id)
		return -EINVAL;
	pool.used[slot / 64] |= 1ull << (slot % 64);
	return 0;
}

void kfd_model_sdma_release(struct kfd_model_vm *vm, int slot)
{
	uint64_t *used = slot >= SDMA_SLOTS ? vm->xgmi_used : vm->sdma_used;
	uint32_t bit = (uint32_t)slot % SDMA_SLOTS;

	if (slot >= 0)
		used[bit / 64] &= ~(1ull << (bit % 64));
}
