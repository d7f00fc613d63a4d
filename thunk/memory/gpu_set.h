/* SPDX-License-Identifier: MIT */
/*
 * Interned lists of GPUs. Every registered and every mapped set of an object points to one of these;
 * equal lists are one object, which makes comparing them, and answering QueryPointerInfo, a matter of
 * pointers. A list never changes and lives as long as the memory manager, so the node arrays that the
 * API hands out stay valid whatever other threads do to the object.
 */
#ifndef KFDSCOPE_THUNK_MEMORY_GPU_SET_H
#define KFDSCOPE_THUNK_MEMORY_GPU_SET_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GPU_SET_BUCKETS 256
/* A bound on what a program can make the library keep; real ones use a handful. */
#define GPU_SET_LIMIT 65536

struct gpu_set {
	struct gpu_set *next; /* owned by the bucket */
	_Atomic(uint32_t *)
		node_ids; /* the same GPUs as node ids; points behind gpu_ids at first */
	uint32_t count;
	uint32_t gpu_ids[]; /* in the order given, repetitions included */
};

struct gpu_sets {
	_Atomic(struct gpu_set *) buckets[GPU_SET_BUCKETS];
	pthread_mutex_t lock;          /* additions */
	unsigned int count;            /* under lock */
	struct gpu_set_nodes *retired; /* owned: arrays of later numberings, old ones included */
};

/* Translates a gpu id for a list's node array. */
typedef uint32_t (*gpu_set_translate_fn)(uint32_t gpu_id, const void *data);

void gpu_sets_init(struct gpu_sets *sets);
void gpu_sets_fini(struct gpu_sets *sets);

/*
 * The list of these GPUs, made at the first request. Thread-safe; takes no lock when it exists.
 * @param count  0 gives NULL.
 * @return borrowed until gpu_sets_fini(); NULL without memory or beyond the limit.
 */
const struct gpu_set *gpu_sets_get(struct gpu_sets *sets, const uint32_t *gpu_ids, uint32_t count,
				   gpu_set_translate_fn translate, const void *data);
/* Gives every list new node ids, after the numbering of nodes changed. False without memory. */
bool gpu_sets_translate_again(struct gpu_sets *sets, gpu_set_translate_fn translate,
			      const void *data);

bool gpu_set_has(const struct gpu_set *set, uint32_t gpu_id);

/* Number of GPUs; 0 for NULL. */
static inline uint32_t gpu_set_count(const struct gpu_set *set)
{
	return set ? set->count : 0;
}

#endif
