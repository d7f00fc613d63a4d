/* SPDX-License-Identifier: MIT */
/* Tables of blocks, BOs, sites and owners, and the beginning and end of each (memory.h). */
#include "memory-internal.h"

#include <string.h>

#include "model-internal.h"
#include "model.h"

guint site_hash(gconstpointer data)
{
	const struct site *site = data;

	return stack_hash_by_id(site->stack) * 31u + (site->type ? site->type->index * 7u : 0) +
	       site->node_id + (guint)site->kind * 101u + (guint)site->class * 1009u;
}

gboolean site_equal(gconstpointer left, gconstpointer right)
{
	const struct site *a = left, *b = right;

	return a->stack == b->stack && a->type == b->type && a->ioctl == b->ioctl &&
	       a->class == b->class && a->origin == b->origin && a->kind == b->kind &&
	       a->node_id == b->node_id && a->gpu_id == b->gpu_id;
}

/* The same order in each run, for tables of blocks that are gone through. */
static guint block_hash_by_id(gconstpointer data)
{
	return (guint)((const struct block *)data)->id;
}

static guint block_hash(gconstpointer data)
{
	const struct block *block = data;

	return (guint)(block->address >> 12) * 2654435761u ^ block->ctx;
}

static gboolean block_equal(gconstpointer left, gconstpointer right)
{
	const struct block *a = left, *b = right;

	return a->address == b->address && a->ctx == b->ctx;
}

static guint owner_hash(gconstpointer data)
{
	const struct owner *owner = data;

	return (guint)(owner->id ^ (owner->id >> 32)) * 31u + (guint)owner->origin;
}

static gboolean owner_equal(gconstpointer left, gconstpointer right)
{
	const struct owner *a = left, *b = right;

	return a->id == b->id && a->origin == b->origin;
}

struct block *block_get(struct block *block)
{
	if (block)
		block->refs++;
	return block;
}

void block_put(struct block *block)
{
	if (!block || --block->refs > 0)
		return;
	g_free(block->refusal.mapped_gpus);
	g_free(block);
}

struct bo *bo_get(struct bo *bo)
{
	if (bo)
		bo->refs++;
	return bo;
}

void bo_put(struct bo *bo)
{
	if (!bo || --bo->refs > 0)
		return;
	g_free(bo->mapped);
	g_free(bo);
}

static void owner_destroy(void *data)
{
	struct owner *owner = data;

	g_hash_table_destroy(owner->blocks);
	g_free(owner);
}

struct memory *memory_new(struct process *process)
{
	struct memory *memory = g_new0(struct memory, 1);

	memory->process = process;
	memory->sites = g_hash_table_new(site_hash, site_equal);
	memory->indexed = g_hash_table_new(block_hash, block_equal);
	memory->bos = g_hash_table_new(g_int64_hash, g_int64_equal);
	memory->shares = g_ptr_array_new_with_free_func(g_free);
	memory->unnamed = g_ptr_array_new();
	memory->unclear = g_array_new(FALSE, FALSE, sizeof(struct unclear_free));
	memory->owners = g_hash_table_new_full(owner_hash, owner_equal, owner_destroy, NULL);
	return memory;
}

void memory_free(struct memory *memory)
{
	if (!memory)
		return;
	g_hash_table_destroy(memory->owners);
	g_hash_table_destroy(memory->indexed);
	g_hash_table_destroy(memory->bos);
	/* The links are a part of what is put. */
	while (memory->blocks.head)
		block_put(g_queue_pop_head_link(&memory->blocks)->data);
	while (memory->all_bos.head)
		bo_put(g_queue_pop_head_link(&memory->all_bos)->data);
	g_hash_table_destroy(memory->sites);
	pool_fini(&memory->site_pool);
	g_ptr_array_free(memory->shares, TRUE);
	g_ptr_array_free(memory->unnamed, TRUE);
	g_array_free(memory->unclear, TRUE);
	if (memory->checkpoint)
		g_array_free(memory->checkpoint, TRUE);
	g_free(memory);
}

static struct site *site_intern(struct memory *memory, const struct site *key)
{
	struct site *site = g_hash_table_lookup(memory->sites, key);

	if (site)
		return site;
	site = pool_take(&memory->site_pool, sizeof(*site));
	site->index = g_hash_table_size(memory->sites);
	site->process = memory->process;
	site->stack = key->stack;
	site->type = key->type;
	site->ioctl = key->ioctl;
	site->class = key->class;
	site->origin = key->origin;
	site->kind = key->kind;
	site->node_id = key->node_id;
	site->gpu_id = key->gpu_id;
	g_hash_table_add(memory->sites, site);
	return site;
}

