/* SPDX-License-Identifier: MIT */
/* What the parts of memory.h share: tables of blocks and BOs. For memory*.c only. */
#ifndef KFDSCOPE_ANALYSIS_MODEL_MEMORY_INTERNAL_H
#define KFDSCOPE_ANALYSIS_MODEL_MEMORY_INTERNAL_H

#include "memory.h"

/* The places in the order of what is made within the recording begin here (struct site, newest). */
#define MADE_NOW (UINT64_C(1) << 40)

/* A lifetime that is about to begin. */
struct block_plan {
	struct site site; /* the key part only */
	uint32_t ctx;
	uint64_t address, size_bytes;
	int64_t begin_ns;
	uint64_t made;                  /* of dumped ones: their place in the order; 0: made now */
	const struct call_type *served; /* see struct block */
	bool indexed;                   /* calls name it by its address */
};

/* For tables of sites: by the key part. */
guint site_hash(gconstpointer site);
gboolean site_equal(gconstpointer left, gconstpointer right);

/* Begins a lifetime. Takes over an address that is still in use. */
struct block *block_begin(struct memory *memory, const struct block_plan *plan);
/* Ends it; BOs that live on become a BLOCK_KEPT block. Frees the block. */
void block_end(struct block *block, int64_t time_ns, const struct stack *free_stack);
/* It is left over, by a process or a guest that has closed the driver. */
void block_leave(struct block *block, int64_t time_ns);
/* The same for a guest, while its host goes on: the memory itself is free again. */
void block_give_up(struct block *block, int64_t time_ns);
/* Takes a block back as if it had never been, because a better account of it follows. */
void block_forget(struct block *block);
/* @return the block that calls mean by this address, or NULL. */
struct block *memory_find(const struct memory *memory, uint32_t ctx, uint64_t address);
/* Gives a BO to a block. */
void block_take_bo(struct block *block, struct bo *bo);
/* Remembers that a free was refused. @param bo  whose mappings tell why; NULL: all of the block. */
void block_refuse(struct block *block, uint32_t status, uint32_t os_errno, int64_t time_ns,
		  const struct stack *stack);

struct bo *bo_new(struct memory *memory, uint64_t handle, int64_t begin_ns);
/* The same for one whose handle is not known: nothing finds it by that. */
struct bo *bo_new_unnamed(struct memory *memory, int64_t begin_ns);
/* It is known now, and nothing else has it. */
void bo_set_handle(struct memory *memory, struct bo *bo, uint64_t handle);
void bo_free(struct memory *memory, struct bo *bo);
/* It is mapped on one more GPU. */
void bo_add_mapping(struct bo *bo, uint64_t gpu_id);
struct bo *bo_find(const struct memory *memory, uint64_t handle);

/* Fills in kind, node and gpu of a plan from the BO and the call's arguments. */
void plan_place(struct block_plan *plan, const struct memory *memory, const struct values *values,
		const struct bo *bo);
/* Makes each BO left in the array a block by itself, of the given class and origin. */
void memory_adopt_bos(struct memory *memory, struct call *call, enum block_class class,
		      enum block_origin origin, struct owner *owner, int64_t time_ns);

/* A checkpoint was taken: notes by which handles the process knows its buffers. */
void memory_checkpoint(struct memory *memory, const struct record *exit);
/* All that was in one is the process's now. */
void memory_restore(struct memory *memory, const struct call *call, const struct record *exit);
/*
 * The restored BO that a handle must mean which nothing else has, and which the kernel has taken.
 * @param around  the API call whose address tells which it is; NULL: none.
 * @return NULL: it cannot be told, or is no restored one.
 */
struct bo *memory_restored_bo(struct memory *memory, uint64_t handle, const struct call *around);
/* The same for a handle of this block. */
struct bo *memory_name_bo(struct memory *memory, const struct block *block, uint64_t handle);
/*
 * A handle was freed that memory_restored_bo() does not find.
 * @return true when there have been as many of them as there are such BOs of the GPU: all are gone.
 */
bool memory_free_some_restored(struct memory *memory, uint64_t handle);
/* @return the next of those BOs, no longer in the list; NULL: there are no more. */
struct bo *memory_take_unnamed(struct memory *memory, uint64_t handle);

struct owner *owner_find(const struct memory *memory, enum block_origin origin, uint64_t id);
struct owner *owner_begin(struct memory *memory, enum block_origin origin, uint64_t id,
			  const struct call *call, int64_t time_ns);
/* Ends a queue or event; internal memory that it leaves behind becomes kept. */
void owner_end(struct memory *memory, struct owner *owner, int64_t time_ns);

#endif
