/* SPDX-License-Identifier: MIT */
/* The decorated door: calls are handed on unchanged and told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "fake_device.h"
#include "fake_provider.h"
#include "trace.h"

static struct fake_device *fake;
static struct device *door; /* the decorated one */

/*
 * The fake finds itself by its door's table, which a decorator replaces; so another device stands
 * in front and hands everything to the fake's own door.
 */
static struct device *inner;

static int forward_ioctl(struct device *dev, int kfd, unsigned long request, void *arg)
{
	(void)dev;
	return inner->ops->ioctl(inner, kfd, request, arg);
}

static void *forward_mmap(struct device *dev, void *addr, size_t size_bytes, int prot, int flags,
			  int file, off_t offset)
{
	(void)dev;
	return inner->ops->mmap(inner, addr, size_bytes, prot, flags, file, offset);
}

static int forward_munmap(struct device *dev, void *addr, size_t size_bytes)
{
	(void)dev;
	return inner->ops->munmap(inner, addr, size_bytes);
}

static int forward_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args)
{
	(void)dev;
	return inner->ops->drm(inner, cmd, args);
}

/* A file of 10 bytes, a directory of 3 entries; nothing else is there. */
static ssize_t forward_read_file(struct device *dev, const char *path, char *buf, size_t size)
{
	(void)dev;
	(void)buf;
	return strstr(path, "missing") || size < 10 ? -ENOENT : 10;
}

static int forward_count_dir(struct device *dev, const char *path)
{
	(void)dev;
	(void)path;
	return 3;
}

static const struct device_ops forward_ops = {
	.name = "forward",
	.read_file = forward_read_file,
	.count_dir = forward_count_dir,
	.ioctl = forward_ioctl,
	.mmap = forward_mmap,
	.munmap = forward_munmap,
	.drm = forward_drm,
};
static struct device outer;
static int fd;

static int setup(void **state)
{
	(void)state;
	fake = fake_device_new();
	inner = fake_device_door(fake);
	outer = (struct device){ .ops = &forward_ops,
				 .base_ops = &forward_ops,
				 .topology_root = "/topology" };
	door = &outer;
	fd = inner->ops->open_kfd(inner);
	fake_provider_install();
	trace_device_decorate(door);
	return fake ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	fake_provider_remove();
	fake_device_free(fake);
	return 0;
}

static int give_handle(struct fake_device *device, int kfd, unsigned long request, void *arg,
		       void *data)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args *args = arg;

	(void)device;
	(void)kfd;
	(void)request;
	(void)data;
	args->handle = 0x100000007;
	args->mmap_offset = 0x4000;
	return 0;
}

static int succeed(struct fake_device *device, int kfd, unsigned long request, void *arg,
		   void *data)
{
	(void)device;
	(void)kfd;
	(void)request;
	(void)arg;
	(void)data;
	return 0;
}

static void an_ioctl_is_handed_on_and_told(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = 0x200000,
		.size = 8192,
		.gpu_id = 77,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};
	const struct kfd_ALLOC_MEMORY_OF_GPU_entry *entry;
	const struct kfd_ALLOC_MEMORY_OF_GPU_exit *leave;

	(void)state;
	fake_provider_enable_all();
	fake_device_on_ioctl(fake, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, give_handle, NULL);
	assert_int_equal(door->ops->ioctl(door, fd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
	assert_int_equal(args.handle, 0x100000007);
	entry = fake_provider_event(TRACE_kfd_ALLOC_MEMORY_OF_GPU_entry, 0);
	leave = fake_provider_event(TRACE_kfd_ALLOC_MEMORY_OF_GPU_exit, 0);
	assert_int_equal(entry->fd, fd);
	assert_int_equal(entry->va_addr, 0x200000);
	assert_int_equal(entry->size, 8192);
	assert_int_equal(entry->gpu_id, 77);
	assert_int_equal(entry->flags, args.flags);
	assert_int_equal(entry->api_call, 0);
	assert_true(entry->bt_len > 0); /* alone: with a stack of its own */
	assert_int_equal(leave->call, entry->call);
	assert_int_equal(leave->ret, 0);
	assert_int_equal(leave->handle, 0x100000007);
	assert_int_equal(leave->mmap_offset, 0x4000);
}

static void a_failing_ioctl_tells_its_errno(void **state)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = { .size = 4096 };
	const struct kfd_ALLOC_MEMORY_OF_GPU_exit *leave;

	(void)state;
	fake_provider_enable_all();
	fake_device_on_ioctl(fake, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, give_handle, NULL);
	fake_device_fail_next(fake, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, ENOSPC);
	assert_int_equal(door->ops->ioctl(door, fd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args),
			 -ENOSPC);
	leave = fake_provider_event(TRACE_kfd_ALLOC_MEMORY_OF_GPU_exit, 0);
	assert_int_equal(leave->ret, -ENOSPC);
	assert_int_equal(leave->os_errno, ENOSPC);
	assert_int_equal(trace_thread.os_errno, ENOSPC);
}

