/* SPDX-License-Identifier: MIT */
/* Snapshots of a ring in memory. */
#include "flight.h"

#include "child.h"
#include "ending.h"
#include "notices.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A program that is stopped, or stuck in the driver, must not keep the others' snapshot. */
#define REFRESH_TIMEOUT_US (10 * G_USEC_PER_SEC)
#define ALIVE_POLL_US      50000
/* Notices of a program that has ended are on their way no longer than that. */
#define LAST_NOTICE_US 300000
/* Programs that fail and go on would fill the disk. */
#define SNAPSHOTS_MAX 32

struct flight {
	const struct cmd *cmd;       /* borrowed */
	struct recording *recording; /* borrowed */
	const char *output;          /* borrowed */
	struct notices *notices;     /* owned */
	char *mark;                  /* owned; in the environment of programs that are ours */
	GPtrArray *directories;      /* owned, of owned; snapshots in order */
	unsigned int on;
	unsigned int refused; /* past SNAPSHOTS_MAX */
};

static const struct {
	const char *name;
	enum flight_on on;
} words[] = {
	{ "signal", FLIGHT_ON_SIGNAL },
	{ "fault", FLIGHT_ON_FAULT },
	{ "failure", FLIGHT_ON_FAILURE },
	{ "end", FLIGHT_ON_END },
};

static unsigned int word_on(const char *word)
{
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_str_equal(words[i].name, word))
			return words[i].on;
	return 0;
}

bool flight_parse(const struct cmd *cmd, const char *list, unsigned int *on)
{
	char **given = g_strsplit(list, ",", -1);
	bool ok = given[0] != NULL;

	*on = 0;
	for (char **word = given; ok && *word; word++) {
		ok = word_on(*word) != 0;
		*on |= word_on(*word);
	}
	if (!ok)
		cmd_error(cmd,
			  "--snapshot-on is '%s': it can be a list of signal, fault, failure, end",
			  list);
	g_strfreev(given);
	return ok;
}

char *flight_environment(unsigned int on)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%d:", (int)getpid());
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (on & words[i].on)
			g_string_append_printf(text, "%s,", words[i].name);
	return g_string_free(text, FALSE);
}

struct flight *flight_open(const struct cmd *cmd, unsigned int on, struct recording *recording,
			   const char *output, char **reason)
{
	struct notices *notices = notices_open(reason);
	struct flight *flight;

	if (!notices)
		return NULL;
	flight = g_new0(struct flight, 1);
	flight->cmd = cmd;
	flight->on = on;
	flight->recording = recording;
	flight->output = output;
	flight->notices = notices;
	flight->mark = g_strdup_printf("KFDSCOPE_SNAPSHOT=%d:", (int)getpid());
	flight->directories = g_ptr_array_new_with_free_func(g_free);
	return flight;
}

/* Also one that nobody has waited for: the recorder does so when it is free again. */
static gboolean has_ended(gpointer pid, gpointer value, gpointer data)
{
	char *path = g_strdup_printf("/proc/%d/stat", GPOINTER_TO_INT(pid)), *text = NULL;
	const char *behind_name;
	gboolean ended;

	(void)value;
	(void)data;
	(void)g_file_get_contents(path, &text, NULL, NULL); /* NULL: it has gone */
	behind_name = text ? strrchr(text, ')') : NULL;
	ended = !behind_name || strncmp(behind_name, ") Z", 3) == 0;
	g_free(text);
	g_free(path);
	return ended;
}

/* A daemon may serve other recorders' programs, too; this one's were started with its number. */
static bool is_ours(const struct flight *flight, pid_t pid)
{
	char *path = g_strdup_printf("/proc/%d/environ", (int)pid), *text = NULL;
	gsize length = 0;
	bool found = g_file_get_contents(path, &text, &length, NULL) &&
		     memmem(text, length, flight->mark, strlen(flight->mark)) != NULL;

	g_free(text);
	g_free(path);
	return found;
}

static GHashTable *living(struct flight *flight)
{
	GArray *pids = recording_pids(flight->recording, "kmt_state:dumped");
	GHashTable *ours = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < pids->len; i++) {
		pid_t pid = g_array_index(pids, pid_t, i);

		if (is_ours(flight, pid))
			g_hash_table_add(ours, GINT_TO_POINTER(pid));
	}
	g_array_free(pids, TRUE);
	return ours;
}

