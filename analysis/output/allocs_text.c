/* SPDX-License-Identifier: MIT */
/* The report of allocs_report.h as text. */
#include "output/allocs_report.h"

#include <string.h>

#include "output/text.h"

static uint64_t number(const json_t *json, const char *name)
{
	return (uint64_t)document_int(json, name);
}

static void pair_text(GString *text, const json_t *pair)
{
	text_bytes(text, number(pair, "bytes"));
	g_string_append(text, " in ");
	text_count(text, number(pair, "blocks"), "block", "blocks");
}

static void growth_text(GString *text, const json_t *place, const struct document *document)
{
	const char *growth = document_string(place, "growth");

	g_string_append_printf(text, "    over time: %s", growth);
	if (strcmp(growth, "flat") == 0) {
		g_string_append(text, " since ");
		document_moment(text, document, place, "flat_since_ns");
	} else if (strcmp(growth, "growing") == 0) {
		g_string_append(text, " by ");
		text_bytes(text, number(place, "slope_bytes_per_s"));
		g_string_append(text, " per second");
	}
	g_string_append(text, "; at the peak: ");
	pair_text(text, json_object_get(place, "at_peak"));
	g_string_append_c(text, '\n');
}

static void churn_text(GString *text, const json_t *place)
{
	const json_t *per_second = json_object_get(place, "per_second");

	g_string_append(text, "    taken ");
	text_count(text, number(place, "taken"), "time", "times");
	if (per_second)
		g_string_append_printf(text, ", %.1f a second", json_real_value(per_second));
	if (json_object_get(place, "mean_lifetime_ns")) {
		g_string_append(text, ", living ");
		text_duration(text, document_int(place, "mean_lifetime_ns"));
		g_string_append(text, " on average");
	}
	if (number(place, "temporary")) {
		g_string_append(text, ", ");
		text_count(text, number(place, "temporary"), "of them", "of them");
		g_string_append(text, " given back before anything else was taken");
	}
	g_string_append_c(text, '\n');
}

/* Who made the ioctl alone is no thunk. */
static void call_text(GString *text, const json_t *place)
{
	const char *ioctl = document_string(place, "ioctl"), *call = document_string(place, "call");

	if (*ioctl)
		g_string_append_printf(text, "        kernel  %s\n", ioctl);
	if (*call && strcmp(call, ioctl) != 0)
		g_string_append_printf(text, "        thunk   %s\n", call);
}

static void place_text(GString *text, const json_t *place, const struct document *document)
{
	pair_text(text, json_object_get(place, "live"));
	g_string_append_printf(text, " of %s", document_string(place, "kind"));
	if (json_object_get(place, "node_id"))
		g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
				       document_int(place, "node_id"));
	if (*document_string(place, "for"))
		g_string_append_printf(text, " for %s", document_string(place, "for"));
	document_caller(text, place);
	g_string_append_printf(text, ", %s\n", document_string(place, "process"));
	churn_text(text, place);
	growth_text(text, place, document);
	call_text(text, place);
	document_stack(text, 8, place);
	g_string_append_c(text, '\n');
}

/* Writes what is there of the text, with the list. */
static int write_places(GString *text, FILE *stream, const char *title, const json_t *list,
			const char *name, struct allocs_places *places, const char *none)
{
	const struct document *document = allocs_places_document(places);
	const size_t shown = document_shown(document, list);
	struct json_build *build = json_build_new(NULL);
	int error = 0;

	g_string_append_printf(text, "%s\n\n", title);
	if (shown == 0)
		g_string_append_printf(text, "%s\n\n", none);
	for (size_t i = 0; i < shown && !error; i++) {
		json_t *place;

		allocs_place_build(places, name, i, build);
		place = json_build_take(build);
		place_text(text, place, document);
		json_decref(place);
		error = text_write(text, stream);
	}
	json_build_free(build);
	document_more(text, document, list, "places");
	return error;
}

