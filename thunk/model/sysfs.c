/* SPDX-License-Identifier: MIT */
/* Writes what a process uses; asks other processes for theirs. */
#include "sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caller.h"
#include "control.h"
#include "process.h"
#include "queue.h"

#define PASID_FIRST 0x8000
#define TEXT_MAX    (1u << 20) /* of another process: what is longer is no such text */
#define ROUNDS      4          /* a text may grow while it is fetched */

static void write_gpu(FILE *out, struct kfd_model *model, const struct kfd_model_vm *vm)
{
	uint32_t gpu = vm->node->gpu_id;
	unsigned long long vram = atomic_load(&model->vram_used[vm->node->gpu_index]);

	fprintf(out, "vram_%u=%llu\n", gpu, vram);
	/* engines keep no time, nothing is evicted, no wave stays on a unit, nothing migrates */
	fprintf(out, "sdma_%u=0\n", gpu);
	fprintf(out, "stats_%u/evicted_ms=0\nstats_%u/cu_occupancy=0\n", gpu, gpu);
	fprintf(out, "counters_%u/faults=0\ncounters_%u/page_in=0\ncounters_%u/page_out=0\n", gpu,
		gpu, gpu);
}

static void write_queues(FILE *out, struct kfd_model_process *process)
{
	pthread_mutex_lock(&process->queues_lock);
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++) {
		const struct kfd_model_kfd_queue *queue = process->queues[id];

		if (!queue)
			continue;
		fprintf(out, "queues/%u/size:%u\n", id, queue->args.ring_size);
		fprintf(out, "queues/%u/type:%u\n", id, queue->type);
		fprintf(out, "queues/%u/gpuid:%u\n", id, queue->vm->node->gpu_id);
	}
	pthread_mutex_unlock(&process->queues_lock);
}

static char *describe(struct kfd_model_process *process)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "pasid=%d\n", PASID_FIRST + (process->pid & (PASID_FIRST - 1)));
	for (uint32_t i = 0; i < process->vm_count; i++)
		write_gpu(out, process->model, &process->vms[i]);
	write_queues(out, process);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int kfd_model_sysfs_serve(struct kfd_model_process *process, struct kfd_model_sysfs_call *call)
{
	char *text = describe(process);
	uint64_t room = call->size_bytes;
	int rc = 0;

	if (!text)
		return -ENOMEM;
	call->size_bytes = strlen(text) + 1;
	if (call->size_bytes <= room)
		rc = kfd_model_caller_copy_out(call->text, text, call->size_bytes);
	free(text);
	return rc;
}

static char *fetch(pid_t pid)
{
	uint64_t room = 4096;

	for (int i = 0; i < ROUNDS && room <= TEXT_MAX; i++) {
		char *text = malloc(room);
		struct kfd_model_sysfs_call call = { .text = (uintptr_t)text, .size_bytes = room };

		if (!text)
			return NULL;
		if (kfd_model_control_call(pid, KFD_MODEL_CONTROL_SYSFS, &call, sizeof(call))) {
			free(text);
			return NULL;
		}
		if (call.size_bytes && call.size_bytes <= room) {
			text[call.size_bytes - 1] = '\0';
			return text;
		}
		free(text);
		room = call.size_bytes + 4096;
	}
	return NULL;
}

char *kfd_model_sysfs(struct kfd_model *model, pid_t pid)
{
	struct kfd_model_process *own;

	if (pid != getpid())
		return fetch(pid);
	pthread_mutex_lock(&model->lock);
	own = model->primary;
	pthread_mutex_unlock(&model->lock);
	return own && own->pid == pid && own->was_opened ? describe(own) : NULL;
}

pid_t kfd_model_sysfs_pid(pid_t after)
{
	FILE *sockets = fopen("/proc/self/net/unix", "re");
	char line[512];
	pid_t next = 0;

	while (sockets && fgets(line, sizeof(line), sockets)) {
		const char *name = strstr(line, " @" KFD_MODEL_CONTROL_PREFIX);
		pid_t pid;

		/* connections have the name as well; the one that listens has this flag */
		if (!name || !strstr(line, " 00010000 "))
			continue;
		pid = (pid_t)strtol(name + 2 + strlen(KFD_MODEL_CONTROL_PREFIX), NULL, 10);
		if (pid > after && (!next || pid < next))
			next = pid;
	}
	if (sockets)
		fclose(sockets);
	return next;
}
