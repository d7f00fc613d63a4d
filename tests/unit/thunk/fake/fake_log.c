/* SPDX-License-Identifier: MIT */
/* Failures on demand, and questions about the calls that a fake device has seen. */
#include "fake_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ioctl.h>

void fake_device_fail_next(struct fake_device *fake, unsigned long request, int err)
{
	fake->ioctl_failures[_IOC_NR(request)] = (struct fake_failure){ true, 0, err };
}

void fake_device_fail_next_drm(struct fake_device *fake, enum device_drm_cmd cmd, int err)
{
	fake->drm_failures[cmd] = (struct fake_failure){ true, 0, err };
}

void fake_device_fail_op(struct fake_device *fake, enum fake_op op, unsigned int skip, int err)
{
	fake->op_failures[op] = (struct fake_failure){ true, skip, err };
}

void fake_device_fail_nth(struct fake_device *fake, unsigned int n, int err)
{
	fake->nth_failure = (struct fake_failure){ n > 0, n ? n - 1 : 0, err };
}

bool fake_device_failed(const struct fake_device *fake)
{
	return !fake->nth_failure.armed;
}

unsigned int fake_device_calls(const struct fake_device *fake, unsigned long request)
{
	unsigned int count = 0;

	for (size_t i = 0; i < fake->call_count; i++)
		count += fake->calls[i].op == FAKE_IOCTL &&
			 _IOC_NR(fake->calls[i].request) == _IOC_NR(request);
	return count;
}

unsigned int fake_device_drm_calls(const struct fake_device *fake, enum device_drm_cmd cmd)
{
	unsigned int count = 0;

	for (size_t i = 0; i < fake->call_count; i++)
		count += fake->calls[i].op == FAKE_DRM && fake->calls[i].request == cmd;
	return count;
}

unsigned int fake_device_op_calls(const struct fake_device *fake, enum fake_op op)
{
	unsigned int count = 0;

	for (size_t i = 0; i < fake->call_count; i++)
		count += fake->calls[i].op == op;
	return count;
}

unsigned int fake_device_reads(const struct fake_device *fake, const char *path)
{
	unsigned int count = 0;

	for (size_t i = 0; i < fake->call_count; i++)
		count += fake->calls[i].op == FAKE_READ_FILE && !strcmp(fake->calls[i].path, path);
	return count;
}

const struct fake_call *fake_device_log(const struct fake_device *fake, size_t index)
{
	return index < fake->call_count ? &fake->calls[index] : NULL;
}

const struct fake_call *fake_device_last(const struct fake_device *fake, unsigned long request)
{
	for (size_t i = fake->call_count; i-- > 0;) {
		const struct fake_call *call = &fake->calls[i];

		if (call->op == FAKE_IOCTL && _IOC_NR(call->request) == _IOC_NR(request))
			return call;
	}
	return NULL;
}

const char *fake_device_ioctl_sequence(struct fake_device *fake)
{
	size_t size = 3 * fake->call_count + 1, used = 0;

	free(fake->sequence);
	fake->sequence = calloc(1, size);
	for (size_t i = 0; fake->sequence && i < fake->call_count; i++) {
		if (fake->calls[i].op != FAKE_IOCTL)
			continue;
		used += (size_t)snprintf(fake->sequence + used, size - used, "%s%02x",
					 used ? " " : "",
					 (unsigned int)_IOC_NR(fake->calls[i].request));
	}
	return fake->sequence;
}

void fake_device_log_reset(struct fake_device *fake)
{
	pthread_mutex_lock(&fake->lock);
	fake->call_count = 0;
	pthread_mutex_unlock(&fake->lock);
}
