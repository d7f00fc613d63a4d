/* SPDX-License-Identifier: MIT */
/* The inside of the fake device, shared by its parts. All fields are under the lock. */
#ifndef KFDSCOPE_TESTS_FAKE_INTERNAL_H
#define KFDSCOPE_TESTS_FAKE_INTERNAL_H

#include <pthread.h>

#include "fake_device.h"

#define FAKE_IOCTL_COUNT  256
#define FAKE_DRM_COUNT    16
#define FAKE_FIRST_FD     1000
#define FAKE_FD_COUNT     4096
#define FAKE_RENDER_FIRST 128
#define FAKE_RENDER_COUNT 128

struct fake_file {
	char *path;    /* owned; the sort key */
	char *content; /* owned; NULL with an errno or a function */
	int err;
	fake_read_fn fn;
	void *data; /* borrowed */
};

struct fake_range {
	uint64_t start, end;
};

struct fake_render {
	int open_errno;
	struct fake_gpu_info info;
	unsigned int references; /* of the libdrm device */
	int device_fd;           /* the one that libdrm keeps */
};

struct fake_failure {
	bool armed;
	unsigned int skip;
	int err;
};

struct fake_device {
	struct device_ops ops; /* first: a door's ops pointer leads back here */
	struct device door;
	pthread_mutex_t lock;

	struct fake_file *files; /* sorted by path */
	size_t file_count, file_room;

	char *fd_paths[FAKE_FD_COUNT]; /* owned; index fd - FAKE_FIRST_FD; NULL: not open */
	unsigned int live_fds, next_fd;

	struct fake_range *ranges; /* sorted, disjoint */
	size_t range_count, range_room;

	struct fake_render renders[FAKE_RENDER_COUNT];
	fake_ioctl_fn ioctl_fns[FAKE_IOCTL_COUNT];
	void *ioctl_data[FAKE_IOCTL_COUNT];
	fake_drm_fn drm_fns[FAKE_DRM_COUNT];
	void *drm_data[FAKE_DRM_COUNT];
	uint32_t version_major, version_minor;

	struct fake_failure ioctl_failures[FAKE_IOCTL_COUNT];
	struct fake_failure drm_failures[FAKE_DRM_COUNT];
	struct fake_failure op_failures[FAKE_OP_COUNT];
	struct fake_failure nth_failure;

	struct fake_call *calls;
	size_t call_count, call_room;
	char *sequence; /* owned; the answer of fake_device_ioctl_sequence() */
};

/* Aborts the test program when memory runs out: a fake has no caller that could go on. */
void *fake_grow(void *array, size_t count, size_t *room, size_t element_size);

/* Files. The caller holds the lock. @return index of path, or where it would stand. */
size_t fake_files_find(const struct fake_device *fake, const char *path, bool *found);
int fake_files_count_dir(const struct fake_device *fake, const char *path);
void fake_files_free(struct fake_device *fake);

/* Mapped ranges. The caller holds the lock. */
void fake_ranges_add(struct fake_device *fake, uint64_t start, uint64_t end);
void fake_ranges_remove(struct fake_device *fake, uint64_t start, uint64_t end);

/* Descriptors. The caller holds the lock. */
int fake_fd_open(struct fake_device *fake, const char *path);
int fake_fd_close(struct fake_device *fake, int fd);
bool fake_fd_live(const struct fake_device *fake, int fd);

/* What DRM commands do without a handler. The caller holds the lock. */
int fake_drm_default(struct fake_device *fake, enum device_drm_cmd cmd,
		     union device_drm_args *args);

#endif
