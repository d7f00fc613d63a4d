/* SPDX-License-Identifier: MIT */
/* The call profile as text and JSON (chains_report.h). */
#include "output/chains_report.h"

#include "model/guests.h"
#include "output/text.h"

#define CHAINS_SCHEMA  "kfdscope.chains"
#define CHAINS_VERSION "1.1"

static const char *const layer_titles[LAYER_COUNT] = { [LAYER_HIP] = "HIP CALLS",
						       [LAYER_HSA] = "HSA CALLS",
						       [LAYER_GUEST] = "GUEST LIBRARY CALLS",
						       [LAYER_COMMAND] = "WAITS FOR THE HOST",
						       [LAYER_HOST] = "WORK FOR GUESTS",
						       [LAYER_API] = "LIBRARY CALLS",
						       [LAYER_IOCTL] = "IOCTLS",
						       [LAYER_OS] = "SYSTEM CALLS" };

static void cell(GString *text, int64_t duration_ns)
{
	GString *value = g_string_new(NULL);

	text_duration(value, duration_ns);
	g_string_append_printf(text, " %11s", value->str);
	g_string_free(value, TRUE);
}

static void row_text(GString *text, const struct chain_row *row)
{
	const struct latency *latency = &row->latency;

	g_string_append_printf(text, "%9" G_GUINT64_FORMAT, latency->count);
	cell(text, latency->total_ns);
	cell(text, latency->self_ns);
	cell(text, latency->min_ns);
	cell(text, latency_quantile(latency, 500));
	cell(text, latency_quantile(latency, 990));
	cell(text, latency->max_ns);
	g_string_append_printf(text, "  %s", row->type->name);
	if (row->failed)
		g_string_append_printf(text, " (%" G_GUINT64_FORMAT " failed)", row->failed);
	g_string_append_c(text, '\n');
}

static void table_text(GString *text, const struct chains_report *report, enum layer layer)
{
	struct latency hidden = { 0 };
	guint shown = 0, more = 0;

	for (guint i = 0; i < report->rows->len; i++) {
		const struct chain_row *row = g_ptr_array_index(report->rows, i);

		if (row->type->layer != layer || row->latency.count == 0)
			continue;
		if (shown == 0)
			g_string_append_printf(text, "%s\n%9s %11s %11s %11s %11s %11s %11s\n",
					       layer_titles[layer], "count", "total", "self", "min",
					       "median", "p99", "max");
		if (report->top && shown >= report->top) {
			latency_merge(&hidden, &row->latency);
			more++;
			continue;
		}
		row_text(text, row);
		shown++;
	}
	if (more) {
		g_string_append(text, "and ");
		text_count(text, hidden.count, "call of ", "calls of ");
		text_duration(text, hidden.total_ns);
		g_string_append_printf(text, " in %u other %s\n", more,
				       more == 1 ? "function" : "functions");
	}
	if (shown)
		g_string_append_c(text, '\n');
	latency_fini(&hidden);
}

static void node_text(GString *text, const struct chains_report *report,
		      const struct chain_node *node, int depth)
{
	guint shown = report->top ? MIN(report->top, node->children->len) : node->children->len;
	struct latency hidden = { 0 };

	for (guint i = 0; i < shown; i++) {
		const struct chain_node *child = g_ptr_array_index(node->children, i);
		GString *cost = g_string_new(NULL);

		text_duration(cost, child->latency.total_ns);
		g_string_append_printf(text, "%9" G_GUINT64_FORMAT " %s %11s  %*s%-6s %s",
				       child->latency.count,
				       child->latency.count == 1 ? "call, " : "calls,", cost->str,
				       2 * depth, "", child->layer, child->name);
		if (child->failed)
			g_string_append_printf(text, " (%" G_GUINT64_FORMAT " failed)",
					       child->failed);
		g_string_append_c(text, '\n');
		g_string_free(cost, TRUE);
		node_text(text, report, child, depth + 1);
	}
	for (guint i = shown; i < node->children->len; i++) {
		const struct chain_node *child = g_ptr_array_index(node->children, i);

		latency_merge(&hidden, &child->latency);
	}
	if (shown < node->children->len) {
		g_string_append_printf(text, "%9" G_GUINT64_FORMAT " %s", hidden.count,
				       hidden.count == 1 ? "call, " : "calls,");
		cell(text, hidden.total_ns);
		g_string_append_printf(text, "  %*sin %u other %s\n", 2 * depth, "",
				       node->children->len - shown,
				       node->children->len - shown == 1 ? "place" : "places");
	}
	latency_fini(&hidden);
}

