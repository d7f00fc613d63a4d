/* SPDX-License-Identifier: MIT */
/* Traces, graph, report and exit code (analyse.h). */
#include "cmds/analyse.h"

#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/copies.h"
#include "cmds/sources.h"
#include "input/discover.h"
#include "input/metadata.h"
#include "input/salvage.h"
#include "output/allocs_report.h"
#include "output/flames.h"
#include "output/folder.h"
#include "output/header.h"
#include "output/report.h"
#include "plugin/feed.h"
#include "plugin/timeline.h"

static volatile sig_atomic_t interrupted;

void analyse_interrupt(void)
{
	interrupted = 1;
}

struct analysis {
	const struct analyse_options *options;
	const char *program;
	GPtrArray *traces;     /* of char *, owned */
	GArray *salvages;      /* of struct salvage, owned: those that can be read */
	GArray *unreadable;    /* of struct salvage, owned: the others */
	struct copies *copies; /* owned */
	bool is_cut;           /* a live recording had not ended */
	struct report_notes notes;
	struct model *model;      /* owned */
	struct feed *feed;        /* owned */
	struct report *report;    /* owned */
	struct out_folder folder; /* of a derived trace */
	char *write_problem;      /* owned; NULL: it could be written */
	bool input_failed;        /* what a derived trace is made from */
	struct sources *sources;  /* owned; with the graph */
	GPtrArray *cuts;          /* of char *, owned: streams not read to their ends */
	enum feed_status status;
};

