/* SPDX-License-Identifier: MIT */
/* The reports behind one interface (report.h): a table with a row for each kind. */
#include "output/report.h"

#include <errno.h>
#include <string.h>

#include "output/allocs_report.h"
#include "output/chains_report.h"
#include "output/documents.h"
#include "output/file.h"
#include "output/flames.h"
#include "output/html_report.h"
#include "output/json_write.h"
#include "output/leaks_text.h"
#include "output/perfetto.h"
#include "output/stack_json.h"
#include "output/text.h"
#include "output/window.h"

struct report {
	const struct report_ops *ops;
	struct model *model;
	struct report_options options; /* strings are owned */
	struct out_file file;
	void *watcher; /* what ops->watch returned */
	bool findings;
};

struct report_ops {
	const char *name;
	/* Starts watching, NULL with errno on failure; no function: the model's end state is enough. */
	void *(*watch)(struct report *report);
	/* Writes to file.stream. @return 0 or -errno. */
	int (*write)(struct report *report, const struct report_notes *notes);
	void (*unwatch)(void *watcher);
	const struct document_kind *document; /* instead of the three above */
};

static bool wants_json(const struct report *report)
{
	return report->options.format == REPORT_JSON || report->options.format == REPORT_SPEEDSCOPE;
}

/* Writes text, or JSON (taken over) when that was asked for. */
static int write_result(struct report *report, GString *text, json_t *json)
{
	int error = 0;

	if (wants_json(report))
		error = json_write(json, report->file.stream, NULL, NULL);
	else
		error = text_write(text, report->file.stream);
	json_decref(json);
	g_string_free(text, TRUE);
	return error;
}

/* What a report is made from; document_fini() for what it owns. */
static struct document document_of(const struct report *report, const struct report_notes *notes)
{
	return (struct document){
		.model = report->model,
		.sym = sym_new(report->options.debug_dirs),
		.frames = frames_json_new(),
		.debug_dirs = report->options.debug_dirs,
		.notes = notes,
		.begin_ns = report->options.begin_ns,
		.end_ns = report->options.end_ns,
		.top = report->options.top,
	};
}

static void document_fini(const struct document *document)
{
	frames_json_free(document->frames);
	sym_free(document->sym);
}

static int leaks_write(struct report *report, const struct report_notes *notes)
{
	const char *path = report->options.suppressions;
	char *problem = NULL;
	struct suppressions *suppressions = path ? suppressions_load(path, &problem) : NULL;
	const struct leaks_options options = {
		.suppressions = suppressions,
		.debug_dirs = report->options.debug_dirs,
		.begin_ns = report->options.begin_ns,
		.end_ns = report->options.end_ns,
		.top = report->options.top,
		.runtime = report->options.runtime,
	};
	struct leaks_report *leaks = leaks_report_new(report->model, &options);
	int error;

	report->findings = leaks_report_has_findings(leaks);
	if (report->options.format == REPORT_JSON) {
		json_t *json = leaks_json(leaks, notes);

		error = json_write(json, report->file.stream, leaks_entry_build, leaks);
		json_decref(json);
	} else {
		GString *text = g_string_new(NULL);

		leaks_text(text, leaks, notes);
		error = text_write(text, report->file.stream);
		g_string_free(text, TRUE);
	}
	leaks_report_free(leaks);
	suppressions_free(suppressions);
	g_free(problem); /* whoever named the file has checked it */
	return error;
}

static void *chains_watch(struct report *report)
{
	return chains_new(report->model);
}

static int flames_write(struct report *report)
{
	const char *debug_dirs = report->options.debug_dirs;
	enum flames_weight weight = FLAMES_TIME;
	GString *text = g_string_new(NULL);
	json_t *json = NULL;

	if (report->options.weight)
		(void)flames_weight_by_name(report->options.weight, &weight); /* checked by then */
	if (report->options.format == REPORT_FOLDED)
		flames_folded(text, report->watcher, debug_dirs, weight);
	else
		json = flames_speedscope(report->watcher, report->model, debug_dirs, weight);
	return write_result(report, text, json);
}

static int chains_write(struct report *report, const struct report_notes *notes)
{
	struct chains_report *chains;
	json_t *json = NULL;
	GString *text;

	if (report->options.format == REPORT_FOLDED || report->options.format == REPORT_SPEEDSCOPE)
		return flames_write(report);
	chains = chains_report_new(report->model, report->watcher, report->options.debug_dirs,
				   report->options.top);
	text = g_string_new(NULL);

	if (report->options.format == REPORT_JSON)
		json = chains_json(chains, notes);
	else
		chains_text(text, chains, notes);
	chains_report_free(chains);
	return write_result(report, text, json);
}

static void chains_unwatch(void *watcher)
{
	chains_free(watcher);
}

static void *perfetto_watch(struct report *report)
{
	return perfetto_new(report->model, report->file.stream, report->options.begin_ns,
			    report->options.end_ns, report->options.debug_dirs);
}

static int perfetto_write(struct report *report, const struct report_notes *notes)
{
	return perfetto_finish(report->watcher, notes);
}

static void perfetto_unwatch(void *watcher)
{
	perfetto_free(watcher);
}

static void *allocs_watch(struct report *report)
{
	struct allocs *allocs = allocs_new(report->model);

	for (size_t i = 0; i < G_N_ELEMENTS(report->options.moments_ns); i++)
		if (report->options.moments_ns[i])
			allocs_add_moment(allocs, report->options.moments_ns[i]);
	return allocs;
}

