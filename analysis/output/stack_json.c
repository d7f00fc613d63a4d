/* SPDX-License-Identifier: MIT */
/* Stacks in JSON (stack_json.h). */
#include "output/stack_json.h"

struct frame_key {
	const struct sym_frame *frame; /* borrowed from the resolver */
	enum module_role role;
	uint32_t level;
};

struct frames_json {
	GHashTable *made; /* struct frame_key (owned) -> json_t (counted) */
};

static guint key_hash(gconstpointer data)
{
	const struct frame_key *key = data;

	return g_direct_hash(key->frame) * 31u + key->level * 7u + (guint)key->role;
}

static gboolean key_equal(gconstpointer left, gconstpointer right)
{
	const struct frame_key *a = left, *b = right;

	return a->frame == b->frame && a->level == b->level && a->role == b->role;
}

static void drop_json(void *data)
{
	json_decref(data);
}

struct frames_json *frames_json_new(void)
{
	struct frames_json *frames = g_new0(struct frames_json, 1);

	frames->made = g_hash_table_new_full(key_hash, key_equal, g_free, drop_json);
	return frames;
}

void frames_json_free(struct frames_json *frames)
{
	if (!frames)
		return;
	g_hash_table_destroy(frames->made);
	g_free(frames);
}

static void set_string(json_t *json, const char *name, const char *value)
{
	if (value)
		json_object_set_new(json, name, json_string(value));
}

static json_t *frame_json(const struct sym_frame *frame, enum module_role role, uint32_t level)
{
	const struct sym_level *names = &frame->levels[level];
	json_t *json = json_pack("{ss sI}", "layer", module_role_name(role), "offset",
				 (json_int_t)frame->offset);

	set_string(json, "function", names->function);
	set_string(json, "file", names->file);
	if (names->line > 0)
		json_object_set_new(json, "line", json_integer(names->line));
	set_string(json, "module", frame->path);
	set_string(json, "build_id", frame->build_id);
	if (level + 1 < frame->level_count)
		json_object_set_new(json, "inlined", json_true());
	if (frame->is_made_up)
		json_object_set_new(json, "known_by_call", json_true());
	if (frame->reason != SYM_OK)
		set_string(json, "unnamed", sym_reason_text(frame->reason));
	return json;
}

/* @return the caller's: made, or counted once more. */
static json_t *get_frame(struct frames_json *frames, const struct sym_frame *frame,
			 enum module_role role, uint32_t level)
{
	const struct frame_key key = { frame, role, level };
	json_t *json = frames ? g_hash_table_lookup(frames->made, &key) : NULL;

	if (json)
		return json_incref(json);
	json = frame_json(frame, role, level);
	if (frames)
		g_hash_table_insert(frames->made, g_memdup2(&key, sizeof(key)), json_incref(json));
	return json;
}

json_t *stack_json(const struct stackview *view, struct frames_json *frames)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < view->count; i++) {
		for (uint32_t level = 0; level < view->frames[i]->level_count; level++)
			json_array_append_new(
				list, get_frame(frames, view->frames[i], view->roles[i], level));
	}
	return list;
}

json_t *caller_json(const struct stackview *view, struct frames_json *frames)
{
	if (view->caller < 0)
		return json_null();
	return get_frame(frames, view->frames[view->caller], view->roles[view->caller], 0);
}
