/* SPDX-License-Identifier: MIT */
/* Requests to a relay daemon and their answers, big-endian (relay.h). */
#include "input/relay.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum command {
	COMMAND_CONNECT = 1,
	COMMAND_LIST_SESSIONS = 2,
	COMMAND_ATTACH = 3,
	COMMAND_NEXT_INDEX = 4,
	COMMAND_PACKET = 5,
	COMMAND_METADATA = 6,
	COMMAND_NEW_STREAMS = 7,
	COMMAND_CREATE_SESSION = 8,
};

enum { PROTOCOL_MAJOR = 2, PROTOCOL_MINOR = 4, VIEWER_COMMAND = 1, SEEK_BEGINNING = 1 };
enum { HOSTNAME_SIZE = 64, NAME_SIZE = 255, PATH_SIZE = 4096 };
enum { FLAG_NEW_METADATA = 1, FLAG_NEW_STREAMS = 2 };
/* Larger answers than this are no answers of a relay daemon. */
#define PACKET_BYTES_MAX (1u << 30)
#define COUNT_MAX        (1u << 20)

struct relay {
	int fd;
	char *problem; /* owned */
};

static bool fail(struct relay *relay, const char *what)
{
	g_free(relay->problem);
	relay->problem = g_strdup(what);
	return false;
}

static bool send_all(struct relay *relay, const void *data, size_t size)
{
	for (size_t sent = 0; sent < size;) {
		ssize_t some =
			send(relay->fd, (const char *)data + sent, size - sent, MSG_NOSIGNAL);

		if (some < 0)
			return fail(relay, strerror(errno));
		sent += (size_t)some;
	}
	return true;
}

static bool receive(struct relay *relay, void *data, size_t size)
{
	for (size_t got = 0; got < size;) {
		ssize_t some = recv(relay->fd, (char *)data + got, size - got, 0);

		if (some < 0)
			return fail(relay, strerror(errno));
		if (some == 0)
			return fail(relay, "the relay daemon has hung up");
		got += (size_t)some;
	}
	return true;
}

static void put(GByteArray *to, uint64_t value, unsigned int size)
{
	for (unsigned int i = size; i > 0; i--) {
		uint8_t byte = (uint8_t)(value >> (8 * (i - 1)));

		g_byte_array_append(to, &byte, 1);
	}
}

static bool get(struct relay *relay, uint64_t *value, unsigned int size)
{
	uint8_t bytes[8];

	if (!receive(relay, bytes, size))
		return false;
	*value = 0;
	for (unsigned int i = 0; i < size; i++)
		*value = *value << 8 | bytes[i];
	return true;
}

static bool skip(struct relay *relay, size_t size)
{
	char buffer[512];

	for (; size > 0; size -= MIN(size, sizeof(buffer)))
		if (!receive(relay, buffer, MIN(size, sizeof(buffer))))
			return false;
	return true;
}

/* @param body  taken over; NULL: none. */
static bool request(struct relay *relay, enum command command, GByteArray *body)
{
	GByteArray *message = g_byte_array_new();
	bool ok;

	put(message, body ? body->len : 0, 8);
	put(message, command, 4);
	put(message, 0, 4); /* version of the command */
	if (body) {
		g_byte_array_append(message, body->data, body->len);
		g_byte_array_free(body, TRUE);
	}
	ok = send_all(relay, message->data, message->len);
	g_byte_array_free(message, TRUE);
	return ok;
}

static bool request_of(struct relay *relay, enum command command, uint64_t id)
{
	GByteArray *body = g_byte_array_new();

	put(body, id, 8);
	return request(relay, command, body);
}

