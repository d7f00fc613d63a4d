/* SPDX-License-Identifier: MIT */
/*
 * What API calls and ioctls do to blocks and BOs (memory.h). Inputs are in the remembered entry,
 * results in the exit record; only success changes a lifetime.
 */
#include "guests.h"
#include "memory-internal.h"
#include "model-internal.h"
#include "model.h"

static uint32_t call_ctx(const struct call *call)
{
	return (uint32_t)values_get(&call->values, FIELD_CTX, 0);
}

/* HSAKMT_STATUS of an exit; a record without one counts as an error. */
static uint32_t exit_status(const struct record *exit)
{
	return (uint32_t)values_get(&exit->values, FIELD_STATUS, 1);
}

static void drop_bo(void *data)
{
	bo_put(data);
}

void memory_call_entry(struct memory *memory, struct call *call)
{
	uint64_t address = values_get(&call->values, FIELD_ADDRESS, 0);

	switch (call->type->op) {
	case OP_FREE:
	case OP_DEREGISTER:
		call->target = block_get(memory_find(memory, call_ctx(call), address));
		if (call->target &&
		    (call->type->op == OP_FREE || call->target->site->class == BLOCK_IMPORT))
			call->target->free_pending = true;
		break;
	case OP_BO_FREE:
		call->bo_target =
			bo_get(bo_find(memory, values_get(&call->values, FIELD_HANDLE, 0)));
		if (call->bo_target)
			call->bo_target->free_pending = true;
		break;
	default:
		break;
	}
}

static void api_alloc(struct memory *memory, struct call *call, const struct record *exit)
{
	struct bo *first = call->bos && call->bos->len ? g_ptr_array_index(call->bos, 0) : NULL;
	struct block_plan plan = {
		.site = { .stack = call->stack,
			  .type = call->type,
			  .class = BLOCK_ALLOCATION,
			  .ioctl = first ? first->type : NULL },
		.ctx = call_ctx(call),
		.address = values_get(&exit->values, FIELD_ADDRESS, 0),
		.size_bytes = values_get(&call->values, FIELD_SIZE, 0),
		.begin_ns = exit->time_ns,
		.served = call->served,
		.indexed = true,
	};
	struct block *dumped = memory_find(memory, plan.ctx, plan.address);
	struct block *block;

	if (dumped && dumped->from_dump && dumped->begin_ns >= call->entry_ns)
		block_forget(dumped); /* listed between the allocation and this exit */
	plan_place(&plan, memory, &call->values, first);
	block = block_begin(memory, &plan);
	for (guint i = 0; call->bos && i < call->bos->len; i++) {
		struct bo *bo = g_ptr_array_index(call->bos, i);

		if (!bo->ended)
			block_take_bo(block, bo);
	}
	if (call->bos)
		g_ptr_array_set_size(call->bos, 0);
}

/* A state dump listed it after this free had begun and before it took place. */
static struct block *dumped_meanwhile(const struct memory *memory, const struct call *call)
{
	struct block *block =
		memory_find(memory, call_ctx(call), values_get(&call->values, FIELD_ADDRESS, 0));

	return block && block->from_dump && block->begin_ns >= call->entry_ns ? block : NULL;
}

static bool counts(const struct memory *memory, const struct record *exit)
{
	return scope_counts(model_scope(memory->process->model), exit->time_ns);
}

static void api_free(struct memory *memory, struct call *call, const struct record *exit)
{
	struct block *block = call->target;
	uint32_t status = exit_status(exit);

	if (block)
		block->free_pending = false;
	else
		block = dumped_meanwhile(memory, call);
	/* A host that gives up what a guest has left, or leaves by closing: it was not freed. */
	if (status == 0 && block && guests_is_gone(call->thread)) {
		if (!block->ended && block->fate == FATE_LIVE)
			block_give_up(block, exit->time_ns);
		return;
	}
	if (status != 0) {
		memory->failed_frees += counts(memory, exit);
		if (block && !block->ended)
			block_refuse(
				block, status,
				(uint32_t)values_get(&exit->values, FIELD_ERRNO, call->inner_errno),
				exit->time_ns, call->stack);
	} else if (!block) {
		memory->unknown_frees += counts(memory, exit);
	} else if (!block->ended) {
		block_end(block, exit->time_ns, call->stack);
	}
}

