/* SPDX-License-Identifier: MIT */
/*
 * Ranges with attributes, kept as a sorted list of disjoint pieces that is split at the borders of
 * each setting. Nothing migrates: the program's pages are the only copy, so a prefetch is only
 * remembered and told to the event stream.
 */
#include "svm.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "smi.h"
#include "svm-internal.h"
#include "usercopy.h"
#include "vm.h"

#define PAGE_BYTES        4096ull
#define CAP_SVM           (1u << 27)
#define GRANULARITY_START 9
#define ALL_FLAGS         0xffu
#define SPAN_UNREGISTERED (2ull << 20)

struct kfd_model_svm *kfd_model_svm_new(void)
{
	return calloc(1, sizeof(struct kfd_model_svm));
}

void kfd_model_svm_free(struct kfd_model_svm *svm)
{
	if (!svm)
		return;
	while (svm->ranges) {
		struct range *range = svm->ranges;

		svm->ranges = range->next;
		free(range);
	}
	free(svm->restored);
	free(svm);
}

static const struct range unregistered = {
	.preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED,
	.prefetch = KFD_IOCTL_SVM_LOCATION_UNDEFINED,
	.flags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT,
	.granularity = GRANULARITY_START,
};

static struct range *range_new(const struct range *like, uint64_t start, uint64_t end)
{
	struct range *range = malloc(sizeof(*range));

	if (!range)
		return NULL;
	*range = *like;
	range->start = start;
	range->end = end;
	return range;
}

/* First range that ends behind addr; *link is where it hangs. */
static struct range *first_behind(struct kfd_model_svm *svm, uint64_t addr, struct range ***link)
{
	struct range **at = &svm->ranges;

	while (*at && (*at)->end <= addr)
		at = &(*at)->next;
	if (link)
		*link = at;
	return *at;
}

/* Makes addr a border between pieces. */
static int split_at(struct kfd_model_svm *svm, uint64_t addr)
{
	struct range *range = first_behind(svm, addr, NULL), *tail;

	if (!range || range->start >= addr)
		return 0;
	tail = range_new(range, addr, range->end);
	if (!tail)
		return -ENOMEM;
	tail->next = range->next;
	range->end = addr;
	range->next = tail;
	svm->count++;
	return 0;
}

/* Fills the holes of [start,end) with unregistered pieces, so that attributes have a place. */
static int fill(struct kfd_model_svm *svm, uint64_t start, uint64_t end)
{
	struct range **link, *range = first_behind(svm, start, &link);

	while (start < end) {
		uint64_t hole_end = range && range->start < end ? range->start : end;

		if (start < hole_end) {
			struct range *piece = range_new(&unregistered, start, hole_end);

			if (!piece)
				return -ENOMEM;
			piece->next = range;
			*link = piece;
			link = &piece->next;
			svm->count++;
		}
		if (!range || range->start >= end)
			return 0;
		start = range->end;
		link = &range->next;
		range = range->next;
	}
	return 0;
}

static int gpu_bit(struct kfd_model_process *process, uint32_t gpu_id, uint64_t *bit)
{
	struct kfd_model_vm *vm = kfd_model_process_vm(process, gpu_id);

	if (!vm)
		return -EINVAL;
	*bit = 1ull << vm->node->gpu_index;
	return 0;
}

int kfd_model_svm_check_location(struct kfd_model_process *process, uint32_t value)
{
	uint64_t bit;

	if (value == KFD_IOCTL_SVM_LOCATION_SYSMEM || value == KFD_IOCTL_SVM_LOCATION_UNDEFINED)
		return 0;
	return gpu_bit(process, value, &bit);
}

static int check_attribute(struct kfd_model_process *process,
			   const struct kfd_ioctl_svm_attribute *attr, bool set)
{
	uint64_t bit;

	switch (attr->type) {
	case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
	case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
		return set ? kfd_model_svm_check_location(process, attr->value) : 0;
	case KFD_IOCTL_SVM_ATTR_ACCESS:
		return gpu_bit(process, attr->value, &bit);
	case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
	case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
		return set ? gpu_bit(process, attr->value, &bit) : -EINVAL;
	case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
	case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
	case KFD_IOCTL_SVM_ATTR_GRANULARITY:
		return 0;
	}
	return -EINVAL;
}

