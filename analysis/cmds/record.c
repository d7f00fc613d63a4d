/* SPDX-License-Identifier: MIT */
/* `kfdscope record`: runs a program and records what it does with its GPUs. */
#include "buffers.h"
#include "child.h"
#include "cmd.h"
#include "daemon.h"
#include "ending.h"
#include "environment.h"
#include "flight.h"
#include "layers.h"
#include "limits.h"
#include "places.h"
#include "recording.h"
#include "relay.h"
#include "trace_folder.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

struct record_options {
	struct recording_options recording;
	struct environment_options environment;
	struct buffers_words buffers;
	char *output;   /* owned; NULL: the default */
	char *live;     /* owned; NULL: not sent to a relay daemon */
	int live_port;  /* at which readers find that */
	char *front;    /* owned */
	char *topology; /* owned; NULL: no model */
	char *layers;   /* owned; NULL: the default */
	gboolean system_thunk, blocking, smi;
	char *snapshot_on;          /* owned; NULL: the default */
	unsigned int snapshot_at;   /* of enum flight_on */
	char *stack_depth, *stacks; /* owned */
	char **also;                /* owned; NULL: none */
	char *queue_hz;             /* owned; NULL: queues are not sampled */
};

static const char default_topology[] = "gfx90a";
static const char default_queue_hz[] = "100";
enum { QUEUE_HZ_MAX = 1000 };

/* --model alone takes the default tree; GOption calls this with NULL then. */
static gboolean parse_model(const char *option, const char *value, void *data, GError **error)
{
	struct record_options *options = data;

	(void)option;
	(void)error;
	g_free(options->topology);
	options->topology = g_strdup(value ? value : default_topology);
	return TRUE;
}

/* The same for --queues. */
static gboolean parse_queues(const char *option, const char *value, void *data, GError **error)
{
	struct record_options *options = data;

	(void)option;
	(void)error;
	g_free(options->queue_hz);
	options->queue_hz = g_strdup(value ? value : default_queue_hz);
	return TRUE;
}

/* --snapshot alone takes a ring of what shared memory allows. */
static gboolean parse_snapshot(const char *option, const char *value, void *data, GError **error)
{
	struct record_options *options = data;

	(void)option;
	options->recording.snapshot = true;
	if (!value || (buffers_parse_size(value, &options->recording.ring_bytes) &&
		       options->recording.ring_bytes >= 1 << 16))
		return TRUE;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "--snapshot is '%s': it must be a size of at least 64K, such as 16M", value);
	return FALSE;
}

static bool snapshot_valid(const struct cmd *cmd, struct record_options *options)
{
	options->snapshot_at = FLIGHT_ON_DEFAULT;
	if (!options->snapshot_on)
		return true;
	options->recording.snapshot = true;
	return flight_parse(cmd, options->snapshot_on, &options->snapshot_at);
}

static bool live_valid(const struct cmd *cmd, struct record_options *options)
{
	options->recording.live_url = options->live;
	if (!options->live)
		return true;
	if (!relay_url_valid(options->live)) {
		cmd_error(cmd,
			  "--live is '%s': it must be " RELAY_SCHEME "HOST, or " RELAY_SCHEME
			  "HOST:PORT:PORT with the ports for control and data",
			  options->live);
		return false;
	}
	if (options->output || options->recording.snapshot) {
		cmd_error(cmd, "--live sends the trace away: it goes with neither -o nor "
			       "--snapshot");
		return false;
	}
	return true;
}

static bool queue_hz_valid(const struct cmd *cmd, const char *text)
{
	guint64 hz;

	if (!text || g_ascii_string_to_unsigned(text, 10, 1, QUEUE_HZ_MAX, &hz, NULL))
		return true;
	cmd_error(cmd, "--queues is '%s': it must be 1 to %d samples a second", text, QUEUE_HZ_MAX);
	return false;
}

static bool layers_valid(const struct cmd *cmd, struct record_options *options)
{
	unsigned int layers;
	char *wrong;
	bool ok = layers_parse(options->layers, &layers, &wrong);

	if (!ok)
		cmd_error(cmd, "--layers has '%s': it can be a list of hip, hsa, kmt, kfd or all",
			  wrong);
	g_free(wrong);
	options->environment.layers = options->recording.layers = layers;
	return ok;
}