static void api_register(struct memory *memory, struct call *call, const struct record *exit)
{
	uint64_t address = values_get(&call->values, FIELD_ADDRESS, 0);
	struct block *block = memory_find(memory, call_ctx(call), address);
	struct bo *first = call->bos && call->bos->len ? g_ptr_array_index(call->bos, 0) : NULL;
	struct block_plan plan = {
		.site = { .stack = call->stack,
			  .type = call->type,
			  .class = BLOCK_REGISTRATION,
			  .ioctl = first ? first->type : NULL },
		.ctx = call_ctx(call),
		.address = address,
		.size_bytes = values_get(&call->values, FIELD_SIZE, 0),
		.begin_ns = exit->time_ns,
		.served = call->served,
		.indexed = true,
	};

	if (!block) {
		plan_place(&plan, memory, &call->values, first);
		plan.site.kind = MEMORY_REGISTERED;
		block = block_begin(memory, &plan);
	}
	block->registered++;
	for (guint i = 0; call->bos && i < call->bos->len; i++) {
		struct bo *bo = g_ptr_array_index(call->bos, i);

		if (!bo->ended)
			block_take_bo(block, bo);
	}
	if (call->bos)
		g_ptr_array_set_size(call->bos, 0);
}

static void api_deregister(struct call *call, const struct record *exit)
{
	struct block *block = call->target;

	if (block)
		block->free_pending = false;
	if (!block || block->ended || exit_status(exit) != 0)
		return;
	block->deregistered++;
	switch (block->site->class) {
	case BLOCK_REGISTRATION:
		if (block->deregistered >= block->registered)
			block_end(block, exit->time_ns, call->stack);
		break;
	case BLOCK_IMPORT:
		block_end(block, exit->time_ns, call->stack);
		break;
	case BLOCK_ALLOCATION:
	case BLOCK_INTERNAL:
	case BLOCK_KEPT:
	case BLOCK_BO:
	case BLOCK_CLASS_COUNT:
		break; /* only forgets which nodes it was registered to */
	}
}

static void share_key(uint32_t key[4], const struct values *values)
{
	for (int i = 0; i < 4; i++)
		key[i] = (uint32_t)values_get(values, (enum field)(FIELD_SHARE_0 + i), 0);
}

static void api_share(struct memory *memory, struct call *call, const struct record *exit)
{
	struct block *block =
		memory_find(memory, call_ctx(call), values_get(&call->values, FIELD_ADDRESS, 0));
	struct share *share;

	if (!block)
		return;
	share = g_new0(struct share, 1);
	share_key(share->key, &exit->values);
	share->process = memory->process;
	share->site = block->site;
	share->stack = call->stack;
	share->size_bytes = block->size_bytes;
	share->time_ns = exit->time_ns;
	share->is_dmabuf = call->type->op == OP_EXPORT;
	g_ptr_array_add(memory->shares, share);
	block->share = share;
}

static void api_import(struct memory *memory, struct call *call, const struct record *exit)
{
	struct bo *first = call->bos && call->bos->len ? g_ptr_array_index(call->bos, 0) : NULL;
	struct block_plan plan = {
		.site = { .stack = call->stack,
			  .type = call->type,
			  .class = BLOCK_IMPORT,
			  .ioctl = first ? first->type : NULL },
		.ctx = call_ctx(call),
		.address = values_get(&exit->values, FIELD_ADDRESS, 0),
		.size_bytes = values_get(&exit->values, FIELD_SIZE, 0),
		.begin_ns = exit->time_ns,
		.served = call->served,
		.indexed = true,
	};
	uint32_t key[4];
	struct block *block;

	plan_place(&plan, memory, &exit->values, first);
	plan.site.kind = MEMORY_IMPORTED;
	block = block_begin(memory, &plan);
	if (first && !first->ended)
		block_take_bo(block, first);
	share_key(key, &call->values);
	block->imported = model_find_share(memory->process->model, memory->process->hostname, key);
	if (block->imported)
		block->imported->importers++;
	if (call->bos)
		g_ptr_array_set_size(call->bos, 0);
}

