/* SPDX-License-Identifier: MIT */
/* Start-ups as text (startup_report.h). */
#include <string.h>

#include "output/startup_report.h"
#include "output/text.h"

/* Names of the JSON form, and what they are for readers. */
struct wording {
	const char *name, *words;
};

static const struct wording phases[] = {
	{ "opening", "opening the driver and render nodes" },
	{ "files", "reading the topology and other files" },
	{ "setup", "setting devices up (ioctls, libdrm)" },
	{ "memory", "mapping memory (ioctls, system calls)" },
	{ "library", "in the library itself" },
	{ "program", "in the program and its runtimes" },
};

static const struct wording firsts[] = {
	{ "open", "the driver was open" },
	{ "topology", "the topology was known" },
	{ "apertures", "the apertures were known" },
	{ "allocation", "the first memory was allocated" },
	{ "map", "the first memory was mapped to a GPU" },
	{ "event", "the first event was there" },
	{ "queue", "the first queue was there" },
};

static const struct wording slow[] = {
	{ "opening", "OPENING" },
	{ "setup", "SETTING UP" },
	{ "files", "READING FILES" },
	{ "library", "THE LIBRARY" },
};

static const struct wording ends[] = {
	{ "queue", "until its first queue was there" },
	{ "map", "until its first memory was mapped (it made no queue)" },
	{ "close", "until it closed the driver (it mapped no memory)" },
	{ "end of recording", "until the end of the recording (it mapped no memory)" },
	{ "refusal", "until it was refused" },
};

static const char *words_of(const struct wording *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].words;
	return name;
}

#define WORDS(list, json, name) words_of(list, G_N_ELEMENTS(list), document_string(json, name))

static void cell(GString *text, int64_t duration_ns)
{
	GString *value = g_string_new(NULL);

	text_duration(value, duration_ns);
	g_string_append_printf(text, " %10s", value->str);
	g_string_free(value, TRUE);
}

static void phases_text(GString *text, const json_t *startup)
{
	const json_t *list = json_object_get(startup, "phases"), *item;
	const json_t *files = json_object_get(startup, "files");
	size_t i;

	json_array_foreach(list, i, item)
	{
		int64_t permille = document_int(item, "permille");

		cell(text, document_int(item, "total_ns"));
		g_string_append_printf(text, " %3" G_GINT64_FORMAT ".%" G_GINT64_FORMAT " %%  %s",
				       permille / 10, permille % 10, WORDS(phases, item, "name"));
		if (strcmp(document_string(item, "name"), "files") == 0 && json_is_object(files)) {
			g_string_append(text, ": ");
			text_count(text, (uint64_t)document_int(files, "files"), "file", "files");
			g_string_append(text, ", ");
			text_bytes(text, (uint64_t)document_int(files, "bytes"));
			if (document_int(files, "failed"))
				g_string_append_printf(text, ", %" G_GINT64_FORMAT " not there",
						       document_int(files, "failed"));
		} else if (strcmp(document_string(item, "name"), "files") == 0) {
			g_string_append(text, ": not recorded");
		}
		g_string_append_c(text, '\n');
	}
	if (document_int(startup, "threads") > 1)
		g_string_append_printf(text,
				       "    %" G_GINT64_FORMAT
				       " threads made calls, so that these times may overlap\n",
				       document_int(startup, "threads"));
}

static void firsts_text(GString *text, const json_t *startup)
{
	const json_t *list = json_object_get(startup, "firsts"), *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		g_string_append(text, "    after ");
		text_duration(text, document_int(item, "after_ns"));
		g_string_append_printf(text, " %s\n", WORDS(firsts, item, "name"));
	}
}

static void names_text(GString *text, const json_t *node)
{
	static const struct wording keys[] = { { "gpu_id", "gpu " },
					       { "render_minor", "renderD" },
					       { "topology_node", "topology node " } };
	const char *separator = "";

	if (json_object_get(node, "node_id"))
		g_string_append_printf(text, "  node %" G_GINT64_FORMAT " (",
				       document_int(node, "node_id"));
	else
		g_string_append(text, "  a node that is not shown (");
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (!json_object_get(node, keys[i].name))
			continue;
		g_string_append_printf(text, "%s%s%" G_GINT64_FORMAT, separator, keys[i].words,
				       document_int(node, keys[i].name));
		separator = ", ";
	}
	g_string_append_c(text, ')');
}

static void nodes_text(GString *text, const json_t *startup, const struct document *document)
{
	static const char *const columns[] = { "total_ns", "files_ns",  "open_ns",
					       "ioctl_ns", "libdrm_ns", "library_ns" };
	const json_t *nodes = json_object_get(startup, "nodes");

	if (json_array_size(nodes) == 0)
		return;
	g_string_append_printf(text, " %10s %10s %10s %10s %10s %10s  %5s\n", "total", "files",
			       "opening", "ioctls", "libdrm", "library", "files");
	for (size_t i = 0; i < document_shown(document, nodes); i++) {
		const json_t *node = json_array_get(nodes, i);

		for (size_t j = 0; j < G_N_ELEMENTS(columns); j++)
			cell(text, document_int(node, columns[j]));
		g_string_append_printf(text, "  %5" G_GINT64_FORMAT, document_int(node, "files"));
		names_text(text, node);
		if (json_object_get(node, "slow_in"))
			g_string_append_printf(text, ": SLOW IN %s", WORDS(slow, node, "slow_in"));
		g_string_append_c(text, '\n');
	}
	document_more(text, document, nodes, "nodes");
}

