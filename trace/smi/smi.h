/* SPDX-License-Identifier: MIT */
/*
 * The driver's event streams, in a recording that asks for them (KFDSCOPE_SMI=1): a stream of each GPU
 * that the program uses, opened through the program's own descriptor, since the driver tells what
 * concerns a process to that process alone. A thread reads them and tells each line as an event.
 *
 * The descriptors have numbers well above those that programs get, so that none of the program's
 * changes; one that the program closes nevertheless is given up.
 */
#ifndef KFDSCOPE_TRACE_SMI_SMI_H
#define KFDSCOPE_TRACE_SMI_SMI_H

#include "trace.h"

/* An ioctl of the device was made: opens the stream of a GPU whose VM was acquired. */
void smi_after_ioctl(struct device *dev, int fd, unsigned long request, const void *arg, int ret);
/* A descriptor is about to be closed: so are the streams that were opened through it. */
void smi_before_close(const struct device *dev, int fd);
/* Tells of the open streams, for a recording that has just begun. Inside the making of an event. */
void smi_dump(const struct trace_provider *provider);
/* In a forked child: the streams are the parent's. */
void smi_forked(void);

#endif
