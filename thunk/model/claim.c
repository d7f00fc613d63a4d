/* SPDX-License-Identifier: MIT */
#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "caller.h"
#include "process.h"

#define FIRST_FD      600
#define WAIT_TRIES    1000
#define WAIT_SLEEP_NS 1000000 /* a second in all: who holds such a name does a few system calls */
#define LISTED_AS     " @"    /* how the kernel lists abstract names */

/* @return length of the address; without the zero byte that makes it abstract, *text. */
static socklen_t address_of(const struct kfd_model *model, const char *name,
			    struct sockaddr_un *address, const char **text)
{
	int length;

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	*text = address->sun_path + 1;
	length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
			  "kfdscope-claim/%u/%" PRIx64 "/%s", geteuid(), model->topology.id, name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int kfd_model_out_of_the_way(int fd)
{
	/* not fcntl(): what watches the program's descriptors has locks that come before ours */
	const int higher = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FIRST_FD);

	if (higher < 0)
		return fd;
	kfd_model_close_fd(fd);
	return higher;
}

int kfd_model_claim_take(const struct kfd_model *model, const char *name)
{
	struct sockaddr_un address;
	const char *text;
	socklen_t length = address_of(model, name, &address, &text);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -ENOMEM;
	fd = kfd_model_out_of_the_way(fd);
	if (bind(fd, (struct sockaddr *)&address, length) == 0)
		return fd;
	rc = errno == EADDRINUSE ? -EEXIST : -ENOMEM;
	kfd_model_close_fd(fd);
	return rc;
}

/* Tries instead of sleeping in a lock: a stopped process must not stop us too. */
int kfd_model_claim_wait(const struct kfd_model *model, const char *name)
{
	const struct timespec pause = { .tv_nsec = WAIT_SLEEP_NS };
	int rc = kfd_model_claim_take(model, name);

	for (unsigned int i = 0; rc == -EEXIST && i < WAIT_TRIES; i++) {
		nanosleep(&pause, NULL);
		rc = kfd_model_claim_take(model, name);
	}
	return rc == -EEXIST ? -EBUSY : rc;
}

void kfd_model_claim_drop(int claim)
{
	if (claim > 0)
		kfd_model_close_fd(claim);
}

bool kfd_model_claim_find(const struct kfd_model *model, const char *beginning,
			  char name[KFD_MODEL_CLAIM_NAME])
{
	/* not fopen(), likewise */
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/net/unix", O_RDONLY | O_CLOEXEC);
	FILE *sockets = fd >= 0 ? fdopen(fd, "r") : NULL;
	char line[512], wanted[sizeof(struct sockaddr_un) + sizeof(LISTED_AS)];
	struct sockaddr_un address;
	const char *text, *at = NULL;

	address_of(model, beginning, &address, &text);
	snprintf(wanted, sizeof(wanted), LISTED_AS "%s", text);
	while (sockets && !at && fgets(line, sizeof(line), sockets))
		at = strstr(line, wanted);
	if (sockets)
		fclose(sockets);
	else if (fd >= 0)
		kfd_model_close_fd(fd);
	if (!at)
		return false;
	at += strlen(wanted);
	snprintf(name, KFD_MODEL_CLAIM_NAME, "%.*s", (int)strcspn(at, "\n"), at);
	return true;
}
