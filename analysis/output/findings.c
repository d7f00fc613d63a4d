/* SPDX-License-Identifier: MIT */
/* The sentences that a report begins with (findings.h). */
#include "output/findings.h"

#include <string.h>

#include "output/text.h"

static void add(json_t *list, const char *level, const char *section, GString *text)
{
	json_array_append_new(list, json_pack("{ss ss ss}", "level", level, "section", section,
					      "text", text->str));
	g_string_truncate(text, 0);
}

static void add_losses(json_t *list, const struct document *document, GString *text)
{
	const struct report_notes *notes = document->notes;

	for (guint i = 0; notes && notes->partial && i < notes->partial->len; i++) {
		g_string_append_printf(text, "The recording could not be read completely: %s",
				       (const char *)g_ptr_array_index(notes->partial, i));
		add(list, "doubt", "losses", text);
	}
	if (model_lost_spans(document->model)->len == 0)
		return;
	header_loss(text, document->model);
	g_string_append(text, "; what they may hide is marked undecided.");
	add(list, "doubt", "losses", text);
}

static void sum_text(GString *text, const struct leak_sum *sum)
{
	text_bytes(text, sum->bytes);
	g_string_append(text, " in ");
	text_count(text, sum->count, "block", "blocks");
}

/* Runtimes keep staging buffers registered and scratch reserved; that is no fault of the program. */
static void add_places(json_t *list, const GPtrArray *groups, const char *what, GString *text)
{
	uint64_t places = 0;

	for (guint i = 0; i < groups->len; i++) {
		const struct leak_group *group = g_ptr_array_index(groups, i);

		places += group->layer != LEAK_RUNTIME;
	}
	if (places == 0)
		return;
	text_count(text, places, "place leaves ", "places leave ");
	g_string_append(text, what);
	add(list, "bad", "shares", text);
}

static void add_leaks(json_t *list, const struct leaks_report *leaks, GString *text)
{
	static const struct {
		enum leak_layer layer;
		const char *level, *what;
	} layers[] = {
		{ LEAK_APPLICATION, "bad", "The application did not give back " },
		{ LEAK_KERNEL, "bad", "The kernel refused to free " },
		{ LEAK_THUNK, "bad", "The thunk kept after its owner freed it " },
		{ LEAK_UNKNOWN, "doubt", "Taken before the recording began and not given back: " },
		{ LEAK_RUNTIME, "note", "The runtimes keep for themselves " },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(layers); i++) {
		const struct leak_sum *sum = &leaks->layers[layers[i].layer];

		if (sum->count == 0)
			continue;
		g_string_append(text, layers[i].what);
		sum_text(text, sum);
		g_string_append_c(text, '.');
		add(list, layers[i].level, "leaks", text);
	}
	if (leaks->undecided.count) {
		sum_text(text, &leaks->undecided);
		g_string_append(text, " may have been freed unseen: undecided.");
		add(list, "doubt", "leaks", text);
	}
	if (leaks->freed_shares->len) {
		text_count(text, leaks->freed_shares->len, "block was", "blocks were");
		g_string_append(text, " exported and then freed; the driver may keep the memory.");
		add(list, "bad", "shares", text);
	}
	add_places(list, leaks->registrations, "host memory registered.", text);
	add_places(list, leaks->reservations, "addresses without memory reserved.", text);
}

static uint64_t unfinished_calls(const struct document *document, const struct process *process)
{
	uint64_t count = 0;

	for (guint i = 0; i < process->unfinished->len; i++)
		count += document_overlaps(
			document, g_array_index(process->unfinished, struct unfinished, i).since_ns,
			INT64_MAX);
	return count;
}

static void add_processes(json_t *list, const struct document *document, GString *text)
{
	const GPtrArray *processes = model_processes(document->model);

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);
		const uint64_t unfinished = unfinished_calls(document, process);

		if (process->end == PROCESS_END_SIGNAL &&
		    document_wants(document, process->last_ns)) {
			text_process(text, process);
			g_string_append_printf(text, " was ended by signal %d.", process->end_code);
			add(list, "bad", "processes", text);
		}
		if (unfinished) {
			text_process(text, process);
			g_string_append(text, " was still inside ");
			text_count(text, unfinished, "call", "calls");
			g_string_append(text, " when the recording ended.");
			add(list, "note", "processes", text);
		}
	}
}

/* What other reports list, as one sentence each. */
static void add_parts(json_t *list, const json_t *parts, GString *text)
{
	static const struct {
		const char *part, *list, *level, *section, *one, *many;
	} known[] = {
		{ "failures", "failures", "bad", "failures", "kind of call failed.",
		  "kinds of calls failed." },
		{ "faults", "faults", "bad", "failures", "memory fault happened.",
		  "memory faults happened." },
		{ "waits", "spins", "bad", "lanes", "thread burned a core waiting.",
		  "times a thread burned a core waiting." },
		{ "queues", "refused", "bad", "lanes", "queue could not be created.",
		  "queues could not be created." },
		{ "counters", "refused", "bad", "lanes", "use of the counters was refused.",
		  "uses of the counters were refused." },
		{ "queues", "outstanding", "note", "lanes", "queue was never destroyed.",
		  "queues were never destroyed." },
		{ "waits", "open_waits", "note", "lanes", "wait was open at the end.",
		  "waits were open at the end." },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		const size_t count = json_array_size(
			json_object_get(json_object_get(parts, known[i].part), known[i].list));

		if (count == 0)
			continue;
		text_count(text, count, known[i].one, known[i].many);
		add(list, known[i].level, known[i].section, text);
	}
}

static bool has_calls(const struct model *model)
{
	const GPtrArray *processes = model_processes(model);

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = g_ptr_array_index(processes, i);

		if (process->has_api || process->has_ioctl)
			return true;
	}
	return false;
}

json_t *findings_json(const struct document *document, const struct leaks_report *leaks,
		      const json_t *parts)
{
	json_t *list = json_array();
	GString *text = g_string_new(NULL);

	add_losses(list, document, text);
	add_leaks(list, leaks, text);
	add_parts(list, parts, text);
	add_processes(list, document, text);
	if (!has_calls(document->model)) {
		g_string_append(text,
				"No call of the library was recorded: the program made none, or "
				"it does not use kfdscope's library ('kfdscope doctor' "
				"tells).");
		add(list, "doubt", "processes", text);
	} else if (findings_count(list) == 0) {
		g_string_append(text, "Everything that was taken was given back, no call failed, "
				      "and no event was lost.");
		json_array_insert_new(list, 0,
				      json_pack("{ss ss ss}", "level", "good", "section", "leaks",
						"text", text->str));
	}
	g_string_free(text, TRUE);
	return list;
}

uint64_t findings_count(const json_t *findings)
{
	const json_t *finding;
	uint64_t count = 0;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		const char *level = document_string(finding, "level");

		count += strcmp(level, "bad") == 0 || strcmp(level, "doubt") == 0;
	}
	return count;
}
