/* SPDX-License-Identifier: MIT */
/* A recording session through liblttng-ctl. */
#include "recording.h"

#include "layers.h"

#include <errno.h>
#include <glib.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CHANNEL    "kfdscope"
#define NAME_START "kfdscope-" /* then the recorder's pid */
/*
 * Not for ever: a thread that waits for a session daemon that was killed keeps the tracer from taking
 * the buffers away, and would wait for ever. A consumer that lives makes room far sooner.
 */
#define BLOCKING_TIMEOUT_US 5000000
/* Sub-buffers for 100,000 calls a second on a slow disk, where shared memory allows. */
#define MAX_SUBBUF_BYTES      (4U << 20)
#define MIN_SUBBUF_BYTES      (64U << 10)
#define SUBBUF_COUNT          4
#define RING_SUBBUF_COUNT     8
#define MIN_RING_SUBBUF_BYTES 4096U
/* How old what a reader sees may be. */
#define LIVE_INTERVAL_US 500000
#define PENDING_POLL_US  5000
#define REGISTER_POLL_MS 20
/* All data is written by then, as a rule. */
#define DESTROY_TIMEOUT_MS 10000

struct recording {
	char *session;                 /* owned */
	struct lttng_handle *handle;   /* owned */
	struct lttng_channel *channel; /* owned */
	bool created;
};

static const struct {
	const char *name;
	unsigned int layers; /* enabled for any of these */
} event_patterns[] = {
	/* what our objects emit (docs/events.md) */
	{ "kmt:*", LAYERS_KMT },
	{ "kfd:*", LAYERS_KFD },
	{ "kmt_os:*", LAYERS_KFD },
	{ "kmt_state:*", ~0u },
	{ "kmt_queue:*", ~0u },
	{ "kmt_smi:*", ~0u },
	{ "vkmt:*", LAYERS_KMT },
	{ "kmt_hip:*", LAYERS_HIP },
	{ "kmt_rocr:*", LAYERS_HSA },
	/* where each library lay, for the names of stack frames */
	{ "lttng_ust_statedump:*", ~0u },
	{ "lttng_ust_lib:*", ~0u },
};

static const enum lttng_event_context_type contexts[] = {
	LTTNG_EVENT_CONTEXT_VPID,
	LTTNG_EVENT_CONTEXT_VTID,
	LTTNG_EVENT_CONTEXT_PROCNAME,
};

/*
 * The largest sub-buffers that leave three quarters of the shared memory alone: with per-user
 * buffers there is one ring a possible CPU.
 */
static uint64_t fitting_subbuf_bytes(uint32_t count)
{
	struct statvfs shm;
	uint64_t room = 64U << 20, size = MAX_SUBBUF_BYTES;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (statvfs("/dev/shm", &shm) == 0)
		room = (uint64_t)shm.f_bavail * shm.f_frsize;
	while (size > MIN_SUBBUF_BYTES && size * count * (uint64_t)MAX(cpus, 1) > room / 4)
		size /= 2;
	return size;
}

/* A ring is written over sub-buffer by sub-buffer: many small ones keep more of it. */
static void size_buffers(struct lttng_channel_attr *attr, const struct recording_options *options)
{
	uint64_t size = options->subbuf_size_bytes;

	attr->overwrite = options->snapshot;
	attr->num_subbuf = options->subbuf_count ? options->subbuf_count
			   : options->snapshot   ? RING_SUBBUF_COUNT
						 : SUBBUF_COUNT;
	if (!size)
		size = fitting_subbuf_bytes((uint32_t)attr->num_subbuf);
	while (options->ring_bytes && size * attr->num_subbuf > options->ring_bytes)
		size /= 2;
	if (options->ring_bytes)
		while (size * attr->num_subbuf * 2 <= options->ring_bytes)
			size *= 2;
	attr->subbuf_size = MAX(size, MIN_RING_SUBBUF_BYTES);
}

static bool fail(char **reason, const char *what, int code)
{
	*reason = g_strdup_printf("%s: %s", what, lttng_strerror(code));
	return false;
}

static bool create_session(struct recording *recording, const struct recording_options *options,
			   char **reason)
{
	const char *output = options->live_url ? options->live_url : options->output;
	struct lttng_session_descriptor *descriptor =
		options->snapshot ? lttng_session_descriptor_snapshot_create(recording->session)
		: options->live_url
			? lttng_session_descriptor_live_network_create(recording->session, output,
								       NULL, LIVE_INTERVAL_US)
			: lttng_session_descriptor_local_create(recording->session, output);
	enum lttng_error_code code;

	if (!descriptor) {
		*reason = options->live_url
				  ? g_strdup_printf("'%s' is no address of a relay daemon: give "
						    "net://HOST, or net://HOST:PORT:PORT",
						    output)
				  : g_strdup_printf("'%s' cannot be a trace directory", output);
		return false;
	}
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	if (code != LTTNG_OK) {
		*reason = g_strdup_printf("cannot record into '%s': %s", output,
					  lttng_strerror(-code));
		return false;
	}
	recording->created = true;
	return true;
}

