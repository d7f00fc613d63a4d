/* SPDX-License-Identifier: MIT */
/* Writes what a process uses; asks other processes for theirs. */
#include "sysfs.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bo.h"
#include "caller.h"
#include "control.h"
#include "process.h"
#include "queue.h"

#define PASID_FIRST  0x8000
#define PASID_SECOND 0x7000     /* of the first secondary context */
#define TEXT_MAX     (1u << 20) /* of another process: what is longer is no such text */
#define ROUNDS       4          /* a text may grow while it is fetched */

/* Files of a GPU, below where (which ends with a slash, or is empty). */
static void write_gpu(FILE *out, const char *where, uint32_t gpu, uint64_t vram_bytes)
{
	fprintf(out, "%svram_%u=%llu\n", where, gpu, (unsigned long long)vram_bytes);
	/* engines keep no time, nothing is evicted, no wave stays on a unit, nothing migrates */
	fprintf(out, "%ssdma_%u=0\n", where, gpu);
	fprintf(out, "%sstats_%u/evicted_ms=0\n", where, gpu);
	fprintf(out, "%sstats_%u/cu_occupancy=0\n", where, gpu);
	fprintf(out, "%scounters_%u/faults=0\n", where, gpu);
	fprintf(out, "%scounters_%u/page_in=0\n", where, gpu);
	fprintf(out, "%scounters_%u/page_out=0\n", where, gpu);
}

static void write_queues(FILE *out, const char *where, struct kfd_model_process *process)
{
	pthread_mutex_lock(&process->queues_lock);
	for (uint32_t id = 0; id < KFD_MODEL_QUEUES_MAX; id++) {
		const struct kfd_model_kfd_queue *queue = process->queues[id];

		if (!queue)
			continue;
		fprintf(out, "%squeues/%u/size:%u\n", where, id, queue->args.ring_size);
		fprintf(out, "%squeues/%u/type:%u\n", where, id, queue->type);
		fprintf(out, "%squeues/%u/gpuid:%u\n", where, id, queue->vm->node->gpu_id);
	}
	pthread_mutex_unlock(&process->queues_lock);
}

/*
 * A secondary context with its lock held, which keeps kfd_model_close() from freeing it; NULL when
 * there is none. The machine's lock is the last one of the order, so that the other is only tried.
 */
static struct kfd_model_process *lock_context(struct kfd_model *model, uint32_t id)
{
	struct kfd_model_process *context;
	bool locked;

	do {
		pthread_mutex_lock(&model->lock);
		context = model->secondaries[id];
		locked = !context || pthread_mutex_trylock(&context->lock) == 0;
		pthread_mutex_unlock(&model->lock);
		if (!locked)
			sched_yield();
	} while (!locked);
	return context;
}

static uint64_t vram_of(const struct kfd_model_vm *vm)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < vm->bo_capacity; i++)
		if (vm->bos[i])
			sum += vm->bos[i]->backing->vram_charge;
	return sum;
}

/* Writes the directory of each secondary context, and takes its memory off what all use. */
static void write_contexts(FILE *out, struct kfd_model *model, uint64_t vram[KFD_MODEL_MAX_GPUS])
{
	const uint32_t count = sizeof(model->secondaries) / sizeof(model->secondaries[0]);

	for (uint32_t id = 0; id < count; id++) {
		struct kfd_model_process *context = lock_context(model, id);
		char where[32];

		if (!context)
			continue;
		snprintf(where, sizeof(where), "context_%u/", id);
		fprintf(out, "%spasid=%u\n", where, PASID_SECOND + id);
		for (uint32_t i = 0; i < context->vm_count; i++) {
			uint64_t own = vram_of(&context->vms[i]);

			write_gpu(out, where, context->vms[i].node->gpu_id, own);
			vram[i] -= own < vram[i] ? own : vram[i];
		}
		write_queues(out, where, context);
		pthread_mutex_unlock(&context->lock);
	}
}

static char *describe(struct kfd_model_process *process)
{
	struct kfd_model *model = process->model;
	uint64_t vram[KFD_MODEL_MAX_GPUS];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < process->vm_count; i++)
		vram[i] = atomic_load(&model->vram_used[i]);
	fprintf(out, "pasid=%d\n", PASID_FIRST + (process->pid & (PASID_FIRST - 1)));
	write_contexts(out, model, vram);
	for (uint32_t i = 0; i < process->vm_count; i++)
		write_gpu(out, "", process->vms[i].node->gpu_id, vram[i]);
	write_queues(out, "", process);
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