static bool stacks_valid(const struct cmd *cmd, const struct record_options *options)
{
	static const char *const known[] = { "api",  "memory",   "ioctl", "all",
					     "none", "interned", NULL };
	char **words = g_strsplit(options->stacks ? options->stacks : "", ",", -1);
	const char *wrong = NULL;
	bool interned = false;

	for (int i = 0; words[i]; i++) {
		if (!g_strv_contains(known, words[i]))
			wrong = words[i];
		interned |= g_str_equal(words[i], "interned");
	}
	if (wrong)
		cmd_error(cmd,
			  "--stacks has '%s': it can be api, memory, ioctl, all or none, and "
			  "interned",
			  wrong);
	else if (interned && options->recording.snapshot)
		cmd_error(cmd,
			  "--stacks=interned does not go with --snapshot: the ring forgets what "
			  "the numbers of stacks stand for");
	interned &= options->recording.snapshot;
	g_strfreev(words);
	return !wrong && !interned;
}

static bool options_valid(const struct cmd *cmd, struct record_options *options)
{
	if (!layers_valid(cmd, options) || !queue_hz_valid(cmd, options->queue_hz))
		return false;
	if (options->front && g_str_equal(options->front, "preload"))
		options->environment.front = MODEL_FRONT_PRELOAD;
	else if (options->front && !g_str_equal(options->front, "plugin")) {
		cmd_error(cmd, "--model-front is '%s': it can be 'plugin' or 'preload'",
			  options->front);
		return false;
	}
	options->environment.system_thunk = options->system_thunk;
	if (options->system_thunk && options->topology &&
	    options->environment.front == MODEL_FRONT_PLUGIN)
		options->environment.front =
			MODEL_FRONT_PRELOAD; /* the system's knows no plug-in */
	if (!buffers_parse(cmd, &options->buffers, &options->recording) ||
	    !also_parse(cmd, options->also, &options->recording) || !snapshot_valid(cmd, options) ||
	    !live_valid(cmd, options) || !stacks_valid(cmd, options))
		return false;
	options->environment.topology = options->topology;
	options->environment.stack_depth = options->stack_depth;
	options->environment.stacks = options->stacks;
	options->environment.smi = options->smi;
	options->environment.queue_hz = options->queue_hz;
	options->recording.blocking = options->environment.blocking = options->blocking;
	return true;
}

static bool note_ending(const char *output, const struct child *child, char **argv)
{
	const struct analyse_ending ending = {
		.pid = (uint32_t)child->pid,
		.exit_code = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : -1,
		.signal = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0,
	};

	return ending_write(output, &ending, argv);
}

/* @return CHILD_EXIT_* when the program did not run; 0 when it ran and child has its status. */
static int run_child(const struct cmd *cmd, char **argv, char **envp, struct flight *flight,
		     struct child *child)
{
	int err = child_start(child, argv, envp);

	if (!err) {
		child_wait(child, flight ? flight_keep : NULL, flight);
		return 0;
	}
	cmd_error(cmd, "cannot run '%s': %s", argv[0], g_strerror(err));
	return err == ENOENT ? CHILD_EXIT_NOT_FOUND : CHILD_EXIT_CANNOT_RUN;
}

/* Where readers find what is sent. */
static void say_live(const struct record_options *options, struct recording *recording)
{
	char *url = relay_live_url(options->live, options->live_port, recording_session(recording));

	fprintf(stderr, "kfdscope: live at '%s'\n", url);
	g_free(url);
}

/* The last part of a recording that went to its directory from the beginning. */
static void finish_trace(const struct cmd *cmd, const char *output, struct recording *recording,
			 const struct child *child, char **argv, bool has_run)
{
	uint64_t lost_events = 0, lost_packets = 0;
	char *reason = NULL;

	/* The program's status counts more than a recording that did not end well. */
	if (!recording_stop(recording, &lost_events, &lost_packets, &reason))
		cmd_error(cmd, "%s; the trace may be incomplete", reason);
	recording_free(recording);
	g_free(reason);
	if (!has_run)
		return;
	if (!output) { /* it went to a relay daemon, which has it now */
		fprintf(stderr, "kfdscope: sent, %" PRIu64 " events lost\n", lost_events);
		trace_folder_say_losses(lost_events, lost_packets);
		return;
	}
	/* Of a full disk one word is enough. */
	if (!note_ending(output, child, argv) && !trace_folder_is_full(output))
		cmd_error(cmd, "cannot note how the program ended: %s", g_strerror(errno));
	trace_folder_say(output, lost_events, lost_packets,
			 "'kfdscope doctor -- PROGRAM' tells why");
}

