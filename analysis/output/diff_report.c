/* SPDX-License-Identifier: MIT */
/* Memory before and after, place by place (diff_report.h). */
#include "output/diff_report.h"

#include <stddef.h>
#include <string.h>

#include "output/text.h"

#define DIFF_SCHEMA  "kfdscope.diff"
#define DIFF_VERSION "1.0"

/* A level of a frame (struct sym_frame). */
struct diff_level {
	const char *name; /* of the diff's strings: the same code has the same */
	struct json_ready json;
};

/* One place in both states. What says where it is, is of the side that has it, of both the later. */
struct diff_row {
	const struct diff *diff; /* borrowed: levels are indices into its own */
	guint hash;              /* of the next four and of the names of the levels */
	const char *kind, *class;
	const char *call, *ioctl; /* of the diff's strings; NULL: none */
	uint32_t node_id;         /* UINT32_MAX: none */
	int64_t first_ns;
	struct allocs_state state[DIFF_SIDES];
	uint64_t taken[DIFF_SIDES];
	uint32_t level_count;
	uint32_t caller; /* index into levels; UINT32_MAX: none */
	uint32_t levels[];
};

struct diff {
	GStringChunk *strings;     /* each once */
	GArray *levels;            /* of struct diff_level */
	struct pool pool;          /* of rows */
	GHashTable *by_place;      /* set of borrowed struct diff_row */
	GPtrArray *rows;           /* the same in the order in which they came */
	GPtrArray *changed;        /* some of them; since diff_finish() */
	json_t *sides[DIFF_SIDES]; /* owned */
	/* Of the recording that is taken: */
	struct diff_told told[DIFF_SIDES];
	struct frames_json *frames; /* borrowed */
	GArray *first_levels; /* of uint32_t by the frame's number: 1 + its first one; 0: not taken */
	GByteArray *place;    /* struct diff_row that is looked for */
};

static guint row_hash(gconstpointer data)
{
	return ((const struct diff_row *)data)->hash;
}

static const char *level_name(const struct diff_row *row, uint32_t index)
{
	return g_array_index(row->diff->levels, struct diff_level, row->levels[index]).name;
}

static gboolean row_equal(gconstpointer left, gconstpointer right)
{
	const struct diff_row *a = left, *b = right;

	if (a->hash != b->hash || a->kind != b->kind || a->class != b->class ||
	    a->call != b->call || a->ioctl != b->ioctl || a->node_id != b->node_id ||
	    a->level_count != b->level_count)
		return false;
	for (uint32_t i = 0; i < a->level_count; i++)
		if (level_name(a, i) != level_name(b, i))
			return false;
	return true;
}

static guint make_hash(const struct diff_row *row)
{
	guint hash = g_direct_hash(row->kind) ^ row->node_id;

	hash = hash * 31u + g_direct_hash(row->class);
	hash = hash * 31u + g_direct_hash(row->call);
	hash = hash * 31u + g_direct_hash(row->ioctl);
	for (uint32_t i = 0; i < row->level_count; i++)
		hash = hash * 31u + g_direct_hash(level_name(row, i));
	return hash;
}

static void level_clear(void *data)
{
	json_ready_fini(&((struct diff_level *)data)->json);
}

struct diff *diff_new(void)
{
	struct diff *diff = g_new0(struct diff, 1);

	diff->strings = g_string_chunk_new(4096);
	diff->levels = g_array_new(FALSE, FALSE, sizeof(struct diff_level));
	g_array_set_clear_func(diff->levels, level_clear);
	diff->by_place = g_hash_table_new(row_hash, row_equal);
	diff->rows = g_ptr_array_new();
	diff->changed = g_ptr_array_new();
	diff->first_levels = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	diff->place = g_byte_array_new();
	return diff;
}

