/* SPDX-License-Identifier: MIT */
/*
 * The library's state as events: the schema first, then the nodes and all that is alive, so that a
 * recording which starts late knows as much as one that was there from the beginning. A dump may be
 * repeated; the reader treats it as a statement of what is, not as news.
 *
 * The walks hold the locks of their modules while they emit. That is safe because an emission
 * takes no lock of the library, and because the dump runs in a thread of its own
 * (tracepoints/statedump.c).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "maker.h"
#include "memory/fmm.h"
#include "openclose/process.h"
#include "queue/queue.h"
#include "sampler/sampler.h"
#include "smi/smi.h"
#include "topology/topology.h"
#include "trace.h"
#include "values.h"

struct dump {
	const struct trace_provider *provider;
	uint64_t number;
	const struct kmt_context *ctx;
	uint32_t nodes, allocations, queues, events;
};

enum { CONTEXTS_MAX = 64 }; /* secondary contexts that a dump tells about */

static int is_inherited; /* forked, and not opened anew as far as is known */
static uint64_t dump_count;

static void emit(const struct trace_provider *provider, enum trace_event number, const void *event)
{
	if (trace_enabled(provider, number))
		provider->fire[number](event);
}

struct trace_schema_origin trace_schema_origin(void)
{
	return (struct trace_schema_origin){
		.library = "kfdscope " KFDSCOPE_VERSION,
		.kfd_major = kmt_process()->kfd_major,
		.kfd_minor = kmt_process()->kfd_minor,
	};
}

/* Each context has a device and a descriptor of its own. */
bool sampler_ends_with(int queue_fd, int closed_fd)
{
	return queue_fd == closed_fd;
}

static void emit_shown_node(struct dump *dump, const struct kmt_node_info *info)
{
	const HsaNodeProperties *node = info->properties;
	struct kmt_state_node event = { .dump = dump->number, .ctx = dump->ctx->id };

	event.node_id = info->node_id;
	event.topology_node = info->sysfs_id;
	event.gpu_id = info->gpu_id;
	event.gfx = info->gfx;
	trace_text(event.name, sizeof(event.name), node->AMDName, sizeof(node->AMDName));
	event.vendor_id = node->VendorId;
	event.device_id = node->DeviceId;
	event.domain = info->domain;
	event.location_id = info->location_id;
	event.render_minor = node->DrmRenderMinor;
	event.cpu_cores = node->NumCPUCores;
	event.simds = node->NumFComputeCores;
	event.xccs = node->NumXcc;
	event.banks = node->NumMemoryBanks;
	event.caches = node->NumCaches;
	event.links = node->NumIOLinks;
	event.local_mem_bytes = node->LocalMemSize;
	event.hive_id = node->HiveID;
	event.unique_id = node->UniqueID;
	event.cp_queues = node->NumCpQueues;
	event.sdma_engines = node->NumSdmaEngines;
	event.sdma_xgmi_engines = node->NumSdmaXgmiEngines;
	event.sdma_queues_per_engine = node->NumSdmaQueuesPerEngine;
	emit(dump->provider, TRACE_kmt_state_node, &event);
	dump->nodes++;
}

static void emit_hidden_node(const struct dump *dump, const struct kmt_node_info *info)
{
	const struct kmt_state_hidden_node event = {
		.dump = dump->number,
		.ctx = dump->ctx->id,
		.topology_node = info->sysfs_id,
		.gpu_id = info->gpu_id,
		.domain = info->domain,
		.location_id = info->location_id,
		.render_minor = (int32_t)info->render_minor,
		.os_errno = info->hidden_errno,
	};

	emit(dump->provider, TRACE_kmt_state_hidden_node, &event);
}

static void emit_node(const struct kmt_node_info *info, void *data)
{
	if (info->properties)
		emit_shown_node(data, info);
	else
		emit_hidden_node(data, info);
}

/* The caller holds the global lock. */
static void emit_nodes(struct dump *dump)
{
	if (kmt_context_usable(dump->ctx))
		kmt_topology_for_each_node(dump->ctx, emit_node, dump);
}

