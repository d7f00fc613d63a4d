/* SPDX-License-Identifier: MIT */
/* What the parts of the host share: the context and the objects in it. For virtio/host/ only. */
#ifndef KFDSCOPE_THUNK_VIRTIO_HOST_HOST_INTERNAL_H
#define KFDSCOPE_THUNK_VIRTIO_HOST_HOST_INTERNAL_H

#include <pthread.h>

#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"
#include "virtio/host/host.h"
#include "virtio/host/id_table.h"
#include "virtio/host/va.h"

#define HOST_NODES_MAX       64u
#define HOST_REPLY_BYTES_MAX (1u << 20)

struct virtio_host {
	struct virtio_host_options options;
	struct vhsakmt_capset capset;
	bool is_model; /* software, not a driver */
	uint32_t node_count;
	HsaNodeProperties nodes[HOST_NODES_MAX];
	pthread_mutex_t lock;  /* protects what follows */
	bool no_user_pointers; /* secondary contexts take none: found out by the first guest */
	uint32_t guests;
	struct virtio_va ranges;               /* of which each guest gets one */
	const void *spm_owner[HOST_NODES_MAX]; /* the context that streams a node's counters */
};

enum object_kind {
	OBJECT_MEMORY, /* allocated memory */
	OBJECT_SCRATCH,
	OBJECT_SCRATCH_MAP,
	OBJECT_USERPTR,
	OBJECT_EVENT,
	OBJECT_QUEUE,
	OBJECT_DOORBELL,
	OBJECT_RW_POINTERS,
	OBJECT_DMABUF, /* imported: by descriptor, or by IPC handle */
	OBJECT_BUFFER, /* a libdrm buffer object */
};

/* What a guest has made. One count for the table that holds it and one for each queue that uses it. */
struct object {
	struct range_node
		place; /* host addresses; in the context's tree when size_bytes is not 0 */
	struct object *previous, *next; /* of the context's list */
	enum object_kind kind;
	uint32_t refs, res_id;
	uint64_t blob_id; /* 0: never had one, or exported */
	uint64_t token;   /* what the guest calls it in place of a pointer; 0: none */
	uint32_t node_id;
	HsaMemFlags flags;
	uint64_t va_bytes;        /* taken from the range of addresses; 0: none */
	uint32_t registrations;   /* USERPTR, DMABUF: with the thunk */
	bool indexed;             /* is in the context's tree */
	bool dropped;             /* is in no table any more */
	int fd;                   /* owned, or -1 */
	HsaEvent *event;          /* owned by the thunk */
	HSA_QUEUEID queue_id;     /* the thunk's */
	struct object *pins[2];   /* counted: ring and AQL pointers of a queue */
	struct amdgpu_bo *buffer; /* owned */
};

/* Scratch addresses of a node: allocated whole, given out in pieces. */
struct scratch {
	uint64_t base, size_bytes;
	struct virtio_va va;
};

struct virtio_context {
	struct virtio_host *host;
	HsaKFDContext *kfd; /* secondary, owned; or the primary */
	bool owns_kfd;
	uint32_t id; /* of the KFD context in recordings: unknown here, counted up */
	enum virtio_revision revision;
	struct virtio_va va; /* of memory */
	uint64_t base, kfd_bytes, total_bytes;
	struct scratch scratch[HOST_NODES_MAX];
	struct virtio_ids blobs, resources, tokens; /* blob id, resource id, token -> object */
	struct range_tree memory;                   /* of objects that have host addresses */
	struct object *objects;                     /* all of them, owned */
	uint32_t object_count;
	uint64_t last_token;

	uint32_t shmem_res_id; /* 0: no shared blob */
	struct vhsakmt_shmem *shmem;
	uint64_t shmem_bytes;
	uint32_t rsp_bytes; /* of the response area */
};

/* One command that is being served. */
struct host_call {
	struct virtio_context *ctx;
	uint32_t command, type;
	const void *request;  /* revision 2, zero-extended to its structure */
	size_t payload_bytes; /* that follow the structure */
	void *reply;          /* owned; revision 2; NULL until host_reply() */
	size_t reply_bytes;
	int32_t ret;
};

/*
 * Makes room for the answer, zeroed.
 * @param payload_bytes  behind the structure.
 * @return NULL without memory, or when no response area can hold it.
 */
void *host_reply(struct host_call *call, size_t payload_bytes);

/*
 * The handlers: a result that is not 0 means that the request is malformed and ends the stream;
 * whatever the thunk says goes into the answer's ret.
 */
int host_query(struct host_call *call);
int host_event(struct host_call *call);
int host_memory(struct host_call *call);
int host_queue(struct host_call *call);
int host_gl_inter(struct host_call *call);
int host_buffer(struct host_call *call); /* the AMDGPU_* commands of host_memory() */
/* hsaKmtAllocMemory's part and scratch. */
int32_t host_alloc(struct virtio_context *ctx, const struct memory_req_alloc_args *args,
		   uint64_t blob_id, uint64_t *address);

/* Makes an object; NULL: too many, or no memory. */
struct object *object_new(struct virtio_context *ctx, enum object_kind kind);
/* Files it under its blob id. @return 0 or -errno; the object is then still the caller's. */
int object_file(struct virtio_context *ctx, struct object *object, uint64_t blob_id);
/* @return whether a new object may have the blob id. */
bool object_blob_id_free(const struct virtio_context *ctx, uint64_t blob_id);
/* Gives it an address range by which object_at() finds it. */
void object_index(struct virtio_context *ctx, struct object *object, uint64_t address,
		  uint64_t size_bytes);
/* Gives it a number that stands for a pointer. @return 0: no memory. */
uint64_t object_tell(struct virtio_context *ctx, struct object *object);
/* @return the guest's object of that kind and resource id, or NULL. */
struct object *object_of_resource(const struct virtio_context *ctx, uint32_t res_id,
				  enum object_kind kind);
struct object *object_of_token(const struct virtio_context *ctx, uint64_t token,
			       enum object_kind kind);
/* @return the guest's object that holds all of [address, address + size), or NULL. */
struct object *object_at(const struct virtio_context *ctx, uint64_t address, uint64_t size_bytes);
/* Takes it out of all tables; it ends when no queue uses it. */
void object_drop(struct virtio_context *ctx, struct object *object);
/* For the one that pins. */
void object_get(struct object *object);
void object_put(struct virtio_context *ctx, struct object *object);

/* Reserves host addresses, so that nothing else gets them. @return 0 or -errno. */
int host_reserve(uint64_t address, uint64_t size_bytes);
/* The GPU's libdrm device, or NULL. Borrowed. */
struct amdgpu_device *host_amdgpu(struct virtio_context *ctx, uint32_t node_id);

static inline bool host_is_gpu(const struct virtio_host *host, uint32_t node_id)
{
	return node_id < host->node_count && host->nodes[node_id].NumFComputeCores > 0;
}

#endif