static void complain(const struct analysis *analysis, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void complain(const struct analysis *analysis, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", analysis->program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static void note(struct analysis *analysis, char *text)
{
	complain(analysis, "partial input: %s", text);
	g_ptr_array_add(analysis->notes.partial, text);
}

/* @return false when a live recording cannot be read. */
static bool copy_live(struct analysis *analysis)
{
	const struct analyse_options *options = analysis->options;
	guint before = analysis->notes.partial->len;
	char *problem;

	analysis->copies = copies_new(options->paths, options->path_count, &problem);
	if (!analysis->copies) {
		complain(analysis, "%s", problem);
		g_free(problem);
		return false;
	}
	copies_run(analysis->copies, &interrupted, analysis->notes.partial);
	if (interrupted)
		g_ptr_array_add(analysis->notes.partial,
				g_strdup("interrupted: this is what had been recorded by then"));
	for (guint i = before; i < analysis->notes.partial->len; i++)
		complain(analysis, "partial input: %s",
			 (char *)g_ptr_array_index(analysis->notes.partial, i));
	analysis->is_cut = analysis->notes.partial->len > before;
	interrupted = 0; /* what is copied is still to be read */
	return true;
}

/* What was named twice, or in and below a directory, is read once. */
static void drop_repeated(GPtrArray *traces)
{
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);

	for (guint i = 0; i < traces->len;) {
		char *path = realpath(g_ptr_array_index(traces, i), NULL);

		if (!path || g_hash_table_add(seen, path))
			i++;
		else
			g_ptr_array_remove_index(traces, i);
	}
	g_hash_table_destroy(seen);
}

static bool find_traces(struct analysis *analysis)
{
	const struct analyse_options *options = analysis->options;

	for (size_t i = 0; i < options->path_count; i++) {
		guint before = analysis->traces->len;
		const char *folder = copies_folder(analysis->copies, i);
		int error = discover_traces(folder ? folder : options->paths[i], analysis->traces);

		if (error)
			complain(analysis, "cannot open recording '%s': %s", options->paths[i],
				 strerror(-error));
		else if (analysis->traces->len == before && folder)
			complain(analysis, "'%s' has recorded no events", options->paths[i]);
		else if (analysis->traces->len == before)
			complain(analysis,
				 "'%s' holds no recording: there is no file 'metadata' in it or "
				 "below it",
				 options->paths[i]);
		if (error || analysis->traces->len == before)
			return false;
	}
	drop_repeated(analysis->traces);
	return true;
}

/* Checks the streams of each trace. @return the number of traces that can be read. */
static guint open_traces(struct analysis *analysis)
{
	for (guint i = 0; i < analysis->traces->len; i++) {
		struct salvage salvage;
		guint before = analysis->notes.partial->len;
		char *problem;

		if (salvage_open(&salvage, g_ptr_array_index(analysis->traces, i),
				 analysis->notes.partial, &problem)) {
			g_array_append_val(analysis->salvages, salvage);
			analysis->notes.bytes += discover_stream_bytes(salvage.trace);
		} else {
			g_array_append_val(analysis->unreadable, salvage);
			if (analysis->traces->len == 1)
				complain(analysis, "%s", problem);
			else
				note(analysis, g_strdup(problem));
			g_free(problem);
			before = analysis->notes.partial->len;
		}
		for (guint j = before; j < analysis->notes.partial->len; j++)
			complain(analysis, "partial input: %s",
				 (char *)g_ptr_array_index(analysis->notes.partial, j));
	}
	return analysis->salvages->len;
}

/* What a stream that cannot be read further had to say is missing from there on. */
static void note_cut(void *data, guint trace, const char *stream, int64_t last_ns, uint64_t packets,
		     const char *problem)
{
	struct analysis *analysis = data;
	struct salvage *salvage = &g_array_index(analysis->salvages, struct salvage, trace);
	char *when, *text;

	if (salvage_has_told(salvage, stream, packets))
		return;
	when = last_ns == INT64_MIN
		       ? g_strdup("its beginning")
		       : g_strdup_printf("%" G_GINT64_FORMAT ".%09d (Unix time)",
					 last_ns / 1000000000, (int)(last_ns % 1000000000));
	text = g_strdup_printf("stream %s of '%s' could be read up to %s only: %s", stream,
			       salvage->trace, when, problem);

	salvage->missing_from_ns = MIN(salvage->missing_from_ns, last_ns);
	g_ptr_array_add(analysis->cuts, text);
	g_free(when);
}

/* A bad input is an error when it is alone, else the report says that it is missing. */
static void tell_source(struct analysis *analysis, char *problem)
{
	if (analysis->salvages->len > 1) {
		note(analysis, problem); /* takes it */
		return;
	}
	complain(analysis, "%s", problem);
	g_free(problem);
}

/* Each trace has a source of its own, so that one bad trace does not hide the others. */
static bool add_sources(struct analysis *analysis)
{
	guint opened = 0;
	char *problem;

	analysis->sources = sources_new(note_cut, analysis, &problem);
	if (!analysis->sources) {
		complain(analysis, "%s", problem);
		g_free(problem);
		return false;
	}
	for (guint i = 0; i < analysis->salvages->len; i++) {
		struct salvage *salvage = &g_array_index(analysis->salvages, struct salvage, i);

		if (sources_add(analysis->sources, i, salvage->path, salvage->trace, &problem)) {
			opened++;
			continue;
		}
		salvage->missing_from_ns = INT64_MIN;
		tell_source(analysis, problem);
	}
	if (!opened)
		return false;
	if (sources_count(analysis->sources) == 0) {
		complain(analysis, "the recording '%s' has no events at all",
			 analysis->options->paths[0]);
		return false;
	}
	return true;
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
								  void *data)
{
	struct analysis *analysis = data;

	analysis->status = feed_consume(analysis->feed, iterator);
	switch (analysis->status) {
	case FEED_OK:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
	case FEED_AGAIN:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
	case FEED_END:
	case FEED_USELESS:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	case FEED_ERROR:
		break;
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
}

static bool connect(struct analysis *analysis, const bt_port_output *out, const bt_port_input *in)
{
	return bt_graph_connect_ports(sources_graph(analysis->sources), out, in, NULL) ==
	       BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

static bool add_sink(struct analysis *analysis)
{
	const bt_component_sink *sink;
	char *cause;

	if (bt_graph_add_simple_sink_component(sources_graph(analysis->sources), "report", NULL,
					       consume, NULL, analysis,
					       &sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
	    connect(analysis, sources_output(analysis->sources),
		    bt_component_sink_borrow_input_port_by_index_const(sink, 0)))
		return true;
	cause = sources_take_cause();
	complain(analysis, "cannot build babeltrace2's graph: %s", cause);
	g_free(cause);
	return false;
}

/* A derived trace has its directory for itself when all is of one host. */
static bool is_one_host(const struct analysis *analysis)
{
	for (guint i = 1; i < analysis->salvages->len; i++)
		if (g_strcmp0(g_array_index(analysis->salvages, struct salvage, i).hostname,
			      g_array_index(analysis->salvages, struct salvage, 0).hostname) != 0)
			return false;
	return true;
}

static void before_end(void *data);

static bool is_stopped(void *data)
{
	(void)data;
	return interrupted;
}

static const bt_component_class_filter *make_timeline_class(void)
{
	bt_message_iterator_class *iterators =
		bt_message_iterator_class_create(timeline_iterator_next);
	bt_component_class_filter *class = NULL;

	if (!iterators)
		return NULL;
	bt_message_iterator_class_set_initialize_method(iterators, timeline_iterator_initialize);
	bt_message_iterator_class_set_finalize_method(iterators, timeline_iterator_finalize);
	class = bt_component_class_filter_create("timeline", iterators);
	bt_message_iterator_class_put_ref(iterators);
	if (!class)
		return NULL;
	bt_component_class_filter_set_initialize_method(class, timeline_initialize);
	bt_component_class_filter_set_finalize_method(class, timeline_finalize);
	return class;
}

/* streams -> filter.kfd.timeline -> sink.ctf.fs */
static bool add_derived(struct analysis *analysis)
{
	struct timeline_shared shared = { .model = analysis->model,
					  .feed = analysis->feed,
					  .at_end = before_end,
					  .is_stopped = is_stopped,
					  .data = analysis,
					  .failed = &analysis->input_failed,
					  .begin_ns = analysis->options->begin_ns,
					  .end_ns = analysis->options->end_ns };
	const bt_component_class_filter *filter_class = make_timeline_class();
	const bt_component_class_sink *sink_class =
		bt_plugin_borrow_sink_component_class_by_name_const(sources_ctf(analysis->sources),
								    "fs");
	bt_value *params = bt_value_map_create();
	const bt_component_filter *filter;
	const bt_component_sink *sink;
	bool ok;

	ok = filter_class && sink_class && params &&
	     bt_value_map_insert_string_entry(params, "path", analysis->folder.building) ==
		     BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	     bt_value_map_insert_bool_entry(params, "assume-single-trace", is_one_host(analysis)) ==
		     BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	     bt_value_map_insert_bool_entry(params, "quiet", BT_TRUE) ==
		     BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	     bt_graph_add_filter_component_with_initialize_method_data(
		     sources_graph(analysis->sources), filter_class, "timeline", NULL, &shared,
		     BT_LOGGING_LEVEL_NONE, &filter) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
	     bt_graph_add_sink_component(sources_graph(analysis->sources), sink_class, "derived",
					 params, BT_LOGGING_LEVEL_NONE,
					 &sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
	     connect(analysis, sources_output(analysis->sources),
		     bt_component_filter_borrow_input_port_by_index_const(filter, 0)) &&
	     connect(analysis, bt_component_filter_borrow_output_port_by_index_const(filter, 0),
		     bt_component_sink_borrow_input_port_by_index_const(sink, 0));
	bt_value_put_ref(params);
	bt_component_class_filter_put_ref(filter_class);
	if (!ok) {
		char *cause = sources_take_cause();

		complain(analysis, "cannot write a trace to '%s': %s", analysis->options->output,
			 cause);
		g_free(cause);
	}
	return ok;
}

/* @return false when nothing can be read; the one line that says so is on stderr. */
static bool run_graph(struct analysis *analysis)
{
	const bool is_derived = analysis->options->report == ANALYSE_DERIVED;
	bt_graph_run_once_status status = BT_GRAPH_RUN_ONCE_STATUS_OK;
	char *cause = NULL;

	while ((is_derived || !interrupted) && status == BT_GRAPH_RUN_ONCE_STATUS_OK)
		status = bt_graph_run_once(sources_graph(analysis->sources));
	if (model_events(analysis->model) == 0 && analysis->cuts->len) {
		complain(analysis, "%s", (char *)g_ptr_array_index(analysis->cuts, 0));
		return false;
	}
	while (analysis->cuts->len)
		note(analysis, g_ptr_array_steal_index(analysis->cuts, 0));
	if (interrupted) {
		note(analysis, g_strdup("interrupted"));
		return true;
	}
	if (status == BT_GRAPH_RUN_ONCE_STATUS_END)
		return true;
	cause = sources_take_cause();
	if (is_derived && !analysis->input_failed)
		/* babeltrace2's cause is that its sink failed, not why. */
		analysis->write_problem =
			g_strdup("babeltrace2 could not write its files (is the disk full?)");
	else
		complain(analysis, "cannot read '%s': %s", analysis->options->paths[0], cause);
	g_free(cause);
	return analysis->write_problem != NULL;
}

/* What a damaged stream no longer says is lost like events that the tracer discarded. */
static void add_missing(struct analysis *analysis, const GArray *salvages)
{
	for (guint i = 0; i < salvages->len; i++) {
		const struct salvage *salvage = &g_array_index(salvages, struct salvage, i);
		struct record record;

		if (salvage->missing_from_ns == INT64_MAX)
			continue;
		record_reset(&record, RECORD_LOST);
		record.hostname =
			salvage->hostname ? model_intern(analysis->model, salvage->hostname) : NULL;
		record.vpid = salvage->vpid;
		record.time_ns = MAX(salvage->missing_from_ns, model_begin_ns(analysis->model));
		/* It may have gone on after the last event that could be read. */
		values_set(&record.values, FIELD_UNTIL, INT64_MAX);
		values_set(&record.values, FIELD_LOST, 0); /* nobody knows how many */
		model_take(analysis->model, &record);
	}
}

static void add_losses(struct analysis *analysis)
{
	add_missing(analysis, analysis->salvages);
	add_missing(analysis, analysis->unreadable);
	if (interrupted || analysis->is_cut) {
		struct record record;

		record_reset(&record, RECORD_LOST);
		record.hostname = NULL;
		record.vpid = 0;
		record.time_ns = model_end_ns(analysis->model);
		values_set(&record.values, FIELD_UNTIL, INT64_MAX);
		values_set(&record.values, FIELD_LOST, 0);
		model_take(analysis->model, &record);
	}
}

static bool lies_in(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return strncmp(path, folder, length) == 0 &&
	       (path[length] == '/' || path[length] == '\0' || folder[length - 1] == '/');
}

/* Process ids mean something within their recording alone. */
static void add_ending(struct analysis *analysis, const struct analyse_ending *ending,
		       const char *trace)
{
	char *path = g_build_filename(trace, "metadata", NULL), *metadata = NULL, *uuid;
	gsize size;

	if (g_file_get_contents(path, &metadata, &size, NULL)) {
		uuid = metadata_uuid(metadata, size);
		model_end_process(analysis->model, uuid, ending->pid, ending->exit_code,
				  ending->signal);
		g_free(uuid);
	}
	g_free(metadata);
	g_free(path);
}

static void add_endings(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->options->ending_count; i++) {
		const struct analyse_ending *ending = &analysis->options->endings[i];

		if (!ending->folder)
			model_end_process(analysis->model, NULL, ending->pid, ending->exit_code,
					  ending->signal);
		for (guint j = 0; ending->folder && j < analysis->salvages->len; j++) {
			const char *trace =
				g_array_index(analysis->salvages, struct salvage, j).trace;

			if (lies_in(trace, ending->folder))
				add_ending(analysis, ending, trace);
		}
	}
}

/* The derived trace still gets what is known only now. */
static void before_end(void *data)
{
	add_losses(data);
	add_endings(data);
}

/* The sink writes the metadata last, and says nothing when it cannot. */
static bool is_complete(const char *folder)
{
	GPtrArray *traces = g_ptr_array_new_with_free_func(g_free);
	bool complete = discover_traces(folder, traces) == 0 && traces->len > 0;

	for (guint i = 0; i < traces->len; i++) {
		char *metadata = g_build_filename(g_ptr_array_index(traces, i), "metadata", NULL);
		GStatBuf status;

		complete &= g_stat(metadata, &status) == 0 && status.st_size > 0;
		g_free(metadata);
	}
	g_ptr_array_free(traces, TRUE);
	return complete;
}

static int finish_derived(struct analysis *analysis)
{
	char *complaint = feed_complaint(analysis->feed);
	int error;

	/* This writes the metadata. After a failed write it would end in a fault of that sink. */
	if (analysis->write_problem || complaint)
		sources_abandon(analysis->sources);
	sources_free(analysis->sources);
	analysis->sources = NULL;
	if (complaint && !analysis->write_problem) {
		complain(analysis, "%s", complaint);
		g_free(complaint);
		return ANALYSE_UNREADABLE;
	}
	g_free(complaint);
	if (!analysis->write_problem && !is_complete(analysis->folder.building))
		analysis->write_problem =
			g_strdup(analysis->options->begin_ns || analysis->options->end_ns
					 ? "nothing of the recording is between --begin and --end"
					 : "its metadata could not be written");
	error = analysis->write_problem ? 0 : out_folder_commit(&analysis->folder);
	if (analysis->write_problem || error) {
		complain(analysis, "cannot write '%s': %s", analysis->options->output,
			 error ? strerror(-error) : analysis->write_problem);
		return ANALYSE_OUTPUT;
	}
	if (analysis->notes.partial->len)
		return ANALYSE_PARTIAL;
	return analysis->options->fail_on_findings && model_lost_spans(analysis->model)->len
		       ? ANALYSE_FINDINGS
		       : ANALYSE_DONE;
}

/* @return false when the report has no such form. */
static bool format_of(const struct analyse_options *options, enum report_format *format)
{
	static const char *const names[] = { [REPORT_TEXT] = "text",
					     [REPORT_JSON] = "json",
					     [REPORT_FOLDED] = "folded",
					     [REPORT_SPEEDSCOPE] = "speedscope" };

	*format = REPORT_TEXT;
	for (size_t i = 0; options->format && i < G_N_ELEMENTS(names); i++) {
		if (strcmp(names[i], options->format) != 0)
			continue;
		*format = (enum report_format)i;
		return *format <= REPORT_JSON || options->report == ANALYSE_CHAINS;
	}
	return !options->format;
}

/* The forms for other programs have no place to say that they lack something. */
static void tell_losses(const struct analysis *analysis)
{
	enum report_format format;
	GString *text;

	/* What could not be read has been told. */
	if ((model_lost_count(analysis->model) == 0 && analysis->notes.partial->len) ||
	    model_lost_spans(analysis->model)->len == 0 || !format_of(analysis->options, &format) ||
	    format <= REPORT_JSON)
		return;
	text = g_string_new(NULL);
	header_loss(text, analysis->model);
	complain(analysis, "%s: their calls are missing", text->str);
	g_string_free(text, TRUE);
}

static int finish(struct analysis *analysis)
{
	char *complaint = feed_complaint(analysis->feed);
	bool lost;
	int error;

	if (complaint) {
		complain(analysis, "%s", complaint);
		g_free(complaint);
		return ANALYSE_UNREADABLE;
	}
	add_losses(analysis);
	add_endings(analysis);
	model_finish(analysis->model);
	tell_losses(analysis);
	error = report_finish(analysis->report, &analysis->notes);
	if (error) {
		complain(analysis, "cannot write '%s': %s",
			 analysis->options->output ? analysis->options->output : "standard output",
			 strerror(-error));
		return ANALYSE_OUTPUT;
	}
	if (analysis->notes.partial->len)
		return ANALYSE_PARTIAL;
	lost = model_lost_spans(analysis->model)->len > 0;
	if (analysis->options->fail_on_findings && (lost || report_has_findings(analysis->report)))
		return ANALYSE_FINDINGS;
	return ANALYSE_DONE;
}

static bool options_valid(const struct analyse_options *options)
{
	enum flames_weight weight;
	enum report_format format;
	enum allocs_sort sort;

	return options->path_count && format_of(options, &format) &&
	       (!options->weight || flames_weight_by_name(options->weight, &weight)) &&
	       (!options->sort || allocs_sort_by_name(options->sort, &sort));
}

static bool open_report(struct analysis *analysis)
{
	static const enum report_kind kinds[] = {
		[ANALYSE_FAULTS] = REPORT_FAULTS,     [ANALYSE_SVM] = REPORT_SVM,
		[ANALYSE_CLOCKS] = REPORT_CLOCKS,     [ANALYSE_LEAKS] = REPORT_LEAKS,
		[ANALYSE_CHAINS] = REPORT_CHAINS,     [ANALYSE_PERFETTO] = REPORT_PERFETTO,
		[ANALYSE_FAILURES] = REPORT_FAILURES, [ANALYSE_COUNTERS] = REPORT_COUNTERS,
		[ANALYSE_ALLOCS] = REPORT_ALLOCS,     [ANALYSE_HTML] = REPORT_HTML,
		[ANALYSE_LATENCY] = REPORT_LATENCY,   [ANALYSE_QUEUES] = REPORT_QUEUES,
		[ANALYSE_WAITS] = REPORT_WAITS,       [ANALYSE_STARTUP] = REPORT_STARTUP,
	};
	const struct analyse_options *options = analysis->options;
	struct report_options report = {
		.output = options->output,
		.weight = options->weight,
		.top = options->top,
		.runtime = options->runtime,
		.begin_ns = options->begin_ns,
		.end_ns = options->end_ns,
		.debug_dirs = options->debug_dirs,
		.suppressions = options->suppressions,
		.sort = options->sort,
		.moments_ns = { options->moments_ns[0], options->moments_ns[1] },
		.taker = options->taker,
	};
	int error;

	(void)format_of(options, &report.format); /* checked by then */
	analysis->report = report_new(kinds[options->report], analysis->model, &report, &error);
	if (!analysis->report)
		complain(analysis, "cannot write '%s': %s", options->output, strerror(-error));
	return analysis->report != NULL;
}

static void close_salvage(void *data)
{
	salvage_close(data);
}

static int run(struct analysis *analysis)
{
	bool is_derived = analysis->options->report == ANALYSE_DERIVED;

	if (!copy_live(analysis) || !find_traces(analysis) || open_traces(analysis) == 0)
		return ANALYSE_UNREADABLE;
	if (is_derived && out_folder_open(&analysis->folder, analysis->options->output) != 0) {
		complain(analysis, "cannot write '%s': it exists already",
			 analysis->options->output);
		return ANALYSE_OUTPUT;
	}
	if (!is_derived && !open_report(analysis))
		return ANALYSE_OUTPUT;
	if (!add_sources(analysis))
		return ANALYSE_UNREADABLE;
	if (is_derived && !add_derived(analysis))
		return ANALYSE_OUTPUT;
	if (!is_derived && !add_sink(analysis))
		return ANALYSE_UNREADABLE;
	if (!run_graph(analysis))
		return ANALYSE_UNREADABLE;
	return is_derived ? finish_derived(analysis) : finish(analysis);
}

int analyse_run(const struct analyse_options *options)
{
	struct analysis analysis = {
		.options = options,
		.program = options->program ? options->program : "kfdscope",
	};
	int rc;

	if (!options_valid(options))
		return ANALYSE_USAGE;
	interrupted = 0;
	analysis.traces = g_ptr_array_new_with_free_func(g_free);
	analysis.salvages = g_array_new(FALSE, TRUE, sizeof(struct salvage));
	g_array_set_clear_func(analysis.salvages, close_salvage);
	analysis.unreadable = g_array_new(FALSE, TRUE, sizeof(struct salvage));
	g_array_set_clear_func(analysis.unreadable, close_salvage);
	analysis.cuts = g_ptr_array_new_with_free_func(g_free);
	analysis.notes.partial = g_ptr_array_new_with_free_func(g_free);
	analysis.model = model_new();
	analysis.feed = feed_new(analysis.model);
	rc = run(&analysis);
	sources_free(analysis.sources); /* before what its sink uses */
	feed_free(analysis.feed);
	report_free(analysis.report);
	out_folder_close(&analysis.folder);
	g_free(analysis.write_problem);
	model_free(analysis.model);
	g_array_free(analysis.salvages, TRUE);
	g_array_free(analysis.unreadable, TRUE);
	g_ptr_array_free(analysis.cuts, TRUE);
	copies_free(analysis.copies);
	g_ptr_array_free(analysis.traces, TRUE);
	g_ptr_array_free(analysis.notes.partial, TRUE);
	return rc;
}
