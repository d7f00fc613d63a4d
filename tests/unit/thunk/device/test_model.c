/* SPDX-License-Identifier: MIT */
/* Loading model plug-ins, and the door that they make (model.md 1 and 3). */
#include <amdgpu.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "device/device.h"
#include "fake_modules.h"
#include "fake_open.h"
#include "hsakmt/linux/kfd_ioctl.h"
#include "log.h"
#include "model_plugin.h"
#include "model_query/model_query.h"
#include "openclose/openclose.h"
#include "render/render.h"
#include "topology/acquire.h"
#include "topology/getters.h"

static char tree[] = "/tmp/kfdscope-model-XXXXXX";
static char messages[4096];

static void keep_message(enum kmt_log_level level, const char *message)
{
	size_t used = strlen(messages);

	(void)level;
	snprintf(messages + used, sizeof(messages) - used, "%s\n", message);
}

static void write_file(const char *name, const char *content)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0700);
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int group_setup(void **state)
{
	(void)state;
	if (!mkdtemp(tree))
		return -1;
	write_file("generation_id", "1\n");
	write_file("system_properties", "platform_oem 7\n");
	write_file("nodes/0/gpu_id", "0\n");
	write_file("nodes/0/properties", "cpu_cores_count 1\np2p_links_count 0\n");
	write_file("nodes/1/gpu_id", "4242\n");
	write_file("nodes/1/properties",
		   "simd_count 4\ndrm_render_minor 128\ngfx_target_version 90010\n");
	return 0;
}

static int group_teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", tree);
	return system(command);
}

static struct model_plugin_state *plugin_state(const char *variant)
{
	char path[512];
	void *library;

	snprintf(path, sizeof(path), MODELS_DIR "/kmt_test_model_%s.so", variant);
	setenv("HSA_MODEL_TOPOLOGY", tree, 1);
	setenv("HSA_MODEL_LIB", path, 1);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	return dlsym(library, MODEL_PLUGIN_STATE);
}

static int setup(void **state)
{
	(void)state;
	fake_modules_reset();
	messages[0] = '\0';
	kmt_log_set_sink(keep_message);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kmt_log_set_sink(NULL);
	fake_open_finish(NULL);
	return 0;
}