static void fill_gpus(uint64_t *count, uint8_t *is_truncated, uint16_t *length, uint32_t *to,
		      size_t capacity, const uint32_t *from, uint32_t from_count)
{
	*count = from_count;
	*is_truncated = from_count > capacity;
	*length = (uint16_t)(*is_truncated ? capacity : from_count);
	if (from && *length)
		memcpy(to, from, *length * sizeof(*to));
	else
		*length = 0;
}

static void emit_allocation(const struct kmt_object_info *info, void *data)
{
	struct dump *dump = data;
	struct kmt_state_allocation event;
	struct trace_made_by by;
	const size_t capacity = sizeof(event.handles) / sizeof(event.handles[0]);

	memset(&event, 0, offsetof(struct kmt_state_allocation, handles));
	event.dump = dump->number;
	event.ctx = dump->ctx->id;
	event.gpu_va = info->gpu_va;
	event.size_bytes = info->size_bytes;
	event.node_id = info->node_id;
	event.gpu_id = info->gpu_id;
	event.MemFlags = raw_HsaMemFlags(info->flags);
	event.ioctl_flags = info->ioctl_flags;
	event.user_ptr = info->user_ptr;
	event.user_size_bytes = info->user_size_bytes;
	event.registrations = info->registrations;
	event.mappings = info->mappings;
	event.is_import = info->is_import;
	event.is_internal = info->is_internal;
	trace_maker_tell(info->origin, &by);
	TRACE_MAKER_FILL(&event, &by);
	event.handles_count = info->handle_count;
	event.handles_truncated = info->handle_count > capacity;
	event.handles_len = (uint16_t)(event.handles_truncated ? capacity : info->handle_count);
	if (info->handles)
		memcpy(event.handles, info->handles, event.handles_len * sizeof(event.handles[0]));
	else
		event.handles_len = 0;
	fill_gpus(&event.registered_gpu_ids_count, &event.registered_gpu_ids_truncated,
		  &event.registered_gpu_ids_len, event.registered_gpu_ids, capacity,
		  info->registered_gpus, info->registered_count);
	fill_gpus(&event.mapped_gpu_ids_count, &event.mapped_gpu_ids_truncated,
		  &event.mapped_gpu_ids_len, event.mapped_gpu_ids, capacity, info->mapped_gpus,
		  info->mapped_count);
	emit(dump->provider, TRACE_kmt_state_allocation, &event);
	dump->allocations++;
}

static void emit_queue(const struct kmt_queue_info *info, void *data)
{
	struct dump *dump = data;
	struct trace_made_by by;
	struct kmt_state_queue event = {
		.dump = dump->number,
		.ctx = dump->ctx->id,
		.queue_id = info->handle,
		.kernel_queue_id = info->kernel_id,
		.node_id = info->node_id,
		.gpu_id = info->gpu_id,
		.type = (int32_t)info->type,
		.priority = info->priority,
		.percentage = info->percentage,
		.ring_va = info->ring_va,
		.ring_size_bytes = info->ring_size_bytes,
		.read_ptr_va = info->read_ptr_va,
		.write_ptr_va = info->write_ptr_va,
		.doorbell_va = info->doorbell_va,
		.eop_va = info->eop_va,
		.eop_size_bytes = info->eop_size_bytes,
		.cwsr_va = info->cwsr_va,
		.cwsr_size_bytes = info->cwsr_size_bytes,
	};

	trace_maker_tell(info->origin, &by);
	TRACE_MAKER_FILL(&event, &by);
	emit(dump->provider, TRACE_kmt_state_queue, &event);
	dump->queues++;
}

static void emit_event(const struct kmt_event_info *info, void *data)
{
	struct dump *dump = data;
	struct trace_made_by by;
	struct kmt_state_event event = {
		.dump = dump->number,
		.ctx = dump->ctx->id,
		.event = info->address,
		.event_id = info->event_id,
		.type = (int32_t)info->type,
		.node_id = info->node_id,
		.auto_reset = info->auto_reset,
	};

	trace_maker_tell(info->origin, &by);
	TRACE_MAKER_FILL(&event, &by);
	emit(dump->provider, TRACE_kmt_state_event, &event);
	dump->events++;
}

