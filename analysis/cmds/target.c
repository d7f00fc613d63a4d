/* SPDX-License-Identifier: MIT */
/* What /proc tells of a process that is to be recorded. */
#include "target.h"

#include <errno.h>
#include <glib.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROVIDER "libkfdscope-tracepoints.so"
#define THUNK    "libhsakmt.so"
/* Ours asks the environment for this name; no other libhsakmt has it. */
#define MARK "KFDSCOPE_PROVIDER"

static char *read_proc(pid_t pid, const char *file, gsize *length)
{
	char *path = g_strdup_printf("/proc/%d/%s", (int)pid, file), *text = NULL;

	if (!g_file_get_contents(path, &text, length, NULL))
		text = NULL;
	g_free(path);
	return text;
}

/* The last number of a line of /proc/PID/status, which is the innermost namespace's. */
static bool status_number(const char *status, const char *key, pid_t *out)
{
	const char *line = strstr(status, key), *last;
	char *numbers;

	if (!line)
		return false;
	line += strlen(key);
	numbers = g_strchomp(g_strndup(line, strcspn(line, "\n")));
	last = strrchr(numbers, '\t');
	*out = (pid_t)g_ascii_strtoll(last ? last : numbers, NULL, 10);
	g_free(numbers);
	return true;
}

static char *user_name(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? g_strdup(user->pw_name) : g_strdup_printf("number %u", (unsigned int)uid);
}

static enum target_state foreign(struct target *target, char **reason)
{
	char *path = g_strdup_printf("/proc/%d", (int)target->pid);
	struct stat st;
	char *user;

	if (stat(path, &st) != 0)
		st.st_uid = (uid_t)-1;
	user = user_name(st.st_uid);
	if (geteuid() == 0 || geteuid() == st.st_uid)
		*reason = g_strdup_printf("the kernel does not let you look into %d, which belongs "
					  "to the user %s: it "
					  "runs in another user namespace, or has given up or "
					  "gained rights (see ptrace(2))",
					  (int)target->pid, user);
	else
		*reason = g_strdup_printf(
			"%d belongs to the user %s, whose programs are not yours to "
			"record: attach as that user, or as root",
			(int)target->pid, user);
	g_free(user);
	g_free(path);
	return TARGET_UNUSABLE;
}

/* LTTng-UST reads its environment when it is loaded, so what the program set later is no matter. */
static char *find_home(pid_t pid)
{
	static const char *const names[] = { "LTTNG_HOME=", "HOME=" };
	gsize length = 0;
	char *text = read_proc(pid, "environ", &length), *home = NULL;

	for (size_t i = 0; text && !home && i < G_N_ELEMENTS(names); i++) {
		for (const char *word = text; word < text + length; word += strlen(word) + 1) {
			if (g_str_has_prefix(word, names[i]) && word[strlen(names[i])]) {
				home = g_strdup(word + strlen(names[i]));
				break;
			}
		}
	}
	g_free(text);
	return home;
}

/* Whether a mapped libhsakmt, seen through the process's own root directory, is one of ours. */
static bool thunk_is_ours(pid_t pid, const char *maps_line)
{
	const char *path = strchr(maps_line, '/');
	char *inside, *text = NULL;
	gsize length = 0;
	bool ours = false;

	if (!path)
		return false;
	inside = g_strdup_printf("/proc/%d/root%s", (int)pid, path);
	if (g_file_get_contents(inside, &text, &length, NULL))
		ours = memmem(text, length, MARK, strlen(MARK)) != NULL;
	g_free(text);
	g_free(inside);
	return ours;
}

static enum target_state judge_maps(struct target *target, const char *maps,
				    const struct places *places, char **reason)
{
	char **lines = g_strsplit(maps, "\n", -1);
	bool has_provider = false, has_thunk = false;

	for (char **line = lines; *line && !has_provider; line++) {
		const char *file = strrchr(*line, '/');

		has_provider = file && g_str_has_prefix(file + 1, PROVIDER);
		has_thunk = has_thunk || (file && g_str_has_prefix(file + 1, THUNK) &&
					  thunk_is_ours(target->pid, *line));
	}
	g_strfreev(lines);
	if (has_provider)
		return TARGET_USABLE;
	if (has_thunk)
		*reason = g_strdup_printf("%d (%s) has our libhsakmt, but was started without the "
					  "tracepoint provider: start it with KFDSCOPE_PROVIDER=1 "
					  "in its environment",
					  (int)target->pid, target->name);
	else
		*reason = g_strdup_printf(
			"%d (%s) has none of kfdscope's libraries, which cannot be put into a "
			"program that runs: start it with LD_LIBRARY_PATH='%s' and "
			"KFDSCOPE_PROVIDER=1 in its environment, or by 'kfdscope record'",
			(int)target->pid, target->name, places->thunk_dir);
	return TARGET_UNUSABLE;
}

