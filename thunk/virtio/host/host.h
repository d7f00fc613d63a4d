/* SPDX-License-Identifier: MIT */
/*
 * The host's side: serves the command streams of guests with the thunk's own functions (virtio.md 5,
 * 6). Each guest has a context: a KFD context of its own where the driver can make one, a range of
 * addresses of its own in any case, and tables of what it has made. A guest is hostile: nothing that
 * it sends is used before it was compared with those.
 *
 * Who carries the messages (a renderer below a virtual machine monitor, server.h between processes)
 * calls this. A context may be used by one thread at a time; contexts are independent.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_HOST_HOST_H
#define KFDSCOPE_THUNK_VIRTIO_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "virtio/proto.h"

/* Most objects that one guest may have. */
#define VIRTIO_OBJECTS_MAX 65536u
#define VIRTIO_GUESTS_MAX  64u

/* Blobs of the virtio-gpu: where the memory is and what may be done with it. */
enum { VIRTIO_BLOB_GUEST = 1, VIRTIO_BLOB_HOST3D = 2, VIRTIO_BLOB_HOST3D_GUEST = 3 };
enum {
	VIRTIO_BLOB_MAPPABLE = 1,
	VIRTIO_BLOB_SHAREABLE = 2,
	VIRTIO_BLOB_CROSS_DEVICE = 4,
	VIRTIO_BLOB_USERPTR = 8,
};

struct virtio_host;
struct virtio_context;

struct virtio_host_options {
	bool primary_only;  /* all guests on the primary context, kept apart by addresses alone */
	bool secondary_too; /* secondary contexts although guests cannot register memory there */
	uint64_t kfd_bytes; /* addresses of a guest for memory; 0: from the machine's memory */
	uint64_t scratch_bytes; /* and for scratch memory; 0: the default */
	uint64_t base;          /* where the first guest's addresses begin; 0: the default */
};

/*
 * Opens the KFD and reads what the machine is. Once a process.
 * @return 0, -ENODEV: there is no KFD, -ERANGE: no guest's addresses lie where they are wanted, -ENOMEM.
 */
int virtio_host_new(const struct virtio_host_options *options, struct virtio_host **out);
/* Closes it. All contexts must be gone. Accepts NULL. */
void virtio_host_free(struct virtio_host *host);
void virtio_host_capset(const struct virtio_host *host, struct vhsakmt_capset *out);

/* Makes a context. @return 0, -ENOMEM, -ENOSPC (no addresses left, too many guests), -EIO. */
int virtio_context_new(struct virtio_host *host, struct virtio_context **out);
/* Frees everything that the guest has made. Accepts NULL. */
void virtio_context_free(struct virtio_context *ctx);
/* Start of the guest's addresses: its name in recordings. */
uint64_t virtio_context_guest(const struct virtio_context *ctx);

/*
 * Executes a command stream, answers included. The bytes are the caller's own copy.
 * @return 0 or -EINVAL, -ENOMEM: the stream was given up at the first command that is malformed.
 */
int virtio_context_submit(struct virtio_context *ctx, const void *commands, size_t bytes);

/* A resource that the guest wants. */
struct virtio_blob_request {
	uint32_t res_id; /* of the new resource */
	uint32_t mem, flags;
	uint64_t blob_id, size_bytes;
	int fd;          /* VIRTIO_BLOB_USERPTR: the guest's pages; borrowed */
	uint64_t offset; /* of them in the file */
};

/* What a mappable resource is, for whoever maps it into the guest. */
struct virtio_blob_reply {
	uint64_t address; /* in this process; 0: none */
	uint64_t size_bytes;
	int fd; /* owned; the shared blob's file only, else -1 */
};

/*
 * Makes a resource of an object, of the shared blob or of guest memory (virtio.md 4).
 * @return 0; -EINVAL: flags, size or ids that cannot be; -ENOENT: no such object; -EEXIST, -ENOSPC,
 *         -ENOMEM.
 */
int virtio_context_get_blob(struct virtio_context *ctx, const struct virtio_blob_request *request,
			    struct virtio_blob_reply *reply);
/*
 * Makes a resource of a dma-buf of the guest.
 * @param fd  borrowed.
 */
int virtio_context_attach(struct virtio_context *ctx, uint32_t res_id, int fd);
/* Exports a resource's memory. @return a dma-buf, owned by the caller, or -errno. */
int virtio_context_export(struct virtio_context *ctx, uint32_t res_id);
/* The guest has closed the resource: what it stands for ends. @return 0 or -ENOENT. */
int virtio_context_detach(struct virtio_context *ctx, uint32_t res_id);

#endif
