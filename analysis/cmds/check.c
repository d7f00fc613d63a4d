/* SPDX-License-Identifier: MIT */
/*
 * `kfdscope check`: whether our analyses and Trace Compass can open a recording, and what to do when
 * they cannot. Looks at metadata and the borders of packets, never at single events, so that the
 * largest recording is checked at once.
 */
#include <glib/gstdio.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "input/discover.h"
#include "input/salvage.h"
#include "output/json_write.h"
#include "thunks.h"

/* Beyond this much, the viewer's own index takes minutes and memory. */
#define LARGE_BYTES (UINT64_C(1) << 30)

/* Processes that are named together. */
#define NAMES_SHOWN 8u

enum level {
	LEVEL_INFO,
	LEVEL_WARNING, /* readable, but something will be missing */
	LEVEL_ERROR,   /* cannot be opened as it is */
};

static const char *const level_names[] = { "info", "warning", "error" };

struct checked {
	json_t *findings; /* borrowed from the trace's object */
	enum level worst;
};

static void find(struct checked *checked, enum level level, const char *code, const char *message)
{
	checked->worst = MAX(checked->worst, level);
	json_array_append_new(checked->findings,
			      json_pack("{ss ss ss}", "level", level_names[level], "code", code,
					"message", message));
}

/* Metadata without its packet headers (trace-compass.md 1), as text. */
static GString *metadata_text(const char *data, gsize size)
{
	enum { HEADER_BYTES = 37, CONTENT_AT = 24, PACKET_AT = 28 };
	static const unsigned char magic[] = { 0x57, 0x1d, 0xd1, 0x75 }; /* little endian */
	GString *text = g_string_new(NULL);

	if (size < sizeof(magic) || memcmp(data, magic, sizeof(magic)) != 0)
		return g_string_append_len(text, data, (gssize)size);
	for (gsize at = 0; at + HEADER_BYTES <= size;) {
		uint32_t content_bits, packet_bits;
		gsize content;

		memcpy(&content_bits, data + at + CONTENT_AT, sizeof(content_bits));
		memcpy(&packet_bits, data + at + PACKET_AT, sizeof(packet_bits));
		content = MIN(content_bits / 8, size - at);
		if (content > HEADER_BYTES)
			g_string_append_len(text, data + at + HEADER_BYTES,
					    (gssize)(content - HEADER_BYTES));
		if (packet_bits / 8 < HEADER_BYTES)
			break;
		at += packet_bits / 8;
	}
	return text;
}

static bool declares(const GString *text, const char *prefix)
{
	char *quoted = g_strdup_printf("name = \"%s", prefix);
	bool found = strstr(text->str, quoted) != NULL;

	g_free(quoted);
	return found;
}

static void check_viewer(struct checked *checked, const GString *text)
{
	static const char *const contexts[] = { "vpid", "vtid", "procname" };

	if (!strstr(text->str, "domain = \"ust\"")) {
		find(checked, LEVEL_WARNING, "not-ust",
		     "the trace is not of LTTng's user-space domain: Trace Compass opens it as "
		     "generic CTF, without the views for user-space traces");
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(contexts); i++) {
		char *member = g_strdup_printf(" _%s", contexts[i]);
		char *message;

		if (!strstr(text->str, member)) {
			message = g_strdup_printf("events do not say their %s: add it with 'lttng "
						  "add-context --userspace --type=%s'",
						  contexts[i], contexts[i]);
			find(checked, LEVEL_WARNING, "no-context", message);
			g_free(message);
		}
		g_free(member);
	}
	if (declares(text, "hsa") || declares(text, "hip"))
		find(checked, LEVEL_WARNING, "claimed-by-rocm",
		     "event names that begin with hsa or hip make Trace Compass, with its ROCm "
		     "feature installed, take the trace for another type: open it as 'LTTng UST "
		     "Trace' by hand");
}

static void check_contents(struct checked *checked, const GString *text)
{
	if (declares(text, "kfd_timeline:"))
		find(checked, LEVEL_INFO, "derived",
		     "a derived trace for Trace Compass: our views draw it; our reports read the "
		     "recording it was made from");
	else if (declares(text, "kmt:") || declares(text, "kfd:") || declares(text, "kmt_state:"))
		find(checked, LEVEL_INFO, "recording",
		     "a recording of kfdscope: our reports read it; for Trace Compass convert it "
		     "with 'kfdscope timeline -o DIRECTORY'");
	else
		find(checked, LEVEL_ERROR, "no-events",
		     "the trace has none of kfdscope's events: views and reports would be empty; "
		     "record with 'kfdscope record'");
}

