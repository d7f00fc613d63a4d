/* SPDX-License-Identifier: MIT */
/*
 * A tiny model plug-in, built once for each kind of plug-in that a loader may meet. A SET_EVENT ends
 * the WAIT_EVENTS that is going on: with one lock around both the wait would never end.
 */
#include "model_plugin.h"

#include <amdgpu.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hsakmt/hsakmtmodeliface.h"
#include "hsakmt/linux/kfd_ioctl.h"

#define EXPORT __attribute__((visibility("default")))

extern EXPORT struct model_plugin_state model_plugin_state;
struct model_plugin_state model_plugin_state;

#if !defined(MODEL_WITHOUT_ENTRY)

EXPORT const void *get_hsakmt_model_functions(void);

#if defined(MODEL_WITHOUT_TABLE)
const void *get_hsakmt_model_functions(void)
{
	return NULL;
}
#elif defined(MODEL_V0_4) || defined(MODEL_V2_0)
const void *get_hsakmt_model_functions(void)
{
#ifdef MODEL_V0_4
	static const uint32_t table[64] = { 0, 4 };
#else
	static const uint32_t table[64] = { 2, 0 };
#endif
	return table;
}
#else

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t event_set = PTHREAD_COND_INITIALIZER;
static unsigned int events;

static int create_memfd(void)
{
	int fd;

	if (model_plugin_state.fail_memfd_errno) {
		errno = model_plugin_state.fail_memfd_errno;
		return -1;
	}
	model_plugin_state.memfds++;
	fd = memfd_create("model", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, 65536) < 0)
		return -1;
	return fd;
}

static void wait_for_event(void)
{
	unsigned int before;

	pthread_mutex_lock(&lock);
	before = events;
	model_plugin_state.is_waiting = true;
	while (events == before)
		pthread_cond_wait(&event_set, &lock);
	pthread_mutex_unlock(&lock);
}

static void set_event(void)
{
	pthread_mutex_lock(&lock);
	events++;
	pthread_cond_broadcast(&event_set);
	pthread_mutex_unlock(&lock);
}

static int handle_ioctl(unsigned long request, void *arg)
{
	struct model_plugin_state *state = &model_plugin_state;
	int rc = 0;

	if (request == AMDKFD_IOC_WAIT_EVENTS) {
		wait_for_event();
		return 0;
	}
	if (++state->inside > state->most_inside)
		state->most_inside = state->inside;
	state->ioctls++;
	if (request == AMDKFD_IOC_GET_VERSION) {
		((struct kfd_ioctl_get_version_args *)arg)->major_version = 1;
		((struct kfd_ioctl_get_version_args *)arg)->minor_version = 14;
	} else if (request == AMDKFD_IOC_SET_EVENT) {
		set_event();
	} else if (request == AMDKFD_IOC_GET_CLOCK_COUNTERS) {
		usleep(100); /* so that overlapping calls would show */
	} else {
		errno = ENOTTY;
		rc = -1;
	}
	state->inside--;
	return rc;
}

#if defined(MODEL_V1_1)

EXPORT void *kfdscope_model_mmap(int fd, void *addr, size_t size, int prot, int flags,
				 off_t offset);
void *kfdscope_model_mmap(int fd, void *addr, size_t size, int prot, int flags, off_t offset)
{
	model_plugin_state.hooked_maps++;
	return mmap(addr, size, prot, flags, fd, offset);
}

static int open_render(struct hsakmt_model_drm_open_render *args)
{
	if (args->minor != 128) {
		errno = ENOENT;
		return -1;
	}
	*args->fd = memfd_create("render", MFD_CLOEXEC);
	return *args->fd < 0 ? -1 : 0;
}

