/* SPDX-License-Identifier: MIT */
/* Registrations through SVM attributes: records, coherence, revocation. */
#include "svm/records.h"

#include <errno.h>
#include <stdlib.h>

#include "memory/fmm_internal.h"
#include "svm/attributes.h"

struct record {
	struct range_node node; /* first: a node is a record */
	unsigned int refs;
};

void svm_records_init(struct svm_records *records)
{
	pthread_mutex_init(&records->lock, NULL);
	records->tree.root = NULL;
}

static void drop_all(struct svm_records *records)
{
	struct range_node *node;

	while ((node = records->tree.root)) {
		range_tree_remove(&records->tree, node);
		free(node);
	}
}

void svm_records_fini(struct svm_records *records)
{
	/* Held in a forked child by a thread that it has not: the tree may be half changed. */
	if (pthread_mutex_trylock(&records->lock) != 0)
		return;
	drop_all(records);
	pthread_mutex_unlock(&records->lock);
	pthread_mutex_destroy(&records->lock);
}

void svm_records_forget(struct svm_records *records)
{
	pthread_mutex_lock(&records->lock);
	drop_all(records);
	pthread_mutex_unlock(&records->lock);
}

/* Starts are unique, so the lower bound is the record or none. */
static struct record *find(const struct svm_records *records, uint64_t start)
{
	struct range_node *node = range_tree_lower_bound(&records->tree, start, 0);

	return node && node->start == start ? (struct record *)node : NULL;
}

/* Another size is another key. */
static void resize(struct svm_records *records, struct record *record, uint64_t size_bytes)
{
	range_tree_remove(&records->tree, &record->node);
	record->node.size_bytes = size_bytes;
	range_tree_insert(&records->tree, &record->node);
}

/* One more reference. @return the record, or NULL without memory: then there is just no revoking. */
static struct record *take(struct svm_records *records, uint64_t start, uint64_t size_bytes)
{
	struct record *record = find(records, start);

	if (record) {
		record->refs++;
		if (record->node.size_bytes < size_bytes)
			resize(records, record, size_bytes);
		return record;
	}
	record = calloc(1, sizeof(*record));
	if (!record)
		return NULL;
	record->node.start = start;
	record->node.size_bytes = size_bytes;
	record->refs = 1;
	range_tree_insert(&records->tree, &record->node);
	return record;
}

/* One reference less. @return whether it was the last one: then the record is gone. */
static bool drop(struct svm_records *records, struct record *record)
{
	if (--record->refs)
		return false;
	range_tree_remove(&records->tree, &record->node);
	free(record);
	return true;
}

static struct kfd_ioctl_svm_attribute flag_attribute(bool set, uint32_t flag)
{
	const struct kfd_ioctl_svm_attribute attribute = {
		.type = set ? KFD_IOCTL_SVM_ATTR_SET_FLAGS : KFD_IOCTL_SVM_ATTR_CLR_FLAGS,
		.value = flag,
	};

	return attribute;
}

int svm_register(struct kmt_context *ctx, const void *address, uint64_t size_bytes, bool coarse,
		 bool extended)
{
	struct svm_records *records = &ctx->fmm->records;
	uint64_t start = fmm_page_floor(address), span = fmm_page_span(address, size_bytes);
	struct kfd_ioctl_svm_attribute attributes[] = {
		flag_attribute(!coarse, KFD_IOCTL_SVM_FLAG_COHERENT),
		flag_attribute(extended, KFD_IOCTL_SVM_FLAG_EXT_COHERENT),
	};
	struct record *record, *before;
	uint64_t span_before;
	int rc;

	pthread_mutex_lock(&records->lock);
	before = find(records, start);
	span_before = before ? before->node.size_bytes : 0;
	record = take(records, start, span);
	rc = svm_ioctl(ctx, KFD_IOCTL_SVM_OP_SET_ATTR, start, span, attributes, 2);
	if (rc != 0 && record && !drop(records, record) && record->node.size_bytes != span_before)
		resize(records, record, span_before);
	pthread_mutex_unlock(&records->lock);
	return rc;
}

/* Takes the GPUs' access to one part away. */
static void revoke(struct kmt_context *ctx, uint64_t start, uint64_t end)
{
	const struct gpu_set *all = fmm_all_gpus(ctx);
	uint32_t count = 0;
	struct kfd_ioctl_svm_attribute *attributes =
		malloc((gpu_set_count(all) + 2u) * sizeof(*attributes));

	if (!attributes)
		return;
	for (uint32_t i = 0; i < gpu_set_count(all); i++)
		attributes[count++] =
			(struct kfd_ioctl_svm_attribute){ .type = KFD_IOCTL_SVM_ATTR_NO_ACCESS,
							  .value = all->gpu_ids[i] };
	attributes[count++] = flag_attribute(false, KFD_IOCTL_SVM_FLAG_COHERENT);
	attributes[count++] = flag_attribute(false, KFD_IOCTL_SVM_FLAG_EXT_COHERENT);
	/* The pages may be gone already; then there is nothing to take away. */
	(void)svm_ioctl(ctx, KFD_IOCTL_SVM_OP_SET_ATTR, start, end - start, attributes, count);
	free(attributes);
}

/* All parts of [start, end) that no record covers. */
static void revoke_uncovered(struct kmt_context *ctx, uint64_t start, uint64_t end)
{
	struct range_node *node = range_tree_first_ending_after(&ctx->fmm->records.tree, start);

	for (; node && node->start < end && start < end; node = range_tree_next(node)) {
		if (node->start > start)
			revoke(ctx, start, node->start);
		if (range_node_end(node) > start)
			start = range_node_end(node);
	}
	if (start < end)
		revoke(ctx, start, end);
}

void svm_deregister(struct kmt_context *ctx, const void *address)
{
	struct svm_records *records = &ctx->fmm->records;
	struct record *record;

	pthread_mutex_lock(&records->lock);
	record = find(records, fmm_page_floor(address));
	if (record) {
		uint64_t start = record->node.start, end = range_node_end(&record->node);

		if (drop(records, record))
			revoke_uncovered(ctx, start, end);
	}
	pthread_mutex_unlock(&records->lock);
}

int svm_map(struct kmt_context *ctx, const void *address, uint64_t size_bytes,
	    const struct gpu_set *set)
{
	struct kfd_ioctl_svm_attribute *attributes;
	int rc;

	if (!set)
		return -ENODEV;
	attributes = malloc(set->count * sizeof(*attributes));
	if (!attributes)
		return -ENOMEM;
	for (uint32_t i = 0; i < set->count; i++) {
		attributes[i].type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
		attributes[i].value = set->gpu_ids[i];
	}
	rc = svm_ioctl(ctx, KFD_IOCTL_SVM_OP_SET_ATTR, fmm_page_floor(address),
		       fmm_page_span(address, size_bytes), attributes, set->count);
	free(attributes);
	return rc;
}
