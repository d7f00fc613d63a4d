/* SPDX-License-Identifier: MIT */
/*
 * Each client is one end of a socket pair, so that read, write and poll work on it in any program.
 * What the client writes, its event mask, is picked up when there is something to send.
 */
#include "smi.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "claim.h"
#include "clock.h"
#include "hsakmt/linux/kfd_ioctl.h"

#define QUEUE_BYTES 1024
#define PAGE_SHIFT  12

#define NAME_PREFIX "kfdscope-smi/"

static atomic_bool any_named; /* in this process: nobody else's descriptors are looked at before */

struct client {
	int fd; /* owned: our end */
	uint32_t gpu_id;
	uint64_t mask;
	size_t queued_bytes; /* sent and perhaps not yet read */
	struct client *next; /* owned */
};

struct kfd_model_smi {
	pthread_mutex_t lock;   /* protects all here */
	struct client *clients; /* owned */
};

struct kfd_model_smi *kfd_model_smi_new(void)
{
	struct kfd_model_smi *smi = calloc(1, sizeof(*smi));

	if (smi)
		pthread_mutex_init(&smi->lock, NULL);
	return smi;
}

static void clients_free(struct kfd_model_smi *smi)
{
	while (smi->clients) {
		struct client *client = smi->clients;

		smi->clients = client->next;
		close(client->fd);
		free(client);
	}
}

void kfd_model_smi_free(struct kfd_model_smi *smi)
{
	if (!smi)
		return;
	clients_free(smi);
	pthread_mutex_destroy(&smi->lock);
	free(smi);
}

void kfd_model_smi_after_fork(struct kfd_model_smi *smi)
{
	/* the streams go on being the parent's; its end must not stay open here */
	pthread_mutex_init(&smi->lock, NULL);
	clients_free(smi);
}

/* Closes our ends of streams that their clients closed. The caller holds the lock. */
static void drop_closed(struct kfd_model_smi *smi)
{
	for (struct client **link = &smi->clients; *link;) {
		struct client *client = *link;
		struct pollfd end = { .fd = client->fd };

		if (poll(&end, 1, 0) <= 0 || !(end.revents & POLLHUP)) {
			link = &client->next;
			continue;
		}
		*link = client->next;
		close(client->fd);
		free(client);
	}
}

/*
 * Gives our end a name, by which the client's is known wherever it is copied to: no table of numbers
 * has to be kept. A stream without one works, and is not known.
 */
static void name_end(int fd)
{
	static atomic_uint named;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, NAME_PREFIX "%d.%u",
			      (int)getpid(), atomic_fetch_add(&named, 1));

	if (bind(fd, (struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0)
		atomic_store(&any_named, true);
}

bool kfd_model_smi_is(int fd)
{
	struct sockaddr_un name = { 0 };
	socklen_t size = sizeof(name);

	return atomic_load_explicit(&any_named, memory_order_relaxed) &&
	       getpeername(fd, (struct sockaddr *)&name, &size) == 0 &&
	       name.sun_family == AF_UNIX &&
	       memcmp(name.sun_path + 1, NAME_PREFIX, sizeof(NAME_PREFIX) - 1) == 0;
}

int kfd_model_smi_open(struct kfd_model *model, const struct kfd_model_node *node)
{
	struct client *client = calloc(1, sizeof(*client));
	int pair[2];

	if (!client)
		return -ENOMEM;
	/* not blocking: an empty stream reads as EAGAIN always (kfd.md 9) */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair)) {
		int rc = -errno;

		free(client);
		return rc;
	}
	client->fd = kfd_model_out_of_the_way(pair[0]);
	name_end(client->fd);
	client->gpu_id = node->gpu_id;
	pthread_mutex_lock(&model->smi->lock);
	drop_closed(model->smi);
	client->next = model->smi->clients;
	model->smi->clients = client;
	pthread_mutex_unlock(&model->smi->lock);
	return pair[1];
}