static void guests_text(GString *text, const struct chains_report *report)
{
	const GPtrArray *rows = model_guest_rows(report->model);
	uint64_t unjoined = 0;

	for (guint i = 0; i < rows->len; i++) {
		const struct guest_row *row = g_ptr_array_index(rows, i);

		if (i == 0)
			g_string_append_printf(
				text, "GUEST COMMANDS\n%9s %11s %11s %11s %11s %11s\n", "commands",
				"total", "guest", "transport", "host", "kernel");
		g_string_append_printf(text, "%9" G_GUINT64_FORMAT, row->commands);
		cell(text, row->total_ns);
		cell(text, row->guest_ns);
		cell(text, row->transport_ns);
		cell(text, row->host_ns);
		cell(text, row->kernel_ns);
		g_string_append_printf(text, "  %s\n", row->type->name);
		unjoined += row->unjoined;
	}
	if (unjoined)
		g_string_append_printf(text,
				       "The host's side of %" G_GUINT64_FORMAT
				       " %s was not recorded: transport is all of the "
				       "waiting.\n",
				       unjoined, unjoined == 1 ? "command" : "commands");
	if (rows->len)
		g_string_append_c(text, '\n');
}

static json_t *guests_json(const struct chains_report *report)
{
	const GPtrArray *rows = model_guest_rows(report->model);
	json_t *json = json_array();

	for (guint i = 0; i < rows->len; i++) {
		const struct guest_row *row = g_ptr_array_index(rows, i);

		json_array_append_new(
			json,
			json_pack("{ss sI sI sI sI sI sI sI sI sI}", "function", row->type->name,
				  "calls", (json_int_t)row->calls, "commands",
				  (json_int_t)row->commands, "unjoined", (json_int_t)row->unjoined,
				  "total_ns", (json_int_t)row->total_ns, "guest_ns",
				  (json_int_t)row->guest_ns, "transport_ns",
				  (json_int_t)row->transport_ns, "outbound_ns",
				  (json_int_t)row->outbound_ns, "host_ns", (json_int_t)row->host_ns,
				  "kernel_ns", (json_int_t)row->kernel_ns));
	}
	return json;
}

/* The layers of which functions in the tree were not recorded, but read off stacks. */
static void find_stacked(const struct chain_node *node, bool *hip, bool *hsa)
{
	if (!node->type && node->layer) {
		*hip |= strcmp(node->layer, "hip") == 0;
		*hsa |= strcmp(node->layer, "hsa") == 0;
	}
	for (guint i = 0; i < node->children->len; i++)
		find_stacked(g_ptr_array_index(node->children, i), hip, hsa);
}

static void note_stacks(GString *text, const struct chain_node *tree)
{
	bool hip = false, hsa = false;

	find_stacked(tree, &hip, &hsa);
	if (hip || hsa)
		g_string_append_printf(
			text,
			"\nFunctions of the %s known from stacks: their counts and times are "
			"those of the thunk calls below them.\n",
			hip && hsa ? "hip and hsa layers are"
			: hip      ? "hip layer are"
				   : "hsa layer are");
}

