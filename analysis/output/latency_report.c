/* SPDX-License-Identifier: MIT */
/* Latency tables and populations (latency_report.h). */
#include "output/latency_report.h"

#include <string.h>

#include "output/text.h"

#define LATENCY_SCHEMA  "kfdscope.latency"
#define LATENCY_VERSION "1.1"

/* A node is slow when a typical call with it takes so many times what most calls without it take. */
#define SLOW_FACTOR 4

/* In the text; all are in the JSON form. */
#define CALLERS_SHOWN 5u

static const char *const layer_names[LAYER_COUNT] = { [LAYER_HIP] = "hip",
						      [LAYER_HSA] = "hsa",
						      [LAYER_API] = "api",
						      [LAYER_IOCTL] = "ioctl",
						      [LAYER_OS] = "system" };

static json_t *numbers(const struct latency *latency)
{
	return json_pack("{sI sI sI sI sI sI sI sb}", "count", (json_int_t)latency->count,
			 "total_ns", (json_int_t)latency->total_ns, "self_ns",
			 (json_int_t)latency->self_ns, "min_ns", (json_int_t)latency->min_ns,
			 "median_ns", (json_int_t)latency_quantile(latency, 500), "p99_ns",
			 (json_int_t)latency_quantile(latency, 990), "max_ns",
			 (json_int_t)latency->max_ns, "exact", latency_is_exact(latency));
}

static json_t *inside_json(const struct cost *cost)
{
	json_t *list = json_array();

	for (guint i = 0; i < cost->inside->len; i++) {
		const struct cost_inside *inside =
			&g_array_index(cost->inside, struct cost_inside, i);
		int64_t total_ns = MAX(cost->latency.total_ns, 1);

		json_array_append_new(list,
				      json_pack("{ss ss sI sI sI}", "name", inside->type->name,
						"layer", layer_names[inside->type->layer], "count",
						(json_int_t)inside->count, "total_ns",
						(json_int_t)inside->total_ns, "permille",
						(json_int_t)(inside->total_ns * 1000 / total_ns)));
	}
	return list;
}

static bool has_node(const struct cost_nodes *nodes, uint32_t node_id)
{
	for (guint i = 0; i < nodes->ids->len; i++)
		if (g_array_index(nodes->ids, uint32_t, i) == node_id)
			return true;
	return false;
}

/* Compares calls that include a node with those that do not. */
static bool is_slow_node(const struct cost *cost, uint32_t node_id)
{
	struct latency with = { 0 }, without = { 0 };
	bool slow;

	for (guint i = 0; i < cost->nodes->len; i++) {
		const struct cost_nodes *nodes = &g_array_index(cost->nodes, struct cost_nodes, i);

		if (nodes->ids->len)
			latency_merge(has_node(nodes, node_id) ? &with : &without, &nodes->latency);
	}
	slow = with.count > 0 && without.count > 0 &&
	       latency_quantile(&with, 500) > SLOW_FACTOR * latency_quantile(&without, 900);
	latency_fini(&with);
	latency_fini(&without);
	return slow;
}

static json_t *slow_nodes_json(const struct cost *cost)
{
	GHashTable *seen = g_hash_table_new(NULL, NULL);
	json_t *list = json_array();

	for (guint i = 0; i < cost->nodes->len; i++) {
		const struct cost_nodes *nodes = &g_array_index(cost->nodes, struct cost_nodes, i);

		for (guint j = 0; j < nodes->ids->len; j++) {
			uint32_t node_id = g_array_index(nodes->ids, uint32_t, j);

			if (g_hash_table_add(seen, GUINT_TO_POINTER(node_id)) &&
			    is_slow_node(cost, node_id))
				json_array_append_new(list, json_integer(node_id));
		}
	}
	g_hash_table_destroy(seen);
	return list;
}

