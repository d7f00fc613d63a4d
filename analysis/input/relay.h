/* SPDX-License-Identifier: MIT */
/*
 * The side of a viewer in the protocol of LTTng's relay daemon (2.4 and later). Requests are answered
 * at once; nothing here waits for events.
 */
#ifndef KFDSCOPE_ANALYSIS_INPUT_RELAY_H
#define KFDSCOPE_ANALYSIS_INPUT_RELAY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum relay_answer {
	RELAY_OK,
	RELAY_NOTHING, /* not now, or nothing new */
	RELAY_GONE,    /* nothing more will come */
	RELAY_ERROR,   /* the connection does not work; see relay_problem() */
};

struct relay_stream {
	uint64_t id, trace_id;
	bool is_metadata;
};

struct relay_index {
	uint64_t offset, packet_bits;
	bool new_metadata, new_streams;
};

struct relay;

/* @param problem  out: why not, to be freed. @return NULL on failure. */
struct relay *relay_open(const char *host, const char *port, char **problem);
/* Accepts NULL. */
void relay_close(struct relay *relay);
/* What went wrong last. */
const char *relay_problem(const struct relay *relay);

/* Looks a session up. RELAY_NOTHING: there is none. */
enum relay_answer relay_find(struct relay *relay, const char *hostname, const char *session,
			     uint64_t *id);
/* Becomes the viewer of a session. RELAY_NOTHING: it has one, or is not live. @param streams  of
 * struct relay_stream: appended to. */
enum relay_answer relay_attach(struct relay *relay, uint64_t session, GArray *streams);
enum relay_answer relay_new_streams(struct relay *relay, uint64_t session, GArray *streams);
/* The next packet of a data stream. */
enum relay_answer relay_next(struct relay *relay, uint64_t stream, struct relay_index *index);
/* Appends its bytes. RELAY_NOTHING: metadata or streams are to be asked for before. */
enum relay_answer relay_packet(struct relay *relay, uint64_t stream,
			       const struct relay_index *index, GByteArray *bytes);
/* Appends what is new of a trace's description. */
enum relay_answer relay_metadata(struct relay *relay, uint64_t stream, GByteArray *bytes);

#endif