static void api_queue_create(struct memory *memory, struct call *call, const struct record *exit)
{
	struct owner *owner =
		owner_begin(memory, ORIGIN_QUEUE, values_get(&exit->values, FIELD_QUEUE, 0), call,
			    exit->time_ns);

	owner->type = (uint32_t)values_get(&call->values, FIELD_QUEUE_TYPE, 0);
	owner->size_bytes = values_get(&call->values, FIELD_SIZE, 0);
	memory->queues_created++;
	memory_adopt_bos(memory, call, BLOCK_INTERNAL, ORIGIN_QUEUE, owner, exit->time_ns);
}

/* One that was made after the destroying call had begun has got the number that this gave back. */
static struct owner *destroyed_owner(const struct memory *memory, enum block_origin origin,
				     enum field field, const struct call *call)
{
	struct owner *owner = owner_find(memory, origin, values_get(&call->values, field, 0));

	return owner && (owner->from_dump || owner->begin_ns <= call->entry_ns) ? owner : NULL;
}

static void api_queue_destroy(struct memory *memory, struct call *call, const struct record *exit)
{
	struct owner *owner = destroyed_owner(memory, ORIGIN_QUEUE, FIELD_QUEUE, call);

	memory->queues_destroyed++;
	if (owner)
		owner_end(memory, owner, exit->time_ns);
}

static void api_event_destroy(struct memory *memory, struct call *call, const struct record *exit)
{
	struct owner *owner = destroyed_owner(memory, ORIGIN_EVENT, FIELD_EVENT, call);

	memory->events_destroyed++;
	if (owner)
		owner_end(memory, owner, exit->time_ns);
}

/* Scratch pieces are made when a part of the backing range is mapped (memory.md 20). */
static void api_map(struct memory *memory, struct call *call, const struct record *exit)
{
	uint64_t address = values_get(&call->values, FIELD_ADDRESS, 0);
	GHashTableIter iter;
	void *key;

	if (!call->bos || call->bos->len == 0)
		return;
	g_hash_table_iter_init(&iter, memory->indexed);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		struct block *block = key;

		if (block->site->kind != MEMORY_SCRATCH || address < block->address ||
		    address - block->address >= block->size_bytes)
			continue;
		for (guint i = 0; i < call->bos->len; i++)
			block_take_bo(block, g_ptr_array_index(call->bos, i));
		break;
	}
	memory_adopt_bos(memory, call, BLOCK_INTERNAL, ORIGIN_OTHER, NULL, exit->time_ns);
}

/* The page for all events comes with the first one and stays until close. */
static void api_event_create(struct memory *memory, struct call *call, const struct record *exit)
{
	memory_adopt_bos(memory, call, BLOCK_INTERNAL, ORIGIN_EVENT, NULL, exit->time_ns);
	owner_begin(memory, ORIGIN_EVENT, values_get(&exit->values, FIELD_EVENT, 0), call,
		    exit->time_ns);
	memory->events_created++;
}

/* Calls that are of interest only when they did what they were to do. */
static void api_success(struct memory *memory, struct call *call, const struct record *exit)
{
	switch (call->type->op) {
	case OP_ALLOC:
		api_alloc(memory, call, exit);
		break;
	case OP_REGISTER:
		api_register(memory, call, exit);
		break;
	case OP_SHARE:
	case OP_EXPORT:
		api_share(memory, call, exit);
		break;
	case OP_IMPORT:
		api_import(memory, call, exit);
		break;
	case OP_MAP:
		api_map(memory, call, exit);
		break;
	case OP_QUEUE_CREATE:
		api_queue_create(memory, call, exit);
		break;
	case OP_QUEUE_DESTROY:
		api_queue_destroy(memory, call, exit);
		break;
	case OP_EVENT_CREATE:
		api_event_create(memory, call, exit);
		break;
	case OP_EVENT_DESTROY:
		api_event_destroy(memory, call, exit);
		break;
	default:
		break;
	}
}

