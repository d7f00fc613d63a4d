/* SPDX-License-Identifier: MIT */
/* The guest's end of a loopback: does the guest kernel's work, over a socket (virtio/loopback.h). */
#include "virtio/loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "virtio/guest/pages.h"
#include "virtio/guest/transport.h"

struct resource {
	bool used;
	int fd; /* owned; -1: nothing to map */
	uint64_t offset, size_bytes;
	uint64_t pages; /* address of the program's memory that it is; 0: of none */
};

struct loopback {
	struct vkmt_transport transport; /* first: what callers hold */
	pthread_mutex_t lock;            /* protects all that follows: one packet at a time */
	int sock;
	char *ring; /* owned mapping */
	uint64_t head;
	struct resource *resources; /* owned; by handle, which is the resource id */
	uint32_t count;
};

static struct loopback *loopback_of(struct vkmt_transport *transport)
{
	return (struct loopback *)transport;
}

/* One packet there and one back. @param out  owned; NULL: no descriptor is expected. */
static int ask(struct loopback *loopback, struct loopback_request *request, int fd,
	       struct loopback_reply *reply, int *out)
{
	int came = -1, rc;

	rc = loopback_send(loopback->sock, request, sizeof(*request), fd);
	if (rc == 0)
		rc = loopback_receive(loopback->sock, reply, sizeof(*reply), &came);
	if (rc == 0)
		rc = reply->rc;
	if (out && rc == 0)
		*out = came;
	else if (came >= 0)
		close(came);
	return rc;
}

static int get_caps(struct vkmt_transport *transport, struct vhsakmt_capset *out)
{
	struct loopback *loopback = loopback_of(transport);
	struct loopback_request request = { .op = LOOPBACK_GET_CAPS,
					    .capset_id = VIRTIO_CAPSET_ID };
	struct loopback_reply reply;
	int rc;

	pthread_mutex_lock(&loopback->lock);
	rc = ask(loopback, &request, -1, &reply, NULL);
	pthread_mutex_unlock(&loopback->lock);
	if (rc == 0)
		*out = reply.capset;
	return rc;
}

static int init(struct vkmt_transport *transport)
{
	struct loopback *loopback = loopback_of(transport);
	struct loopback_request request = { .op = LOOPBACK_INIT,
					    .capset_id = VIRTIO_CAPSET_ID,
					    .rings = VIRTIO_RINGS };
	struct loopback_reply reply;
	int rc;

	pthread_mutex_lock(&loopback->lock);
	rc = ask(loopback, &request, -1, &reply, NULL);
	pthread_mutex_unlock(&loopback->lock);
	return rc;
}

/* A free handle, not 0. @return 0: no memory. */
static uint32_t new_handle(struct loopback *loopback)
{
	struct resource *more;
	uint32_t handle = 1, count;

	while (handle < loopback->count && loopback->resources[handle].used)
		handle++;
	if (handle >= loopback->count) {
		count = loopback->count ? 2 * loopback->count : 64;
		more = realloc(loopback->resources, count * sizeof(*more));
		if (!more)
			return 0;
		memset(more + loopback->count, 0, (count - loopback->count) * sizeof(*more));
		loopback->resources = more;
		loopback->count = count;
	}
	return handle;
}

/* The end of the resource's pages that hold an address, or the address: they are nobody's. */
static uint64_t shared_until(const struct loopback *loopback, uint64_t address, uint64_t *next)
{
	for (uint32_t i = 0; i < loopback->count; i++) {
		const struct resource *resource = &loopback->resources[i];

		if (!resource->used || !resource->pages)
			continue;
		if (address - resource->pages < resource->size_bytes)
			return resource->pages + resource->size_bytes;
		if (resource->pages > address && resource->pages < *next)
			*next = resource->pages;
	}
	return address;
}