/* The totals that a block counts into; the last slot of node_usage takes the nodes beyond. */
static struct usage *class_usage(struct memory *memory, const struct site *site)
{
	if (site->class == BLOCK_INTERNAL)
		return &memory->internal;
	if (site->class == BLOCK_REGISTRATION)
		return &memory->registered;
	if (site_is_reserved(site))
		return &memory->reserved;
	return &memory->usage;
}

static struct usage *node_usage(struct memory *memory, const struct site *site)
{
	return &memory->node_usage[MIN(site->node_id, G_N_ELEMENTS(memory->node_usage) - 1)];
}

static const struct scope *scope_of(const struct memory *memory)
{
	return model_scope(memory->process->model);
}

static void usages_add(struct block *block)
{
	struct site *site = block->site;
	struct memory *memory = block->memory;
	const struct scope *scope = scope_of(memory);
	uint64_t bytes = block->size_bytes;
	int64_t time_ns = block->begin_ns;

	usage_add(&site->usage, scope, bytes, time_ns);
	usage_add(class_usage(memory, site), scope, bytes, time_ns);
	if (site_is_memory(site))
		usage_add(node_usage(memory, site), scope, bytes, time_ns);
	if (site->class == BLOCK_INTERNAL)
		usage_add(&memory->origin_usage[site->origin], scope, bytes, time_ns);
}

static void usages_sub(struct block *block, int64_t time_ns)
{
	struct site *site = block->site;
	struct memory *memory = block->memory;
	const struct scope *scope = scope_of(memory);
	uint64_t bytes = block->size_bytes;

	usage_sub(&site->usage, scope, bytes, time_ns);
	usage_sub(class_usage(memory, site), scope, bytes, time_ns);
	if (site_is_memory(site))
		usage_sub(node_usage(memory, site), scope, bytes, time_ns);
	if (site->class == BLOCK_INTERNAL)
		usage_sub(&memory->origin_usage[site->origin], scope, bytes, time_ns);
}

static void count_taken(struct block *block)
{
	struct memory *memory = block->memory;
	struct site *site = block->site;

	if (!scope_counts(scope_of(memory), block->begin_ns))
		return;
	site->taken_count++;
	site->taken_bytes += block->size_bytes;
	if (site->class == BLOCK_INTERNAL) {
		memory->origin_bytes[site->origin] += block->size_bytes;
		memory->origin_count[site->origin]++;
	}
}

static void count_ended(struct block *block, int64_t time_ns)
{
	struct memory *memory = block->memory;
	struct site *site = block->site;

	if (!scope_counts(scope_of(memory), time_ns))
		return;
	site->ended_count++;
	site->lifetime_sum_ns += (uint64_t)MAX(time_ns - block->begin_ns, 0);
	if (site_is_memory(site)) {
		memory->freed_count++;
		memory->freed_bytes += block->size_bytes;
	}
}

static void unindex(struct block *block)
{
	if (!block->indexed)
		return;
	g_hash_table_remove(block->memory->indexed, block);
	block->indexed = false;
}

/* The address is given out again: what was there has ended, seen or not. */
static void take_over(struct memory *memory, const struct block_plan *plan)
{
	struct block *old = memory_find(memory, plan->ctx, plan->address);

	if (!old)
		return;
	unindex(old);
	if (old->free_pending)
		return; /* its free has only not reported back yet; that call still holds it */
	old->fate = FATE_REPLACED;
	memory->replaced++;
	block_end(old, plan->begin_ns, NULL);
}

struct block *block_begin(struct memory *memory, const struct block_plan *plan)
{
	struct site *site = site_intern(memory, &plan->site);
	struct block *block;

	if (plan->indexed)
		take_over(memory, plan);
	block = g_new0(struct block, 1);
	block->id = ++memory->ids;
	block->site = site;
	block->memory = memory;
	block->ctx = plan->ctx;
	block->address = plan->address;
	block->size_bytes = plan->size_bytes;
	block->begin_ns = block->confirmed_ns = plan->begin_ns;
	block->served = plan->served;
	block->made = plan->made;
	block->refs = 1;
	block->link.data = block;
	g_queue_push_tail_link(&memory->blocks, &block->link);
	if (plan->indexed) {
		block->indexed = true;
		g_hash_table_add(memory->indexed, block);
	}
	if (site->begun_count++ == 0)
		site->first_ns = plan->begin_ns;
	site->last_ns = plan->begin_ns;
	site->newest = MAX(site->newest, plan->made ? plan->made : MADE_NOW + block->id);
	count_taken(block);
	usages_add(block);
	model_notify_block(memory->process->model, block, plan->begin_ns, true);
	return block;
}

