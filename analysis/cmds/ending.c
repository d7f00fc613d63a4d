/* SPDX-License-Identifier: MIT */
/* The note of how a recorded program ended. */
#include "ending.h"

#include <errno.h>
#include <glib.h>
#include <jansson.h>

#define NOTE "kfdscope.json"

bool ending_write(const char *directory, const struct analyse_ending *ending, char *const *argv)
{
	char *path = g_build_filename(directory, NOTE, NULL);
	json_t *words = json_array(), *root;
	bool ok;

	for (; *argv; argv++)
		json_array_append_new(words, json_string_nocheck(*argv));
	root = json_pack("{s:s, s:i, s:i, s:i, s:i, s:o}", "schema", "kfdscope.recording",
			 "version", 1, "pid", (int)ending->pid, "exit_code", ending->exit_code,
			 "signal", ending->signal, "command", words);
	ok = root && json_dump_file(root, path, JSON_INDENT(2)) == 0;
	json_decref(root);
	g_free(path);
	return ok;
}

bool ending_read(const char *directory, struct analyse_ending *ending)
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
