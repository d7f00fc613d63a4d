/* SPDX-License-Identifier: MIT */
/*
 * What the simulated KFD keeps for a process, and what it keeps for a process on one GPU. A process
 * object belongs to one address space; secondary ones belong to one open of the device (kfd.md 2).
 */
#ifndef KFDSCOPE_THUNK_MODEL_PROCESS_H
#define KFDSCOPE_THUNK_MODEL_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu.h"
#include "model.h"
#include "scenario.h"
#include "store.h"
#include "topology.h"

struct kfd_model_process;
struct kfd_model_bo;
struct kfd_model_events;    /* event.h */
struct kfd_model_kfd_queue; /* queue.h */
struct kfd_model_svm;       /* svm.h */
struct kfd_model_debug;     /* debug.h */
struct kfd_model_smi;       /* smi.h */
struct kfd_model_pcs;       /* pc-sampling.h */
struct kfd_model_drm;       /* drm.h */
struct kfd_model_control;   /* control.h */
struct kfd_model_target;    /* debug-remote.c */
struct kfd_model_engine04;  /* engine04.h */
struct hsakmt_model_functions;

#define KFD_MODEL_QUEUES_MAX 1024 /* ids of a process */

/* A process on one GPU: address space, buffers, doorbells, engines. */
struct kfd_model_vm {
	struct kfd_model_process *process; /* borrowed */
	const struct kfd_model_node *node; /* borrowed */
	/* By which the process knows the GPU: the node's, unless a checkpoint came from another one. */
	uint32_t gpu_id;

	/* Protected by the process's lock. */
	bool acquired;             /* ACQUIRE_VM was done */
	uint64_t file_id;          /* by this render file; the secondary contexts have their own */
	struct kfd_model_bo **bos; /* owned array, handle number -> counted buffer or NULL */
	uint32_t bo_capacity, bo_first_free;
	uint64_t doorbell_offset;            /* in the store; 0 before the first use */
	uint64_t doorbell_used[16];          /* bit a slot */
	uint64_t mmio_offset;                /* in the store; 0 before the first use */
	uint64_t sdma_used[2], xgmi_used[2]; /* bit a queue slot */
	uint32_t queue_count;
	uint64_t tba, tma, scratch_base;
	uint32_t default_policy, alternate_policy;
	uint64_t alternate_base, alternate_size;
	bool gws_used;
	struct kfd_model_gpu *gpu;          /* owned; NULL before the first queue */
	struct kfd_model_engine04 *outside; /* owned; a plug-in's in place of ours, or NULL */

	/* Protected by the process's vm_lock. */
	void *mappings; /* tsearch root of struct vm_mapping, vm.c */
};

struct kfd_model_process {
	struct kfd_model *model; /* borrowed */
	pid_t pid;
	bool is_secondary;
	uint32_t context_id; /* 0xffff for the primary one */
	bool has_secondary_id;

	pthread_mutex_t lock;          /* protects everything here that names no other lock */
	struct kfd_model_store *store; /* counted */
	uint32_t vm_count;
	struct kfd_model_vm *vms; /* owned, one a GPU, by gpu_index */
	pthread_rwlock_t vm_lock; /* address spaces: engines read, map and unmap write */

	struct kfd_model_events *events; /* owned, has its own lock */
	struct kfd_model_svm *svm;       /* owned, protected by vm_lock */
	struct kfd_model_debug *debug;   /* owned, protected by queues_lock */

	pthread_mutex_t queues_lock;                              /* protects queues */
	struct kfd_model_kfd_queue *queues[KFD_MODEL_QUEUES_MAX]; /* owned */
	uint32_t queue_count; /* both locks to write, one to read */

	struct kfd_model_pcs *pcs; /* owned */
	struct kfd_model_control
		*control; /* owned; NULL when no other process can reach this one */
	bool was_opened;  /* protected by the machine's lock */
	bool criu_paused;
	bool criu_restored; /* and not resumed yet */
	bool xnack_enabled;
	bool runtime_enabled;
	bool ttmp_enabled;
	uint64_t r_debug;
};

/* One open of the device. */
struct kfd_model_file {
	struct kfd_model *model;           /* borrowed */
	struct kfd_model_process *process; /* borrowed; owned when secondary */
	pid_t pid;                         /* that opened it */
};

