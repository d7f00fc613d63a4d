/* SPDX-License-Identifier: MIT */
/*
 * Dispatch, by the driver's rules (kfd.md 1): the number alone selects the handler, the argument is
 * zero-extended to the handler's size, and what the handler leaves in it is written back as far as
 * the caller's size goes, also when the handler fails.
 */
#include "ioctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "control.h"
#include "criu.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "queue.h"
#include "usercopy.h"

#define DKMS_FIRST  0x80
#define STACK_BYTES 256

enum direction { DIR_NONE = 0, DIR_IN = 1, DIR_OUT = 2, DIR_BOTH = 3 };
/* What is locked around a handler: nothing where it waits or has its own locks. */
enum locking { UNLOCKED, LOCKED };
/* Where the argument says which GPU the call is about. */
enum gpu_by { BY_NOTHING, BY_GPU_ID, BY_HANDLE, BY_QUEUE };

struct entry {
	uint32_t nr;
	const char *name;
	size_t size_bytes;
	enum direction direction;
	uint32_t since; /* interface minor */
	enum locking locking;
	enum gpu_by gpu_by;
	size_t gpu_at; /* offset of that field */
	int (*handler)(struct kfd_model_call *call);
};

#define AT(type, field) offsetof(struct kfd_ioctl_##type##_args, field)
#define SIZE(type)      sizeof(struct kfd_ioctl_##type##_args)

