/* SPDX-License-Identifier: MIT */
/* `kfdscope attach`: records programs that already run, without touching them. */
#include "buffers.h"
#include "child.h"
#include "cmd.h"
#include "daemon.h"
#include "limits.h"
#include "places.h"
#include "recording.h"
#include "target.h"
#include "trace_folder.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define DEFAULT_WAIT_S 5

struct attach_options {
	struct recording_options recording;
	struct buffers_words buffers;
	char *output;      /* owned; NULL: the default */
	double duration_s; /* 0: no limit */
	double wait_s;     /* for each to answer */
	char **also;       /* owned; NULL: none */
};

static void close_targets(GArray *targets)
{
	for (guint i = 0; i < targets->len; i++)
		target_close(&g_array_index(targets, struct target, i));
	g_array_free(targets, TRUE);
}

static bool is_known(const GArray *targets, pid_t pid)
{
	for (guint i = 0; i < targets->len; i++)
		if (g_array_index(targets, struct target, i).pid == pid)
			return true;
	return false;
}

/* @return 0, or the exit status after a message. */
static int open_target(const struct cmd *cmd, const char *word, const struct places *places,
		       GArray *targets)
{
	struct target target;
	gint64 pid = 0;
	char *reason = NULL;
	int rc = 0;

	if (!g_ascii_string_to_signed(word, 10, 1, G_MAXINT, &pid, NULL)) {
		cmd_error(cmd, "'%s' is no process number", word);
		return CMD_EXIT_USAGE;
	}
	switch (target_open(&target, (pid_t)pid, places, &reason)) {
	case TARGET_USABLE:
		if (is_known(targets, target.pid))
			target_close(&target); /* named twice, or by two of its threads */
		else
			g_array_append_val(targets, target);
		return 0;
	case TARGET_GONE:
		rc = CHILD_EXIT_NOT_FOUND;
		break;
	case TARGET_UNUSABLE:
		rc = CHILD_EXIT_CANNOT_RUN;
		break;
	}
	cmd_error(cmd, "%s", reason);
	g_free(reason);
	target_close(&target);
	return rc;
}

/* One daemon has to serve all of them. */
static bool same_home(const struct cmd *cmd, GArray *targets)
{
	const struct target *first = &g_array_index(targets, struct target, 0);

	for (guint i = 1; geteuid() != 0 && i < targets->len; i++) {
		const struct target *other = &g_array_index(targets, struct target, i);

		if (g_strcmp0(first->home, other->home) != 0) {
			cmd_error(cmd,
				  "%d and %d look for their session daemons in different places "
				  "(LTTNG_HOME, HOME): attach to each by itself",
				  (int)first->pid, (int)other->pid);
			return false;
		}
	}
	return true;
}

/* Programs hear of a daemon that starts by a futex, and then need a moment each. @return CMD_EXIT_OK: go on. */
static int wait_until_known(const struct cmd *cmd, struct recording *recording, GArray *targets,
			    int signal_fd, double wait_s)
{
	for (guint i = 0; i < targets->len; i++) {
		const struct target *target = &g_array_index(targets, struct target, i);
		struct pollfd stop[] = { { .fd = target->fd, .events = POLLIN },
					 { .fd = signal_fd, .events = POLLIN } };

		if (recording_knows(recording, target->pid, wait_s, stop, G_N_ELEMENTS(stop)) ||
		    stop[0].revents)
			continue;
		if (stop[1].revents)
			cmd_error(cmd, "interrupted before %d (%s) answered the session daemon",
				  (int)target->pid, target->name);
		else
			cmd_error(cmd,
				  "%d (%s) has not answered the session daemon for %g s: it is "
				  "stopped, its tracer could not start ('kfdscope doctor' tells "
				  "why), or it is slow (--wait=SECONDS)",
				  (int)target->pid, target->name, wait_s);
		return CHILD_EXIT_CANNOT_RUN;
	}
	return CMD_EXIT_OK;
}

static int remaining_ms(gint64 end_us)
{
	gint64 left_us = end_us - g_get_monotonic_time();

	if (end_us == 0)
		return -1;
	return left_us <= 0 ? 0 : (int)MIN((left_us + 999) / 1000, G_MAXINT);
}

