/* SPDX-License-Identifier: MIT */
/*
 * Render nodes and libdrm devices of the fake. As libdrm does, a device keeps a duplicate of the
 * first descriptor and is shared by every later one of the same node (drm.md 2, step 2).
 */
#include "fake_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <amdgpu.h>

static struct fake_render *render_of_minor(struct fake_device *fake, int minor)
{
	if (minor < FAKE_RENDER_FIRST || minor >= FAKE_RENDER_FIRST + FAKE_RENDER_COUNT)
		return NULL;
	return &fake->renders[minor - FAKE_RENDER_FIRST];
}

static struct fake_render *render_of_fd(struct fake_device *fake, int fd)
{
	int minor;

	if (!fake_fd_live(fake, fd) ||
	    sscanf(fake->fd_paths[fd - FAKE_FIRST_FD], "/dev/dri/renderD%d", &minor) != 1)
		return NULL;
	return render_of_minor(fake, minor);
}

static struct fake_render *render_of_device(struct fake_device *fake, void *dev)
{
	struct fake_render *render = dev;

	if (render < fake->renders || render >= fake->renders + FAKE_RENDER_COUNT ||
	    !render->references)
		return NULL;
	return render;
}

static int drm_open_render(struct fake_device *fake, union device_drm_args *args)
{
	struct fake_render *render = render_of_minor(fake, args->open_render.minor);
	char path[64];

	if (!render)
		return -ENOENT;
	if (render->open_errno)
		return -render->open_errno;
	snprintf(path, sizeof(path), "/dev/dri/renderD%d", args->open_render.minor);
	args->open_render.fd = fake_fd_open(fake, path);
	return 0;
}

static int drm_device_initialize(struct fake_device *fake, union device_drm_args *args)
{
	struct fake_render *render = render_of_fd(fake, args->device_initialize.fd);

	if (!render)
		return -EBADF;
	if (!render->references++)
		render->device_fd = fake_fd_open(
			fake, fake->fd_paths[args->device_initialize.fd - FAKE_FIRST_FD]);
	args->device_initialize.major = 3;
	args->device_initialize.minor = 57;
	args->device_initialize.dev = render;
	return 0;
}

static int drm_device_deinitialize(struct fake_device *fake, union device_drm_args *args)
{
	struct fake_render *render = render_of_device(fake, args->device_deinitialize.dev);

	if (!render)
		return -EINVAL;
	if (!--render->references)
		fake_fd_close(fake, render->device_fd);
	return 0;
}

static int drm_query_gpu_info(struct fake_device *fake, union device_drm_args *args)
{
	struct fake_render *render = render_of_device(fake, args->query_gpu_info.dev);
	struct amdgpu_gpu_info *info = args->query_gpu_info.info;

	if (!render)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->family_id = render->info.family_id;
	info->ids_flags = render->info.ids_flags;
	info->gpu_counter_freq = render->info.counter_freq_khz;
	return 0;
}

int fake_drm_default(struct fake_device *fake, enum device_drm_cmd cmd, union device_drm_args *args)
{
	struct fake_render *render;

	if (cmd == DEVICE_DRM_OPEN_RENDER)
		return drm_open_render(fake, args);
	if (cmd == DEVICE_DRM_CLOSE)
		return fake_fd_close(fake, args->close.fd);
	if (cmd == DEVICE_DRM_DEVICE_INITIALIZE)
		return drm_device_initialize(fake, args);
	if (cmd == DEVICE_DRM_DEVICE_DEINITIALIZE)
		return drm_device_deinitialize(fake, args);
	if (cmd == DEVICE_DRM_QUERY_GPU_INFO)
		return drm_query_gpu_info(fake, args);
	if (cmd == DEVICE_DRM_DEVICE_GET_FD) {
		render = render_of_device(fake, args->device_get_fd.dev);
		args->device_get_fd.fd = render ? render->device_fd : -1;
		return render ? 0 : -EINVAL;
	}
	if (cmd == DEVICE_DRM_GET_MARKETING_NAME) {
		render = render_of_device(fake, args->get_marketing_name.dev);
		args->get_marketing_name.name = render ? render->info.marketing_name : NULL;
		return render ? 0 : -EINVAL;
	}
	return -ENOSYS; /* buffer calls need a handler of the test */
}

void fake_device_set_render_errno(struct fake_device *fake, int minor, int err)
{
	struct fake_render *render = render_of_minor(fake, minor);

	if (render)
		render->open_errno = err;
}

void fake_device_set_gpu_info(struct fake_device *fake, int minor, const struct fake_gpu_info *info)
{
	struct fake_render *render = render_of_minor(fake, minor);

	if (render)
		render->info = *info;
}

unsigned int fake_device_live_drm_devices(const struct fake_device *fake)
{
	unsigned int count = 0;

	for (size_t i = 0; i < FAKE_RENDER_COUNT; i++)
		count += fake->renders[i].references != 0;
	return count;
}
