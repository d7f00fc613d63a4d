/* SPDX-License-Identifier: MIT */
/*
 * Joins a guest's calls with what the host did for them: a command is known on both sides by the guest
 * and its sequence number. What a guest's call took is split into four parts: its own work, the way
 * to the host and back, the host's work, and the kernel's. Durations are taken on one clock each, so
 * that the parts add up whatever the clocks say; only the way there and back needs both.
 */
#ifndef KFDSCOPE_ANALYSIS_MODEL_GUESTS_H
#define KFDSCOPE_ANALYSIS_MODEL_GUESTS_H

#include <glib.h>

#include "record.h"

struct call;
struct guests;
struct stack;
struct thread;

/* All calls of one function of the guest's library; the parts add up to total_ns. */
struct guest_row {
	const struct call_type *type; /* borrowed */
	uint64_t calls, commands;
	uint64_t unjoined; /* commands whose host side was not recorded: their wait is transport */
	int64_t total_ns, guest_ns, transport_ns, host_ns, kernel_ns;
	int64_t outbound_ns; /* of transport_ns: until the host began; by the compared clocks */
};

struct guests *guests_new(void);
void guests_free(struct guests *guests);

/* For the model: a call began or ended, in time order. */
void guests_call_entry(struct guests *guests, struct call *call);
void guests_call_exit(struct guests *guests, const struct call *call, const struct record *exit);
/* A pair of clocks was read. */
void guests_clock_pair(struct guests *guests, const struct record *record);

/* @return the host's command around the thread's innermost call, or NULL. */
const struct call *guests_command_around(const struct thread *thread);
/* @return the stack of the guest's call that the command around a host's thread serves, or NULL. */
const struct stack *guests_stack(const struct guests *guests, const struct thread *thread);
/*
 * @return whether the host is giving up a guest's leavings around the thread's innermost call: the guest
 *         is gone, or closes.
 */
bool guests_is_gone(const struct thread *thread);

/* The recording is over. */
void guests_finish(struct guests *guests);

/* Rows of struct guest_row, in order of first appearance. */
const GPtrArray *guests_rows(const struct guests *guests);

#endif