static int allocs_write(struct report *report, const struct report_notes *notes)
{
	const struct allocs_taker *taker = report->options.taker;
	const struct document document = document_of(report, notes);
	enum allocs_sort sort = ALLOCS_BY_BYTES;
	struct allocs_places *places;
	json_t *json;
	int error = 0;

	if (report->options.sort)
		(void)allocs_sort_by_name(report->options.sort, &sort); /* checked by then */
	places = allocs_take_places(report->watcher, &document, sort);
	json = allocs_json(report->watcher, &document, places);
	window_apply(json, &document);
	report->findings = document_int(json, "findings") > 0;
	if (taker)
		taker->take(taker->data, json, places);
	else if (wants_json(report))
		error = json_write(json, report->file.stream, allocs_place_build, places);
	else
		error = allocs_text(report->file.stream, json, &document, places);
	json_decref(json);
	allocs_places_free(places);
	document_fini(&document);
	return error;
}

static void allocs_unwatch(void *watcher)
{
	allocs_free(watcher);
}

static void *html_watch(struct report *report)
{
	return html_report_new(report->model);
}

static int html_write(struct report *report, const struct report_notes *notes)
{
	const struct document document = document_of(report, notes);
	json_t *json = html_report_json(report->watcher, &document);
	int error;

	document_fini(&document);
	report->findings = document_int(json, "findings") > 0;
	if (report->options.format == REPORT_JSON)
		error = html_report_write_json(report->watcher, json, report->file.stream);
	else
		error = html_report_write(report->watcher, json, report->file.stream);
	json_decref(json);
	return error;
}

static void html_unwatch(void *watcher)
{
	html_report_free(watcher);
}

static int document_write(struct report *report, const struct report_notes *notes)
{
	const struct document document = document_of(report, notes);
	const struct document_kind *kind = report->ops->document;
	json_t *json = kind->json(report->watcher, &document);
	GString *text = g_string_new(NULL);

	window_apply(json, &document);
	report->findings = document_int(json, "findings") > 0;
	if (report->options.format == REPORT_TEXT)
		kind->text(text, json, &document);
	document_fini(&document);
	return write_result(report, text, json);
}

static const struct report_ops kinds[] = {
	[REPORT_LEAKS] = { .name = "leaks", .write = leaks_write },
	[REPORT_CHAINS] = { .name = "chains",
			    .watch = chains_watch,
			    .write = chains_write,
			    .unwatch = chains_unwatch },
	[REPORT_PERFETTO] = { .name = "perfetto",
			      .watch = perfetto_watch,
			      .write = perfetto_write,
			      .unwatch = perfetto_unwatch },
	[REPORT_LATENCY] = { .name = "latency", .document = &document_latency },
	[REPORT_STARTUP] = { .name = "startup", .document = &document_startup },
	[REPORT_WAITS] = { .name = "waits", .document = &document_waits },
	[REPORT_QUEUES] = { .name = "queues", .document = &document_queues },
	[REPORT_ALLOCS] = { .name = "allocs",
			    .watch = allocs_watch,
			    .write = allocs_write,
			    .unwatch = allocs_unwatch },
	[REPORT_HTML] = { .name = "report",
			  .watch = html_watch,
			  .write = html_write,
			  .unwatch = html_unwatch },
	[REPORT_COUNTERS] = { .name = "counters", .document = &document_counters },
	[REPORT_FAULTS] = { .name = "faults", .document = &document_faults },
	[REPORT_SVM] = { .name = "svm", .document = &document_svm },
	[REPORT_CLOCKS] = { .name = "clocks", .document = &document_clocks },
	[REPORT_FAILURES] = { .name = "failures", .document = &document_failures },
};

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == REPORT_KIND_COUNT, "a row for each kind");

struct report *report_new(enum report_kind kind, struct model *model,
			  const struct report_options *options, int *error)
{
	struct report *report = g_new0(struct report, 1);

	report->ops = &kinds[kind];
	report->model = model;
	report->options = *options;
	report->options.output = g_strdup(options->output);
	report->options.debug_dirs = g_strdup(options->debug_dirs);
	report->options.sort = g_strdup(options->sort);
	report->options.suppressions = g_strdup(options->suppressions);
	report->options.weight = g_strdup(options->weight);
	*error = out_open(&report->file, options->output);
	if (*error) {
		report_free(report);
		return NULL;
	}
	model_limit(model, options->begin_ns, options->end_ns);
	if (report->ops->document)
		report->watcher = report->ops->document->watch(model);
	else if (report->ops->watch)
		report->watcher = report->ops->watch(report);
	if (!report->watcher && report->ops->watch) {
		*error = -errno;
		report_free(report);
		return NULL;
	}
	return report;
}

int report_finish(struct report *report, const struct report_notes *notes)
{
	int error = report->ops->document ? document_write(report, notes)
					  : report->ops->write(report, notes);

	if (error) {
		out_abandon(&report->file);
		return error;
	}
	return out_commit(&report->file);
}

bool report_has_findings(const struct report *report)
{
	return report->findings;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	if (report->watcher && report->ops->document)
		report->ops->document->unwatch(report->watcher);
	else if (report->watcher)
		report->ops->unwatch(report->watcher);
	out_abandon(&report->file);
	g_free((char *)report->options.output);
	g_free((char *)report->options.debug_dirs);
	g_free((char *)report->options.sort);
	g_free((char *)report->options.suppressions);
	g_free((char *)report->options.weight);
	g_free(report);
}
