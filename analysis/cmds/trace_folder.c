/* SPDX-License-Identifier: MIT */
/* The directory that a recording is written into. */
#include "trace_folder.h"

#include "event_count.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* With less left some packets will have found no room. */
#define ROOM_NEEDED_BYTES (UINT64_C(256) << 10)

static char *default_name(const char *what)
{
	char *base = g_path_get_basename(what);
	GDateTime *now = g_date_time_new_now_local();
	char *stamp = g_date_time_format(now, "%Y%m%d-%H%M%S");
	char *name = g_strdup_printf("kfdscope-%s-%s", base, stamp);

	g_free(stamp);
	g_date_time_unref(now);
	g_free(base);
	return name;
}

char *trace_folder_path(const char *given, const char *what)
{
	char *name = given ? g_strdup(given) : default_name(what);
	char *path = g_canonicalize_filename(name, NULL);

	g_free(name);
	return path;
}

bool trace_folder_make(const struct cmd *cmd, const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	bool empty = !dir || !g_dir_read_name(dir);

	if (dir)
		g_dir_close(dir);
	if (!empty)
		cmd_error(cmd, "'%s' exists and is not empty: give another directory with -o",
			  path);
	else if (!dir && g_mkdir_with_parents(path, 0755) != 0) {
		cmd_error(cmd, "cannot make '%s': %s", path, g_strerror(errno));
		empty = false;
	} else if (g_access(path, W_OK | X_OK) != 0) {
		cmd_error(cmd, "cannot write into '%s': %s", path, g_strerror(errno));
		empty = false;
	}
	return empty;
}

void trace_folder_remove(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	if (dir) {
		while ((name = g_dir_read_name(dir))) {
			char *child = g_build_filename(path, name, NULL);

			if (g_file_test(child, G_FILE_TEST_IS_DIR) &&
			    !g_file_test(child, G_FILE_TEST_IS_SYMLINK))
				trace_folder_remove(child);
			else
				(void)g_unlink(child); /* what stays behind is seen */
			g_free(child);
		}
		g_dir_close(dir);
	}
	(void)g_rmdir(path);
}

/* Packets that find no room are gone, and nobody counts them. */
bool trace_folder_is_full(const char *path)
{
	struct statvfs system;

	return statvfs(path, &system) == 0 &&
	       ((uint64_t)system.f_bavail * system.f_frsize < ROOM_NEEDED_BYTES ||
		(system.f_files && system.f_favail == 0));
}

static void say_events(const struct event_counts *counts, uint64_t lost_events, bool is_full)
{
	fprintf(stderr, "kfdscope: %" PRIu64 " %s recorded, ", counts->all,
		counts->all == 1 ? "event" : "events");
	if (is_full)
		fprintf(stderr, "others lost that nobody could count\n");
	else
		fprintf(stderr, "%" PRIu64 " lost\n", lost_events);
}

void trace_folder_say(const char *path, uint64_t lost_events, uint64_t lost_packets,
		      const char *when_empty)
{
	struct event_counts counts = { 0 };
	bool readable, is_full = trace_folder_is_full(path);

	cmd_progress("kfdscope: counting events…");
	readable = event_count(path, &counts) && counts.all;
	cmd_progress_end();
	fprintf(stderr, "kfdscope: trace in '%s'\n", path);
	if (readable)
		say_events(&counts, lost_events, is_full);
	if (is_full)
		fprintf(stderr,
			"kfdscope: the disk is full: %s: make room there, or record into another "
			"place with -o\n",
			readable ? "the trace is not complete" : "the trace cannot be read");
	else if (!readable || counts.calls == 0)
		fprintf(stderr, "kfdscope: no %s were recorded: %s\n",
			counts.all ? "calls" : "events", when_empty);
	trace_folder_say_losses(lost_events, lost_packets);
	if (readable)
		fprintf(stderr, "kfdscope: next: kfdscope leaks '%s'\n", path);
}

void trace_folder_say_losses(uint64_t lost_events, uint64_t lost_packets)
{
	if (lost_events || lost_packets)
		fprintf(stderr, "kfdscope: the buffers were too small: record with "
				"--subbuf-size=8M, or with --blocking to lose nothing\n");
}
