/* SPDX-License-Identifier: MIT */
/* Quick waits one after the other (spins.h). */
#include "spins.h"

#include <string.h>

#include "keyed.h"

/* A thread that does something else for longer between two waits does not spin; one without a CPU may. */
#define SPIN_GAP_NS INT64_C(500000000)

/* So many waits in a row that are not quick end a stretch. */
#define SLOW_MAX 8u

struct slow_wait {
	int64_t exit_ns, duration_ns;
	enum spin_result result;
};

/*
 * The stretch that a thread is in. Waits that were not quick can be a thread that lost its CPU, on a busy
 * machine several times in a row: they belong to the stretch if a quick one follows soon.
 */
struct stretch {
	bool is_open;
	struct spin *spin; /* owned: also when it is not open, for the next one */
	struct slow_wait slow[SLOW_MAX];
	uint32_t slow_count;
};

struct spins {
	struct keyed threads; /* of struct thread: struct stretch */
	GPtrArray *found;     /* of struct spin, owned */
};

static void spin_free(void *data)
{
	struct spin *spin = data;

	latency_fini(&spin->latency);
	g_free(spin);
}

static void stretch_free(void *data)
{
	struct stretch *stretch = data;

	if (stretch->spin)
		spin_free(stretch->spin);
	g_free(stretch);
}

struct spins *spins_new(void)
{
	struct spins *spins = g_new0(struct spins, 1);

	keyed_init(&spins->threads, stretch_free);
	spins->found = g_ptr_array_new_with_free_func(spin_free);
	return spins;
}

void spins_free(struct spins *spins)
{
	if (!spins)
		return;
	keyed_fini(&spins->threads);
	g_ptr_array_free(spins->found, TRUE);
	g_free(spins);
}

static bool is_spin(const struct spin *spin)
{
	int64_t duration_ns = spin->end_ns - spin->begin_ns;

	return spin->latency.count >= SPIN_MIN_COUNT &&
	       (double)spin->latency.count * 1e9 >= (double)SPIN_MIN_RATE * (double)duration_ns;
}

static struct stretch *stretch_of(struct spins *spins, const struct thread *thread)
{
	struct stretch *stretch = keyed_find(&spins->threads, thread);

	return stretch ? stretch : keyed_add(&spins->threads, thread, g_new0(struct stretch, 1));
}

/* What was a spin is kept. */
static void end_stretch(struct spins *spins, struct stretch *stretch)
{
	if (!stretch->is_open)
		return;
	stretch->is_open = false;
	if (is_spin(stretch->spin))
		g_ptr_array_add(spins->found, g_steal_pointer(&stretch->spin));
	else
		latency_fini(&stretch->spin->latency);
}

static bool goes_on(const struct stretch *stretch, const struct wait *wait)
{
	const struct spin *spin = stretch->spin;
	int64_t end_ns =
		stretch->slow_count ? stretch->slow[stretch->slow_count - 1].exit_ns : spin->end_ns;

	return spin->type == wait->site->type && spin->stack == wait->site->stack &&
	       spin->process == wait->site->process && spin->is_poll == (wait->timeout_ms == 0) &&
	       wait->entry_ns - end_ns < SPIN_GAP_NS && spin->count == wait->count &&
	       memcmp(spin->ids, wait->ids, wait->count * sizeof(wait->ids[0])) == 0;
}

static void begin_stretch(struct stretch *stretch, const struct wait *wait)
{
	struct spin *spin = stretch->spin ? stretch->spin : g_new(struct spin, 1);

	stretch->is_open = true;
	stretch->slow_count = 0;
	stretch->spin = spin;
	memset(spin, 0, offsetof(struct spin, ids));
	spin->process = wait->site->process;
	spin->type = wait->site->type;
	spin->stack = wait->site->stack;
	spin->vtid = wait->vtid;
	spin->is_poll = wait->timeout_ms == 0;
	spin->begin_ns = wait->entry_ns;
	spin->count = wait->count;
	memcpy(spin->ids, wait->ids, wait->count * sizeof(wait->ids[0]));
}

static void count_wait(struct spin *spin, int64_t exit_ns, int64_t duration_ns,
		       enum spin_result result)
{
	spin->end_ns = exit_ns;
	latency_add(&spin->latency, duration_ns, duration_ns);
	switch (result) {
	case SPIN_SUCCEEDED:
		spin->succeeded++;
		break;
	case SPIN_TIMED_OUT:
		spin->timed_out++;
		break;
	case SPIN_FAILED:
		spin->failed++;
		break;
	}
}

void spins_add(struct spins *spins, const struct thread *thread, const struct wait *wait,
	       int64_t exit_ns, enum spin_result result)
{
	struct stretch *stretch = stretch_of(spins, thread);
	int64_t duration_ns = exit_ns - wait->entry_ns;
	bool quick = duration_ns < WAIT_QUICK_NS || wait->timeout_ms == 0;

	if (stretch->is_open &&
	    !(goes_on(stretch, wait) && (quick || stretch->slow_count < SLOW_MAX)))
		end_stretch(spins, stretch);
	if (!stretch->is_open && !quick)
		return;
	if (!stretch->is_open)
		begin_stretch(stretch, wait);
	if (!quick) {
		stretch->slow[stretch->slow_count++] = (struct slow_wait){
			.exit_ns = exit_ns,
			.duration_ns = duration_ns,
			.result = result,
		};
		return;
	}
	for (uint32_t i = 0; i < stretch->slow_count; i++)
		count_wait(stretch->spin, stretch->slow[i].exit_ns, stretch->slow[i].duration_ns,
			   stretch->slow[i].result);
	stretch->slow_count = 0;
	count_wait(stretch->spin, exit_ns, duration_ns, result);
}

static int compare_spins(const void *left, const void *right)
{
	const struct spin *a = *(struct spin *const *)left, *b = *(struct spin *const *)right;

	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

const GPtrArray *spins_finish(struct spins *spins)
{
	GHashTableIter iter;
	void *stretch;

	g_hash_table_iter_init(&iter, spins->threads.table);
	while (g_hash_table_iter_next(&iter, NULL, &stretch))
		end_stretch(spins, stretch);
	g_ptr_array_sort(spins->found, compare_spins);
	return spins->found;
}