/* clang-format off */
static const struct entry entries[] = {
	{ 0x01, "GET_VERSION", SIZE(get_version), DIR_OUT, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_get_version },
	{ 0x02, "CREATE_QUEUE", SIZE(create_queue), DIR_BOTH, 1, LOCKED, BY_GPU_ID,
	  AT(create_queue, gpu_id), kfd_model_call_create_queue },
	{ 0x03, "DESTROY_QUEUE", SIZE(destroy_queue), DIR_BOTH, 1, LOCKED, BY_QUEUE,
	  AT(destroy_queue, queue_id), kfd_model_call_destroy_queue },
	{ 0x04, "SET_MEMORY_POLICY", SIZE(set_memory_policy), DIR_IN, 1, LOCKED, BY_GPU_ID,
	  AT(set_memory_policy, gpu_id), kfd_model_call_set_memory_policy },
	{ 0x05, "GET_CLOCK_COUNTERS", SIZE(get_clock_counters), DIR_BOTH, 1, UNLOCKED, BY_GPU_ID,
	  AT(get_clock_counters, gpu_id), kfd_model_call_get_clock_counters },
	{ 0x06, "GET_PROCESS_APERTURES", SIZE(get_process_apertures), DIR_OUT, 1, UNLOCKED,
	  BY_NOTHING, 0, kfd_model_call_get_process_apertures },
	{ 0x07, "UPDATE_QUEUE", SIZE(update_queue), DIR_IN, 1, LOCKED, BY_QUEUE,
	  AT(update_queue, queue_id), kfd_model_call_update_queue },
	{ 0x08, "CREATE_EVENT", SIZE(create_event), DIR_BOTH, 1, LOCKED, BY_NOTHING, 0,
	  kfd_model_call_create_event },
	{ 0x09, "DESTROY_EVENT", SIZE(destroy_event), DIR_IN, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_destroy_event },
	{ 0x0a, "SET_EVENT", SIZE(set_event), DIR_IN, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_set_event },
	{ 0x0b, "RESET_EVENT", SIZE(reset_event), DIR_IN, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_reset_event },
	{ 0x0c, "WAIT_EVENTS", SIZE(wait_events), DIR_BOTH, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_wait_events },
	{ 0x0d, "DBG_REGISTER", SIZE(dbg_register), DIR_IN, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_refused },
	{ 0x0e, "DBG_UNREGISTER", SIZE(dbg_unregister), DIR_IN, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_refused },
	{ 0x0f, "DBG_ADDRESS_WATCH", SIZE(dbg_address_watch), DIR_IN, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_refused },
	{ 0x10, "DBG_WAVE_CONTROL", SIZE(dbg_wave_control), DIR_IN, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_refused },
	{ 0x11, "SET_SCRATCH_BACKING_VA", SIZE(set_scratch_backing_va), DIR_BOTH, 1, LOCKED,
	  BY_GPU_ID, AT(set_scratch_backing_va, gpu_id), kfd_model_call_set_scratch_backing_va },
	{ 0x12, "GET_TILE_CONFIG", SIZE(get_tile_config), DIR_BOTH, 1, UNLOCKED, BY_GPU_ID,
	  AT(get_tile_config, gpu_id), kfd_model_call_get_tile_config },
	{ 0x13, "SET_TRAP_HANDLER", SIZE(set_trap_handler), DIR_IN, 1, LOCKED, BY_GPU_ID,
	  AT(set_trap_handler, gpu_id), kfd_model_call_set_trap_handler },
	{ 0x14, "GET_PROCESS_APERTURES_NEW", SIZE(get_process_apertures_new), DIR_BOTH, 1,
	  UNLOCKED, BY_NOTHING, 0, kfd_model_call_get_process_apertures_new },
	{ 0x15, "ACQUIRE_VM", SIZE(acquire_vm), DIR_IN, 1, LOCKED, BY_GPU_ID,
	  AT(acquire_vm, gpu_id), kfd_model_call_acquire_vm },
	{ 0x16, "ALLOC_MEMORY_OF_GPU", SIZE(alloc_memory_of_gpu), DIR_BOTH, 1, LOCKED, BY_GPU_ID,
	  AT(alloc_memory_of_gpu, gpu_id), kfd_model_call_alloc_memory },
	{ 0x17, "FREE_MEMORY_OF_GPU", SIZE(free_memory_of_gpu), DIR_IN, 1, LOCKED, BY_HANDLE,
	  AT(free_memory_of_gpu, handle), kfd_model_call_free_memory },
	{ 0x18, "MAP_MEMORY_TO_GPU", SIZE(map_memory_to_gpu), DIR_BOTH, 1, LOCKED, BY_HANDLE,
	  AT(map_memory_to_gpu, handle), kfd_model_call_map_memory },
	{ 0x19, "UNMAP_MEMORY_FROM_GPU", SIZE(unmap_memory_from_gpu), DIR_BOTH, 1, LOCKED,
	  BY_HANDLE, AT(unmap_memory_from_gpu, handle), kfd_model_call_unmap_memory },
	{ 0x1a, "SET_CU_MASK", SIZE(set_cu_mask), DIR_IN, 1, LOCKED, BY_QUEUE,
	  AT(set_cu_mask, queue_id), kfd_model_call_set_cu_mask },
	{ 0x1b, "GET_QUEUE_WAVE_STATE", SIZE(get_queue_wave_state), DIR_BOTH, 1, LOCKED, BY_QUEUE,
	  AT(get_queue_wave_state, queue_id), kfd_model_call_get_queue_wave_state },
	{ 0x1c, "GET_DMABUF_INFO", SIZE(get_dmabuf_info), DIR_BOTH, 1, LOCKED, BY_NOTHING, 0,
	  kfd_model_call_get_dmabuf_info },
	{ 0x1d, "IMPORT_DMABUF", SIZE(import_dmabuf), DIR_BOTH, 1, LOCKED, BY_GPU_ID,
	  AT(import_dmabuf, gpu_id), kfd_model_call_import_dmabuf },
	{ 0x1e, "ALLOC_QUEUE_GWS", SIZE(alloc_queue_gws), DIR_BOTH, 1, LOCKED, BY_QUEUE,
	  AT(alloc_queue_gws, queue_id), kfd_model_call_alloc_queue_gws },
	{ 0x1f, "SMI_EVENTS", SIZE(smi_events), DIR_BOTH, 3, LOCKED, BY_GPU_ID,
	  AT(smi_events, gpuid), kfd_model_call_smi_events },
	{ 0x20, "SVM", SIZE(svm), DIR_BOTH, 5, LOCKED, BY_NOTHING, 0, kfd_model_call_svm },
	{ 0x21, "SET_XNACK_MODE", SIZE(set_xnack_mode), DIR_BOTH, 5, LOCKED, BY_NOTHING, 0,
	  kfd_model_call_set_xnack_mode },
	{ 0x22, "CRIU_OP", SIZE(criu), DIR_BOTH, 7, UNLOCKED, BY_NOTHING, 0, kfd_model_call_criu_op },
	{ 0x23, "AVAILABLE_MEMORY", SIZE(get_available_memory), DIR_BOTH, 9, LOCKED, BY_GPU_ID,
	  AT(get_available_memory, gpu_id), kfd_model_call_available_memory },
	{ 0x24, "EXPORT_DMABUF", SIZE(export_dmabuf), DIR_BOTH, 12, LOCKED, BY_HANDLE,
	  AT(export_dmabuf, handle), kfd_model_call_export_dmabuf },
	{ 0x25, "RUNTIME_ENABLE", SIZE(runtime_enable), DIR_BOTH, 13, LOCKED, BY_NOTHING, 0,
	  kfd_model_call_runtime_enable },
	{ 0x26, "DBG_TRAP", SIZE(dbg_trap), DIR_BOTH, 13, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_dbg_trap },
	{ 0x27, "CREATE_PROCESS", 0, DIR_NONE, 19, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_create_process },
	{ 0x28, "PROFILER", sizeof(struct kfd_ioctl_profiler_args_upstream), DIR_BOTH, 23, LOCKED,
	  BY_NOTHING, 0, kfd_model_call_profiler },
	{ 0x80, "IPC_IMPORT_HANDLE", SIZE(ipc_import_handle), DIR_BOTH, 1, LOCKED, BY_GPU_ID,
	  AT(ipc_import_handle, gpu_id), kfd_model_call_ipc_import },
	{ 0x81, "IPC_EXPORT_HANDLE", SIZE(ipc_export_handle), DIR_BOTH, 1, LOCKED, BY_HANDLE,
	  AT(ipc_export_handle, handle), kfd_model_call_ipc_export },
	{ 0x82, "DBG_TRAP_LEGACY", SIZE(dbg_trap_legacy), DIR_BOTH, 1, LOCKED, BY_NOTHING, 0,
	  kfd_model_call_dbg_trap_legacy },
	{ 0x83, "CROSS_MEMORY_COPY", SIZE(cross_memory_copy), DIR_BOTH, 1, UNLOCKED, BY_NOTHING, 0,
	  kfd_model_call_cross_memory_copy },
	{ 0x84, "RLC_SPM", SIZE(spm), DIR_BOTH, 1, UNLOCKED, BY_GPU_ID, AT(spm, gpu_id),
	  kfd_model_call_rlc_spm },
	{ 0x85, "PC_SAMPLE", SIZE(pc_sample), DIR_BOTH, 1, LOCKED, BY_GPU_ID,
	  AT(pc_sample, gpu_id), kfd_model_call_pc_sample },
	{ 0x86, "PROFILER_DKMS", SIZE(profiler), DIR_BOTH, 1, LOCKED, BY_NOTHING, 0,
	  kfd_model_call_profiler_dkms },
	{ 0x87, "AIS_OP", SIZE(ais), DIR_BOTH, 1, LOCKED, BY_HANDLE, 0, kfd_model_call_ais_op },
};
/* clang-format on */

