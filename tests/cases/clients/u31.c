/* SPDX-License-Identifier: MIT */
/*
 * U31: reads a topology whose generation number is a pipe, out of which each reader gets the next number:
 * those of the arguments, the last one for ever; without arguments each time another one. Prints the status.
 */
#include "client.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static char path[4096];
static const char *const *numbers;

/* A reader is let go before the next one is served, or one would read two numbers. */
static void *serve(void *data)
{
	int watch = inotify_init1(IN_CLOEXEC);

	(void)data;
	if (watch < 0 || inotify_add_watch(watch, path, IN_CLOSE_NOWRITE) < 0)
		exit(98);
	for (unsigned int count = 1;; count++) {
		char text[16], event[sizeof(struct inotify_event) + 256];
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		if (*numbers)
			snprintf(text, sizeof(text), "%s\n", *numbers);
		else
			snprintf(text, sizeof(text), "%u\n", count);
		if (*numbers && numbers[1])
			numbers++;
		if (fd < 0 || write(fd, text, strlen(text)) < 0)
			exit(98);
		close(fd);
		if (read(watch, event, sizeof(event)) <= 0)
			exit(98);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	HsaSystemProperties properties;
	pthread_t thread;

	(void)argc;
	numbers = (const char *const *)argv + 1;
	snprintf(path, sizeof(path), "%s/generation_id", getenv("HSA_MODEL_TOPOLOGY"));
	if (pthread_create(&thread, NULL, serve, NULL))
		return 98;
	OK(hsaKmtOpenKFD());
	printf("%d\n", (int)hsaKmtAcquireSystemProperties(&properties));
	OK(hsaKmtCloseKFD());
	return 0;
}
