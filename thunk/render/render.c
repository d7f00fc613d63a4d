/* SPDX-License-Identifier: MIT */
/*
 * The cache of render nodes. KFD and libdrm must share one DRM file per GPU, and libdrm shares
 * devices among all that open the same GPU: so where libdrm tells its own descriptor, that one is
 * used and ours is closed (openclose.md 5).
 */
#include "render/render.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define RENDER_FIRST_MINOR 128
#define RENDER_COUNT       128

struct render {
	bool is_open;
	bool owns_fd; /* else it is the device's, and goes with it */
	int fd;
	void *device; /* owned; NULL: libdrm could not make one */
};

struct kmt_renders {
	pthread_mutex_t lock; /* protects nodes */
	struct render nodes[RENDER_COUNT];
};

struct kmt_renders *kmt_renders_new(void)
{
	struct kmt_renders *renders = calloc(1, sizeof(*renders));

	if (renders)
		pthread_mutex_init(&renders->lock, NULL);
	return renders;
}

void kmt_renders_free(struct kmt_renders *renders)
{
	free(renders);
}

static void close_fd(struct kmt_context *ctx, int fd)
{
	union device_drm_args args = { .close = { .fd = fd } };

	kmt_drm(ctx, DEVICE_DRM_CLOSE, &args);
}

static void deinitialize(struct kmt_context *ctx, void *device)
{
	union device_drm_args args = { .device_deinitialize = { .dev = device } };

	kmt_drm(ctx, DEVICE_DRM_DEVICE_DEINITIALIZE, &args);
}

/* Makes the libdrm device of a freshly opened node, if that works; never fails. */
static void initialize(struct kmt_context *ctx, struct render *render)
{
	union device_drm_args args = { .device_initialize = { .fd = render->fd,
							      .no_dedup = !ctx->is_primary } };
	void *device;
	int rc;

	if (kmt_drm(ctx, DEVICE_DRM_DEVICE_INITIALIZE, &args) < 0)
		return;
	device = args.device_initialize.dev;
	if (!device)
		return;
	args.device_get_fd.fd = -1;
	args.device_get_fd.dev = device;
	rc = kmt_drm(ctx, DEVICE_DRM_DEVICE_GET_FD, &args);
	if (rc != -ENOSYS && (rc < 0 || args.device_get_fd.fd <= 0)) {
		/* The two might work on different files, which the kernel refuses later. */
		deinitialize(ctx, device);
		return;
	}
	render->device = device;
	/* An old libdrm cannot tell, and a model may make no copy: ours stays in use. */
	if (rc == -ENOSYS || args.device_get_fd.fd == render->fd)
		return;
	close_fd(ctx, render->fd);
	render->fd = args.device_get_fd.fd;
	render->owns_fd = false;
}

static int render_open(struct kmt_context *ctx, struct render *render, uint32_t minor)
{
	union device_drm_args args = { .open_render = { .minor = (int)minor, .fd = -1 } };
	int rc = kmt_drm(ctx, DEVICE_DRM_OPEN_RENDER, &args);

	if (rc < 0) {
		/* Not in this container, or forbidden by a cgroup: usual, and no fault. */
		if (rc != -ENOENT && rc != -EPERM)
			kmt_log(KMT_LOG_ERR, "cannot open '/dev/dri/renderD%u': errno %d%s", minor,
				-rc, rc == -EACCES ? " (is the user in the render group?)" : "");
		return rc;
	}
	render->fd = args.open_render.fd;
	render->owns_fd = true;
	initialize(ctx, render);
	render->is_open = true;
	return 0;
}

int kmt_render_open(struct kmt_context *ctx, uint32_t minor)
{
	struct render *render;
	int rc = 0;

	if (!ctx || !ctx->renders || minor < RENDER_FIRST_MINOR ||
	    minor >= RENDER_FIRST_MINOR + RENDER_COUNT)
		return -EINVAL;
	render = &ctx->renders->nodes[minor - RENDER_FIRST_MINOR];
	pthread_mutex_lock(&ctx->renders->lock);
	if (!render->is_open)
		rc = render_open(ctx, render, minor);
	if (rc == 0)
		rc = render->fd;
	pthread_mutex_unlock(&ctx->renders->lock);
	return rc;
}

void *kmt_render_drm_device(struct kmt_context *ctx, uint32_t minor)
{
	void *device;

	if (!ctx || !ctx->renders || minor < RENDER_FIRST_MINOR ||
	    minor >= RENDER_FIRST_MINOR + RENDER_COUNT)
		return NULL;
	pthread_mutex_lock(&ctx->renders->lock);
	device = ctx->renders->nodes[minor - RENDER_FIRST_MINOR].device;
	pthread_mutex_unlock(&ctx->renders->lock);
	return device;
}

bool kmt_render_owns_device(const struct kmt_context *ctx, const void *device)
{
	bool found = false;

	if (!device || !ctx || !ctx->renders)
		return false;
	pthread_mutex_lock(&ctx->renders->lock);
	for (size_t i = 0; i < RENDER_COUNT && !found; i++)
		found = ctx->renders->nodes[i].device == device;
	pthread_mutex_unlock(&ctx->renders->lock);
	return found;
}

void kmt_renders_close(struct kmt_context *ctx)
{
	struct kmt_renders *renders = ctx->renders;

	if (!renders)
		return;
	/* In a forked child another thread may have held the lock: it starts anew. */
	pthread_mutex_init(&renders->lock, NULL);
	for (size_t i = 0; i < RENDER_COUNT; i++) {
		struct render *render = &renders->nodes[i];

		if (!render->is_open)
			continue;
		if (render->device)
			deinitialize(ctx, render->device);
		if (render->owns_fd)
			close_fd(ctx, render->fd);
		*render = (struct render){ 0 };
	}
}
