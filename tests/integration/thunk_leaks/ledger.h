/* SPDX-License-Identifier: MIT */
/*
 * A door that keeps a ledger of everything the library takes from the outside and gives back, and
 * that can make one operation fail.
 */
#ifndef KFDSCOPE_TESTS_INTEGRATION_LEDGER_H
#define KFDSCOPE_TESTS_INTEGRATION_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is held. Two of them can be compared as memory. */
struct ledger {
	uint64_t buffers, queues, events, drm_objects, descriptors;
	uint64_t mapped_bytes;
};

/* Puts the door in front of every device from now on. */
void ledger_install(void);
/* Counts operations from here; the number fail_at (from 1) fails, 0 for none. */
void ledger_arm(unsigned int fail_at);
/* Operations that could have failed since then; counting ends. */
unsigned int ledger_disarm(void);
/*
 * Whether the operation that failed was one that gives something back: then it is the caller's, or
 * the kernel's, again.
 */
bool ledger_failed_giving_back(void);
/* Name of the operation that failed, for messages. */
const char *ledger_failed_name(void);
/* What is held now, with the descriptors of the process. */
struct ledger ledger_now(void);

#endif
