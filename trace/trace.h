/* SPDX-License-Identifier: MIT */
/*
 * The tracing side of the library: what the public entries and the device decorator call. Without a
 * provider object every site costs one load and one predictable branch; all else is out of line.
 *
 * Nothing here blocks, allocates or changes errno, and an event that is being made never makes
 * another one (a thread's busy flag).
 */
#ifndef KFDSCOPE_TRACE_TRACE_H
#define KFDSCOPE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "provider.h"

/* One API call that is being traced; lives on the caller's stack. number 0: its entry was not. */
struct trace_call {
	uint64_t number;
	uint64_t outer_number; /* of the call around this one on the thread; 0 for none */
	int32_t outer_errno;
	bool outer_has_stack;
	int32_t os_errno; /* of the last system call that failed within, set by trace_call_end() */
};

/* Files that were read and are not told yet (reads.c). */
struct trace_reads {
	int32_t node; /* of the topology; -1: none */
	uint32_t files, directories, failed;
	uint64_t bytes, busy_ns;
};

/* The last API call that began in a thread; it need not be there any more unless stack is set. */
struct trace_maker {
	const void *caller; /* its return address; NULL: none */
	enum trace_event entry;
	uint32_t stack; /* number of the stack that a recording got; 0: none, or it has ended */
};

/* A thread's share. */
struct trace_thread {
	uint64_t api_calls, device_calls; /* counted while something is recorded */
	uint64_t api_call;                /* the current API call, 0 for none */
	int32_t os_errno;
	int32_t saved_errno; /* the caller's, while busy */
	bool api_has_stack;  /* the current API call's entry recorded one */
	bool busy;           /* an event is being made */
	bool has_reads;
	struct trace_reads reads;
	/* Where a function in front of the device's operations was called from; NULL: there is none. */
	const void *caller;
	struct trace_maker maker; /* of what the current API call makes (maker.h) */
};

/* The provider in use; NULL: not traced. Set by attach.c only. */
extern const struct trace_provider *trace_provider __attribute__((visibility("hidden")));
/* Initial-exec, since the usual model may allocate memory on a thread's first access. */
extern __thread struct trace_thread trace_thread
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline const struct trace_provider *trace_provider_get(void)
{
	return __atomic_load_n(&trace_provider, __ATOMIC_ACQUIRE);
}

/* True when a recording has the event enabled. */
static inline bool trace_enabled(const struct trace_provider *provider, enum trace_event event)
{
	return __atomic_load_n(provider->enabled[event], __ATOMIC_RELAXED) != 0;
}

/* True when one of two events is enabled. */
static inline bool trace_wanted(enum trace_event one, enum trace_event other)
{
	const struct trace_provider *provider = trace_provider_get();

	return __builtin_expect(provider != NULL, 0) &&
	       (trace_enabled(provider, one) || trace_enabled(provider, other));
}

/* The same where a function is entered: says who makes what the function makes. */
static inline bool trace_call_wanted(const void *caller, enum trace_event entry,
				     enum trace_event leave)
{
	const struct trace_provider *provider = trace_provider_get();

	if (__builtin_expect(provider == NULL, 1))
		return false;
	trace_thread.maker = (struct trace_maker){ .caller = caller, .entry = entry };
	return trace_enabled(provider, entry) || trace_enabled(provider, leave);
}

/*
 * Begins an API call: numbers it and makes it the thread's current one.
 * @return true when the entry event is to be made; then trace_call_fire() ends the making.
 */
bool trace_call_begin(struct trace_call *call, enum trace_event entry);
/* Ends it. @return true when the exit event is to be made; then trace_call_fire() must follow. */
bool trace_call_end(struct trace_call *call, enum trace_event leave);
/* For an event that is numbered elsewhere. @return as the two above. */
bool trace_point_begin(enum trace_event number);
/* Hands an event over that trace_call_begin() or _end() allowed. */
void trace_call_fire(enum trace_event number, const void *event);

/*
 * Tells the provider that a call failed, or brought a fault; after the event that records it.
 *
 * @param call    its name.
 * @param status  HSAKMT_STATUS, or an errno value of an ioctl.
 */
void trace_incident(enum trace_incident kind, const char *call, int32_t status);

/* The same for one call of the device: an ioctl or another system call. */
struct trace_device_call {
	uint64_t number, api_call;
	const void *caller; /* return address of the decorator */
};
/* Numbers a device call. @return true when its entry event is to be made. */
bool trace_device_begin(struct trace_device_call *call, const void *caller, enum trace_event entry);
/*
 * Ends it.
 *
 * @param os_errno  of the call, 0 when it succeeded; kept for the API call around it.
 * @return true when the exit event is to be made.
 */
bool trace_device_end(struct trace_device_call *call, enum trace_event leave, int os_errno);

