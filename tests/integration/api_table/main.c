/* SPDX-License-Identifier: MIT */
/*
 * Runs the walk and prints each call with its result. With --compare nothing is checked: what the
 * other library does differently is not wrong in itself.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walk.h"

/* In a process of its own, so that no case depends on what an earlier one left behind. */
static int run_apart(struct walk *w, const struct walk_case *c)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		bool good = walk_run(w, c);

		fflush(stdout);
		_exit(good ? 0 : 1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	if (WIFSIGNALED(status)) {
		printf("  died of signal %d\n", WTERMSIG(status));
		return 1;
	}
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	struct walk w = { 0 };
	int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0); /* a case that dies has said how far it came */
	w.relaxed = argc > 1 && strcmp(argv[1], "--compare") == 0;
	for (const struct walk_case *c = walk_next(NULL); c; c = walk_next(c)) {
		if (!run_apart(&w, c))
			continue;
		failed++;
		printf("FAILED %s\n", c->name);
	}
	printf("%d cases failed\n", failed);
	return failed && !w.relaxed;
}