/* The same of a flight recorder's. */
static void finish_flight(const struct cmd *cmd, struct flight *flight, struct recording *recording,
			  const struct child *child, char **argv, bool has_run)
{
	const char *last = has_run ? flight_finish(flight) : NULL;

	if (last && !note_ending(last, child, argv))
		cmd_error(cmd, "cannot note how the program ended: %s", g_strerror(errno));
	flight_close(flight);
	recording_free(recording);
}

/* @return as run_child(); also CHILD_EXIT_OWN_FAILURE. */
static int run_recorded(const struct cmd *cmd, const struct record_options *options,
			struct daemon *daemon, char **argv, char **envp, struct child *child)
{
	const char *output = options->recording.output;
	struct recording *recording = NULL;
	struct flight *flight = NULL;
	char *reason = NULL;
	int rc = CHILD_EXIT_OWN_FAILURE;

	/* Until then a signal ends us like any program, and the guardian tidies up. */
	if (!recording_start(&options->recording, &recording, &reason)) {
		cmd_error(cmd, "%s", reason);
		g_free(reason);
		return rc;
	}
	daemon_keep_output(daemon);
	child_catch_signals();
	if (options->recording.snapshot) {
		flight = flight_open(cmd, options->snapshot_at, recording, output, &reason);
		if (!flight)
			goto out;
	}
	if (options->live)
		say_live(options, recording);
	rc = run_child(cmd, argv, envp, flight, child);
	if (flight)
		finish_flight(cmd, flight, recording, child, argv, rc == 0);
	else
		finish_trace(cmd, output, recording, child, argv, rc == 0);
	recording = NULL;
out:
	if (reason)
		cmd_error(cmd, "%s", reason);
	recording_free(recording);
	g_free(reason);
	return rc;
}

static int record(const struct cmd *cmd, struct record_options *options, char **argv)
{
	struct places places;
	struct daemon daemon;
	struct child child = { 0 };
	char **envp = NULL, *reason = NULL, *output = NULL, *snapshot = NULL;
	bool is_made = false;
	int rc = CHILD_EXIT_OWN_FAILURE;

	places_init(&places);
	child_hold_signals();
	limits_lift();
	if (options->live && !relay_answers(options->live, &reason)) {
		cmd_error(cmd, "%s", reason);
		goto out;
	}
	if (!limits_have_room(&reason)) {
		cmd_error(cmd, "%s", reason);
		goto out;
	}
	if (!options->live) {
		output = trace_folder_path(options->output, argv[0]);
		options->recording.output = output;
		is_made = trace_folder_make(cmd, output);
		if (!is_made)
			goto out;
	}
	if (!daemon_open(&daemon, NULL, output, &reason)) {
		cmd_error(cmd, "%s", reason);
		goto out;
	}
	if (options->recording.snapshot)
		options->environment.snapshot = snapshot = flight_environment(options->snapshot_at);
	options->environment.program = argv[0];
	/* After the daemon: it may have moved LTTNG_HOME, which the program has to share. */
	if (!environment_make(&options->environment, &places, &envp, &reason))
		cmd_error(cmd, "%s", reason);
	else
		rc = run_recorded(cmd, options, &daemon, argv, envp, &child);
	daemon_close(&daemon);
out:
	if (is_made && rc != 0)
		trace_folder_remove(output); /* it was empty before, and nothing has run */
	else if (is_made && options->recording.snapshot)
		g_rmdir(output); /* only when still empty */
	child_restore_signals();
	g_free(snapshot);
	g_free(output);
	g_strfreev(envp);
	g_free(reason);
	places_fini(&places);
	if (rc == 0)
		child_exit_alike(&child);
	return rc;
}