/* All that live tell their state into the ring. An incident that comes now is in this snapshot. */
static void refresh(struct flight *flight)
{
	GHashTable *missing = living(flight);
	gint64 end = g_get_monotonic_time() + REFRESH_TIMEOUT_US;
	GHashTableIter iter;
	gpointer pid;

	if (g_hash_table_size(missing) && !recording_refresh(flight->recording))
		cmd_error(flight->cmd, "the programs cannot be asked for their state: the snapshot "
				       "has only what the ring held");
	while (g_hash_table_size(missing) && g_get_monotonic_time() < end) {
		struct notice *notice = notices_wait(flight->notices, ALIVE_POLL_US);

		if (notice) {
			g_hash_table_remove(missing, GINT_TO_POINTER(notice->pid));
		} else {
			g_hash_table_foreach_remove(missing, has_ended, NULL);
		}
		notice_free(notice);
	}
	g_hash_table_iter_init(&iter, missing);
	while (g_hash_table_iter_next(&iter, &pid, NULL))
		cmd_error(flight->cmd, "process %d did not tell its state in time",
			  GPOINTER_TO_INT(pid));
	g_hash_table_destroy(missing);
}

static void take(struct flight *flight, const char *why, const char *detail)
{
	char *name, *directory, *reason = NULL;

	if (flight->directories->len >= SNAPSHOTS_MAX && !g_str_equal(why, "end")) {
		if (flight->refused++ == 0)
			cmd_error(flight->cmd, "%d snapshots are written: no more of failures",
				  SNAPSHOTS_MAX);
		return;
	}
	refresh(flight);
	name = g_strdup_printf("%u-%s", flight->directories->len + 1, why);
	directory = g_build_filename(flight->output, name, NULL);
	if (recording_snapshot(flight->recording, directory, &reason)) {
		fprintf(stderr, "kfdscope: snapshot (%s%s) in '%s'\n", why, detail, directory);
		g_ptr_array_add(flight->directories, directory);
		directory = NULL;
		if (!ending_write_snapshots(flight->output, flight->directories))
			cmd_error(flight->cmd, "cannot note it in '%s': %s", flight->output,
				  g_strerror(errno));
	} else {
		cmd_error(flight->cmd, "%s", reason);
	}
	g_free(reason);
	g_free(directory);
	g_free(name);
}

static void heed(struct flight *flight, const struct notice *notice)
{
	char *detail;

	if (!(word_on(notice->incident) & flight->on) ||
	    g_str_equal(notice->incident, "end")) /* that one is written when all has ended */
		return;
	detail = g_strdup_printf(": %s of process %d, status %d", notice->call, (int)notice->pid,
				 (int)notice->status);
	take(flight, notice->incident, detail);
	g_free(detail);
}

bool flight_keep(int signo, void *data)
{
	struct flight *flight = data;
	struct notice *notice;

	if (signo == SIGUSR1 && (flight->on & FLIGHT_ON_SIGNAL)) {
		take(flight, "signal", "");
		return true;
	}
	if (signo != CHILD_SIGNAL_OWN)
		return false;
	while ((notice = notices_wait(flight->notices, 0))) {
		heed(flight, notice);
		notice_free(notice);
	}
	return true;
}

const char *flight_finish(struct flight *flight)
{
	const char *last = NULL;
	struct notice *notice;

	while ((notice = notices_wait(flight->notices, LAST_NOTICE_US))) {
		heed(flight, notice);
		notice_free(notice);
	}
	if (flight->on & FLIGHT_ON_END) {
		guint before = flight->directories->len;

		take(flight, "end", "");
		if (flight->directories->len > before)
			last = g_ptr_array_index(flight->directories, before);
	}
	if (flight->directories->len == 0)
		fprintf(stderr, "kfdscope: no snapshot was written: nothing happened that "
				"--snapshot-on names\n");
	else
		fprintf(stderr, "kfdscope: next: kfdscope leaks '%s'\n",
			(const char *)g_ptr_array_index(flight->directories, 0));
	return last;
}

void flight_close(struct flight *flight)
{
	if (!flight)
		return;
	notices_close(flight->notices);
	g_free(flight->mark);
	g_ptr_array_free(flight->directories, TRUE);
	g_free(flight);
}