static void errors_are_noted_when_the_ioctls_events_are_off(void **state)
{
	struct kfd_ioctl_get_version_args args;

	(void)state;
	fake_device_fail_next(fake, AMDKFD_IOC_GET_VERSION, EIO);
	assert_int_equal(door->ops->ioctl(door, fd, AMDKFD_IOC_GET_VERSION, &args), -EIO);
	assert_int_equal(fake_provider_total(), 0);
	assert_int_equal(trace_thread.os_errno, EIO);
}

static void an_ioctl_inside_a_recorded_call_names_it_and_shares_its_stack(void **state)
{
	const struct kfd_GET_VERSION_entry *entry;
	struct kfd_ioctl_get_version_args args;
	struct trace_call call = { .number = 0 };
	struct trace_stack stack;

	(void)state;
	fake_provider_enable(TRACE_kmt_hsaKmtOpenKFD_entry, true);
	fake_provider_enable(TRACE_kfd_GET_VERSION_entry, true);
	assert_true(trace_call_begin(&call, TRACE_kmt_hsaKmtOpenKFD_entry));
	trace_stack_of_call(&stack, __builtin_return_address(0));
	trace_call_fire(TRACE_kmt_hsaKmtOpenKFD_entry,
			&(struct kmt_hsaKmtOpenKFD_entry){ .bt = stack.first });
	door->ops->ioctl(door, fd, AMDKFD_IOC_GET_VERSION, &args);
	entry = fake_provider_event(TRACE_kfd_GET_VERSION_entry, 0);
	assert_int_equal(entry->api_call, call.number);
	assert_int_equal(entry->bt_len, 0);
	trace_call_end(&call, TRACE_kmt_hsaKmtOpenKFD_exit);
	door->ops->ioctl(door, fd, AMDKFD_IOC_GET_VERSION, &args);
	entry = fake_provider_event(TRACE_kfd_GET_VERSION_entry, 1);
	assert_int_equal(entry->api_call, 0);
	assert_true(entry->bt_len > 0);
}

static void a_shorter_argument_of_an_older_caller_is_not_read_beyond_its_end(void **state)
{
	/* 28 of 40 bytes, as the size in the request says; what follows is not the caller's. */
	unsigned char shorter[40];
	const unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE,
					   _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU), 28);
	const struct kfd_ALLOC_MEMORY_OF_GPU_entry *entry;

	(void)state;
	memset(shorter, 0x11, sizeof(shorter));
	fake_provider_enable(TRACE_kfd_ALLOC_MEMORY_OF_GPU_entry, true);
	door->ops->ioctl(door, fd, request, shorter);
	entry = fake_provider_event(TRACE_kfd_ALLOC_MEMORY_OF_GPU_entry, 0);
	assert_int_equal(entry->va_addr, 0x1111111111111111);
	assert_int_equal(entry->gpu_id, 0);
	assert_int_equal(entry->flags, 0);
}

