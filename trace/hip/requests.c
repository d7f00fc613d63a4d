/* SPDX-License-Identifier: MIT */
/* What the program holds of the HIP runtime, for recordings that start later (hip_layer.h). */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "hip/hip_layer.h"
#include "idtable.h"
#include "maker.h"
#include "own_lock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects live */
static struct idtable live = { .element_bytes = sizeof(struct layer_request), .is_wide = true };

/* A signal handler that interrupts its own thread in here is not noted, rather than stuck. */
static __thread bool is_noting __attribute__((tls_model("initial-exec")));

static bool noting_begin(void)
{
	return own_lock_enter(&lock, &is_noting);
}

static void noting_end(void)
{
	own_lock_leave(&lock, &is_noting);
}

void layer_request_restore(const struct layer_request *given)
{
	if (!noting_begin())
		return;
	idtable_put(&live, given);
	noting_end();
}

void layer_request_note(enum trace_event entry, const void *caller, uint32_t asked,
			uint64_t address, uint64_t size_bytes)
{
	const struct layer_request request = {
		.address = address,
		.size_bytes = size_bytes,
		.maker = trace_maker_of(entry, caller),
		.asked = asked,
	};

	layer_request_restore(&request);
}

void layer_request_forget(struct layer_request *given, uint64_t address)
{
	if (!noting_begin())
		return;
	(void)idtable_take(&live, address, given);
	noting_end();
}

static void emit(const struct trace_provider *provider, const struct layer_request *request)
{
	struct kmt_state_request event = {
		.address = request->address,
		.size_bytes = request->size_bytes,
		.asked = request->asked,
	};
	struct trace_made_by by;

	trace_maker_tell(request->maker, &by);
	TRACE_MAKER_FILL(&event, &by);
	provider->fire[TRACE_kmt_state_request](&event);
}

static void dump(void)
{
	const struct trace_provider *provider = trace_provider_get();
	struct kmt_state_requests all = { 0 };
	struct trace_thread *thread = &trace_thread;

	if (!layer_keeps() || thread->busy || !trace_enabled(provider, TRACE_kmt_state_request))
		return;
	thread->busy = true;
	pthread_mutex_lock(&lock);
	for (all.requests = 0; all.requests < live.count; all.requests++)
		emit(provider, idtable_at(&live, all.requests));
	pthread_mutex_unlock(&lock);
	if (trace_enabled(provider, TRACE_kmt_state_requests))
		provider->fire[TRACE_kmt_state_requests](&all);
	thread->busy = false;
}

/* What the parent held is not the child's to give back. */
static void forked(void)
{
	/* Another thread of the parent may have held the lock, in the middle of a change. */
	idtable_clear(&live, pthread_mutex_trylock(&lock) == 0);
	pthread_mutex_init(&lock, NULL);
}

static void __attribute__((constructor)) requests_init(void)
{
	static const struct trace_host host = { .dump = dump, .forked = forked };
	const struct trace_provider *provider = dlsym(RTLD_DEFAULT, TRACE_PROVIDER_SYMBOL);

	if (provider && !trace_provider_mismatch(provider))
		provider->attach(&host);
}