#define KFD_MODEL_TIMELINES 256 /* of all render files */

/* A timeline of a render file (drm-sync.h). */
struct kfd_model_timeline {
	bool is_used;
	uint64_t file_id;
	uint64_t point; /* highest one that is signalled */
};

/* Who has the counters of a GPU, if it is a context of this process. */
struct kfd_model_owner {
	struct kfd_model_process *process; /* borrowed, or NULL */
	int claim;                         /* owned; what tells the other processes */
};

/* The machine. */
struct kfd_model {
	struct kfd_model_topology topology;
	struct kfd_model_scenario *scenario; /* owned, has its own lock */
	struct kfd_model_front front;
	const struct hsakmt_model_functions *engines; /* borrowed; NULL: our own run queues */
	const struct kfd_model_node **gpus;        /* owned array of borrowed nodes, by gpu_index */
	pthread_mutex_t lock;                      /* protects what follows */
	struct kfd_model_process *primary;         /* owned; NULL before the first open */
	struct kfd_model_process *secondaries[64]; /* borrowed from their files, by context id */
	_Atomic uint64_t vram_used[KFD_MODEL_MAX_GPUS];    /* bytes, no lock */
	_Atomic uint64_t visible_used[KFD_MODEL_MAX_GPUS]; /* of which where the CPU can see it */
	_Atomic uint64_t system_used;                      /* bytes, no lock */
	struct kfd_model_smi *smi;                         /* owned, has its own lock */
	struct kfd_model_drm *drm; /* owned, protected by the primary process's lock */
	struct kfd_model_owner spm[KFD_MODEL_MAX_GPUS], pmc[KFD_MODEL_MAX_GPUS];
	struct kfd_model_timeline timelines[KFD_MODEL_TIMELINES];

	pthread_mutex_t targets_lock;     /* taken before all others */
	struct kfd_model_target *targets; /* owned; processes that this one debugs */
};

/* @return NULL without memory or descriptors. */
struct kfd_model_process *kfd_model_process_new(struct kfd_model *model, bool is_secondary);
/* Tears down in the driver's order (kfd.md 2); accepts NULL and half-made ones. */
void kfd_model_process_free(struct kfd_model_process *process);
/* In a forked child: frees what is safe to free of the parent's copy. */
void kfd_model_process_after_fork(struct kfd_model_process *process);

/*
 * The process on the GPU that it knows by this id.
 * @return NULL for an unknown GPU.
 */
struct kfd_model_vm *kfd_model_process_vm(struct kfd_model_process *process, uint32_t gpu_id);
/* Its node; NULL likewise. */
const struct kfd_model_node *kfd_model_process_node(struct kfd_model_process *process,
						    uint32_t gpu_id);
/* The process on the GPU that the machine knows by this id. */
struct kfd_model_vm *kfd_model_process_vm_of_actual(struct kfd_model_process *process,
						    uint32_t actual_gpu_id);
/* The engines of a GPU, made when first needed. @return NULL without memory. */
struct kfd_model_gpu *kfd_model_vm_engines(struct kfd_model_vm *vm);

/* A store offset as the ioctls tell it: plain, or in the driver's encoding (kfd.md 3). */
enum kfd_model_mmap_type {
	KFD_MODEL_MMAP_MMIO = 0,
	KFD_MODEL_MMAP_RESERVED = 1,
	KFD_MODEL_MMAP_EVENTS = 2,
	KFD_MODEL_MMAP_DOORBELL = 3,
};
uint64_t kfd_model_mmap_encode(const struct kfd_model_process *process,
			       enum kfd_model_mmap_type type, const struct kfd_model_vm *vm,
			       uint64_t store_offset);

/* First bytes of the LDS, scratch and GPUVM windows (kfd.md 6.3). */
void kfd_model_apertures(const struct kfd_model_vm *vm, uint64_t *lds, uint64_t *scratch,
			 uint64_t *gpuvm);

/*
 * The doorbell slice of a process on a GPU.
 * @return 0 or -ENOMEM.
 */
int kfd_model_doorbell_slice(struct kfd_model_vm *vm);
/* The page of remapped registers. @return 0 or -ENOMEM. */
int kfd_model_mmio_page(struct kfd_model_vm *vm);

#endif
