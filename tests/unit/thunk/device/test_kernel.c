/* SPDX-License-Identifier: MIT */
/* The kernel's door, on files and memory that every machine has. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "device/device.h"
#include "hsakmt/linux/kfd_ioctl.h"

static char directory[] = "/tmp/kfdscope-kernel-XXXXXX";

static int setup(void **state)
{
	struct device *dev = NULL;

	unsetenv("HSA_MODEL_TOPOLOGY");
	device_set_decorator(NULL);
	if (device_new(&dev) < 0)
		return -1;
	*state = dev;
	return 0;
}

static int teardown(void **state)
{
	device_free(*state);
	return 0;
}

static int group_setup(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int group_teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	return system(command);
}

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", directory, name);
}

static void write_file(const char *name, const char *content, size_t length)
{
	char path[256];
	FILE *file;

	path_of(path, sizeof(path), name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(content, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void without_a_model_it_is_the_kernel(void **state)
{
	struct device *dev = *state;

	assert_string_equal(dev->ops->name, "kernel");
	assert_ptr_equal(dev->ops, dev->base_ops);
	assert_false(dev->is_model);
	assert_string_equal(dev->topology_root, "/sys/devices/virtual/kfd/kfd/topology");
}

static const struct device_ops other_ops = { .name = "other" };
static void decorate(struct device *dev)
{
	dev->ops = &other_ops;
}

static void a_decorator_sees_each_new_device(void **state)
{
	struct device *dev = NULL;

	(void)state;
	device_set_decorator(decorate);
	assert_int_equal(device_new(&dev), 0);
	device_set_decorator(NULL);
	assert_string_equal(dev->ops->name, "other");
	assert_string_equal(dev->base_ops->name, "kernel");
	device_free(dev);
	device_free(NULL);
}

static void files_are_read_and_ended(void **state)
{
	struct device *dev = *state;
	char path[256], buf[16];

	write_file("short", "12345\n", 6);
	path_of(path, sizeof(path), "short");
	memset(buf, 'x', sizeof(buf));
	assert_int_equal(dev->ops->read_file(dev, path, buf, sizeof(buf)), 6);
	assert_string_equal(buf, "12345\n");
	memset(buf, 'x', sizeof(buf));
	assert_int_equal(dev->ops->read_file(dev, path, buf, 4), 3);
	assert_string_equal(buf, "123");
	assert_int_equal(buf[4], 'x');
	path_of(path, sizeof(path), "missing");
	assert_int_equal(dev->ops->read_file(dev, path, buf, sizeof(buf)), -ENOENT);
	assert_int_equal(dev->ops->read_file(dev, directory, buf, sizeof(buf)), -EISDIR);
	assert_string_equal(buf, "");
}

/* proc hands out its files in pieces, whatever the size of the buffer is. */
static void a_proc_file_is_read_to_its_end(void **state)
{
	struct device *dev = *state;
	const size_t size = 1 << 20;
	char *buf = malloc(size), *maps[200];
	ssize_t length;
	char last[64];

	assert_non_null(buf);
	for (int i = 0; i < 200; i++) {
		maps[i] = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(maps[i], MAP_FAILED);
		mprotect(maps[i], 4096, PROT_NONE); /* neighbours must not be joined */
	}
	length = dev->ops->read_file(dev, "/proc/self/maps", buf, size);
	assert_true(length > 8192);
	snprintf(last, sizeof(last), "[stack]");
	assert_non_null(strstr(buf, last));
	assert_int_equal(strlen(buf), length);
	for (int i = 0; i < 200; i++)
		munmap(maps[i], 8192);
	free(buf);
}

static void directories_are_counted(void **state)
{
	struct device *dev = *state;
	char path[256];

	path_of(path, sizeof(path), "nodes");
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(dev->ops->count_dir(dev, path), 0);
	write_file("nodes/0", "", 0);
	write_file("nodes/1", "", 0);
	write_file("nodes/.hidden", "", 0);
	assert_int_equal(dev->ops->count_dir(dev, path), 3);
	path_of(path, sizeof(path), "nothing");
	assert_int_equal(dev->ops->count_dir(dev, path), -ENOENT);
}

static void files_are_opened_for_this_process_only(void **state)
{
	struct device *dev = *state;
	char path[256];
	int fd;

	write_file("file", "", 0);
	path_of(path, sizeof(path), "file");
	fd = dev->ops->open(dev, path, O_RDWR);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(dev->ops->close(dev, fd), 0);
	assert_int_equal(dev->ops->close(dev, fd), -EBADF);
	assert_int_equal(dev->ops->open(dev, "/nowhere/at/all", O_RDWR), -ENOENT);
}

static void failures_come_as_negative_errnos(void **state)
{
	struct kfd_ioctl_get_version_args args = { 0 };
	union device_drm_args drm = { .open_render = { .minor = 4000 } };
	struct device *dev = *state;

	assert_int_equal(dev->ops->ioctl(dev, -1, AMDKFD_IOC_GET_VERSION, &args), -EBADF);
	assert_int_equal(dev->ops->munmap(dev, (void *)1, 4096), -EINVAL);
	assert_int_equal(dev->ops->madvise(dev, (void *)1, 4096, MADV_NORMAL), -EINVAL);
	errno = 0;
	assert_ptr_equal(
		dev->ops->mmap(dev, NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(dev->ops->drm(dev, DEVICE_DRM_OPEN_RENDER, &drm), -ENOENT);
	drm.close.fd = -1;
	assert_int_equal(dev->ops->drm(dev, DEVICE_DRM_CLOSE, &drm), -EBADF);
}

static void libdrm_refuses_what_is_no_gpu(void **state)
{
	struct device *dev = *state;
	union device_drm_args args = { .device_initialize = { .fd = -1 } };
	char path[256];
	int fd;

	write_file("no-gpu", "", 0);
	path_of(path, sizeof(path), "no-gpu");
	fd = dev->ops->open(dev, path, O_RDWR);
	args.device_initialize.fd = fd;
	assert_true(dev->ops->drm(dev, DEVICE_DRM_DEVICE_INITIALIZE, &args) < 0);
	args.device_initialize.no_dedup = true;
	assert_true(dev->ops->drm(dev, DEVICE_DRM_DEVICE_INITIALIZE, &args) < 0);
	assert_int_equal(dev->ops->close(dev, fd), 0);
}

static void memory_can_be_mapped_and_given_back(void **state)
{
	struct device *dev = *state;
	char *address = dev->ops->mmap(dev, NULL, 8192, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(address, MAP_FAILED);
	address[8191] = 1;
	assert_int_equal(dev->ops->madvise(dev, address, 8192, MADV_DONTFORK), 0);
	assert_int_equal(dev->ops->munmap(dev, address, 8192), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_a_model_it_is_the_kernel),
		TEST(a_decorator_sees_each_new_device),
		TEST(files_are_read_and_ended),
		TEST(a_proc_file_is_read_to_its_end),
		TEST(directories_are_counted),
		TEST(files_are_opened_for_this_process_only),
		TEST(failures_come_as_negative_errnos),
		TEST(libdrm_refuses_what_is_no_gpu),
		TEST(memory_can_be_mapped_and_given_back),
	};

	return cmocka_run_group_tests_name("thunk/device/kernel", tests, group_setup,
					   group_teardown);
}
