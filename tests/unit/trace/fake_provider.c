/* SPDX-License-Identifier: MIT */
/* See fake_provider.h. */
#include "fake_provider.h"

#include <errno.h>
#include <execinfo.h>
#include <string.h>

#include "trace.h"

enum { KEPT_MAX = 256, EVENT_MAX = 8192, STACKS_MAX = 1024 };

/* The events that the tests look at, with how to find their frames. */
#define PLAIN_EVENTS(X)                                                                            \
	X(kmt_hsaKmtOpenKFD_exit)                                                                  \
	X(kmt_hsaKmtGetVersion_exit)                                                               \
	X(kmt_hsaKmtAllocMemory_exit)                                                              \
	X(kmt_hsaKmtFreeMemory_exit)                                                               \
	X(kmt_hsaKmtGetNodeProperties_exit)                                                        \
	X(kmt_hsaKmtWaitOnMultipleEvents_exit)                                                     \
	X(kmt_hsaKmtCreateEvent_exit)                                                              \
	X(kfd_GET_VERSION_exit)                                                                    \
	X(kfd_CREATE_EVENT_exit)                                                                   \
	X(kfd_ALLOC_MEMORY_OF_GPU_exit)                                                            \
	X(kfd_MAP_MEMORY_TO_GPU_exit)                                                              \
	X(kfd_CRIU_OP_exit)                                                                        \
	X(kfd_CRIU_OP_RESTORE_exit)                                                                \
	X(kmt_os_open_entry)                                                                       \
	X(kmt_os_open_exit)                                                                        \
	X(kmt_os_mmap_entry)                                                                       \
	X(kmt_os_mmap_exit)                                                                        \
	X(kmt_os_munmap_exit)                                                                      \
	X(kmt_os_unknown_ioctl_exit)                                                               \
	X(kmt_os_drm_entry)                                                                        \
	X(kmt_os_drm_exit)                                                                         \
	X(kmt_os_files_read)                                                                       \
	X(kmt_state_schema)                                                                        \
	X(kmt_state_begin)                                                                         \
	X(kmt_state_end)                                                                           \
	X(kmt_state_node)                                                                          \
	X(kmt_queue_sample)
#define STACK_EVENTS(X)                                                                            \
	X(kmt_hsaKmtOpenKFD_entry)                                                                 \
	X(kmt_hsaKmtGetVersion_entry)                                                              \
	X(kmt_hsaKmtAllocMemory_entry)                                                             \
	X(kmt_hsaKmtFreeMemory_entry)                                                              \
	X(kmt_hsaKmtGetNodeProperties_entry)                                                       \
	X(kmt_hsaKmtMapMemoryToGPUNodes_entry)                                                     \
	X(kmt_hsaKmtWaitOnMultipleEvents_entry)                                                    \
	X(kmt_hsaKmtCreateEvent_entry)                                                             \
	X(kmt_hsaKmtDestroyEvent_entry)                                                            \
	X(kfd_GET_VERSION_entry)                                                                   \
	X(kfd_CREATE_EVENT_entry)                                                                  \
	X(kfd_ALLOC_MEMORY_OF_GPU_entry)                                                           \
	X(kfd_MAP_MEMORY_TO_GPU_entry)                                                             \
	X(kfd_DBG_TRAP_entry)                                                                      \
	X(kfd_DBG_TRAP_SET_FLAGS_entry)                                                            \
	X(kmt_os_unknown_ioctl_entry)                                                              \
	X(kmt_state_allocation)                                                                    \
	X(kmt_state_event)

struct kept {
	enum trace_event kind;
	_Alignas(uint64_t) unsigned char event[EVENT_MAX];
	uint64_t frames[TRACE_STACK_CAP];
};

static struct kept kept[KEPT_MAX];
static size_t kept_count;
static int states[TRACE_EVENT_COUNT];
static const int *enabled[TRACE_EVENT_COUNT];
static void (*fire[TRACE_EVENT_COUNT])(const void *event);
static int made_up_depth;
static void (*fire_callback)(void);

static struct kept *keep(enum trace_event kind, const void *event, size_t size)
{
	struct kept *one = &kept[kept_count < KEPT_MAX ? kept_count++ : KEPT_MAX - 1];

	one->kind = kind;
	memcpy(one->event, event, size < EVENT_MAX ? size : EVENT_MAX);
	errno = ENXIO; /* what a real provider may leave there */
	if (fire_callback)
		fire_callback();
	return one;
}

