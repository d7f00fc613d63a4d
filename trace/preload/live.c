/* SPDX-License-Identifier: MIT */
/*
 * What a program without our library holds, for recordings that start later: learned from the ioctls
 * that were followed. Each kind of object has a growing array that is searched by hashing its id.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "preload/preload.h"

enum { OBJECTS_MAX = 1 << 22 }; /* of a kind; further ones are not remembered */

/* Ids with what belongs to them; id_of() is the first member of each element. */
struct table {
	size_t element_bytes;
	bool is_wide; /* ids have 64 bits */
	uint32_t count, capacity;
	unsigned char *elements; /* owned; unordered */
	uint32_t *slots;         /* owned; hash table of index + 1; twice the capacity */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static struct table bos = { .element_bytes = sizeof(struct preload_bo), .is_wide = true };
static struct table queues = { .element_bytes = sizeof(struct preload_queue) };
static struct table events = { .element_bytes = sizeof(struct preload_event) };
static uint32_t kfd_major, kfd_minor;

static void *element(const struct table *table, uint32_t index)
{
	return table->elements + (size_t)index * table->element_bytes;
}

/* BOs are known by 64 bits, the others by 32. */
static uint64_t id_of(const struct table *table, const void *object)
{
	uint64_t wide;
	uint32_t narrow;

	if (table->is_wide) {
		memcpy(&wide, object, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, object, sizeof(narrow));
	return narrow;
}

static uint32_t slot_count(const struct table *table)
{
	return table->capacity * 2;
}

static uint32_t home(const struct table *table, uint64_t id)
{
	return (uint32_t)(id * 0x9E3779B97F4A7C15ULL >> 32) & (slot_count(table) - 1);
}

/* @return the slot of the id, or the empty one where it belongs. */
static uint32_t find_slot(const struct table *table, uint64_t id)
{
	uint32_t slot = home(table, id);

	while (table->slots[slot] && id_of(table, element(table, table->slots[slot] - 1)) != id)
		slot = (slot + 1) & (slot_count(table) - 1);
	return slot;
}

static bool grow(struct table *table)
{
	struct table bigger = *table;

	bigger.capacity = table->capacity ? table->capacity * 2 : 256;
	if (bigger.capacity > OBJECTS_MAX)
		return false;
	bigger.slots = calloc(slot_count(&bigger), sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	bigger.elements = realloc(table->elements, (size_t)bigger.capacity * table->element_bytes);
	if (!bigger.elements) {
		free(bigger.slots);
		return false;
	}
	for (uint32_t i = 0; i < bigger.count; i++)
		bigger.slots[find_slot(&bigger, id_of(table, element(&bigger, i)))] = i + 1;
	free(table->slots);
	*table = bigger;
	return true;
}

static void put(struct table *table, const void *object)
{
	uint32_t slot;

	if (table->count == table->capacity && !grow(table))
		return;
	slot = find_slot(table, id_of(table, object));
	if (!table->slots[slot])
		table->slots[slot] = ++table->count;
	memcpy(element(table, table->slots[slot] - 1), object, table->element_bytes);
}

/* Closes the gap that an emptied slot leaves in the chains that pass it. */
static void close_gap(struct table *table, uint32_t gap)
{
	const uint32_t mask = slot_count(table) - 1;

	table->slots[gap] = 0;
	for (uint32_t slot = (gap + 1) & mask; table->slots[slot]; slot = (slot + 1) & mask) {
		const uint64_t id = id_of(table, element(table, table->slots[slot] - 1));

		if (((slot - home(table, id)) & mask) < ((slot - gap) & mask))
			continue;
		table->slots[gap] = table->slots[slot];
		table->slots[slot] = 0;
		gap = slot;
	}
}

static void drop(struct table *table, uint64_t id)
{
	uint32_t slot, index, last;

	if (table->count == 0)
		return;
	slot = find_slot(table, id);
	if (!table->slots[slot])
		return;
	index = table->slots[slot] - 1;
	close_gap(table, slot);
	last = --table->count;
	if (index == last)
		return;
	/* The last element takes the free place. */
	table->slots[find_slot(table, id_of(table, element(table, last)))] = index + 1;
	memcpy(element(table, index), element(table, last), table->element_bytes);
}

static void note_bo(uint64_t handle, uint64_t address, uint64_t size_bytes, uint32_t gpu_id,
		    uint32_t flags, bool is_import)
{
	const struct preload_bo bo = { handle, address, size_bytes, gpu_id, flags, is_import };

	put(&bos, &bo);
}

static void note_queue(const struct kfd_ioctl_create_queue_args *args)
{
	const struct preload_queue queue = {
		.id = args->queue_id,
		.gpu_id = args->gpu_id,
		.type = args->queue_type,
		.percentage = args->queue_percentage,
		.priority = args->queue_priority,
		.ring = args->ring_base_address,
		.ring_size_bytes = args->ring_size,
		.read_pointer = args->read_pointer_address,
		.write_pointer = args->write_pointer_address,
		.eop = args->eop_buffer_address,
		.eop_size_bytes = args->eop_buffer_size,
		.save_area = args->ctx_save_restore_address,
		.save_area_size_bytes = args->ctx_save_restore_size,
	};

	put(&queues, &queue);
}

static void note_event(const struct kfd_ioctl_create_event_args *args)
{
	const struct preload_event event = {
		.id = args->event_id,
		.type = args->event_type,
		.node_id = args->node_id,
		.auto_reset = args->auto_reset != 0,
	};

	put(&events, &event);
}

union argument {
	struct kfd_ioctl_get_version_args version;
	struct kfd_ioctl_alloc_memory_of_gpu_args alloc;
	struct kfd_ioctl_free_memory_of_gpu_args free;
	struct kfd_ioctl_import_dmabuf_args import;
	struct kfd_ioctl_ipc_import_handle_args ipc;
	struct kfd_ioctl_create_queue_args queue;
	struct kfd_ioctl_destroy_queue_args queue_end;
	struct kfd_ioctl_create_event_args event;
	struct kfd_ioctl_destroy_event_args event_end;
};

/* The caller holds the lock. */
static void note(unsigned int number, const union argument *a)
{
	switch (number) {
	case _IOC_NR(AMDKFD_IOC_GET_VERSION):
		kfd_major = a->version.major_version;
		kfd_minor = a->version.minor_version;
		break;
	case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU):
		note_bo(a->alloc.handle, a->alloc.va_addr, a->alloc.size, a->alloc.gpu_id,
			a->alloc.flags, false);
		break;
	case _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU):
		drop(&bos, a->free.handle);
		break;
	case _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF):
		note_bo(a->import.handle, a->import.va_addr, 0, a->import.gpu_id, 0, true);
		break;
	case _IOC_NR(AMDKFD_IOC_IPC_IMPORT_HANDLE):
		note_bo(a->ipc.handle, a->ipc.va_addr, 0, a->ipc.gpu_id, a->ipc.flags, true);
		break;
	case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
		note_queue(&a->queue);
		break;
	case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
		drop(&queues, a->queue_end.queue_id);
		break;
	case _IOC_NR(AMDKFD_IOC_CREATE_EVENT):
		note_event(&a->event);
		break;
	case _IOC_NR(AMDKFD_IOC_DESTROY_EVENT):
		drop(&events, a->event_end.event_id);
		break;
	}
}

