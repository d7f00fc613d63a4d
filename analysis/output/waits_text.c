/* SPDX-License-Identifier: MIT */
/* Open waits, spins, signals and waiting places in words (waits_report.h). */
#include "output/text.h"
#include "output/waits_report.h"

static void duration(GString *text, const json_t *json, const char *name)
{
	text_duration(text, document_int(json, name));
}

static void event_text(GString *text, const json_t *event, const struct document *document)
{
	const json_t *created = json_object_get(event, "created");
	const json_t *set = json_object_get(event, "last_set");

	g_string_append_printf(text, "    event %" G_GINT64_FORMAT,
			       document_int(event, "event_id"));
	if (created) {
		g_string_append(text, ", made at ");
		document_moment(text, document, event, "created_ns");
		document_caller(text, created);
	} else {
		g_string_append(text, ", made before the recording");
	}
	if (json_is_object(set)) {
		g_string_append_printf(text, "; last signalled by thread %" G_GINT64_FORMAT " at ",
				       document_int(set, "vtid"));
		document_moment(text, document, set, "time_ns");
		document_caller(text, set);
	} else {
		g_string_append(text, "; last signalled: never (by the host)");
	}
	g_string_append_c(text, '\n');
	if (created)
		document_stack(text, 8, created);
}

static void open_text(GString *text, const json_t *wait, const struct document *document)
{
	const json_t *event;
	size_t i;

	g_string_append_printf(text, "thread %" G_GINT64_FORMAT " of %s waits in %s since ",
			       document_int(wait, "vtid"), document_string(wait, "process"),
			       document_string(wait, "call"));
	document_moment(text, document, wait, "since_ns");
	g_string_append(text, ", for ");
	duration(text, wait, "duration_ns");
	document_caller(text, wait);
	if (json_object_get(wait, "timeout_ms"))
		g_string_append_printf(text, ", timeout %" G_GINT64_FORMAT " ms\n",
				       document_int(wait, "timeout_ms"));
	else
		g_string_append(text, ", without a timeout\n");
	document_doubt(text, wait);
	document_stack(text, 8, wait);
	json_array_foreach(json_object_get(wait, "events"), i, event)
		event_text(text, event, document);
	g_string_append_c(text, '\n');
}

static void spin_text(GString *text, const json_t *spin, const struct document *document)
{
	const json_t *id;
	size_t i;

	g_string_append_printf(text,
			       "thread %" G_GINT64_FORMAT " of %s: %" G_GINT64_FORMAT
			       " calls of %s, %s, from ",
			       document_int(spin, "vtid"), document_string(spin, "process"),
			       document_int(spin, "calls"), document_string(spin, "call"),
			       document_string(spin, "mode"));
	document_moment(text, document, spin, "begin_ns");
	g_string_append(text, " to ");
	document_moment(text, document, spin, "end_ns");
	g_string_append_printf(text, ", %.0f a second, median ",
			       json_number_value(json_object_get(spin, "calls_per_second")));
	duration(text, spin, "median_ns");
	g_string_append_printf(text,
			       "; %" G_GINT64_FORMAT " succeeded, %" G_GINT64_FORMAT
			       " timed out (31), %" G_GINT64_FORMAT " failed; events",
			       document_int(spin, "succeeded"), document_int(spin, "timed_out"),
			       document_int(spin, "failed"));
	json_array_foreach(json_object_get(spin, "event_ids"), i, id)
		g_string_append_printf(text, " %" JSON_INTEGER_FORMAT, json_integer_value(id));
	document_caller(text, spin);
	g_string_append_c(text, '\n');
	document_stack(text, 8, spin);
}

static void latency_text(GString *text, const json_t *latency)
{
	g_string_append(text, "min ");
	duration(text, latency, "min_ns");
	g_string_append(text, ", median ");
	duration(text, latency, "median_ns");
	g_string_append(text, ", max ");
	duration(text, latency, "max_ns");
}

/* " by thread N in FUNCTION at FILE:LINE", which several stacks may have in common. */
static char *setter_name(const json_t *setter)
{
	GString *name = g_string_new(NULL);

	g_string_append_printf(name, " by thread %" G_GINT64_FORMAT, document_int(setter, "vtid"));
	document_caller(name, setter);
	return g_string_free(name, FALSE);
}

