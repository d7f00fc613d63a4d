/* SPDX-License-Identifier: MIT */
/*
 * The queue sampler: a thread that looks at the indices of living queues KFDSCOPE_QUEUE_HZ times a
 * second (0, the default: never, and there is no thread). It learns of queues from the device's
 * ioctls, so it serves libhsakmt and the tracer at the libc boundary alike.
 *
 * The program's memory is copied by the kernel, which refuses what is not mapped. The thread looks at a
 * queue until the ioctl that destroys it begins; the last look is the destroying thread's, before that
 * ioctl returns to whoever is to free the memory.
 */
#ifndef KFDSCOPE_TRACE_SAMPLER_SAMPLER_H
#define KFDSCOPE_TRACE_SAMPLER_SAMPLER_H

#include "trace.h"

/* An ioctl of the device is about to be made: the thread leaves a queue that it destroys alone. */
void sampler_before_ioctl(const struct device *dev, unsigned long request, const void *arg);
/*
 * It was made, and its event is still to come: the last look at a queue that it destroyed.
 * @param ret  0, or -errno.
 */
void sampler_when_done(const struct device *dev, unsigned long request, const void *arg, int ret);
/* Its event was made: what it created may be looked at from now on. */
void sampler_after_ioctl(const struct device *dev, int fd, unsigned long request, const void *arg,
			 int ret);
/* A descriptor is about to be closed. */
void sampler_before_close(const struct device *dev, int fd);
/* In a forked child: it has no queues, and not the thread. */
void sampler_forked(void);

/*
 * Whether queues made through one descriptor end when another, or the same, is closed. Each object that
 * has a sampler has its own.
 */
bool sampler_ends_with(int queue_fd, int closed_fd);

#endif