static void set_access(struct range *range, uint32_t type, uint64_t bit)
{
	range->access &= ~bit;
	range->in_place &= ~bit;
	range->no_access &= ~bit;
	if (type == KFD_IOCTL_SVM_ATTR_ACCESS)
		range->access |= bit;
	else if (type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE)
		range->in_place |= bit;
	else
		range->no_access |= bit;
}

static void set_attribute(struct kfd_model_process *process, struct range *range,
			  const struct kfd_ioctl_svm_attribute *attr)
{
	uint64_t bit = 0;

	switch (attr->type) {
	case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
		range->preferred = attr->value;
		break;
	case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
		range->prefetch = attr->value;
		break;
	case KFD_IOCTL_SVM_ATTR_ACCESS:
	case KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE:
	case KFD_IOCTL_SVM_ATTR_NO_ACCESS:
		if (gpu_bit(process, attr->value, &bit) == 0)
			set_access(range, attr->type, bit);
		break;
	case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
		range->flags |= attr->value;
		break;
	case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
		range->flags &= ~attr->value;
		break;
	case KFD_IOCTL_SVM_ATTR_GRANULARITY:
		range->granularity = attr->value > KFD_MODEL_SVM_GRANULARITY_MAX
					     ? KFD_MODEL_SVM_GRANULARITY_MAX
					     : attr->value;
		break;
	}
}

static bool overlaps_buffers(struct kfd_model_process *process, uint64_t start, uint64_t size)
{
	for (uint32_t i = 0; i < process->vm_count; i++)
		if (kfd_model_vm_overlaps(&process->vms[i], start, size))
			return true;
	return false;
}

int kfd_model_svm_pieces(struct kfd_model_process *process, uint64_t start, uint64_t end,
			 struct range **first)
{
	struct kfd_model_svm *svm = process->svm;
	int rc;

	if (overlaps_buffers(process, start, end - start))
		return -EADDRINUSE;
	rc = split_at(svm, start);
	if (!rc)
		rc = split_at(svm, end);
	if (!rc)
		rc = fill(svm, start, end);
	if (!rc)
		*first = first_behind(svm, start, NULL);
	return rc;
}

static int set_locked(struct kfd_model_process *process, const struct kfd_ioctl_svm_args *args)
{
	uint64_t end = args->start_addr + args->size;
	struct range *range;
	int rc = kfd_model_svm_pieces(process, args->start_addr, end, &range);

	if (rc)
		return rc;
	for (; range && range->start < end; range = range->next)
		for (uint32_t i = 0; i < args->nattr; i++)
			set_attribute(process, range, &args->attrs[i]);
	return 0;
}

/* A prefetch is a migration as far as the event stream is concerned. */
static void tell_prefetch(struct kfd_model_process *process, const struct kfd_ioctl_svm_args *args)
{
	for (uint32_t i = 0; i < args->nattr; i++)
		if (args->attrs[i].type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC &&
		    args->attrs[i].value != KFD_IOCTL_SVM_LOCATION_UNDEFINED)
			kfd_model_smi_migration(process, args->start_addr, args->size,
						args->attrs[i].value);
}

static int svm_set(struct kfd_model_process *process, const struct kfd_ioctl_svm_args *args)
{
	int rc;

	for (uint32_t i = 0; i < args->nattr; i++) {
		rc = check_attribute(process, &args->attrs[i], true);
		if (rc)
			return rc;
	}
	if (!kfd_model_range_mapped(args->start_addr, args->size))
		return -EFAULT;
	pthread_rwlock_wrlock(&process->vm_lock);
	rc = set_locked(process, args);
	pthread_rwlock_unlock(&process->vm_lock);
	if (!rc)
		tell_prefetch(process, args);
	return rc;
}

/* What is common to the pieces of a range (kfd.md 6.5, GET merge). */
struct merged {
	bool any;
	uint32_t preferred, prefetch, set_flags, clear_flags, granularity;
	uint64_t access, in_place, reachable;
};