/* Until all have ended, a signal comes, or the time is over. */
static void wait_for_end(GArray *targets, int signal_fd, double duration_s)
{
	struct pollfd *fds = g_new0(struct pollfd, targets->len + 1);
	gint64 end_us =
		duration_s > 0 ? g_get_monotonic_time() + (gint64)(duration_s * G_USEC_PER_SEC) : 0;
	guint alive = targets->len;

	for (guint i = 0; i < targets->len; i++)
		fds[i] = (struct pollfd){
			.fd = g_array_index(targets, struct target, i).fd,
			.events = POLLIN,
		};
	fds[targets->len] = (struct pollfd){ .fd = signal_fd, .events = POLLIN };
	while (alive && !fds[targets->len].revents) {
		int count = poll(fds, targets->len + 1, remaining_ms(end_us));

		if (count == 0 || (count < 0 && errno != EINTR))
			break;
		for (guint i = 0; count > 0 && i < targets->len; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				fds[i].fd = -1, alive--; /* poll passes over it now */
	}
	g_free(fds);
}

/* Ctrl-C ends the recording, not the recorder. */
static int catch_signals(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < G_N_ELEMENTS(ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int run_attached(const struct cmd *cmd, const struct attach_options *options,
			struct daemon *daemon, GArray *targets)
{
	struct recording *recording = NULL;
	uint64_t lost_events = 0, lost_packets = 0;
	char *reason = NULL;
	int rc = CHILD_EXIT_OWN_FAILURE, signal_fd = -1;

	/* Until then a signal ends us like any program, and the guardian tidies up. */
	if (!recording_start(&options->recording, &recording, &reason)) {
		cmd_error(cmd, "%s", reason);
		goto out;
	}
	signal_fd = catch_signals();
	rc = wait_until_known(cmd, recording, targets, signal_fd, options->wait_s);
	if (rc != CMD_EXIT_OK)
		goto out;
	daemon_keep_output(daemon);
	fprintf(stderr, "kfdscope: recording %u %s, until %s or Ctrl-C\n", targets->len,
		targets->len == 1 ? "process" : "processes",
		options->duration_s > 0 ? "the time is over" : "its end");
	wait_for_end(targets, signal_fd, options->duration_s);
	if (!recording_stop(recording, &lost_events, &lost_packets, &reason)) {
		cmd_error(cmd, "%s; the trace may be incomplete", reason);
		rc = CMD_EXIT_PARTIAL;
	}
	recording_free(recording);
	recording = NULL;
	trace_folder_say(options->recording.output, lost_events, lost_packets,
			 "the programs made none");
out:
	recording_free(recording);
	if (signal_fd >= 0)
		close(signal_fd);
	g_free(reason);
	return rc;
}

static int attach(const struct cmd *cmd, struct attach_options *options, GArray *targets)
{
	pid_t *vpids = g_new(pid_t, targets->len);
	char *output = trace_folder_path(options->output, "attach"), *reason = NULL;
	int rc = CHILD_EXIT_OWN_FAILURE;
	struct daemon daemon;

	limits_lift();
	signal(SIGPIPE, SIG_IGN); /* a session daemon that hangs up is reported by its library */
	for (guint i = 0; i < targets->len; i++)
		vpids[i] = g_array_index(targets, struct target, i).vpid;
	options->recording.output = output;
	options->recording.pids = vpids;
	options->recording.pid_count = targets->len;
	if (!trace_folder_make(cmd, output))
		goto out;
	if (daemon_open(&daemon, g_array_index(targets, struct target, 0).home, output, &reason)) {
		rc = run_attached(cmd, options, &daemon, targets);
		daemon_close(&daemon);
	} else {
		cmd_error(cmd, "%s", reason);
	}
	if (rc == CHILD_EXIT_OWN_FAILURE || rc == CHILD_EXIT_CANNOT_RUN)
		trace_folder_remove(output); /* it was empty before, and holds no recording */
out:
	g_free(reason);
	g_free(output);
	g_free(vpids);
	return rc;
}

static int attach_run(const struct cmd *cmd, int argc, char **argv)
{
	struct attach_options options = { .recording.layers = ~0u, .wait_s = DEFAULT_WAIT_S };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
		  "Write the trace into DIR (default: kfdscope-attach-TIME)", "DIR" },
		{ "duration", 0, 0, G_OPTION_ARG_DOUBLE, &options.duration_s,
		  "Stop after so many seconds (default: when the programs have ended)", "SECONDS" },
		{ "wait", 0, 0, G_OPTION_ARG_DOUBLE, &options.wait_s,
		  "Wait so long for each program to answer (default: 5)", "SECONDS" },
		ALSO_ENTRY(&options.also),
		BUFFERS_ENTRIES(&options.buffers),
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	GArray *targets = g_array_new(FALSE, TRUE, sizeof(struct target));
	struct places places;
	int rc = CMD_EXIT_USAGE;

	places_init(&places);
	if (!cmd_parse(cmd, entries, NULL, &argc, &argv) ||
	    !buffers_parse(cmd, &options.buffers, &options.recording) ||
	    !also_parse(cmd, options.also, &options.recording))
		goto out;
	if (!(options.duration_s >= 0)) {
		cmd_error(cmd, "--duration is %g: it must be a number of seconds",
			  options.duration_s);
		goto out;
	}
	if (!(options.wait_s >= 0)) {
		cmd_error(cmd, "--wait is %g: it must be a number of seconds", options.wait_s);
		goto out;
	}
	if (argc < 2) {
		cmd_error(cmd, "no process to record (see 'kfdscope attach --help')");
		goto out;
	}
	rc = 0;
	for (int i = 1; rc == 0 && i < argc; i++)
		rc = open_target(cmd, argv[i], &places, targets);
	if (rc == 0)
		rc = same_home(cmd, targets) ? attach(cmd, &options, targets)
					     : CHILD_EXIT_CANNOT_RUN;
out:
	close_targets(targets);
	places_fini(&places);
	g_free(options.output);
	g_free(options.buffers.size);
	g_strfreev(options.also);
	return rc;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.args = "PID…",
	.summary = "Record programs that already run",
	.description =
		"The programs must have been started with our libhsakmt and KFDSCOPE_PROVIDER=1, "
		"or "
		"with\n"
		"the provider preloaded; they are neither stopped nor changed. What they hold when "
		"the\n"
		"recording begins is in it. Children that they fork are not recorded. The "
		"recording "
		"ends\n"
		"when all have ended, after --duration, or by Ctrl-C.\n\n"
		"Exit status: 0 recorded, 2 usage, 3 recorded in part, 125 cannot record, 126 a "
		"process\n"
		"cannot be recorded (the line says why and what to do), 127 no such process.\n\n"
		"Example:\n"
		"  kfdscope attach -o /tmp/trace --duration=10 4711\n",
	.run = attach_run,
};
