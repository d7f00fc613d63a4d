/* SPDX-License-Identifier: MIT */
/*
 * Starts and stops an lttng-sessiond. Root's has sockets at fixed paths, so that recorders of root
 * have to share one: a lock file beside the sockets counts them (each holds it shared) and carries
 * the pid of a daemon that one of them started. A second lock is held while one starts or stops, and
 * no longer: nobody waits for another's recording.
 */
#include "daemon.h"

#include "notices.h"
#include "recording.h"
#include "trace_folder.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* A daemon that has not come up by then will not: it takes some 50 ms on an idle machine. */
#define START_TIMEOUT_US (10 * G_USEC_PER_SEC)
#define STOP_TIMEOUT_US  (5 * G_USEC_PER_SEC)
#define AGAIN_US         500000
#define POLL_US          10000

/* Two small sub-buffers for each of a few CPUs, and what the daemon and programs share. */
#define SHARED_MEMORY_BYTES (1U << 20)

/*
 * How long the daemon waits for an answer of a program. After 5 s, which are over where a hundred programs
 * start at once, it forgets the program, whose events are then missing without being counted as lost.
 */
#define ANSWER_TIMEOUT   "LTTNG_APP_SOCKET_TIMEOUT"
#define ANSWER_TIMEOUT_S "30"

#define DAEMON    "lttng-sessiond"
#define ROOT_DIR  "/run/lttng"
#define ROOT_LOCK ROOT_DIR "/kfdscope.lock"
#define ROOT_TURN ROOT_DIR "/kfdscope-turn.lock"

static pid_t read_pid(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	return (pid_t)g_ascii_strtoll(text, NULL, 10);
}

static void write_pid(int fd, pid_t pid)
{
	char text[16];
	int length = g_snprintf(text, sizeof(text), "%d\n", (int)pid);

	/* A pid that cannot be noted leaves the daemon running: untidy, not wrong. */
	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)length, 0);
}

/*
 * In the child: become the daemon, silent. A private one ends when the recorder ends. Root's notes itself
 * under the name by which it is known, so that it is found even when the recorder is killed now.
 */
static G_GNUC_NORETURN void exec_daemon(int error_fd, int lock_fd)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (lock_fd < 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	} else {
		prctl(PR_SET_NAME, DAEMON);
		write_pid(lock_fd, getpid());
	}
	setpgid(0, 0); /* Ctrl-C is for the traced program, not for the daemon */
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	/* Whoever waits for the end of a pipe that we were given is not to wait for the daemon. */
	close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	setenv(ANSWER_TIMEOUT, ANSWER_TIMEOUT_S, 0); /* the user may know better */
	execlp(DAEMON, DAEMON, "--no-kernel", (char *)NULL);
	err = errno;
	(void)!write(error_fd, &err, sizeof(err)); /* nobody reads when the recorder is gone */
	_exit(127);
}

static pid_t spawn_daemon(int lock_fd, char **reason)
{
	int pipe_fds[2], err = 0;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0) {
		*reason = g_strdup_printf("cannot make a pipe: %s", g_strerror(errno));
		return -1;
	}
	pid = fork();
	if (pid == 0)
		exec_daemon(pipe_fds[1], lock_fd);
	close(pipe_fds[1]);
	if (pid < 0)
		*reason = g_strdup_printf("cannot fork: %s", g_strerror(errno));
	else if (read(pipe_fds[0], &err, sizeof(err)) == sizeof(err)) {
		*reason = g_strdup_printf("cannot run 'lttng-sessiond': %s (install lttng-tools)",
					  g_strerror(err));
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(pipe_fds[0]);
	return pid;
}

static bool wait_until_alive(struct daemon *daemon, char **reason)
{
	int status;

	for (gint64 end = g_get_monotonic_time() + START_TIMEOUT_US; g_get_monotonic_time() < end;
	     g_usleep(POLL_US)) {
		if (lttng_session_daemon_alive() == 1)
			return true;
		if (waitpid(daemon->pid, &status, WNOHANG) == daemon->pid) {
			daemon->pid = 0;
			*reason = g_strdup("the session daemon ended at once "
					   "(try 'lttng-sessiond --no-kernel' to see why)");
			return false;
		}
	}
	*reason = g_strdup("the session daemon does not answer");
	return false;
}

static bool is_session_daemon(pid_t pid)
{
	char *path = g_strdup_printf("/proc/%d/comm", (int)pid), *comm = NULL;
	bool is = pid > 0 && g_file_get_contents(path, &comm, NULL, NULL) &&
		  g_str_has_prefix(comm, DAEMON);

	g_free(comm);
	g_free(path);
	return is;
}

