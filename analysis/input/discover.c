/* SPDX-License-Identifier: MIT */
/* A walk for trace directories (discover.h). */
#include "input/discover.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* LTTng nests HOST/SESSION/ust/uid/UID/64-bit; links that form a circle must end somewhere. */
#define DEPTH_MAX 16

static int compare_names(gconstpointer left, gconstpointer right)
{
	return strcmp(left, right);
}

/* @return 0, or -errno of the first directory that cannot be opened. */
static int walk(const char *path, GPtrArray *traces, int depth)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	GList *names = NULL;
	const char *name;
	bool is_trace = false;
	int error = 0;

	if (!dir) /* GLib has no errno left */
		return access(path, R_OK | X_OK) != 0 ? -errno : -EIO;
	while ((name = g_dir_read_name(dir)) != NULL) {
		is_trace |= strcmp(name, "metadata") == 0;
		names = g_list_insert_sorted(names, g_strdup(name), compare_names);
	}
	g_dir_close(dir);
	if (is_trace)
		g_ptr_array_add(traces, g_strdup(path));
	for (GList *item = names; item && !is_trace && depth < DEPTH_MAX; item = item->next) {
		char *below = g_build_filename(path, item->data, NULL);

		if (g_file_test(below, G_FILE_TEST_IS_DIR)) {
			int problem = walk(below, traces, depth + 1);

			error = error ? error : problem;
		}
		g_free(below);
	}
	g_list_free_full(names, g_free);
	return error;
}

int discover_traces(const char *path, GPtrArray *traces)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	return walk(path, traces, 0);
}

uint64_t discover_stream_bytes(const char *trace)
{
	GDir *dir = g_dir_open(trace, 0, NULL);
	const char *name;
	uint64_t bytes = 0;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		char *path = g_build_filename(trace, name, NULL);
		struct stat status;

		if (name[0] != '.' && strcmp(name, "metadata") != 0 && stat(path, &status) == 0 &&
		    S_ISREG(status.st_mode))
			bytes += (uint64_t)status.st_size;
		g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	return bytes;
}
