/* SPDX-License-Identifier: MIT */
/*
 * Lifetimes of memory in one process. A block is what the owner of a lifetime took and must give
 * back: an allocation, a registration, an import, memory that the library took for a queue. Below
 * it are the buffer objects (BOs) that the kernel made for it. With ioctls alone recorded, each BO
 * is a block of its own.
 *
 * A lifetime begins and ends only with a call that succeeded. Addresses and handles are reused at
 * once, also while the exit of the free that released them is still to come.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_MEMORY_H
#define KFDSCOPE_ANALYSIS_MODEL_MEMORY_H

#include "process.h"

enum block_class {
	BLOCK_ALLOCATION,   /* hsaKmtAllocMemory */
	BLOCK_REGISTRATION, /* hsaKmtRegisterMemory */
	BLOCK_IMPORT,       /* of another process's memory, or a graphics buffer */
	BLOCK_INTERNAL,     /* the library's own, see site.origin */
	BLOCK_KEPT,         /* BOs left behind when their block was freed or their call failed */
	BLOCK_BO,           /* a BO by itself: no API call is known that asked for it */
	BLOCK_CLASS_COUNT,
};

enum memory_kind {
	MEMORY_UNKNOWN,
	MEMORY_DEVICE,
	MEMORY_DEVICE_HOST, /* device memory that the host may access */
	MEMORY_HOST,        /* paged system memory */
	MEMORY_HOST_GTT,    /* pinned system memory */
	MEMORY_DOORBELL,
	MEMORY_MMIO,
	MEMORY_SCRATCH,
	MEMORY_ADDRESS_ONLY,
	MEMORY_REGISTERED,
	MEMORY_IMPORTED,
	MEMORY_KIND_COUNT,
};

/* What the library took internal memory for, from ORIGIN_QUEUE on. */
enum block_origin {
	ORIGIN_CALLER,   /* not internal */
	ORIGIN_RESTORED, /* neither: it came with a checkpoint */
	ORIGIN_QUEUE,
	ORIGIN_EVENT,
	ORIGIN_OPEN, /* opening and reading the properties */
	ORIGIN_OTHER,
	ORIGIN_COUNT,
};

/* Where a block is at the end of its story. */
enum block_fate {
	FATE_LIVE,
	FATE_FREED,
	FATE_AT_CLOSE, /* alive when the process closed the driver for good */
	FATE_REPLACED, /* its address was given out again without a recorded free */
};

/* One place that takes one kind of memory: all blocks with equal stack, call, node and kind. */
struct site {
	struct process *process;       /* borrowed */
	const struct stack *stack;     /* borrowed; NULL: not recorded */
	const struct call_type *type;  /* the call that took it; NULL: taken before the recording */
	const struct call_type *ioctl; /* by which the kernel gave it; NULL: by none */
	enum block_class class;
	enum block_origin origin;
	enum memory_kind kind;
	uint32_t node_id; /* UINT32_MAX: unknown */
	uint32_t gpu_id;  /* 0: none or unknown */
	uint32_t index;   /* counted from 0 within memory.sites */

	/* Lifetimes that began, and that ended, in the scope. */
	uint64_t taken_count, taken_bytes;
	uint64_t ended_count;
	uint64_t lifetime_sum_ns;  /* of the ended ones */
	uint64_t begun_count;      /* all lifetimes that began here */
	int64_t first_ns, last_ns; /* of them all */
	uint64_t newest; /* grows with each block that begins anywhere, also before the recording */
	struct usage usage;
};

/* A free that the kernel or the library refused. */
struct refusal {
	uint32_t count;
	uint32_t status;           /* HSAKMT_STATUS of the API call; 0 for a bare ioctl */
	uint32_t os_errno;         /* of the ioctl */
	int64_t time_ns;           /* of the last one */
	const struct stack *stack; /* borrowed, of the last one */
	uint64_t *mapped_gpus;     /* owned: gpu ids that still had it mapped */
	uint32_t mapped_count;
};

struct block {
	uint64_t id;           /* counted from 1 within the process */
	struct site *site;     /* borrowed */
	struct memory *memory; /* borrowed */
	uint32_t ctx;
	uint64_t address, size_bytes;
	int64_t begin_ns;     /* exit of the call that took it, or the state dump */
	uint64_t made;        /* of dumped ones: place in the order they were made; else 0 */
	int64_t confirmed_ns; /* last moment it was surely alive */
	int64_t end_ns;
	enum block_fate fate;
	const struct stack
		*free_stack; /* borrowed, of the call that ended it; NULL: none, or lost */
	GQueue bos;          /* of struct bo (each owned by memory until it is freed) */
	GList link;          /* of memory.blocks */
	uint32_t registered, deregistered; /* registrations are counted */
	/* The runtime's function inside which it was taken; NULL: none, or not recorded. */
	const struct call_type *served;
	struct refusal refusal;
	bool from_dump, indexed, free_pending;
	bool ended;             /* only a call that is about it still holds it */
	uint32_t refs;          /* memory's, and one for each open call that is about it */
	uint32_t dump;          /* number of the last state dump that listed it */
	struct owner *owner;    /* borrowed: the queue or event that internal memory is for */
	struct share *share;    /* borrowed: set once exported */
	struct share *imported; /* borrowed: what it is an import of, when that was recorded */
};

struct bo {
	uint64_t handle, address, size_bytes;
	uint32_t ioctl_flags, gpu_id;
	int64_t begin_ns;
	struct block *block;       /* borrowed; NULL while the call that made it is open */
	const struct stack *stack; /* borrowed: of the ioctl, or of the API call around it */
	const struct call_type *type;
	uint64_t *mapped; /* owned: gpu ids, in mapping order */
	uint32_t mapped_count;
	GList link;     /* of block.bos */
	GList all_link; /* of memory.all_bos */
	bool indexed, free_pending;
	bool ended;    /* only open calls still hold it */
	uint32_t refs; /* memory's, and one for each open call that made it or is about it */
};