#define KEEP_PLAIN(name)                                                                           \
	static void fire_##name(const void *event)                                                 \
	{                                                                                          \
		keep(TRACE_##name, event, sizeof(struct name));                                    \
	}
#define KEEP_STACK(name)                                                                           \
	static void fire_##name(const void *event)                                                 \
	{                                                                                          \
		struct kept *one = keep(TRACE_##name, event, sizeof(struct name));                 \
		struct name *copy = (struct name *)one->event;                                     \
                                                                                                   \
		memcpy(one->frames, copy->bt, copy->bt_len * sizeof(copy->bt[0]));                 \
		copy->bt = one->frames;                                                            \
	}
PLAIN_EVENTS(KEEP_PLAIN)
STACK_EVENTS(KEEP_STACK)

/* All others are only counted. */
static void fire_other(const void *event)
{
	(void)event;
	keep(TRACE_EVENT_COUNT, "", 1);
}

/* Every stack is one of its own; they are kept until the next installation. */
static struct trace_kept_stack numbered[STACKS_MAX];
static uint32_t numbered_count;

static uint32_t stack_number(const uint64_t *frames, int count, bool is_truncated)
{
	struct trace_kept_stack *one = &numbered[numbered_count];

	if (numbered_count == STACKS_MAX)
		return 0;
	one->length = (uint16_t)count;
	one->is_truncated = is_truncated;
	memcpy(one->frames, frames, (size_t)count * sizeof(*frames));
	return ++numbered_count;
}

static uint32_t order;

static bool stack_define(uint32_t number)
{
	return number != 0;
}

static bool stack_get(uint32_t number, struct trace_kept_stack *out)
{
	if (number == 0 || number > numbered_count)
		return false;
	*out = numbered[number - 1];
	return true;
}

static const char *name(enum trace_event event)
{
	return event == TRACE_kmt_hsaKmtCreateEvent_entry ? "hsaKmtCreateEvent_entry" : "other";
}

static int walk(uint64_t *frames, int capacity)
{
	int count;

	count = backtrace((void **)frames, capacity);
	for (int i = count; made_up_depth && i < capacity && i < made_up_depth; i++, count++)
		frames[i] = 0x1000 + (uint64_t)i;
	errno = ENXIO;
	return count;
}

static const char *walker(void)
{
	return "fake";
}

static __thread uint32_t depth;

static uint32_t *device_depth(void)
{
	return &depth;
}

static void incident(enum trace_incident kind, const char *call, int32_t status)
{
	(void)kind;
	(void)call;
	(void)status;
}

static void attach(const struct trace_host *host)
{
	(void)host;
}

static const struct trace_provider provider = {
	.version = TRACE_PROVIDER_VERSION,
	.event_count = TRACE_EVENT_COUNT,
	.schema_hash = TRACE_SCHEMA_HASH,
	.library = "test",
	.walker = walker,
	.enabled = enabled,
	.fire = fire,
	.walk = walk,
	.name = name,
	.stack_number = stack_number,
	.stack_define = stack_define,
	.order = &order,
	.stack_get = stack_get,
	.device_depth = device_depth,
	.incident = incident,
	.attach = attach,
};

void fake_provider_install(void)
{
	for (int i = 0; i < TRACE_EVENT_COUNT; i++) {
		states[i] = 0;
		enabled[i] = &states[i];
		fire[i] = fire_other;
	}
#define SET(name) fire[TRACE_##name] = fire_##name;
	PLAIN_EVENTS(SET)
	STACK_EVENTS(SET)
#undef SET
	fake_provider_forget();
	made_up_depth = 0;
	numbered_count = 0;
	fire_callback = NULL;
	memset(&trace_thread, 0, sizeof(trace_thread));
	trace_provider = &provider;
}

void fake_provider_remove(void)
{
	trace_provider = NULL;
}

void fake_provider_enable(enum trace_event event, bool is_enabled)
{
	states[event] = is_enabled;
}

void fake_provider_enable_all(void)
{
	for (int i = 0; i < TRACE_EVENT_COUNT; i++)
		states[i] = 1;
}

size_t fake_provider_count(enum trace_event event)
{
	size_t count = 0;

	for (size_t i = 0; i < kept_count; i++)
		count += kept[i].kind == event;
	return count;
}

size_t fake_provider_total(void)
{
	return kept_count;
}

enum trace_event fake_provider_kind(size_t index)
{
	return index < kept_count ? kept[index].kind : TRACE_EVENT_COUNT;
}

const void *fake_provider_event(enum trace_event event, size_t index)
{
	for (size_t i = 0; i < kept_count; i++) {
		if (kept[i].kind == event && index-- == 0)
			return kept[i].event;
	}
	return NULL;
}

void fake_provider_forget(void)
{
	kept_count = 0;
}

void fake_provider_set_depth(int frames)
{
	made_up_depth = frames;
}

void fake_provider_on_fire(void (*callback)(void))
{
	fire_callback = callback;
}
