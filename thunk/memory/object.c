/* SPDX-License-Identifier: MIT */
/* Objects: their life, their place in an aperture's indexes, and finding them (memory.md 4). */
#include "memory/fmm_internal.h"

#include <stdlib.h>

#include "origin.h"

struct fmm_object *fmm_object_new(struct kmt_fmm *fmm, bool user)
{
	struct fmm_object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	atomic_init(&object->refs, 1);
	pthread_mutex_init(&object->lock, NULL);
	object->handles = &object->handle;
	object->map_fd = -1;
	object->origin = kmt_origin();
	object->pool = &fmm->nodes;
	object->va_node = node_pool_get(object->pool);
	object->user_node = user ? node_pool_get(object->pool) : NULL;
	if (object->va_node && (object->user_node || !user))
		return object;
	fmm_object_put(object);
	return NULL;
}

void fmm_object_put(struct fmm_object *object)
{
	if (!object || atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_destroy(&object->lock);
	node_pool_put(object->pool, object->va_node);
	node_pool_put(object->pool, object->user_node);
	if (object->handles != &object->handle)
		free(object->handles);
	free(object->metadata);
	free(object);
}

/* With size 0 the address alone must be unique. */
static struct range_node *find_key(const struct range_tree *tree, uint64_t start,
				   uint64_t size_bytes)
{
	struct range_node *node = range_tree_lower_bound(tree, start, size_bytes), *next;

	if (!node || node->start != start)
		return NULL;
	if (size_bytes)
		return node->size_bytes == size_bytes ? node : NULL;
	next = range_tree_next(node);
	return next && next->start == start ? NULL : node;
}

/* The caller holds the aperture's lock. */
static void insert(struct fmm_aperture *aperture, struct fmm_object *object)
{
	range_tree_insert(&aperture->objects, object->va_node);
	if (object->user_ptr)
		range_tree_insert(&aperture->users, object->user_node);
}

static void place(struct fmm_aperture *aperture, struct fmm_object *object, void *address,
		  uint64_t size_bytes)
{
	object->aperture = aperture;
	object->va.start = (uintptr_t)address;
	object->va.size_bytes = size_bytes;
	object->va_node->owner = object;
	object->va_node->start = object->va.start;
	object->va_node->size_bytes = size_bytes;
	if (!object->user_ptr)
		return;
	object->user_node->owner = object;
	object->user_node->start = (uintptr_t)object->user_ptr;
	object->user_node->size_bytes = object->user_size_bytes;
}

void fmm_object_insert(struct fmm_aperture *aperture, struct fmm_object *object, void *address,
		       uint64_t size_bytes)
{
	place(aperture, object, address, size_bytes);
	pthread_mutex_lock(&aperture->lock);
	insert(aperture, object);
	pthread_mutex_unlock(&aperture->lock);
}

bool fmm_object_insert_user(struct fmm_aperture *aperture, struct fmm_object *object, void *address,
			    uint64_t size_bytes)
{
	bool is_new;

	place(aperture, object, address, size_bytes);
	pthread_mutex_lock(&aperture->lock);
	is_new = !find_key(&aperture->users, (uintptr_t)object->user_ptr, object->user_size_bytes);
	if (is_new)
		insert(aperture, object);
	pthread_mutex_unlock(&aperture->lock);
	return is_new;
}

void fmm_object_remove(struct fmm_object *object)
{
	struct fmm_aperture *aperture = object->aperture;

	pthread_mutex_lock(&aperture->lock);
	range_tree_remove(&aperture->objects, object->va_node);
	if (object->user_ptr)
		range_tree_remove(&aperture->users, object->user_node);
	object->dead = true;
	pthread_mutex_unlock(&aperture->lock);
	fmm_object_put(object);
}

static struct fmm_object *find_user(const struct fmm_aperture *aperture, uint64_t address,
				    uint64_t size_bytes, enum fmm_match match)
{
	struct range_node *node = match == FMM_INSIDE
					  ? range_tree_find(&aperture->users, address)
					  : find_key(&aperture->users, address, size_bytes);

	return node ? node->owner : NULL;
}

/* A registered buffer found by its GPU address must be meant by it: same page offset, same size. */
static bool user_object_counts(const struct fmm_object *object, uint64_t address,
			       uint64_t size_bytes)
{
	uint64_t mask = kmt_process()->page_size_bytes - 1;

	return ((uintptr_t)object->user_ptr & mask) == (address & mask) &&
	       (size_bytes == 0 || size_bytes == object->user_size_bytes);
}

static struct fmm_object *find_va(const struct fmm_aperture *aperture, uint64_t address,
				  uint64_t size_bytes, enum fmm_match match)
{
	uint64_t page_mask = ~(uint64_t)(kmt_process()->page_size_bytes - 1);
	struct range_node *node = match == FMM_INSIDE
					  ? range_tree_find_disjoint(&aperture->objects, address)
					  : find_key(&aperture->objects, address & page_mask, 0);
	struct fmm_object *object = node ? node->owner : NULL;

	if (match == FMM_EXACT && object && object->user_ptr &&
	    !user_object_counts(object, address, size_bytes))
		object = NULL;
	return object;
}

/* Where to look first: an aperture, and whether only its user pointers count. */
static struct fmm_aperture *first_aperture(struct kmt_context *ctx, uint64_t address,
					   bool *users_only)
{
	struct kmt_fmm *fmm = ctx->fmm;
	struct fmm_view *view = fmm_view(ctx);

	*users_only = false;
	if (!view)
		return NULL;
	for (uint32_t i = 0; view->any_gpuvm && i < view->gpu_count; i++)
		if (fmm_aperture_holds(&view->gpus[i].gpuvm, address))
			return &view->gpus[i].gpuvm;
	if (fmm_aperture_holds(&fmm->handles, address))
		return &fmm->handles;
	if (!atomic_load_explicit(&fmm->has_svm, memory_order_acquire))
		return NULL;
	if (fmm_aperture_holds(&fmm->svm, address))
		return &fmm->svm;
	if (fmm_aperture_holds(fmm_svm_alt(fmm), address))
		return fmm_svm_alt(fmm);
	*users_only = true;
	return &fmm->svm;
}

struct fmm_object *fmm_find_locked(struct kmt_context *ctx, const void *address,
				   uint64_t size_bytes, enum fmm_match match)
{
	uint64_t va = (uintptr_t)address;
	struct fmm_object *object = NULL;
	struct fmm_aperture *aperture;
	bool users_only;

	if (!ctx->fmm)
		return NULL;
	aperture = first_aperture(ctx, va, &users_only);
	if (aperture) {
		pthread_mutex_lock(&aperture->lock);
		if (users_only || aperture->va == &fmm_va_mmap)
			object = find_user(aperture, va, size_bytes, match);
		if (!object && !users_only)
			object = find_va(aperture, va, size_bytes, match);
		if (object)
			return object;
		pthread_mutex_unlock(&aperture->lock);
	}
	/* a part of what the range holds may have been registered for itself */
	if (aperture && !users_only && aperture->va != &fmm_va_mmap &&
	    atomic_load_explicit(&ctx->fmm->has_svm, memory_order_acquire)) {
		aperture = &ctx->fmm->svm;
		pthread_mutex_lock(&aperture->lock);
		object = find_user(aperture, va, size_bytes, match);
		if (object)
			return object;
		pthread_mutex_unlock(&aperture->lock);
	}
	if (fmm_is_dgpu(ctx))
		return NULL;
	aperture = &ctx->fmm->cpuvm;
	pthread_mutex_lock(&aperture->lock);
	object = find_va(aperture, va, 0, match);
	if (!object)
		pthread_mutex_unlock(&aperture->lock);
	return object;
}

/* From an aperture's lock to the object's own; NULL when it died on the way. */
static struct fmm_object *lock_object(struct fmm_object *object)
{
	if (!object)
		return NULL;
	atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&object->aperture->lock);
	pthread_mutex_lock(&object->lock);
	if (!object->dead)
		return object;
	fmm_unlock(object);
	return NULL;
}

