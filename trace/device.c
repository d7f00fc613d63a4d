/* SPDX-License-Identifier: MIT */
/*
 * The decorator of the device's operations: each call is handed on unchanged, with an event before
 * and one after it where a recording wants them. Errors are noted for the API call around it even
 * when the call's own events are off.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "ioctl_trace.h"
#include "sampler/sampler.h"
#include "smi/smi.h"
#include "trace.h"
#include "values.h"

/* Of the thunk, or of the function of libc that stands in front of this (preload/). */
#define CALLER (trace_thread.caller ? trace_thread.caller : __builtin_return_address(0))

static int failed(int rc)
{
	return rc < 0 ? -rc : 0;
}

/* Exit events that say no more than what the call returned share this shape. */
#define DEFINE_LEAVE(name)                                                                         \
	static void leave_##name(struct trace_device_call *call, int ret)                          \
	{                                                                                          \
		struct kmt_os_##name##_exit event = {                                              \
			.call = call->number,                                                      \
			.ret = ret,                                                                \
			.os_errno = failed(ret),                                                   \
		};                                                                                 \
                                                                                                   \
		if (!trace_device_end(call, TRACE_kmt_os_##name##_exit, event.os_errno))           \
			return;                                                                    \
		event.api_call = call->api_call;                                                   \
		trace_call_fire(TRACE_kmt_os_##name##_exit, &event);                               \
	}

DEFINE_LEAVE(open)
DEFINE_LEAVE(close)
DEFINE_LEAVE(munmap)
DEFINE_LEAVE(madvise)
DEFINE_LEAVE(mbind)
DEFINE_LEAVE(unknown_ioctl)

void trace_open_enter(struct trace_device_call *call, const void *caller, const char *path,
		      int flags)
{
	struct kmt_os_open_entry event = { .flags = (uint32_t)flags };

	if (!trace_device_begin(call, caller, TRACE_kmt_os_open_entry))
		return;
	event.call = call->number;
	event.api_call = call->api_call;
	trace_text(event.path, sizeof(event.path), path, sizeof(event.path));
	trace_call_fire(TRACE_kmt_os_open_entry, &event);
}

void trace_open_leave(struct trace_device_call *call, int ret)
{
	leave_open(call, ret);
}

static int traced_open_kfd(struct device *dev)
{
	struct trace_device_call call = { .number = 0 };
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->open_kfd(dev);
	trace_open_enter(&call, CALLER, "/dev/kfd", 0);
	ret = dev->base_ops->open_kfd(dev);
	trace_open_leave(&call, ret);
	return ret;
}

static int traced_open(struct device *dev, const char *path, int flags)
{
	struct trace_device_call call = { .number = 0 };
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->open(dev, path, flags);
	trace_open_enter(&call, CALLER, path, flags);
	ret = dev->base_ops->open(dev, path, flags);
	trace_open_leave(&call, ret);
	return ret;
}

static int traced_close(struct device *dev, int fd)
{
	struct trace_device_call call = { .number = 0 };
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->close(dev, fd);
	if (trace_device_begin(&call, CALLER, TRACE_kmt_os_close_entry)) {
		const struct kmt_os_close_entry event = {
			.call = call.number,
			.api_call = call.api_call,
			.fd = fd,
		};

		trace_call_fire(TRACE_kmt_os_close_entry, &event);
	}
	sampler_before_close(dev, fd);
	smi_before_close(dev, fd);
	ret = dev->base_ops->close(dev, fd);
	leave_close(&call, ret);
	return ret;
}

/* Files are read by the hundred: each is added to a sum, which is what is told (reads.c). */
static ssize_t traced_read_file(struct device *dev, const char *path, char *buf, size_t size)
{
	uint64_t began_ns;
	ssize_t length;

	if (!trace_reads_wanted())
		return dev->base_ops->read_file(dev, path, buf, size);
	began_ns = trace_reads_now_ns();
	length = dev->base_ops->read_file(dev, path, buf, size);
	trace_reads_add(dev, path, false, began_ns, length);
	return length;
}

static int traced_count_dir(struct device *dev, const char *path)
{
	uint64_t began_ns;
	int count;

	if (!trace_reads_wanted())
		return dev->base_ops->count_dir(dev, path);
	began_ns = trace_reads_now_ns();
	count = dev->base_ops->count_dir(dev, path);
	trace_reads_add(dev, path, true, began_ns, count);
	return count;
}

static int unknown_ioctl(struct device *dev, int fd, unsigned long request, void *arg,
			 const void *caller)
{
	struct trace_device_call call = { .number = 0 };
	struct trace_stack stack;
	int ret;

	if (trace_device_begin(&call, caller, TRACE_kmt_os_unknown_ioctl_entry)) {
		struct kmt_os_unknown_ioctl_entry event = {
			.call = call.number,
			.api_call = call.api_call,
			.fd = fd,
			.request = request,
		};

		trace_stack_of_device_call(&stack, &call);
		event.bt = stack.first;
		event.bt_len = stack.inline_length;
		event.bt_truncated = stack.is_truncated;
		event.bt_id = stack.defined;
		trace_call_fire(TRACE_kmt_os_unknown_ioctl_entry, &event);
	}
	ret = dev->base_ops->ioctl(dev, fd, request, arg);
	leave_unknown_ioctl(&call, ret);
	return ret;
}

/* Of the events that a wait returned with: signals leave the number of the GPU 0. */
/* Of memory, or of the hardware: what other kinds of events tell does not reach that far. */
static bool wait_brought_fault(const struct trace_ioctl *which, const void *arg)
{
	const struct kfd_ioctl_wait_events_args *args = arg;
	const struct kfd_event_data *events;

	if (which->exit != TRACE_kfd_WAIT_EVENTS_exit || !arg ||
	    args->wait_result != KFD_IOC_WAIT_RESULT_COMPLETE)
		return false;
	events = (const struct kfd_event_data *)(uintptr_t)args->events_ptr;
	for (uint32_t i = 0; events && i < args->num_events; i++)
		if (events[i].memory_exception_data.gpu_id || events[i].hw_exception_data.gpu_id)
			return true;
	return false;
}

/* Inside an API call it is for the call to say what has failed. */
static void tell_incident(const struct trace_ioctl *which, const struct trace_device_call *call,
			  const void *arg, int os_errno)
{
	if (call->api_call || os_errno == EINTR || os_errno == EAGAIN)
		return;
	if (os_errno)
		trace_incident(TRACE_INCIDENT_FAILURE, which->name, os_errno);
	else if (wait_brought_fault(which, arg))
		trace_incident(TRACE_INCIDENT_FAULT, which->name, 0);
}

static int traced_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	struct trace_device_call call = { .number = 0 };
	const struct trace_ioctl *which;
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->ioctl(dev, fd, request, arg);
	which = trace_ioctl_find(request, arg);
	if (!which)
		return unknown_ioctl(dev, fd, request, arg, CALLER);
	if (trace_device_begin(&call, CALLER, which->entry))
		which->enter(&call, fd, request, arg);
	sampler_before_ioctl(dev, request, arg);
	ret = dev->base_ops->ioctl(dev, fd, request, arg);
	sampler_when_done(dev, request, arg, ret);
	if (trace_device_end(&call, which->exit, failed(ret)))
		which->leave(&call, ret, request, arg);
	tell_incident(which, &call, arg, failed(ret));
	sampler_after_ioctl(dev, fd, request, arg, ret);
	smi_after_ioctl(dev, fd, request, arg, ret);
	return ret;
}

static void *traced_mmap(struct device *dev, void *addr, size_t size_bytes, int prot, int flags,
			 int fd, off_t offset)
{
	struct trace_device_call call = { .number = 0 };
	void *address;
	int os_errno;

	if (!trace_provider_get())
		return dev->base_ops->mmap(dev, addr, size_bytes, prot, flags, fd, offset);
	if (trace_device_begin(&call, CALLER, TRACE_kmt_os_mmap_entry)) {
		const struct kmt_os_mmap_entry event = {
			.call = call.number,
			.api_call = call.api_call,
			.address = (uintptr_t)addr,
			.size_bytes = size_bytes,
			.prot = (uint32_t)prot,
			.flags = (uint32_t)flags,
			.fd = fd,
			.offset = (uint64_t)offset,
		};

		trace_call_fire(TRACE_kmt_os_mmap_entry, &event);
	}
	address = dev->base_ops->mmap(dev, addr, size_bytes, prot, flags, fd, offset);
	os_errno = address == MAP_FAILED ? errno : 0;
	if (trace_device_end(&call, TRACE_kmt_os_mmap_exit, os_errno)) {
		const struct kmt_os_mmap_exit event = {
			.call = call.number,
			.api_call = call.api_call,
			.address = address == MAP_FAILED ? 0 : (uintptr_t)address,
			.os_errno = os_errno,
		};

		trace_call_fire(TRACE_kmt_os_mmap_exit, &event);
	}
	return address;
}

static int traced_munmap(struct device *dev, void *addr, size_t size_bytes)
{
	struct trace_device_call call = { .number = 0 };
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->munmap(dev, addr, size_bytes);
	if (trace_device_begin(&call, CALLER, TRACE_kmt_os_munmap_entry)) {
		const struct kmt_os_munmap_entry event = {
			.call = call.number,
			.api_call = call.api_call,
			.address = (uintptr_t)addr,
			.size_bytes = size_bytes,
		};

		trace_call_fire(TRACE_kmt_os_munmap_entry, &event);
	}
	ret = dev->base_ops->munmap(dev, addr, size_bytes);
	leave_munmap(&call, ret);
	return ret;
}

static int traced_madvise(struct device *dev, void *addr, size_t size_bytes, int advice)
{
	struct trace_device_call call = { .number = 0 };
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->madvise(dev, addr, size_bytes, advice);
	if (trace_device_begin(&call, CALLER, TRACE_kmt_os_madvise_entry)) {
		const struct kmt_os_madvise_entry event = {
			.call = call.number,
			.api_call = call.api_call,
			.address = (uintptr_t)addr,
			.size_bytes = size_bytes,
			.advice = advice,
		};

		trace_call_fire(TRACE_kmt_os_madvise_entry, &event);
	}
	ret = dev->base_ops->madvise(dev, addr, size_bytes, advice);
	leave_madvise(&call, ret);
	return ret;
}

static int traced_mbind(struct device *dev, void *addr, size_t size_bytes, int mode,
			const unsigned long *mask, unsigned long max_node, unsigned int flags)
{
	struct trace_device_call call = { .number = 0 };
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->mbind(dev, addr, size_bytes, mode, mask, max_node, flags);
	if (trace_device_begin(&call, CALLER, TRACE_kmt_os_mbind_entry)) {
		const struct kmt_os_mbind_entry event = {
			.call = call.number,
			.api_call = call.api_call,
			.address = (uintptr_t)addr,
			.size_bytes = size_bytes,
			.mode = mode,
			.nodes = mask && max_node ? mask[0] : 0,
			.flags = flags,
		};

		trace_call_fire(TRACE_kmt_os_mbind_entry, &event);
	}
	ret = dev->base_ops->mbind(dev, addr, size_bytes, mode, mask, max_node, flags);
	leave_mbind(&call, ret);
	return ret;
}

/* What a libdrm call is about, command by command. */
static void drm_subject(enum device_drm_cmd cmd, const union device_drm_args *args,
			struct kmt_os_drm_entry *event)
{
	event->fd = -1;
	switch (cmd) {
	case DEVICE_DRM_BO_VA_OP:
		event->object = (uintptr_t)args->bo_va_op.bo;
		event->address = args->bo_va_op.addr;
		event->size_bytes = args->bo_va_op.size_bytes;
		event->flags = args->bo_va_op.flags;
		break;
	case DEVICE_DRM_BO_FREE:
		event->object = (uintptr_t)args->bo_free.bo;
		break;
	case DEVICE_DRM_BO_IMPORT:
		event->object = (uintptr_t)args->bo_import.dev;
		event->fd = (int32_t)args->bo_import.shared_handle;
		event->flags = args->bo_import.type;
		break;
	case DEVICE_DRM_BO_EXPORT:
		event->object = (uintptr_t)args->bo_export.bo;
		event->flags = args->bo_export.type;
		break;
	case DEVICE_DRM_BO_CPU_MAP:
		event->object = (uintptr_t)args->bo_cpu_map.bo;
		break;
	case DEVICE_DRM_BO_QUERY_INFO:
		event->object = (uintptr_t)args->bo_query_info.bo;
		break;
	case DEVICE_DRM_BO_SET_METADATA:
		event->object = (uintptr_t)args->bo_set_metadata.bo;
		break;
	case DEVICE_DRM_COMMAND_WRITE_READ:
		event->fd = args->command_write_read.fd;
		event->flags = args->command_write_read.command;
		event->size_bytes = args->command_write_read.size_bytes;
		break;
	case DEVICE_DRM_OPEN_RENDER:
		event->fd = args->open_render.minor;
		break;
	case DEVICE_DRM_CLOSE:
		event->fd = args->close.fd;
		break;
	case DEVICE_DRM_DEVICE_INITIALIZE:
		event->fd = args->device_initialize.fd;
		break;
	case DEVICE_DRM_DEVICE_DEINITIALIZE:
		event->object = (uintptr_t)args->device_deinitialize.dev;
		break;
	case DEVICE_DRM_DEVICE_GET_FD:
		event->object = (uintptr_t)args->device_get_fd.dev;
		break;
	case DEVICE_DRM_GET_MARKETING_NAME:
		event->object = (uintptr_t)args->get_marketing_name.dev;
		break;
	case DEVICE_DRM_QUERY_GPU_INFO:
		event->object = (uintptr_t)args->query_gpu_info.dev;
		break;
	}
}

/* What it gave back. */
static void drm_result(enum device_drm_cmd cmd, const union device_drm_args *args,
		       struct kmt_os_drm_exit *event)
{
	event->fd = -1;
	if (event->ret < 0)
		return;
	switch ((int)cmd) {
	case DEVICE_DRM_BO_EXPORT:
		event->fd = args->bo_export.handle ? (int32_t)*args->bo_export.handle : -1;
		break;
	case DEVICE_DRM_BO_CPU_MAP:
		event->object = args->bo_cpu_map.cpu ? (uintptr_t)*args->bo_cpu_map.cpu : 0;
		break;
	case DEVICE_DRM_OPEN_RENDER:
		event->fd = args->open_render.fd;
		break;
	case DEVICE_DRM_DEVICE_INITIALIZE:
		event->object = (uintptr_t)args->device_initialize.dev;
		break;
	case DEVICE_DRM_DEVICE_GET_FD:
		event->fd = args->device_get_fd.fd;
		break;
	}
}

static int traced_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args)
{
	struct trace_device_call call = { .number = 0 };
	int ret;

	if (!trace_provider_get())
		return dev->base_ops->drm(dev, cmd, args);
	if (trace_device_begin(&call, CALLER, TRACE_kmt_os_drm_entry)) {
		struct kmt_os_drm_entry event = {
			.call = call.number,
			.api_call = call.api_call,
			.command = (int32_t)cmd,
		};

		drm_subject(cmd, args, &event);
		trace_call_fire(TRACE_kmt_os_drm_entry, &event);
	}
	ret = dev->base_ops->drm(dev, cmd, args);
	if (trace_device_end(&call, TRACE_kmt_os_drm_exit, failed(ret))) {
		struct kmt_os_drm_exit event = {
			.call = call.number,
			.api_call = call.api_call,
			.command = (int32_t)cmd,
			.ret = ret,
			.os_errno = failed(ret),
		};

		drm_result(cmd, args, &event);
		trace_call_fire(TRACE_kmt_os_drm_exit, &event);
	}
	return ret;
}

static const struct device_ops traced_ops = {
	.name = "traced",
	.open_kfd = traced_open_kfd,
	.open = traced_open,
	.close = traced_close,
	.read_file = traced_read_file,
	.count_dir = traced_count_dir,
	.ioctl = traced_ioctl,
	.mmap = traced_mmap,
	.munmap = traced_munmap,
	.madvise = traced_madvise,
	.mbind = traced_mbind,
	.drm = traced_drm,
};

void trace_device_decorate(struct device *dev)
{
	dev->base_ops = dev->ops;
	dev->ops = &traced_ops;
}
