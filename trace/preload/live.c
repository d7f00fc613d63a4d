/* SPDX-License-Identifier: MIT */
/*
 * What a program without our library holds, for recordings that start later: learned from the ioctls
 * that were followed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "idtable.h"
#include "own_lock.h"
#include "preload/preload.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects all below */
static struct idtable bos = { .element_bytes = sizeof(struct preload_bo), .is_wide = true };
static struct idtable queues = { .element_bytes = sizeof(struct preload_queue) };
static struct idtable events = { .element_bytes = sizeof(struct preload_event) };
static uint32_t kfd_major, kfd_minor;
static uint64_t last_order; /* changed under the lock, read without */

static uint64_t next_order(void)
{
	return __atomic_add_fetch(&last_order, 1, __ATOMIC_RELAXED);
}

static void note_alloc(const struct kfd_ioctl_alloc_memory_of_gpu_args *args, uint64_t maker)
{
	const struct preload_bo bo = {
		.handle = args->handle,
		.address = args->va_addr,
		.size_bytes = args->size,
		.gpu_id = args->gpu_id,
		.flags = args->flags,
		.maker = maker,
		.order = next_order(),
	};

	idtable_put(&bos, &bo);
}

static void note_import(uint64_t handle, uint64_t address, uint32_t gpu_id, uint32_t flags,
			uint64_t maker)
{
	const struct preload_bo bo = {
		.handle = handle,
		.address = address,
		.gpu_id = gpu_id,
		.flags = flags,
		.is_import = true,
		.maker = maker,
		.order = next_order(),
	};

	idtable_put(&bos, &bo);
}

static void note_queue(const struct kfd_ioctl_create_queue_args *args, uint64_t maker)
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
		.maker = maker,
		.order = next_order(),
	};

	idtable_put(&queues, &queue);
}

static void note_event(const struct kfd_ioctl_create_event_args *args, uint64_t maker)
{
	const struct preload_event event = {
		.id = args->event_id,
		.type = args->event_type,
		.node_id = args->node_id,
		.auto_reset = args->auto_reset != 0,
		.maker = maker,
		.order = next_order(),
	};

	idtable_put(&events, &event);
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

/* Forgets what an ioctl has ended, if it was there before the ioctl began. */
static void forget(struct idtable *table, size_t order_at, uint64_t id, uint64_t limit)
{
	const unsigned char *object = idtable_find(table, id);
	uint64_t order;

	if (!object)
		return;
	memcpy(&order, object + order_at, sizeof(order));
	if (order <= limit)
		(void)idtable_take(table, id, NULL);
}

/* The caller holds the lock. */
static void note(unsigned int number, const union argument *a, uint64_t order, uint64_t maker)
{
	switch (number) {
	case _IOC_NR(AMDKFD_IOC_GET_VERSION):
		kfd_major = a->version.major_version;
		kfd_minor = a->version.minor_version;
		break;
	case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU):
		note_alloc(&a->alloc, maker);
		break;
	case _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU):
		forget(&bos, offsetof(struct preload_bo, order), a->free.handle, order);
		break;
	case _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF):
		note_import(a->import.handle, a->import.va_addr, a->import.gpu_id, 0, maker);
		break;
	case _IOC_NR(AMDKFD_IOC_IPC_IMPORT_HANDLE):
		note_import(a->ipc.handle, a->ipc.va_addr, a->ipc.gpu_id, a->ipc.flags, maker);
		break;
	case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
		note_queue(&a->queue, maker);
		break;
	case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
		forget(&queues, offsetof(struct preload_queue, order), a->queue_end.queue_id,
		       order);
		break;
	case _IOC_NR(AMDKFD_IOC_CREATE_EVENT):
		note_event(&a->event, maker);
		break;
	case _IOC_NR(AMDKFD_IOC_DESTROY_EVENT):
		forget(&events, offsetof(struct preload_event, order), a->event_end.event_id,
		       order);
		break;
	}
}

bool preload_live_makes(unsigned long request)
{
	switch (_IOC_NR(request)) {
	case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU):
	case _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF):
	case _IOC_NR(AMDKFD_IOC_IPC_IMPORT_HANDLE):
	case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
	case _IOC_NR(AMDKFD_IOC_CREATE_EVENT):
		return true;
	default:
		return false;
	}
}

uint64_t preload_live_order(void)
{
	return __atomic_load_n(&last_order, __ATOMIC_RELAXED);
}

void preload_live_note(unsigned long request, const void *arg, uint64_t order, uint64_t maker)
{
	/* A signal handler that interrupts its own thread in here is not noted, rather than stuck. */
	static __thread bool is_noting __attribute__((tls_model("initial-exec")));
	union argument a;

	trace_copy_argument(&a, sizeof(a), request, arg);
	if (!own_lock_enter(&lock, &is_noting))
		return;
	note(_IOC_NR(request), &a, order, maker);
	own_lock_leave(&lock, &is_noting);
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
		visitor->bo(idtable_at(&bos, i), data);
	for (uint32_t i = 0; i < queues.count; i++)
		visitor->queue(idtable_at(&queues, i), data);
	for (uint32_t i = 0; i < events.count; i++)
		visitor->event(idtable_at(&events, i), data);
	pthread_mutex_unlock(&lock);
}

void preload_live_forked(void)
{
	/* Another thread of the parent may have held the lock, in the middle of a change. */
	const bool is_whole = pthread_mutex_trylock(&lock) == 0;

	idtable_clear(&bos, is_whole);
	idtable_clear(&queues, is_whole);
	idtable_clear(&events, is_whole);
	pthread_mutex_init(&lock, NULL);
}
