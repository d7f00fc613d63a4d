/* SPDX-License-Identifier: MIT */
/*
 * Reads packets while producers and the consumer go on. What a place holds is certain only together
 * with the indices: those from before the copy say what may be there at least, those from after it
 * what may have been overwritten meanwhile.
 */
#include "sampler/packets.h"

#include <string.h>

enum {
	AQL_VENDOR_SPECIFIC = 0,
	AQL_INVALID = 1,
	AQL_KERNEL_DISPATCH = 2,
	AQL_BARRIER_AND = 3,
	AQL_AGENT_DISPATCH = 4,
	AQL_BARRIER_OR = 5,
};

enum { CHUNK = 32 }; /* packets copied at once */

static uint64_t field(const unsigned char *packet, size_t offset, size_t size_bytes)
{
	uint64_t value = 0;

	memcpy(&value, packet + offset, size_bytes);
	return value;
}

/* By what is left of a packet that was taken. */
static enum packet_kind kind_by_body(const unsigned char *packet)
{
	const uint64_t setup = field(packet, 2, 2), group = field(packet, 4, 2);
	const uint64_t kernel = field(packet, 32, 8);

	if (setup == 0)
		return PACKET_BARRIER;
	/* Vendor packets have a format, 1 or 2, where others have the setup or the type. */
	if (group)
		return kernel ? PACKET_KERNEL_DISPATCH : PACKET_VENDOR_SPECIFIC;
	return setup <= 2 ? PACKET_VENDOR_SPECIFIC : PACKET_AGENT_DISPATCH;
}

enum packet_kind packet_kind_of(const unsigned char packet[PACKET_BYTES])
{
	switch (packet[0]) {
	case AQL_KERNEL_DISPATCH:
		return PACKET_KERNEL_DISPATCH;
	case AQL_BARRIER_AND:
		return PACKET_BARRIER_AND;
	case AQL_BARRIER_OR:
		return PACKET_BARRIER_OR;
	case AQL_AGENT_DISPATCH:
		return PACKET_AGENT_DISPATCH;
	case AQL_VENDOR_SPECIFIC:
		return PACKET_VENDOR_SPECIFIC;
	default:
		return kind_by_body(packet);
	}
}

/* Copies packets that lie in a row: no further than the end of the ring. @return how many. */
static uint64_t copy_row(const struct packet_ring *ring, uint64_t until,
			 unsigned char to[][PACKET_BYTES], packet_copy copy, bool *ok)
{
	const uint64_t slot = ring->next & (ring->packet_count - 1);
	uint64_t count = until - ring->next;

	if (count > CHUNK)
		count = CHUNK;
	if (count > ring->packet_count - slot)
		count = ring->packet_count - slot;
	*ok = copy(to, ring->address + slot * PACKET_BYTES, count * PACKET_BYTES);
	return count;
}

/* @return false when a packet is not written yet, so that counting must stop there. */
static bool count_one(struct packet_ring *ring, const unsigned char *packet, uint64_t read,
		      uint64_t read_after, uint64_t write_after)
{
	const uint64_t index = ring->next;
	const bool is_overwritten = index < read_after && write_after > index + ring->packet_count;

	if (!is_overwritten && index >= read && packet[0] == AQL_INVALID)
		return false;
	ring->counts[is_overwritten ? PACKET_UNSEEN : packet_kind_of(packet)]++;
	ring->next++;
	return true;
}

/* @return false when there is no more to count for now. */
static bool count_row(struct packet_ring *ring, uint64_t read, uint64_t until, packet_copy copy)
{
	unsigned char packets[CHUNK][PACKET_BYTES];
	uint64_t read_after = 0, write_after = 0, count;
	bool ok;

	count = copy_row(ring, until, packets, copy, &ok);
	ok = ok && copy(&read_after, ring->read_va, sizeof(read_after)) &&
	     copy(&write_after, ring->write_va, sizeof(write_after));
	if (!ok) {
		ring->counts[PACKET_UNSEEN] += count;
		ring->next += count;
		return true;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (!count_one(ring, packets[i], read, read_after, write_after))
			return false;
	}
	return true;
}

void packets_count(struct packet_ring *ring, uint64_t read, uint64_t write, packet_copy copy)
{
	uint64_t until = write;

	if (!ring->packet_count || read > write)
		return; /* no indices of a queue */
	/* Who finds the ring full waits with its place taken: the packet before is still there. */
	if (until - read > ring->packet_count)
		until = read + ring->packet_count;
	if (ring->next > until)
		return;
	if (until - ring->next > ring->packet_count) {
		ring->counts[PACKET_UNSEEN] += until - ring->packet_count - ring->next;
		ring->next = until - ring->packet_count;
	}
	while (ring->next < until && count_row(ring, read, until, copy))
		;
}
