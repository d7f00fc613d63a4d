/* SPDX-License-Identifier: MIT */
/* The one-file report: its data as JSON, and the page around them (html_report.h). */
#include "output/html_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/lanes.h"
#include "model/usages.h"
#include "output/documents.h"
#include "output/findings.h"
#include "output/json_write.h"
#include "output/leaks_text.h"
#include "output/page.h"
#include "output/stack_json.h"
#include "output/text.h"
#include "output/window.h"

#define REPORT_SCHEMA  "kfdscope.report"
#define REPORT_VERSION "1.1"

/* So many places are drawn by themselves; the rest is one area. */
#define SITES_SHOWN 12u

/* Reports that are part of the page as they are: section name and maker. */
static const struct {
	const char *section;
	const struct document_kind *kind;
} parts[] = {
	{ "failures", &document_failures }, { "waits", &document_waits },
	{ "queues", &document_queues },     { "counters", &document_counters },
	{ "faults", &document_faults },
};

struct html_report {
	struct usages *usages;               /* owned */
	struct lanes *lanes;                 /* owned */
	void *watchers[G_N_ELEMENTS(parts)]; /* owned */
	struct leaks_report *leaks;          /* owned; since html_report_json() */
};

struct html_report *html_report_new(struct model *model)
{
	struct html_report *report = g_new0(struct html_report, 1);

	report->usages = usages_new(model);
	usages_keep_series(report->usages);
	report->lanes = lanes_new(model);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		report->watchers[i] = parts[i].kind->watch(model);
	return report;
}

void html_report_free(struct html_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		parts[i].kind->unwatch(report->watchers[i]);
	usages_free(report->usages);
	lanes_free(report->lanes);
	leaks_report_free(report->leaks);
	g_free(report);
}

/* [[ns since the begin, value] …]: the highest and the last value of each point, in time order. */
static json_t *series_json(const struct series *series, int64_t begin_ns)
{
	json_t *list = json_array();

	for (guint i = 0; i < series_count(series); i++) {
		const struct series_point *point = series_point(series, i);

		if (point->peak_ns != point->last_ns || point->peak != point->last)
			json_array_append_new(
				list, json_pack("[II]", (json_int_t)(point->peak_ns - begin_ns),
						(json_int_t)point->peak));
		json_array_append_new(list,
				      json_pack("[II]", (json_int_t)(point->last_ns - begin_ns),
						(json_int_t)point->last));
	}
	return list;
}