/* One line for all stacks that would read the same. */
static void setters_text(GString *text, const json_t *setters)
{
	GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *names = g_ptr_array_new(); /* borrowed from the table, in order */
	const json_t *setter;
	size_t i;

	json_array_foreach(setters, i, setter)
	{
		char *name = setter_name(setter);
		gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(counts, name)) +
			      (gsize)document_int(setter, "count");

		if (!g_hash_table_contains(counts, name))
			g_ptr_array_add(names, name);
		/* Inserting frees the new key where there is one already, and keeps the old. */
		g_hash_table_insert(counts, name, GSIZE_TO_POINTER(count));
	}
	for (guint at = 0; at < names->len; at++) {
		const char *name = g_ptr_array_index(names, at);

		g_string_append(text, "    signalled ");
		text_count(text, GPOINTER_TO_SIZE(g_hash_table_lookup(counts, name)), "time",
			   "times");
		g_string_append_printf(text, "%s\n", name);
	}
	g_ptr_array_free(names, TRUE);
	g_hash_table_destroy(counts);
}

static void site_text(GString *text, const json_t *site, const struct document *document)
{
	const json_t *length = json_object_get(site, "duration");
	const json_t *wake = json_object_get(site, "wake_latency");

	text_count(text, (uint64_t)document_int(length, "count"), "wait", "waits");
	g_string_append_printf(text, " by %s", document_string(site, "call"));
	document_caller(text, site);
	g_string_append(text, ", ");
	duration(text, length, "total_ns");
	g_string_append(text, " in all: ");
	latency_text(text, length);
	g_string_append_printf(text, "; %s\n", document_string(site, "process"));
	g_string_append_printf(text,
			       "    %" G_GINT64_FORMAT " succeeded, of which %" G_GINT64_FORMAT
			       " were signalled before and %" G_GINT64_FORMAT
			       " by no recorded set; %" G_GINT64_FORMAT
			       " timed out, %" G_GINT64_FORMAT " failed\n",
			       document_int(site, "succeeded"),
			       document_int(site, "already_signalled"),
			       document_int(site, "unknown_signals"),
			       document_int(site, "timed_out"), document_int(site, "failed"));
	if (document_int(site, "cut"))
		g_string_append_printf(
			text, "    %" G_GINT64_FORMAT " more have no end in the recording\n",
			document_int(site, "cut"));
	if (document_int(length, "count")) {
		g_string_append(text, "    the longest began at ");
		document_moment(text, document, site, "longest_since_ns");
		g_string_append_c(text, '\n');
	}
	if (document_int(wake, "count")) {
		g_string_append(text, "    from set to wake-up: ");
		latency_text(text, wake);
		g_string_append_c(text, '\n');
	}
	setters_text(text, json_object_get(site, "signalled_by"));
	document_stack(text, 8, site);
}

static void signals_text(GString *text, const json_t *site)
{
	int64_t with = document_int(site, "sets_with_waiter");
	int64_t without = document_int(site, "sets_without_waiter");

	if (with + without == 0)
		return;
	text_count(text, (uint64_t)(with + without), "set", "sets");
	g_string_append(text, " of events made");
	document_caller(text, site);
	g_string_append_printf(text, "; %s\n    %" G_GINT64_FORMAT " with a waiter, ",
			       document_string(site, "process"), with);
	duration(text, site, "with_waiter_ns");
	g_string_append(text, " (");
	duration(text, site, "with_waiter_ioctl_ns");
	g_string_append_printf(text, " in the kernel)\n    %" G_GINT64_FORMAT " without a waiter, ",
			       without);
	duration(text, site, "without_waiter_ns");
	g_string_append(text, " (");
	duration(text, site, "without_waiter_ioctl_ns");
	g_string_append_printf(
		text, " in the kernel), of which %" G_GINT64_FORMAT " were never seen by a wait\n",
		document_int(site, "lost_sets"));
}

static void signals_of(GString *text, const json_t *site, const struct document *document)
{
	(void)document;
	signals_text(text, site);
}

void waits_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *processes = json_object_get(json, "processes"), *process;
	size_t i;

	document_header(text, "WAITS AND SIGNALS", document);
	if (json_array_size(processes) == 0)
		g_string_append(text, "No event was made or waited for in this recording.\n");
	json_array_foreach(processes, i, process)
	{
		g_string_append_printf(text, "%s: ", document_string(process, "process"));
		text_count(text, (uint64_t)document_int(process, "waits"), "wait; ", "waits; ");
		text_count(text, (uint64_t)document_int(process, "events_created"), "event made",
			   "events made");
		g_string_append_printf(text,
				       ", %" G_GINT64_FORMAT " destroyed, %" G_GINT64_FORMAT
				       " alive at the end\n",
				       document_int(process, "events_destroyed"),
				       document_int(process, "events_alive"));
	}
	g_string_append_c(text, '\n');
	document_section(text, json, "open_waits", "OPEN WAITS AT THE END", "open waits", document,
			 open_text);
	document_section(text, json, "spins", "THREADS THAT SPIN", "spins", document, spin_text);
	document_section(text, json, "waits", "WHO WAITS", "waiting places", document, site_text);
	document_section(text, json, "signals", "SIGNALS", "places that make events", document,
			 signals_of);
}