static void merge(struct merged *all, const struct range *range, bool xnack)
{
	/* without an attribute a GPU has access when it can retry faults, else none */
	uint64_t open = xnack ? ~(range->access | range->in_place | range->no_access) : 0;
	uint64_t access = range->access | open;

	if (!all->any) {
		*all = (struct merged){ true,         range->preferred, range->prefetch,
					range->flags, ~range->flags,    range->granularity,
					access,       range->in_place,  access | range->in_place };
		return;
	}
	if (all->preferred != range->preferred)
		all->preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
	if (all->prefetch != range->prefetch)
		all->prefetch = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
	all->set_flags &= range->flags;
	all->clear_flags &= ~range->flags;
	if (range->granularity < all->granularity)
		all->granularity = range->granularity;
	all->in_place |= range->in_place;
	all->reachable &= access | range->in_place;
}

static void answer(struct kfd_model_process *process, const struct merged *all,
		   struct kfd_ioctl_svm_attribute *attr)
{
	uint64_t bit = 0;

	switch (attr->type) {
	case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
		attr->value = all->preferred;
		break;
	case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
		attr->value = all->prefetch;
		break;
	case KFD_IOCTL_SVM_ATTR_ACCESS:
		if (gpu_bit(process, attr->value, &bit))
			break; /* checked before */
		/* the weakest access counts: none, then in place, then full */
		if (!(all->reachable & bit))
			attr->type = KFD_IOCTL_SVM_ATTR_NO_ACCESS;
		else if (all->in_place & bit)
			attr->type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
		break;
	case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
		attr->value = all->set_flags;
		break;
	case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
		attr->value = all->clear_flags & ALL_FLAGS;
		break;
	case KFD_IOCTL_SVM_ATTR_GRANULARITY:
		attr->value = all->granularity;
		break;
	}
}

static int svm_get(struct kfd_model_process *process, struct kfd_ioctl_svm_args *args)
{
	uint64_t at = args->start_addr, end = args->start_addr + args->size;
	struct merged all = { 0 };
	struct range *range;

	for (uint32_t i = 0; i < args->nattr; i++) {
		int rc = check_attribute(process, &args->attrs[i], false);

		if (rc)
			return rc;
	}
	pthread_rwlock_rdlock(&process->vm_lock);
	for (range = first_behind(process->svm, at, NULL); range && range->start < end;
	     range = range->next) {
		if (range->start > at)
			merge(&all, &unregistered, process->xnack_enabled);
		merge(&all, range, process->xnack_enabled);
		at = range->end;
	}
	if (at < end)
		merge(&all, &unregistered, process->xnack_enabled);
	pthread_rwlock_unlock(&process->vm_lock);
	for (uint32_t i = 0; i < args->nattr; i++)
		answer(process, &all, &args->attrs[i]);
	return 0;
}

static bool any_gpu_supports(const struct kfd_model_process *process, bool *any_acquired)
{
	bool supported = false;

	*any_acquired = false;
	for (uint32_t i = 0; i < process->vm_count; i++) {
		supported |= (process->vms[i].node->capability & CAP_SVM) != 0;
		*any_acquired |= process->vms[i].acquired;
	}
	return supported;
}

int kfd_model_svm_ioctl(struct kfd_model_process *process, struct kfd_ioctl_svm_args *args,
			size_t size_bytes)
{
	bool acquired;

	if (process->is_secondary)
		return -EOPNOTSUPP;
	if (!any_gpu_supports(process, &acquired))
		return -EPERM;
	if (!args->start_addr || !args->size || args->start_addr % PAGE_BYTES ||
	    args->size % PAGE_BYTES || args->start_addr + args->size < args->start_addr ||
	    size_bytes < sizeof(*args) || args->nattr > (size_bytes - sizeof(*args)) / 8 ||
	    !acquired)
		return -EINVAL;
	switch (args->op) {
	case KFD_IOCTL_SVM_OP_SET_ATTR:
		return svm_set(process, args);
	case KFD_IOCTL_SVM_OP_GET_ATTR:
		return svm_get(process, args);
	}
	return -EINVAL;
}

/* The generations that can retry a faulting access. */
static bool can_retry(uint32_t gfx_version)
{
	return gfx_version == 90010 || (gfx_version >= 90400 && gfx_version <= 90500);
}

