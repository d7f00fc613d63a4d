/* SPDX-License-Identifier: MIT */
/* Stacks in JSON (stack_json.h). */
#include "output/stack_json.h"

/* A frame, with those that were inlined into it. */
struct made_frame {
	uint32_t level_count;
	struct json_ready levels[];
};

struct frames_json {
	GPtrArray *made; /* of struct made_frame (owned) by the frame's number; NULL: not made */
	GString *text;   /* owned: of the level that is made */
	struct json_build *build; /* owned: appends to it */
};

static void made_free(void *data)
{
	struct made_frame *made = data;

	for (uint32_t i = 0; made && i < made->level_count; i++)
		json_ready_fini(&made->levels[i]);
	g_free(made);
}

struct frames_json *frames_json_new(void)
{
	struct frames_json *frames = g_new0(struct frames_json, 1);

	frames->made = g_ptr_array_new_with_free_func(made_free);
	frames->text = g_string_new(NULL);
	frames->build = json_build_new(frames->text);
	return frames;
}

void frames_json_free(struct frames_json *frames)
{
	if (!frames)
		return;
	g_ptr_array_free(frames->made, TRUE);
	json_build_free(frames->build);
	g_string_free(frames->text, TRUE);
	g_free(frames);
}

static void level_build(struct json_build *build, const struct sym_frame *frame,
			enum module_role role, uint32_t level)
{
	const struct sym_level *names = &frame->levels[level];

	json_build_object(build, NULL);
	json_build_string(build, "layer", module_role_name(role));
	json_build_int(build, "offset", (int64_t)frame->offset);
	json_build_string(build, "function", names->function);
	json_build_string(build, "file", names->file);
	if (names->line > 0)
		json_build_int(build, "line", names->line);
	json_build_string(build, "module", frame->path);
	json_build_string(build, "build_id", frame->build_id);
	if (level + 1 < frame->level_count)
		json_build_bool(build, "inlined", true);
	if (frame->is_made_up)
		json_build_bool(build, "known_by_call", true);
	if (frame->reason != SYM_OK)
		json_build_string(build, "unnamed", sym_reason_text(frame->reason));
	json_build_end(build);
}

static struct made_frame *make_frame(struct frames_json *frames, const struct sym_frame *frame,
				     enum module_role role)
{
	struct made_frame *made =
		g_malloc0(sizeof(*made) + frame->level_count * sizeof(made->levels[0]));

	made->level_count = frame->level_count;
	for (uint32_t i = 0; i < frame->level_count; i++) {
		g_string_truncate(frames->text, 0);
		level_build(frames->build, frame, role, i);
		json_ready_init(&made->levels[i], frames->text);
	}
	if (frame->number >= frames->made->len)
		g_ptr_array_set_size(frames->made, (gint)frame->number + 1);
	g_ptr_array_index(frames->made, frame->number) = made;
	return made;
}

struct json_ready *frames_json_levels(struct frames_json *frames, const struct sym_frame *frame,
				      enum module_role role)
{
	struct made_frame *made = frame->number < frames->made->len
					  ? g_ptr_array_index(frames->made, frame->number)
					  : NULL;

	if (!made)
		made = make_frame(frames, frame, role);
	return made->levels;
}

void caller_build(struct json_build *build, const char *name, const struct stackview *view,
		  struct frames_json *frames)
{
	if (view->caller < 0)
		json_build_null(build, name);
	else
		json_build_ready(build, name,
				 frames_json_levels(frames, view->frames[view->caller],
						    view->roles[view->caller]));
}

void stack_build(struct json_build *build, const char *name, const struct stackview *view,
		 struct frames_json *frames)
{
	json_build_list(build, name);
	for (uint32_t i = 0; i < view->count; i++) {
		struct json_ready *levels =
			frames_json_levels(frames, view->frames[i], view->roles[i]);

		for (uint32_t level = 0; level < view->frames[i]->level_count; level++)
			json_build_ready(build, NULL, &levels[level]);
	}
	json_build_end(build);
}

static json_t *take_tree(struct json_build *build)
{
	json_t *json = json_build_take(build);

	json_build_free(build);
	return json;
}

json_t *stack_json(const struct stackview *view, struct frames_json *frames)
{
	struct json_build *build = json_build_new(NULL);

	stack_build(build, NULL, view, frames);
	return take_tree(build);
}

json_t *caller_json(const struct stackview *view, struct frames_json *frames)
{
	struct json_build *build = json_build_new(NULL);

	caller_build(build, NULL, view, frames);
	return take_tree(build);
}
