/* SPDX-License-Identifier: MIT */
/* State dumps, the final close, and what processes share with each other (memory.h). */
#include "memory-internal.h"
#include "model-internal.h"
#include "model.h"

void memory_dump_begin(struct memory *memory, int64_t time_ns)
{
	memory->dump++;
	memory->dump_begin_ns = time_ns;
}

static enum block_class dumped_class(const struct values *values)
{
	if (values_get(values, FIELD_IS_INTERNAL, 0))
		return BLOCK_INTERNAL;
	if (values_get(values, FIELD_IS_IMPORT, 0))
		return BLOCK_IMPORT;
	return values_get(values, FIELD_USER_ADDRESS, 0) ? BLOCK_REGISTRATION : BLOCK_ALLOCATION;
}

/* The call that made an object, by the name that it was recorded with; NULL: not known. */
static const struct call_type *maker_of(const struct memory *memory, const struct record *record)
{
	struct model *model = memory->process->model;
	enum layer layer = LAYER_IOCTL;

	if (!record->text || !*record->text)
		return NULL;
	if (g_str_has_prefix(record->text, "hsaKmt"))
		layer = LAYER_API;
	return model_call_type(model, layer, record->text);
}

static enum block_origin origin_of(const struct call_type *maker)
{
	switch (maker ? maker->op : OP_OTHER) {
	case OP_QUEUE_CREATE:
		return ORIGIN_QUEUE;
	case OP_EVENT_CREATE:
		return ORIGIN_EVENT;
	case OP_OPEN:
	case OP_OPEN_SECONDARY:
	case OP_ACQUIRE_PROPERTIES:
		return ORIGIN_OPEN;
	default:
		return ORIGIN_OTHER;
	}
}

/* An ioctl made it: the BO stands for itself, as it does in recordings of ioctls alone. */
static void plan_bare(struct block_plan *plan, const struct memory *memory, const struct bo *bo)
{
	static const struct values nothing;

	plan->site.class = BLOCK_BO;
	plan->site.ioctl = plan->site.type;
	plan->indexed = false;
	plan_place(plan, memory, &nothing, bo);
}

/* Made through the API. */
static void plan_of_api(struct block_plan *plan, const struct memory *memory,
			const struct values *values, const struct bo *bo)
{
	const bool is_import = plan->site.class == BLOCK_IMPORT;

	plan_place(plan, memory, values, bo);
	if (plan->site.type && bo->ioctl_flags && !is_import)
		plan->site.ioctl =
			model_call_type(memory->process->model, LAYER_IOCTL, "ALLOC_MEMORY_OF_GPU");
	if (plan->site.class == BLOCK_REGISTRATION)
		plan->site.kind = MEMORY_REGISTERED;
	else if (is_import)
		plan->site.kind = MEMORY_IMPORTED;
	else if (plan->site.class == BLOCK_INTERNAL)
		plan->site.origin = origin_of(plan->site.type);
}

static struct block *dumped_block(struct memory *memory, const struct record *record,
				  uint64_t address)
{
	const struct values *values = &record->values;
	struct block_plan plan = {
		.site = { .class = dumped_class(values),
			  .stack = process_stack(memory->process, record),
			  .type = maker_of(memory, record) },
		.ctx = (uint32_t)values_get(values, FIELD_CTX, 0),
		.address = address,
		.size_bytes = values_get(values, FIELD_SIZE, 0),
		.begin_ns = record->time_ns,
		.made = MAX(values_get(values, FIELD_MADE, 0), 1),
		.indexed = true,
	};
	struct bo like = { .ioctl_flags = (uint32_t)values_get(values, FIELD_IOCTL_FLAGS, 0),
			   .gpu_id = (uint32_t)values_get(values, FIELD_GPU, 0) };
	struct block *block;

	if (plan.site.type && plan.site.type->layer == LAYER_IOCTL)
		plan_bare(&plan, memory, &like);
	else
		plan_of_api(&plan, memory, values, &like);
	block = block_begin(memory, &plan);
	block->from_dump = true;
	block->registered = (uint32_t)values_get(values, FIELD_REGISTRATIONS, 0);
	return block;
}