static void arrays_of_ioctls_are_followed(void **state)
{
	uint32_t gpus[] = { 11, 22, 33 };
	struct kfd_ioctl_map_memory_to_gpu_args args = {
		.handle = 9,
		.device_ids_array_ptr = (uintptr_t)gpus,
		.n_devices = 3,
	};
	const struct kfd_MAP_MEMORY_TO_GPU_entry *entry;

	(void)state;
	fake_provider_enable_all();
	door->ops->ioctl(door, fd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
	entry = fake_provider_event(TRACE_kfd_MAP_MEMORY_TO_GPU_entry, 0);
	assert_int_equal(entry->device_ids_len, 3);
	assert_int_equal(entry->device_ids[2], 33);
	assert_int_equal(entry->n_devices, 3);
}

static void debug_operations_have_events_of_their_own(void **state)
{
	struct kfd_ioctl_dbg_trap_args args = { .pid = 4, .op = KFD_IOC_DBG_TRAP_SET_FLAGS };
	const struct kfd_DBG_TRAP_SET_FLAGS_entry *entry;

	(void)state;
	args.set_flags.flags = 3;
	fake_provider_enable_all();
	door->ops->ioctl(door, fd, AMDKFD_IOC_DBG_TRAP, &args);
	entry = fake_provider_event(TRACE_kfd_DBG_TRAP_SET_FLAGS_entry, 0);
	assert_int_equal(entry->pid, 4);
	assert_int_equal(entry->set_flags_flags, 3);
	args.op = 999;
	door->ops->ioctl(door, fd, AMDKFD_IOC_DBG_TRAP, &args);
	assert_int_equal(fake_provider_count(TRACE_kfd_DBG_TRAP_entry), 1);
}

/* Until the driver has read the lists, their addresses may be anything. */
static void lists_of_a_restore_are_read_when_it_has_succeeded(void **state)
{
	enum { BUFFERS = 100, LISTED = 96 };
	static struct kfd_criu_bo_bucket bos[BUFFERS];
	struct kfd_criu_device_bucket device = { .user_gpu_id = 7, .actual_gpu_id = 8 };
	struct kfd_ioctl_criu_args args = { .op = KFD_CRIU_OP_RESTORE,
					    .devices = 8,
					    .bos = 16,
					    .num_devices = 1,
					    .num_bos = BUFFERS };
	const struct kfd_CRIU_OP_RESTORE_exit *leave;

	(void)state;
	fake_provider_enable_all();
	fake_device_fail_next(fake, AMDKFD_IOC_CRIU_OP, EFAULT);
	assert_int_equal(door->ops->ioctl(door, fd, AMDKFD_IOC_CRIU_OP, &args), -EFAULT);
	leave = fake_provider_event(TRACE_kfd_CRIU_OP_RESTORE_exit, 0);
	assert_int_equal(leave->bos, 16);
	assert_int_equal(leave->bos_values_count, BUFFERS);
	assert_int_equal(leave->bos_values_len, 0);
	for (uint32_t i = 0; i < BUFFERS; i++)
		bos[i] = (struct kfd_criu_bo_bucket){ .addr = i << 12,
						      .size = 4096 + i,
						      .restored_offset = 0x1000 + i,
						      .gpu_id = 7,
						      .alloc_flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT };
	args.devices = (uintptr_t)&device;
	args.bos = (uintptr_t)bos;
	fake_device_on_ioctl(fake, AMDKFD_IOC_CRIU_OP, succeed, NULL);
	assert_int_equal(door->ops->ioctl(door, fd, AMDKFD_IOC_CRIU_OP, &args), 0);
	leave = fake_provider_event(TRACE_kfd_CRIU_OP_RESTORE_exit, 1);
	assert_int_equal(leave->devices_values_len, 1);
	assert_int_equal(leave->devices_values_actual_gpu_id[0], 8);
	assert_int_equal(leave->bos_values_len, LISTED);
	assert_int_equal(leave->bos_values_truncated, 1);
	assert_int_equal(leave->bos_values_addr[LISTED - 1], (LISTED - 1) << 12);
	assert_int_equal(leave->bos_values_size[5], 4101);
	assert_int_equal(leave->bos_values_restored_offset[5], 0x1005);
	assert_int_equal(leave->bos_values_gpu_id[5], 7);
	assert_int_equal(leave->bos_values_alloc_flags[5], KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	args.op = KFD_CRIU_OP_RESUME; /* has no lists */
	assert_int_equal(door->ops->ioctl(door, fd, AMDKFD_IOC_CRIU_OP, &args), 0);
	assert_non_null(fake_provider_event(TRACE_kfd_CRIU_OP_exit, 0));
}

static void unknown_ioctls_are_told_by_their_number(void **state)
{
	const unsigned long request = _IO(AMDKFD_IOCTL_BASE, 0x7e);
	const struct kmt_os_unknown_ioctl_entry *entry;
	const struct kmt_os_unknown_ioctl_exit *leave;

	(void)state;
	fake_provider_enable_all();
	assert_int_equal(door->ops->ioctl(door, fd, request, NULL), -EINVAL);
	entry = fake_provider_event(TRACE_kmt_os_unknown_ioctl_entry, 0);
	leave = fake_provider_event(TRACE_kmt_os_unknown_ioctl_exit, 0);
	assert_int_equal(entry->request, request);
	assert_int_equal(leave->os_errno, EINVAL);
}

static void mappings_are_told_with_their_results(void **state)
{
	const struct kmt_os_mmap_entry *entry;
	const struct kmt_os_mmap_exit *leave;
	void *address;

	(void)state;
	fake_provider_enable_all();
	address = door->ops->mmap(door, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(address, MAP_FAILED);
	entry = fake_provider_event(TRACE_kmt_os_mmap_entry, 0);
	leave = fake_provider_event(TRACE_kmt_os_mmap_exit, 0);
	assert_int_equal(entry->size_bytes, 4096);
	assert_int_equal(entry->fd, -1);
	assert_int_equal(leave->address, (uintptr_t)address);
	assert_int_equal(door->ops->munmap(door, address, 4096), 0);
	fake_device_fail_op(fake, FAKE_MMAP, 0, ENOMEM);
	errno = 0;
	address = door->ops->mmap(door, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_equal(address, MAP_FAILED);
	assert_int_equal(errno, ENOMEM);
	leave = fake_provider_event(TRACE_kmt_os_mmap_exit, 1);
	assert_int_equal(leave->address, 0);
	assert_int_equal(leave->os_errno, ENOMEM);
}

static void libdrm_calls_are_told_with_their_subject(void **state)
{
	union device_drm_args args = { .open_render = { .minor = 128 } };
	const struct kmt_os_drm_entry *entry;
	const struct kmt_os_drm_exit *leave;

	(void)state;
	fake_provider_enable_all();
	assert_int_equal(door->ops->drm(door, DEVICE_DRM_OPEN_RENDER, &args), 0);
	entry = fake_provider_event(TRACE_kmt_os_drm_entry, 0);
	leave = fake_provider_event(TRACE_kmt_os_drm_exit, 0);
	assert_int_equal(entry->command, DEVICE_DRM_OPEN_RENDER);
	assert_int_equal(entry->fd, 128);
	assert_int_equal(leave->fd, args.open_render.fd);
}

static ssize_t read_one(const char *path)
{
	char text[16];

	return door->ops->read_file(door, path, text, sizeof(text));
}

static const struct kmt_os_files_read *told_reads(size_t index)
{
	return fake_provider_event(TRACE_kmt_os_files_read, index);
}

static void files_are_told_in_sums_by_node(void **state)
{
	struct kfd_ioctl_get_version_args args = { 0 };
	const struct kmt_os_files_read *reads;

	(void)state;
	fake_provider_enable_all();
	assert_int_equal(read_one("/topology/generation_id"), 10);
	assert_int_equal(door->ops->count_dir(door, "/topology/nodes"), 3);
	assert_int_equal(fake_provider_count(TRACE_kmt_os_files_read), 0);
	assert_int_equal(read_one("/topology/nodes/12/gpu_id"), 10);
	assert_int_equal(read_one("/topology/nodes/12/missing"), -ENOENT);
	assert_int_equal(read_one("/topology/nodes/12/caches/0/properties"), 10);
	assert_int_equal(read_one("/topology/nodes/13/gpu_id"), 10);
	assert_int_equal(fake_provider_count(TRACE_kmt_os_files_read), 2);
	reads = told_reads(0);
	assert_int_equal(reads->topology_node, -1);
	assert_int_equal(reads->files, 1);
	assert_int_equal(reads->directories, 1);
	assert_int_equal(reads->bytes, 10);
	reads = told_reads(1);
	assert_int_equal(reads->topology_node, 12);
	assert_int_equal(reads->files, 3);
	assert_int_equal(reads->failed, 1);
	assert_int_equal(reads->bytes, 20);
	/* A call of the device ends the row. */
	door->ops->ioctl(door, fd, AMDKFD_IOC_GET_VERSION, &args);
	assert_int_equal(fake_provider_count(TRACE_kmt_os_files_read), 3);
	assert_int_equal(told_reads(2)->topology_node, 13);
	door->ops->ioctl(door, fd, AMDKFD_IOC_GET_VERSION, &args);
	assert_int_equal(fake_provider_count(TRACE_kmt_os_files_read), 3);
}

static void files_read_in_a_call_are_told_before_it_ends(void **state)
{
	struct trace_call call = { .number = 0 };

	(void)state;
	fake_provider_enable(TRACE_kmt_os_files_read, true);
	assert_false(trace_call_begin(&call, TRACE_kmt_hsaKmtGetVersion_entry));
	assert_int_equal(read_one("/proc/cpuinfo"), 10);
	assert_false(trace_call_end(&call, TRACE_kmt_hsaKmtGetVersion_exit));
	assert_int_equal(fake_provider_count(TRACE_kmt_os_files_read), 1);
	assert_int_equal(told_reads(0)->api_call, call.number);
	assert_int_equal(told_reads(0)->topology_node, -1);
	fake_provider_enable(TRACE_kmt_os_files_read, false);
	assert_int_equal(read_one("/proc/cpuinfo"), 10);
	assert_false(trace_thread.has_reads);
}

static void without_a_provider_the_door_is_the_plain_one(void **state)
{
	struct kfd_ioctl_get_version_args args = { 0 };

	(void)state;
	fake_provider_remove();
	assert_int_equal(door->ops->ioctl(door, fd, AMDKFD_IOC_GET_VERSION, &args), 0);
	assert_int_equal(args.major_version, 1);
	assert_int_equal(trace_thread.device_calls, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_ioctl_is_handed_on_and_told),
		CASE(a_failing_ioctl_tells_its_errno),
		CASE(errors_are_noted_when_the_ioctls_events_are_off),
		CASE(an_ioctl_inside_a_recorded_call_names_it_and_shares_its_stack),
		CASE(a_shorter_argument_of_an_older_caller_is_not_read_beyond_its_end),
		CASE(arrays_of_ioctls_are_followed),
		CASE(debug_operations_have_events_of_their_own),
		CASE(lists_of_a_restore_are_read_when_it_has_succeeded),
		CASE(unknown_ioctls_are_told_by_their_number),
		CASE(mappings_are_told_with_their_results),
		CASE(libdrm_calls_are_told_with_their_subject),
		CASE(files_are_told_in_sums_by_node),
		CASE(files_read_in_a_call_are_told_before_it_ends),
		CASE(without_a_provider_the_door_is_the_plain_one),
	};

	return cmocka_run_group_tests_name("trace/device_events", tests, NULL, NULL);
}