void diff_free(struct diff *diff)
{
	if (!diff)
		return;
	g_hash_table_destroy(diff->by_place);
	g_ptr_array_free(diff->rows, TRUE);
	g_ptr_array_free(diff->changed, TRUE);
	g_array_free(diff->levels, TRUE);
	g_array_free(diff->first_levels, TRUE);
	g_byte_array_free(diff->place, TRUE);
	g_string_chunk_free(diff->strings);
	pool_fini(&diff->pool);
	for (int side = 0; side < DIFF_SIDES; side++)
		json_decref(diff->sides[side]);
	g_free(diff);
}

static const char *keep_string(struct diff *diff, const char *text)
{
	return text ? g_string_chunk_insert_const(diff->strings, text) : NULL;
}

/* Functions by name; where there is none the place in the module has to do. */
static const char *keep_name(struct diff *diff, const struct sym_frame *frame, uint32_t level)
{
	const char *function = frame->levels[level].function;
	const char *module = frame->module ? frame->module : "";
	char *text = function
			     ? g_strdup_printf("%s@%s", function, module)
			     : g_strdup_printf("%s+%" G_GINT64_MODIFIER "x", module, frame->offset);
	const char *name = keep_string(diff, text);

	g_free(text);
	return name;
}

/* @return index of the frame's first level; the others follow it. */
static uint32_t take_frame(struct diff *diff, const struct sym_frame *frame, enum module_role role)
{
	struct json_ready *made;
	uint32_t *first;

	if (frame->number >= diff->first_levels->len)
		g_array_set_size(diff->first_levels, frame->number + 1);
	first = &g_array_index(diff->first_levels, uint32_t, frame->number);
	if (*first)
		return *first - 1;
	made = frames_json_levels(diff->frames, frame, role);
	*first = diff->levels->len + 1;
	for (uint32_t i = 0; i < frame->level_count; i++) {
		struct diff_level level = { .name = keep_name(diff, frame, i) };

		json_ready_copy(&level.json, &made[i]);
		g_array_append_val(diff->levels, level);
	}
	return *first - 1;
}

/* Makes diff->place. */
static const struct diff_row *make_place(struct diff *diff, const struct site *site,
					 const struct stackview *view)
{
	struct diff_row row = {
		.diff = diff,
		.kind = memory_kind_name(site->kind),
		.class = block_class_name(site->class),
		.call = keep_string(diff, site->type ? site->type->name : NULL),
		.ioctl = keep_string(diff, site->ioctl ? site->ioctl->name : NULL),
		.node_id = site->node_id,
		.first_ns = site->first_ns,
		.caller = UINT32_MAX,
	};
	struct diff_row *place;

	g_byte_array_set_size(diff->place, offsetof(struct diff_row, levels));
	for (uint32_t i = 0; i < view->count; i++) {
		uint32_t level = take_frame(diff, view->frames[i], view->roles[i]);

		if ((int)i == view->caller)
			row.caller = row.level_count;
		row.level_count += view->frames[i]->level_count;
		for (uint32_t j = 0; j < view->frames[i]->level_count; j++, level++)
			g_byte_array_append(diff->place, (const guint8 *)&level, sizeof(level));
	}
	memcpy(diff->place->data, &row, offsetof(struct diff_row, levels));
	place = (struct diff_row *)diff->place->data;
	place->hash = make_hash(place);
	return place;
}

/* The row of a place: a new one, or that of the state before. */
static struct diff_row *get_row(struct diff *diff, const struct site *site,
				const struct stackview *view)
{
	const struct diff_row *place = make_place(diff, site, view);
	struct diff_row *row = g_hash_table_lookup(diff->by_place, place);

	if (row) {
		row->first_ns = place->first_ns;
		row->caller = place->caller;
		memcpy(row->levels, place->levels, row->level_count * sizeof(row->levels[0]));
		return row;
	}
	row = pool_take(&diff->pool, diff->place->len);
	memcpy(row, place, diff->place->len);
	g_hash_table_add(diff->by_place, row);
	g_ptr_array_add(diff->rows, row);
	return row;
}

