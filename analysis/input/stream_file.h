/* SPDX-License-Identifier: MIT */
/* What a stream file of LTTng's user-space tracer holds, and what it lacks. */
#ifndef KFDSCOPE_ANALYSIS_INPUT_STREAM_FILE_H
#define KFDSCOPE_ANALYSIS_INPUT_STREAM_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define STREAM_UUID_BYTES 16u

/*
 * The packet header and context of every LTTng 2.x user-space stream, without padding (trace-compass.md
 * 9.4): magic, uuid, stream id, stream instance, begin, end, content bits, packet bits.
 */
struct packet_head {
	uint32_t magic;
	uint8_t uuid[STREAM_UUID_BYTES];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t begin, end;
	uint64_t content_bits, packet_bits;
} __attribute__((packed));

/* What the metadata say of all packets. */
struct stream_rules {
	uint8_t uuid[STREAM_UUID_BYTES];
	bool has_uuid;
	uint64_t clock_max; /* later moments have no Unix time */
	GArray *classes; /* of uint32_t, owned by whoever made it: the streams'; empty: unknown */
};

struct stream_file {
	char *name, *path;   /* owned */
	uint64_t size_bytes; /* of the file */
	uint64_t good_bytes; /* of whole packets */
	uint64_t packets;    /* of which so many are there */
	uint64_t listed;     /* packets in its index; 0: it has none that can be read */
	uint64_t cut_bytes; /* what there is of a packet behind the whole ones; 0: no such packet */
	uint64_t pad_bytes; /* what that packet lacks, when it lacks padding only */
	struct packet_head first_head, cut_head;
	uint64_t
		last_end; /* clock value up to which nothing is missing, when there is any packet */
	bool any;         /* something of it can be read */
	bool is_damaged;  /* not all of it can be read */
	bool is_foreign;  /* another recording's */
	bool misses_some; /* packets that its index lists are missing, nobody knows which */
	bool index_is_wrong; /* and must not be used */
	int open_errno;      /* why it cannot be read at all; 0: it can */
};

/* @return of struct stream_file: the streams of a trace, with those of which only the index is left. */
GArray *stream_files_list(const char *trace);
/* Looks at all packets. */
void stream_file_check(struct stream_file *stream, const char *trace,
		       const struct stream_rules *rules);

#endif