static int record_run(const struct cmd *cmd, int argc, char **argv)
{
	struct record_options options = { .live_port = RELAY_LIVE_PORT };
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
		  "Write the trace into DIR (default: kfdscope-PROGRAM-TIME)", "DIR" },
		{ "model", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
		  (void *)parse_model,
		  "Run on the simulated GPU: a topology's name or directory "
		  "(default: gfx90a)",
		  "TOPOLOGY" },
		{ "model-front", 0, 0, G_OPTION_ARG_STRING, &options.front,
		  "Where the simulation sits: plugin (in our library) or preload (at libc)",
		  "FRONT" },
		{ "system-thunk", 0, 0, G_OPTION_ARG_NONE, &options.system_thunk,
		  "Leave the program's own libhsakmt in place", NULL },
		{ "layers", 0, 0, G_OPTION_ARG_STRING, &options.layers,
		  "What is recorded: hip, hsa, kmt, kfd or all (default: hip,kmt,kfd)", "LIST" },
		{ "stack-depth", 0, 0, G_OPTION_ARG_STRING, &options.stack_depth,
		  "Record at most N frames of each stack (0 to 64, default 32)", "N" },
		{ "stacks", 0, 0, G_OPTION_ARG_STRING, &options.stacks,
		  "Which events carry stacks: api, memory, ioctl, all or none; with "
		  "interned each stack is written once and then named by a number",
		  "WHICH" },
		{ "queues", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
		  (void *)parse_queues,
		  "Sample what the queues do, HZ times a second (default: 100)", "HZ" },
		ALSO_ENTRY(&options.also),
		BUFFERS_ENTRIES(&options.buffers),
		{ "smi", 0, 0, G_OPTION_ARG_NONE, &options.smi,
		  "Record what the driver tells of evictions, migrations, page faults and resets",
		  NULL },
		{ "snapshot", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK,
		  (void *)parse_snapshot,
		  "Keep a ring of SIZE a CPU (default: the sub-buffers) in memory and write "
		  "snapshots of it",
		  "SIZE" },
		{ "snapshot-on", 0, 0, G_OPTION_ARG_STRING, &options.snapshot_on,
		  "When: signal (SIGUSR1), fault, failure, end (default: signal,fault)", "LIST" },
		{ "live", 0, 0, G_OPTION_ARG_STRING, &options.live,
		  "Send the trace to lttng-relayd at net://HOST[:CONTROL:DATA] as it is made",
		  "URL" },
		{ "live-port", 0, 0, G_OPTION_ARG_INT, &options.live_port,
		  "The port at which it serves readers, for the address that is printed (5344)",
		  "PORT" },
		{ "blocking", 0, 0, G_OPTION_ARG_NONE, &options.blocking,
		  "Let the program wait, 5 s at a time, rather than lose events", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	int rc = CMD_EXIT_USAGE;

	if (!cmd_parse(cmd, entries, &options, &argc, &argv))
		goto out;
	if (argc < 2)
		cmd_error(cmd, "no program to record (see 'kfdscope record --help')");
	else if (options_valid(cmd, &options))
		rc = record(cmd, &options, argv + 1);
out:
	g_free(options.snapshot_on);
	g_free(options.live);
	g_free(options.output);
	g_free(options.front);
	g_free(options.buffers.size);
	g_free(options.topology);
	g_free(options.layers);
	g_strfreev(options.also);
	g_free(options.stack_depth);
	g_free(options.stacks);
	g_free(options.queue_hz);
	return rc;
}

const struct cmd cmd_record = {
	.name = "record",
	.args = "-- PROGRAM [ARGUMENT…]",
	.takes_program = true,
	.summary = "Run a program and record what it does with its GPUs",
	.description =
		"The program gets our libhsakmt in place of the system's for this run only. A "
		"private\n"
		"LTTng session daemon is started when none runs. Signals and the exit status pass\n"
		"through; kfdscope's own failures are 125 (cannot record: the program was not "
		"run),\n"
		"126 (cannot run it) and 127 (no such program). The recording ends with the "
		"program;\n"
		"what that leaves running in the background goes on unrecorded.\n\n"
		"With --system-thunk the driver's calls are recorded at the libc boundary, which "
		"is\n"
		"the way for programs whose ROCm has the thunk linked in, or that have none.\n"
		"Without hip among the layers the HSA runtime's own sub-allocation is switched "
		"off,\n"
		"so that each request of memory shows.\n\n"
		"With --snapshot nothing is written until something happens that --snapshot-on "
		"names:\n"
		"SIGUSR1 to kfdscope, a memory fault, a call that fails, or the program's end. "
		"Each "
		"snapshot\n"
		"has a directory of its own in DIR, and in it what the ring held and all that "
		"lives.\n\n"
		"Calls of HIP and HSA that other LTTng providers record become layers of the "
		"reports:\n"
		"--also='lttng_ust_hip:*'.\n\n"
		"With --live the trace is sent as it is made, and the address to read it from is "
		"printed.\n\n"
		"Example:\n"
		"  kfdscope record -o /tmp/trace --model -- rocminfo\n",
	.run = record_run,
};
