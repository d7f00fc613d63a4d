/* SPDX-License-Identifier: MIT */
/* Starts the guest and waits for it beside the server (pair.h). */
#include "virtio/host/pair.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtio/loopback.h"

extern char **environ;

int pair_folder_make(char *socket_path, size_t size)
{
	const char *root = getenv("TMPDIR");
	int length;

	length = snprintf(socket_path, size, "%s/kfdscope-virtio-XXXXXX",
			  root && *root ? root : "/tmp");
	if (length < 0 || (size_t)length + sizeof("/socket") > size)
		return -ENAMETOOLONG;
	if (!mkdtemp(socket_path))
		return -errno;
	strcpy(socket_path + length, "/socket");
	return 0;
}

void pair_folder_remove(const char *socket_path)
{
	char *folder = strdup(socket_path);

	if (folder) {
		*strrchr(folder, '/') = '\0';
		(void)rmdir(
			folder); /* the server has removed the socket; what else is there is not ours */
	}
	free(folder);
}

int pair_start(char *const *program, const char *socket_path, pid_t *child)
{
	if (setenv(LOOPBACK_SOCKET_ENV, socket_path, 1) != 0)
		return -errno;
	return -posix_spawnp(child, program[0], NULL, NULL, program, environ);
}

struct waiting {
	struct virtio_server *server;
	pid_t child;
};

/* Looks without taking the status, so that the number stays the child's. */
static void *wait_for_child(void *data)
{
	const struct waiting *waiting = data;
	siginfo_t info;

	while (waitid(P_PID, (id_t)waiting->child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
		continue;
	virtio_server_stop(waiting->server);
	return NULL;
}

int pair_run(struct virtio_server *server, pid_t child)
{
	struct waiting waiting = { .server = server, .child = child };
	pthread_t thread;
	bool has_thread = pthread_create(&thread, NULL, wait_for_child, &waiting) == 0;
	siginfo_t info = { 0 };
	int status = 0;

	if (has_thread)
		virtio_server_run(server, 0);
	if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && !info.si_pid)
		(void)kill(child, SIGTERM); /* it runs, and is not reaped: the number is its */
	if (has_thread)
		pthread_join(thread, NULL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
