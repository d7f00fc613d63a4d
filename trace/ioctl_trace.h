/* SPDX-License-Identifier: MIT */
/* The generated table of ioctls, for device.c. */
#ifndef KFDSCOPE_TRACE_IOCTL_TRACE_H
#define KFDSCOPE_TRACE_IOCTL_TRACE_H

#include <sys/ioctl.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "trace.h"
#include "values.h"

/* How one ioctl's events are made, after trace_device_begin() and _end() allowed them. */
struct trace_ioctl {
	const char *name; /* without AMDKFD_IOC_ */
	void (*enter)(const struct trace_device_call *call, int fd, unsigned long request,
		      void *arg);
	void (*leave)(const struct trace_device_call *call, int ret, unsigned long request,
		      void *arg);
	enum trace_event entry, exit;
};

/*
 * The ioctl of a request, by its number alone as the KFD does it, and where the number has
 * operations, of the operation in its argument.
 * @return NULL for a number that ioctl.def does not have.
 */
const struct trace_ioctl *trace_ioctl_find(unsigned long request, const void *arg);

#endif
