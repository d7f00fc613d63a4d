/* SPDX-License-Identifier: MIT */
/* Lists with times (window.h). */
#include "output/window.h"

#include <string.h>

/* A list, the members with its entries' times, and whether each entry is a finding. */
static const struct timed_list {
	const char *name, *begin, *end; /* end NULL: a moment; "": it goes on */
	bool is_finding;
} lists[] = {
	{ "open_waits", "since_ns", "", true },
	{ "spins", "begin_ns", "end_ns", true },
	{ "outstanding", "created_ns", "", true },
	{ "refused", "time_ns", NULL, true },
	{ "above_limit", "begin_ns", "end_ns", true },
	{ "overlaps", "begin_ns", "end_ns", true },
	{ "event_streams", "time_ns", NULL, false },
	{ "eviction_spans", "begin_ns", "end_ns", false },
	{ "driver_notes", "time_ns", NULL, false },
	{ "driver_lines", "time_ns", NULL, false },
	{ "runs", "registered_ns", "unregistered_ns", false },
	{ "values", "time_ns", NULL, false },
	{ "losses", "time_ns", NULL, false },
	{ "faults", "time_ns", "last_ns", true },
	{ "registrations", "first_ns", "", false },
	{ "imports", "time_ns", "", true },
	{ "refused_frees", "time_ns", "", true }, /* the block goes on living */
	{ "available", "time_ns", NULL, false },
	{ "unfinished_calls", "since_ns", "", false },
	{ "calls", "time_ns", NULL, false }, /* of svm; those of latency have no time */
	{ "mode_calls", "time_ns", NULL, false },
	{ "readings", "exit_ns", NULL, false },
	{ "system_clock_jumps", "time_ns", NULL, true },
	{ "went_back", "time_ns", NULL, true },
	{ "slowest", "time_ns", NULL, false },
	{ "messages", "time_ns", NULL, false },
};

static const struct timed_list *find_list(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		if (strcmp(lists[i].name, name) == 0)
			return &lists[i];
	return NULL;
}

static bool is_within(const json_t *entry, const struct timed_list *list,
		      const struct document *document)
{
	const json_t *begin = json_object_get(entry, list->begin), *end;
	int64_t begin_ns, end_ns;

	if (!json_is_integer(begin)) /* what began before the recording goes on in it */
		return true;
	begin_ns = end_ns = json_integer_value(begin);
	if (list->end) {
		end = json_object_get(entry, list->end);
		end_ns = json_is_integer(end) ? json_integer_value(end) : INT64_MAX;
	}
	return document_overlaps(document, begin_ns, end_ns);
}

/* @return how many findings went with what was taken out. */
static int64_t apply_to_list(json_t *array, const struct timed_list *list,
			     const struct document *document)
{
	int64_t findings = 0;

	for (size_t i = json_array_size(array); i > 0; i--) {
		const json_t *entry = json_array_get(array, i - 1);

		if (!json_is_object(entry) || is_within(entry, list, document))
			continue;
		findings += list->is_finding;
		if (json_is_array(json_object_get(entry, "warnings")))
			findings += (int64_t)json_array_size(json_object_get(entry, "warnings")) +
				    json_is_true(json_object_get(entry, "open"));
		json_array_remove(array, i - 1);
	}
	return findings;
}

static void apply(json_t *json, const struct document *document)
{
	int64_t findings = 0;
	const char *name;
	json_t *member;
	size_t i;

	if (json_is_array(json)) {
		json_array_foreach(json, i, member) apply(member, document);
		return;
	}
	json_object_foreach(json, name, member)
	{
		const struct timed_list *list = find_list(name);

		if (list && json_is_array(member))
			findings += apply_to_list(member, list, document);
		apply(member, document);
	}
	if (findings && json_is_integer(json_object_get(json, "findings")))
		json_object_set_new(
			json, "findings",
			json_integer(MAX(document_int(json, "findings") - findings, 0)));
}

void window_apply(json_t *json, const struct document *document)
{
	if (document->begin_ns || document->end_ns)
		apply(json, document);
}
