/* SPDX-License-Identifier: MIT */
/* Stacks in JSON (stack_json.h). */
#include "output/stack_json.h"

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

json_t *stack_json(const struct stackview *view)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < view->count; i++) {
		for (uint32_t level = 0; level < view->frames[i]->level_count; level++)
			json_array_append_new(list,
					      frame_json(view->frames[i], view->roles[i], level));
	}
	return list;
}

json_t *caller_json(const struct stackview *view)
{
	if (view->caller < 0)
		return json_null();
	return frame_json(view->frames[view->caller], view->roles[view->caller], 0);
}