/* The caller holds the global lock, so that the context is not closed meanwhile. */
static void dump_context(struct dump *all, struct kmt_context *ctx, bool has_objects)
{
	struct dump dump = { .provider = all->provider, .number = all->number, .ctx = ctx };
	const struct kmt_state_begin begin = { .dump = dump.number, .ctx = ctx->id };
	struct kmt_state_end end = { .dump = dump.number, .ctx = ctx->id };

	emit(dump.provider, TRACE_kmt_state_begin, &begin);
	if (has_objects && kmt_context_usable(ctx)) {
		emit_nodes(&dump);
		kmt_fmm_for_each(ctx, emit_allocation, &dump);
		kmt_queue_for_each(ctx, emit_queue, &dump);
		kmt_event_for_each(ctx, emit_event, &dump);
	}
	end.nodes = dump.nodes;
	end.allocations = dump.allocations;
	end.queues = dump.queues;
	end.events = dump.events;
	emit(dump.provider, TRACE_kmt_state_end, &end);
}

static void dump_all(struct dump *dump)
{
	struct kmt_context *secondaries[CONTEXTS_MAX];
	size_t count;

	/*
	 * What a child inherited is no longer its own, and until the library's fork handler has run
	 * the global lock is the parent's: stay away from both.
	 */
	if (__atomic_load_n(&is_inherited, __ATOMIC_ACQUIRE)) {
		if (!kmt_context_usable(kmt_primary()))
			__atomic_store_n(&is_inherited, 0, __ATOMIC_RELEASE);
		dump_context(dump, kmt_primary(), false);
		return;
	}
	kmt_global_lock();
	dump_context(dump, kmt_primary(), true);
	count = kmt_secondary_list(secondaries, CONTEXTS_MAX);
	for (size_t i = 0; i < count; i++)
		dump_context(dump, secondaries[i], true);
	kmt_global_unlock();
}

void trace_state_dump(void)
{
	struct dump dump = { .provider = trace_provider_get() };
	struct trace_thread *thread = &trace_thread;

	if (!dump.provider || thread->busy)
		return;
	thread->busy = true;
	dump.number = __atomic_add_fetch(&dump_count, 1, __ATOMIC_RELAXED);
	trace_schema_emit(dump.provider);
	smi_dump(dump.provider);
	dump_all(&dump);
	thread->busy = false;
}

void trace_state_forked(void)
{
	trace_schema_forget();
	sampler_forked();
	smi_forked();
	__atomic_store_n(&is_inherited, 1, __ATOMIC_RELEASE);
}

void trace_opened(struct kmt_context *ctx, HSAKMT_STATUS status)
{
	const struct trace_provider *provider = trace_provider_get();
	struct trace_thread *thread = &trace_thread;
	int saved_errno = errno;

	(void)ctx;
	if (status != HSAKMT_STATUS_SUCCESS || !provider || thread->busy)
		return;
	thread->busy = true;
	__atomic_store_n(&is_inherited, 0, __ATOMIC_RELEASE);
	trace_schema_emit(provider);
	thread->busy = false;
	errno = saved_errno;
}

void trace_nodes_known(struct kmt_context *ctx, HSAKMT_STATUS status)
{
	struct trace_thread *thread = &trace_thread;
	struct dump dump = { .provider = trace_provider_get(), .ctx = ctx };
	int saved_errno = errno;

	if (status != HSAKMT_STATUS_SUCCESS || !dump.provider || thread->busy ||
	    !trace_enabled(dump.provider, TRACE_kmt_state_node))
		return;
	thread->busy = true;
	kmt_global_lock();
	emit_nodes(&dump);
	kmt_global_unlock();
	thread->busy = false;
	errno = saved_errno;
}
