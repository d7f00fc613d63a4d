/* SPDX-License-Identifier: MIT */
/* Looks at the machine and the installation for what can keep a recording from working. */
#include "checkup.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Below that a program with a few rings of lttng-ust gets none. */
#define SHM_NEEDED_BYTES (16ULL << 20)

static void clear_finding(gpointer item)
{
	struct finding *finding = item;

	g_free(finding->subject);
	g_free(finding->text);
}

void checkup_init(struct checkup *checkup)
{
	checkup->findings = g_array_new(FALSE, FALSE, sizeof(struct finding));
	g_array_set_clear_func(checkup->findings, clear_finding);
}

void checkup_fini(struct checkup *checkup)
{
	g_array_unref(checkup->findings);
}

void checkup_add(struct checkup *checkup, enum verdict verdict, const char *subject,
		 const char *format, ...)
{
	struct finding finding = { .verdict = verdict, .subject = g_strdup(subject) };
	va_list args;

	va_start(args, format);
	finding.text = g_strdup_vprintf(format, args);
	va_end(args);
	g_array_append_val(checkup->findings, finding);
}

bool checkup_has_problem(const struct checkup *checkup)
{
	for (guint i = 0; i < checkup->findings->len; i++)
		if (g_array_index(checkup->findings, struct finding, i).verdict == VERDICT_PROBLEM)
			return true;
	return false;
}

/*
 * Loads an object in a child, since lttng-ust starts threads that never end.
 *
 * @return NULL when it loads, else the loader's message; the caller frees it.
 */
static char *try_load(const char *path)
{
	char message[512] = "";
	int pipe_fds[2];
	ssize_t length = 0;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return g_strdup(g_strerror(errno));
	pid = fork();
	if (pid == 0) {
		setenv("LTTNG_UST_REGISTER_TIMEOUT", "0", 1);
		if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
			const char *why = dlerror();

			(void)!write(pipe_fds[1], why, strlen(why)); /* the parent's pipe is big */
			_exit(1);
		}
		_exit(0);
	}
	close(pipe_fds[1]);
	if (pid > 0) {
		length = read(pipe_fds[0], message, sizeof(message) - 1);
		waitpid(pid, NULL, 0);
	}
	close(pipe_fds[0]);
	return pid < 0 ? g_strdup(g_strerror(errno)) : length > 0 ? g_strdup(message) : NULL;
}

static void check_object(struct checkup *checkup, const char *subject, const char *path,
			 const char *advice)
{
	char *why;

	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		checkup_add(checkup, VERDICT_PROBLEM, subject, "'%s' is missing: %s", path, advice);
		return;
	}
	why = try_load(path);
	if (why)
		checkup_add(checkup, VERDICT_PROBLEM, subject, "does not load: %s: %s", why,
			    advice);
	else
		checkup_add(checkup, VERDICT_GOOD, subject, "%s", path);
	g_free(why);
}

void checkup_installation(struct checkup *checkup, const struct places *places)
{
	char *thunk = g_build_filename(places->thunk_dir, "libhsakmt.so.1", NULL);
	char *plugin = g_build_filename(places->plugins, "babeltrace-plugin-kfd.so", NULL);
	char *default_tree = g_build_filename(places->topologies, "gfx90a", NULL);

	check_object(checkup, "our libhsakmt", thunk, "install kfdscope again");
	check_object(checkup, "tracepoint provider", places->provider,
		     "install lttng-ust (liblttng-ust1)");
	check_object(checkup, "analysis plug-in", plugin, "install babeltrace2 (libbabeltrace2-0)");
	check_object(checkup, "model plug-in", places->model, "install kfdscope again");
	if (!g_file_test(default_tree, G_FILE_TEST_IS_DIR))
		checkup_add(checkup, VERDICT_NOTE, "topologies",
			    "'%s' is missing: record --model needs a directory", default_tree);
	g_free(default_tree);
	g_free(plugin);
	g_free(thunk);
}

static void check_shared_memory(struct checkup *checkup)
{
	struct statvfs shm;
	unsigned long long room;

	if (statvfs("/dev/shm", &shm) != 0) {
		checkup_add(checkup, VERDICT_PROBLEM, "shared memory",
			    "/dev/shm cannot be used: %s: LTTng has no place for its buffers",
			    g_strerror(errno));
		return;
	}
	room = (unsigned long long)shm.f_bavail * shm.f_frsize;
	checkup_add(checkup, room < SHM_NEEDED_BYTES ? VERDICT_PROBLEM : VERDICT_GOOD,
		    "shared memory", "%llu MiB free in /dev/shm%s", room >> 20,
		    room < SHM_NEEDED_BYTES ? ": LTTng's buffers need at least 16 MiB; "
					      "free some or make it larger"
					    : "");
}

static void check_home(struct checkup *checkup)
{
	const char *lttng_home = g_getenv("LTTNG_HOME");
	const char *home = lttng_home ? lttng_home : g_getenv("HOME");

	if (geteuid() == 0)
		return; /* root's daemon has fixed paths */
	if (!home || access(home, W_OK) != 0)
		checkup_add(checkup, VERDICT_NOTE, "home directory",
			    "'%s' cannot be written: a daemon that is running already is not "
			    "found; 'kfdscope record' starts a private one elsewhere",
			    home ? home : "");
	else
		checkup_add(checkup, VERDICT_GOOD, "home directory", "%s", home);
}

static void check_locked_memory(struct checkup *checkup)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return;
	checkup_add(checkup, VERDICT_NOTE, "locked memory",
		    "limit is %llu KiB: large registrations of host memory may fail (ulimit -l)",
		    (unsigned long long)limit.rlim_cur >> 10);
}

void checkup_lttng(struct checkup *checkup)
{
	char *daemon = g_find_program_in_path("lttng-sessiond");

	if (lttng_session_daemon_alive() == 1)
		checkup_add(checkup, VERDICT_GOOD, "session daemon", "running");
	else if (daemon)
		checkup_add(checkup, VERDICT_GOOD, "session daemon",
			    "not running; 'kfdscope record' starts '%s' for the recording", daemon);
	else
		checkup_add(checkup, VERDICT_PROBLEM, "session daemon",
			    "not running and not installed: install lttng-tools");
	check_shared_memory(checkup);
	check_home(checkup);
	check_locked_memory(checkup);
	g_free(daemon);
}

void checkup_devices(struct checkup *checkup)
{
	DIR *dri;
	const struct dirent *entry;
	unsigned int usable = 0, refused = 0;

	if (access("/dev/kfd", R_OK | W_OK) != 0) {
		checkup_add(checkup, VERDICT_NOTE, "/dev/kfd",
			    errno == EACCES
				    ? "permission denied: join the group that owns it (often "
				      "'render'), or record with --model"
				    : "not there: record with --model to run on the simulated GPU");
		return;
	}
	checkup_add(checkup, VERDICT_GOOD, "/dev/kfd", "can be opened");
	dri = opendir("/dev/dri");
	while (dri && (entry = readdir(dri))) {
		if (!g_str_has_prefix(entry->d_name, "renderD"))
			continue;
		if (faccessat(dirfd(dri), entry->d_name, R_OK | W_OK, 0) == 0)
			usable++;
		else
			refused++;
	}
	if (dri)
		closedir(dri);
	checkup_add(checkup, refused || !usable ? VERDICT_NOTE : VERDICT_GOOD, "render nodes",
		    "%u usable, %u refused%s", usable, refused,
		    refused ? ": join the group 'render'" : "");
}