/* Takes the last mask that the client wrote. */
static void read_mask(struct client *client)
{
	uint64_t words[64];
	ssize_t got;

	while ((got = recv(client->fd, words, sizeof(words), MSG_DONTWAIT)) >= 8)
		client->mask = words[got / 8 - 1];
}

/* @return false when the client is gone. */
static bool send_line(struct client *client, const char *line, size_t length)
{
	int unread = 0;

	if (ioctl(client->fd, SIOCOUTQ, &unread) == 0 && !unread)
		client->queued_bytes = 0;
	if (client->queued_bytes + length > QUEUE_BYTES)
		return true; /* dropped whole */
	if (send(client->fd, line, length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return errno != EPIPE && errno != ECONNRESET;
	client->queued_bytes += length;
	return true;
}

void kfd_model_smi_text(struct kfd_model *model, uint32_t gpu_id, const char *text)
{
	struct kfd_model_smi *smi = model->smi;
	unsigned long event = strtoul(text, NULL, 16);
	char line[KFD_SMI_EVENT_MSG_SIZE + 1];
	int length = snprintf(line, sizeof(line), "%s\n", text);
	struct client **link;

	if (!event || event > KFD_MODEL_SMI_EVENT_MAX || length < 0)
		return;
	if (length > KFD_SMI_EVENT_MSG_SIZE)
		return; /* longer than any message of the driver */
	pthread_mutex_lock(&smi->lock);
	for (link = &smi->clients; *link;) {
		struct client *client = *link;
		bool alive = true;

		read_mask(client);
		if (client->gpu_id == gpu_id && client->mask >> (event - 1) & 1)
			alive = send_line(client, line, (size_t)length);
		if (alive) {
			link = &client->next;
			continue;
		}
		*link = client->next;
		close(client->fd);
		free(client);
	}
	pthread_mutex_unlock(&smi->lock);
}

void kfd_model_smi_vm_fault(struct kfd_model_process *process, uint32_t gpu_id)
{
	char text[KFD_SMI_EVENT_MSG_SIZE];

	snprintf(text, sizeof(text), "%x %x:%s", KFD_SMI_EVENT_VMFAULT, (unsigned int)process->pid,
		 program_invocation_short_name);
	kfd_model_smi_text(process->model, gpu_id, text);
}

void kfd_model_smi_migration(struct kfd_model_process *process, uint64_t start, uint64_t size_bytes,
			     uint32_t to_gpu_id)
{
	struct kfd_model *model = process->model;
	uint64_t ns = kfd_model_clock_boottime_ns(model);
	char text[KFD_SMI_EVENT_MSG_SIZE];

	for (uint32_t i = 0; i < process->vm_count; i++) {
		uint32_t gpu_id = process->vms[i].node->gpu_id;

		if (to_gpu_id && process->vms[i].gpu_id != to_gpu_id)
			continue;
		if (to_gpu_id)
			to_gpu_id = gpu_id; /* streams name GPUs as the machine does */
		snprintf(text, sizeof(text), "%x %llu -%d @%llx(%llx) %x->%x %x:%x %d",
			 KFD_SMI_EVENT_MIGRATE_START, (unsigned long long)ns, process->pid,
			 (unsigned long long)(start >> PAGE_SHIFT),
			 (unsigned long long)(size_bytes >> PAGE_SHIFT), to_gpu_id ? 0 : gpu_id,
			 to_gpu_id, to_gpu_id, 0, KFD_MIGRATE_TRIGGER_PREFETCH);
		kfd_model_smi_text(model, gpu_id, text);
		snprintf(text, sizeof(text), "%x %llu -%d @%llx(%llx) %x->%x %d",
			 KFD_SMI_EVENT_MIGRATE_END,
			 (unsigned long long)kfd_model_clock_boottime_ns(model), process->pid,
			 (unsigned long long)(start >> PAGE_SHIFT),
			 (unsigned long long)(size_bytes >> PAGE_SHIFT), to_gpu_id ? 0 : gpu_id,
			 to_gpu_id, KFD_MIGRATE_TRIGGER_PREFETCH);
		kfd_model_smi_text(model, gpu_id, text);
		return;
	}
}
