/* SPDX-License-Identifier: MIT */
/* Serves guests in other processes over loopback.h, a thread for each. */
#ifndef KFDSCOPE_THUNK_VIRTIO_HOST_SERVER_H
#define KFDSCOPE_THUNK_VIRTIO_HOST_SERVER_H

#include "virtio/host/host.h"

struct virtio_server;

/*
 * Listens on a socket of the file system; an old socket there is replaced. Only the user may connect.
 * @param host  borrowed.
 * @return 0 or -errno.
 */
int virtio_server_new(struct virtio_host *host, const char *path, struct virtio_server **out);
/*
 * Accepts guests until virtio_server_stop() is called.
 * @param guests_max  returns when this many have come and all are gone; 0: never.
 */
void virtio_server_run(struct virtio_server *server, unsigned int guests_max);
/* Ends the run; may be called from a signal handler. */
void virtio_server_stop(struct virtio_server *server);
/* Waits for the guests' threads, whose connections it cuts. Accepts NULL. */
void virtio_server_free(struct virtio_server *server);

/* Serves one connected guest until it goes. The descriptor is taken. */
void virtio_server_serve(struct virtio_host *host, int sock);

#endif
