/* SPDX-License-Identifier: MIT */
/*
 * User memory that is registered through SVM attributes instead of buffer objects: who registered
 * what, so that the last deregistration can take the GPUs' access away (memory.md 10).
 */
#ifndef KFDSCOPE_THUNK_SVM_RECORDS_H
#define KFDSCOPE_THUNK_SVM_RECORDS_H

#include <pthread.h>

#include "context.h"
#include "memory/range_tree.h"

struct gpu_set;

struct svm_records {
	/*
	 * Protects the tree, and is held over the SVM ioctls of registering and deregistering: else
	 * revoking could overtake another thread's registration of the same pages.
	 */
	pthread_mutex_t lock;
	struct range_tree tree; /* by page-rounded start; may overlap */
};

void svm_records_init(struct svm_records *records);
void svm_records_fini(struct svm_records *records);
/* Drops all records and leaves the attributes as they are. */
void svm_records_forget(struct svm_records *records);

/*
 * Registers [address, address + size_bytes), page-rounded: sets its coherence (memory.md 10.2).
 * @return 0 or -errno; nothing is recorded then.
 */
int svm_register(struct kmt_context *ctx, const void *address, uint64_t size_bytes, bool coarse,
		 bool extended) __attribute__((warn_unused_result));
/*
 * Drops one registration of the page of an address; the last one revokes the GPUs' access to what no
 * other record covers. Nothing happens without a record.
 */
void svm_deregister(struct kmt_context *ctx, const void *address);
/* Gives some GPUs access in place. @return 0 or -errno; -ENODEV for NULL, no GPU. */
int svm_map(struct kmt_context *ctx, const void *address, uint64_t size_bytes,
	    const struct gpu_set *set) __attribute__((warn_unused_result));

#endif