/* What a reader of a difference has to know of each side: is it all there? */
static json_t *side_json(const char *name, const json_t *report)
{
	return json_pack("{ss sO sO sO}", "name", name, "complete",
			 json_object_get(report, "complete"), "lost_events",
			 json_object_get(report, "lost_events"), "partial_input",
			 json_object_get(report, "partial_input"));
}

void diff_take_report(struct diff *diff, const struct diff_told *told, const json_t *report,
		      struct frames_json *frames)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		diff->told[side] = told[side];
		if (!told[side].is_told)
			continue;
		json_decref(diff->sides[side]);
		diff->sides[side] = side_json(told[side].name, report);
	}
	diff->frames = frames;
	g_array_set_size(diff->first_levels, 0); /* another resolver counts frames anew */
}

void diff_take_place(struct diff *diff, const struct site *site, const struct stackview *view,
		     const struct allocs_state *states)
{
	struct diff_row *row = get_row(diff, site, view);

	for (int side = 0; side < DIFF_SIDES; side++) {
		if (!diff->told[side].is_told)
			continue;
		row->state[side].blocks += states[side].blocks;
		row->state[side].bytes += states[side].bytes;
		row->taken[side] += site->taken_count;
	}
}

void diff_take(struct diff *diff, const struct diff_told *told, const json_t *report,
	       const struct allocs_places *places)
{
	const struct document *document = allocs_places_document(places);

	diff_take_report(diff, told, report, document->frames);
	for (size_t i = 0; i < allocs_places_count(places, "places"); i++) {
		const struct site *site = allocs_place_site(places, i);
		struct allocs_state states[DIFF_SIDES];
		struct stackview view;

		for (int side = 0; side < DIFF_SIDES; side++)
			states[side] = allocs_place_state(places, i, told[side].moment);
		stackview_init(&view, document->sym, site->process, site->stack);
		diff_take_place(diff, site, &view, states);
		stackview_fini(&view);
	}
}

