/* SPDX-License-Identifier: MIT */
/* Memory of queues (queue_memory.h). */
#include "model/queue_memory.h"

#include <string.h>

#include "memory-internal.h"

void queue_memory_take(struct queue_memory *memory, const struct record *entry)
{
	memory->is_told = true;
	memory->eop_va = args_reader_number(entry->reader, "eop_buffer_address", 0);
	memory->context_va = args_reader_number(entry->reader, "ctx_save_restore_address", 0);
}

static bool holds(const struct block *block, uint64_t address)
{
	return address && address >= block->address && address - block->address < block->size_bytes;
}

static enum queue_role role_of(const struct queue_memory *memory, const struct block *block)
{
	if (!memory->is_told)
		return QUEUE_ROLE_UNKNOWN;
	if (holds(block, memory->eop_va))
		return QUEUE_ROLE_EOP;
	return holds(block, memory->context_va) ? QUEUE_ROLE_CONTEXT : QUEUE_ROLE_RECORD;
}

uint64_t queue_memory_count(struct queue_memory *memory, const struct process *process,
			    uint64_t queue_id)
{
	const struct owner *owner = owner_find(process->memory, ORIGIN_QUEUE, queue_id);
	GHashTableIter iter;
	uint64_t sum = 0;
	void *key;

	memset(memory->bytes, 0, sizeof(memory->bytes));
	memset(memory->blocks, 0, sizeof(memory->blocks));
	if (!owner)
		return 0;
	g_hash_table_iter_init(&iter, owner->blocks);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const struct block *block = key;
		enum queue_role role = role_of(memory, block);

		memory->bytes[role] += block->size_bytes;
		memory->blocks[role]++;
		sum += block->size_bytes;
	}
	return sum;
}

const char *queue_role_name(enum queue_role role)
{
	static const char *const names[QUEUE_ROLE_COUNT] = {
		[QUEUE_ROLE_EOP] = "end-of-pipe buffer",
		[QUEUE_ROLE_CONTEXT] = "context-save area",
		[QUEUE_ROLE_RECORD] = "queue record",
		[QUEUE_ROLE_UNKNOWN] = "unknown use",
	};

	return names[role];
}