static void process_text(GString *text, const json_t *process, const struct document *document)
{
	const json_t *internal = json_object_get(process, "internal"), *entry;
	const char *origin;

	g_string_append_printf(text,
			       "%s\n    alive at the end: ", document_string(process, "process"));
	pair_text(text, json_object_get(process, "live"));
	g_string_append(text, "; freed: ");
	pair_text(text, json_object_get(process, "freed"));
	g_string_append(text, "\n    peak: ");
	text_bytes(text, number(process, "peak_bytes"));
	if (number(process, "peak_bytes")) {
		g_string_append(text, " at ");
		document_moment(text, document, process, "peak_ns");
	}
	if (number(process, "registered_peak_bytes")) {
		g_string_append(text, "\n    registered host memory: peak ");
		text_bytes(text, number(process, "registered_peak_bytes"));
		g_string_append(text, ", now ");
		text_bytes(text, number(process, "registered_bytes"));
		g_string_append(text, "; the limit of locked memory is ");
		text_bytes(text, number(process, "memlock_bytes"));
	}
	json_object_foreach((json_t *)internal, origin, entry)
	{
		if (number(entry, "taken_blocks") == 0)
			continue;
		g_string_append_printf(text, "\n    the library for %s: ", origin);
		text_bytes(text, number(entry, "taken_bytes"));
		g_string_append(text, " in ");
		text_count(text, number(entry, "taken_blocks"), "block", "blocks");
		g_string_append(text, ", now ");
		text_bytes(text, number(entry, "live_bytes"));
	}
	g_string_append(text, "\n\n");
}

static void range_text(GString *text, const json_t *range)
{
	const json_t *stacks = json_object_get(range, "stacks"), *stack;
	size_t i;

	text_bytes(text, number(range, "bytes"));
	g_string_append_printf(text,
			       " at 0x%" G_GINT64_MODIFIER "x, registered %" G_GINT64_FORMAT
			       ", deregistered %" G_GINT64_FORMAT ", %s\n",
			       document_int(range, "address"), document_int(range, "registered"),
			       document_int(range, "deregistered"),
			       document_string(range, "process"));
	json_array_foreach(stacks, i, stack)
	{
		g_string_append_printf(text, "    registration %zu:\n", i + 1);
		document_stack(text, 8, stack);
	}
}

static void registrations_text(GString *text, const json_t *json, const struct document *document)
{
	const json_t *ranges = json_object_get(json, "registrations");
	const json_t *overlaps = json_object_get(json, "overlaps");

	if (json_array_size(ranges))
		g_string_append(text, "HOST MEMORY STILL REGISTERED\n\n");
	for (size_t i = 0; i < document_shown(document, ranges); i++)
		range_text(text, json_array_get(ranges, i));
	document_more(text, document, ranges, "ranges");
	if (json_array_size(overlaps))
		g_string_append(text, "\nREGISTERED OVER A REGISTRATION THAT WAS STILL THERE\n\n");
	for (size_t i = 0; i < document_shown(document, overlaps); i++) {
		const json_t *overlap = json_array_get(overlaps, i);

		text_bytes(text, number(overlap, "overlap_bytes"));
		g_string_append(text, " are in both, since ");
		document_moment(text, document, overlap, "time_ns");
		g_string_append(text, "\n  older: ");
		range_text(text, json_object_get(overlap, "older"));
		g_string_append(text, "  newer: ");
		range_text(text, json_object_get(overlap, "newer"));
	}
	document_more(text, document, overlaps, "overlaps");
}

static void history_text(GString *text, const json_t *history, const struct document *document)
{
	const json_t *event, *node;
	size_t i, j;

	json_array_foreach(history, i, event)
	{
		const json_t *nodes = json_object_get(event, "nodes");

		g_string_append_printf(text, "    %s ", document_string(event, "what"));
		document_moment(text, document, event, "time_ns");
		g_string_append(text, json_array_size(nodes) ? " on nodes" : " on all its nodes");
		json_array_foreach(nodes, j, node) g_string_append_printf(
			text, " %" JSON_INTEGER_FORMAT, json_integer_value(node));
		g_string_append(text,
				json_is_true(json_object_get(event, "ok")) ? "\n" : ": failed\n");
	}
}

static void refused_text(GString *text, const json_t *item, const struct document *document)
{
	const json_t *nodes = json_object_get(item, "mapped_node_ids"), *node;
	size_t i;

	text_bytes(text, number(item, "bytes"));
	g_string_append(text, ": ");
	text_count(text, number(item, "count"), "free was", "frees were");
	g_string_append(text, " refused with ");
	document_status(text, item);
	if (json_array_size(nodes))
		g_string_append(text, ": still mapped on nodes");
	json_array_foreach(nodes, i, node)
		g_string_append_printf(text, " %" JSON_INTEGER_FORMAT, json_integer_value(node));
	g_string_append_printf(text, "; %s\n", document_string(item, "process"));
	history_text(text, json_object_get(item, "history"), document);
	g_string_append(text, "    allocated:\n");
	document_stack(text, 8, json_object_get(item, "allocation"));
	g_string_append(text, "    freed:\n");
	document_stack(text, 8, item);
}