static bool enable_channel(struct recording *recording, const struct recording_options *options,
			   char **reason)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID };
	int code;

	recording->handle = lttng_create_handle(recording->session, &domain);
	recording->channel = lttng_channel_create(&domain);
	if (!recording->handle || !recording->channel) {
		*reason = g_strdup("no memory for an LTTng channel");
		return false;
	}
	g_strlcpy(recording->channel->name, CHANNEL, sizeof(recording->channel->name));
	size_buffers(&recording->channel->attr, options);
	if (options->blocking)
		lttng_channel_set_blocking_timeout(recording->channel, BLOCKING_TIMEOUT_US);
	code = lttng_enable_channel(recording->handle, recording->channel);
	return code >= 0 || fail(reason, "cannot make the event buffers", code);
}

static bool add_contexts(struct recording *recording, char **reason)
{
	for (size_t i = 0; i < G_N_ELEMENTS(contexts); i++) {
		struct lttng_event_context context = { .ctx = contexts[i] };
		int code = lttng_add_context(recording->handle, &context, NULL, CHANNEL);

		if (code < 0)
			return fail(reason, "cannot add process and thread to events", code);
	}
	return true;
}

static bool enable_event(struct recording *recording, const char *pattern, char **reason)
{
	struct lttng_event *event = lttng_event_create();
	int code;

	if (!event) {
		*reason = g_strdup("no memory for an LTTng event");
		return false;
	}
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	g_strlcpy(event->name, pattern, sizeof(event->name));
	code = lttng_enable_event(recording->handle, event, CHANNEL);
	lttng_event_destroy(event);
	if (code < 0)
		*reason = g_strdup_printf("cannot enable events '%s': %s", pattern,
					  lttng_strerror(code));
	return code >= 0;
}

static bool enable_events(struct recording *recording, const struct recording_options *options,
			  char **reason)
{
	bool ok = true;

	for (size_t i = 0; ok && i < G_N_ELEMENTS(event_patterns); i++)
		ok = !(event_patterns[i].layers & options->layers) ||
		     enable_event(recording, event_patterns[i].name, reason);
	for (size_t i = 0; ok && options->also && options->also[i]; i++)
		ok = enable_event(recording, options->also[i], reason);
	return ok;
}

/* Processes that are not tracked are not even told of the session. */
static bool track(struct recording *recording, const struct recording_options *options,
		  char **reason)
{
	struct lttng_process_attr_tracker_handle *tracker = NULL;
	bool ok = true;

	if (options->pid_count == 0)
		return true;
	if (lttng_session_get_tracker_handle(recording->session, LTTNG_DOMAIN_UST,
					     LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID,
					     &tracker) != LTTNG_OK ||
	    lttng_process_attr_tracker_handle_set_tracking_policy(
		    tracker, LTTNG_TRACKING_POLICY_INCLUDE_SET) !=
		    LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK)
		ok = false;
	for (size_t i = 0; ok && i < options->pid_count; i++) {
		enum lttng_process_attr_tracker_handle_status status =
			lttng_process_attr_virtual_process_id_tracker_handle_add_pid(
				tracker, options->pids[i]);

		ok = status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK ||
		     status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_EXISTS;
	}
	lttng_process_attr_tracker_handle_destroy(tracker);
	if (!ok)
		*reason = g_strdup("the session daemon cannot record single processes");
	return ok;
}

/* Bounded: a session daemon that met an error of its consumer's never tells that it is done. */
static void destroy_session(const char *name)
{
	struct lttng_destruction_handle *handle = NULL;

	if (lttng_destroy_session_ext(name, &handle) == LTTNG_OK)
		(void)lttng_destruction_handle_wait_for_completion(handle, DESTROY_TIMEOUT_MS);
	lttng_destruction_handle_destroy(handle);
}

char *recording_name(const char *what)
{
	return g_strdup_printf(NAME_START "%d-%s", (int)getpid(), what);
}

bool recording_name_is_left(const char *name, pid_t recorder)
{
	char *end;
	gint64 pid;

	if (!g_str_has_prefix(name, NAME_START))
		return false;
	pid = g_ascii_strtoll(name + strlen(NAME_START), &end, 10);
	if (*end != '-' || pid <= 0)
		return false;
	return recorder ? pid == recorder : kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

void recording_end_left(pid_t recorder)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);

	for (int i = 0; i < count; i++)
		if (recording_name_is_left(sessions[i].name, recorder))
			destroy_session(sessions[i].name);
	free(sessions);
}

