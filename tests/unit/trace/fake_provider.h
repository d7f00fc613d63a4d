/* SPDX-License-Identifier: MIT */
/* A provider that keeps the events it is given, and walks a stack that the test makes up. */
#ifndef KFDSCOPE_TESTS_FAKE_PROVIDER_H
#define KFDSCOPE_TESTS_FAKE_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

#include "provider.h"

/* Puts it in use with every event disabled and nothing kept; the walk really walks. */
void fake_provider_install(void);
/* Takes it out of use. */
void fake_provider_remove(void);

void fake_provider_enable(enum trace_event event, bool is_enabled);
/* All of them. */
void fake_provider_enable_all(void);
/* Events of one kind that were fired. */
size_t fake_provider_count(enum trace_event event);
size_t fake_provider_total(void);
/* The index-th event, of all kinds together. */
enum trace_event fake_provider_kind(size_t index);
/*
 * The index-th event of a kind, in the order they were fired; its bt points to kept frames. NULL
 * when there are not so many.
 */
const void *fake_provider_event(enum trace_event event, size_t index);
/* Drops what is kept. */
void fake_provider_forget(void);
/* Frames that a walk gives from now on, below our own; 0: it really walks. */
void fake_provider_set_depth(int frames);
/* Called inside each firing, NULL for nothing. */
void fake_provider_on_fire(void (*callback)(void));

#endif
