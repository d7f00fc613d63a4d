/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

void finished(struct target *t)
{
	assert_int_equal(write(t->done, "x", 1), 1);
}

void next_step(struct target *t)
{
	char byte;

	/* whoever tests is gone: so is the test */
	if (read(t->step, &byte, 1) != 1)
		_exit(3);
}

void go(struct target *t)
{
	assert_int_equal(write(t->step, "g", 1), 1);
}

bool comes(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&pfd, 1, PATIENCE_MS) == 1 && read(fd, &byte, 1) == 1;
}

void open_here(struct machine *m)
{
	kfd_model_after_fork(m->model);
	m->render_count = 0;
	assert_int_equal(kfd_model_open(m->model, &m->file), 0);
}

struct target target_start(struct machine *m, target_fn life)
{
	int to[2], from[2];
	struct target t;

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	t.pid = fork();
	if (t.pid == 0) {
		struct target self = { .step = to[0], .done = from[1] };

		close(to[1]);
		close(from[0]);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
		life(m, &self);
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	t.step = to[1];
	t.done = from[0];
	return t;
}

void trace(struct target *t)
{
	assert_int_equal(ptrace(PTRACE_SEIZE, t->pid, NULL, NULL), 0);
}

void target_end(struct target *t, int status)
{
	int got = -1;

	close(t->step);
	assert_int_equal(waitpid(t->pid, &got, __WALL), t->pid);
	assert_int_equal(got, status);
	close(t->done);
}