void memory_api_exit(struct memory *memory, struct call *call, const struct record *exit)
{
	bool ok = exit_status(exit) == 0;

	switch (call->type->op) {
	case OP_FREE:
		api_free(memory, call, exit);
		break;
	case OP_DEREGISTER:
		api_deregister(call, exit);
		break;
	case OP_OPEN:
	case OP_OPEN_SECONDARY:
	case OP_ACQUIRE_PROPERTIES:
		memory_adopt_bos(memory, call, ok ? BLOCK_INTERNAL : BLOCK_KEPT, ORIGIN_OPEN, NULL,
				 exit->time_ns);
		break;
	default:
		if (ok)
			api_success(memory, call, exit);
		break;
	}
	/* What is left over was made by a call that failed, or by one that is not known for it. */
	if (call->bos)
		memory_adopt_bos(memory, call, ok ? BLOCK_INTERNAL : BLOCK_KEPT, ORIGIN_OTHER, NULL,
				 exit->time_ns);
}

static int64_t ioctl_result(const struct record *exit)
{
	return (int64_t)values_get(&exit->values, FIELD_RET, 0);
}

static uint32_t ioctl_errno(const struct record *exit)
{
	uint32_t os_errno = (uint32_t)values_get(&exit->values, FIELD_ERRNO, 0);
	int64_t result = ioctl_result(exit);

	return os_errno ? os_errno : result < 0 ? (uint32_t)-result : 0;
}

static void bo_begin(struct memory *memory, struct call *call, struct call *around,
		     const struct record *exit)
{
	struct bo *bo = bo_new(memory, values_get(&exit->values, FIELD_HANDLE, 0), exit->time_ns);

	bo->address = values_get(&call->values, FIELD_ADDRESS, 0);
	bo->size_bytes = values_get(&call->values, FIELD_SIZE, 0);
	bo->ioctl_flags = (uint32_t)values_get(&call->values, FIELD_IOCTL_FLAGS, 0);
	bo->gpu_id = (uint32_t)values_get(&call->values, FIELD_GPU, 0);
	bo->type = call->type;
	bo->stack = around && around->stack ? around->stack : call->stack;
	if (around) {
		if (!around->bos)
			around->bos = g_ptr_array_new_with_free_func(drop_bo);
		g_ptr_array_add(around->bos, bo_get(bo));
		return;
	}
	call->bos = g_ptr_array_new_with_free_func(drop_bo);
	g_ptr_array_add(call->bos, bo_get(bo));
	memory_adopt_bos(memory, call, BLOCK_BO, ORIGIN_CALLER, NULL, exit->time_ns);
}

/* A block without its last BO has ended, unless the API call that says so is still open. */
static void bo_gone(struct block *block, const struct call *call, const struct call *around,
		    int64_t time_ns)
{
	if (!block || block->ended || block->bos.head)
		return;
	switch (block->site->class) {
	case BLOCK_BO:
	case BLOCK_KEPT:
	case BLOCK_INTERNAL:
		block_end(block, time_ns, call->stack);
		break;
	case BLOCK_ALLOCATION:
	case BLOCK_IMPORT:
	case BLOCK_REGISTRATION:
		/* The API call is lost; or it ends more than it is about, which was restored. */
		if (around ? block->site->origin == ORIGIN_RESTORED && around->target != block
			   : block->site->kind != MEMORY_SCRATCH)
			block_end(block, time_ns, call->stack);
		break;
	case BLOCK_CLASS_COUNT:
		break;
	}
}

