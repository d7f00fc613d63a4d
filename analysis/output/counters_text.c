/* SPDX-License-Identifier: MIT */
/* Counter runs, refusals and overlaps in words (counters_report.h). */
#include "output/counters_report.h"
#include "output/text.h"

static void moment(GString *text, const struct document *document, const json_t *run,
		   const char *name, const char *word)
{
	if (!json_is_integer(json_object_get(run, name)))
		return;
	g_string_append_printf(text, ", %s ", word);
	document_moment(text, document, run, name);
}

static void values_text(GString *text, const json_t *run, const struct document *document)
{
	const json_t *values = json_object_get(run, "values");

	for (size_t i = 0; i < document_shown(document, values); i++) {
		const json_t *row = json_array_get(values, i);

		g_string_append_printf(text, "    query %" G_GINT64_FORMAT " at ",
				       document_int(row, "query"));
		document_moment(text, document, row, "time_ns");
		g_string_append_printf(text, ": %s %" G_GINT64_FORMAT " = %" G_GINT64_FORMAT "\n",
				       document_string(row, "block"), document_int(row, "id"),
				       document_int(row, "value"));
	}
	if (json_array_size(values)) {
		g_string_append(text, document_shown(document, values) < json_array_size(values)
					      ? "    "
					      : "");
		document_more(text, document, values, "values");
	}
}

static void buffer_text(GString *text, const json_t *buffer, const struct document *document)
{
	g_string_append_printf(text, "    buffer %" G_GINT64_FORMAT " set at ",
			       document_int(buffer, "buffer"));
	document_moment(text, document, buffer, "set_ns");
	if (json_is_null(json_object_get(buffer, "filled_bytes")))
		g_string_append(text, ": its filling was not told");
	else
		g_string_append_printf(text, ": %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes",
				       document_int(buffer, "filled_bytes"),
				       document_int(buffer, "size_bytes"));
	g_string_append_printf(
		text, "; timeout %" G_GINT64_FORMAT " ms, %" G_GINT64_FORMAT " left%s\n",
		document_int(buffer, "timeout_ms"), document_int(buffer, "remaining_ms"),
		json_is_true(json_object_get(buffer, "loss")) ? "; DATA LOST" : "");
}

static void spm_text(GString *text, const json_t *run, const struct document *document)
{
	const json_t *buffers = json_object_get(run, "buffers"), *loss;
	size_t i;

	g_string_append(text, "    ");
	text_count(text, (uint64_t)document_int(run, "buffer_count"), "buffer", "buffers");
	g_string_append_printf(text,
			       ", full / partial / empty "
			       "%" G_GINT64_FORMAT " / %" G_GINT64_FORMAT " / %" G_GINT64_FORMAT
			       "; ",
			       document_int(run, "full"), document_int(run, "partial"),
			       document_int(run, "empty"));
	text_count(text, (uint64_t)document_int(run, "loss_count"), "loss", "losses");
	if (json_object_get(run, "bytes_per_second"))
		g_string_append_printf(text, "; %.0f bytes a second",
				       json_number_value(json_object_get(run, "bytes_per_second")));
	g_string_append_c(text, '\n');
	json_array_foreach(json_object_get(run, "losses"), i, loss)
	{
		g_string_append(text, "    loss at ");
		document_moment(text, document, loss, "time_ns");
		g_string_append(text, ", ");
		text_duration(text, document_int(loss, "gap_ns"));
		g_string_append_printf(
			text, " after the buffer before was told (buffer %" G_GINT64_FORMAT ")\n",
			document_int(loss, "buffer"));
	}
	for (i = 0; i < document_shown(document, buffers); i++)
		buffer_text(text, json_array_get(buffers, i), document);
	if (document_shown(document, buffers) < json_array_size(buffers)) {
		g_string_append(text, "    ");
		document_more(text, document, buffers, "buffers");
	}
}