void preload_live_note(unsigned long request, const void *arg)
{
	/* A signal handler that interrupts its own thread in here is not noted, rather than stuck. */
	static __thread bool is_noting __attribute__((tls_model("initial-exec")));
	union argument a;

	if (is_noting)
		return;
	trace_copy_argument(&a, sizeof(a), request, arg);
	is_noting = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pthread_mutex_lock(&lock);
	note(_IOC_NR(request), &a);
	pthread_mutex_unlock(&lock);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	is_noting = false;
}

void preload_live_version(uint32_t *major, uint32_t *minor)
{
	*major = __atomic_load_n(&kfd_major, __ATOMIC_RELAXED);
	*minor = __atomic_load_n(&kfd_minor, __ATOMIC_RELAXED);
}

void preload_live_visit(const struct preload_visitor *visitor, void *data)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < bos.count; i++)
		visitor->bo(element(&bos, i), data);
	for (uint32_t i = 0; i < queues.count; i++)
		visitor->queue(element(&queues, i), data);
	for (uint32_t i = 0; i < events.count; i++)
		visitor->event(element(&events, i), data);
	pthread_mutex_unlock(&lock);
}

static void forget(struct table *table, bool is_whole)
{
	if (is_whole) {
		free(table->elements);
		free(table->slots);
	}
	*table = (struct table){ .element_bytes = table->element_bytes, .is_wide = table->is_wide };
}

void preload_live_forked(void)
{
	/* Another thread of the parent may have held the lock, in the middle of a change. */
	const bool is_whole = pthread_mutex_trylock(&lock) == 0;

	forget(&bos, is_whole);
	forget(&queues, is_whole);
	forget(&events, is_whole);
	pthread_mutex_init(&lock, NULL);
}