int kfd_model_xnack_ioctl(struct kfd_model_process *process,
			  struct kfd_ioctl_set_xnack_mode_args *args)
{
	if (args->xnack_enabled < 0) {
		args->xnack_enabled = process->xnack_enabled;
		return 0;
	}
	if (process->queue_count)
		return -EBUSY;
	for (uint32_t i = 0; args->xnack_enabled && i < process->vm_count; i++)
		if (!can_retry(process->vms[i].node->gfx_version))
			return -EPERM;
	process->xnack_enabled = args->xnack_enabled;
	args->xnack_enabled = process->xnack_enabled;
	return 0;
}

/* Called with vm_lock. Without memory for a split the pieces stay: too much, never too little. */
void kfd_model_svm_drop(struct kfd_model_svm *svm, uint64_t start, uint64_t end)
{
	struct range **link;

	if (!svm->ranges || split_at(svm, start) || split_at(svm, end))
		return;
	first_behind(svm, start, &link);
	while (*link && (*link)->start < end) {
		struct range *gone = *link;

		*link = gone->next;
		svm->count--;
		free(gone);
	}
}

void kfd_model_svm_unmapped(struct kfd_model_process *process, uint64_t start, uint64_t size_bytes)
{
	uint64_t end = (start + size_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

	pthread_rwlock_wrlock(&process->vm_lock);
	kfd_model_svm_drop(process->svm, start, end);
	pthread_rwlock_unlock(&process->vm_lock);
}

bool kfd_model_svm_gpu_may(struct kfd_model_vm *vm, uint64_t va, bool write, uint64_t *span_bytes)
{
	uint64_t bit = 1ull << vm->node->gpu_index;
	bool retry = vm->process->xnack_enabled;
	struct range *range = first_behind(vm->process->svm, va, NULL);

	if (!range || range->start > va) {
		*span_bytes = SPAN_UNREGISTERED;
		if (range && range->start - va < SPAN_UNREGISTERED)
			*span_bytes = range->start - va;
		return retry;
	}
	*span_bytes = range->end - va;
	if (write && (range->flags & KFD_IOCTL_SVM_FLAG_GPU_RO))
		return false;
	if ((range->access | range->in_place) & bit)
		return true;
	return retry && !(range->no_access & bit);
}

bool kfd_model_svm_always_mapped(struct kfd_model_vm *vm, uint64_t start, uint64_t size_bytes)
{
	uint64_t bit = 1ull << vm->node->gpu_index, end = start + size_bytes;
	struct range *range;

	pthread_rwlock_rdlock(&vm->process->vm_lock);
	range = first_behind(vm->process->svm, start, NULL);
	while (range && range->start <= start && start < end &&
	       (range->flags & KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED) &&
	       ((range->access | range->in_place) & bit)) {
		start = range->end;
		range = range->next;
	}
	pthread_rwlock_unlock(&vm->process->vm_lock);
	return start >= end;
}

/*
 * The driver is told when pages go; the simulation sees no munmap() that the C library makes by
 * itself, in free() for example. So a piece whose page cannot be read, or that nobody may access any
 * more, is one of those when somebody wants to put something else there.
 */
static bool is_stale(const struct range *range, uint64_t start)
{
	return (range->no_access && !(range->access | range->in_place)) ||
	       !kfd_model_range_accessible(start, PAGE_BYTES, false);
}

bool kfd_model_svm_overlaps(struct kfd_model_process *process, uint64_t start, uint64_t size_bytes)
{
	uint64_t end = start + size_bytes, at = start;
	bool overlaps = false;
	struct range *range;

	pthread_rwlock_wrlock(&process->vm_lock);
	while ((range = first_behind(process->svm, at, NULL)) && range->start < end) {
		uint64_t from = range->start > start ? range->start : start;

		at = range->end < end ? range->end : end;
		if (is_stale(range, from))
			kfd_model_svm_drop(process->svm, from, at);
		else
			overlaps = true;
		if (at == end)
			break;
	}
	pthread_rwlock_unlock(&process->vm_lock);
	return overlaps;
}

uint32_t kfd_model_svm_count(struct kfd_model_process *process)
{
	uint32_t count;

	pthread_rwlock_rdlock(&process->vm_lock);
	count = process->svm->count;
	pthread_rwlock_unlock(&process->vm_lock);
	return count;
}
