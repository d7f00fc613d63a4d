/* SPDX-License-Identifier: MIT */
/* The note of how a recorded program ended. */
#include "ending.h"

#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "input/discover.h"

#define NOTE "kfdscope.json"

/* JSON knows no other bytes than UTF-8; names may have any. */
static void append_text(json_t *list, const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);

	json_array_append_new(list, json_string(valid));
	g_free(valid);
}

/* Whole or not at all. @return false with errno. */
static bool write_note(const char *path, const json_t *root)
{
	char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
	GError *error = NULL;
	bool ok = text && g_file_set_contents(path, text, -1, &error);
	int err = ok ? 0 : errno;

	if (!ok && !text)
		err = ENOMEM;
	g_clear_error(&error);
	free(text);
	errno = err;
	return ok;
}

bool ending_write(const char *directory, const struct analyse_ending *ending, char *const *argv)
{
	char *path = g_build_filename(directory, NOTE, NULL);
	json_t *words = json_array(), *root;
	bool ok;

	for (; *argv; argv++)
		append_text(words, *argv);
	root = json_pack("{s:s, s:i, s:i, s:i, s:i, s:o}", "schema", "kfdscope.recording",
			 "version", 1, "pid", (int)ending->pid, "exit_code", ending->exit_code,
			 "signal", ending->signal, "command", words);
	ok = write_note(path, root);
	json_decref(root);
	g_free(path);
	return ok;
}

static bool read_note(const char *directory, struct analyse_ending *ending)
{
	char *path = g_build_filename(directory, NOTE, NULL);
	json_t *root = json_load_file(path, 0, NULL);
	int pid = 0;
	bool ok = root && json_unpack(root, "{s:i, s:i, s:i}", "pid", &pid, "exit_code",
				      &ending->exit_code, "signal", &ending->signal) == 0;

	ending->pid = (uint32_t)pid;
	json_decref(root);
	g_free(path);
	return ok && pid > 0;
}

static void add_note(const char *directory, GArray *endings)
{
	struct analyse_ending ending = { 0 };

	for (guint i = 0; i < endings->len; i++)
		if (g_str_equal(g_array_index(endings, struct analyse_ending, i).folder, directory))
			return; /* several traces have one note */
	if (!read_note(directory, &ending))
		return;
	ending.folder = g_strdup(directory);
	g_array_append_val(endings, ending);
}

/* A note stands in the recording's directory, its traces some levels below. */
void ending_read_all(const char *path, GArray *endings)
{
	GPtrArray *traces = g_ptr_array_new_with_free_func(g_free);
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	(void)discover_traces(path, traces); /* whoever reads them tells what is wrong */
	for (guint i = 0; i < traces->len; i++) {
		char *directory = g_strdup(g_ptr_array_index(traces, i));

		for (;;) {
			char *slash = strrchr(directory, '/');

			add_note(directory, endings);
			if (!slash || (size_t)(slash - directory) < length)
				break;
			*slash = '\0';
		}
		g_free(directory);
	}
	g_ptr_array_free(traces, TRUE);
}

void ending_clear(void *data)
{
	struct analyse_ending *ending = data;

	g_free((char *)ending->folder);
}

bool ending_write_snapshots(const char *directory, const GPtrArray *paths)
{
	char *path = g_build_filename(directory, NOTE, NULL);
	json_t *names = json_array(), *root;
	bool ok;

	for (guint i = 0; i < paths->len; i++) {
		char *name = g_path_get_basename(g_ptr_array_index(paths, i));

		append_text(names, name);
		g_free(name);
	}
	root = json_pack("{s:s, s:i, s:o}", "schema", "kfdscope.snapshots", "version", 1,
			 "snapshots", names);
	ok = write_note(path, root);
	json_decref(root);
	g_free(path);
	return ok;
}

size_t ending_read_snapshots(const char *directory, char **first)
{
	char *path = g_build_filename(directory, NOTE, NULL);
	json_t *root = json_load_file(path, 0, NULL), *names = json_object_get(root, "snapshots");
	size_t count = json_array_size(names);

	*first = count ? g_strdup(json_string_value(json_array_get(names, 0))) : NULL;
	json_decref(root);
	g_free(path);
	return count;
}
