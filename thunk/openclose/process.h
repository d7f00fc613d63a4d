/* SPDX-License-Identifier: MIT */
/*
 * What is shared by all contexts of the process: the open count, the fork state, the facts of
 * kmt_process(), and the list of secondary contexts (openclose.md 1).
 */
#ifndef KFDSCOPE_THUNK_OPENCLOSE_PROCESS_H
#define KFDSCOPE_THUNK_OPENCLOSE_PROCESS_H

#include "context.h"

/* Number of opens not yet closed. Readable without the global lock. */
unsigned int kmt_open_count(void);
/* The caller holds the global lock. */
void kmt_open_count_set(unsigned int count);

/* For those that fill kmt_process() in; the caller holds the global lock. */
struct kmt_process *kmt_process_edit(void);

/* True in a forked child until it opens the KFD again. Readable without the global lock. */
bool kmt_process_forked(void);
/*
 * Notices that this is another process than the one that opened, also when the fork handlers were
 * bypassed. The first call after an open remembers the process.
 *
 * @return kmt_process_forked()
 */
bool kmt_process_check_fork(void);
/* The after-fork cleanup is done: this process is its own from here on. */
void kmt_process_fork_done(void);
/* Installs the fork handlers, once in the life of the process. @return 0 or -errno. */
int kmt_process_install_fork_handlers(void);

/* The secondary contexts that are open. All take the list's own lock. */
void kmt_secondary_add(struct kmt_context *ctx);
/* @return false when ctx is not in the list: then it is stale and must not be touched. */
bool kmt_secondary_remove(struct kmt_context *ctx);
bool kmt_secondary_is_live(const struct kmt_context *ctx);
/*
 * Lists them. The caller holds the global lock, without which they may be closed meanwhile.
 * @return how many were put into out, at most capacity.
 */
size_t kmt_secondary_list(struct kmt_context **out, size_t capacity);
/* In a forked child: forgets them all; their memory stays behind (context.md 3). */
void kmt_secondary_forget(void);

#endif