static int device_call(enum hsakmt_model_drm_cmd cmd, void *arg)
{
	struct hsakmt_model_drm_device_init *init = arg;
	struct hsakmt_model_drm_device_get_fd *get_fd = arg;
	struct hsakmt_model_drm_marketing_name *name = arg;
	struct hsakmt_model_drm_query_gpu_info *query = arg;

	if (cmd == HSAKMT_MODEL_DRM_DEVICE_INITIALIZE) {
		*init->major = 3;
		*init->minor = 9;
		*init->dev = MODEL_PLUGIN_DEVICE;
		return 0;
	}
	if (get_fd->dev != MODEL_PLUGIN_DEVICE) {
		errno = EINVAL;
		return -1;
	}
	if (cmd == HSAKMT_MODEL_DRM_DEVICE_GET_FD) {
		errno = ENOSYS;
		return -1;
	}
	if (cmd == HSAKMT_MODEL_DRM_GET_MARKETING_NAME)
		*name->name = "Test Model";
	if (cmd == HSAKMT_MODEL_DRM_QUERY_GPU_INFO)
		((struct amdgpu_gpu_info *)query->info)->family_id = 142;
	return 0;
}

/* Checks every field that came over, and answers with what the test expects back. */
static int bo_call(enum hsakmt_model_drm_cmd cmd, void *arg)
{
	struct hsakmt_model_drm_bo_va_op *va_op = arg;
	struct hsakmt_model_drm_bo_import *import = arg;
	struct hsakmt_model_drm_bo_export *bo_export = arg;
	struct hsakmt_model_drm_bo_cpu_map *cpu_map = arg;
	struct hsakmt_model_drm_bo_query_info *query = arg;
	struct hsakmt_model_drm_bo_set_metadata *metadata = arg;
	struct amdgpu_bo_import_result *result;

	if (cmd == HSAKMT_MODEL_DRM_BO_IMPORT) {
		if (import->fd != 77 || import->type != 2)
			goto wrong;
		result = import->result;
		result->buf_handle = MODEL_PLUGIN_BO;
		result->alloc_size = 8192;
		return 0;
	}
	if (va_op->bo != MODEL_PLUGIN_BO)
		goto wrong;
	if (cmd == HSAKMT_MODEL_DRM_BO_VA_OP &&
	    (va_op->offset != 1 || va_op->size != 2 || va_op->addr != 3 || va_op->flags != 4 ||
	     va_op->ops != 5))
		goto wrong;
	if (cmd == HSAKMT_MODEL_DRM_BO_EXPORT)
		*bo_export->handle = bo_export->type + 40;
	if (cmd == HSAKMT_MODEL_DRM_BO_CPU_MAP)
		*cpu_map->cpu = &model_plugin_state;
	if (cmd == HSAKMT_MODEL_DRM_BO_QUERY_INFO)
		((struct amdgpu_bo_info *)query->info)->alloc_size = 4096;
	if (cmd == HSAKMT_MODEL_DRM_BO_SET_METADATA)
		return ((struct amdgpu_bo_metadata *)metadata->metadata)->flags == 9 ? 0 : -1;
	return 0;
wrong:
	errno = EINVAL;
	return -1;
}

static int handle_drm_call(unsigned int cmd, void *arg)
{
	struct hsakmt_model_drm_command *command = arg;

	if (cmd < 16)
		model_plugin_state.drm_calls[cmd]++;
	if (cmd <= HSAKMT_MODEL_DRM_BO_SET_METADATA)
		return bo_call(cmd, arg);
	if (cmd == HSAKMT_MODEL_DRM_COMMAND_WRITE_READ)
		return command->fd == 5 && command->cmd == 6 && command->size == 4
			       ? (*(uint32_t *)command->data += 1, 0)
			       : -1;
	if (cmd == HSAKMT_MODEL_DRM_OPEN_RENDER)
		return open_render(arg);
	if (cmd == HSAKMT_MODEL_DRM_CLOSE)
		return close(((struct hsakmt_model_drm_close *)arg)->fd);
	return device_call(cmd, arg);
}

#endif

const void *get_hsakmt_model_functions(void)
{
	static const struct hsakmt_model_functions_v1 table = {
		.version_major = 1,
#ifdef MODEL_V1_0
		.version_minor = 0,
		/* a 1.0 table ends before this member: it must not be looked at */
		.handle_drm_call = (int (*)(unsigned int, void *))(uintptr_t)1,
#else
		.version_minor = 1,
#endif
#ifdef MODEL_V1_1
		.handle_drm_call = handle_drm_call,
#endif
#ifndef MODEL_INCOMPLETE
		.handle_ioctl = handle_ioctl,
#endif
		.create_memfd = create_memfd,
	};

#ifdef MODEL_INCOMPLETE
	(void)handle_ioctl;
#endif
	return &table;
}

#endif
#endif
