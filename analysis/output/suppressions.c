/* SPDX-License-Identifier: MIT */
/* Suppression files (suppressions.h). */
#include "output/suppressions.h"

#include <string.h>

static void suppression_free(void *data)
{
	struct suppression *suppression = data;

	g_free(suppression->pattern);
	g_free(suppression);
}

void suppressions_free(struct suppressions *suppressions)
{
	if (!suppressions)
		return;
	g_ptr_array_free(suppressions->list, TRUE);
	g_free(suppressions);
}

struct suppressions *suppressions_load(const char *path, char **problem)
{
	struct suppressions *suppressions;
	GError *error = NULL;
	char *content, **lines;

	*problem = NULL;
	if (!g_file_get_contents(path, &content, NULL, &error)) {
		*problem = g_strdup(error->message);
		g_error_free(error);
		return NULL;
	}
	suppressions = g_new0(struct suppressions, 1);
	suppressions->list = g_ptr_array_new_with_free_func(suppression_free);
	lines = g_strsplit(content, "\n", -1);
	for (guint i = 0; lines[i] && !*problem; i++) {
		const char *line = g_strstrip(lines[i]);
		struct suppression *suppression;

		if (*line == '\0' || *line == '#')
			continue;
		if (!g_str_has_prefix(line, "leak:") || line[strlen("leak:")] == '\0') {
			*problem = g_strdup_printf("%s:%u: '%s' is not 'leak:PATTERN'", path, i + 1,
						   line);
			break;
		}
		suppression = g_new0(struct suppression, 1);
		suppression->pattern = g_strdup(line + strlen("leak:"));
		g_ptr_array_add(suppressions->list, suppression);
	}
	g_strfreev(lines);
	g_free(content);
	if (!*problem)
		return suppressions;
	suppressions_free(suppressions);
	return NULL;
}

bool suppression_pattern_matches(const char *pattern, const char *text)
{
	const bool from_begin = *pattern == '^';
	size_t length = strlen(pattern);
	const bool to_end = length > 1 && pattern[length - 1] == '$';
	char **parts, *body;
	bool ok = true;

	body = g_strndup(pattern + from_begin, length - from_begin - to_end);
	parts = g_strsplit(body, "*", -1);
	for (guint i = 0; parts[i] && ok; i++) {
		const bool last = !parts[i + 1];
		const char *at;

		if (i == 0 && from_begin)
			at = g_str_has_prefix(text, parts[i]) ? text : NULL;
		else if (last && to_end && g_str_has_suffix(text, parts[i]))
			at = text + strlen(text) - strlen(parts[i]);
		else
			at = last && to_end ? NULL : strstr(text, parts[i]);
		ok = at != NULL;
		if (!ok)
			break;
		text = at + strlen(parts[i]);
		if (last && to_end)
			ok = *text == '\0';
	}
	g_strfreev(parts);
	g_free(body);
	return ok;
}

static bool frame_matches(const char *pattern, const struct sym_frame *frame)
{
	if (frame->path && suppression_pattern_matches(pattern, frame->path))
		return true;
	for (uint32_t i = 0; i < frame->level_count; i++) {
		const struct sym_level *level = &frame->levels[i];

		if ((level->function && suppression_pattern_matches(pattern, level->function)) ||
		    (level->file && suppression_pattern_matches(pattern, level->file)))
			return true;
	}
	return false;
}

struct suppression *suppressions_match(const struct suppressions *suppressions,
				       const struct stackview *view)
{
	for (guint i = 0; suppressions && i < suppressions->list->len; i++) {
		struct suppression *suppression = g_ptr_array_index(suppressions->list, i);

		for (uint32_t j = 0; j < view->count; j++)
			if (frame_matches(suppression->pattern, view->frames[j]))
				return suppression;
	}
	return NULL;
}
