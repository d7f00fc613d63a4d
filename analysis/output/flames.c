/* SPDX-License-Identifier: MIT */
/* Paths of frames and their weights (flames.h). */
#include "output/flames.h"

#include <string.h>

#include "output/stackview.h"
#include "output/text.h"

#define SPEEDSCOPE_SCHEMA "https://www.speedscope.app/file-format-schema.json"

static const struct {
	const char *name, *unit; /* as speedscope calls it */
} weights[FLAMES_WEIGHT_COUNT] = {
	[FLAMES_TIME] = { "time", "nanoseconds" },
	[FLAMES_BYTES] = { "bytes", "bytes" },
	[FLAMES_COUNT] = { "count", "none" },
};

bool flames_weight_by_name(const char *name, enum flames_weight *weight)
{
	for (int i = 0; i < FLAMES_WEIGHT_COUNT; i++) {
		if (strcmp(weights[i].name, name) == 0) {
			*weight = (enum flames_weight)i;
			return true;
		}
	}
	return false;
}

/* A frame that paths share. */
struct frame {
	char *name;       /* owned */
	const char *file; /* borrowed from the resolver; NULL: unknown */
	int line;         /* 0: unknown */
	guint index;
};

/* One path of calls; equal ones are one. */
struct path {
	const struct process *process; /* borrowed */
	GArray *frames;                /* owned, of guint: indexes, outermost first */
	uint64_t weight[FLAMES_WEIGHT_COUNT];
};

struct flames {
	struct sym *sym;       /* owned: frames borrow its file names */
	GHashTable *by_name;   /* set of struct frame, owned */
	GPtrArray *frames;     /* of borrowed struct frame, by index */
	GHashTable *by_frames; /* set of struct path, owned */
	GPtrArray *paths;      /* of borrowed struct path, in order of appearance */
};

static guint frame_hash(gconstpointer data)
{
	const struct frame *frame = data;

	return g_str_hash(frame->name) * 31u + (guint)frame->line;
}

static gboolean frame_equal(gconstpointer left, gconstpointer right)
{
	const struct frame *a = left, *b = right;

	return a->line == b->line && strcmp(a->name, b->name) == 0 &&
	       g_strcmp0(a->file, b->file) == 0;
}

static void frame_free(void *data)
{
	struct frame *frame = data;

	g_free(frame->name);
	g_free(frame);
}

static guint path_hash(gconstpointer data)
{
	const struct path *path = data;
	guint hash = g_direct_hash(path->process);

	for (guint i = 0; i < path->frames->len; i++)
		hash = hash * 31u + g_array_index(path->frames, guint, i);
	return hash;
}

static gboolean path_equal(gconstpointer left, gconstpointer right)
{
	const struct path *a = left, *b = right;

	return a->process == b->process && a->frames->len == b->frames->len &&
	       memcmp(a->frames->data, b->frames->data, a->frames->len * sizeof(guint)) == 0;
}

static void path_free(void *data)
{
	struct path *path = data;

	g_array_free(path->frames, TRUE);
	g_free(path);
}

/* @param name  taken. */
static guint frame_index(struct flames *flames, char *name, const char *file, int line)
{
	struct frame key = { .name = name, .file = file, .line = line };
	struct frame *frame = g_hash_table_lookup(flames->by_name, &key);

	if (frame) {
		g_free(name);
		return frame->index;
	}
	frame = g_new0(struct frame, 1);
	*frame = key;
	frame->index = flames->frames->len;
	g_hash_table_add(flames->by_name, frame);
	g_ptr_array_add(flames->frames, frame);
	return frame->index;
}

static void push(GArray *path, guint index)
{
	g_array_append_val(path, index);
}

/* Inlined functions are frames, too. */
static void push_frame(struct flames *flames, GArray *path, const struct sym_frame *frame)
{
	for (uint32_t i = frame->level_count; i > 0; i--) {
		const struct sym_level *level = &frame->levels[i - 1];
		GString *name = g_string_new(level->function);

		if (!level->function)
			frame_function(name, frame);
		push(path,
		     frame_index(flames, g_string_free(name, FALSE), level->file, level->line));
	}
}

static void add_path(struct flames *flames, const struct chain *chain, const GArray *frames)
{
	struct path key = { .process = chain->process, .frames = (GArray *)frames };
	struct path *path = g_hash_table_lookup(flames->by_frames, &key);

	if (!path) {
		path = g_new0(struct path, 1);
		path->process = chain->process;
		path->frames = g_array_copy((GArray *)frames);
		g_hash_table_add(flames->by_frames, path);
		g_ptr_array_add(flames->paths, path);
	}
	path->weight[FLAMES_TIME] += (uint64_t)MAX(chain->latency.self_ns, 0);
	path->weight[FLAMES_COUNT] += chain->latency.count;
	path->weight[FLAMES_BYTES] += chain->bytes;
}

static void add_chain(struct flames *flames, const struct chain *chain, GArray *path)
{
	push(path, frame_index(flames, g_strdup(chain->type->name), NULL, 0));
	if (chain->latency.count)
		add_path(flames, chain, path);
	for (const struct chain *child = chain->first_child; child; child = child->next)
		add_chain(flames, child, path);
	g_array_set_size(path, path->len - 1);
}

static void add_root(struct flames *flames, const struct chain *chain)
{
	GArray *path = g_array_new(FALSE, FALSE, sizeof(guint));
	GString *process = g_string_new(NULL);
	struct stackview view;

	text_process(process, chain->process);
	push(path, frame_index(flames, g_string_free(process, FALSE), NULL, 0));
	stackview_init(&view, flames->sym, chain->process, chain->stack);
	for (uint32_t i = view.count; i > 0; i--)
		push_frame(flames, path, view.frames[i - 1]);
	stackview_fini(&view);
	add_chain(flames, chain, path);
	g_array_free(path, TRUE);
}

