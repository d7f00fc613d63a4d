/* SPDX-License-Identifier: MIT */
/*
 * The walk: every public call with good and with bad arguments. The same cases are built four times:
 * with our headers for the plain calls, with our headers for the calls that name a context
 * (WALK_CTX), with the distribution's 5.2.3 headers (WALK_STOCK) for the comparison of both
 * libraries, and with the calls of a guest's library in place of the thunk's (WALK_GUEST). They also run with a system call that fails at each place in turn, so a case goes on
 * only with what it really got.
 */
#ifndef KFDSCOPE_TESTS_INTEGRATION_WALK_H
#define KFDSCOPE_TESTS_INTEGRATION_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef WALK_STOCK
#include <hsakmt.h>
typedef HsaMemMapFlags walk_map_flags;
#else
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"
#include "hsakmt/linux/kfd_ioctl.h"
typedef HsaMemFlags walk_map_flags;
#endif
#ifdef WALK_GUEST
#include "walk_guest.h"
#endif

#define WALK_PAGE     4096ull
#define WALK_NO_NODE  UINT32_MAX /* what gpu is on a machine without one */
#define WALK_BAD_NODE 1000u

struct walk {
#ifndef WALK_STOCK
	HsaKFDContext *ctx; /* the primary one, once open */
#endif
	void (*before)(struct walk *w); /* called when a case begins; may be NULL */
	bool relaxed; /* a system call may have been made to fail: results are not compared */
	bool quiet;   /* print nothing but what is wrong */
	uint32_t node_count, cpu, gpu;
	unsigned int mismatches, calls;
	const char *name; /* of the case */
};

struct walk_case {
	const char *name; /* a sentence about behaviour */
	void (*run)(struct walk *w);
	bool closed; /* runs before anything is open; else the driver is open and a snapshot held */
};

/* Runs one case between open and close. @return whether every result was as expected. */
bool walk_run(struct walk *w, const struct walk_case *c);
/* Every case; the last has no name. */
const struct walk_case *walk_next(const struct walk_case *c);

/*
 * Notes what a call returned, and prints it.
 * @return true on success (KERNEL_ALREADY_OPENED counts), so that the case may use the outputs.
 */
bool walk_note(struct walk *w, const char *call, HSAKMT_STATUS expected, HSAKMT_STATUS got);
/* Prints an output of the last call, for the comparison; an address as a name for it. */
void walk_number(struct walk *w, const char *field, uint64_t value);
void walk_address(struct walk *w, const char *field, uint64_t address);
/* An output that must have this value; the comparison sees it too. */
void walk_expect(struct walk *w, const char *field, uint64_t value, uint64_t expected);

/* Memory for the cases: ordinary pages, and what the driver gives (NULL when it refuses). */
void *walk_pages(size_t size_bytes);
void walk_pages_free(void *pages, size_t size_bytes);
void *walk_host(struct walk *w, uint64_t size_bytes);
void *walk_vram(struct walk *w, uint64_t size_bytes);
void walk_release(struct walk *w, void *memory, uint64_t size_bytes);
/* Unmaps first. */
void walk_unmap_release(struct walk *w, void *memory, uint64_t size_bytes);

/* Opens and closes as the walk does it, without notes. */
HSAKMT_STATUS walk_open(struct walk *w);
HSAKMT_STATUS walk_close(struct walk *w);

/*
 * API calls the function, or its twin with a context when the walk is about those; PLAIN is for
 * functions without a twin.
 */
#ifdef WALK_CTX
#define WALK_TWIN(fn)      #fn "Ctx"
#define WALK_CALL(fn, ...) fn##Ctx(w->ctx, ##__VA_ARGS__)
#else
#define WALK_TWIN(fn)      #fn
#define WALK_CALL(fn, ...) fn(__VA_ARGS__)
#endif
#define API(expected, fn, ...)                                                                     \
	walk_note(w, WALK_TWIN(fn), HSAKMT_STATUS_##expected, WALK_CALL(fn, ##__VA_ARGS__))
#define PLAIN(expected, fn, ...) walk_note(w, #fn, HSAKMT_STATUS_##expected, fn(__VA_ARGS__))

/* The cases, one array a module, each ended by an empty one. */
extern const struct walk_case walk_open_cases[], walk_topology_cases[], walk_memory_cases[],
	walk_registration_cases[], walk_share_cases[], walk_queue_cases[], walk_event_cases[],
	walk_svm_cases[], walk_debug_cases[], walk_perf_cases[], walk_handle_cases[],
	walk_other_cases[];

#endif
