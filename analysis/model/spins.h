/* SPDX-License-Identifier: MIT */
/* Finds stretches of quick waits, thread by thread. For waits.c. */
#ifndef KFDSCOPE_ANALYSIS_MODEL_SPINS_H
#define KFDSCOPE_ANALYSIS_MODEL_SPINS_H

#include "waits.h"

enum spin_result {
	SPIN_SUCCEEDED,
	SPIN_TIMED_OUT,
	SPIN_FAILED,
};

struct spins;

struct spins *spins_new(void);
void spins_free(struct spins *spins);
/* A wait has returned. @param thread  borrowed, as a key only. */
void spins_add(struct spins *spins, const struct thread *thread, const struct wait *wait,
	       int64_t exit_ns, enum spin_result result);
/* Ends what is going on. @return all spins found, of struct spin; borrowed. */
const GPtrArray *spins_finish(struct spins *spins);

#endif
