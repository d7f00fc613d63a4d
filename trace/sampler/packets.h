/* SPDX-License-Identifier: MIT */
/* Counts the packets of an AQL queue by type, from looks at its ring now and then. */
#ifndef KFDSCOPE_TRACE_SAMPLER_PACKETS_H
#define KFDSCOPE_TRACE_SAMPLER_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_BYTES = 64 };

enum packet_kind {
	PACKET_KERNEL_DISPATCH,
	PACKET_BARRIER_AND,
	PACKET_BARRIER_OR,
	PACKET_BARRIER, /* one of the two: the consumer has overwritten which */
	PACKET_AGENT_DISPATCH,
	PACKET_VENDOR_SPECIFIC,
	PACKET_UNSEEN, /* overwritten, or not readable, before anyone looked */
	PACKET_KIND_COUNT,
};

/*
 * What a packet is. The consumer overwrites the type of a packet that it has taken with INVALID
 * (gpu_packets.md 2); the rest stays, and tells by the fields that only one type has.
 */
enum packet_kind packet_kind_of(const unsigned char packet[PACKET_BYTES]);

/* One queue's ring and how far its packets are counted. */
struct packet_ring {
	uint64_t address,
		packet_count;       /* the ring: count is a power of two, or 0: nothing to count */
	uint64_t read_va, write_va; /* of the indices: 64 bits, never wrapping */
	uint64_t next;              /* first packet that is not counted */
	uint64_t counts[PACKET_KIND_COUNT];
};

/* Copies the program's memory. @return false when not all of it can be read. */
typedef bool (*packet_copy)(void *to, uint64_t from, size_t size_bytes);

/*
 * Adds to the counts what was submitted since the last look. A packet whose place is taken but whose
 * header is not written yet is left for the next look.
 *
 * @param read, write  the indices, as just read.
 */
void packets_count(struct packet_ring *ring, uint64_t read, uint64_t write, packet_copy copy);

#endif
