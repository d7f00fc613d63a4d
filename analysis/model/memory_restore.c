/* SPDX-License-Identifier: MIT */
/*
 * Checkpoint and restore: a process that has only opened the driver gets all buffers of another one at
 * once. The driver lists them, but not by which handles they are known: those are in data that is its own.
 * A buffer's handle is that of the checkpointed process where the recording has this one, too; else it is
 * found out when a call uses a handle that nothing else has made (memory_restored_bo()).
 */
#include "memory-internal.h"
#include "model-internal.h"
#include "model.h"

/* No event has more of them (trace/ioctl.def), whatever the recording says. */
#define LISTED_MAX 128u

/* The buffers that an event lists. */
struct listing {
	uint32_t count;
	uint64_t unlisted; /* so many more there were */
	uint64_t address[LISTED_MAX], size_bytes[LISTED_MAX], gpu_id[LISTED_MAX], flags[LISTED_MAX];
};

/* A buffer of a process that was checkpointed. */
struct checkpointed {
	uint64_t address, size_bytes, handle;
	uint32_t gpu_id;
};

static void read_listing(struct listing *listing, const struct args_reader *reader)
{
	uint64_t total = args_reader_number(reader, "bos_values_count", 0);
	uint32_t count = args_reader_row(reader, "bos_values_addr", listing->address, LISTED_MAX);

	count = MIN(count,
		    args_reader_row(reader, "bos_values_size", listing->size_bytes, LISTED_MAX));
	count = MIN(count,
		    args_reader_row(reader, "bos_values_gpu_id", listing->gpu_id, LISTED_MAX));
	count = MIN(count,
		    args_reader_row(reader, "bos_values_alloc_flags", listing->flags, LISTED_MAX));
	listing->count = count;
	listing->unlisted = total > count ? total - count : 0;
}

/* Handles begin with the number of the GPU as the process knows it. */
static uint32_t gpu_of(uint64_t handle)
{
	return (uint32_t)(handle >> 32);
}

static const struct checkpointed *find_checkpointed(const GArray *list,
						    const struct listing *listing, uint32_t index)
{
	for (guint i = 0; i < list->len; i++) {
		const struct checkpointed *one = &g_array_index(list, struct checkpointed, i);

		if (one->address == listing->address[index] &&
		    one->size_bytes == listing->size_bytes[index] &&
		    one->gpu_id == listing->gpu_id[index])
			return one;
	}
	return NULL;
}

static bool has_all(const GArray *list, const struct listing *listing)
{
	for (uint32_t i = 0; i < listing->count; i++)
		if (!find_checkpointed(list, listing, i))
			return false;
	return listing->count > 0;
}

/* What the process has now. @return the caller's to unref. */
static GArray *living(const struct memory *memory)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct checkpointed));

	for (const GList *item = memory->all_bos.head; item; item = item->next) {
		const struct bo *bo = item->data;
		const struct checkpointed one = { bo->address, bo->size_bytes, bo->handle,
						  bo->gpu_id };

		if (bo->indexed)
			g_array_append_val(list, one);
	}
	return list;
}

static void keep_checkpoint(struct memory *memory, GArray *list, int64_t time_ns)
{
	if (memory->checkpoint)
		g_array_unref(memory->checkpoint);
	memory->checkpoint = list;
	memory->checkpoint_ns = time_ns;
}

/*
 * The process that was checkpointed is the one that has all that was listed. Several may: processes of one
 * program often have the same addresses. Then the number in the call decides, or its caller.
 */
void memory_checkpoint(struct memory *memory, const struct record *exit)
{
	const GPtrArray *processes = model_processes(memory->process->model);
	uint32_t vpid = (uint32_t)args_reader_number(exit->reader, "pid", 0);
	struct memory *found = NULL;
	struct listing listing;
	GArray *kept = NULL;
	guint matches = 0;

	read_listing(&listing, exit->reader);
	for (guint i = 0; i < processes->len; i++) {
		struct process *process = g_ptr_array_index(processes, i);
		bool is_meant = vpid ? process->vpid == vpid : process == memory->process;
		GArray *list;

		if (process->hostname != memory->process->hostname)
			continue;
		list = living(process->memory);
		if (!has_all(list, &listing)) {
			g_array_unref(list);
			continue;
		}
		matches = is_meant ? 1 : matches + 1;
		if (kept)
			g_array_unref(kept);
		kept = list;
		found = process->memory;
		if (is_meant)
			break;
	}
	if (matches == 1)
		keep_checkpoint(found, kept, exit->time_ns);
	else if (kept)
		g_array_unref(kept);
}

/* The last checkpoint that has what is restored, or NULL. */
static const GArray *find_checkpoint(const struct memory *memory, const struct listing *listing)
{
	const GPtrArray *processes = model_processes(memory->process->model);
	const struct memory *last = NULL;

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		const struct memory *other = process->memory;

		if (other->checkpoint && process->hostname == memory->process->hostname &&
		    (!last || other->checkpoint_ns > last->checkpoint_ns) &&
		    has_all(other->checkpoint, listing))
			last = other;
	}
	return last ? last->checkpoint : NULL;
}

static void restore_one(struct memory *memory, const struct call *call, const struct bo *like,
			const struct checkpointed *known, int64_t time_ns)
{
	static const struct values nothing;
	struct block_plan plan = {
		.site = { .stack = call->stack,
			  .type = call->type,
			  .ioctl = call->type,
			  .class = BLOCK_ALLOCATION,
			  .origin = ORIGIN_RESTORED },
		.address = like->address,
		.size_bytes = like->size_bytes,
		.begin_ns = time_ns,
		.served = call->served,
		.indexed = !memory_find(memory, 0, like->address),
	};
	struct bo *bo = bo_new_unnamed(memory, time_ns);

	bo->address = like->address;
	bo->size_bytes = like->size_bytes;
	bo->gpu_id = like->gpu_id;
	bo->ioctl_flags = like->ioctl_flags;
	bo->type = call->type;
	bo->stack = call->stack;
	plan_place(&plan, memory, &nothing, bo);
	block_take_bo(block_begin(memory, &plan), bo);
	if (known)
		bo_set_handle(memory, bo, known->handle);
	else
		g_ptr_array_add(memory->unnamed, bo);
}