static int64_t row_change(const struct diff_row *row)
{
	return (int64_t)(row->state[DIFF_AFTER].bytes - row->state[DIFF_BEFORE].bytes);
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

static int64_t block_change(const struct diff_row *row)
{
	return (int64_t)(row->state[DIFF_AFTER].blocks - row->state[DIFF_BEFORE].blocks);
}

void diff_finish(struct diff *diff)
{
	for (guint i = 0; i < diff->rows->len; i++) {
		struct diff_row *row = g_ptr_array_index(diff->rows, i);

		if (row_change(row) || block_change(row))
			g_ptr_array_add(diff->changed, row);
	}
	/* Of those that are equal in this order, the one that came first stays first. */
	g_ptr_array_sort(diff->changed, compare_rows);
}

static void build_state(struct json_build *build, const char *name,
			const struct allocs_state *state)
{
	json_build_object(build, name);
	json_build_int(build, "blocks", (int64_t)state->blocks);
	json_build_int(build, "bytes", (int64_t)state->bytes);
	json_build_end(build);
}

static void build_level(struct json_build *build, const char *name, const struct diff_row *row,
			uint32_t index)
{
	struct diff_level *levels = (struct diff_level *)row->diff->levels->data;

	json_build_ready(build, name, &levels[row->levels[index]].json);
}

void diff_place_build(void *data, const char *list, size_t index, struct json_build *build)
{
	const struct diff *diff = data;
	const struct diff_row *row = g_ptr_array_index(diff->changed, index);

	(void)list; /* there is only one */
	json_build_object(build, NULL);
	build_state(build, "before", &row->state[DIFF_BEFORE]);
	build_state(build, "after", &row->state[DIFF_AFTER]);
	json_build_int(build, "change_bytes", row_change(row));
	json_build_int(build, "change_blocks", block_change(row));
	json_build_string(build, "kind", row->kind);
	json_build_string(build, "class", row->class);
	if (row->node_id != UINT32_MAX)
		json_build_int(build, "node_id", row->node_id);
	json_build_string(build, "call", row->call);
	json_build_string(build, "ioctl", row->ioctl);
	if (row->caller == UINT32_MAX)
		json_build_null(build, "caller");
	else
		build_level(build, "caller", row, row->caller);
	json_build_list(build, "stack");
	for (uint32_t i = 0; i < row->level_count; i++)
		build_level(build, NULL, row, i);
	json_build_end(build);
	json_build_int(build, "taken_before", (int64_t)row->taken[DIFF_BEFORE]);
	json_build_int(build, "taken_after", (int64_t)row->taken[DIFF_AFTER]);
	json_build_end(build);
}

static json_t *state_json(const struct allocs_state *state)
{
	return json_pack("{sI sI}", "blocks", (json_int_t)state->blocks, "bytes",
			 (json_int_t)state->bytes);
}

json_t *diff_json(const struct diff *diff)
{
	struct allocs_state sums[DIFF_SIDES] = { { 0 } };
	int64_t grown = 0;
	json_t *list = json_array();

	for (guint i = 0; i < diff->rows->len; i++) {
		const struct diff_row *row = g_ptr_array_index(diff->rows, i);

		for (int side = 0; side < DIFF_SIDES; side++) {
			sums[side].blocks += row->state[side].blocks;
			sums[side].bytes += row->state[side].bytes;
		}
		grown += row_change(row) > 0;
	}
	for (guint i = 0; i < diff->changed->len; i++)
		json_array_append_new(list, json_null());
	return json_pack("{ss ss sO sO s{so so sI} sI sI so}", "schema", DIFF_SCHEMA, "version",
			 DIFF_VERSION, "before", diff->sides[DIFF_BEFORE], "after",
			 diff->sides[DIFF_AFTER], "total", "before", state_json(&sums[DIFF_BEFORE]),
			 "after", state_json(&sums[DIFF_AFTER]), "change_bytes",
			 (json_int_t)(sums[DIFF_AFTER].bytes - sums[DIFF_BEFORE].bytes), "findings",
			 (json_int_t)grown, "unchanged_places",
			 (json_int_t)(diff->rows->len - diff->changed->len), "places", list);
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

static void side_gaps_text(GString *text, uint64_t lost_events, size_t unreadable)
{
	if (lost_events == 0 && unreadable == 0) {
		g_string_append(text, "events are missing");
		return;
	}
	text_count(text, lost_events, "event lost, ", "events lost, ");
	text_count(text, unreadable, "part unreadable", "parts unreadable");
}

static void side_text(GString *text, const char *title, const json_t *side)
{
	g_string_append_printf(text, "%s %s", title, document_string(side, "name"));
	if (!json_is_true(json_object_get(side, "complete"))) {
		g_string_append(text, " (NOT COMPLETE: ");
		side_gaps_text(text, (uint64_t)document_int(side, "lost_events"),
			       json_array_size(json_object_get(side, "partial_input")));
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

/* Writes what is there of the text, with the places. */
static int write_places(GString *text, FILE *stream, struct diff *diff, size_t count)
{
	struct json_build *build = json_build_new(NULL);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		json_t *row;

		diff_place_build(diff, "places", i, build);
		row = json_build_take(build);
		row_text(text, row);
		json_decref(row);
		error = text_write(text, stream);
	}
	json_build_free(build);
	return error;
}

int diff_text(FILE *stream, struct diff *diff, const json_t *json, uint32_t top)
{
	const json_t *total = json_object_get(json, "total");
	const size_t count = diff->changed->len, shown = top ? MIN(top, count) : count;
	GString *text = g_string_new(NULL);
	int error;

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
	if (count == 0)
		g_string_append(text, "No place holds more or less than before.\n");
	error = write_places(text, stream, diff, shown);
	if (shown < count)
		g_string_append_printf(text, "and %zu more places (--top=0 lists all)\n",
				       count - shown);
	text_count(text, (uint64_t)document_int(json, "unchanged_places"),
		   "place holds as much as before.\n", "places hold as much as before.\n");
	if (!error)
		error = text_write(text, stream);
	g_string_free(text, TRUE);
	return error;
}
