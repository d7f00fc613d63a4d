/* SPDX-License-Identifier: MIT */
/* Memory before and after, place by place (diff_report.h). */
#include "output/diff_report.h"

#include "output/document.h"
#include "output/text.h"

#define DIFF_SCHEMA  "kfdscope.diff"
#define DIFF_VERSION "1.0"

enum { BEFORE, AFTER, SIDES };

/* One place in both states. */
struct diff_row {
	const json_t *place; /* borrowed: of the side that has it; of both, the later */
	int64_t blocks[SIDES], bytes[SIDES], taken[SIDES];
};

static void frame_key(GString *key, const json_t *frame)
{
	char *module = g_path_get_basename(document_string(frame, "module"));

	if (*document_string(frame, "function"))
		g_string_append_printf(key, "|%s@%s", document_string(frame, "function"), module);
	else
		g_string_append_printf(key, "|%s+%" G_GINT64_MODIFIER "x", module,
				       document_int(frame, "offset"));
	g_free(module);
}

static char *place_key(const json_t *place)
{
	const json_t *stack = json_object_get(place, "stack"), *frame;
	GString *key = g_string_new(document_string(place, "kind"));
	size_t i;

	g_string_append_printf(key, "|%s|%s|%s", document_string(place, "class"),
			       document_string(place, "call"), document_string(place, "ioctl"));
	if (json_object_get(place, "node_id"))
		g_string_append_printf(key, "|node %" G_GINT64_FORMAT,
				       document_int(place, "node_id"));
	json_array_foreach(stack, i, frame) frame_key(key, frame);
	return g_string_free(key, FALSE);
}

static const json_t *place_state(const json_t *place, const struct diff_side *side)
{
	return side->moment < 0
		       ? json_object_get(place, "live")
		       : json_array_get(json_object_get(place, "at_moments"), (size_t)side->moment);
}

static void collect(GHashTable *rows, const struct diff_side *side, int which)
{
	const json_t *places = json_object_get(side->allocs, "places"), *place;
	size_t i;

	json_array_foreach(places, i, place)
	{
		const json_t *state = place_state(place, side);
		char *key = place_key(place);
		struct diff_row *row = g_hash_table_lookup(rows, key);

		if (!row) {
			row = g_new0(struct diff_row, 1);
			g_hash_table_insert(rows, g_strdup(key), row);
		}
		row->place = place;
		row->blocks[which] += document_int(state, "blocks");
		row->bytes[which] += document_int(state, "bytes");
		row->taken[which] += document_int(place, "taken");
		g_free(key);
	}
}

static int64_t row_change(const struct diff_row *row)
{
	return row->bytes[AFTER] - row->bytes[BEFORE];
}

static int compare_rows(const void *left, const void *right)
{
	const struct diff_row *a = *(struct diff_row *const *)left;
	const struct diff_row *b = *(struct diff_row *const *)right;
	const int64_t a_size = ABS(row_change(a)), b_size = ABS(row_change(b));
	int64_t a_first, b_first;

	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	a_first = document_int(a->place, "first_ns");
	b_first = document_int(b->place, "first_ns");
	return a_first < b_first ? -1 : a_first > b_first;
}

static json_t *state_json(int64_t blocks, int64_t bytes)
{
	return json_pack("{sI sI}", "blocks", (json_int_t)blocks, "bytes", (json_int_t)bytes);
}

static json_t *row_json(const struct diff_row *row)
{
	static const char *const copied[] = { "kind",  "class",  "node_id", "call",
					      "ioctl", "caller", "stack" };
	json_t *json = json_pack("{so so sI sI}", "before",
				 state_json(row->blocks[BEFORE], row->bytes[BEFORE]), "after",
				 state_json(row->blocks[AFTER], row->bytes[AFTER]), "change_bytes",
				 (json_int_t)row_change(row), "change_blocks",
				 (json_int_t)(row->blocks[AFTER] - row->blocks[BEFORE]));

	for (size_t i = 0; i < G_N_ELEMENTS(copied); i++) {
		json_t *value = json_object_get(row->place, copied[i]);

		if (value)
			json_object_set(json, copied[i], value);
	}
	document_set_int(json, "taken_before", (uint64_t)row->taken[BEFORE]);
	document_set_int(json, "taken_after", (uint64_t)row->taken[AFTER]);
	return json;
}

/* What a reader of a difference has to know of each side: is it all there? */
static json_t *side_json(const struct diff_side *side)
{
	json_t *json = json_pack("{ss sO sO sO}", "name", side->name, "complete",
				 json_object_get(side->allocs, "complete"), "lost_events",
				 json_object_get(side->allocs, "lost_events"), "partial_input",
				 json_object_get(side->allocs, "partial_input"));

	return json;
}

