/* SPDX-License-Identifier: MIT */
/*
 * The leak test of the library itself: every case of the walk with each of its system calls failing
 * in turn. A process of its own for each; after the close nothing may be left that a run without
 * fault does not leave, and the library must work as if nothing had been. With the address sanitizer
 * each of these processes checks its heap as well.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger.h"
#include "walk.h"

/* What a child tells. */
struct result {
	bool good;
	unsigned int operations;
	struct ledger left;
	char failed[64];
};

static unsigned int armed_at; /* for begin(), which the walk calls without data of ours */

static void begin(struct walk *w)
{
	(void)w;
	ledger_arm(armed_at);
}

static void nothing(struct walk *w)
{
	(void)w;
}

static const struct walk_case session = { "opening and closing", nothing, false };

static bool same(const struct ledger *a, const struct ledger *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static void tell_difference(const struct ledger *left, const struct ledger *clean)
{
#define TELL(what)                                                                                 \
	if (left->what != clean->what)                                                             \
	printf("  " #what ": %" PRIu64 " left, %" PRIu64 " without a fault\n", left->what,         \
	       clean->what)
	TELL(buffers);
	TELL(queues);
	TELL(events);
	TELL(drm_objects);
	TELL(descriptors);
	TELL(mapped_bytes);
#undef TELL
}

/* The case with a fault, and then without. */
static struct result run_here(const struct walk_case *c, unsigned int fail_at)
{
	struct result result = { .good = true };
	struct walk w = { .relaxed = fail_at != 0, .quiet = true };

	ledger_install();
	armed_at = fail_at;
	if (c == &session)
		ledger_arm(fail_at);
	else
		w.before = begin;
	result.good = walk_run(&w, c);
	result.operations = ledger_disarm();
	strcpy(result.failed, ledger_failed_name());
	if (ledger_failed_giving_back())
		strcat(result.failed, " (gives back)");
	w.before = NULL;
	w.relaxed = false;
	/* what could not be given back may be in the way of the second run */
	if (ledger_failed_giving_back())
		return result;
	if (!walk_run(&w, c)) {
		printf("  does not work after %s failed\n", result.failed);
		result.good = false;
	}
	result.left = ledger_now();
	return result;
}

/*
 * Ends a child; exit() has the sanitizer look at the heap. It cannot do that while a thread of the
 * simulated GPU runs: there it faults by itself.
 */
static void end(bool good)
{
	DIR *tasks = opendir("/proc/self/task");
	int count = -2; /* . and .. */

	while (tasks && readdir(tasks))
		count++;
	fflush(stdout);
	if (count == 1)
		exit(good ? 0 : 1);
	_exit(good ? 0 : 1);
}

static struct result run_apart(const struct walk_case *c, unsigned int fail_at)
{
	struct result result = { .good = false };
	int pipes[2], status = 0;
	pid_t child;

	fflush(stdout);
	if (pipe(pipes))
		return result;
	child = fork();
	if (child == 0) {
		close(pipes[0]);
		result = run_here(c, fail_at);
		if (write(pipes[1], &result, sizeof(result)) != (ssize_t)sizeof(result))
			result.good = false;
		end(result.good);
	}
	close(pipes[1]);
	if (child < 0 || read(pipes[0], &result, sizeof(result)) != (ssize_t)sizeof(result))
		result.good = false;
	close(pipes[0]);
	if (child < 0 || waitpid(child, &status, 0) != child || status) {
		printf("  the process ended with %s %d\n",
		       WIFSIGNALED(status) ? "signal" : "exit code",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		result.good = false;
	}
	return result;
}

/* @return how many operations were made to fail; *failed counts what went wrong. */
static unsigned int torture(const struct walk_case *c, unsigned int *failed)
{
	struct result clean = run_apart(c, 0);
	unsigned int wrong = 0;

	if (!clean.good) {
		printf("FAILED %s: without any fault\n", c->name);
		(*failed)++;
		return 0;
	}
	for (unsigned int i = 1; i <= clean.operations; i++) {
		struct result result = run_apart(c, i);
		bool left = !strstr(result.failed, "gives back") && result.good &&
			    !same(&result.left, &clean.left);

		if (result.good && !left)
			continue;
		wrong++;
		printf("FAILED %s: operation %u, %s\n", c->name, i, result.failed);
		if (left)
			tell_difference(&result.left, &clean.left);
	}
	*failed += wrong;
	return clean.operations;
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	unsigned int failed = 0, operations = 0, cases = !only;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!only)
		operations += torture(&session, &failed);
	for (const struct walk_case *c = walk_next(NULL); c; c = walk_next(c)) {
		if (only && !strstr(c->name, only))
			continue;
		cases++;
		operations += torture(c, &failed);
	}
	printf("%u cases, %u operations failed in turn, %u of them badly\n", cases, operations,
	       failed);
	return failed || (!only && operations < 500);
}
