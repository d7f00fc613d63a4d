/* SPDX-License-Identifier: MIT */
/* Process-wide state: counts, fork detection, the global lock. */
#include "openclose/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kmt_process process = { .udmabuf_fd = -1 };
static atomic_uint open_count;
static atomic_bool forked;
static _Atomic pid_t opener; /* 0: not remembered */

/* Protects the list below and nothing else; nothing is called while it is held. */
static pthread_mutex_t secondary_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kmt_context *secondaries;

void kmt_global_lock(void)
{
	pthread_mutex_lock(&global_lock);
}

void kmt_global_unlock(void)
{
	pthread_mutex_unlock(&global_lock);
}

const struct kmt_process *kmt_process(void)
{
	return &process;
}

struct kmt_process *kmt_process_edit(void)
{
	return &process;
}

void kmt_process_set_dgpu(bool is_dgpu)
{
	process.is_dgpu = is_dgpu;
}

/* Set once and never cleared: a program does not change its release. */
static atomic_bool client_523;

void kmt_note_client_523(void)
{
	atomic_store_explicit(&client_523, true, memory_order_relaxed);
}

bool kmt_svm_registers(const struct kmt_context *ctx)
{
	return ctx->svm_api_supported &&
	       (!atomic_load_explicit(&client_523, memory_order_relaxed) || ctx->svm_api_asked);
}

unsigned int kmt_open_count(void)
{
	return atomic_load_explicit(&open_count, memory_order_acquire);
}

void kmt_open_count_set(unsigned int count)
{
	atomic_store_explicit(&open_count, count, memory_order_release);
}

bool kmt_process_forked(void)
{
	return atomic_load_explicit(&forked, memory_order_relaxed);
}

bool kmt_process_check_fork(void)
{
	pid_t unset = 0, self = getpid();

	if (!atomic_compare_exchange_strong(&opener, &unset, self) && unset != self)
		forked = true;
	return forked;
}

void kmt_process_fork_done(void)
{
	opener = 0;
	forked = false;
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&global_lock);
	pthread_mutex_lock(&secondary_lock);
}

static void fork_parent(void)
{
	pthread_mutex_unlock(&secondary_lock);
	pthread_mutex_unlock(&global_lock);
}

static void fork_child(void)
{
	pthread_mutex_init(&secondary_lock, NULL);
	pthread_mutex_init(&global_lock, NULL);
	forked = true;
}

int kmt_process_install_fork_handlers(void)
{
	static bool installed; /* under the global lock; a child inherits handlers and flag */
	int rc;

	if (installed)
		return 0;
	rc = pthread_atfork(fork_prepare, fork_parent, fork_child);
	installed = rc == 0;
	return -rc;
}

void kmt_secondary_add(struct kmt_context *ctx)
{
	pthread_mutex_lock(&secondary_lock);
	ctx->next = secondaries;
	secondaries = ctx;
	pthread_mutex_unlock(&secondary_lock);
}

bool kmt_secondary_remove(struct kmt_context *ctx)
{
	struct kmt_context **link;
	bool found = false;

	pthread_mutex_lock(&secondary_lock);
	for (link = &secondaries; *link && *link != ctx; link = &(*link)->next)
		;
	if (*link) {
		*link = ctx->next;
		found = true;
	}
	pthread_mutex_unlock(&secondary_lock);
	return found;
}

bool kmt_secondary_is_live(const struct kmt_context *ctx)
{
	const struct kmt_context *other;

	pthread_mutex_lock(&secondary_lock);
	for (other = secondaries; other && other != ctx; other = other->next)
		;
	pthread_mutex_unlock(&secondary_lock);
	return other;
}

size_t kmt_secondary_list(struct kmt_context **out, size_t capacity)
{
	size_t count = 0;

	pthread_mutex_lock(&secondary_lock);
	for (struct kmt_context *ctx = secondaries; ctx && count < capacity; ctx = ctx->next)
		out[count++] = ctx;
	pthread_mutex_unlock(&secondary_lock);
	return count;
}

void kmt_secondary_forget(void)
{
	pthread_mutex_lock(&secondary_lock);
	secondaries = NULL;
	pthread_mutex_unlock(&secondary_lock);
}
