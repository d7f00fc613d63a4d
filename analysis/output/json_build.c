/* SPDX-License-Identifier: MIT */
/* Values as trees or as text (json_build.h). */
#include "output/json_build.h"

#include <stdbool.h>
#include <string.h>

#include "output/json_text.h"

/* An object or a list that is not ended. */
struct level {
	json_t *tree; /* the outermost is owned, others are borrowed from it; NULL: text is made */
	bool is_list, has_any;
};

struct json_build {
	GString *text;  /* borrowed; NULL: a tree is made */
	GArray *levels; /* of struct level, from the outermost in */
	json_t *root;   /* owned: a finished tree; NULL: there is none */
};

struct json_build *json_build_new(GString *text)
{
	struct json_build *build = g_new0(struct json_build, 1);

	build->text = text;
	build->levels = g_array_new(FALSE, FALSE, sizeof(struct level));
	return build;
}

void json_build_free(struct json_build *build)
{
	if (!build)
		return;
	if (build->levels->len)
		json_decref(g_array_index(build->levels, struct level, 0).tree);
	g_array_free(build->levels, TRUE);
	json_decref(build->root);
	g_free(build);
}

json_t *json_build_take(struct json_build *build)
{
	json_t *root = build->root;

	build->root = NULL;
	return root;
}

static struct level *top_level(const struct json_build *build)
{
	const guint count = build->levels->len;

	return count ? &g_array_index(build->levels, struct level, count - 1) : NULL;
}

/* @return where so many bytes can be put behind the text. */
static char *make_room(GString *text, size_t size)
{
	const gsize length = text->len;

	if (text->allocated_len - length <= size) {
		g_string_set_size(text, length + size);
		g_string_truncate(text, length);
	}
	return text->str + length;
}

/*
 * Appends what stands in front of a value's text. As there are tens of such pieces an entry, they are
 * not worth a call of GLib each.
 */
static void put_name(struct json_build *build, const char *name)
{
	struct level *top = top_level(build);
	const size_t length = name ? strlen(name) : 0;
	char *at = make_room(build->text, length + 6);

	if (top && top->has_any) {
		*at++ = ',';
		*at++ = ' ';
	}
	if (top)
		top->has_any = true;
	if (name) {
		*at++ = '"';
		memcpy(at, name, length);
		memcpy(at + length, "\": ", 3);
		at += length + 3;
	}
	*at = '\0';
	build->text->len = (gsize)(at - build->text->str);
}

static void put(struct json_build *build, const char *name, const char *value, size_t length)
{
	char *at;

	put_name(build, name);
	at = make_room(build->text, length);
	memcpy(at, value, length);
	at[length] = '\0';
	build->text->len += length;
}

/* Takes the value over and puts it into the tree. */
static void add(struct json_build *build, const char *name, json_t *value)
{
	const struct level *top = top_level(build);

	if (!top) {
		json_decref(build->root);
		build->root = value;
	} else if (top->is_list) {
		json_array_append_new(top->tree, value);
	} else {
		json_object_set_new(top->tree, name, value);
	}
}

static void begin(struct json_build *build, const char *name, bool is_list)
{
	struct level level = { .is_list = is_list };

	if (build->text)
		put(build, name, is_list ? "[" : "{", 1);
	else
		level.tree = is_list ? json_array() : json_object();
	if (level.tree && build->levels->len)
		add(build, name, level.tree);
	g_array_append_val(build->levels, level);
}

void json_build_object(struct json_build *build, const char *name)
{
	begin(build, name, false);
}

void json_build_list(struct json_build *build, const char *name)
{
	begin(build, name, true);
}

void json_build_end(struct json_build *build)
{
	const struct level ended = *top_level(build);

	g_array_set_size(build->levels, build->levels->len - 1);
	if (build->text)
		g_string_append_c(build->text, ended.is_list ? ']' : '}');
	else if (build->levels->len == 0)
		add(build, NULL, ended.tree);
}

void json_build_int(struct json_build *build, const char *name, int64_t value)
{
	if (!build->text) {
		add(build, name, json_integer(value));
		return;
	}
	put_name(build, name);
	json_text_signed(build->text, value);
}

void json_build_real(struct json_build *build, const char *name, double value)
{
	json_t *json = json_real(value); /* NULL for what is no number */

	if (!build->text) {
		add(build, name, json);
		return;
	}
	if (json) {
		put_name(build, name);
		json_text_tree(build->text, json);
	}
	json_decref(json);
}

void json_build_bool(struct json_build *build, const char *name, bool value)
{
	if (build->text)
		put(build, name, value ? "true" : "false", value ? 4 : 5);
	else
		add(build, name, json_boolean(value));
}

void json_build_null(struct json_build *build, const char *name)
{
	if (build->text)
		put(build, name, "null", 4);
	else
		add(build, name, json_null());
}

void json_build_string(struct json_build *build, const char *name, const char *value)
{
	json_t *json;

	if (!value)
		return;
	if (build->text) {
		put_name(build, name);
		json_text_string(build->text, value);
		return;
	}
	json = json_string(value);
	add(build, name, json ? json : json_string("?"));
}

void json_build_ready(struct json_build *build, const char *name, struct json_ready *value)
{
	if (build->text) {
		put(build, name, value->text, value->length);
		return;
	}
	if (!value->tree)
		value->tree = json_loadb(value->text, value->length, JSON_DECODE_ANY, NULL);
	add(build, name, json_incref(value->tree));
}

void json_ready_init(struct json_ready *ready, const GString *text)
{
	ready->text = g_strndup(text->str, text->len);
	ready->length = text->len;
	ready->tree = NULL;
}

void json_ready_copy(struct json_ready *copy, const struct json_ready *ready)
{
	copy->text = g_strndup(ready->text, ready->length);
	copy->length = ready->length;
	copy->tree = NULL;
}

void json_ready_fini(struct json_ready *ready)
{
	g_free(ready->text);
	json_decref(ready->tree);
}