#define ENTRY_COUNT (sizeof(entries) / sizeof(entries[0]))

int kfd_model_ioctl_number(const char *name)
{
	for (size_t i = 0; i < ENTRY_COUNT; i++)
		if (strcmp(entries[i].name, name) == 0)
			return (int)entries[i].nr;
	return -1;
}

static const struct entry *find(const struct kfd_model_scenario *scenario, uint32_t nr, int *rc)
{
	uint32_t minor = kfd_model_scenario_minor(scenario);

	*rc = -ENOTTY;
	if (nr >= DKMS_FIRST && !kfd_model_scenario_dkms(scenario))
		return NULL;
	for (size_t i = 0; i < ENTRY_COUNT; i++)
		if (entries[i].nr == nr)
			return entries[i].since <= minor ? &entries[i] : NULL;
	return NULL;
}

/* More nodes than any topology has. */
#define ABOUT_MAX 129u

/* Topology index of the node that a call is about, for the scenario's rules. */
static uint32_t node_of(const struct entry *entry, struct kfd_model_process *process,
			const char *args)
{
	const struct kfd_model_node *node = NULL;
	struct kfd_model_kfd_queue *queue;
	uint64_t handle;
	uint32_t id;

	switch (entry->gpu_by) {
	case BY_NOTHING:
		break;
	case BY_GPU_ID:
		memcpy(&id, args + entry->gpu_at, sizeof(id));
		node = kfd_model_process_node(process, id);
		break;
	case BY_HANDLE:
		memcpy(&handle, args + entry->gpu_at, sizeof(handle));
		node = kfd_model_process_node(process, (uint32_t)(handle >> 32));
		break;
	case BY_QUEUE:
		memcpy(&id, args + entry->gpu_at, sizeof(id));
		pthread_mutex_lock(&process->queues_lock);
		queue = kfd_model_queue_find(process, id);
		node = queue ? queue->vm->node : NULL;
		pthread_mutex_unlock(&process->queues_lock);
		break;
	}
	return node ? node->index : KFD_MODEL_ANY_NODE;
}