/* The program's pages are its own again, but for those that another resource still has. */
static void give_back(const struct loopback *loopback, uint64_t at, uint64_t size_bytes)
{
	uint64_t end = at + size_bytes;

	while (at < end) {
		uint64_t next = end, shared = shared_until(loopback, at, &next);

		if (shared == at)
			vkmt_pages_unshare((void *)(uintptr_t)at, next - at);
		at = shared == at ? next : shared;
	}
}

static int blob_create(struct vkmt_transport *transport, const struct vkmt_blob *blob,
		       uint32_t *handle, uint32_t *res_id)
{
	struct loopback *loopback = loopback_of(transport);
	struct loopback_request request = { .op = LOOPBACK_CREATE_BLOB,
					    .mem = blob->mem,
					    .flags = blob->flags,
					    .blob_id = blob->blob_id,
					    .size_bytes = blob->size_bytes };
	struct loopback_reply reply;
	int pages = -1, fd = -1, rc = -ENOMEM;

	if (blob->flags & VKMT_BLOB_USERPTR) {
		pages = vkmt_pages_share(blob->pages, blob->size_bytes, &request.offset);
		if (pages < 0)
			return pages;
	}
	pthread_mutex_lock(&loopback->lock);
	request.res_id = new_handle(loopback);
	if (request.res_id)
		rc = ask(loopback, &request, pages, &reply, &fd);
	if (rc == 0) {
		loopback->resources[request.res_id] =
			(struct resource){ .used = true,
					   .fd = fd,
					   .offset = reply.offset,
					   .size_bytes = reply.size_bytes,
					   .pages = (uintptr_t)blob->pages };
		*handle = *res_id = request.res_id;
	} else if (pages >= 0) {
		give_back(loopback, (uintptr_t)blob->pages, blob->size_bytes);
	}
	if (pages >= 0)
		close(pages);
	pthread_mutex_unlock(&loopback->lock);
	return rc;
}

static void *blob_map(struct vkmt_transport *transport, uint32_t handle, uint64_t size_bytes,
		      void *at, int fixed)
{
	struct loopback *loopback = loopback_of(transport);
	struct resource resource = { .fd = -1 };
	void *mapped = MAP_FAILED;

	pthread_mutex_lock(&loopback->lock);
	if (handle < loopback->count && loopback->resources[handle].used)
		resource = loopback->resources[handle];
	if (resource.fd >= 0) {
		if (size_bytes > resource.size_bytes)
			size_bytes = resource.size_bytes;
		mapped = mmap(at, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed,
			      resource.fd, (off_t)resource.offset);
	} else {
		errno = EINVAL;
	}
	pthread_mutex_unlock(&loopback->lock);
	return mapped;
}

static int blob_close(struct vkmt_transport *transport, uint32_t handle)
{
	struct loopback *loopback = loopback_of(transport);
	struct loopback_request request = { .op = LOOPBACK_CLOSE_BLOB, .res_id = handle };
	struct loopback_reply reply;
	struct resource gone;
	int rc = -ENOENT;

	pthread_mutex_lock(&loopback->lock);
	if (handle < loopback->count && loopback->resources[handle].used) {
		rc = ask(loopback, &request, -1, &reply, NULL);
		gone = loopback->resources[handle];
		loopback->resources[handle] = (struct resource){ .fd = -1 };
		if (gone.pages)
			give_back(loopback, gone.pages, gone.size_bytes);
		if (gone.fd >= 0)
			close(gone.fd);
	}
	pthread_mutex_unlock(&loopback->lock);
	return rc;
}

static int submit(struct vkmt_transport *transport, const void *stream, size_t bytes, int *fence)
{
	struct loopback *loopback = loopback_of(transport);
	struct loopback_request request = { .op = LOOPBACK_SUBMIT, .size_bytes = bytes };
	struct loopback_reply reply;
	int rc;

	*fence = -1;
	if (bytes > LOOPBACK_RING_BYTES)
		return -EINVAL;
	pthread_mutex_lock(&loopback->lock);
	if (loopback->head + bytes > LOOPBACK_RING_BYTES)
		loopback->head = 0;
	request.offset = loopback->head;
	memcpy(loopback->ring + loopback->head, stream, bytes);
	loopback->head += bytes;
	rc = ask(loopback, &request, -1, &reply, NULL);
	pthread_mutex_unlock(&loopback->lock);
	return rc;
}