static void run_text(GString *text, const json_t *run, const struct document *document)
{
	bool is_pmc = g_str_equal(document_string(run, "kind"), "pmc");
	const json_t *item;
	size_t i;

	g_string_append_printf(text, "run %" G_GINT64_FORMAT " (%s)", document_int(run, "run"),
			       document_string(run, "kind"));
	if (json_object_get(run, "node_id"))
		g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
				       document_int(run, "node_id"));
	g_string_append_printf(text, " (gpu %" G_GINT64_FORMAT "), %s", document_int(run, "gpu_id"),
			       document_string(run, "process"));
	document_caller(text, run);
	g_string_append(text, "\n    ");
	text_count(text, (uint64_t)document_int(run, "queries"), "query", "queries");
	g_string_append(text, ", ");
	text_bytes(text, (uint64_t)document_int(run, "bytes"));
	moment(text, document, run, "registered_ns", "registered");
	moment(text, document, run, "acquired_ns", "acquired");
	moment(text, document, run, "started_ns", "started");
	moment(text, document, run, "stopped_ns", "stopped");
	moment(text, document, run, "released_ns", "released");
	moment(text, document, run, "unregistered_ns", "unregistered");
	g_string_append(text,
			json_is_true(json_object_get(run, "open")) ? "; NEVER RELEASED\n" : "\n");
	document_doubt(text, run);
	json_array_foreach(json_object_get(run, "counters"), i, item)
		g_string_append_printf(text, "    counter %s %" G_GINT64_FORMAT "\n",
				       document_string(item, "block"), document_int(item, "id"));
	json_array_foreach(json_object_get(run, "warnings"), i, item)
		g_string_append_printf(text, "    WARNING: %s\n", json_string_value(item));
	if (is_pmc)
		values_text(text, run, document);
	else
		spm_text(text, run, document);
}

static void refusal_text(GString *text, const json_t *refusal, const struct document *document)
{
	const json_t *holder = json_object_get(refusal, "held_by");

	g_string_append_printf(text, "%s", document_string(refusal, "call"));
	if (json_object_get(refusal, "node_id"))
		g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
				       document_int(refusal, "node_id"));
	g_string_append(text, " failed with ");
	document_status(text, refusal);
	g_string_append(text, " at ");
	document_moment(text, document, refusal, "time_ns");
	g_string_append_printf(text, ", %s", document_string(refusal, "process"));
	document_caller(text, refusal);
	g_string_append_c(text, '\n');
	if (holder) {
		g_string_append_printf(
			text, "    then held by run %" G_GINT64_FORMAT " of %s since ",
			document_int(holder, "run"), document_string(holder, "process"));
		document_moment(text, document, holder, "since_ns");
		g_string_append_c(text, '\n');
	}
	if (json_object_get(refusal, "perf_event_paranoid"))
		g_string_append_printf(
			text, "    the system's perf restriction level is %" G_GINT64_FORMAT "\n",
			document_int(refusal, "perf_event_paranoid"));
}

void counters_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *runs = json_object_get(json, "runs"), *item;
	const json_t *refusals = json_object_get(json, "refused");
	size_t i;

	document_header(text, "COUNTERS", document);
	if (json_array_size(runs) + json_array_size(refusals) == 0)
		g_string_append(text, "No counter was registered or streamed in this recording.\n");
	for (i = 0; i < document_shown(document, runs); i++)
		run_text(text, json_array_get(runs, i), document);
	document_more(text, document, runs, "runs");
	if (json_array_size(refusals))
		g_string_append(text, "\nREFUSED\n");
	for (i = 0; i < document_shown(document, refusals); i++)
		refusal_text(text, json_array_get(refusals, i), document);
	document_more(text, document, refusals, "refusals");
	if (json_array_size(json_object_get(json, "overlaps")))
		g_string_append(text, "\nOVERLAPPING RUNS\n");
	json_array_foreach(json_object_get(json, "overlaps"), i, item)
	{
		g_string_append_printf(text,
				       "runs %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
				       " both held node %" G_GINT64_FORMAT " from ",
				       document_int(item, "first_run"),
				       document_int(item, "second_run"),
				       document_int(item, "node_id"));
		document_moment(text, document, item, "begin_ns");
		g_string_append(text, " to ");
		document_moment(text, document, item, "end_ns");
		g_string_append(text, ", ");
		text_duration(text, document_int(item, "length_ns"));
		g_string_append_c(text, '\n');
	}
}