static void bad_free_text(GString *text, const json_t *item, const struct document *document)
{
	const json_t *first = json_object_get(item, "first_free");

	g_string_append_printf(text, "%s, ", document_string(item, "what"));
	text_count(text, number(item, "count"), "time", "times");
	g_string_append_printf(text, ", last 0x%" G_GINT64_MODIFIER "x at ",
			       document_int(item, "address"));
	document_moment(text, document, item, "time_ns");
	g_string_append(text, ", answered ");
	document_status(text, item);
	g_string_append_printf(text, "; %s\n", document_string(item, "process"));
	document_stack(text, 8, item);
	if (!first)
		return;
	g_string_append(text, "    first freed at ");
	document_moment(text, document, first, "time_ns");
	g_string_append(text, ":\n");
	document_stack(text, 8, first);
	g_string_append(text, "    allocated:\n");
	document_stack(text, 8, json_object_get(item, "allocation"));
}

static void import_text(GString *text, const json_t *item, const struct document *document)
{
	const json_t *from = json_object_get(item, "exporter");

	text_bytes(text, number(item, "bytes"));
	g_string_append(text, " imported at ");
	document_moment(text, document, item, "time_ns");
	g_string_append_printf(text, " and still open; %s\n", document_string(item, "process"));
	document_stack(text, 8, item);
	if (!from) {
		g_string_append(text, "    Who exported it is not in the recording.\n");
		return;
	}
	g_string_append_printf(text, "    exported by %s%s\n", document_string(from, "process"),
			       json_is_true(json_object_get(from, "freed")) ? ", freed there since"
									    : "");
	document_stack(text, 8, json_object_get(from, "allocation"));
}

static void available_text(GString *text, const json_t *item, const struct document *document)
{
	const int64_t outside = document_int(item, "outside_bytes");

	g_string_append(text, "    ");
	document_moment(text, document, item, "time_ns");
	g_string_append_printf(text, " node %" G_GINT64_FORMAT ": available ",
			       document_int(item, "node_id"));
	text_bytes(text, number(item, "available_bytes"));
	g_string_append(text, ", alive in this process ");
	text_bytes(text, number(item, "live_bytes"));
	if (outside > 0) {
		g_string_append(text, "; outside use ");
		text_bytes(text, (uint64_t)outside);
	} else if (outside < 0) {
		g_string_append(text, "; given back outside ");
		text_bytes(text, (uint64_t)-outside);
	}
	g_string_append_c(text, '\n');
}

static void list_text(GString *text, const char *title, const json_t *list, const char *what,
		      const struct document *document,
		      void (*write)(GString *text, const json_t *item,
				    const struct document *document))
{
	if (json_array_size(list) == 0)
		return;
	g_string_append_printf(text, "\n%s\n\n", title);
	for (size_t i = 0; i < document_shown(document, list); i++)
		write(text, json_array_get(list, i), document);
	document_more(text, document, list, what);
}

int allocs_text(FILE *stream, const json_t *json, const struct document *document,
		struct allocs_places *places)
{
	const json_t *processes = json_object_get(json, "processes"), *process;
	GString *text = g_string_new(NULL);
	size_t i;
	int error;

	document_header(text, "MEMORY BY PLACE", document);
	json_array_foreach(processes, i, process) process_text(text, process, document);
	error = write_places(text, stream, "PLACES THAT TAKE MEMORY",
			     json_object_get(json, "places"), "places", places,
			     "No recorded call took memory.");
	if (!error)
		error = write_places(text, stream, "TAKEN BY THE LIBRARY FOR ITSELF",
				     json_object_get(json, "internal"), "internal", places,
				     "The library took nothing for itself.");
	registrations_text(text, json, document);
	list_text(text, "FREES THAT WERE REFUSED", json_object_get(json, "refused_frees"), "blocks",
		  document, refused_text);
	list_text(text, "FREES OF WHAT WAS NOT ALLOCATED", json_object_get(json, "bad_frees"),
		  "places", document, bad_free_text);
	list_text(text, "IMPORTS STILL OPEN", json_object_get(json, "imports"), "imports", document,
		  import_text);
	list_text(text, "WHAT THE DRIVER CALLED AVAILABLE", json_object_get(json, "available"),
		  "answers", document, available_text);
	if (!error)
		error = text_write(text, stream);
	g_string_free(text, TRUE);
	return error;
}
