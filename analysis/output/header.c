/* SPDX-License-Identifier: MIT */
/* The beginning of every report (header.h). */
#include "output/header.h"

#include "output/hosts.h"
#include "output/text.h"

/* More spans than this are summed up; all are in the JSON form. */
#define SPANS_SHOWN 5u
#define THUNK       "libhsakmt.so" /* how file names of the library begin */

void header_loss(GString *text, const struct model *model)
{
	const GArray *spans = model_lost_spans(model);
	guint unknown = 0; /* spans of which nobody knows how many */

	for (guint i = 0; i < spans->len; i++)
		unknown += g_array_index(spans, struct lost_span, i).count == 0;
	if (unknown == spans->len) {
		g_string_append(text, "Events are missing");
		return;
	}
	g_string_append(text, unknown ? "At least " : "");
	text_count(text, model_lost_count(model), "event was lost", "events were lost");
}

static void lost_text(GString *text, const struct model *model)
{
	const GArray *spans = model_lost_spans(model);

	if (spans->len == 0)
		return;
	header_loss(text, model);
	g_string_append_printf(text, " in %u %s; what they may hide is marked undecided:\n",
			       spans->len, spans->len == 1 ? "span" : "spans");
	for (guint i = 0; i < spans->len && i < SPANS_SHOWN; i++) {
		const struct lost_span *span = &g_array_index(spans, struct lost_span, i);

		if (span->count)
			g_string_append_printf(text, "    %" G_GUINT64_FORMAT, span->count);
		else
			g_string_append(text, "    an unknown number");
		g_string_append(text, span->end_ns == INT64_MAX ? " from " : " between ");
		text_moment(text, model, span->begin_ns);
		g_string_append(text, span->end_ns == INT64_MAX ? " on" : " and ");
		if (span->end_ns != INT64_MAX)
			text_moment(text, model, span->end_ns);
		if (span->vpid)
			g_string_append_printf(text, " of pid %u", span->vpid);
		if (span->hostname)
			g_string_append_printf(text, " on %s", span->hostname);
		g_string_append_c(text, '\n');
	}
	if (spans->len > SPANS_SHOWN)
		g_string_append_printf(text, "    and %u more spans\n", spans->len - SPANS_SHOWN);
	/* Those were discarded by the tracer; of what is missing in files nobody knows how much it is. */
	if (model_lost_count(model))
		g_string_append(text, "    To lose none, record with larger buffers: "
				      "'kfdscope record --subbuf-size=8M --subbuf-count=8'.\n");
}

/* Entries without exits of other tracers, or the reverse. */
static void unpaired_text(GString *text, const struct model *model)
{
	if (!model_unpaired_events(model))
		return;
	text_count(text, model_unpaired_events(model), "event", "events");
	g_string_append(text, " of other tracers' calls are left out: the recording has entries "
			      "without exits, or exits without entries; enable both.\n");
}

static void cut_text(GString *text, const struct model *model)
{
	const GPtrArray *processes = model_processes(model);
	uint64_t before = 0, abandoned = 0, unfinished = 0;

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);

		before += process->cut_began_before;
		abandoned += process->cut_abandoned;
		unfinished += process->cut_unfinished;
	}
	if (before + abandoned + unfinished == 0)
		return;
	text_count(text, before + abandoned + unfinished, "call is cut", "calls are cut");
	g_string_append_printf(text,
			       " and in no statistics: %" G_GUINT64_FORMAT
			       " begun before the recording, %" G_GUINT64_FORMAT
			       " abandoned, %" G_GUINT64_FORMAT " unfinished at its end.\n",
			       before, abandoned, unfinished);
}

static void unknown_stacks_text(GString *text, const struct model *model)
{
	const GPtrArray *processes = model_processes(model);
	uint64_t unknown = 0;

	for (guint i = 0; i < processes->len; i++)
		unknown +=
			((const struct process *)g_ptr_array_index(processes, i))->unknown_stacks;
	if (!unknown)
		return;
	text_count(text, unknown, "call has a stack", "calls have stacks");
	g_string_append(text, " that is not known: the events that define interned stacks are lost "
			      "or not recorded.\n");
}

