/* SPDX-License-Identifier: MIT */
/* Addresses of relay daemons. */
#include "relay.h"

#include <errno.h>
#include <glib.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONTROL_PORT       "5342"
#define CONNECT_TIMEOUT_MS 5000

/* The length of the host behind the scheme. */
static size_t host_length(const char *host)
{
	if (*host == '[') /* an IPv6 address */
		return strcspn(host, "]") + (strchr(host, ']') != NULL);
	return strcspn(host, ":/");
}

bool relay_url_valid(const char *url)
{
	const char *host = url + strlen(RELAY_SCHEME);
	const char *ports;
	char **words;
	bool ok;

	if (!g_str_has_prefix(url, RELAY_SCHEME) || host_length(host) == 0)
		return false;
	ports = host + host_length(host);
	if (!*ports)
		return true;
	words = g_strsplit(ports + 1, ":", -1);
	ok = *ports == ':' && g_strv_length(words) == 2;
	for (char **word = words; ok && *word; word++)
		ok = g_ascii_string_to_unsigned(*word, 10, 1, 65535, NULL, NULL);
	g_strfreev(words);
	return ok;
}

static bool connects(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
			address->ai_protocol);
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int err = 0;
	socklen_t size = sizeof(err);
	bool ok;

	if (fd < 0)
		return false;
	ok = connect(fd, address->ai_addr, address->ai_addrlen) == 0;
	if (!ok && errno == EINPROGRESS && poll(&ready, 1, CONNECT_TIMEOUT_MS) == 1 &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) == 0) {
		errno = err;
		ok = err == 0;
	} else if (!ok && errno == EINPROGRESS) {
		errno = ETIMEDOUT;
	}
	err = errno;
	close(fd);
	errno = err;
	return ok;
}

bool relay_answers(const char *url, char **reason)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const char *host = url + strlen(RELAY_SCHEME);
	size_t length = host_length(host);
	char *name = *host == '[' ? g_strndup(host + 1, length - 2) : g_strndup(host, length);
	char *port = host[length] == ':'
			     ? g_strndup(host + length + 1, strcspn(host + length + 1, ":"))
			     : g_strdup(CONTROL_PORT);
	struct addrinfo *addresses = NULL;
	int code = getaddrinfo(name, port, &hints, &addresses);
	bool ok = false;

	for (struct addrinfo *address = addresses; code == 0 && address && !ok;
	     address = address->ai_next)
		ok = connects(address);
	if (!ok)
		*reason = g_strdup_printf("no relay daemon answers at '%s' (port %s): %s; start "
					  "lttng-relayd there",
					  url, port, code ? gai_strerror(code) : g_strerror(errno));
	if (addresses)
		freeaddrinfo(addresses);
	g_free(port);
	g_free(name);
	return ok;
}

char *relay_live_url(const char *url, int live_port, const char *session)
{
	const char *host = url + strlen(RELAY_SCHEME);

	return g_strdup_printf(RELAY_SCHEME "%.*s:%d/host/%s/%s", (int)host_length(host), host,
			       live_port, g_get_host_name(), session);
}