static void flames_init(struct flames *flames, const struct chains *chains, const char *debug_dirs)
{
	const GPtrArray *roots = chains_roots(chains);

	flames->sym = sym_new(debug_dirs);
	flames->by_name = g_hash_table_new_full(frame_hash, frame_equal, frame_free, NULL);
	flames->frames = g_ptr_array_new();
	flames->by_frames = g_hash_table_new_full(path_hash, path_equal, path_free, NULL);
	flames->paths = g_ptr_array_new();
	for (guint i = 0; i < roots->len; i++)
		add_root(flames, g_ptr_array_index(roots, i));
}

static void flames_fini(struct flames *flames)
{
	g_ptr_array_free(flames->paths, TRUE);
	g_hash_table_destroy(flames->by_frames);
	g_ptr_array_free(flames->frames, TRUE);
	g_hash_table_destroy(flames->by_name);
	sym_free(flames->sym);
}

static int compare_paths(const void *left, const void *right, void *data)
{
	const struct path *a = *(struct path *const *)left, *b = *(struct path *const *)right;
	const enum flames_weight *weight = data;

	if (a->weight[*weight] != b->weight[*weight])
		return a->weight[*weight] > b->weight[*weight] ? -1 : 1;
	if (a->frames->len != b->frames->len)
		return a->frames->len < b->frames->len ? -1 : 1;
	return memcmp(a->frames->data, b->frames->data, a->frames->len * sizeof(guint));
}

/* ';' divides frames, and the last blank of a line stands before the weight. */
static void append_folded(GString *text, const char *name)
{
	for (; *name; name++)
		g_string_append_c(text, *name == ';' || *name == '\n' ? ':' : *name);
}

void flames_folded(GString *text, const struct chains *chains, const char *debug_dirs,
		   enum flames_weight weight)
{
	struct flames flames;

	flames_init(&flames, chains, debug_dirs);
	g_ptr_array_sort_with_data(flames.paths, compare_paths, &weight);
	for (guint i = 0; i < flames.paths->len; i++) {
		const struct path *path = g_ptr_array_index(flames.paths, i);

		if (path->weight[weight] == 0)
			break;
		for (guint j = 0; j < path->frames->len; j++) {
			const struct frame *frame = g_ptr_array_index(
				flames.frames, g_array_index(path->frames, guint, j));

			g_string_append(text, j ? ";" : "");
			append_folded(text, frame->name);
		}
		g_string_append_printf(text, " %" G_GUINT64_FORMAT "\n", path->weight[weight]);
	}
	flames_fini(&flames);
}

static json_t *frames_json(const struct flames *flames)
{
	json_t *list = json_array();

	for (guint i = 0; i < flames->frames->len; i++) {
		const struct frame *frame = g_ptr_array_index(flames->frames, i);
		json_t *json = json_object();
		/* Names of damaged files need not be text. */
		char *name = g_utf8_make_valid(frame->name, -1);

		json_object_set_new(json, "name", json_string(name));
		if (frame->file &&
		    json_object_set_new(json, "file", json_string(frame->file)) == 0 && frame->line)
			json_object_set_new(json, "line", json_integer(frame->line));
		json_array_append_new(list, json);
		g_free(name);
	}
	return list;
}

/* @return NULL when the process has nothing of that weight. */
static json_t *profile_json(const struct flames *flames, const struct process *process,
			    enum flames_weight weight)
{
	json_t *samples = json_array(), *values = json_array(), *json;
	GString *name = g_string_new(NULL);
	uint64_t sum = 0;

	for (guint i = 0; i < flames->paths->len; i++) {
		const struct path *path = g_ptr_array_index(flames->paths, i);
		json_t *sample;

		if (path->process != process || path->weight[weight] == 0)
			continue;
		sample = json_array();
		for (guint j = 0; j < path->frames->len; j++)
			json_array_append_new(sample,
					      json_integer(g_array_index(path->frames, guint, j)));
		json_array_append_new(samples, sample);
		json_array_append_new(values, json_integer((json_int_t)path->weight[weight]));
		sum += path->weight[weight];
	}
	text_process(name, process);
	g_string_append_printf(name, ": %s", weights[weight].name);
	json = json_pack("{ss ss ss si sI so so}", "type", "sampled", "name", name->str, "unit",
			 weights[weight].unit, "startValue", 0, "endValue", (json_int_t)sum,
			 "samples", samples, "weights", values);
	g_string_free(name, TRUE);
	if (sum)
		return json;
	json_decref(json);
	return NULL;
}

json_t *flames_speedscope(const struct chains *chains, const struct model *model,
			  const char *debug_dirs, enum flames_weight first)
{
	const GPtrArray *processes = model_processes(model);
	json_t *profiles = json_array(), *json;
	struct flames flames;

	flames_init(&flames, chains, debug_dirs);
	for (int i = 0; i < FLAMES_WEIGHT_COUNT; i++) {
		enum flames_weight weight =
			(enum flames_weight)(((int)first + i) % FLAMES_WEIGHT_COUNT);

		for (guint j = 0; j < processes->len; j++) {
			json_t *profile =
				profile_json(&flames, g_ptr_array_index(processes, j), weight);

			if (profile)
				json_array_append_new(profiles, profile);
		}
	}
	json = json_pack("{ss s{so} so ss ss}", "$schema", SPEEDSCOPE_SCHEMA, "shared", "frames",
			 frames_json(&flames), "profiles", profiles, "name", "kfdscope chains",
			 "exporter", "kfdscope");
	if (json_array_size(profiles))
		json_object_set_new(json, "activeProfileIndex", json_integer(0));
	flames_fini(&flames);
	return json;
}
