/* SPDX-License-Identifier: MIT */
/*
 * A process that tidies up when the recorder cannot, because it was killed: SIGKILL leaves a recorder no
 * moment of its own. It waits at a pipe whose other end closes with the recorder, however that ends, and
 * has nothing that anybody else could wait for: no terminal, no descriptors, a session of its own.
 */
#ifndef KFDSCOPE_ANALYSIS_CMDS_GUARDIAN_H
#define KFDSCOPE_ANALYSIS_CMDS_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

/* What it has to know, and is told when that changes. */
struct guardian_news {
	pid_t daemon;    /* that the recorder started; 0: none */
	bool has_output; /* what is written is to stay */
	bool is_over;    /* the recorder tidies up itself */
};

struct guardian {
	pid_t pid; /* 0: none */
	int fd;    /* the recorder's end of the pipe */
	struct guardian_news news;
};

/*
 * Starts it, while the caller has no other thread. Without one, which is no failure of a recording, what
 * is left stays until the next recorder.
 *
 * @param keep_fd  a descriptor that the guardian shares; -1: none.
 * @param tidy     called there when the caller was killed, with what was told last.
 */
void guardian_start(struct guardian *guardian, int keep_fd,
		    void (*tidy)(pid_t recorder, const struct guardian_news *news, void *data),
		    void *data);
/* Tells it the news. */
void guardian_tell(const struct guardian *guardian);
/* Lets it go, since the caller tidies up by itself now; harmless when there is none. */
void guardian_stop(struct guardian *guardian);

#endif
