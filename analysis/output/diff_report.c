/* SPDX-License-Identifier: MIT */
/* Memory before and after, place by place (diff_report.h). */
#include "output/diff_report.h"

#include "output/document.h"
#include "output/text.h"

#define DIFF_SCHEMA  "kfdscope.diff"
#define DIFF_VERSION "1.0"

/* One place in both states. */
struct diff_row {
	json_t *place; /* owned: what says where it is; of the side that has it, of both the later */
	int64_t first_ns; /* of the same */
	int64_t blocks[DIFF_SIDES], bytes[DIFF_SIDES], taken[DIFF_SIDES];
};

struct diff {
	GHashTable *rows;          /* key (owned) -> struct diff_row (owned) */
	GPtrArray *changed;        /* of borrowed struct diff_row; since diff_finish() */
	json_t *sides[DIFF_SIDES]; /* owned */
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

static void row_free(void *data)
{
	struct diff_row *row = data;

	json_decref(row->place);
	g_free(row);
}

struct diff *diff_new(void)
{
	struct diff *diff = g_new0(struct diff, 1);

	diff->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, row_free);
	diff->changed = g_ptr_array_new();
	return diff;
}

void diff_free(struct diff *diff)
{
	if (!diff)
		return;
	g_ptr_array_free(diff->changed, TRUE);
	g_hash_table_destroy(diff->rows);
	for (int side = 0; side < DIFF_SIDES; side++)
		json_decref(diff->sides[side]);
	g_free(diff);
}

/* What a reader of a difference has to know of each side: is it all there? */
void diff_take_report(struct diff *diff, enum diff_side side, const char *name,
		      const json_t *report)
{
	json_decref(diff->sides[side]);
	diff->sides[side] = json_pack("{ss sO sO sO}", "name", name, "complete",
				      json_object_get(report, "complete"), "lost_events",
				      json_object_get(report, "lost_events"), "partial_input",
				      json_object_get(report, "partial_input"));
}

/* The members that say where a place is. */
static json_t *where_json(const json_t *place)
{
	static const char *const copied[] = { "kind",  "class",  "node_id", "call",
					      "ioctl", "caller", "stack" };
	json_t *json = json_object();

	for (size_t i = 0; i < G_N_ELEMENTS(copied); i++) {
		json_t *value = json_object_get(place, copied[i]);

		if (value)
			json_object_set(json, copied[i], value);
	}
	return json;
}

void diff_take_place(struct diff *diff, enum diff_side side, int moment, const json_t *place)
{
	const json_t *state =
		moment < 0 ? json_object_get(place, "live")
			   : json_array_get(json_object_get(place, "at_moments"), (size_t)moment);
	char *key = place_key(place);
	struct diff_row *row = g_hash_table_lookup(diff->rows, key);

	if (!row) {
		row = g_new0(struct diff_row, 1);
		g_hash_table_insert(diff->rows, key, row);
		key = NULL;
	}
	json_decref(row->place);
	row->place = where_json(place);
	row->first_ns = document_int(place, "first_ns");
	row->blocks[side] += document_int(state, "blocks");
	row->bytes[side] += document_int(state, "bytes");
	row->taken[side] += document_int(place, "taken");
	g_free(key);
}

static int64_t row_change(const struct diff_row *row)
{
	return row->bytes[DIFF_AFTER] - row->bytes[DIFF_BEFORE];
}

static int compare_rows(const void *left, const void *right)
{
	const struct diff_row *a = *(struct diff_row *const *)left;
	const struct diff_row *b = *(struct diff_row *const *)right;
	const int64_t a_size = ABS(row_change(a)), b_size = ABS(row_change(b));

	if (a_size != b_size)
		return a_size > b_size ? -1 : 1;
	return a->first_ns < b->first_ns ? -1 : a->first_ns > b->first_ns;
}

void diff_finish(struct diff *diff)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, diff->rows);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct diff_row *row = value;

		if (row_change(row) || row->blocks[DIFF_BEFORE] != row->blocks[DIFF_AFTER])
			g_ptr_array_add(diff->changed, value);
	}
	g_ptr_array_sort(diff->changed, compare_rows);
}

static json_t *state_json(int64_t blocks, int64_t bytes)
{
	return json_pack("{sI sI}", "blocks", (json_int_t)blocks, "bytes", (json_int_t)bytes);
}

json_t *diff_place_json(void *data, const char *list, size_t index)
{
	const struct diff *diff = data;
	const struct diff_row *row = g_ptr_array_index(diff->changed, index);
	json_t *json =
		json_pack("{so so sI sI}", "before",
			  state_json(row->blocks[DIFF_BEFORE], row->bytes[DIFF_BEFORE]), "after",
			  state_json(row->blocks[DIFF_AFTER], row->bytes[DIFF_AFTER]),
			  "change_bytes", (json_int_t)row_change(row), "change_blocks",
			  (json_int_t)(row->blocks[DIFF_AFTER] - row->blocks[DIFF_BEFORE]));

	(void)list; /* there is only one */
	json_object_update(json, row->place);
	document_set_int(json, "taken_before", (uint64_t)row->taken[DIFF_BEFORE]);
	document_set_int(json, "taken_after", (uint64_t)row->taken[DIFF_AFTER]);
	return json;
}

json_t *diff_json(const struct diff *diff, size_t made)
{
	int64_t blocks[DIFF_SIDES] = { 0 }, bytes[DIFF_SIDES] = { 0 }, grown = 0;
	json_t *list = json_array();
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, diff->rows);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct diff_row *row = value;

		for (int side = 0; side < DIFF_SIDES; side++) {
			blocks[side] += row->blocks[side];
			bytes[side] += row->bytes[side];
		}
		grown += row_change(row) > 0;
	}
	for (guint i = 0; i < diff->changed->len; i++)
		json_array_append_new(list, i < made ? diff_place_json((void *)diff, "places", i)
						     : json_null());
	return json_pack(
		"{ss ss sO sO s{so so sI} sI sI so}", "schema", DIFF_SCHEMA, "version",
		DIFF_VERSION, "before", diff->sides[DIFF_BEFORE], "after", diff->sides[DIFF_AFTER],
		"total", "before", state_json(blocks[DIFF_BEFORE], bytes[DIFF_BEFORE]), "after",
		state_json(blocks[DIFF_AFTER], bytes[DIFF_AFTER]), "change_bytes",
		(json_int_t)(bytes[DIFF_AFTER] - bytes[DIFF_BEFORE]), "findings", (json_int_t)grown,
		"unchanged_places",
		(json_int_t)(g_hash_table_size(diff->rows) - diff->changed->len), "places", list);
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