/* Metadata that babeltrace2 2.0 reads. @return false when nothing more can be said. */
static bool check_format(struct checked *checked, const char *data, gsize size)
{
	enum { RECORD_SEPARATOR = 0x1e };

	if (size && data[0] == RECORD_SEPARATOR) {
		find(checked, LEVEL_ERROR, "ctf-2",
		     "the metadata is CTF 2, which babeltrace2 2.0 and Trace Compass's views for "
		     "LTTng do not read: convert it with babeltrace2 2.1, 'babeltrace2 TRACE "
		     "--component=sink.ctf.fs --params=path=\"NEW\",ctf-version=\"1.8\"', or "
		     "record with 'lttng create --trace-format=ctf-1.8'");
		return false;
	}
	if (size == 0) {
		find(checked, LEVEL_ERROR, "no-metadata",
		     "the metadata is empty: the recording was not stopped, or nothing was traced");
		return false;
	}
	return true;
}

/* Any other plain file beside the streams is opened as one, and fails. */
static uint64_t check_files(struct checked *checked, const char *trace)
{
	static const unsigned char magic[] = { 0xc1, 0x1f, 0xfc, 0xc1 };
	static const unsigned char magic_big[] = { 0xc1, 0xfc, 0x1f, 0xc1 };
	GDir *dir = g_dir_open(trace, 0, NULL);
	const char *name;
	uint64_t bytes = 0;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);
		unsigned char head[4] = { 0 };
		GStatBuf status;
		FILE *file = NULL;

		if (name[0] != '.' && strcmp(name, "metadata") != 0 && g_stat(path, &status) == 0 &&
		    S_ISREG(status.st_mode) && status.st_size > 0) {
			file = fopen(path, "r");
			bytes += (uint64_t)status.st_size;
		}
		if (file && (fread(head, sizeof(head), 1, file) != 1 ||
			     (memcmp(head, magic, 4) != 0 && memcmp(head, magic_big, 4) != 0))) {
			char *message = g_strdup_printf(
				"'%s' is no stream of the trace: Trace Compass opens every plain "
				"file in the directory; move it away",
				path);

			find(checked, LEVEL_ERROR, "foreign-file", message);
			g_free(message);
		}
		if (file)
			fclose(file);
		g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	return bytes;
}

/* Programs whose own library stayed in place, or that have none. */
static void tell_thunk(struct checked *checked, const struct bare_process *bare, const char *names)
{
	char *message;

	if (bare->thunk) {
		message = g_strdup_printf(
			"%s: the thunk is '%s', which stayed in place: only its calls of the "
			"driver are recorded; without --system-thunk those of the library are, too",
			names, bare->thunk);
		find(checked, LEVEL_INFO, "system-thunk", message);
	} else {
		message = g_strdup_printf(
			"%s: the thunk is linked in statically%s%s%s, or the program calls the "
			"driver itself: no call of the library can be recorded. Memory, queues, "
			"events and failures in the reports are those of the driver's calls, with "
			"its sizes and error numbers; latency and chains go from the runtime to "
			"the driver with nothing between; svm, counters and what the library keeps "
			"for itself are not seen",
			names, bare->module ? " (in '" : "", bare->module ? bare->module : "",
			bare->module ? "')" : "");
		find(checked, LEVEL_WARNING, "static-thunk", message);
	}
	g_free(message);
}

/* Processes of which the same is to say are said in one. */
static void check_thunks(struct checked *checked, const char *path)
{
	GPtrArray *list = thunks_find_bare(path);

	for (guint i = 0; i < list->len; i++) {
		const struct bare_process *first = g_ptr_array_index(list, i);
		GString *names = g_string_new(NULL);
		guint count = 0;

		for (guint j = 0; j < list->len; j++) {
			const struct bare_process *bare = g_ptr_array_index(list, j);

			if (g_strcmp0(bare->module, first->module) != 0 ||
			    g_strcmp0(bare->thunk, first->thunk) != 0)
				continue;
			if (j < i)
				break; /* it is said */
			if (count++ < NAMES_SHOWN)
				g_string_append_printf(names, "%s%s", names->len ? ", " : "",
						       bare->name);
		}
		if (count > NAMES_SHOWN)
			g_string_append_printf(names, " and %u more processes",
					       count - NAMES_SHOWN);
		if (count)
			tell_thunk(checked, first, names->str);
		g_string_free(names, TRUE);
	}
	g_ptr_array_free(list, TRUE);
}

static void check_streams(struct checked *checked, const char *trace)
{
	GPtrArray *notes = g_ptr_array_new_with_free_func(g_free);
	struct salvage salvage;
	char *problem;

	if (!salvage_open(&salvage, trace, notes, &problem)) {
		find(checked, LEVEL_ERROR, "unreadable", problem);
		g_free(problem);
	} else {
		check_thunks(checked, salvage.path);
	}
	for (guint i = 0; i < notes->len; i++)
		find(checked, LEVEL_WARNING, "damaged", g_ptr_array_index(notes, i));
	salvage_close(&salvage);
	g_ptr_array_free(notes, TRUE);
}

