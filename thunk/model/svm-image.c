/* SPDX-License-Identifier: MIT */
/* SVM ranges in a checkpoint (kfd.md 11). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "criu-image.h"
#include "svm-internal.h"
#include "usercopy.h"

#define PAGE_BYTES 4096ull

uint32_t kfd_model_svm_save(struct kfd_model_process *process, struct kfd_model_image_range *images,
			    uint32_t max)
{
	uint32_t count = 0;

	pthread_rwlock_rdlock(&process->vm_lock);
	for (const struct range *range = process->svm->ranges; range; range = range->next) {
		if (count++ >= max)
			continue;
		images[count - 1] = (struct kfd_model_image_range){
			.start = range->start,
			.end = range->end,
			.preferred = range->preferred,
			.prefetch = range->prefetch,
			.flags = range->flags,
			.granularity = range->granularity,
			.access = range->access,
			.in_place = range->in_place,
			.no_access = range->no_access,
		};
	}
	pthread_rwlock_unlock(&process->vm_lock);
	return count;
}

static bool is_sound(struct kfd_model_process *process, const struct kfd_model_image_range *image)
{
	return image->start && image->start < image->end && !(image->start % PAGE_BYTES) &&
	       !(image->end % PAGE_BYTES) && image->granularity <= KFD_MODEL_SVM_GRANULARITY_MAX &&
	       !kfd_model_svm_check_location(process, image->preferred) &&
	       !kfd_model_svm_check_location(process, image->prefetch);
}

int kfd_model_svm_load(struct kfd_model_process *process,
		       const struct kfd_model_image_range *images, uint32_t count)
{
	struct kfd_model_svm *svm = process->svm;
	struct kfd_model_image_range *copy;

	for (uint32_t i = 0; i < count; i++)
		if (!is_sound(process, &images[i]) || (i && images[i].start < images[i - 1].end))
			return -EINVAL;
	copy = calloc(count + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, images, count * sizeof(*copy));
	pthread_rwlock_wrlock(&process->vm_lock);
	free(svm->restored);
	svm->restored = copy;
	svm->restored_count = count;
	pthread_rwlock_unlock(&process->vm_lock);
	return 0;
}

static int resume_range(struct kfd_model_process *process,
			const struct kfd_model_image_range *image)
{
	struct range *range;
	int rc = kfd_model_svm_pieces(process, image->start, image->end, &range);

	if (rc)
		return rc;
	for (; range && range->start < image->end; range = range->next) {
		range->preferred = image->preferred;
		range->prefetch = image->prefetch;
		range->flags = image->flags;
		range->granularity = image->granularity;
		range->access = image->access;
		range->in_place = image->in_place;
		range->no_access = image->no_access;
	}
	return 0;
}

int kfd_model_svm_resume(struct kfd_model_process *process)
{
	struct kfd_model_svm *svm = process->svm;
	int rc = 0;

	pthread_rwlock_wrlock(&process->vm_lock);
	for (uint32_t i = 0; i < svm->restored_count && !rc; i++) {
		const struct kfd_model_image_range *image = &svm->restored[i];

		rc = kfd_model_range_mapped(image->start, image->end - image->start)
			     ? resume_range(process, image)
			     : -EFAULT;
	}
	if (!rc) {
		free(svm->restored);
		svm->restored = NULL;
		svm->restored_count = 0;
	}
	pthread_rwlock_unlock(&process->vm_lock);
	return rc;
}

void kfd_model_svm_clear(struct kfd_model_process *process)
{
	struct kfd_model_svm *svm = process->svm;

	pthread_rwlock_wrlock(&process->vm_lock);
	kfd_model_svm_drop(svm, 0, UINT64_MAX);
	free(svm->restored);
	svm->restored = NULL;
	svm->restored_count = 0;
	pthread_rwlock_unlock(&process->vm_lock);
}
