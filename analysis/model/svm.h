/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory: watches a model and keeps, for each process, the changes of the mode that
 * retries page faults (XNACK), and for each range the attribute calls about it.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_SVM_H
#define KFDSCOPE_ANALYSIS_MODEL_SVM_H

#include "driver_events.h"
#include "model.h"

#define SVM_ATTRIBUTES_MAX 64u
/* Calls that are kept for one range; more are only counted. */
#define SVM_CALLS_MAX 1024u

enum xnack_mode {
	XNACK_UNKNOWN = -1,
	XNACK_OFF,
	XNACK_ON,
};

/* A call that asked for, or set, the mode. */
struct xnack_call {
	int64_t time_ns;
	bool is_set;
	int32_t wanted;        /* of a set */
	int32_t before, after; /* enum xnack_mode, as far as was known */
	uint32_t status, os_errno;
	const struct stack *stack; /* borrowed */
};

struct svm_attribute {
	uint32_t type, value; /* HSA_SVM_ATTR_TYPE */
};

struct svm_call {
	int64_t time_ns;
	bool is_set;
	uint32_t status, os_errno;
	const struct stack *stack;        /* borrowed */
	uint32_t wanted;                  /* attributes that the call named */
	uint32_t count;                   /* of which are kept; of a get: the answers */
	struct svm_attribute *attributes; /* owned */
};

struct svm_range {
	struct process *process; /* borrowed */
	uint64_t address, size_bytes;
	GArray *calls; /* owned, of struct svm_call */
	uint64_t more;
};

struct svm_process {
	struct process *process; /* borrowed */
	int32_t mode;            /* enum xnack_mode in force */
	GArray *modes;           /* owned, of struct xnack_call */
};

struct svm;

/* Starts watching. @param model  borrowed, must outlive it. */
struct svm *svm_new(struct model *model);
void svm_free(struct svm *svm);
/* What the driver told meanwhile. */
const struct driver_events *svm_driver(const struct svm *svm);
const GPtrArray *svm_processes(const struct svm *svm); /* of struct svm_process */
const GPtrArray *svm_ranges(const struct svm *svm);    /* of struct svm_range */

#endif
