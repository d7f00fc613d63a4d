/* SPDX-License-Identifier: MIT */
/*
 * Calls that failed: watches a model and keeps each failing call with its arguments, the system call
 * that was the cause, the rule that was broken, and what was alive at that moment. Only the outermost
 * library call counts; what fails inside is its cause. What fails inside a call that succeeds all the
 * same is kept apart. Like failures (equal call, stack, status and errno) are kept in full up to
 * FAILURES_KEPT and counted from then on.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_FAILURES_H
#define KFDSCOPE_ANALYSIS_MODEL_FAILURES_H

#include "model/model.h"

#define FAILURES_KEPT 64u
/* Sites named as top holders of memory, or creators of events and queues. */
#define FAILURE_HOLDERS 3u

/* Who held most of what a failing call asked for, at that moment. */
struct failure_holder {
	const struct stack *stack;    /* borrowed; NULL: not recorded */
	const struct call_type *type; /* borrowed; NULL: unknown */
	uint64_t count, bytes;
};

/* What the call wanted. */
enum failure_subject {
	SUBJECT_OTHER,
	SUBJECT_MEMORY,
	SUBJECT_EVENT,
	SUBJECT_QUEUE,
};

struct failure {
	struct process *process;      /* borrowed */
	const struct call_type *type; /* borrowed */
	const struct stack *stack;    /* borrowed; NULL: not recorded */
	uint32_t vtid;
	int64_t entry_ns, time_ns; /* entry and exit */
	uint32_t status;           /* HSAKMT_STATUS; 0 when the call has none */
	uint32_t os_errno;         /* of the system call that failed; 0: none did */
	const struct call_type
		*inner; /* borrowed: that system call; NULL: none, or the call itself */
	struct args *args, *inner_args; /* owned: of the entries */
	char *reason;                   /* owned: the rule that was broken; NULL: not known */

	enum failure_subject subject;
	/* Of memory: what was asked for, and what was alive. */
	enum memory_kind kind;
	uint64_t wanted_bytes, kind_bytes, kind_count, node_bytes;
	uint32_t node_id; /* UINT32_MAX: none */
	/* Of events and queues: how many were alive, queues on this node. */
	uint64_t live_count;
	GArray *holders; /* owned, of struct failure_holder: most first */
	uint32_t more;   /* like failures that followed and were only counted */
	int64_t more_last_ns;
};

/* A system call that failed inside a call that succeeded. */
struct recovered {
	struct process *process;      /* borrowed */
	const struct call_type *type; /* borrowed: the library's call */
	const struct call_type *inner;
	uint32_t os_errno;
	struct args *args; /* owned: of the first one */
	uint64_t count;
	int64_t first_ns, last_ns;
};

/* What a process said of itself. */
struct failures_process {
	struct process *process; /* borrowed */
	bool known;
	uint32_t uid, gid, kfd_major, kfd_minor; /* effective ids */
};

struct failures;

/* Starts watching. @param model  borrowed, must outlive the failures. */
struct failures *failures_new(struct model *model);
void failures_free(struct failures *failures);
const GPtrArray *failures_list(const struct failures *failures);      /* of struct failure */
const GPtrArray *failures_recovered(const struct failures *failures); /* of struct recovered */
/* What the process said of itself; NULL when it said nothing. */
const struct failures_process *failures_process(const struct failures *failures,
						const struct process *process);

/* The file that a system call was about, from its arguments; NULL: none. The caller's to g_free(). */
char *failure_path(const struct args *args);
/*
 * The rule that a failing call broke, from its arguments, its status and the errno inside
 * (memory.md 2, 10, 17; queues.md 5; events.md 2).
 * @return a sentence, the caller's to g_free(); NULL when no rule is known.
 */
char *failure_rule(const struct failure *failure, const struct call *call);

#endif