/* Memory given to other processes. Kept after the block is gone: the pin may outlive it. */
struct share {
	uint32_t key[4];                        /* of the kernel; all 0 for a dma-buf */
	struct process *process;                /* borrowed */
	const struct site *site;                /* borrowed: of the exported block */
	const struct stack *stack, *free_stack; /* borrowed */
	uint64_t size_bytes;
	int64_t time_ns, freed_ns; /* freed_ns 0: not freed */
	uint64_t importers;
	bool is_dmabuf;
};

/* A queue or event that holds internal memory. */
struct owner {
	enum block_origin origin;
	uint64_t id;               /* as the API gives it: queue id, event id */
	const struct stack *stack; /* borrowed */
	uint32_t node_id, type;
	uint64_t size_bytes; /* of a queue's ring */
	int64_t begin_ns;
	bool from_dump;
	GHashTable *blocks; /* owned, set of borrowed struct block */
};

/* Frees by handles that stand for any of several restored buffers. */
struct unclear_free {
	uint32_t gpu_id;
	uint32_t count;
};

struct memory {
	struct process *process; /* borrowed */
	GHashTable *sites;       /* set of struct site, of the pool */
	struct pool site_pool;
	GHashTable *indexed; /* ctx+address -> struct block: the live ones that calls can name */
	GQueue blocks;       /* of struct block, owned: live, or left at close, oldest first */
	GHashTable *bos;     /* handle -> struct bo */
	GQueue all_bos;      /* of struct bo, owned */
	GPtrArray *shares;   /* of struct share, owned */
	GHashTable *owners;  /* set of struct owner, owned: living queues and events */
	struct usage usage;  /* what callers hold: allocations, imports and bare BOs */
	struct usage internal, registered;
	struct usage reserved;       /* callers' addresses without memory, see site_is_reserved() */
	struct usage node_usage[64]; /* callers', by node; the last one is for all others */
	/* Restored from a checkpoint (memory_restore.c). */
	GPtrArray *unnamed;    /* of struct bo, borrowed: those whose handle is not known yet */
	GArray *unclear;       /* of struct unclear_free */
	GArray *checkpoint;    /* owned: what it had at its last checkpoint; NULL: none is known */
	int64_t checkpoint_ns; /* of that */
	uint64_t restored_count, restored_bytes;
	uint64_t restored_unlisted; /* more than an event can list */
	uint64_t ids;
	uint32_t dump; /* number of the current or last state dump */
	int64_t dump_begin_ns;
	/* In the scope. */
	uint64_t freed_count, freed_bytes;
	uint64_t unknown_frees; /* successful frees of addresses the recording never showed */
	uint64_t failed_frees;
	uint64_t replaced;
	uint64_t settled_by_dump; /* ended because a state dump did not list them */
	uint64_t queues_created, queues_destroyed, events_created, events_destroyed;
	uint64_t origin_bytes[ORIGIN_COUNT], origin_count[ORIGIN_COUNT]; /* taken in the scope */
	struct usage origin_usage[ORIGIN_COUNT];
};

struct memory *memory_new(struct process *process);
void memory_free(struct memory *memory);

/* An API call or ioctl has begun; remembers what a free is about. */
void memory_call_entry(struct memory *memory, struct call *call);
/*
 * A call has ended.
 * @param call    the matched call, on top of its thread.
 * @param around  the API call around an ioctl, or NULL.
 */
void memory_api_exit(struct memory *memory, struct call *call, const struct record *exit);
void memory_ioctl_exit(struct memory *memory, struct call *call, struct call *around,
		       const struct record *exit);
/* A call was given up without an exit: what it made stands by itself. */
void memory_call_cut(struct memory *memory, struct call *call, int64_t time_ns);

/* State dump: idempotent; objects that are known already are only confirmed. */
void memory_dump_begin(struct memory *memory, int64_t time_ns);
void memory_dump_block(struct memory *memory, const struct record *record);
/* A living queue or event. */
void memory_dump_owner(struct memory *memory, enum block_origin origin, uint64_t id,
		       const struct record *record);
/* @param complete  no event was lost since the dump began: what it did not list is gone. */
void memory_dump_end(struct memory *memory, int64_t time_ns, bool complete);

/* The process closed the driver for good: what callers hold now is left over. */
void memory_final_close(struct memory *memory, int64_t time_ns);
/* One reference less, or more; both accept NULL. */
void block_put(struct block *block);
struct block *block_get(struct block *block);
void bo_put(struct bo *bo);
struct bo *bo_get(struct bo *bo);
/* How many frees were of one of several restored buffers, and it is not known which. */
uint64_t memory_unclear_frees(const struct memory *memory);
/* True for a restored block that one of these frees may have been of. */
bool block_is_unclear(const struct block *block);
/* @return the living block that calls mean by this address, or NULL. */
const struct block *memory_block_at(const struct memory *memory, uint32_t ctx, uint64_t address);
/* @return the share with this kernel key, or NULL. */
struct share *memory_find_share(const struct memory *memory, const uint32_t key[4]);

const char *memory_kind_name(enum memory_kind kind);
const char *block_class_name(enum block_class class);
const char *block_origin_name(enum block_origin origin);
/* True for the classes that a caller must give back: allocations, imports, bare and kept BOs. */
bool block_is_callers(enum block_class class);
/* Addresses that a caller holds without memory behind them: ranges, and scratch before its use. */
bool site_is_reserved(const struct site *site);
/* What a caller holds and must give back as memory. */
bool site_is_memory(const struct site *site);

#endif
