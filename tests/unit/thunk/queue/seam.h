/* SPDX-License-Identifier: MIT */
/*
 * The surroundings of the queue, event, debug and counter modules for unit tests: context,
 * topology, memory manager and KFD as those modules see them, all in one scriptable object. A test links
 * this instead of the real modules, so that a case decides about every answer and every failure.
 */
#ifndef KFDSCOPE_TESTS_QUEUE_SEAM_H
#define KFDSCOPE_TESTS_QUEUE_SEAM_H

#include "context.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "memory/fmm.h"
#include "topology/topology.h"

#define SEAM_NODES   4
#define SEAM_ALLOCS  64
#define SEAM_OBJECTS 4
#define SEAM_FILES   4
#define SEAM_GPU_ID  0x1234 /* of node 1; node 2 has the next one */

struct seam;
/* @return 0 or -errno. */
typedef int (*seam_ioctl_fn)(struct seam *seam, unsigned long request, void *arg);

/* One live internal allocation. */
struct seam_alloc {
	void *address; /* owned; NULL: free entry */
	struct kmt_internal_alloc request;
};

struct seam {
	struct kmt_context ctx; /* the primary one */
	struct device device;
	struct kmt_process process;
	bool usable;
	bool global_locked; /* to see that nobody holds the lock while it sleeps */

	/* Topology: node 0 is a CPU, nodes 1 and 2 are GPUs. */
	HsaNodeProperties nodes[SEAM_NODES];
	uint32_t gpu_ids[SEAM_NODES];
	uint32_t node_count;
	bool has_apertures;
	bool refuse_snapshot;

	/* KFD. Without a handler an ioctl succeeds and changes nothing. */
	seam_ioctl_fn on_ioctl[256]; /* by number */
	unsigned int calls[256];
	unsigned char last_arg[256][256]; /* as it came in */
	char sequence[512];               /* numbers in hex, each with a space behind */
	int fail_ioctl_nr;                /* -1: none; the next call of it fails once */
	int fail_ioctl_errno;

	/* Torture: the n-th call that may fail (ioctl, mapping, allocation) does. 0: none. */
	unsigned int fail_nth;
	unsigned int fallible_calls;

	/* Memory. */
	struct seam_alloc allocs[SEAM_ALLOCS];
	unsigned int live_allocs;
	int64_t live_map_bytes;
	unsigned int fail_maps; /* so many next mappings of the KFD fail */
	unsigned int refuse_gpuvm_doorbell;
	unsigned int live_gpuvm_doorbells;
	uint64_t last_map_size, last_map_offset;
	int last_map_fd, last_advice;
	struct kmt_object_info objects[SEAM_OBJECTS]; /* gpu_va 0: none */
	struct {
		const char *path, *content; /* borrowed */
	} files[SEAM_FILES];
	char log[4096]; /* what was logged, lines joined */
};

/* The one of the running case. */
extern struct seam *the_seam;

/* A usable context with one CPU and two GPUs (gfx 9.0.10, KFD 1.19, discrete). */
struct seam *seam_new(void);
/* Frees it; the test frees the parts of the context. */
void seam_free(struct seam *seam);
/* Sets the generation of a node. */
void seam_set_gfx(struct seam *seam, uint32_t node, uint32_t major, uint32_t minor,
		  uint32_t stepping);
/* Forgets calls, sequence and log. */
void seam_reset_log(struct seam *seam);
/* The argument of the last call, as it came in. */
#define SEAM_LAST(seam, request, type) ((const struct type *)(seam)->last_arg[_IOC_NR(request)])

#endif
