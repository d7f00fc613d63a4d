/* SPDX-License-Identifier: MIT */
/* The loopback's host (server.h). A packet that makes no sense ends the connection. */
#include "virtio/host/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "virtio/backing.h"
#include "virtio/loopback.h"

struct guest {
	struct virtio_host *host;   /* borrowed */
	struct virtio_context *ctx; /* owned; NULL before INIT */
	int sock;
	char *ring; /* owned mapping, or NULL */
};

static bool cannot_shrink(int fd, uint64_t bytes)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	return seals >= 0 && seals & F_SEAL_SHRINK && fstat(fd, &st) == 0 &&
	       (uint64_t)st.st_size >= bytes;
}

static int hello(struct guest *guest, const struct loopback_request *request, int fd)
{
	void *ring;

	if (request->version != LOOPBACK_VERSION || guest->ring || fd < 0 ||
	    !cannot_shrink(fd, LOOPBACK_RING_BYTES))
		return -EINVAL;
	ring = mmap(NULL, LOOPBACK_RING_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return -errno;
	guest->ring = ring;
	return 0;
}

static int init(struct guest *guest, const struct loopback_request *request)
{
	if (guest->ctx || request->capset_id != VIRTIO_CAPSET_ID || request->rings == 0 ||
	    request->rings > VIRTIO_RINGS)
		return -EINVAL;
	return virtio_context_new(guest->host, &guest->ctx);
}

static int create_blob(struct guest *guest, const struct loopback_request *request, int fd,
		       struct loopback_reply *reply, int *out)
{
	const struct virtio_blob_request blob = { .res_id = request->res_id,
						  .mem = request->mem,
						  .flags = request->flags,
						  .blob_id = request->blob_id,
						  .size_bytes = request->size_bytes,
						  .fd = fd,
						  .offset = request->offset };
	struct virtio_blob_reply made = { .fd = -1 };
	struct virtio_backing backing;
	int rc = virtio_context_get_blob(guest->ctx, &blob, &made);

	if (rc != 0)
		return rc;
	reply->size_bytes = made.size_bytes;
	*out = made.fd;
	/* Without CPU memory behind it, it is a resource that cannot be mapped. */
	if (made.fd < 0 && made.address && request->flags & VIRTIO_BLOB_MAPPABLE &&
	    request->mem == VIRTIO_BLOB_HOST3D && virtio_backing_of(made.address, &backing) == 0) {
		*out = backing.fd;
		reply->offset = backing.offset;
		if (backing.end - made.address < reply->size_bytes)
			reply->size_bytes = backing.end - made.address;
	}
	return 0;
}

/* The stream is copied first: the guest may write its ring at any time. */
static int submit(struct guest *guest, const struct loopback_request *request)
{
	void *copy;
	int rc;

	if (!guest->ring || request->offset > LOOPBACK_RING_BYTES ||
	    request->size_bytes > LOOPBACK_RING_BYTES - request->offset)
		return -EINVAL;
	copy = malloc(request->size_bytes + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, guest->ring + request->offset, request->size_bytes);
	rc = virtio_context_submit(guest->ctx, copy, request->size_bytes);
	free(copy);
	return rc;
}

static int on_context(struct guest *guest, const struct loopback_request *request, int fd,
		      struct loopback_reply *reply, int *out)
{
	int rc;

	if (!guest->ctx)
		return -EINVAL;
	switch ((enum loopback_op)request->op) {
	case LOOPBACK_CREATE_BLOB:
		return create_blob(guest, request, fd, reply, out);
	case LOOPBACK_CLOSE_BLOB:
		return virtio_context_detach(guest->ctx, request->res_id);
	case LOOPBACK_SUBMIT:
		return submit(guest, request);
	case LOOPBACK_ATTACH:
		return fd < 0 ? -EINVAL : virtio_context_attach(guest->ctx, request->res_id, fd);
	case LOOPBACK_EXPORT:
		rc = virtio_context_export(guest->ctx, request->res_id);
		*out = rc < 0 ? -1 : rc;
		return rc < 0 ? rc : 0;
	case LOOPBACK_HELLO:
	case LOOPBACK_GET_CAPS:
	case LOOPBACK_INIT:
		break;
	}
	return -EINVAL;
}

static int serve_one(struct guest *guest)
{
	struct loopback_request request;
	struct loopback_reply reply = { 0 };
	int fd, out = -1, rc;

	rc = loopback_receive(guest->sock, &request, sizeof(request), &fd);
	if (rc != 0)
		return rc;
	switch (request.op) {
	case LOOPBACK_HELLO:
		reply.rc = hello(guest, &request, fd);
		break;
	case LOOPBACK_GET_CAPS:
		reply.rc = request.capset_id == VIRTIO_CAPSET_ID ? 0 : -EINVAL;
		virtio_host_capset(guest->host, &reply.capset);
		break;
	case LOOPBACK_INIT:
		reply.rc = init(guest, &request);
		break;
	default:
		reply.rc = on_context(guest, &request, fd, &reply, &out);
		break;
	}
	rc = loopback_send(guest->sock, &reply, sizeof(reply), out);
	if (fd >= 0)
		close(fd);
	if (out >= 0)
		close(out);
	return rc;
}

void virtio_server_serve(struct virtio_host *host, int sock)
{
	struct guest guest = { .host = host, .sock = sock };

	while (serve_one(&guest) == 0)
		continue;
	virtio_context_free(guest.ctx);
	if (guest.ring)
		munmap(guest.ring, LOOPBACK_RING_BYTES);
	close(sock);
}

struct virtio_server {
	struct virtio_host *host; /* borrowed */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int listener, wake;
	pthread_mutex_t lock; /* protects what follows */
	pthread_cond_t gone;
	struct served {
		struct served *next;
		struct virtio_server *server;
		int sock; /* owned */
	} * served;       /* owned; of running threads */
	unsigned int came, running;
};

static int listen_on(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	unlink(path);
	if (bind(sock, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    chmod(path, 0600) != 0 || listen(sock, 16) != 0) {
		int rc = -errno;

		close(sock);
		return rc;
	}
	return sock;
}

int virtio_server_new(struct virtio_host *host, const char *path, struct virtio_server **out)
{
	struct virtio_server *server = calloc(1, sizeof(*server));
	int rc;

	if (!server)
		return -ENOMEM;
	server->host = host;
	server->listener = listen_on(path);
	if (server->listener < 0) {
		rc = server->listener;
		free(server);
		return rc;
	}
	strcpy(server->path, path);
	server->wake = eventfd(0, EFD_CLOEXEC);
	if (server->wake < 0) {
		rc = -errno;
		close(server->listener);
		free(server);
		return rc;
	}
	pthread_mutex_init(&server->lock, NULL);
	pthread_cond_init(&server->gone, NULL);
	*out = server;
	return 0;
}

/* What the run is told: a guest has gone, or to stop, which outweighs any number of guests. */
#define WAKE_GONE 1ull
#define WAKE_STOP (1ull << 32)

static void wake(struct virtio_server *server, uint64_t why)
{
	/* The counter cannot overflow, so the write does not fail. */
	if (write(server->wake, &why, sizeof(why)) < 0)
		return;
}

void virtio_server_stop(struct virtio_server *server)
{
	wake(server, WAKE_STOP);
}

static void *serve_thread(void *data)
{
	struct served *served = data, **at;
	struct virtio_server *server = served->server;

	/* a copy: the number must stay ours until it is out of the list */
	virtio_server_serve(server->host, fcntl(served->sock, F_DUPFD_CLOEXEC, 0));
	pthread_mutex_lock(&server->lock);
	for (at = &server->served; *at != served; at = &(*at)->next)
		continue;
	*at = served->next;
	close(served->sock);
	free(served);
	server->running--;
	wake(server, WAKE_GONE);
	pthread_cond_broadcast(&server->gone);
	pthread_mutex_unlock(&server->lock);
	return NULL;
}

static void start(struct virtio_server *server, int sock)
{
	struct served *served = calloc(1, sizeof(*served));
	pthread_t thread;

	if (!served) {
		close(sock);
		return;
	}
	served->server = server;
	served->sock = sock;
	pthread_mutex_lock(&server->lock);
	served->next = server->served;
	server->served = served;
	server->came++;
	server->running++;
	if (pthread_create(&thread, NULL, serve_thread, served) == 0) {
		pthread_detach(thread);
	} else {
		server->served = served->next;
		server->running--;
		close(sock);
		free(served);
	}
	pthread_mutex_unlock(&server->lock);
}

static bool all_gone(struct virtio_server *server, unsigned int guests_max)
{
	bool gone;

	pthread_mutex_lock(&server->lock);
	gone = guests_max && server->came >= guests_max && server->running == 0;
	pthread_mutex_unlock(&server->lock);
	return gone;
}

void virtio_server_run(struct virtio_server *server, unsigned int guests_max)
{
	struct pollfd fds[2] = { { .fd = server->listener, .events = POLLIN },
				 { .fd = server->wake, .events = POLLIN } };
	uint64_t why = 0;

	while (why < WAKE_STOP && !all_gone(server, guests_max)) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		if (fds[0].revents & POLLIN) {
			int sock = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);

			if (sock >= 0)
				start(server, sock);
		}
		if (fds[1].revents & POLLIN && read(server->wake, &why, sizeof(why)) < 0)
			return;
		fds[0].revents = fds[1].revents = 0;
	}
}

void virtio_server_free(struct virtio_server *server)
{
	if (!server)
		return;
	pthread_mutex_lock(&server->lock);
	for (struct served *served = server->served; served; served = served->next)
		shutdown(served->sock, SHUT_RDWR);
	while (server->running)
		pthread_cond_wait(&server->gone, &server->lock);
	pthread_mutex_unlock(&server->lock);
	unlink(server->path);
	close(server->listener);
	close(server->wake);
	pthread_cond_destroy(&server->gone);
	pthread_mutex_destroy(&server->lock);
	free(server);
}