void memory_restore(struct memory *memory, const struct call *call, const struct record *exit)
{
	const GArray *checkpoint;
	struct listing listing;

	read_listing(&listing, exit->reader);
	checkpoint = find_checkpoint(memory, &listing);
	memory->restored_unlisted += listing.unlisted;
	for (uint32_t i = 0; i < listing.count; i++) {
		const struct bo like = { .address = listing.address[i],
					 .size_bytes = listing.size_bytes[i],
					 .gpu_id = (uint32_t)listing.gpu_id[i],
					 .ioctl_flags = (uint32_t)listing.flags[i] };

		memory->restored_count++;
		memory->restored_bytes += like.size_bytes;
		restore_one(memory, call, &like,
			    checkpoint ? find_checkpointed(checkpoint, &listing, i) : NULL,
			    exit->time_ns);
	}
}

static struct bo *unnamed(const struct memory *memory, guint index)
{
	return g_ptr_array_index(memory->unnamed, index);
}

/* The only one that it can be, or one of several that are alike but for their addresses. */
static struct bo *the_only_one(const struct memory *memory, uint32_t gpu_id)
{
	struct bo *first = NULL;

	if (memory->restored_unlisted)
		return NULL;
	for (guint i = 0; i < memory->unnamed->len; i++) {
		struct bo *bo = unnamed(memory, i);

		if (bo->gpu_id != gpu_id)
			continue;
		if (first &&
		    (bo->size_bytes != first->size_bytes || bo->ioctl_flags != first->ioctl_flags))
			return NULL;
		first = first ? first : bo;
	}
	return first;
}

struct bo *memory_name_bo(struct memory *memory, const struct block *block, uint64_t handle)
{
	for (const GList *item = block->bos.head; item; item = item->next) {
		struct bo *bo = item->data;

		if (!g_ptr_array_find(memory->unnamed, bo, NULL) || bo->gpu_id != gpu_of(handle))
			continue;
		g_ptr_array_remove(memory->unnamed, bo);
		bo_set_handle(memory, bo, handle);
		return bo;
	}
	return NULL;
}

struct bo *memory_restored_bo(struct memory *memory, uint64_t handle, const struct call *around)
{
	const struct block *block;
	struct bo *bo;

	if (memory->unnamed->len == 0)
		return NULL;
	if (around && values_get(&around->values, FIELD_ADDRESS, 0)) {
		block = around->target;
		if (!block)
			block = memory_find(memory,
					    (uint32_t)values_get(&around->values, FIELD_CTX, 0),
					    values_get(&around->values, FIELD_ADDRESS, 0));
		return block && !block->ended ? memory_name_bo(memory, block, handle) : NULL;
	}
	bo = the_only_one(memory, gpu_of(handle));
	return bo ? memory_name_bo(memory, bo->block, handle) : NULL;
}

static guint count_unnamed(const struct memory *memory, uint32_t gpu_id)
{
	guint count = 0;

	for (guint i = 0; i < memory->unnamed->len; i++)
		count += unnamed(memory, i)->gpu_id == gpu_id;
	return count;
}

static struct unclear_free *unclear_of(struct memory *memory, uint32_t gpu_id)
{
	const struct unclear_free none = { .gpu_id = gpu_id };

	for (guint i = 0; i < memory->unclear->len; i++)
		if (g_array_index(memory->unclear, struct unclear_free, i).gpu_id == gpu_id)
			return &g_array_index(memory->unclear, struct unclear_free, i);
	g_array_append_val(memory->unclear, none);
	return &g_array_index(memory->unclear, struct unclear_free, memory->unclear->len - 1);
}

bool memory_free_some_restored(struct memory *memory, uint64_t handle)
{
	guint count = count_unnamed(memory, gpu_of(handle));
	struct unclear_free *unclear;

	if (count == 0)
		return false;
	unclear = unclear_of(memory, gpu_of(handle));
	unclear->count++;
	if (memory->restored_unlisted || unclear->count < count)
		return false;
	unclear->count = 0; /* each is accounted for */
	return true;
}

struct bo *memory_take_unnamed(struct memory *memory, uint64_t handle)
{
	for (guint i = 0; i < memory->unnamed->len; i++)
		if (unnamed(memory, i)->gpu_id == gpu_of(handle))
			return g_ptr_array_remove_index(memory->unnamed, i);
	return NULL;
}

bool block_is_unclear(const struct block *block)
{
	const struct memory *memory = block->memory;

	for (const GList *item = block->bos.head; item; item = item->next) {
		const struct bo *bo = item->data;

		if (bo->indexed || block->site->origin != ORIGIN_RESTORED)
			continue;
		for (guint i = 0; i < memory->unclear->len; i++) {
			const struct unclear_free *unclear =
				&g_array_index(memory->unclear, struct unclear_free, i);

			if (unclear->gpu_id == bo->gpu_id && unclear->count)
				return true;
		}
	}
	return false;
}

uint64_t memory_unclear_frees(const struct memory *memory)
{
	uint64_t count = 0;

	for (guint i = 0; i < memory->unclear->len; i++)
		count += g_array_index(memory->unclear, struct unclear_free, i).count;
	return count;
}