void memory_dump_block(struct memory *memory, const struct record *record)
{
	const struct values *values = &record->values;
	uint64_t address = values_get(values, FIELD_ADDRESS, 0);
	struct block *block = NULL;

	/* Registered host memory is named by the host address in calls. */
	if (dumped_class(values) == BLOCK_REGISTRATION)
		address = values_get(values, FIELD_USER_ADDRESS, address);
	for (uint32_t i = 0; i < record->handle_count && !block; i++) {
		const struct bo *bo = bo_find(memory, record->handles[i]);

		block = bo ? bo->block : NULL; /* internal memory is known by its BO only */
	}
	if (!block)
		block = memory_find(memory, (uint32_t)values_get(values, FIELD_CTX, 0), address);
	if (!block)
		block = dumped_block(memory, record, address);
	block->confirmed_ns = record->time_ns;
	block->dump = memory->dump;
	for (uint32_t i = 0; i < record->handle_count; i++) {
		struct bo *bo = bo_find(memory, record->handles[i]);

		if (!bo)
			bo = memory_name_bo(memory, block, record->handles[i]);
		if (!bo) {
			bo = bo_new(memory, record->handles[i], record->time_ns);
			bo->address = address;
			bo->size_bytes = i == 0 ? block->size_bytes : 0;
			bo->ioctl_flags = (uint32_t)values_get(values, FIELD_IOCTL_FLAGS, 0);
			bo->gpu_id = (uint32_t)values_get(values, FIELD_GPU, 0);
			bo->stack = block->site->stack;
			bo->type = block->site->ioctl;
			for (uint32_t j = 0; j < record->id_count; j++)
				bo_add_mapping(bo, record->ids[j]);
		}
		if (!bo->block)
			block_take_bo(block, bo);
	}
}

void memory_dump_end(struct memory *memory, int64_t time_ns, bool complete)
{
	GList *blocks;

	if (!complete || memory->dump == 0)
		return;
	blocks = g_hash_table_get_keys(memory->indexed);
	for (GList *item = blocks; item; item = item->next) {
		struct block *block = item->data;

		if (block->dump == memory->dump || block->free_pending || block->ctx != 0 ||
		    block->confirmed_ns >= memory->dump_begin_ns ||
		    block->site->class != BLOCK_ALLOCATION ||
		    block->site->origin == ORIGIN_RESTORED) /* not by who is asked for a dump */
			continue;
		memory->settled_by_dump++;
		block_end(block, time_ns, NULL);
	}
	g_list_free(blocks);
}

void memory_final_close(struct memory *memory, int64_t time_ns)
{
	GList *next;

	for (GList *item = memory->blocks.head; item; item = next) {
		struct block *block = item->data;

		next = item->next;
		if (block->fate != FATE_LIVE || block->ctx != 0)
			continue;
		if (block->site->class == BLOCK_INTERNAL) {
			while (!block->owner && block->bos.head)
				bo_free(memory, block->bos.head->data);
			if (!block->owner)
				block_end(block, time_ns, NULL);
			continue;
		}
		block_leave(block, time_ns);
	}
}

struct share *memory_find_share(const struct memory *memory, const uint32_t key[4])
{
	if (!key[0] && !key[1] && !key[2] && !key[3])
		return NULL;
	for (guint i = memory->shares->len; i > 0; i--) {
		struct share *share = g_ptr_array_index(memory->shares, i - 1);

		if (share->key[0] == key[0] && share->key[1] == key[1] && share->key[2] == key[2] &&
		    share->key[3] == key[3])
			return share;
	}
	return NULL;
}

void memory_dump_owner(struct memory *memory, enum block_origin origin, uint64_t id,
		       const struct record *record)
{
	struct owner *owner = owner_find(memory, origin, id);

	if (owner)
		return;
	owner = owner_begin(memory, origin, id, NULL, record->time_ns);
	owner->from_dump = true;
	owner->stack = process_stack(memory->process, record);
	owner->node_id = (uint32_t)values_get(&record->values, FIELD_NODE, UINT32_MAX);
	owner->type = (uint32_t)values_get(&record->values, FIELD_QUEUE_TYPE, 0);
	owner->size_bytes = values_get(&record->values, FIELD_SIZE, 0);
}