/* What every end has in common; the block's BOs are no longer its own. */
static void block_remove(struct block *block)
{
	struct memory *memory = block->memory;

	unindex(block);
	if (block->owner)
		g_hash_table_remove(block->owner->blocks, block);
	while (block->bos.head)
		((struct bo *)g_queue_pop_head_link(&block->bos)->data)->block = NULL;
	block->ended = true;
	g_queue_unlink(&memory->blocks, &block->link);
	block_put(block);
}

static void keep_bos(struct block *block, int64_t time_ns)
{
	while (block->bos.head) {
		struct bo *bo = block->bos.head->data;
		struct block_plan plan = { .site = *block->site,
					   .address = bo->address,
					   .size_bytes = bo->size_bytes,
					   .begin_ns = time_ns,
					   .served = block->served };

		plan.site.class = BLOCK_KEPT;
		block_take_bo(block_begin(block->memory, &plan), bo);
	}
}

void block_end(struct block *block, int64_t time_ns, const struct stack *free_stack)
{
	struct memory *memory = block->memory;

	if (block->share) {
		block->share->freed_ns = time_ns;
		block->share->free_stack = free_stack;
	}
	block->end_ns = time_ns;
	block->free_stack = free_stack;
	if (block->fate != FATE_REPLACED)
		block->fate = FATE_FREED;
	count_ended(block, time_ns);
	usages_sub(block, time_ns);
	model_notify_block(memory->process->model, block, time_ns, false);
	keep_bos(block, time_ns);
	block_remove(block);
}

void block_leave(struct block *block, int64_t time_ns)
{
	unindex(block); /* its address may be given to the next one */
	block->fate = FATE_AT_CLOSE;
	block->end_ns = time_ns;
}

void block_give_up(struct block *block, int64_t time_ns)
{
	usages_sub(block, time_ns);
	model_notify_block(block->memory->process->model, block, time_ns, false);
	block_leave(block, time_ns);
}

void block_forget(struct block *block)
{
	struct site *site = block->site;

	site->begun_count--;
	if (scope_counts(scope_of(block->memory), block->begin_ns)) {
		site->taken_count--;
		site->taken_bytes -= block->size_bytes;
	}
	usages_sub(block, block->begin_ns);
	model_notify_block(block->memory->process->model, block, block->begin_ns, false);
	block_remove(block);
}

struct block *memory_find(const struct memory *memory, uint32_t ctx, uint64_t address)
{
	const struct block key = { .ctx = ctx, .address = address };

	return g_hash_table_lookup(memory->indexed, &key);
}

const struct block *memory_block_at(const struct memory *memory, uint32_t ctx, uint64_t address)
{
	return memory_find(memory, ctx, address);
}

void block_take_bo(struct block *block, struct bo *bo)
{
	if (bo->block == block)
		return;
	if (bo->block)
		g_queue_unlink(&bo->block->bos, &bo->link);
	bo->block = block;
	g_queue_push_tail_link(&block->bos, &bo->link);
}

void block_refuse(struct block *block, uint32_t status, uint32_t os_errno, int64_t time_ns,
		  const struct stack *stack)
{
	struct refusal *refusal = &block->refusal;
	const struct bo *most = NULL;

	for (const GList *at = block->bos.head; at; at = at->next) {
		const struct bo *bo = at->data;

		if (!most || bo->mapped_count > most->mapped_count)
			most = bo;
	}
	refusal->count++;
	refusal->status = status;
	refusal->os_errno = os_errno;
	refusal->time_ns = time_ns;
	refusal->stack = stack;
	g_free(refusal->mapped_gpus);
	refusal->mapped_count = most ? most->mapped_count : 0;
	refusal->mapped_gpus =
		most ? g_memdup2(most->mapped, most->mapped_count * sizeof(most->mapped[0])) : NULL;
	block->confirmed_ns = time_ns;
}

struct bo *bo_find(const struct memory *memory, uint64_t handle)
{
	return g_hash_table_lookup(memory->bos, &handle);
}

static void bo_unindex(struct memory *memory, struct bo *bo)
{
	if (!bo->indexed)
		return;
	g_hash_table_remove(memory->bos, &bo->handle);
	bo->indexed = false;
}