static void calls_text(GString *text, const json_t *startup, const struct document *document)
{
	const json_t *calls = json_object_get(startup, "calls");

	if (json_array_size(calls) == 0)
		return;
	g_string_append_printf(text, "%8s %10s %10s %10s\n", "count", "total", "self", "max");
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *call = json_array_get(calls, i);

		g_string_append_printf(text, "%8" G_GINT64_FORMAT, document_int(call, "count"));
		cell(text, document_int(call, "total_ns"));
		cell(text, document_int(call, "self_ns"));
		cell(text, document_int(call, "max_ns"));
		g_string_append_printf(text, "  %-6s %s", document_string(call, "layer"),
				       document_string(call, "name"));
		if (document_int(call, "failed"))
			g_string_append_printf(text, " (%" G_GINT64_FORMAT " failed)",
					       document_int(call, "failed"));
		g_string_append_c(text, '\n');
	}
	(void)document;
}

static void one_text(GString *text, const json_t *startup, const struct document *document)
{
	g_string_append_printf(text, "%s, start-up %" G_GINT64_FORMAT ": ",
			       document_string(startup, "process"),
			       document_int(startup, "number"));
	text_duration(text, document_int(startup, "duration_ns"));
	g_string_append_printf(text, " %s", WORDS(ends, startup, "ended_by"));
	if (json_object_get(startup, "status")) {
		g_string_append(text, " (");
		document_status(text, startup);
		g_string_append_c(text, ')');
	}
	g_string_append(text, ", begun at ");
	document_moment(text, document, startup, "begin_ns");
	if (json_object_get(startup, "inside"))
		g_string_append_printf(text, " inside %s", document_string(startup, "inside"));
	document_caller(text, startup);
	g_string_append_c(text, '\n');
	document_doubt(text, startup);
	phases_text(text, startup);
	firsts_text(text, startup);
	nodes_text(text, startup, document);
	calls_text(text, startup, document);
	g_string_append_c(text, '\n');
}

/* The numbers by which other tools know it, too. */
static void hidden_text(GString *text, const json_t *node, const struct document *document)
{
	const uint32_t location = (uint32_t)document_int(node, "location_id");

	(void)document;
	g_string_append_printf(
		text,
		"topology node %" G_GINT64_FORMAT " (gpu %" G_GINT64_FORMAT
		", %04x:%02x:%02x.%x, renderD%" G_GINT64_FORMAT "): %s; from %s\n",
		document_int(node, "topology_node"), document_int(node, "gpu_id"),
		(unsigned int)document_int(node, "domain"), location >> 8 & 0xFF,
		location >> 3 & 0x1F, location & 7, document_int(node, "render_minor"),
		document_string(node, "errno_name"), document_string(node, "process"));
}

static void message_text(GString *text, const json_t *message, const struct document *document)
{
	g_string_append_printf(text, "%s at ", document_string(message, "level"));
	document_moment(text, document, message, "time_ns");
	g_string_append_printf(text, ": %s; %s", document_string(message, "text"),
			       document_string(message, "process"));
	if (document_int(message, "count") > 1)
		g_string_append_printf(text, ", %" G_GINT64_FORMAT " times",
				       document_int(message, "count"));
	g_string_append_c(text, '\n');
}

void startup_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *startups = json_object_get(json, "startups"), *item;
	const json_t *missed = json_object_get(json, "not_recorded");
	size_t i;

	document_header(text, "START-UPS", document);
	if (json_array_size(startups) == 0 && json_array_size(missed) == 0)
		g_string_append(text, "No program opened the driver.\n");
	for (i = 0; i < document_shown(document, startups); i++)
		one_text(text, json_array_get(startups, i), document);
	document_more(text, document, startups, "start-ups");
	json_array_foreach(missed, i, item)
	{
		g_string_append_printf(text,
				       "%s had the driver open when the recording began, or its "
				       "opening is not recorded: nothing is known of its start.\n",
				       document_string(item, "process"));
	}
	document_section(text, json, "hidden_nodes", "GPUS HIDDEN FROM THE PROGRAM", "GPUs",
			 document, hidden_text);
	document_section(text, json, "messages", "THE LIBRARY'S MESSAGES", "messages", document,
			 message_text);
	if (document_int(json, "messages_beyond"))
		g_string_append_printf(text,
				       "and %" G_GINT64_FORMAT " more messages are not kept\n",
				       document_int(json, "messages_beyond"));
}
