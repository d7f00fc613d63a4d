/* SPDX-License-Identifier: MIT */
/*
 * A record: one event of a recording, decoded once, in the only form that the model knows. Whoever
 * reads recordings (the babeltrace2 plugin, the text reader of the tests) makes records; nothing
 * below this line knows where they came from.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_RECORD_H
#define KFDSCOPE_ANALYSIS_MODEL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"

enum record_kind {
	RECORD_OTHER, /* not ours; only counted */
	RECORD_CALL_ENTRY,
	RECORD_CALL_EXIT,
	RECORD_SCHEMA,     /* MAJOR, MINOR, PPID, MEMLOCK, OPEN_COUNT; text: command line */
	RECORD_DUMP_BEGIN, /* the live objects of a process follow */
	RECORD_DUMP_NODE,  /* NODE, GPU; text: name */
	RECORD_DUMP_ALLOC,
	RECORD_DUMP_QUEUE,
	RECORD_DUMP_EVENT,
	RECORD_DUMP_REQUEST,  /* what the program holds of the runtime above */
	RECORD_DUMP_REQUESTS, /* all of it was told */
	RECORD_DUMP_END,
	RECORD_STACK,         /* STACK_ID, TRUNCATED, stack: what the id stands for from now on */
	RECORD_QUEUE_SAMPLE,  /* all in the reader (queue_activity.h) */
	RECORD_DRIVER_STREAM, /* these three, too (driver_events.h) */
	RECORD_DRIVER_EVENT,
	RECORD_DRIVER_RAW,
	RECORD_FORKED,        /* first event of a child; PPID */
	RECORD_PROCESS_EXIT,  /* EXIT_CODE or SIGNAL where known */
	RECORD_MODULES_BEGIN, /* a listing of all modules follows */
	RECORD_MODULE,        /* ADDRESS (base), SIZE; text: path; build id if known */
	RECORD_MODULE_ID,     /* ADDRESS (base), build id */
	RECORD_MODULE_GONE,   /* ADDRESS (base) */
	RECORD_MODULES_END,
	RECORD_FILES_READ, /* all that is said of it is in the reader */
	RECORD_MESSAGE,    /* these two, too (messages.h) */
	RECORD_DUMP_HIDDEN,
	RECORD_CLOCK_PAIR, /* GUEST, BEFORE, HOST_TIME, AFTER */
	RECORD_LOST,       /* LOST events lost from time_ns to UNTIL; vpid 0: of any process */
};

/* Which border a call crosses, outermost first in a chain of calls. */
enum layer {
	LAYER_HIP,     /* hip*, and other runtimes on top of HSA */
	LAYER_HSA,     /* hsa_* */
	LAYER_GUEST,   /* vhsaKmt*, in a virtual machine */
	LAYER_COMMAND, /* what a guest waits for */
	LAYER_HOST,    /* what its host does for it */
	LAYER_API,     /* hsaKmt* */
	LAYER_IOCTL,   /* KFD */
	LAYER_OS,      /* mmap, munmap … made for the device */
	LAYER_COUNT,
};

/* What a call does to the objects of the model; the list is call.def. */
enum call_op {
	OP_OTHER,
	OP_OPEN,
	OP_OPEN_SECONDARY,
	OP_CLOSE,
	OP_CLOSE_SECONDARY,
	OP_ACQUIRE_PROPERTIES,
	OP_RELEASE_PROPERTIES,
	OP_ALLOC,
	OP_FREE,
	OP_MAP,
	OP_UNMAP,
	OP_REGISTER,
	OP_DEREGISTER,
	OP_SHARE,
	OP_IMPORT,
	OP_EXPORT,
	OP_QUEUE_CREATE,
	OP_QUEUE_DESTROY,
	OP_EVENT_CREATE,
	OP_EVENT_DESTROY,
	OP_WAIT,
	OP_BO_ALLOC,
	OP_BO_FREE,
	OP_BO_MAP,
	OP_BO_UNMAP,
	OP_BO_IMPORT,
	OP_BO_EXPORT,
	OP_BO_WAIT,
	OP_CHECKPOINT,
	OP_RESTORE,
	OP_GUEST_CLOSE,
	OP_HOST_COMMAND,
	OP_GUEST_GONE,
};

enum field {
#define FIELD(name, text) FIELD_##name,
#include "field.def"
#undef FIELD
	FIELD_COUNT
};

/* A function, ioctl or system call by name. Interned: equal names give equal pointers. */
struct call_type {
	const char *name; /* borrowed (as long as the model) */
	enum layer layer;
	enum call_op op;
	unsigned int index; /* 0, 1, 2 … in the order of first use */
};

/* The values of a record or of a remembered call. */
struct values {
	uint64_t has; /* one bit a field */
	uint64_t v[FIELD_COUNT];
};

struct record {
	enum record_kind kind;
	int64_t time_ns;      /* since the origin of the recording's clock */
	const char *hostname; /* interned with model_intern(); NULL when unknown */
	const char
		*recording; /* the same: which one of several that are read; for calls and states */
	const char *procname; /* borrowed (during model_take()); may be NULL */
	uint32_t vpid, vtid;
	const struct call_type *type; /* CALL_ENTRY and CALL_EXIT only */
	bool is_foreign;              /* not kfdscope's own: calls have no numbers */
	struct values values;

	/* Borrowed (during model_take()). */
	const uint64_t *stack; /* return addresses, innermost first */
	uint32_t stack_depth;
	const uint64_t *ids; /* node ids of an API call, gpu ids of an ioctl */
	uint32_t id_count;
	const uint64_t *handles; /* BO handles of a dumped allocation */
	uint32_t handle_count;
	const char *text;        /* see the kinds; of dumped objects: the call that made them */
	const uint8_t *build_id; /* modules */
	uint32_t build_id_size;
	const struct args_reader *reader; /* all fields of the event; NULL: it has no more */
};

/* Forgets what the last use of the record said, cheaply: values are guarded by their bits. */
static inline void record_reset(struct record *record, enum record_kind kind)
{
	record->kind = kind;
	record->type = NULL;
	record->is_foreign = false;
	record->values.has = 0;
	record->stack = record->ids = record->handles = NULL;
	record->stack_depth = record->id_count = record->handle_count = 0;
	record->text = NULL;
	record->build_id = NULL;
	record->build_id_size = 0;
	record->reader = NULL;
}

static inline bool values_have(const struct values *values, enum field field)
{
	return values->has & (UINT64_C(1) << field);
}

static inline void values_set(struct values *values, enum field field, uint64_t value)
{
	values->has |= UINT64_C(1) << field;
	values->v[field] = value;
}

/* @return the field, or otherwise when the record does not have it. */
static inline uint64_t values_get(const struct values *values, enum field field, uint64_t otherwise)
{
	return values_have(values, field) ? values->v[field] : otherwise;
}

/* Copies the fields that are there, few of many. */
static inline void values_copy(struct values *to, const struct values *from)
{
	to->has = from->has;
	for (uint64_t left = from->has; left; left &= left - 1) {
		int field = __builtin_ctzll(left);

		to->v[field] = from->v[field];
	}
}

/* The text name of a field (field.def). */
const char *field_name(enum field field);
/* The field of a text name, or FIELD_COUNT. */
enum field field_by_name(const char *name);
/* What a call of this layer and name does; OP_OTHER when the model does not know it. */
enum call_op call_op_by_name(enum layer layer, const char *name);

#endif