static int connect_to(const char *host, const char *port, char **problem)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	int fd = -1, error = getaddrinfo(host, port, &hints, &list);

	if (error) {
		*problem = g_strdup(gai_strerror(error));
		return -1;
	}
	for (const struct addrinfo *one = list; one && fd < 0; one = one->ai_next) {
		fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
		if (fd >= 0 && connect(fd, one->ai_addr, one->ai_addrlen) != 0) {
			error = errno;
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		*problem = g_strdup(strerror(error ? error : errno));
	return fd;
}

static bool greet(struct relay *relay)
{
	GByteArray *body = g_byte_array_new();
	uint64_t major, minor, status;

	put(body, UINT64_MAX, 8); /* it gives the session's number */
	put(body, PROTOCOL_MAJOR, 4);
	put(body, PROTOCOL_MINOR, 4);
	put(body, VIEWER_COMMAND, 4);
	if (!request(relay, COMMAND_CONNECT, body) || !skip(relay, 8) || !get(relay, &major, 4) ||
	    !get(relay, &minor, 4) || !skip(relay, 4))
		return false;
	if (major != PROTOCOL_MAJOR)
		return fail(relay, "it is no relay daemon of LTTng 2, or not its port for viewers");
	if (!request(relay, COMMAND_CREATE_SESSION, NULL) || !get(relay, &status, 4))
		return false;
	return status == 1 || fail(relay, "the relay daemon takes no more viewers");
}

struct relay *relay_open(const char *host, const char *port, char **problem)
{
	struct relay *relay;
	int fd = connect_to(host, port, problem);

	if (fd < 0)
		return NULL;
	relay = g_new0(struct relay, 1);
	relay->fd = fd;
	if (greet(relay))
		return relay;
	*problem = g_strdup(relay->problem);
	relay_close(relay);
	return NULL;
}

void relay_close(struct relay *relay)
{
	if (!relay)
		return;
	close(relay->fd);
	g_free(relay->problem);
	g_free(relay);
}

const char *relay_problem(const struct relay *relay)
{
	return relay->problem;
}

enum relay_answer relay_find(struct relay *relay, const char *hostname, const char *session,
			     uint64_t *id)
{
	enum relay_answer answer = RELAY_NOTHING;
	uint64_t count;

	if (!request(relay, COMMAND_LIST_SESSIONS, NULL) || !get(relay, &count, 4))
		return RELAY_ERROR;
	for (uint64_t i = 0; i < count; i++) {
		char host[HOSTNAME_SIZE + 1] = "", name[NAME_SIZE + 1] = "";
		uint64_t one;

		/* live timer, number of clients, number of streams */
		if (!get(relay, &one, 8) || !skip(relay, 3 * 4) ||
		    !receive(relay, host, HOSTNAME_SIZE) || !receive(relay, name, NAME_SIZE))
			return RELAY_ERROR;
		if (strcmp(host, hostname) != 0 || strcmp(name, session) != 0)
			continue;
		*id = one; /* of several with one name, the last is the youngest */
		answer = RELAY_OK;
	}
	return answer;
}

static bool get_streams(struct relay *relay, GArray *streams)
{
	uint64_t count;

	if (!get(relay, &count, 4))
		return false;
	if (count > COUNT_MAX)
		return fail(relay, "the relay daemon's answer makes no sense");
	for (uint64_t i = 0; i < count; i++) {
		struct relay_stream stream;
		uint64_t is_metadata;

		if (!get(relay, &stream.id, 8) || !get(relay, &stream.trace_id, 8) ||
		    !get(relay, &is_metadata, 4) || !skip(relay, PATH_SIZE + NAME_SIZE))
			return false;
		stream.is_metadata = is_metadata != 0;
		g_array_append_val(streams, stream);
	}
	return true;
}

enum relay_answer relay_attach(struct relay *relay, uint64_t session, GArray *streams)
{
	GByteArray *body = g_byte_array_new();
	uint64_t status;

	put(body, session, 8);
	put(body, 0, 8);
	put(body, SEEK_BEGINNING, 4);
	if (!request(relay, COMMAND_ATTACH, body) || !get(relay, &status, 4) ||
	    !get_streams(relay, streams))
		return RELAY_ERROR;
	return status == 1 ? RELAY_OK : RELAY_NOTHING;
}

enum relay_answer relay_new_streams(struct relay *relay, uint64_t session, GArray *streams)
{
	enum { OK = 1, NO_NEW = 2 };
	guint before = streams->len;
	uint64_t status;

	if (!request_of(relay, COMMAND_NEW_STREAMS, session) || !get(relay, &status, 4) ||
	    !get_streams(relay, streams))
		return RELAY_ERROR;
	if (status == OK || status == NO_NEW)
		return streams->len > before ? RELAY_OK : RELAY_NOTHING;
	return RELAY_GONE;
}

enum relay_answer relay_next(struct relay *relay, uint64_t stream, struct relay_index *index)
{
	enum { OK = 1, RETRY = 2, INACTIVE = 5 };
	uint64_t status, flags;

	/* size of the content, begin, end, discarded events, stream */
	if (!request_of(relay, COMMAND_NEXT_INDEX, stream) || !get(relay, &index->offset, 8) ||
	    !get(relay, &index->packet_bits, 8) || !skip(relay, 5 * 8) || !get(relay, &status, 4) ||
	    !get(relay, &flags, 4))
		return RELAY_ERROR;
	index->new_metadata = flags & FLAG_NEW_METADATA;
	index->new_streams = flags & FLAG_NEW_STREAMS;
	if (status == OK)
		return RELAY_OK;
	return status == RETRY || status == INACTIVE ? RELAY_NOTHING : RELAY_GONE;
}

static bool get_bytes(struct relay *relay, uint64_t size, GByteArray *bytes)
{
	guint before = bytes->len;

	if (size > PACKET_BYTES_MAX)
		return fail(relay, "the relay daemon's answer makes no sense");
	g_byte_array_set_size(bytes, before + (guint)size);
	return receive(relay, bytes->data + before, (size_t)size);
}

enum relay_answer relay_packet(struct relay *relay, uint64_t stream,
			       const struct relay_index *index, GByteArray *bytes)
{
	enum { OK = 1, END = 4 };
	GByteArray *body = g_byte_array_new();
	uint64_t status, size, flags;

	put(body, stream, 8);
	put(body, index->offset, 8);
	put(body, index->packet_bits / 8, 4);
	if (!request(relay, COMMAND_PACKET, body) || !get(relay, &status, 4) ||
	    !get(relay, &size, 4) || !get(relay, &flags, 4))
		return RELAY_ERROR;
	if (status == OK)
		return get_bytes(relay, size, bytes) ? RELAY_OK : RELAY_ERROR;
	if (status == END)
		return RELAY_GONE;
	if (flags & (FLAG_NEW_METADATA | FLAG_NEW_STREAMS))
		return RELAY_NOTHING;
	(void)fail(relay, "the relay daemon cannot read a packet of the recording");
	return RELAY_ERROR;
}

enum relay_answer relay_metadata(struct relay *relay, uint64_t stream, GByteArray *bytes)
{
	enum { OK = 1, NO_NEW = 2 };
	uint64_t status, size;

	if (!request_of(relay, COMMAND_METADATA, stream) || !get(relay, &size, 8) ||
	    !get(relay, &status, 4))
		return RELAY_ERROR;
	if (status == OK)
		return get_bytes(relay, size, bytes) ? RELAY_OK : RELAY_ERROR;
	return status == NO_NEW ? RELAY_NOTHING : RELAY_GONE;
}