static int import(struct vkmt_transport *transport, int fd, uint32_t *handle, uint32_t *res_id)
{
	struct loopback *loopback = loopback_of(transport);
	struct loopback_request request = { .op = LOOPBACK_ATTACH };
	struct loopback_reply reply;
	int rc = -ENOMEM;

	pthread_mutex_lock(&loopback->lock);
	request.res_id = new_handle(loopback);
	if (request.res_id)
		rc = ask(loopback, &request, fd, &reply, NULL);
	if (rc == 0) {
		loopback->resources[request.res_id] = (struct resource){ .used = true, .fd = -1 };
		*handle = *res_id = request.res_id;
	}
	pthread_mutex_unlock(&loopback->lock);
	return rc;
}

static int export(struct vkmt_transport *transport, uint32_t handle)
{
	struct loopback *loopback = loopback_of(transport);
	struct loopback_request request = { .op = LOOPBACK_EXPORT, .res_id = handle };
	struct loopback_reply reply;
	int fd = -1, rc;

	pthread_mutex_lock(&loopback->lock);
	rc = ask(loopback, &request, -1, &reply, &fd);
	pthread_mutex_unlock(&loopback->lock);
	if (rc == 0 && fd < 0)
		rc = -EPROTO;
	return rc == 0 ? fd : rc;
}

static void loopback_free(struct vkmt_transport *transport)
{
	struct loopback *loopback = loopback_of(transport);

	for (uint32_t i = 0; i < loopback->count; i++)
		if (loopback->resources[i].used && loopback->resources[i].fd >= 0)
			close(loopback->resources[i].fd);
	free(loopback->resources);
	if (loopback->ring)
		munmap(loopback->ring, LOOPBACK_RING_BYTES);
	if (loopback->sock >= 0)
		close(loopback->sock);
	pthread_mutex_destroy(&loopback->lock);
	free(loopback);
}

static int make_ring(struct loopback *loopback)
{
	struct loopback_request request = { .op = LOOPBACK_HELLO, .version = LOOPBACK_VERSION };
	struct loopback_reply reply;
	int fd = memfd_create("kfdscope-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING), rc = -ENOMEM;
	void *ring;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, LOOPBACK_RING_BYTES) != 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
		goto out;
	ring = mmap(NULL, LOOPBACK_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		goto out;
	loopback->ring = ring;
	rc = ask(loopback, &request, fd, &reply, NULL);
out:
	close(fd);
	return rc;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock, rc;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	if (connect(sock, (struct sockaddr *)&address, sizeof(address)) == 0)
		return sock;
	rc = -errno;
	close(sock);
	return rc;
}

int vkmt_loopback_open(const char *socket_path, struct vkmt_transport **out)
{
	static const struct vkmt_transport_ops ops = {
		.get_caps = get_caps,
		.init = init,
		.blob_create = blob_create,
		.blob_map = blob_map,
		.blob_close = blob_close,
		.submit = submit,
		.import = import,
		.export = export,
		.free = loopback_free,
	};
	struct loopback *loopback = calloc(1, sizeof(*loopback));
	int rc;

	if (!loopback)
		return -ENOMEM;
	loopback->transport.ops = &ops;
	pthread_mutex_init(&loopback->lock, NULL);
	loopback->sock = connect_to(socket_path);
	rc = loopback->sock < 0 ? loopback->sock : make_ring(loopback);
	if (rc != 0) {
		loopback_free(&loopback->transport);
		return rc;
	}
	*out = &loopback->transport;
	return 0;
}
