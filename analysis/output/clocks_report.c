/* SPDX-License-Identifier: MIT */
/* Raw readings and what they say of each other (clocks_report.h). */
#include "output/clocks_report.h"

#include "output/text.h"

#define CLOCKS_SCHEMA  "kfdscope.clocks"
#define CLOCKS_VERSION "1.1"

/* What LTTng uses unless somebody has given it a clock plug-in. */
#define TRACE_CLOCK "CLOCK_MONOTONIC, shown as time since 1970"

static json_t *samples_json(const struct node_clocks *node)
{
	json_t *list = json_array();

	for (guint i = 0; i < node->samples->len; i++) {
		const struct clock_sample *sample =
			&g_array_index(node->samples, struct clock_sample, i);

		json_array_append_new(
			list,
			json_pack("{sI sI sI sI sI sI}", "entry_ns", (json_int_t)sample->entry_ns,
				  "exit_ns", (json_int_t)sample->exit_ns, "gpu",
				  (json_int_t)sample->gpu, "cpu", (json_int_t)sample->cpu, "system",
				  (json_int_t)sample->system, "system_frequency_hz",
				  (json_int_t)sample->frequency_hz));
	}
	return list;
}

static int64_t sample_time(const struct node_clocks *node, uint32_t index)
{
	return g_array_index(node->samples, struct clock_sample, index).exit_ns;
}

static json_t *node_json(const struct node_clocks *node, size_t *findings)
{
	json_t *json = json_pack("{sI so sI}", "node_id", (json_int_t)node->node_id, "readings",
				 samples_json(node), "more", (json_int_t)node->more);
	json_t *jumps = json_array(), *backs = json_array();

	document_set_process(json, node->process);
	if (node->gpu_hz > 0) {
		json_object_set_new(json, "gpu_hz", json_real(node->gpu_hz));
		document_set_int(json, "conversion_error_ns", (uint64_t)node->conversion_error_ns);
	} else {
		json_object_set_new(json, "gpu_hz", json_null());
	}
	for (guint i = 0; i < node->jumps->len; i++) {
		const struct clock_jump *jump = &g_array_index(node->jumps, struct clock_jump, i);

		json_array_append_new(jumps, json_pack("{sI sI sI}", "before_reading",
						       (json_int_t)jump->sample + 1, "time_ns",
						       (json_int_t)sample_time(node, jump->sample),
						       "jump_ns", (json_int_t)jump->jump_ns));
	}
	for (guint i = 0; i < node->backs->len; i++) {
		const struct clock_back *back = &g_array_index(node->backs, struct clock_back, i);

		json_array_append_new(backs,
				      json_pack("{ss sI sI sI}", "clock", back->name, "reading",
						(json_int_t)back->sample + 1, "time_ns",
						(json_int_t)sample_time(node, back->sample),
						"ticks", (json_int_t)back->by));
	}
	*findings += node->jumps->len + node->backs->len;
	json_object_set_new(json, "system_clock_jumps", jumps);
	json_object_set_new(json, "went_back", backs);
	return json;
}

json_t *clocks_json(const struct clocks *clocks, const struct document *document)
{
	json_t *json = header_json(CLOCKS_SCHEMA, CLOCKS_VERSION, document->model, document->notes);
	const GPtrArray *list = clocks_nodes(clocks);
	json_t *nodes = json_array();
	size_t findings = 0;

	for (guint i = 0; i < list->len; i++)
		json_array_append_new(nodes, node_json(g_ptr_array_index(list, i), &findings));
	document_set_int(json, "findings", findings);
	document_set_text(json, "trace_clock", TRACE_CLOCK);
	json_object_set_new(json, "nodes", nodes);
	return json;
}

static void node_text(GString *text, const json_t *node, const struct document *document)
{
	const json_t *readings = json_object_get(node, "readings"), *item;
	size_t i;

	g_string_append_printf(text,
			       "node %" G_GINT64_FORMAT ", %s: ", document_int(node, "node_id"),
			       document_string(node, "process"));
	text_count(text, json_array_size(readings) + (uint64_t)document_int(node, "more"),
		   "reading\n", "readings\n");
	if (json_is_real(json_object_get(node, "gpu_hz"))) {
		g_string_append_printf(text,
				       "    the GPU's clock ran at %.0f Hz by the CPU's; converted "
				       "to it, readings are off by at most ",
				       json_real_value(json_object_get(node, "gpu_hz")));
		text_duration(text, document_int(node, "conversion_error_ns"));
		g_string_append_c(text, '\n');
	}
	json_array_foreach(json_object_get(node, "system_clock_jumps"), i, item)
	{
		g_string_append_printf(
			text, "    THE SYSTEM CLOCK JUMPED before reading %" G_GINT64_FORMAT ", ",
			document_int(item, "before_reading"));
		document_moment(text, document, item, "time_ns");
		g_string_append(text, ": by ");
		text_duration(text, document_int(item, "jump_ns"));
		g_string_append(text, " against the CPU's (suspended, or set)\n");
	}
	json_array_foreach(json_object_get(node, "went_back"), i, item)
	{
		g_string_append_printf(text,
				       "    THE %s CLOCK WENT BACK by %" G_GINT64_FORMAT
				       " ticks at reading %" G_GINT64_FORMAT ", ",
				       document_string(item, "clock"), document_int(item, "ticks"),
				       document_int(item, "reading"));
		document_moment(text, document, item, "time_ns");
		g_string_append_c(text, '\n');
	}
	for (i = 0; i < document_shown(document, readings); i++) {
		item = json_array_get(readings, i);
		g_string_append(text, "    ");
		document_moment(text, document, item, "exit_ns");
		g_string_append_printf(text,
				       ": GPU %" G_GINT64_FORMAT ", CPU %" G_GINT64_FORMAT
				       ", system %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT " Hz\n",
				       document_int(item, "gpu"), document_int(item, "cpu"),
				       document_int(item, "system"),
				       document_int(item, "system_frequency_hz"));
	}
	document_more(text, document, readings, "readings");
}

void clocks_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *nodes = json_object_get(json, "nodes");

	document_header(text, "CLOCKS", document);
	g_string_append_printf(text, "Times of the recording are by %s.\n",
			       document_string(json, "trace_clock"));
	if (json_array_size(nodes) == 0)
		g_string_append(text, "The program read no clocks (hsaKmtGetClockCounters), so "
				      "that the GPU's cannot be compared with it.\n");
	for (size_t i = 0; i < document_shown(document, nodes); i++)
		node_text(text, json_array_get(nodes, i), document);
	document_more(text, document, nodes, "nodes");
}