/* Whose calls they are cannot be told apart by a reader who believes in one library. */
static void copies_text(GString *text, const struct model *model)
{
	const GPtrArray *processes = model_processes(model);

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		GPtrArray *copies = modules_copies(&process->modules, THUNK);

		if (copies->len > 1) {
			text_process(text, process);
			g_string_append_printf(text, " loaded libhsakmt %u times:", copies->len);
		}
		for (guint j = 0; j < copies->len && copies->len > 1; j++)
			g_string_append_printf(
				text, "%s %s", j ? "," : "",
				((const struct module *)g_ptr_array_index(copies, j))->path);
		if (copies->len > 1)
			g_string_append(text, "; the calls of all that are kfdscope's are counted "
					      "together, those of others are not recorded.\n");
		g_ptr_array_free(copies, TRUE);
	}
}

static json_t *copies_json(const struct process *process)
{
	GPtrArray *copies = modules_copies(&process->modules, THUNK);
	json_t *list = json_array();

	for (guint i = 0; i < copies->len; i++) {
		const struct module *module = g_ptr_array_index(copies, i);

		json_array_append_new(list, json_string(module->path));
	}
	g_ptr_array_free(copies, TRUE);
	return list;
}

/* Whether no moment of the recording is in the part that is reported. */
static bool is_outside(const struct model *model)
{
	const struct scope *scope = model_scope(model);

	return !scope_overlaps(scope, model_begin_ns(model), model_end_ns(model)) ||
	       scope_is_over(scope, scope->begin_ns);
}

static void window_text(GString *text, const struct model *model)
{
	const struct scope *scope = model_scope(model);

	if (!scope_is_limited(scope))
		return;
	g_string_append(text, "Only this is reported: what happened");
	if (scope->begin_ns) {
		g_string_append(text, " from ");
		text_moment(text, model, scope->begin_ns);
	}
	if (scope->end_ns) {
		g_string_append(text, " until ");
		text_moment(text, model, scope->end_ns);
	}
	g_string_append(text, ".\n");
	if (is_outside(model)) {
		g_string_append(text, "NOTHING OF THE RECORDING IS THERE: it goes from ");
		text_moment(text, model, model_begin_ns(model));
		g_string_append(text, " to ");
		text_moment(text, model, model_end_ns(model));
		g_string_append(text, ".\n");
	}
}

void header_text(GString *text, const char *title, const struct model *model,
		 const struct report_notes *notes)
{
	uint32_t major, minor;

	g_string_append_printf(text, "%s\n\n", title);
	text_count(text, model_events(model), "event", "events");
	g_string_append(text, " over ");
	text_duration(text, model_end_ns(model) - model_begin_ns(model));
	g_string_append_printf(text, ", %" G_GUINT64_FORMAT " of them kfdscope's, from ",
			       model_own_events(model));
	text_count(text, model_processes(model)->len, "process", "processes");
	if (model_foreign_events(model))
		g_string_append_printf(text, ", %" G_GUINT64_FORMAT " of other tracers",
				       model_foreign_events(model));
	if (notes && notes->bytes && model_events(model)) {
		g_string_append(text, "; ");
		text_bytes(text, notes->bytes);
		g_string_append_printf(text, ", %" G_GUINT64_FORMAT " an event",
				       notes->bytes / model_events(model));
	}
	g_string_append(text, ".\n");
	window_text(text, model);
	for (guint i = 0; notes && notes->partial && i < notes->partial->len; i++)
		g_string_append_printf(text, "PARTIAL INPUT: %s\n",
				       (const char *)g_ptr_array_index(notes->partial, i));
	hosts_text(text, model);
	lost_text(text, model);
	cut_text(text, model);
	unpaired_text(text, model);
	unknown_stacks_text(text, model);
	copies_text(text, model);
	model_schema(model, &major, &minor);
	if (major > MODEL_SCHEMA_MAJOR)
		g_string_append_printf(text,
				       "The recording's event schema is %u.%u, this analysis knows "
				       "%u: newer events may be misread.\n",
				       major, minor, MODEL_SCHEMA_MAJOR);
	g_string_append_c(text, '\n');
}

static json_t *lost_json(const struct model *model)
{
	const GArray *spans = model_lost_spans(model);
	json_t *list = json_array();

	for (guint i = 0; i < spans->len; i++) {
		const struct lost_span *span = &g_array_index(spans, struct lost_span, i);
		json_t *item =
			json_pack("{sIsIsI}", "count", (json_int_t)span->count, "begin_ns",
				  (json_int_t)span->begin_ns, "end_ns", (json_int_t)span->end_ns);

		if (span->vpid)
			json_object_set_new(item, "vpid", json_integer(span->vpid));
		if (span->hostname)
			json_object_set_new(item, "hostname", json_string(span->hostname));
		json_array_append_new(list, item);
	}
	return list;
}