/* As node_of(), and for maps all nodes of the list. @return how many. */
static uint32_t nodes_of(const struct entry *entry, struct kfd_model_process *process,
			 const char *args, uint32_t nodes[ABOUT_MAX])
{
	enum { MAP = 0x18, UNMAP = 0x19 };
	const struct kfd_ioctl_map_memory_to_gpu_args *map = (const void *)args;
	uint32_t ids[ABOUT_MAX], count = 0;

	nodes[count++] = node_of(entry, process, args);
	if ((entry->nr != MAP && entry->nr != UNMAP) || map->n_devices >= ABOUT_MAX ||
	    kfd_model_copy_in(ids, map->device_ids_array_ptr, map->n_devices * sizeof(ids[0])))
		return count;
	for (uint32_t i = 0; i < map->n_devices; i++) {
		const struct kfd_model_node *node = kfd_model_process_node(process, ids[i]);

		if (node)
			nodes[count++] = node->index;
	}
	return count;
}

static int carry_out(const struct entry *entry, struct kfd_model_call *call)
{
	struct kfd_model_process *process = call->process;
	struct kfd_model *model = process->model;
	uint32_t nodes[ABOUT_MAX];
	uint32_t count = nodes_of(entry, process, call->args, nodes);
	int rc = kfd_model_scenario_before(model->scenario, entry->nr, nodes, count);

	if (rc) {
		rc = -rc;
	} else {
		if (entry->locking == LOCKED)
			pthread_mutex_lock(&process->lock);
		rc = entry->handler(call);
		if (entry->locking == LOCKED)
			pthread_mutex_unlock(&process->lock);
	}
	kfd_model_scenario_after(model->scenario, model, entry->nr);
	return rc;
}

/*
 * A call through a descriptor that another process opened. Its tracer may take a checkpoint, as CRIU
 * does, which is handed the descriptors of what it stops.
 */
static int another_ones(const struct kfd_model_file *file, unsigned long request, void *arg)
{
	struct kfd_ioctl_criu_args args = { 0 };
	size_t size = _IOC_SIZE(request) < sizeof(args) ? _IOC_SIZE(request) : sizeof(args);
	const struct entry *entry;
	pid_t tracer;
	int rc;

	entry = find(file->model->scenario, _IOC_NR(request), &rc);
	if (!entry || entry->handler != kfd_model_call_criu_op || file->pid <= 0)
		return -EBADF;
	tracer = kfd_model_status_pid(file->pid, "TracerPid:");
	if (tracer != getpid() && tracer != gettid())
		return -EBADF;
	rc = kfd_model_copy_in(&args, (uintptr_t)arg, size);
	if (rc)
		return rc;
	rc = kfd_model_criu_through(file->pid, &args);
	return kfd_model_copy_out((uintptr_t)arg, &args, size) ? -EFAULT : rc;
}

int kfd_model_ioctl(struct kfd_model_file *file, unsigned long request, void *arg)
{
	_Alignas(16) char fixed[STACK_BYTES] = { 0 };
	struct kfd_model_call call = { .file = file, .args = fixed };
	size_t user_bytes = _IOC_SIZE(request), bytes;
	const struct entry *entry;
	int rc;

	if (file->pid != getpid())
		return another_ones(file, request, arg);
	call.process = file->process;
	call.user_bytes = user_bytes;
	entry = find(file->model->scenario, _IOC_NR(request), &rc);
	if (!entry)
		return rc;
	bytes = user_bytes > entry->size_bytes ? user_bytes : entry->size_bytes;
	if (bytes > sizeof(fixed)) {
		call.args = calloc(1, bytes);
		if (!call.args)
			return -ENOMEM;
	}
	rc = 0;
	if (entry->direction & DIR_IN)
		rc = kfd_model_copy_in(call.args, (uintptr_t)arg, user_bytes);
	if (!rc) {
		rc = carry_out(entry, &call);
		if ((entry->direction & DIR_OUT) &&
		    kfd_model_copy_out((uintptr_t)arg, call.args, user_bytes))
			rc = -EFAULT;
	}
	if (call.args != fixed)
		free(call.args);
	return rc;
}