bool recording_start(const struct recording_options *options, struct recording **out, char **reason)
{
	struct recording *recording = g_new0(struct recording, 1);
	char time[24];
	bool ok;
	int code;

	*reason = NULL;
	*out = NULL;
	g_snprintf(time, sizeof(time), "%" G_GINT64_FORMAT, g_get_real_time());
	recording->session = recording_name(time);
	ok = create_session(recording, options, reason) &&
	     enable_channel(recording, options, reason) && add_contexts(recording, reason) &&
	     enable_events(recording, options, reason) && track(recording, options, reason);
	if (ok) {
		code = lttng_start_tracing(recording->session);
		ok = code >= 0 || fail(reason, "cannot start recording", code);
	}
	if (ok) {
		*out = recording;
		recording = NULL;
	}
	recording_free(recording);
	return ok;
}

GArray *recording_pids(struct recording *recording, const char *event)
{
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	struct lttng_event *events = NULL;
	int count = lttng_list_tracepoints(recording->handle, &events);

	for (int i = 0; i < count; i++)
		if (g_str_equal(events[i].name, event))
			g_array_append_val(pids, events[i].pid);
	free(events);
	return pids;
}

static bool is_registered(struct recording *recording, pid_t pid)
{
	GArray *pids = recording_pids(recording, "kmt_state:schema");
	bool found = false;

	for (guint i = 0; i < pids->len && !found; i++)
		found = g_array_index(pids, pid_t, i) == pid;
	g_array_free(pids, TRUE);
	return found;
}

bool recording_knows(struct recording *recording, pid_t pid, double timeout_s, struct pollfd *stop,
		     size_t stop_count)
{
	gint64 begin = g_get_monotonic_time();
	bool known = false;

	do {
		known = is_registered(recording, pid);
		if (!known && poll(stop, stop_count, REGISTER_POLL_MS) > 0)
			break;
	} while (!known && (double)(g_get_monotonic_time() - begin) < timeout_s * G_USEC_PER_SEC);
	return known;
}

/*
 * When a buffer's count goes back, as it does under heavy losses, LTTng takes that for an overflow of the
 * count and adds 2^63: the bits below are right.
 */
#define COUNT_MASK INT64_MAX

static void count_losses(struct recording *recording, uint64_t *lost_events, uint64_t *lost_packets)
{
	struct lttng_channel *channels = NULL;
	int count = lttng_list_channels(recording->handle, &channels);

	for (int i = 0; i < count; i++) {
		uint64_t events = 0, packets = 0;

		if (lttng_channel_get_discarded_event_count(&channels[i], &events) == 0)
			*lost_events += events & COUNT_MASK;
		if (lttng_channel_get_lost_packet_count(&channels[i], &packets) == 0)
			*lost_packets += packets;
	}
	free(channels);
}

const char *recording_session(const struct recording *recording)
{
	return recording->session;
}

bool recording_refresh(struct recording *recording)
{
	return lttng_regenerate_statedump(recording->session) >= 0;
}

bool recording_snapshot(struct recording *recording, const char *directory, char **reason)
{
	struct lttng_snapshot_output *output = lttng_snapshot_output_create();
	bool ok;
	int code = 0;

	*reason = NULL;
	ok = output && lttng_snapshot_output_set_local_path(directory, output) == 0 &&
	     lttng_snapshot_output_set_name("snapshot", output) == 0;
	if (ok)
		code = lttng_snapshot_record(recording->session, output, 0);
	lttng_snapshot_output_destroy(output);
	if (!ok)
		*reason = g_strdup_printf("'%s' cannot be a snapshot's directory", directory);
	return ok && (code >= 0 || fail(reason, "cannot write a snapshot", code));
}

bool recording_stop(struct recording *recording, uint64_t *lost_events, uint64_t *lost_packets,
		    char **reason)
{
	int code = lttng_stop_tracing_no_wait(recording->session);

	*reason = NULL;
	*lost_events = *lost_packets = 0;
	if (code < 0)
		return fail(reason, "cannot stop recording", code);
	/* liblttng-ctl waits by itself, but looks five times a second only. */
	while ((code = lttng_data_pending(recording->session)) > 0)
		g_usleep(PENDING_POLL_US);
	if (code < 0)
		return fail(reason, "cannot tell whether all data is written", code);
	count_losses(recording, lost_events, lost_packets);
	return true;
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	if (recording->created)
		destroy_session(recording->session);
	if (recording->handle)
		lttng_destroy_handle(recording->handle);
	lttng_channel_destroy(recording->channel);
	g_free(recording->session);
	g_free(recording);
}
