/* SPDX-License-Identifier: MIT */
/*
 * Queues: watches a model and keeps living queues, a census of them for each GPU and kind over all
 * processes of a host against the hardware's slots, creations that were refused, and event streams
 * that were opened. What is counted, and peaks, are of the model's scope.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_QUEUES_H
#define KFDSCOPE_ANALYSIS_MODEL_QUEUES_H

#include "driver_events.h"
#include "model.h"
#include "queue_activity.h"
#include "queue_memory.h"

/* More refused creations than this are only counted. */
#define QUEUES_REFUSED_MAX 1024u

enum queue_kind {
	QUEUE_COMPUTE,
	QUEUE_COPY,      /* SDMA */
	QUEUE_COPY_XGMI, /* SDMA between GPUs of a hive */
	QUEUE_OTHER,
	QUEUE_KIND_COUNT,
};

struct queue {
	struct process *process; /* borrowed */
	uint64_t id;
	enum queue_kind kind;
	char *type, *priority; /* owned: names; NULL: unknown */
	uint32_t node_id, gpu_id;
	uint64_t ring_va, ring_bytes;
	uint32_t kernel_id; /* the driver's number */
	bool has_kernel_id;
	struct queue_activity *activity; /* borrowed; NULL: no sample so far */
	uint64_t percentage;
	int64_t created_ns;           /* 0: before the recording */
	const struct call_type *call; /* borrowed; NULL: before the recording */
	const struct stack *stack;    /* borrowed */
	uint64_t internal_bytes;      /* that the library took for it … */
	struct queue_memory memory;   /* … and for what */
	uint64_t updates;
	int64_t updated_ns;
	bool at_close; /* alive when the driver was closed for good, and so taken back */
};

/* A creation that failed. */
struct refused_queue {
	struct queue queue; /* what was asked for; id 0 */
	int64_t time_ns;
	uint32_t status, os_errno;
	uint64_t live_queues; /* of the process on that node */
};

/* A time in which more queues lived than the hardware has slots. */
struct queue_excess {
	int64_t begin_ns, end_ns; /* end: of the recording when it lasted so long */
	uint64_t peak;
	bool is_open;
};

/* Who had how many at the peak. */
struct queue_share {
	struct process *process;   /* borrowed */
	const struct stack *stack; /* borrowed */
	uint64_t count;
};

struct queue_census {
	const char *hostname; /* borrowed, may be NULL */
	uint32_t gpu_id, node_id;
	enum queue_kind kind;
	uint64_t limit; /* slots of the hardware; 0: unknown */
	uint64_t live;  /* while the recording goes by */
	uint64_t peak, created, destroyed;
	uint64_t alive; /* at the end of the scope */
	int64_t peak_ns;
	GArray *excess; /* owned, of struct queue_excess, in the whole recording */
	GArray *shares; /* owned, of struct queue_share: at the peak */
};

/* The driver's event stream was opened. */
struct smi_stream {
	struct process *process; /* borrowed */
	int64_t time_ns;
	uint32_t node_id, status;
	int32_t fd;
	const struct stack *stack; /* borrowed */
};

struct queues_process {
	struct process *process; /* borrowed */
	uint64_t created, destroyed, refused, at_close;
};

/* What a viewer may want to know while the recording goes by. */
struct queues_observer {
	void *data;
	/* The queue has begun to live, or is about to end. */
	void (*queue_changed)(void *data, const struct queue *queue, int64_t time_ns, bool began);
	/* A sample was taken of the queue that the row is about. */
	void (*queue_sampled)(void *data, const struct queue_activity *row,
			      const struct queue_sample *sample, int64_t time_ns);
};

struct queues;

/* Starts watching. @param model  borrowed, must outlive the queues. */
struct queues *queues_new(struct model *model);
/* Sets the one observer; the structure is copied. */
void queues_observe(struct queues *queues, const struct queues_observer *observer);
void queues_free(struct queues *queues);

/* Results, of the finished model. */
const GPtrArray *queues_census(const struct queues *queues);      /* of struct queue_census */
const GPtrArray *queues_refused(const struct queues *queues);     /* of struct refused_queue */
const GPtrArray *queues_outstanding(const struct queues *queues); /* of struct queue */
const GPtrArray *queues_streams(const struct queues *queues);     /* of struct smi_stream */
const GPtrArray *queues_processes(const struct queues *queues);   /* of struct queues_process */
/* Of struct queue_activity: queues that were sampled, in the order of their creation. */
const GPtrArray *queues_activity(const struct queues *queues);
/* What the driver told meanwhile. */
struct driver_events *queues_driver(const struct queues *queues);
uint64_t queues_refused_count(const struct queues *queues);

const char *queue_kind_name(enum queue_kind kind);

#endif
