/* SPDX-License-Identifier: MIT */
/*
 * What recordings are told that a program without our library makes: who records, the nodes as sysfs
 * has them, and what is alive when a recording starts.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maker.h"
#include "preload/preload.h"
#include "sampler/sampler.h"
#include "smi/smi.h"

#define NODES_PATH "/sys/class/kfd/kfd/topology/nodes"

enum { NODES_MAX = 256 }; /* read at most */

struct dump {
	const struct trace_provider *provider;
	uint64_t number;
	uint32_t nodes, allocations, queues, events;
};

static uint64_t dump_count;
static int nodes_are_told;

struct trace_schema_origin trace_schema_origin(void)
{
	struct trace_schema_origin origin = { .library = "kfdscope preload " KFDSCOPE_VERSION };

	preload_live_version(&origin.kfd_major, &origin.kfd_minor);
	return origin;
}

static void emit(const struct trace_provider *provider, enum trace_event number, const void *event)
{
	if (trace_enabled(provider, number))
		provider->fire[number](event);
}

/* Through open(), so that a simulation beneath us answers. @return false when it cannot be read. */
static bool read_text(uint32_t node_id, const char *file, char *to, size_t size)
{
	char path[128];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), NODES_PATH "/%u/%s", node_id, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, to, size - 1);
		close(fd);
	}
	to[length > 0 ? length : 0] = '\0';
	return length >= 0;
}

/* A line "NAME NUMBER" of a node's properties; 0 when it is not there. */
static uint64_t property(const char *text, const char *name)
{
	const size_t length = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0 && line[length] == ' ')
			return strtoull(line + length, NULL, 10);
	}
	return 0;
}

/* Target versions are decimal, two digits a part (topology.md); the event has them as IP versions. */
static uint32_t gfx_of(uint64_t target)
{
	return (uint32_t)(target / 10000 << 16 | target / 100 % 100 << 8 | target % 100);
}

static bool emit_node(struct dump *dump, uint32_t node_id)
{
	struct kmt_state_node event = { .dump = dump->number,
					.node_id = node_id,
					.topology_node = node_id };
	char text[4096];

	if (!read_text(node_id, "gpu_id", text, sizeof(text)))
		return false;
	event.gpu_id = (uint32_t)strtoul(text, NULL, 10);
	if (read_text(node_id, "name", text, sizeof(text)))
		trace_text(event.name, sizeof(event.name), text, strcspn(text, "\n"));
	if (read_text(node_id, "properties", text, sizeof(text))) {
		event.gfx = gfx_of(property(text, "gfx_target_version"));
		event.vendor_id = (uint16_t)property(text, "vendor_id");
		event.device_id = (uint16_t)property(text, "device_id");
		event.domain = (uint32_t)property(text, "domain");
		event.location_id = (uint32_t)property(text, "location_id");
		event.render_minor = (int32_t)property(text, "drm_render_minor");
		event.cpu_cores = (uint32_t)property(text, "cpu_cores_count");
		event.simds = (uint32_t)property(text, "simd_count");
		event.xccs = (uint32_t)property(text, "num_xcc");
		event.banks = (uint32_t)property(text, "mem_banks_count");
		event.caches = (uint32_t)property(text, "caches_count");
		event.links = (uint32_t)property(text, "io_links_count");
		event.local_mem_bytes = property(text, "local_mem_size");
		event.hive_id = property(text, "hive_id");
		event.unique_id = property(text, "unique_id");
	}
	emit(dump->provider, TRACE_kmt_state_node, &event);
	dump->nodes++;
	return true;
}

static void emit_nodes(struct dump *dump)
{
	if (!trace_enabled(dump->provider, TRACE_kmt_state_node))
		return;
	for (uint32_t i = 0; i < NODES_MAX && emit_node(dump, i); i++)
		;
}

/* The KFD knows no nodes of memory, nor the flags that the program asked for. */
static void emit_bo(const struct preload_bo *bo, void *data)
{
	struct dump *dump = data;
	struct kmt_state_allocation event;
	struct trace_made_by by;

	memset(&event, 0, offsetof(struct kmt_state_allocation, handles));
	event.dump = dump->number;
	event.gpu_va = bo->address;
	event.size_bytes = bo->size_bytes;
	event.node_id = UINT32_MAX;
	event.gpu_id = bo->gpu_id;
	event.ioctl_flags = bo->flags;
	event.is_import = bo->is_import;
	event.handles_count = 1;
	event.handles_len = 1;
	event.handles[0] = bo->handle;
	trace_maker_tell(bo->maker, &by);
	TRACE_MAKER_FILL(&event, &by);
	emit(dump->provider, TRACE_kmt_state_allocation, &event);
	dump->allocations++;
}