static json_t *nodes_json(const struct process_usage *usage, int64_t begin_ns)
{
	json_t *list = json_array();

	for (guint i = 0; i < G_N_ELEMENTS(usage->nodes); i++) {
		const struct node *node = process_node(usage->process, i);
		json_t *item;

		if (series_count(&usage->nodes[i]) == 0)
			continue;
		item = json_pack("{so}", "points", series_json(&usage->nodes[i], begin_ns));
		if (i + 1 < G_N_ELEMENTS(usage->nodes))
			document_set_int(item, "node_id", i);
		document_set_text(item, "name", node ? node->name : NULL);
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *site_json(const struct document *document, const struct site_usage *usage,
			 int64_t begin_ns)
{
	const struct site *site = usage->site;
	const struct usage levels = usage_result(&site->usage, model_scope(document->model));
	const enum growth growth = site_growth(site);
	json_t *json = json_pack(
		"{ss ss sI sI sI ss so}", "kind", memory_kind_name(site->kind), "class",
		block_class_name(site->class), "peak_bytes", (json_int_t)levels.peak_bytes,
		"live_bytes", (json_int_t)levels.live_bytes, "taken", (json_int_t)site->taken_count,
		"growth", growth_name(growth), "points", series_json(&usage->series, begin_ns));

	document_set_text(json, "call", site->type ? site->type->name : NULL);
	document_set_text(json, "ioctl", site->ioctl ? site->ioctl->name : NULL);
	if (growth == GROWTH_GROWING)
		document_set_int(json, "slope_bytes_per_s", site_slope_bytes(site));
	if (site->node_id != UINT32_MAX)
		document_set_int(json, "node_id", site->node_id);
	document_set_stack(document, json, site->process, site->stack);
	return json;
}

static json_t *sites_json(const struct document *document, const struct process_usage *usage,
			  int64_t begin_ns)
{
	GPtrArray *sites = g_ptr_array_new();
	json_t *list = json_array();

	for (guint i = 0; i < usage->sites->len; i++) {
		struct site_usage *site = g_ptr_array_index(usage->sites, i);

		if (site && site_is_memory(site->site) &&
		    (site->site->taken_count ||
		     usage_result(&site->site->usage, model_scope(document->model)).peak_bytes))
			g_ptr_array_add(sites, site);
	}
	g_ptr_array_sort(sites, site_usage_compare);
	for (guint i = 0; i < sites->len && i < SITES_SHOWN; i++)
		json_array_append_new(list,
				      site_json(document, g_ptr_array_index(sites, i), begin_ns));
	g_ptr_array_free(sites, TRUE);
	return list;
}

static json_t *memory_json(const struct html_report *report, const struct document *document)
{
	const GPtrArray *processes = model_processes(document->model);
	const int64_t begin_ns = model_begin_ns(document->model);
	const struct scope *scope = model_scope(document->model);
	json_t *list = json_array();

	usages_finish(report->usages);
	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		const struct process_usage *usage = usages_process(report->usages, process);
		json_t *item;

		if (!usage)
			continue;
		item = json_pack(
			"{sI sI sI so so so so so}", "peak_bytes", (json_int_t)usage->peak_bytes,
			"peak_ns", (json_int_t)(usage->peak_ns - begin_ns), "reserved_peak_bytes",
			(json_int_t)usage_result(&process->memory->reserved, scope).peak_bytes,
			"total", series_json(&usage->total, begin_ns), "internal",
			series_json(&usage->internal, begin_ns), "registered",
			series_json(&usage->registered, begin_ns), "nodes",
			nodes_json(usage, begin_ns), "sites",
			sites_json(document, usage, begin_ns));
		document_set_process(item, process);
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *lane_json(const struct lane *lane, int64_t begin_ns)
{
	json_t *bars = json_array();
	json_t *json = json_pack("{sI so}", "id", (json_int_t)lane->id, "bars", bars);

	for (guint i = 0; i < lane->bars->len; i++) {
		const struct lane_bar *bar = &g_array_index(lane->bars, struct lane_bar, i);

		json_array_append_new(bars,
				      json_pack("[IIIb]", (json_int_t)(bar->begin_ns - begin_ns),
						(json_int_t)(bar->end_ns - begin_ns),
						(json_int_t)bar->count, bar->is_open));
	}
	if (lane->node_id != UINT32_MAX)
		document_set_int(json, "node_id", lane->node_id);
	document_set_text(json, "what", lane->what);
	document_set_process(json, lane->process);
	return json;
}

static json_t *lanes_json(const struct html_report *report, const struct document *document)
{
	json_t *json = json_object();

	for (int class = 0; class < LANE_CLASS_COUNT; class ++) {
		const GPtrArray *lanes = lanes_list(report->lanes, (enum lane_class) class);
		json_t *list = json_array();

		for (guint i = 0; i < lanes->len; i++)
			json_array_append_new(list, lane_json(g_ptr_array_index(lanes, i),
							      model_begin_ns(document->model)));
		json_object_set_new(json, lane_class_name((enum lane_class) class),
				    json_pack("{so sI}", "lanes", list, "not_shown",
					      (json_int_t)lanes_dropped(report->lanes,
									(enum lane_class) class)));
	}
	return json;
}

json_t *html_report_json(struct html_report *report, const struct document *document)
{
	const struct leaks_options options = { .debug_dirs = document->debug_dirs,
					       .begin_ns = document->begin_ns,
					       .end_ns = document->end_ns };
	json_t *json = header_json(REPORT_SCHEMA, REPORT_VERSION, document->model, document->notes);
	json_t *findings;

	report->leaks = leaks_report_new(document->model, &options);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		json_object_set_new(json, parts[i].section,
				    parts[i].kind->json(report->watchers[i], document));
	window_apply(json, document); /* before what is left is told */
	findings = findings_json(document, report->leaks, json);
	document_set_int(json, "findings", findings_count(findings));
	json_object_set_new(json, "summary", findings);
	json_object_set_new(json, "leaks", leaks_json(report->leaks, document->notes));
	json_object_set_new(json, "memory", memory_json(report, document));
	json_object_set_new(json, "lanes", lanes_json(report, document));
	return json;
}

int html_report_write_json(struct html_report *report, const json_t *json, FILE *stream)
{
	return json_write(json, stream, leaks_entry_build, report->leaks);
}

static void write_part(const struct page_part *part, FILE *stream)
{
	fwrite(part->begin, 1, (size_t)(part->end - part->begin), stream);
}

/* Inside <script> nothing may look like a tag; in JSON, '<' stands in strings only. */
static ssize_t write_escaped(void *data, const char *text, size_t size)
{
	FILE *stream = data;
	const char *const end = text + size;

	while (text < end) {
		const char *tag = memchr(text, '<', (size_t)(end - text));
		const char *until = tag ? tag : end;

		fwrite(text, 1, (size_t)(until - text), stream);
		if (tag)
			fputs("\\u003c", stream);
		text = until + (tag ? 1 : 0);
	}
	return ferror(stream) ? 0 : (ssize_t)size;
}

static int write_data(struct html_report *report, const json_t *json, FILE *stream)
{
	FILE *escaped = fopencookie(stream, "w", (cookie_io_functions_t){ .write = write_escaped });
	int error;

	if (!escaped)
		return -errno;
	error = html_report_write_json(report, json, escaped);
	if (fclose(escaped) != 0 && !error)
		error = -errno;
	return error;
}

int html_report_write(struct html_report *report, const json_t *json, FILE *stream)
{
	static const struct {
		const char *name;
		const struct page_part *part; /* NULL: the data */
	} marks[] = {
		{ "@CHART_STYLE@", &page_chart_style },
		{ "@STYLE@", &page_style },
		{ "@DATA@", NULL },
		{ "@CHART_SCRIPT@", &page_chart_script },
		{ "@SCRIPT@", &page_script },
	};
	const char *at = page_html.begin;
	int error = 0;

	errno = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(marks) && !error; i++) {
		const char *mark = g_strstr_len(at, page_html.end - at, marks[i].name);

		if (!mark)
			return -EINVAL;
		fwrite(at, 1, (size_t)(mark - at), stream);
		if (marks[i].part)
			write_part(marks[i].part, stream);
		else
			error = write_data(report, json, stream);
		at = mark + strlen(marks[i].name);
	}
	fwrite(at, 1, (size_t)(page_html.end - at), stream);
	if (!error && ferror(stream))
		error = errno ? -errno : -EIO;
	return error;
}