static int count_open_files(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void check_refused(const char *variant, const char *reason)
{
	int open_files = count_open_files();

	messages[0] = '\0';
	plugin_state(variant);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_non_null(strstr(messages, reason));
	assert_null(kmt_primary()->device);
	assert_int_equal(count_open_files(), open_files);
}

static void plug_ins_of_another_kind_are_refused_with_the_reason(void **state)
{
	(void)state;
	check_refused("v0_4", "lacks a mandatory function");
	check_refused("v2_0", "interface 2.0 is not supported");
	check_refused("incomplete", "lacks a mandatory function");
	check_refused("without_entry", "get_hsakmt_model_functions");
	check_refused("without_table", "is no model");
}

static void a_missing_plug_in_is_refused_with_the_reason(void **state)
{
	struct device *dev = NULL;

	(void)state;
	setenv("HSA_MODEL_TOPOLOGY", tree, 1);
	assert_int_equal(device_new(&dev), -ENOENT);
	assert_non_null(strstr(messages, "HSA_MODEL_LIB is not"));
	setenv("HSA_MODEL_LIB", "/nowhere/model.so", 1);
	assert_int_equal(device_new(&dev), -ENOENT);
	assert_non_null(strstr(messages, "/nowhere/model.so"));
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_null(dev);
}

static void a_model_is_opened_with_its_own_topology(void **state)
{
	struct model_plugin_state *plugin = plugin_state("v1_1");
	HsaAMDGPUDeviceHandle handle = NULL;
	HsaSystemProperties system;
	HsaNodeProperties node;
	bool enabled = false;

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(plugin->memfds, 1);
	assert_int_equal(kmt_process()->kfd_minor, 14);
	assert_int_equal(kmt_model_enabled(kmt_primary(), &enabled), HSAKMT_STATUS_SUCCESS);
	assert_true(enabled);
	assert_int_equal(kmt_acquire_system_properties(kmt_primary(), &system),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(system.NumNodes, 2);
	assert_int_equal(system.PlatformOem, 7);
	assert_int_equal(kmt_get_node_properties(kmt_primary(), 1, &node), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(node.KFDGpuID, 4242);
	assert_int_equal(node.FamilyID, 142);
	assert_int_equal(node.MarketingName[0], 'T');
	assert_int_equal(kmt_get_amdgpu_device_handle(kmt_primary(), 1, &handle),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(handle, MODEL_PLUGIN_DEVICE);
}

static void a_model_can_be_closed_and_opened_again(void **state)
{
	struct model_plugin_state *plugin = plugin_state("v1_1");
	unsigned int memfds;
	int fd;

	(void)state;
	memfds = plugin->memfds;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	fd = kmt_primary()->fd;
	assert_int_equal(kmt_close_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_primary()->fd, fd);
	assert_int_equal(plugin->memfds, memfds + 1);
}

static void a_model_that_cannot_make_its_file_is_refused(void **state)
{
	struct model_plugin_state *plugin = plugin_state("v1_1");

	(void)state;
	plugin->fail_memfd_errno = ENOSPC;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	plugin->fail_memfd_errno = 0;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
}

static void ioctls_are_handed_over_with_their_errors(void **state)
{
	struct model_plugin_state *plugin = plugin_state("v1_1");
	struct kfd_ioctl_get_version_args args = { 0 };
	unsigned int before;

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	before = plugin->ioctls;
	assert_int_equal(kmt_ioctl(kmt_primary(), AMDKFD_IOC_GET_VERSION, &args), 0);
	assert_int_equal(args.minor_version, 14);
	assert_int_equal(kmt_ioctl(kmt_primary(), AMDKFD_IOC_CREATE_QUEUE, &args), -ENOTTY);
	assert_int_equal(plugin->ioctls, before + 2);
}

static void *wait_for_events(void *data)
{
	struct kfd_ioctl_wait_events_args args = { 0 };

	*(int *)data = kmt_ioctl(kmt_primary(), AMDKFD_IOC_WAIT_EVENTS, &args);
	return NULL;
}

/* With the wait under the lock this test would hang until its time is over. */
static void a_wait_does_not_keep_other_calls_out(void **state)
{
	struct model_plugin_state *plugin = plugin_state("v1_1");
	struct kfd_ioctl_set_event_args args = { 0 };
	pthread_t thread;
	int rc = -1;

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	plugin->is_waiting = false;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_events, &rc), 0);
	while (!plugin->is_waiting)
		usleep(1000);
	assert_int_equal(kmt_ioctl(kmt_primary(), AMDKFD_IOC_SET_EVENT, &args), 0);
	pthread_join(thread, NULL);
	assert_int_equal(rc, 0);
}

static void *ask_often(void *data)
{
	struct kfd_ioctl_get_clock_counters_args args = { 0 };

	for (int i = 0; i < 50; i++)
		kmt_ioctl(kmt_primary(), AMDKFD_IOC_GET_CLOCK_COUNTERS, &args);
	return data;
}

static void all_other_calls_come_one_at_a_time(void **state)
{
	struct model_plugin_state *plugin = plugin_state("v1_1");
	pthread_t threads[4];

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	plugin->most_inside = 0;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(plugin->most_inside, 1);
}

static void maps_go_through_the_hook_where_there_is_one(void **state)
{
	static const char *const variants[] = { "v1_1", "v1_0" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct model_plugin_state *plugin = plugin_state(variants[i]);
		unsigned int before = plugin->hooked_maps;
		void *shared, *private;

		assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
		shared = kmt_mmap(kmt_primary(), NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
				  kmt_primary()->fd, 8192);
		private = kmt_mmap(kmt_primary(), NULL, 4096, PROT_READ,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(shared, MAP_FAILED);
		assert_ptr_not_equal(private, MAP_FAILED);
		memset(shared, 1, 4096);
		assert_int_equal(plugin->hooked_maps, before + (i == 0));
		assert_int_equal(kmt_munmap(kmt_primary(), shared, 4096), 0);
		assert_int_equal(kmt_munmap(kmt_primary(), private, 4096), 0);
		fake_open_reset();
	}
}

static int drm(enum device_drm_cmd cmd, union device_drm_args *args)
{
	return kmt_drm(kmt_primary(), cmd, args);
}

static void drm_calls_carry_every_argument_over(void **state)
{
	struct amdgpu_bo_import_result imported = { 0 };
	struct amdgpu_bo_metadata metadata = { .flags = 9 };
	struct amdgpu_bo_info info = { 0 };
	union device_drm_args args;
	uint32_t handle = 0, data = 41;
	void *cpu = NULL;

	(void)state;
	plugin_state("v1_1");
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	args.bo_import.dev = MODEL_PLUGIN_DEVICE;
	args.bo_import.type = 2;
	args.bo_import.shared_handle = 77;
	args.bo_import.result = &imported;
	assert_int_equal(drm(DEVICE_DRM_BO_IMPORT, &args), 0);
	assert_ptr_equal(imported.buf_handle, MODEL_PLUGIN_BO);
	assert_int_equal(imported.alloc_size, 8192);
	memset(&args, 0, sizeof(args));
	args.bo_va_op.bo = MODEL_PLUGIN_BO;
	args.bo_va_op.offset_bytes = 1;
	args.bo_va_op.size_bytes = 2;
	args.bo_va_op.addr = 3;
	args.bo_va_op.flags = 4;
	args.bo_va_op.ops = 5;
	assert_int_equal(drm(DEVICE_DRM_BO_VA_OP, &args), 0);
	args.bo_va_op.ops = 6;
	assert_int_equal(drm(DEVICE_DRM_BO_VA_OP, &args), -EINVAL);
	args.bo_export.type = 2;
	args.bo_export.handle = &handle;
	assert_int_equal(drm(DEVICE_DRM_BO_EXPORT, &args), 0);
	assert_int_equal(handle, 42);
	args.bo_cpu_map.cpu = &cpu;
	assert_int_equal(drm(DEVICE_DRM_BO_CPU_MAP, &args), 0);
	assert_non_null(cpu);
	args.bo_query_info.info = &info;
	assert_int_equal(drm(DEVICE_DRM_BO_QUERY_INFO, &args), 0);
	assert_int_equal(info.alloc_size, 4096);
	args.bo_set_metadata.metadata = &metadata;
	assert_int_equal(drm(DEVICE_DRM_BO_SET_METADATA, &args), 0);
	assert_int_equal(drm(DEVICE_DRM_BO_FREE, &args), 0);
	args.command_write_read.fd = 5;
	args.command_write_read.command = 6;
	args.command_write_read.data = &data;
	args.command_write_read.size_bytes = sizeof(data);
	assert_int_equal(drm(DEVICE_DRM_COMMAND_WRITE_READ, &args), 0);
	assert_int_equal(data, 42);
}

static void without_a_drm_handler_the_backing_file_is_the_render_node(void **state)
{
	static const char *const variants[] = { "v1_0", "v1_1_without_drm" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		HsaAMDGPUDeviceHandle handle = &i;
		HsaSystemProperties system;
		struct stat kfd, render;
		int fd;

		plugin_state(variants[i]);
		assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
		fd = kmt_render_open(kmt_primary(), 128);
		assert_true(fd >= 0);
		assert_int_not_equal(fd, kmt_primary()->fd);
		assert_int_equal(fstat(fd, &render), 0);
		assert_int_equal(fstat(kmt_primary()->fd, &kfd), 0);
		assert_int_equal(render.st_ino, kfd.st_ino);
		assert_int_equal(kmt_acquire_system_properties(kmt_primary(), &system),
				 HSAKMT_STATUS_SUCCESS);
		/* no libdrm device, and in model mode that is no failure */
		assert_int_equal(kmt_get_amdgpu_device_handle(kmt_primary(), 1, &handle),
				 HSAKMT_STATUS_SUCCESS);
		assert_null(handle);
		kmt_release_system_properties(kmt_primary());
		fake_open_reset();
	}
}

static void the_fallbacks_answer_as_documented(void **state)
{
	struct amdgpu_bo_import_result imported = { .alloc_size = 1 };
	struct amdgpu_bo_info info = { .alloc_size = 1 };
	union device_drm_args args = { .bo_import = { .shared_handle = 9, .result = &imported } };

	(void)state;
	plugin_state("v1_0");
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(drm(DEVICE_DRM_BO_IMPORT, &args), 0);
	assert_ptr_equal(imported.buf_handle, (void *)9);
	assert_int_equal(imported.alloc_size, 0);
	memset(&args, 0, sizeof(args));
	args.bo_query_info.info = &info;
	assert_int_equal(drm(DEVICE_DRM_BO_QUERY_INFO, &args), 0);
	assert_int_equal(info.alloc_size, 0);
	assert_int_equal(drm(DEVICE_DRM_BO_VA_OP, &args), 0);
	assert_int_equal(drm(DEVICE_DRM_BO_FREE, &args), 0);
	assert_int_equal(drm(DEVICE_DRM_BO_SET_METADATA, &args), 0);
	assert_int_equal(drm(DEVICE_DRM_DEVICE_DEINITIALIZE, &args), 0);
	assert_int_equal(drm(DEVICE_DRM_GET_MARKETING_NAME, &args), 0);
	assert_null(args.get_marketing_name.name);
	assert_true(drm(DEVICE_DRM_BO_EXPORT, &args) < 0);
	assert_true(drm(DEVICE_DRM_BO_CPU_MAP, &args) < 0);
	assert_true(drm(DEVICE_DRM_COMMAND_WRITE_READ, &args) < 0);
	assert_true(drm(DEVICE_DRM_DEVICE_INITIALIZE, &args) < 0);
	assert_true(drm(DEVICE_DRM_DEVICE_GET_FD, &args) < 0);
	assert_true(drm(DEVICE_DRM_QUERY_GPU_INFO, &args) < 0);
}

static void a_model_has_no_secondary_contexts(void **state)
{
	struct kmt_context *ctx = *state;

	plugin_state("v1_1");
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_open_secondary_kfd_ctx(&ctx), HSAKMT_STATUS_NOT_SUPPORTED);
	assert_ptr_equal(ctx, *state);
}

static void a_forked_child_gets_a_file_of_its_own(void **state)
{
	struct model_plugin_state *plugin = plugin_state("v1_1");
	struct stat parent, child;
	int status = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(kmt_open_kfd(kmt_primary()), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fstat(kmt_primary()->fd, &parent), 0);
	pid = fork();
	if (pid == 0) {
		unsigned int memfds = plugin->memfds;

		if (kmt_open_kfd(kmt_primary()) != HSAKMT_STATUS_SUCCESS ||
		    plugin->memfds != memfds + 1 || fstat(kmt_primary()->fd, &child) < 0)
			_exit(1);
		_exit(child.st_ino == parent.st_ino);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(plug_ins_of_another_kind_are_refused_with_the_reason),
		TEST(a_missing_plug_in_is_refused_with_the_reason),
		TEST(a_model_is_opened_with_its_own_topology),
		TEST(a_model_can_be_closed_and_opened_again),
		TEST(a_model_that_cannot_make_its_file_is_refused),
		TEST(ioctls_are_handed_over_with_their_errors),
		TEST(a_wait_does_not_keep_other_calls_out),
		TEST(all_other_calls_come_one_at_a_time),
		TEST(maps_go_through_the_hook_where_there_is_one),
		TEST(drm_calls_carry_every_argument_over),
		TEST(without_a_drm_handler_the_backing_file_is_the_render_node),
		TEST(the_fallbacks_answer_as_documented),
		TEST(a_model_has_no_secondary_contexts),
		TEST(a_forked_child_gets_a_file_of_its_own),
	};

	return cmocka_run_group_tests_name("thunk/device/model", tests, group_setup,
					   group_teardown);
}
