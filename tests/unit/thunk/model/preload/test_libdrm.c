/* SPDX-License-Identifier: MIT */
/* The real libdrm on the simulated GPUs: each is a PCI device with two nodes, and no two are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <amdgpu.h>
#include <xf86drm.h>

#define GPUS_MAX 64
#define CARDS    "/sys/class/drm/card[0-9]*"

/* How many there are, by the class in sysfs. */
static size_t gpu_count(void)
{
	glob_t cards = { 0 };
	size_t count;

	assert_int_equal(glob(CARDS, 0, NULL, &cards), 0);
	count = cards.gl_pathc;
	globfree(&cards);
	assert_in_range(count, 1, GPUS_MAX);
	return count;
}

static unsigned int number_in(const char *directory, const char *file)
{
	unsigned int value = 0;
	char path[256];
	FILE *stream;

	snprintf(path, sizeof(path), "%s/device/%s", directory, file);
	stream = fopen(path, "r");
	assert_non_null(stream);
	assert_int_equal(fscanf(stream, "%x", &value), 1);
	fclose(stream);
	return value;
}

static void all_gpus_are_found(void **state)
{
	drmDevicePtr devices[GPUS_MAX + 1];
	size_t count = gpu_count();
	int found = drmGetDevices2(DRM_DEVICE_GET_PCI_REVISION, devices, GPUS_MAX + 1);

	(void)state;
	assert_int_equal(found, count);
	for (int i = 0; i < found; i++) {
		const drmDevice *device = devices[i];
		unsigned int card, render;
		char path[64];

		assert_int_equal(device->bustype, DRM_BUS_PCI);
		assert_int_equal(device->available_nodes,
				 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER);
		assert_int_equal(sscanf(device->nodes[DRM_NODE_PRIMARY], "/dev/dri/card%u", &card),
				 1);
		assert_int_equal(
			sscanf(device->nodes[DRM_NODE_RENDER], "/dev/dri/renderD%u", &render), 1);
		snprintf(path, sizeof(path), "/sys/class/drm/card%u", card);
		assert_int_equal(device->deviceinfo.pci->vendor_id, number_in(path, "vendor"));
		assert_int_equal(device->deviceinfo.pci->device_id, number_in(path, "device"));
		for (int other = 0; other < i; other++) {
			assert_false(drmDevicesEqual(devices[i], devices[other]));
			assert_string_not_equal(device->nodes[DRM_NODE_RENDER],
						devices[other]->nodes[DRM_NODE_RENDER]);
		}
	}
	drmFreeDevices(devices, found);
}

static void check_node(const char *path, int type)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), wrong = -1;
	char *render, *primary;
	drmDevicePtr device;
	drmVersionPtr version;

	assert_true(fd >= 0);
	assert_int_equal(drmGetNodeTypeFromFd(fd), type);
	render = drmGetRenderDeviceNameFromFd(fd);
	primary = drmGetPrimaryDeviceNameFromFd(fd);
	assert_non_null(render);
	assert_non_null(primary);
	assert_string_equal(type == DRM_NODE_RENDER ? render : primary, path);
	assert_int_equal(drmGetDevice2(fd, 0, &device), 0);
	assert_string_equal(device->nodes[DRM_NODE_RENDER], render);
	assert_string_equal(device->nodes[DRM_NODE_PRIMARY], primary);
	version = drmGetVersion(fd);
	assert_non_null(version);
	assert_string_equal(version->name, "amdgpu");
	drmFreeVersion(version);
	drmFreeDevice(&device);
	free(render);
	free(primary);
	close(fd);
	assert_int_equal(drmGetDevice2(wrong, 0, &device), -EINVAL);
}

static void nodes_know_their_siblings(void **state)
{
	size_t count = gpu_count(), step = count > 8 ? 9 : 1; /* each one looks at all */
	char path[64];

	(void)state;
	for (size_t i = 0; i < count; i += step) {
		snprintf(path, sizeof(path), "/dev/dri/card%zu", i);
		check_node(path, DRM_NODE_PRIMARY);
		snprintf(path, sizeof(path), "/dev/dri/renderD%zu", 128 + i);
		check_node(path, DRM_NODE_RENDER);
	}
}

/* Both nodes are one device to libdrm_amdgpu, and different GPUs are not. */
static void amdgpu_devices_open_by_either_node(void **state)
{
	static const char *const paths[] = { "/dev/dri/card0", "/dev/dri/renderD128" };
	amdgpu_device_handle handles[2];
	uint32_t major, minor;
	int fds[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct amdgpu_gpu_info info = { 0 };

		fds[i] = open(paths[i], O_RDWR | O_CLOEXEC);
		assert_true(fds[i] >= 0);
		assert_int_equal(amdgpu_device_initialize(fds[i], &major, &minor, &handles[i]), 0);
		assert_int_equal(amdgpu_query_gpu_info(handles[i], &info), 0);
		assert_int_equal(info.asic_id, number_in("/sys/class/drm/card0", "device"));
	}
	assert_ptr_equal(handles[0], handles[1]);
	for (int i = 0; i < 2; i++) {
		amdgpu_device_deinitialize(handles[i]);
		close(fds[i]);
	}
}

/* The way of rocm-smi and its like: from the card to its device, driver and memory. */
static void monitors_find_what_they_read(void **state)
{
	char target[256] = "", path[128];
	FILE *stream;
	unsigned long long total = 0, used = 0;

	(void)state;
	for (size_t i = 0; i < gpu_count(); i++) {
		snprintf(path, sizeof(path), "/sys/class/drm/card%zu/device/driver", i);
		assert_true(readlink(path, target, sizeof(target) - 1) > 6);
		assert_non_null(strstr(target, "/amdgpu"));
		snprintf(path, sizeof(path), "/sys/class/drm/card%zu/device/mem_info_vram_total",
			 i);
		stream = fopen(path, "r");
		assert_non_null(stream);
		assert_int_equal(fscanf(stream, "%llu", &total), 1);
		fclose(stream);
		snprintf(path, sizeof(path), "/sys/class/drm/card%zu/device/mem_info_vram_used", i);
		stream = fopen(path, "r");
		assert_non_null(stream);
		assert_int_equal(fscanf(stream, "%llu", &used), 1);
		fclose(stream);
		assert_true(total > 1u << 28 && used <= total);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_gpus_are_found),
		cmocka_unit_test(nodes_know_their_siblings),
		cmocka_unit_test(amdgpu_devices_open_by_either_node),
		cmocka_unit_test(monitors_find_what_they_read),
	};

	return cmocka_run_group_tests_name("thunk/model/preload/libdrm", tests, NULL, NULL);
}
