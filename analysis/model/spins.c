/* SPDX-License-Identifier: MIT */
/* Quick waits one after the other (spins.h). */
#include "spins.h"

#include <string.h>

/*
 * A thread that does something else for longer between two waits does not spin; nor does one that
 * really sleeps in one. Both limits leave room for a thread that loses its CPU while it spins.
 */
#define SPIN_GAP_NS   INT64_C(100000000)
#define SPIN_SLEEP_NS INT64_C(20000000)

struct spins {
	GHashTable *current; /* struct thread (borrowed) -> struct spin, owned */
	GPtrArray *found;    /* of struct spin, owned */
};

static void spin_free(void *data)
{
	struct spin *spin = data;

	latency_fini(&spin->latency);
	g_free(spin);
}

struct spins *spins_new(void)
{
	struct spins *spins = g_new0(struct spins, 1);

	spins->current = g_hash_table_new_full(NULL, NULL, NULL, spin_free);
	spins->found = g_ptr_array_new_with_free_func(spin_free);
	return spins;
}

void spins_free(struct spins *spins)
{
	if (!spins)
		return;
	g_hash_table_destroy(spins->current);
	g_ptr_array_free(spins->found, TRUE);
	g_free(spins);
}

static bool is_spin(const struct spin *spin)
{
	int64_t duration_ns = spin->end_ns - spin->begin_ns;

	return spin->latency.count >= SPIN_MIN_COUNT &&
	       (double)spin->latency.count * 1e9 >= (double)SPIN_MIN_RATE * (double)duration_ns;
}

/* Takes the thread's stretch out of the table: kept when it was a spin. */
static void end_spin(struct spins *spins, const struct thread *thread)
{
	void *value;

	if (!g_hash_table_steal_extended(spins->current, thread, NULL, &value))
		return;
	if (is_spin(value))
		g_ptr_array_add(spins->found, value);
	else
		spin_free(value);
}

static bool goes_on(const struct spin *spin, const struct wait *wait)
{
	return spin->type == wait->site->type && spin->stack == wait->site->stack &&
	       spin->process == wait->site->process && spin->is_poll == (wait->timeout_ms == 0) &&
	       wait->entry_ns - spin->end_ns < SPIN_GAP_NS && spin->count == wait->count &&
	       memcmp(spin->ids, wait->ids, wait->count * sizeof(wait->ids[0])) == 0;
}

static struct spin *begin_spin(struct spins *spins, const struct thread *thread,
			       const struct wait *wait)
{
	struct spin *spin = g_new0(struct spin, 1);

	spin->process = wait->site->process;
	spin->type = wait->site->type;
	spin->stack = wait->site->stack;
	spin->vtid = wait->vtid;
	spin->is_poll = wait->timeout_ms == 0;
	spin->begin_ns = wait->entry_ns;
	spin->count = wait->count;
	memcpy(spin->ids, wait->ids, wait->count * sizeof(wait->ids[0]));
	g_hash_table_insert(spins->current, (void *)thread, spin);
	return spin;
}

void spins_add(struct spins *spins, const struct thread *thread, const struct wait *wait,
	       int64_t exit_ns, enum spin_result result)
{
	struct spin *spin = g_hash_table_lookup(spins->current, thread);
	int64_t duration_ns = exit_ns - wait->entry_ns;
	bool quick = duration_ns < WAIT_QUICK_NS;

	/* A poll that was preempted is still a poll. */
	if (spin && !(goes_on(spin, wait) && (duration_ns < SPIN_SLEEP_NS || spin->is_poll))) {
		end_spin(spins, thread);
		spin = NULL;
	}
	if (!spin && !quick)
		return;
	if (!spin)
		spin = begin_spin(spins, thread, wait);
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

static int compare_spins(const void *left, const void *right)
{
	const struct spin *a = *(struct spin *const *)left, *b = *(struct spin *const *)right;

	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

const GPtrArray *spins_finish(struct spins *spins)
{
	GList *threads = g_hash_table_get_keys(spins->current);

	for (GList *link = threads; link; link = link->next)
		end_spin(spins, link->data);
	g_list_free(threads);
	g_ptr_array_sort(spins->found, compare_spins);
	return spins->found;
}
