/* SPDX-License-Identifier: MIT */
/*
 * A note on each object (memory, queue, event) of who asked for it. What it means is known only to
 * whoever stands in front of the library's functions; the thunk keeps it as long as the object.
 */
#ifndef KFDSCOPE_THUNK_ORIGIN_H
#define KFDSCOPE_THUNK_ORIGIN_H

#include <stdint.h>

/* @return the note for an object that the calling thread makes now; 0: nothing is known. */
typedef uint64_t (*kmt_origin_source)(void);

/* Sets who is asked; called once, when the library is loaded. */
void kmt_origin_set_source(kmt_origin_source source);
/* Asks the source; 0 without one. Takes no locks, keeps errno. */
uint64_t kmt_origin(void);

#endif
