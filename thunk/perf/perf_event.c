/* SPDX-License-Identifier: MIT */
/* Performance events by the kernel's system call. */
#include "perf/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System-wide on the first CPU: an uncore PMU counts in one place (perf.md 3). */
static int kernel_open(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1,
			  PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int kernel_enable(int fd, bool enable)
{
	return ioctl(fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

static int kernel_read(int fd, uint64_t *value)
{
	uint64_t values[3]; /* value, time enabled, time running */
	ssize_t size;

	do {
		size = read(fd, values, sizeof(values));
	} while (size < 0 && errno == EINTR);
	if (size < 0)
		return -errno;
	if (size != sizeof(values))
		return -EIO;
	*value = values[0];
	return 0;
}

static void kernel_close(int fd)
{
	close(fd);
}

static const struct perf_event_ops kernel_ops = {
	.open = kernel_open,
	.enable = kernel_enable,
	.read = kernel_read,
	.close = kernel_close,
};
static const struct perf_event_ops *current_ops = &kernel_ops;

const struct perf_event_ops *perf_event_ops(void)
{
	return current_ops;
}

void perf_event_set_ops(const struct perf_event_ops *ops)
{
	current_ops = ops ? ops : &kernel_ops;
}