void chains_text(GString *text, const struct chains_report *report,
		 const struct report_notes *notes)
{
	bool exact = true;

	header_text(text, "CALLS AND WHAT THEY COST", report->model, notes);
	for (guint i = 0; i < report->rows->len; i++) {
		const struct chain_row *row = g_ptr_array_index(report->rows, i);

		exact &= latency_is_exact(&row->latency);
	}
	if (report->rows->len == 0)
		g_string_append(text, "No call was recorded.\n");
	guests_text(text, report);
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		table_text(text, report, (enum layer)layer);
	if (report->rows->len) {
		g_string_append(text, "CALL PATHS\n");
		node_text(text, report, report->tree, 0);
		note_stacks(text, report->tree);
	}
	if (!exact)
		g_string_append_printf(text,
				       "\nMedian and p99 of more than %u calls are within 3 %%.\n",
				       LATENCY_EXACT);
}

static json_t *latency_json(const struct latency *latency)
{
	return json_pack("{sI sI sI sI sI sI sI sb}", "count", (json_int_t)latency->count,
			 "total_ns", (json_int_t)latency->total_ns, "self_ns",
			 (json_int_t)latency->self_ns, "min_ns", (json_int_t)latency->min_ns,
			 "median_ns", (json_int_t)latency_quantile(latency, 500), "p99_ns",
			 (json_int_t)latency_quantile(latency, 990), "max_ns",
			 (json_int_t)latency->max_ns, "exact", latency_is_exact(latency));
}

static json_t *node_json(const struct chain_node *node)
{
	json_t *json = latency_json(&node->latency), *children = json_array();

	json_object_set_new(json, "name", json_string(node->name));
	json_object_set_new(json, "layer", json_string(node->layer));
	json_object_set_new(json, "measured", json_boolean(node->type != NULL));
	json_object_set_new(json, "failed", json_integer((json_int_t)node->failed));
	json_object_set_new(json, "cut", json_integer((json_int_t)node->cut));
	for (guint i = 0; i < node->children->len; i++)
		json_array_append_new(children, node_json(g_ptr_array_index(node->children, i)));
	json_object_set_new(json, "children", children);
	return json;
}

json_t *chains_json(const struct chains_report *report, const struct report_notes *notes)
{
	static const char *const layers[LAYER_COUNT] = {
		[LAYER_HIP] = "hip",         [LAYER_HSA] = "hsa",   [LAYER_GUEST] = "guest",
		[LAYER_COMMAND] = "command", [LAYER_HOST] = "host", [LAYER_API] = "api",
		[LAYER_IOCTL] = "ioctl",     [LAYER_OS] = "system"
	};
	json_t *json = header_json(CHAINS_SCHEMA, CHAINS_VERSION, report->model, notes);
	json_t *calls = json_array(), *paths = json_array();

	for (guint i = 0; i < report->rows->len; i++) {
		const struct chain_row *row = g_ptr_array_index(report->rows, i);
		json_t *item = latency_json(&row->latency);

		json_object_set_new(item, "name", json_string(row->type->name));
		json_object_set_new(item, "layer", json_string(layers[row->type->layer]));
		json_object_set_new(item, "failed", json_integer((json_int_t)row->failed));
		json_object_set_new(item, "cut", json_integer((json_int_t)row->cut));
		if (row->type->layer == LAYER_API)
			json_object_set_new(item, "kernel_ns",
					    json_integer((json_int_t)row->ioctl_ns));
		json_array_append_new(calls, item);
	}
	for (guint i = 0; i < report->tree->children->len; i++)
		json_array_append_new(paths,
				      node_json(g_ptr_array_index(report->tree->children, i)));
	if (model_guest_rows(report->model)->len)
		json_object_set_new(json, "commands", guests_json(report));
	json_object_set_new(json, "calls", calls);
	json_object_set_new(json, "paths", paths);
	json_object_set_new(json, "cut_calls", json_integer((json_int_t)report->cut));
	return json;
}