/* A handle that no recorded call has made was freed. */
static void restored_end(struct memory *memory, const struct call *call, const struct call *around,
			 const struct record *exit)
{
	uint64_t handle = values_get(&call->values, FIELD_HANDLE, 0);
	struct bo *bo = memory_restored_bo(memory, handle, around);
	struct block *block;
	bool are_all;

	if (bo) {
		block = bo->block;
		bo_free(memory, bo);
		bo_gone(block, call, around, exit->time_ns);
		return;
	}
	are_all = memory_free_some_restored(memory, handle);
	while (are_all && (bo = memory_take_unnamed(memory, handle))) {
		block = bo->block;
		bo_free(memory, bo);
		bo_gone(block, call, around, exit->time_ns);
	}
}

static void bo_end(struct memory *memory, struct call *call, struct call *around,
		   const struct record *exit)
{
	struct bo *bo = call->bo_target;
	struct block *block;

	/* Listed by a state dump after this free had begun and before it took place? */
	if (!bo)
		bo = bo_find(memory, values_get(&call->values, FIELD_HANDLE, 0));
	if (!bo && ioctl_result(exit) >= 0)
		restored_end(memory, call, around, exit);
	if (bo && bo != call->bo_target && bo->begin_ns < call->entry_ns)
		return;
	if (!bo || bo->ended)
		return;
	bo->free_pending = false;
	block = bo->block;
	if (ioctl_result(exit) < 0) {
		if (block && !around) {
			memory->failed_frees += counts(memory, exit);
			block_refuse(block, 0, ioctl_errno(exit), exit->time_ns, call->stack);
		}
		return;
	}
	bo_free(memory, bo);
	bo_gone(block, call, around, exit->time_ns);
}

static void bo_map(struct bo *bo, const struct call *call)
{
	for (uint32_t i = 0; i < call->id_count; i++) {
		bool known = false;

		for (uint32_t j = 0; j < bo->mapped_count; j++)
			known |= bo->mapped[j] == call_ids(call)[i];
		if (!known)
			bo_add_mapping(bo, call_ids(call)[i]);
	}
}

static void bo_unmap(struct bo *bo, const struct call *call)
{
	for (uint32_t i = 0; i < call->id_count; i++) {
		uint32_t kept = 0;

		for (uint32_t j = 0; j < bo->mapped_count; j++)
			if (bo->mapped[j] != call_ids(call)[i])
				bo->mapped[kept++] = bo->mapped[j];
		bo->mapped_count = kept;
	}
}

static struct bo *bo_of_call(struct memory *memory, const struct call *call,
			     const struct call *around)
{
	uint64_t handle = values_get(&call->values, FIELD_HANDLE, 0);
	struct bo *bo = bo_find(memory, handle);

	return bo ? bo : memory_restored_bo(memory, handle, around);
}

void memory_ioctl_exit(struct memory *memory, struct call *call, struct call *around,
		       const struct record *exit)
{
	struct bo *bo;
	bool ok = ioctl_result(exit) >= 0;

	if (!ok && around)
		around->inner_errno = ioctl_errno(exit);
	switch (call->type->op) {
	case OP_BO_ALLOC:
	case OP_BO_IMPORT:
		if (ok)
			bo_begin(memory, call, around, exit);
		break;
	case OP_BO_FREE:
		bo_end(memory, call, around, exit);
		break;
	case OP_BO_MAP:
		bo = ok ? bo_of_call(memory, call, around) : NULL;
		if (bo)
			bo_map(bo, call);
		break;
	case OP_BO_UNMAP:
		bo = ok ? bo_of_call(memory, call, around) : NULL;
		if (bo)
			bo_unmap(bo, call);
		break;
	case OP_CHECKPOINT:
		if (ok)
			memory_checkpoint(memory, exit);
		break;
	case OP_RESTORE:
		if (ok)
			memory_restore(memory, call, exit);
		break;
	default:
		break;
	}
}

void memory_call_cut(struct memory *memory, struct call *call, int64_t time_ns)
{
	if (call->target)
		call->target->free_pending = false;
	if (call->bo_target)
		call->bo_target->free_pending = false;
	memory_adopt_bos(memory, call, BLOCK_BO, ORIGIN_CALLER, NULL, time_ns);
}
