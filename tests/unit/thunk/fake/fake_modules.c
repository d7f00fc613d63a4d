/* SPDX-License-Identifier: MIT */
/* Stand-ins for the upper modules of the thunk. */
#include "fake_modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug.h"
#include "event/event.h"
#include "perf/perf.h"
#include "queue/queue.h"
#include "topology/topology.h"

struct fake_modules fake_modules;

struct kmt_fmm {
	bool has_apertures;
};
struct kmt_queues {
	bool has_doorbells;
};
struct kmt_events {
	int unused;
};
struct kmt_debug {
	int unused;
};
struct kmt_perf {
	int unused;
};

void fake_modules_reset(void)
{
	fake_modules.init_apertures_status = HSAKMT_STATUS_SUCCESS;
	fake_modules.doorbells_status = HSAKMT_STATUS_SUCCESS;
	fake_modules.fail_new_fmm = fake_modules.fail_new_queues = false;
	fake_modules.fail_new_events = fake_modules.fail_new_debug = false;
	fake_modules.fail_new_perf = false;
	memset(fake_modules.apertures, 0, sizeof(fake_modules.apertures));
	fake_modules_sequence_reset();
}

void fake_modules_sequence_reset(void)
{
	fake_modules.sequence[0] = '\0';
}

static void note(const char *name)
{
	size_t used = strlen(fake_modules.sequence);

	snprintf(fake_modules.sequence + used, sizeof(fake_modules.sequence) - used, "%s%s",
		 used ? " " : "", name);
}

static void *make(bool fail, size_t size, int *live)
{
	void *object = fail ? NULL : calloc(1, size);

	*live += object != NULL;
	return object;
}

static void drop(void *object, int *live, const char *name)
{
	if (!object)
		return;
	note(name);
	--*live;
	free(object);
}

struct kmt_fmm *kmt_fmm_new(void)
{
	return make(fake_modules.fail_new_fmm, sizeof(struct kmt_fmm), &fake_modules.live_fmms);
}

void kmt_fmm_free(struct kmt_fmm *fmm)
{
	drop(fmm, &fake_modules.live_fmms, "fmm_free");
}

HSAKMT_STATUS kmt_fmm_init_apertures(struct kmt_context *ctx)
{
	note("apertures_init");
	if (fake_modules.init_apertures_status == HSAKMT_STATUS_SUCCESS)
		ctx->fmm->has_apertures = true;
	return fake_modules.init_apertures_status;
}

void kmt_fmm_fini_apertures(struct kmt_context *ctx)
{
	note("apertures_fini");
	ctx->fmm->has_apertures = false;
}

bool kmt_fmm_has_apertures(const struct kmt_context *ctx)
{
	return ctx->fmm && ctx->fmm->has_apertures;
}

void kmt_fmm_after_fork(struct kmt_context *ctx)
{
	note("fmm_after_fork");
	ctx->fmm->has_apertures = false;
}

bool kmt_fmm_aperture(const struct kmt_context *ctx, uint32_t node_id, enum kmt_aperture_kind kind,
		      uint64_t *base, uint64_t *limit)
{
	uint32_t gpu_id = 0;

	if (!kmt_fmm_has_apertures(ctx) || !fake_modules.apertures[kind].limit ||
	    kmt_topology_gpu_id(ctx, node_id, &gpu_id) != HSAKMT_STATUS_SUCCESS || !gpu_id)
		return false;
	*base = fake_modules.apertures[kind].base;
	*limit = fake_modules.apertures[kind].limit;
	return true;
}

struct kmt_queues *kmt_queues_new(void)
{
	return make(fake_modules.fail_new_queues, sizeof(struct kmt_queues),
		    &fake_modules.live_queues);
}

void kmt_queues_free(struct kmt_queues *queues)
{
	drop(queues, &fake_modules.live_queues, "queues_free");
}

HSAKMT_STATUS kmt_doorbells_init(struct kmt_context *ctx)
{
	note("doorbells_init");
	if (fake_modules.doorbells_status == HSAKMT_STATUS_SUCCESS)
		ctx->queues->has_doorbells = true;
	return fake_modules.doorbells_status;
}

void kmt_doorbells_fini(struct kmt_context *ctx)
{
	note("doorbells_fini");
	ctx->queues->has_doorbells = false;
}

void kmt_doorbells_after_fork(struct kmt_context *ctx)
{
	note("doorbells_after_fork");
	ctx->queues->has_doorbells = false;
}

struct kmt_events *kmt_events_new(void)
{
	return make(fake_modules.fail_new_events, sizeof(struct kmt_events),
		    &fake_modules.live_events);
}

void kmt_events_free(struct kmt_events *events)
{
	drop(events, &fake_modules.live_events, "events_free");
}

void kmt_events_forget_page(struct kmt_context *ctx)
{
	(void)ctx;
	note("events_forget_page");
}

void kmt_events_drop_unused_page(struct kmt_context *ctx)
{
	(void)ctx; /* nothing is tried here */
}

struct kmt_debug *kmt_debug_new(uint32_t node_count)
{
	(void)node_count;
	return make(fake_modules.fail_new_debug, sizeof(struct kmt_debug),
		    &fake_modules.live_debugs);
}

void kmt_debug_free(struct kmt_debug *debug)
{
	drop(debug, &fake_modules.live_debugs, "debug_free");
}

struct kmt_perf *kmt_perf_new(uint32_t node_count)
{
	fake_modules.perf_node_count = node_count;
	return make(fake_modules.fail_new_perf, sizeof(struct kmt_perf), &fake_modules.live_perfs);
}

void kmt_perf_free(struct kmt_perf *perf)
{
	drop(perf, &fake_modules.live_perfs, "perf_free");
}