/* Root's recorders start and stop daemons one at a time. @return to be closed; -1: no such lock. */
static int take_turn(void)
{
	int fd = open(ROOT_TURN, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	while (fd >= 0 && flock(fd, LOCK_EX) != 0) {
		if (errno == EINTR)
			continue;
		close(fd);
		return -1;
	}
	return fd;
}

/* Prepares what the daemon needs before it starts, and keeps a second recorder from starting one. */
static bool prepare(struct daemon *daemon, const char *home, int *turn_fd, char **reason)
{
	if (geteuid() == 0) {
		g_mkdir(ROOT_DIR, 0755);
		*turn_fd = take_turn();
		daemon->lock_fd = open(ROOT_LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (*turn_fd >= 0 && daemon->lock_fd >= 0 && flock(daemon->lock_fd, LOCK_SH) == 0)
			return true;
		*reason = g_strdup_printf("cannot lock '" ROOT_LOCK "': %s", g_strerror(errno));
		return false;
	}
	if (home)
		return g_setenv("LTTNG_HOME", home, TRUE);
	if (lttng_session_daemon_alive() == 1)
		return true;
	daemon->dir = g_dir_make_tmp("kfdscope-XXXXXX", NULL);
	if (!daemon->dir) {
		*reason = g_strdup_printf("cannot make a directory in '%s': %s", g_get_tmp_dir(),
					  g_strerror(errno));
		return false;
	}
	return g_setenv("LTTNG_HOME", daemon->dir, TRUE);
}

/* Without it the daemon ends at once, and programs that are prepared for recording get a SIGBUS. */
static bool shared_memory_has_room(char **reason)
{
	struct statvfs shm;

	if (statvfs("/dev/shm", &shm) != 0)
		*reason =
			g_strdup_printf("cannot use '/dev/shm', where LTTng keeps its buffers: %s",
					g_strerror(errno));
	else if ((uint64_t)shm.f_bavail * shm.f_frsize < SHARED_MEMORY_BYTES)
		*reason = g_strdup_printf(
			"'/dev/shm', where LTTng keeps its buffers, has only %u KiB "
			"left: remove what fills it, or give it more (mount -o "
			"remount,size=1G /dev/shm)",
			(unsigned int)((uint64_t)shm.f_bavail * shm.f_frsize >> 10));
	return !*reason;
}

static void end_left(pid_t recorder)
{
	recording_end_left(recorder);
	notices_end_left(recorder);
}

/* In the guardian, where the daemon's description is as it was at the fork. */
static void tidy(pid_t recorder, const struct guardian_news *news, void *data)
{
	struct daemon *daemon = data;

	daemon->pid = news->daemon;
	/* A private daemon has heard of the death itself, and takes its sessions with it. */
	if (!daemon->dir)
		end_left(recorder);
	daemon->guardian.pid = 0;
	daemon_close(daemon);
	if (daemon->output && !news->has_output)
		trace_folder_remove(daemon->output);
}

void daemon_keep_output(struct daemon *daemon)
{
	daemon->guardian.news.has_output = true;
	guardian_tell(&daemon->guardian);
}

bool daemon_open(struct daemon *daemon, const char *home, const char *output, char **reason)
{
	int turn_fd = -1;
	bool ok;

	*daemon = (struct daemon){ .lock_fd = -1, .guardian.fd = -1, .output = output };
	*reason = NULL;
	ok = shared_memory_has_room(reason) && prepare(daemon, home, &turn_fd, reason);
	if (ok)
		guardian_start(&daemon->guardian, daemon->lock_fd, tidy, daemon);
	if (ok && lttng_session_daemon_alive() != 1) {
		daemon->pid = spawn_daemon(daemon->lock_fd, reason);
		daemon->guardian.news.daemon = MAX(daemon->pid, 0);
		guardian_tell(&daemon->guardian);
		ok = daemon->pid > 0 && wait_until_alive(daemon, reason);
	}
	if (turn_fd >= 0)
		close(turn_fd);
	if (!ok)
		daemon_close(daemon);
	return ok;
}

/* False, too, when it has ended and its parent does not notice, as the first process of some containers. */
static bool runs(pid_t pid)
{
	char *path = g_strdup_printf("/proc/%d/stat", (int)pid), *text = NULL;
	const char *name_end = NULL;
	bool is;

	if (g_file_get_contents(path, &text, NULL, NULL))
		name_end = strrchr(text, ')');
	is = name_end && name_end[1] && !strchr("ZX", name_end[2]);
	g_free(path);
	g_free(text);
	return is;
}

/* The daemon may be another recorder's child, so waiting is by looking. */
static void stop(pid_t pid)
{
	gint64 now = g_get_monotonic_time(), end = now + STOP_TIMEOUT_US, next = now;

	while (waitpid(pid, NULL, WNOHANG) <= 0 && runs(pid)) {
		now = g_get_monotonic_time();
		if (now > end)
			kill(-pid, SIGKILL); /* its consumers, too, which are of its group */
		else if (now >= next) {      /* one that has just been started forgets the first */
			kill(pid, SIGTERM);
			next = now + AGAIN_US;
		}
		g_usleep(POLL_US);
	}
}

static bool has_sessions(void)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);

	free(sessions);
	return count > 0;
}

void daemon_close(struct daemon *daemon)
{
	int turn_fd;
	bool last;
	pid_t pid;

	guardian_stop(&daemon->guardian);
	turn_fd = daemon->lock_fd < 0 ? -1 : take_turn();
	last = daemon->lock_fd < 0 || flock(daemon->lock_fd, LOCK_EX | LOCK_NB) == 0;
	pid = daemon->lock_fd < 0 ? daemon->pid : read_pid(daemon->lock_fd);
	if (last && daemon->lock_fd >= 0)
		end_left(0);
	if (last && is_session_daemon(pid) && !has_sessions()) {
		stop(pid);
		if (daemon->lock_fd >= 0)
			(void)!ftruncate(daemon->lock_fd, 0); /* a stale pid is checked when read */
	}
	daemon->pid = 0;
	if (daemon->lock_fd >= 0)
		close(daemon->lock_fd);
	daemon->lock_fd = -1;
	if (turn_fd >= 0)
		close(turn_fd);
	if (daemon->dir)
		trace_folder_remove(daemon->dir);
	g_clear_pointer(&daemon->dir, g_free);
}