/*
 * Where a program finds its session daemon: in a container that can be another directory of the same
 * name, and so another daemon than the one that we talk to.
 */
static bool sees_our_daemon(const struct target *target, char **reason)
{
	const char *here = geteuid() == 0 ? "/run" : target->home;
	char *there = g_strdup_printf("/proc/%d/root%s", (int)target->pid, here ? here : "/");
	char *run_here = g_build_filename(here ? here : "/", "lttng", NULL);
	char *run_there = g_build_filename(there, "lttng", NULL);
	struct stat ours, theirs;
	bool same = true;

	if (geteuid() == 0 && stat(run_here, &ours) == 0)
		same = stat(run_there, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
		       ours.st_ino == theirs.st_ino;
	else if (here && stat(here, &ours) == 0)
		same = stat(there, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
		       ours.st_ino == theirs.st_ino;
	if (!same)
		*reason = g_strdup_printf(
			"%d (%s) has another '%s' than we do (a container?), and so another "
			"session daemon: attach from in there ('nsenter --mount --target %d')",
			(int)target->pid, target->name, geteuid() == 0 ? run_here : here,
			(int)target->pid);
	g_free(run_there);
	g_free(run_here);
	g_free(there);
	return same;
}

static enum target_state gone(pid_t pid, char **reason)
{
	*reason = g_strdup_printf("there is no process %d", (int)pid);
	return TARGET_GONE;
}

static enum target_state look(struct target *target, const struct places *places, char **reason)
{
	char *status = read_proc(target->pid, "status", NULL), *maps = NULL;
	enum target_state state = TARGET_UNUSABLE;
	pid_t main_thread;

	if (!status || strstr(status, "\nState:\tZ") || strstr(status, "\nState:\tX")) {
		state = gone(target->pid, reason);
		goto out;
	}
	if (status_number(status, "\nTgid:", &main_thread) && main_thread != target->pid) {
		/* The number is a thread's, in its namespace, too. */
		target->pid = main_thread;
		g_free(status);
		status = read_proc(target->pid, "status", NULL);
		if (!status) {
			state = gone(target->pid, reason);
			goto out;
		}
	}
	if (!status_number(status, "\nNSpid:", &target->vpid))
		target->vpid = target->pid;
	target->name = read_proc(target->pid, "comm", NULL);
	if (target->name)
		g_strchomp(target->name);
	maps = read_proc(target->pid, "maps", NULL);
	if (!maps) {
		state = errno == ENOENT || errno == ESRCH ? gone(target->pid, reason)
							  : foreign(target, reason);
		goto out;
	}
	target->home = find_home(target->pid);
	state = judge_maps(target, maps, places, reason);
	if (state == TARGET_USABLE && !sees_our_daemon(target, reason))
		state = TARGET_UNUSABLE;
out:
	g_free(status);
	g_free(maps);
	return state;
}

enum target_state target_open(struct target *target, pid_t pid, const struct places *places,
			      char **reason)
{
	*target = (struct target){ .pid = pid, .vpid = pid, .fd = -1 };
	*reason = NULL;
	if (kill(pid, 0) != 0)
		return errno == ESRCH ? gone(pid, reason) : foreign(target, reason);
	switch (look(target, places, reason)) {
	case TARGET_USABLE:
		break;
	case TARGET_GONE:
		return TARGET_GONE;
	case TARGET_UNUSABLE:
		return TARGET_UNUSABLE;
	}
	target->fd = (int)syscall(SYS_pidfd_open, target->pid, 0);
	if (target->fd < 0 && errno == ESRCH)
		return gone(pid, reason);
	if (target->fd < 0) {
		*reason = g_strdup_printf("cannot watch %d: %s", (int)pid, g_strerror(errno));
		return TARGET_UNUSABLE;
	}
	return TARGET_USABLE;
}

void target_close(struct target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
	g_clear_pointer(&target->home, g_free);
	g_clear_pointer(&target->name, g_free);
}