json_t *diff_json(const struct diff_side *before, const struct diff_side *after)
{
	GHashTable *rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	GPtrArray *changed = g_ptr_array_new();
	json_t *list = json_array(), *json;
	int64_t blocks[SIDES] = { 0 }, bytes[SIDES] = { 0 }, grown = 0;
	GHashTableIter iter;
	void *value;

	collect(rows, before, BEFORE);
	collect(rows, after, AFTER);
	g_hash_table_iter_init(&iter, rows);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct diff_row *row = value;

		for (int side = 0; side < SIDES; side++) {
			blocks[side] += row->blocks[side];
			bytes[side] += row->bytes[side];
		}
		grown += row_change(row) > 0;
		if (row_change(row) || row->blocks[BEFORE] != row->blocks[AFTER])
			g_ptr_array_add(changed, value);
	}
	g_ptr_array_sort(changed, compare_rows);
	for (guint i = 0; i < changed->len; i++)
		json_array_append_new(list, row_json(g_ptr_array_index(changed, i)));
	json = json_pack("{ss ss so so s{so so sI} sI sI so}", "schema", DIFF_SCHEMA, "version",
			 DIFF_VERSION, "before", side_json(before), "after", side_json(after),
			 "total", "before", state_json(blocks[BEFORE], bytes[BEFORE]), "after",
			 state_json(blocks[AFTER], bytes[AFTER]), "change_bytes",
			 (json_int_t)(bytes[AFTER] - bytes[BEFORE]), "findings", (json_int_t)grown,
			 "unchanged_places", (json_int_t)(g_hash_table_size(rows) - changed->len),
			 "places", list);
	g_ptr_array_free(changed, TRUE);
	g_hash_table_destroy(rows);
	return json;
}

static void change_text(GString *text, int64_t bytes)
{
	g_string_append_c(text, bytes < 0 ? '-' : '+');
	text_bytes(text, (uint64_t)ABS(bytes));
}

static void state_text(GString *text, const json_t *state)
{
	text_bytes(text, (uint64_t)document_int(state, "bytes"));
	g_string_append(text, " in ");
	text_count(text, (uint64_t)document_int(state, "blocks"), "block", "blocks");
}

static void side_text(GString *text, const char *title, const json_t *side)
{
	g_string_append_printf(text, "%s %s", title, document_string(side, "name"));
	if (!json_is_true(json_object_get(side, "complete"))) {
		g_string_append(text, " (NOT COMPLETE: ");
		text_count(text, (uint64_t)document_int(side, "lost_events"), "event lost, ",
			   "events lost, ");
		text_count(text, json_array_size(json_object_get(side, "partial_input")),
			   "part unreadable", "parts unreadable");
		g_string_append(text, "; differences may come from that)");
	}
	g_string_append_c(text, '\n');
}

static void row_text(GString *text, const json_t *row)
{
	change_text(text, document_int(row, "change_bytes"));
	g_string_append_printf(text, " of %s", document_string(row, "kind"));
	if (json_object_get(row, "node_id"))
		g_string_append_printf(text, " on node %" G_GINT64_FORMAT,
				       document_int(row, "node_id"));
	document_caller(text, row);
	g_string_append(text, "\n    before: ");
	state_text(text, json_object_get(row, "before"));
	g_string_append(text, "; after: ");
	state_text(text, json_object_get(row, "after"));
	g_string_append_c(text, '\n');
	document_stack(text, 8, row);
	g_string_append_c(text, '\n');
}

void diff_text(GString *text, const json_t *json, uint32_t top)
{
	const json_t *places = json_object_get(json, "places");
	const json_t *total = json_object_get(json, "total");
	size_t shown = json_array_size(places);

	g_string_append(text, "MEMORY COMPARED\n\n");
	side_text(text, "before:", json_object_get(json, "before"));
	side_text(text, "after: ", json_object_get(json, "after"));
	g_string_append(text, "\nIn total ");
	change_text(text, document_int(total, "change_bytes"));
	g_string_append(text, ": ");
	state_text(text, json_object_get(total, "before"));
	g_string_append(text, " before, ");
	state_text(text, json_object_get(total, "after"));
	g_string_append(text, " after.\n\n");
	if (shown == 0)
		g_string_append(text, "No place holds more or less than before.\n");
	if (top && top < shown)
		shown = top;
	for (size_t i = 0; i < shown; i++)
		row_text(text, json_array_get(places, i));
	if (shown < json_array_size(places))
		g_string_append_printf(text, "and %zu more places (--top=0 lists all)\n",
				       json_array_size(places) - shown);
	text_count(text, (uint64_t)document_int(json, "unchanged_places"),
		   "place holds as much as before.\n", "places hold as much as before.\n");
}