static void emit_queue(const struct preload_queue *queue, void *data)
{
	struct dump *dump = data;
	struct trace_made_by by;
	struct kmt_state_queue event = {
		.dump = dump->number,
		.queue_id = queue->id,
		.kernel_queue_id = queue->id,
		.node_id = UINT32_MAX,
		.gpu_id = queue->gpu_id,
		.type = (int32_t)queue->type,
		.priority = queue->priority,
		.percentage = queue->percentage,
		.ring_va = queue->ring,
		.ring_size_bytes = queue->ring_size_bytes,
		.read_ptr_va = queue->read_pointer,
		.write_ptr_va = queue->write_pointer,
		.eop_va = queue->eop,
		.eop_size_bytes = queue->eop_size_bytes,
		.cwsr_va = queue->save_area,
		.cwsr_size_bytes = queue->save_area_size_bytes,
	};

	trace_maker_tell(queue->maker, &by);
	TRACE_MAKER_FILL(&event, &by);
	emit(dump->provider, TRACE_kmt_state_queue, &event);
	dump->queues++;
}

static void emit_event(const struct preload_event *source, void *data)
{
	struct dump *dump = data;
	struct trace_made_by by;
	struct kmt_state_event event = {
		.dump = dump->number,
		.event_id = source->id,
		.type = (int32_t)source->type,
		.node_id = source->node_id,
		.auto_reset = source->auto_reset,
	};

	trace_maker_tell(source->maker, &by);
	TRACE_MAKER_FILL(&event, &by);
	emit(dump->provider, TRACE_kmt_state_event, &event);
	dump->events++;
}

static void dump_state(void)
{
	static const struct preload_visitor visitor = { emit_bo, emit_queue, emit_event };
	struct dump dump = { .provider = trace_provider_get() };
	struct kmt_state_begin begin = { 0 };
	struct kmt_state_end end = { 0 };
	struct trace_thread *thread = &trace_thread;

	if (!dump.provider || thread->busy)
		return;
	thread->busy = true;
	begin.dump = end.dump = dump.number = __atomic_add_fetch(&dump_count, 1, __ATOMIC_RELAXED);
	trace_schema_emit(dump.provider);
	emit(dump.provider, TRACE_kmt_state_begin, &begin);
	/* Programs that never open the KFD are told nothing of its nodes. */
	if (__atomic_load_n(&nodes_are_told, __ATOMIC_RELAXED))
		emit_nodes(&dump);
	preload_live_visit(&visitor, &dump);
	smi_dump(dump.provider);
	end.nodes = dump.nodes;
	end.allocations = dump.allocations;
	end.queues = dump.queues;
	end.events = dump.events;
	emit(dump.provider, TRACE_kmt_state_end, &end);
	thread->busy = false;
}

/* The descriptors are copies of one, or might be: queues live as long as one of them. */
bool sampler_ends_with(int queue_fd, int closed_fd)
{
	(void)queue_fd;
	for (int fd = 0; fd < PRELOAD_FDS_MAX; fd++) {
		if (fd != closed_fd && preload_kind(fd) == PRELOAD_KFD)
			return false;
	}
	return true;
}

void preload_opened(void)
{
	struct dump dump = { .provider = trace_provider_get() };
	struct trace_thread *thread = &trace_thread;
	int saved_errno = errno;

	if (!dump.provider || thread->busy || !preload_records())
		return;
	thread->busy = true;
	trace_schema_emit(dump.provider);
	if (!__atomic_exchange_n(&nodes_are_told, 1, __ATOMIC_RELAXED))
		emit_nodes(&dump);
	thread->busy = false;
	errno = saved_errno;
}

static void forked(void)
{
	trace_schema_forget();
	preload_live_forked();
	sampler_forked();
	smi_forked();
	__atomic_store_n(&nodes_are_told, 0, __ATOMIC_RELAXED);
}

static void __attribute__((constructor)) preload_init(void)
{
	static const struct trace_host host = { .dump = dump_state, .forked = forked };
	const struct trace_provider *provider = dlsym(RTLD_DEFAULT, TRACE_PROVIDER_SYMBOL);

	(void)pthread_atfork(NULL, NULL, preload_fds_forked);
	if (provider && !trace_provider_mismatch(provider))
		provider->attach(&host);
}