struct bo *bo_new_unnamed(struct memory *memory, int64_t begin_ns)
{
	struct bo *bo = g_new0(struct bo, 1);

	bo->refs = 1;
	bo->begin_ns = begin_ns;
	bo->link.data = bo->all_link.data = bo;
	g_queue_push_tail_link(&memory->all_bos, &bo->all_link);
	return bo;
}

void bo_set_handle(struct memory *memory, struct bo *bo, uint64_t handle)
{
	bo->handle = handle;
	bo->indexed = true;
	g_hash_table_insert(memory->bos, &bo->handle, bo);
}

struct bo *bo_new(struct memory *memory, uint64_t handle, int64_t begin_ns)
{
	struct bo *old = bo_find(memory, handle);
	struct bo *bo;

	if (old) {
		bo_unindex(memory, old);
		if (!old->free_pending)
			bo_free(memory, old); /* its free is lost: handles are reused */
	}
	bo = bo_new_unnamed(memory, begin_ns);
	bo_set_handle(memory, bo, handle);
	return bo;
}

void bo_free(struct memory *memory, struct bo *bo)
{
	bo_unindex(memory, bo);
	if (bo->block)
		g_queue_unlink(&bo->block->bos, &bo->link);
	bo->block = NULL;
	bo->ended = true;
	g_queue_unlink(&memory->all_bos, &bo->all_link);
	bo_put(bo);
}

void bo_add_mapping(struct bo *bo, uint64_t gpu_id)
{
	bo->mapped = g_renew(uint64_t, bo->mapped, bo->mapped_count + 1);
	bo->mapped[bo->mapped_count++] = gpu_id;
}

void memory_adopt_bos(struct memory *memory, struct call *call, enum block_class class,
		      enum block_origin origin, struct owner *owner, int64_t time_ns)
{
	static const struct values nothing;

	for (guint i = 0; call->bos && i < call->bos->len; i++) {
		struct bo *bo = g_ptr_array_index(call->bos, i);
		struct block_plan plan = {
			.site = { .stack = bo->stack,
				  .type = call->type,
				  .ioctl = bo->type,
				  .class = class,
				  .origin = origin },
			.address = bo->address,
			.size_bytes = bo->size_bytes,
			.begin_ns = time_ns,
			.served = call->served,
		};
		struct block *block;
		bool is_shared;

		if (bo->block || bo->ended)
			continue; /* a state dump that came in between has it; or it is gone again */
		plan_place(&plan, memory, &nothing, bo);
		/* The first queue brings the doorbells, but they are there for all of them. */
		is_shared = plan.site.kind == MEMORY_DOORBELL;
		if (is_shared)
			plan.site.origin = ORIGIN_OTHER;
		block = block_begin(memory, &plan);
		/* Its call may have been given up: then only the ioctl tells that it was there. */
		if (class == BLOCK_BO)
			block->confirmed_ns = bo->begin_ns;
		block_take_bo(block, bo);
		if (is_shared)
			continue;
		block->owner = owner;
		if (owner)
			g_hash_table_add(owner->blocks, block);
	}
	if (call->bos)
		g_ptr_array_set_size(call->bos, 0);
}

struct owner *owner_find(const struct memory *memory, enum block_origin origin, uint64_t id)
{
	const struct owner key = { .origin = origin, .id = id };

	return g_hash_table_lookup(memory->owners, &key);
}

struct owner *owner_begin(struct memory *memory, enum block_origin origin, uint64_t id,
			  const struct call *call, int64_t time_ns)
{
	struct owner *owner = owner_find(memory, origin, id);

	if (owner)
		owner_end(memory, owner, time_ns); /* the id is in use again: its end is lost */
	owner = g_new0(struct owner, 1);
	owner->origin = origin;
	owner->id = id;
	owner->begin_ns = time_ns;
	owner->blocks = g_hash_table_new(block_hash_by_id, NULL);
	owner->node_id = UINT32_MAX;
	if (call) {
		owner->stack = call->stack;
		owner->node_id = (uint32_t)values_get(&call->values, FIELD_NODE, UINT32_MAX);
	}
	g_hash_table_add(memory->owners, owner);
	return owner;
}

void owner_end(struct memory *memory, struct owner *owner, int64_t time_ns)
{
	GList *left = g_hash_table_get_keys(owner->blocks);

	for (GList *item = left; item; item = item->next)
		block_end(item->data, time_ns, NULL); /* its BOs, if any, are then kept */
	g_list_free(left);
	g_hash_table_remove(memory->owners, owner);
}