/* The part of the recording that is reported. */
static json_t *window_json(const struct model *model)
{
	const struct scope *scope = model_scope(model);
	const int64_t begin_ns = model_begin_ns(model), end_ns = model_end_ns(model);
	int64_t from_ns = CLAMP(scope->begin_ns, begin_ns, end_ns);
	int64_t until_ns = scope->end_ns ? CLAMP(scope->end_ns, from_ns, end_ns) : end_ns;
	json_t *json = json_pack("{sI sI}", "begin_ns", (json_int_t)from_ns, "end_ns",
				 (json_int_t)until_ns);

	if (is_outside(model))
		json_object_set_new(json, "outside", json_true());
	return json;
}

json_t *header_json(const char *schema, const char *version, const struct model *model,
		    const struct report_notes *notes)
{
	json_t *partial = json_array(), *json, *recording;
	bool complete = model_lost_spans(model)->len == 0 &&
			!(notes && notes->partial && notes->partial->len);
	uint32_t major, minor;

	model_schema(model, &major, &minor);
	for (guint i = 0; notes && notes->partial && i < notes->partial->len; i++)
		json_array_append_new(partial, json_string(g_ptr_array_index(notes->partial, i)));
	json = json_pack("{ss ss s{sI sI sI sI sI s[ii]} so sb sI so so}", "schema", schema,
			 "version", version, "recording", "events", (json_int_t)model_events(model),
			 "kfdscope_events", (json_int_t)model_own_events(model), "processes",
			 (json_int_t)model_processes(model)->len, "begin_ns",
			 (json_int_t)model_begin_ns(model), "end_ns",
			 (json_int_t)model_end_ns(model), "event_schema", (int)major, (int)minor,
			 "hosts", hosts_json(model), "complete", complete, "lost_events",
			 (json_int_t)model_lost_count(model), "lost_spans", lost_json(model),
			 "partial_input", partial);
	if (scope_is_limited(model_scope(model)))
		json_object_set_new(json, "window", window_json(model));
	recording = json_object_get(json, "recording");
	if (recording && model_foreign_events(model))
		json_object_set_new(recording, "foreign_events",
				    json_integer((json_int_t)model_foreign_events(model)));
	if (recording && model_unpaired_events(model))
		json_object_set_new(recording, "unpaired_events",
				    json_integer((json_int_t)model_unpaired_events(model)));
	if (recording && notes && notes->bytes && model_events(model)) {
		json_object_set_new(recording, "bytes", json_integer((json_int_t)notes->bytes));
		json_object_set_new(recording, "bytes_per_event",
				    json_integer((json_int_t)(notes->bytes / model_events(model))));
	}
	return json;
}

json_t *process_json(const struct process *process)
{
	static const char *const ends[] = { [PROCESS_END_UNKNOWN] = "unknown",
					    [PROCESS_END_EXIT] = "exit",
					    [PROCESS_END_SIGNAL] = "signal" };
	json_t *json = json_pack("{sI si ss sb sb sI sI sI}", "vpid", (json_int_t)process->vpid,
				 "instance", (int)process->instance, "end", ends[process->end],
				 "closed", process->closed_ns != 0, "forked", process->forked,
				 "cut_began_before", (json_int_t)process->cut_began_before,
				 "cut_abandoned", (json_int_t)process->cut_abandoned,
				 "cut_unfinished", (json_int_t)process->cut_unfinished);

	if (!json)
		return NULL;
	json_object_set_new(json, "thunks", copies_json(process));
	if (process->unknown_stacks)
		json_object_set_new(json, "unknown_stacks",
				    json_integer((json_int_t)process->unknown_stacks));
	if (process->end_code >= 0)
		json_object_set_new(json, "end_code", json_integer(process->end_code));
	if (process->ppid)
		json_object_set_new(json, "ppid", json_integer(process->ppid));
	if (process->name)
		json_object_set_new(json, "name", json_string(process->name));
	if (process->command)
		json_object_set_new(json, "command", json_string(process->command));
	if (process->hostname)
		json_object_set_new(json, "hostname", json_string(process->hostname));
	return json;
}