static enum level check_trace(const char *trace, json_t *traces)
{
	json_t *json = json_pack("{ss s[]}", "path", trace, "findings");
	struct checked checked = { .findings = json_object_get(json, "findings") };
	char *path = g_build_filename(trace, "metadata", NULL), *data = NULL;
	GError *error = NULL;
	GString *text;
	uint64_t bytes;
	gsize size = 0;

	if (!g_file_get_contents(path, &data, &size, &error)) {
		char *message = g_strdup_printf("the metadata cannot be read: %s", error->message);

		find(&checked, LEVEL_ERROR, "no-metadata", message);
		g_free(message);
		g_error_free(error);
	} else if (check_format(&checked, data, size)) {
		text = metadata_text(data, size);
		check_contents(&checked, text);
		check_viewer(&checked, text);
		g_string_free(text, TRUE);
		check_streams(&checked, trace);
	}
	bytes = check_files(&checked, trace);
	json_object_set_new(json, "stream_bytes", json_integer((json_int_t)bytes));
	if (bytes > LARGE_BYTES)
		find(&checked, LEVEL_WARNING, "large",
		     "Trace Compass needs minutes and several GiB for a trace of this size: give "
		     "its Java machine more memory (-vmargs -Xmx8g), or record less with "
		     "'kfdscope record --layers'");
	json_object_set_new(json, "opens", json_boolean(checked.worst != LEVEL_ERROR));
	json_array_append_new(traces, json);
	g_free(data);
	g_free(path);
	return checked.worst;
}

static void print_text(const json_t *traces)
{
	size_t i, j;
	json_t *trace, *finding;

	json_array_foreach(traces, i, trace)
	{
		printf("%s: %s\n", json_string_value(json_object_get(trace, "path")),
		       json_is_true(json_object_get(trace, "opens")) ? "can be opened"
								     : "cannot be opened");
		json_array_foreach(json_object_get(trace, "findings"), j, finding)
			printf("    %s: %s\n", json_string_value(json_object_get(finding, "level")),
			       json_string_value(json_object_get(finding, "message")));
	}
}

static int check_all(const struct cmd *cmd, int count, char **paths, bool as_json)
{
	GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
	json_t *json =
		json_pack("{ss ss s[]}", "schema", "kfdscope.check", "version", "1.0", "traces");
	json_t *traces = json_object_get(json, "traces");
	enum level worst = LEVEL_INFO;

	for (int i = 0; i < count; i++) {
		guint before = found->len;
		int error = discover_traces(paths[i], found);

		if (error || found->len == before) {
			cmd_error(cmd, "'%s': %s", paths[i],
				  error ? g_strerror(-error)
					: "no trace: there is no file 'metadata' in it or below");
			worst = LEVEL_ERROR;
		}
	}
	for (guint i = 0; i < found->len; i++) {
		enum level level = check_trace(g_ptr_array_index(found, i), traces);

		worst = MAX(worst, level);
	}
	if (as_json)
		(void)json_write(json, stdout, NULL, NULL); /* main() asks the stream how it went */
	else
		print_text(traces);
	json_decref(json);
	g_ptr_array_free(found, TRUE);
	if (worst == LEVEL_ERROR)
		return CMD_EXIT_UNREADABLE;
	return worst == LEVEL_WARNING ? CMD_EXIT_PARTIAL : CMD_EXIT_OK;
}

static int check_run(const struct cmd *cmd, int argc, char **argv)
{
	gboolean as_json = FALSE;
	const GOptionEntry entries[] = {
		{ "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON instead of text", NULL },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};

	if (!cmd_parse(cmd, entries, NULL, &argc, &argv))
		return CMD_EXIT_USAGE;
	if (argc < 2) {
		cmd_error(cmd, "no recording to check (see 'kfdscope check --help')");
		return CMD_EXIT_USAGE;
	}
	return check_all(cmd, argc - 1, argv + 1, as_json);
}

const struct cmd cmd_check = {
	.name = "check",
	.args = "RECORDING…",
	.summary = "Say whether Trace Compass and the reports can open a recording",
	.description = "Exit status 0: yes; 3: yes, but something will be missing; 4: no. "
		       "Programs whose\n"
		       "thunk is linked in statically, or stayed in place, are named, with what "
		       "reports lack.\n\n"
		       "Example:\n"
		       "  kfdscope check /tmp/trace\n",
	.run = check_run,
};