struct fmm_object *fmm_find(struct kmt_context *ctx, const void *address, uint64_t size_bytes,
			    enum fmm_match match)
{
	return lock_object(fmm_find_locked(ctx, address, size_bytes, match));
}

void fmm_unlock(struct fmm_object *object)
{
	pthread_mutex_unlock(&object->lock);
	fmm_object_put(object);
}

/* From a look-up in a locked aperture to the locked object, or to nothing locked. */
static struct fmm_object *lock_found(struct fmm_aperture *aperture, struct range_node *node)
{
	if (!node)
		pthread_mutex_unlock(&aperture->lock);
	return node ? lock_object(node->owner) : NULL;
}

struct fmm_object *fmm_find_start(struct fmm_aperture *aperture, uint64_t start)
{
	pthread_mutex_lock(&aperture->lock);
	return lock_found(aperture, find_key(&aperture->objects, start, 0));
}

struct fmm_object *fmm_find_holder(struct fmm_aperture *aperture, uint64_t address)
{
	pthread_mutex_lock(&aperture->lock);
	return lock_found(aperture, range_tree_find(&aperture->objects, address));
}

struct fmm_object *fmm_find_after(struct fmm_aperture *aperture, uint64_t address)
{
	pthread_mutex_lock(&aperture->lock);
	return lock_found(aperture, range_tree_first_ending_after(&aperture->objects, address));
}