/* A stack walk: frames from first_frame on are the caller's. */
struct trace_stack {
	uint64_t frames[TRACE_STACK_CAP + TRACE_STACK_OWN];
	const uint64_t *first;
	uint16_t length;
	uint8_t is_truncated;
	uint32_t number; /* the same for equal ones; 0: none */
	/* What an event carries: the frames, or the number of a stack that has been defined. */
	uint16_t inline_length;
	uint32_t defined;
};
/* Where stacks are recorded (KFDSCOPE_STACKS) and how deep (KFDSCOPE_STACK_DEPTH). */
enum trace_stacks_at {
	TRACE_STACKS_API = 1,    /* in entries of API calls */
	TRACE_STACKS_IOCTL = 2,  /* in every ioctl's entry */
	TRACE_STACKS_ALONE = 4,  /* in ioctls inside no API call that has one */
	TRACE_STACKS_MEMORY = 8, /* in entries of API calls that change memory */
};
struct trace_options {
	uint32_t stack_depth; /* 0 to TRACE_STACK_CAP */
	uint32_t stacks_at;   /* of TRACE_STACKS_* */
	uint32_t queue_hz;    /* samples of queues a second; 0: none (KFDSCOPE_QUEUE_HZ) */
	bool smi;             /* the driver's event streams are read (KFDSCOPE_SMI) */
	bool interns;         /* events carry numbers of stacks (KFDSCOPE_STACKS=interned) */
	bool keeps;           /* objects remember who made them (KFDSCOPE_KEEP_STACKS) */
};
/* What the environment says; the defaults before trace_options_read(). */
const struct trace_options *trace_options(void);
/* Reads the environment. Called once, when the library is loaded. */
void trace_options_read(void);
/* How many frames are to be walked when any of the TRACE_STACKS_* is wanted; 0: none. */
int trace_stack_capacity(uint32_t at);
/*
 * Drops the frames inside the library.
 *
 * @param caller  return address of the public function: the first frame kept.
 * @param capacity, count  of the walk.
 */
void trace_stack_cut(struct trace_stack *stack, const void *caller, int capacity, int count);

/* Inlined, since each frame of our own is walked like the program's (tests/bench/bare.c). */
static inline __attribute__((always_inline)) void trace_stack_walk(struct trace_stack *stack,
								   const void *caller, uint32_t at)
{
	const struct trace_provider *provider = trace_provider_get();
	const int capacity = provider ? trace_stack_capacity(at) : 0;

	trace_stack_cut(stack, caller, capacity,
			capacity ? provider->walk(stack->frames, capacity) : 0);
}

/* Walks the stack for an API call's entry. @param caller  as above */
static inline __attribute__((always_inline)) void trace_stack_of_call(struct trace_stack *stack,
								      const void *caller)
{
	trace_stack_walk(stack, caller, TRACE_STACKS_API);
	trace_thread.api_has_stack = stack->length > 0;
	trace_thread.maker.stack = stack->number;
}

/* The same for a call that changes memory. */
static inline __attribute__((always_inline)) void trace_stack_of_memory_call(
	struct trace_stack *stack, const void *caller)
{
	trace_stack_walk(stack, caller, TRACE_STACKS_MEMORY);
	trace_thread.api_has_stack = stack->length > 0;
	trace_thread.maker.stack = stack->number;
}
/* The same for a device call; empty when the API call around it has recorded its stack. */
void trace_stack_of_device_call(struct trace_stack *stack, const struct trace_device_call *call);

/* Looks for a provider, and loads the one that KFDSCOPE_PROVIDER names. Once; harmless later. */
void trace_attach(void);

/* Records what the thunk says from now on (messages.c). */
void messages_begin(void);
/* After the first open: the schema once more, now with the KFD's version. */
void trace_opened(struct kmt_context *ctx, HSAKMT_STATUS status);
/* Tells a recording about the nodes after their first acquisition. */
void trace_nodes_known(struct kmt_context *ctx, HSAKMT_STATUS status);
/* What one of our objects says of itself in kmt_state:schema; each has one of its own. */
struct trace_schema_origin {
	const char *library;
	uint32_t kfd_major, kfd_minor; /* 0: not known yet */
};
struct trace_schema_origin trace_schema_origin(void);
/* Emits kmt_state:schema. Inside the making of an event. */
void trace_schema_emit(const struct trace_provider *provider);
/* In a forked child: the schema is news again. */
void trace_schema_forget(void);
/* Emits kmt_state:schema unless this process has done so. Inside the making of an event. */
void trace_schema_once(const struct trace_provider *provider);
/* Emits the whole state (state.def). Called by the provider in a thread of its own. */
void trace_state_dump(void);
/* In a forked child, before anything else: the schema is news again, and nothing is alive. */
void trace_state_forked(void);

/* Whether reads of files are to be measured. */
bool trace_reads_wanted(void);
/* Now, for them. */
uint64_t trace_reads_now_ns(void);
/*
 * Adds a file or directory that was read.
 *
 * @param began_ns  trace_reads_now_ns() before it.
 * @param ret       bytes of a file, entries of a directory, or -errno.
 */
void trace_reads_add(const struct device *dev, const char *path, bool is_directory,
		     uint64_t began_ns, int64_t ret);
/* Tells what was added since the last time. */
void trace_reads_flush(void);

/* The events around an open() made for the device; each enter has its leave. @param ret  or -errno */
void trace_open_enter(struct trace_device_call *call, const void *caller, const char *path,
		      int flags);
void trace_open_leave(struct trace_device_call *call, int ret);

/* Decorates a device's operations; given to device_set_decorator(). */
void trace_device_decorate(struct device *dev);

#endif