static json_t *nodes_json(const struct cost *cost)
{
	json_t *list = json_array();

	for (guint i = 0; i < cost->nodes->len; i++) {
		const struct cost_nodes *nodes = &g_array_index(cost->nodes, struct cost_nodes, i);
		json_t *json = numbers(&nodes->latency), *ids = json_array();

		for (guint j = 0; j < nodes->ids->len; j++)
			json_array_append_new(ids,
					      json_integer(g_array_index(nodes->ids, uint32_t, j)));
		json_object_set_new(json, "node_ids", ids);
		json_object_set_new(json, "other_sets", json_boolean(!nodes->nodes));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *statuses_json(const struct cost *cost)
{
	json_t *list = json_array();

	for (guint i = 0; i < cost->statuses->len; i++) {
		const struct cost_status *status =
			&g_array_index(cost->statuses, struct cost_status, i);
		json_t *json = numbers(&status->latency);

		if (cost->type->layer == LAYER_API)
			document_set_status(json, status->status);
		else
			document_set_int(json, "code", status->status);
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *threads_json(const struct cost *cost)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < COST_THREAD_STEPS; i++) {
		const struct latency *latency = &cost->by_threads[i];
		int64_t span_ns = cost->threads_last_ns[i] - cost->threads_first_ns[i];
		json_t *json;

		if (latency->count == 0)
			continue;
		json = numbers(latency);
		document_set_int(json, "threads_min", cost_step_threads(i));
		document_set_int(
			json, "calls_a_second",
			span_ns > 0 ? (uint64_t)((double)latency->count * 1e9 / (double)span_ns)
				    : 0);
		json_array_append_new(list, json);
	}
	return list;
}

static int compare_callers(const void *left, const void *right)
{
	const struct cost_caller *a = *(struct cost_caller *const *)left;
	const struct cost_caller *b = *(struct cost_caller *const *)right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static json_t *callers_json(const struct document *document, const struct cost *cost)
{
	GPtrArray *callers = g_ptr_array_new();
	json_t *list = json_array();
	GHashTableIter iter;
	void *caller;

	g_hash_table_iter_init(&iter, cost->callers);
	while (g_hash_table_iter_next(&iter, NULL, &caller))
		g_ptr_array_add(callers, caller);
	g_ptr_array_sort(callers, compare_callers);
	for (guint i = 0; i < callers->len && (!document->top || i < document->top); i++) {
		const struct cost_caller *item = g_ptr_array_index(callers, i);
		json_t *json =
			json_pack("{sI sI sI}", "count", (json_int_t)item->count, "failed",
				  (json_int_t)item->failed, "total_ns", (json_int_t)item->total_ns);

		document_set_stack(document, json, cost->process, item->stack);
		json_array_append_new(list, json);
	}
	g_ptr_array_free(callers, TRUE);
	return list;
}

static int compare_slow(const void *left, const void *right)
{
	const struct cost_slow *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns ? -1 : 1;
	return a->entry_ns < b->entry_ns ? -1 : a->entry_ns > b->entry_ns;
}

static json_t *slowest_json(const struct document *document, const struct cost *cost)
{
	json_t *list = json_array();

	g_array_sort(cost->slowest, compare_slow);
	for (guint i = 0; i < cost->slowest->len && (!document->top || i < document->top); i++) {
		const struct cost_slow *slow = &g_array_index(cost->slowest, struct cost_slow, i);
		json_t *json;

		json = json_pack("{sI sI sI sI ss}", "time_ns", (json_int_t)slow->entry_ns,
				 "duration_ns", (json_int_t)slow->duration_ns, "inside_ns",
				 (json_int_t)slow->inside_ns, "vtid", (json_int_t)slow->vtid,
				 "nodes", slow->nodes);
		document_set_stack(document, json, cost->process, slow->stack);
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *cost_json(const struct document *document, const struct cost *cost)
{
	json_t *json = numbers(&cost->latency);
	int64_t span_ns = cost->last_ns - cost->first_ns;

	document_set_process(json, cost->process);
	document_set_text(json, "hostname", cost->process->hostname);
	document_set_text(json, "name", cost->type->name);
	document_set_text(json, "layer", layer_names[cost->type->layer]);
	document_set_int(json, "failed", cost->failed);
	document_set_int(json, "cut", cost->cut);
	document_set_int(
		json, "calls_a_second",
		span_ns > 0 ? (uint64_t)((double)cost->latency.count * 1e9 / (double)span_ns) : 0);
	json_object_set_new(json, "inside", inside_json(cost));
	json_object_set_new(json, "by_nodes", nodes_json(cost));
	json_object_set_new(json, "slow_nodes", slow_nodes_json(cost));
	json_object_set_new(json, "by_status", statuses_json(cost));
	json_object_set_new(json, "by_threads", threads_json(cost));
	json_object_set_new(json, "callers", callers_json(document, cost));
	json_object_set_new(json, "slowest", slowest_json(document, cost));
	return json;
}

static int compare_costs(const void *left, const void *right)
{
	const struct cost *a = *(struct cost *const *)left, *b = *(struct cost *const *)right;

	if (a->type->layer != b->type->layer)
		return a->type->layer < b->type->layer ? -1 : 1;
	if (a->latency.total_ns != b->latency.total_ns)
		return a->latency.total_ns > b->latency.total_ns ? -1 : 1;
	return strcmp(a->type->name, b->type->name);
}

/* Sums over all processes, by layer: self time is what no layer below explains. */
static json_t *layers_json(const GPtrArray *list)
{
	json_t *layers = json_array();

	for (int layer = 0; layer < LAYER_COUNT; layer++) {
		struct latency sum = { 0 };

		for (guint i = 0; i < list->len; i++) {
			const struct cost *cost = g_ptr_array_index(list, i);

			if (cost->type->layer == (enum layer)layer)
				latency_merge(&sum, &cost->latency);
		}
		if (sum.count)
			json_array_append_new(layers, json_pack("{ss sI sI sI}", "layer",
								layer_names[layer], "count",
								(json_int_t)sum.count, "total_ns",
								(json_int_t)sum.total_ns, "self_ns",
								(json_int_t)sum.self_ns));
		latency_fini(&sum);
	}
	return layers;
}

json_t *latency_json(const struct costs *costs, const struct document *document)
{
	json_t *json =
		header_json(LATENCY_SCHEMA, LATENCY_VERSION, document->model, document->notes);
	GPtrArray *sorted = g_ptr_array_new();
	json_t *calls = json_array();

	for (guint i = 0; i < costs_list(costs)->len; i++)
		g_ptr_array_add(sorted, g_ptr_array_index(costs_list(costs), i));
	g_ptr_array_sort(sorted, compare_costs);
	for (guint i = 0; i < sorted->len; i++)
		json_array_append_new(calls, cost_json(document, g_ptr_array_index(sorted, i)));
	json_object_set_new(json, "findings", json_integer(0));
	json_object_set_new(json, "quantile_error_permille", json_integer(32));
	json_object_set_new(json, "layers", layers_json(sorted));
	json_object_set_new(json, "calls", calls);
	g_ptr_array_free(sorted, TRUE);
	return json;
}

static void cell(GString *text, int64_t duration_ns)
{
	GString *value = g_string_new(NULL);

	text_duration(value, duration_ns);
	g_string_append_printf(text, " %10s", value->str);
	g_string_free(value, TRUE);
}

static void row_text(GString *text, const json_t *json, const char *name)
{
	static const char *const columns[] = { "total_ns",  "self_ns", "min_ns",
					       "median_ns", "p99_ns",  "max_ns" };

	g_string_append_printf(text, "%8" G_GINT64_FORMAT, document_int(json, "count"));
	for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
		cell(text, document_int(json, columns[i]));
	g_string_append_printf(text, "  %s", name);
	if (document_int(json, "failed") > 0)
		g_string_append_printf(text, " (%" G_GINT64_FORMAT " failed)",
				       document_int(json, "failed"));
	g_string_append_c(text, '\n');
}

static void head_text(GString *text)
{
	g_string_append_printf(text, "%8s %10s %10s %10s %10s %10s %10s\n", "count", "total",
			       "self", "min", "median", "p99", "max");
}

static void inside_text(GString *text, const json_t *call)
{
	const json_t *list = json_object_get(call, "inside"), *item;

	for (size_t i = 0; i < json_array_size(list); i++) {
		item = json_array_get(list, i);
		g_string_append_printf(
			text, "    %" G_GINT64_FORMAT ".%" G_GINT64_FORMAT " %% inside ",
			document_int(item, "permille") / 10, document_int(item, "permille") % 10);
		g_string_append_printf(text, "%s (", document_string(item, "name"));
		text_count(text, (uint64_t)document_int(item, "count"), "time)\n", "times)\n");
	}
}

static void nodes_text_of(GString *text, const json_t *call)
{
	const json_t *list = json_object_get(call, "by_nodes");
	const json_t *slow = json_object_get(call, "slow_nodes");

	for (size_t i = 0; i < json_array_size(slow); i++)
		g_string_append_printf(text,
				       "    node %" JSON_INTEGER_FORMAT
				       " is slow: calls with it take at least %d times as long\n",
				       json_integer_value(json_array_get(slow, i)), SLOW_FACTOR);
	if (json_array_size(slow) == 0)
		return;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		const json_t *ids = json_object_get(item, "node_ids");
		GString *name = g_string_new("for nodes");

		for (size_t j = 0; j < json_array_size(ids); j++)
			g_string_append_printf(name, " %" JSON_INTEGER_FORMAT,
					       json_integer_value(json_array_get(ids, j)));
		row_text(text, item, name->str);
		g_string_free(name, TRUE);
	}
}

static void statuses_text(GString *text, const json_t *call)
{
	const json_t *list = json_object_get(call, "by_status");

	for (size_t i = 0; json_array_size(list) > 1 && i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		GString *name = g_string_new("answered ");

		if (json_object_get(item, "status"))
			document_status(name, item);
		else if (document_int(item, "code"))
			text_errno(name, (uint32_t)document_int(item, "code"));
		else
			g_string_append(name, "without an error");
		row_text(text, item, name->str);
		g_string_free(name, TRUE);
	}
}

/* Who called most; one caller needs no line, since the slowest call names it. */
static void callers_text(GString *text, const json_t *call)
{
	const json_t *list = json_object_get(call, "callers");

	for (size_t i = 0;
	     json_array_size(list) > 1 && i < MIN(json_array_size(list), CALLERS_SHOWN); i++) {
		const json_t *item = json_array_get(list, i);

		if (!json_is_object(json_object_get(item, "caller")))
			continue;
		g_string_append(text, "    ");
		text_count(text, (uint64_t)document_int(item, "count"), "call", "calls");
		if (document_int(item, "failed"))
			g_string_append_printf(text, " (%" G_GINT64_FORMAT " failed)",
					       document_int(item, "failed"));
		document_caller(text, item);
		g_string_append_c(text, '\n');
	}
}

static void threads_text(GString *text, const json_t *call)
{
	const json_t *list = json_object_get(call, "by_threads");

	for (size_t i = 0; json_array_size(list) > 1 && i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		char *name = g_strdup_printf(
			"from %" G_GINT64_FORMAT " or more threads at once, %" G_GINT64_FORMAT
			" a second",
			document_int(item, "threads_min"), document_int(item, "calls_a_second"));

		row_text(text, item, name);
		g_free(name);
	}
}

static void slowest_text(GString *text, const json_t *calls, const struct document *document)
{
	g_string_append(text, "\nSLOWEST CALLS\n");
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *call = json_array_get(calls, i);
		const json_t *slow = json_array_get(json_object_get(call, "slowest"), 0);

		if (!slow || strcmp(document_string(call, "layer"), "api") != 0)
			continue;
		g_string_append_printf(text, "%s took ", document_string(call, "name"));
		text_duration(text, document_int(slow, "duration_ns"));
		g_string_append(text, ", ");
		text_duration(text, document_int(slow, "inside_ns"));
		g_string_append(text, " of it inside other calls, at ");
		document_moment(text, document, slow, "time_ns");
		if (*document_string(slow, "nodes"))
			g_string_append_printf(text, ", nodes %s", document_string(slow, "nodes"));
		g_string_append_c(text, '\n');
		document_stack(text, 4, slow);
	}
}

void latency_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *calls = json_object_get(json, "calls");
	const char *layer = "", *process = "";
	size_t shown = 0, hidden = 0;

	document_header(text, "LATENCY", document);
	if (json_array_size(calls) == 0)
		g_string_append(text, "No call was recorded.\n");
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *call = json_array_get(calls, i);
		const char *its_layer = document_string(call, "layer");
		const char *its_process = document_string(call, "process");

		if (document_int(call, "count") == 0)
			continue;
		if (strcmp(layer, its_layer) != 0) {
			if (hidden)
				g_string_append_printf(text, "and %zu more\n", hidden);
			g_string_append_printf(text, "\n%s CALLS\n", its_layer);
			head_text(text);
			shown = hidden = 0;
			process = "";
		}
		layer = its_layer;
		if (document->top && shown >= document->top) {
			hidden++;
			continue;
		}
		if (strcmp(process, its_process) != 0)
			g_string_append_printf(text, "%s\n", its_process);
		process = its_process;
		row_text(text, call, document_string(call, "name"));
		inside_text(text, call);
		nodes_text_of(text, call);
		threads_text(text, call);
		statuses_text(text, call);
		callers_text(text, call);
		shown++;
	}
	if (hidden)
		g_string_append_printf(text, "and %zu more\n", hidden);
	slowest_text(text, calls, document);
	g_string_append_printf(text, "\nMedian and p99 of more than %u calls are within 3.2 %%.\n",
			       LATENCY_EXACT);
}
