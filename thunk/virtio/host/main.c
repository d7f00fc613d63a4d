/* SPDX-License-Identifier: MIT */
/*
 * kfdscope-virtio-host: serves guests on this machine over a Unix socket, on the simulated KFD or a
 * real one. Says "ready" on stdout when guests may come; or starts a guest of its own and says nothing.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtio/host/pair.h"
#include "virtio/host/server.h"

static struct virtio_server *running; /* for the signal handler */

static void stop(int number)
{
	(void)number;
	virtio_server_stop(running);
}

static void usage(FILE *out)
{
	fputs("usage: kfdscope-virtio-host [OPTION…] SOCKET\n"
	      "       kfdscope-virtio-host [OPTION…] [SOCKET] -- PROGRAM [ARGUMENT…]\n"
	      "Serves the guests of libhsakmt_virtio that set KFDSCOPE_VIRTIO_SOCKET=SOCKET. With "
	      "a\n"
	      "program, starts that as a guest, and ends with it and with its exit status.\n\n"
	      "  --primary     put all guests on the primary KFD context\n"
	      "  --secondary   give each guest a context of its own, although it may be unable to\n"
	      "                register memory there\n"
	      "  --guests=N    end when N guests have come and gone\n"
	      "  --help        this text\n\n"
	      "VHSA_VAMGR_VM_BASE_ADDR, VHSA_VAMGR_VM_KFD_SIZE and VHSA_VAMGR_VM_SCRATCH_SIZE\n"
	      "say which addresses guests get, in bytes.\n",
	      out);
}

/* What the command line says. */
struct command_line {
	struct virtio_host_options options;
	unsigned int guests;
	const char *socket_path; /* NULL: a new one */
	char *const *program;    /* NULL: none */
};

/* What is behind the options. @return false: neither a socket nor a program, or too much. */
static bool parse_names(int argc, char **argv, struct command_line *line)
{
	int at = optind;

	if (at < argc && strcmp(argv[at - 1], "--") != 0)
		line->socket_path = argv[at++];
	if (line->socket_path && at < argc && strcmp(argv[at], "--") == 0)
		at++;
	else if (line->socket_path && at < argc)
		return false;
	line->program = at < argc ? argv + at : NULL;
	return line->socket_path || line->program;
}

/* @return the exit code, or -1: go on. */
static int parse(int argc, char **argv, struct command_line *line)
{
	static const struct option names[] = { { "primary", no_argument, NULL, 'p' },
					       { "secondary", no_argument, NULL, 's' },
					       { "guests", required_argument, NULL, 'g' },
					       { "help", no_argument, NULL, 'h' },
					       { NULL, 0, NULL, 0 } };
	char *end;
	int option;

	while ((option = getopt_long(argc, argv, "+", names, NULL)) != -1) {
		switch (option) {
		case 'p':
			line->options.primary_only = true;
			line->options.secondary_too = false;
			break;
		case 's':
			line->options.primary_only = false;
			line->options.secondary_too = true;
			break;
		case 'g':
			line->guests = (unsigned int)strtoul(optarg, &end, 10);
			if (*end || !line->guests) {
				fprintf(stderr,
					"kfdscope-virtio-host: --guests is '%s': it must "
					"be a number above 0\n",
					optarg);
				return 2;
			}
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (parse_names(argc, argv, line))
		return -1;
	usage(stderr);
	return 2;
}

/* @return false, with a message: the variable has no number that addresses can be made of. */
static bool read_bytes(const char *name, uint64_t *out)
{
	const char *text = getenv(name);
	unsigned long long value;
	char *end;

	if (!text || !*text)
		return true;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (*end || errno || *text == '-' || !value || value % (1u << 30) || value >> 47) {
		fprintf(stderr,
			"kfdscope-virtio-host: %s is '%s': it must be whole GiB, in bytes\n", name,
			text);
		return false;
	}
	*out = value;
	return true;
}

/* The protocol's own variables (virtio.md 6). */
static bool read_environment(struct virtio_host_options *options)
{
	const char *type = getenv("VHSA_VAMGR_VM_TYPE");

	if (type && *type && strcmp(type, "fixed") != 0) {
		fprintf(stderr,
			"kfdscope-virtio-host: VHSA_VAMGR_VM_TYPE is '%s': only 'fixed' can be\n",
			type);
		return false;
	}
	return read_bytes("VHSA_VAMGR_VM_BASE_ADDR", &options->base) &&
	       read_bytes("VHSA_VAMGR_VM_KFD_SIZE", &options->kfd_bytes) &&
	       read_bytes("VHSA_VAMGR_VM_SCRATCH_SIZE", &options->scratch_bytes);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = stop };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* Serves, with a guest of its own or without. @return the exit code. */
static int serve(const struct command_line *line, const char *path)
{
	pid_t child;
	int rc;

	if (!line->program) {
		puts("ready");
		fflush(stdout);
		virtio_server_run(running, line->guests);
		return 0;
	}
	rc = pair_start(line->program, path, &child);
	if (rc == 0)
		return pair_run(running, child);
	fprintf(stderr, "kfdscope-virtio-host: cannot start '%s': %s\n", line->program[0],
		strerror(-rc));
	return 127;
}

static int listen_and_serve(const struct command_line *line, struct virtio_host *host)
{
	char own_path[PATH_MAX] = "";
	const char *path = line->socket_path;
	int rc = path ? 0 : pair_folder_make(own_path, sizeof(own_path));

	if (!path)
		path = own_path;
	if (rc == 0)
		rc = virtio_server_new(host, path, &running);
	if (rc != 0) {
		fprintf(stderr, "kfdscope-virtio-host: cannot listen on '%s': %s\n", path,
			strerror(-rc));
		rc = 4;
	} else {
		catch_signals();
		rc = serve(line, path);
		virtio_server_free(running);
	}
	if (own_path[0])
		pair_folder_remove(own_path);
	return rc;
}

int main(int argc, char **argv)
{
	struct command_line line = { 0 };
	struct virtio_host *host = NULL;
	int rc = parse(argc, argv, &line);

	if (rc >= 0)
		return rc;
	if (!read_environment(&line.options))
		return 2;
	/* Pages of this process cannot be mapped by another; memory of the driver can. */
	setenv("HSA_USERPTR_FOR_PAGED_MEM", "0", 1);
	rc = virtio_host_new(&line.options, &host);
	if (rc != 0) {
		if (rc == -ERANGE)
			fputs("kfdscope-virtio-host: the addresses of the VHSA_VAMGR_VM variables "
			      "end above what programs have\n",
			      stderr);
		else
			fprintf(stderr, "kfdscope-virtio-host: cannot open the KFD: %s\n",
				strerror(-rc));
		return rc == -ERANGE ? 2 : 4;
	}
	rc = listen_and_serve(&line, host);
	virtio_host_free(host);
	return rc;
}
