/* SPDX-License-Identifier: MIT */
/* Another process of a case, with a KFD of its own, that does one step for each byte that it is sent. */
#ifndef KFDSCOPE_TESTS_CONFORMANCE_TARGET_H
#define KFDSCOPE_TESTS_CONFORMANCE_TARGET_H

#include "machine.h"

#define PATIENCE_MS 20000 /* a hang, not a measurement */

struct target {
	pid_t pid;
	int step, done; /* pipes: to it, and from it */
};

typedef void (*target_fn)(struct machine *m, struct target *self);

/* For the target: tells that a step is done, waits for the next, opens the KFD. */
void finished(struct target *t);
void next_step(struct target *t);
void open_here(struct machine *m);

/* For the case: starts it, lets it do a step, waits for a byte, traces it, waits for its end. */
struct target target_start(struct machine *m, target_fn life);
void go(struct target *t);
bool comes(int fd);
void trace(struct target *t);
void target_end(struct target *t, int status);

#endif
