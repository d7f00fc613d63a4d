/* SPDX-License-Identifier: MIT */
/* A guest program that the host starts by itself, and serves while it runs. */
#ifndef KFDSCOPE_THUNK_VIRTIO_HOST_PAIR_H
#define KFDSCOPE_THUNK_VIRTIO_HOST_PAIR_H

#include <sys/types.h>

#include "virtio/host/server.h"

/* A new directory with room for a socket's name; removed with pair_folder_remove(). @return 0 or -errno. */
int pair_folder_make(char *socket_path, size_t size);
void pair_folder_remove(const char *socket_path);

/*
 * Starts the program, with the socket in its environment.
 * @param program  as for execvp(): ended by NULL.
 * @return 0 or -errno.
 */
int pair_start(char *const *program, const char *socket_path, pid_t *child);
/*
 * Serves guests until the child has ended or virtio_server_stop() was called; the child is then told to
 * end, and waited for.
 * @return its exit status, or 128 and the number of the signal that ended it.
 */
int pair_run(struct virtio_server *server, pid_t child);

#endif
