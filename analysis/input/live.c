/* SPDX-License-Identifier: MIT */
/* Copies of live recordings (live.h). */
#include "input/live.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input/relay.h"

#define DEFAULT_PORT "5344"

struct live {
	struct relay *relay; /* owned */
	uint64_t session;
	GArray *streams; /* of struct relay_stream that are open */
	bool is_over;    /* no more streams will come */
	char *folder;    /* owned: the copy */
	GByteArray *bytes;
};

bool live_is_address(const char *input)
{
	return g_str_has_prefix(input, "net://") || g_str_has_prefix(input, "net4://");
}

struct address {
	char *host, *port, *hostname, *session; /* owned */
};

static void address_fini(struct address *address)
{
	g_free(address->host);
	g_free(address->port);
	g_free(address->hostname);
	g_free(address->session);
}

/* HOST, HOST:PORT, or an IPv6 address in brackets. */
static void split_relay(const char *text, struct address *address)
{
	const char *end = strrchr(text, ']'), *colon = strrchr(end ? end : text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	address->port = g_strdup(colon ? colon + 1 : DEFAULT_PORT);
	address->host = end && *text == '[' ? g_strndup(text + 1, (size_t)(end - text) - 1)
					    : g_strndup(text, length);
}

static bool address_init(struct address *address, const char *text)
{
	enum { RELAY, HOST, HOSTNAME, SESSION, PARTS };
	char **parts = g_strsplit(strstr(text, "://") + strlen("://"), "/", PARTS);
	bool ok = g_strv_length(parts) == PARTS && *parts[RELAY] &&
		  strcmp(parts[HOST], "host") == 0 && *parts[HOSTNAME] && *parts[SESSION];

	*address = (struct address){ 0 };
	if (ok) {
		split_relay(parts[RELAY], address);
		address->hostname = g_strdup(parts[HOSTNAME]);
		address->session = g_strdup(parts[SESSION]);
	}
	g_strfreev(parts);
	return ok;
}

/* @return what is wrong, or NULL. */
static const char *attach(struct live *live, const struct address *address)
{
	switch (relay_find(live->relay, address->hostname, address->session, &live->session)) {
	case RELAY_OK:
		break;
	case RELAY_ERROR:
		return relay_problem(live->relay);
	case RELAY_NOTHING:
	case RELAY_GONE:
		return "the relay daemon has no such session";
	}
	switch (relay_attach(live->relay, live->session, live->streams)) {
	case RELAY_OK:
		return NULL;
	case RELAY_ERROR:
		return relay_problem(live->relay);
	case RELAY_NOTHING:
	case RELAY_GONE:
		break;
	}
	return "another viewer has the session, or it is not a live one";
}

struct live *live_open(const char *text, char **problem)
{
	struct live *live = g_new0(struct live, 1);
	struct address address;
	char *cause = NULL;

	live->streams = g_array_new(FALSE, FALSE, sizeof(struct relay_stream));
	live->bytes = g_byte_array_new();
	if (!address_init(&address, text)) {
		*problem = g_strdup_printf("'%s' names no session: it must be "
					   "net://RELAY[:PORT]/host/HOSTNAME/SESSION",
					   text);
		live_close(live);
		return NULL;
	}
	live->folder = g_dir_make_tmp("kfdscope-live-XXXXXX", NULL);
	live->relay = live->folder ? relay_open(address.host, address.port, &cause) : NULL;
	if (live->relay)
		cause = g_strdup(attach(live, &address));
	else if (!live->folder)
		cause = g_strdup_printf("there is no temporary directory: %s", strerror(errno));
	address_fini(&address);
	if (!cause)
		return live;
	*problem = g_strdup_printf("cannot read '%s': %s", text, cause);
	g_free(cause);
	live_close(live);
	return NULL;
}

/* Puts the bytes behind a file of the copy, and empties them. */
static bool append(struct live *live, const struct relay_stream *stream, char **problem)
{
	char *trace = g_strdup_printf("%s/trace-%" PRIu64, live->folder, stream->trace_id);
	char *path = stream->is_metadata ? g_build_filename(trace, "metadata", NULL)
					 : g_strdup_printf("%s/stream-%" PRIu64, trace, stream->id);
	FILE *file = g_mkdir_with_parents(trace, 0700) == 0 ? fopen(path, "ae") : NULL;
	bool ok = file && fwrite(live->bytes->data, 1, live->bytes->len, file) == live->bytes->len;

	if (file)
		ok = fclose(file) == 0 && ok;
	if (!ok)
		*problem = g_strdup_printf("cannot write '%s': %s", path, strerror(errno));
	g_byte_array_set_size(live->bytes, 0);
	g_free(path);
	g_free(trace);
	return ok;
}

static enum live_status broken(const struct live *live, char **problem)
{
	*problem = g_strdup(relay_problem(live->relay));
	return LIVE_BROKEN;
}

static enum live_status copy_packet(struct live *live, const struct relay_stream *stream,
				    const struct relay_index *index, bool *is_gone, char **problem)
{
	switch (relay_packet(live->relay, stream->id, index, live->bytes)) {
	case RELAY_OK:
		return append(live, stream, problem) ? LIVE_MORE : LIVE_BROKEN;
	case RELAY_NOTHING:
		return LIVE_MORE; /* what it wants asked first comes in the next round */
	case RELAY_GONE:
		*is_gone = true;
		return LIVE_MORE;
	case RELAY_ERROR:
		break;
	}
	return broken(live, problem);
}

/* Copies one step of one stream. */
static enum live_status copy_stream(struct live *live, const struct relay_stream *stream,
				    bool *is_gone, char **problem)
{
	struct relay_index index;
	enum relay_answer answer = stream->is_metadata
					   ? relay_metadata(live->relay, stream->id, live->bytes)
					   : relay_next(live->relay, stream->id, &index);

	switch (answer) {
	case RELAY_OK:
		break;
	case RELAY_NOTHING:
		return LIVE_IDLE;
	case RELAY_GONE:
		*is_gone = true;
		return LIVE_MORE;
	case RELAY_ERROR:
		return broken(live, problem);
	}
	if (stream->is_metadata)
		return append(live, stream, problem) ? LIVE_MORE : LIVE_BROKEN;
	return copy_packet(live, stream, &index, is_gone, problem);
}

static enum live_status add_streams(struct live *live, char **problem)
{
	switch (relay_new_streams(live->relay, live->session, live->streams)) {
	case RELAY_OK:
		return LIVE_MORE;
	case RELAY_NOTHING:
		return LIVE_IDLE;
	case RELAY_GONE:
		live->is_over = true;
		return LIVE_IDLE;
	case RELAY_ERROR:
		break;
	}
	return broken(live, problem);
}

enum live_status live_copy(struct live *live, char **problem)
{
	enum live_status result = live->is_over ? LIVE_IDLE : add_streams(live, problem);

	for (guint i = 0; result != LIVE_BROKEN && i < live->streams->len; i++) {
		const struct relay_stream stream =
			g_array_index(live->streams, struct relay_stream, i);
		bool is_gone = false;
		enum live_status status = copy_stream(live, &stream, &is_gone, problem);

		if (status != LIVE_IDLE)
			result = status;
		if (is_gone)
			g_array_remove_index(live->streams, i--);
	}
	if (result == LIVE_IDLE && live->is_over && live->streams->len == 0)
		return LIVE_END;
	return result;
}

const char *live_folder(const struct live *live)
{
	return live->folder;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

void live_close(struct live *live)
{
	if (!live)
		return;
	relay_close(live->relay);
	if (live->folder)
		nftw(live->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	g_array_free(live->streams, TRUE);
	g_byte_array_free(live->bytes, TRUE);
	g_free(live->folder);
	g_free(live);
}
