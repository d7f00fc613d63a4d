/* SPDX-License-Identifier: MIT */
/*
 * A scriptable door to the outside for unit tests: files live in memory, descriptors are numbers,
 * ioctls go to handlers of the test, any call can be made to fail, and everything is counted. mmap
 * and munmap are real (anonymous memory stands in for device memory), so that code under test may
 * touch what it maps.
 */
#ifndef KFDSCOPE_TESTS_FAKE_DEVICE_H
#define KFDSCOPE_TESTS_FAKE_DEVICE_H

#include "device/device.h"

/* Where the thunk looks for the topology when no model is asked for. */
#define FAKE_TOPOLOGY_ROOT "/sys/devices/virtual/kfd/kfd/topology"

struct fake_device;

enum fake_op {
	FAKE_OPEN_KFD,
	FAKE_OPEN,
	FAKE_CLOSE,
	FAKE_READ_FILE,
	FAKE_COUNT_DIR,
	FAKE_IOCTL,
	FAKE_MMAP,
	FAKE_MUNMAP,
	FAKE_MADVISE,
	FAKE_MBIND,
	FAKE_DRM,
	FAKE_OP_COUNT
};

/* One call as it came in. Fields that the operation has not are zero. */
struct fake_call {
	enum fake_op op;
	long result;           /* what the caller got: 0, a descriptor, a count or -errno */
	int fd;                /* -1 when the call has none */
	unsigned long request; /* ioctl request, or enum device_drm_cmd */
	char path[160];        /* cut when longer */
	uint64_t addr, size_bytes, offset_bytes;
	int prot, flags;        /* mmap; flags also: open flags, advice, mbind mode */
	unsigned char arg[128]; /* the ioctl's or drm call's argument before the handler ran */
	size_t arg_size_bytes;  /* how much of it is valid */
};

/* @return 0 or -errno. Runs without any lock, so it may block and may call the fake. */
typedef int (*fake_ioctl_fn)(struct fake_device *fake, int fd, unsigned long request, void *arg,
			     void *data);
typedef int (*fake_drm_fn)(struct fake_device *fake, enum device_drm_cmd cmd,
			   union device_drm_args *args, void *data);
/* @return the content of a file for this reading; borrowed. */
typedef const char *(*fake_read_fn)(struct fake_device *fake, const char *path, void *data);

/* Knows GET_VERSION (1.22) and no other ioctl: those without a handler give EINVAL. */
struct fake_device *fake_device_new(void);
/* Uninstalls it when it is installed; accepts NULL. Does not unmap what is still mapped. */
void fake_device_free(struct fake_device *fake);

/*
 * From now on every device_new() gives a door of this fake (it is installed as the decorator); NULL
 * ends that.
 */
void fake_device_install(struct fake_device *fake);
/* A door for contexts that a test makes by hand. Borrowed, valid until fake_device_free(). */
struct device *fake_device_door(struct fake_device *fake);

/* Files. Directories exist because something is in them. */
void fake_device_set_file(struct fake_device *fake, const char *path, const char *content);
/* Reading gives -err. */
void fake_device_set_file_errno(struct fake_device *fake, const char *path, int err);
/* Each reading asks the function. */
void fake_device_on_read(struct fake_device *fake, const char *path, fake_read_fn fn, void *data);
/* Removes a file, or a directory with all below it. */
void fake_device_remove(struct fake_device *fake, const char *path);
/*
 * Loads a tree in the notation of topology.md 10: "PATH = content" or "PATH =" and lines. T/ stands
 * for FAKE_TOPOLOGY_ROOT/. name is a file of tests/unit/thunk/topology/trees.
 * @return false when the file cannot be read.
 */
bool fake_device_load_tree(struct fake_device *fake, const char *name);
/*
 * Replaces the value of "key value" lines in a file; NULL removes the line.
 * @return false when there is no such file or key.
 */
bool fake_device_set_key(struct fake_device *fake, const char *path, const char *key,
			 const char *value);

/*
 * Render nodes: 128..255 open unless an errno is set. libdrm is imitated: initialising a second
 * descriptor of the same minor gives the first device again.
 */
void fake_device_set_render_errno(struct fake_device *fake, int minor, int err);
struct fake_gpu_info {
	uint32_t family_id;
	uint64_t ids_flags; /* bit 0: fusion */
	uint32_t counter_freq_khz;
	const char *marketing_name; /* borrowed */
};
void fake_device_set_gpu_info(struct fake_device *fake, int minor,
			      const struct fake_gpu_info *info);

/* Handlers; NULL restores the default. An ioctl is matched by its number alone, as the KFD does. */
void fake_device_on_ioctl(struct fake_device *fake, unsigned long request, fake_ioctl_fn fn,
			  void *data);
void fake_device_on_drm(struct fake_device *fake, enum device_drm_cmd cmd, fake_drm_fn fn,
			void *data);
/* What GET_VERSION answers. */
void fake_device_set_version(struct fake_device *fake, uint32_t major, uint32_t minor);

/* The next call of this ioctl fails with -err. */
void fake_device_fail_next(struct fake_device *fake, unsigned long request, int err);
void fake_device_fail_next_drm(struct fake_device *fake, enum device_drm_cmd cmd, int err);
/* After skip more calls of the operation one fails with -err. */
void fake_device_fail_op(struct fake_device *fake, enum fake_op op, unsigned int skip, int err);
/*
 * For torture loops: the n-th call from now (1 is the next) fails with -err, whatever it is. Calls
 * that give something back (close, munmap, DRM frees) are not counted.
 */
void fake_device_fail_nth(struct fake_device *fake, unsigned int n, int err);
/* Whether the failure asked for by fail_nth() was used up. */
bool fake_device_failed(const struct fake_device *fake);

/* Number of calls of an ioctl, of a DRM command, of an operation, since the last reset. */
unsigned int fake_device_calls(const struct fake_device *fake, unsigned long request);
unsigned int fake_device_drm_calls(const struct fake_device *fake, enum device_drm_cmd cmd);
unsigned int fake_device_op_calls(const struct fake_device *fake, enum fake_op op);
/* Readings of one path. */
unsigned int fake_device_reads(const struct fake_device *fake, const char *path);
/* The log itself, oldest first; NULL past the end. */
const struct fake_call *fake_device_log(const struct fake_device *fake, size_t index);
/* The last call of an ioctl, or NULL. */
const struct fake_call *fake_device_last(const struct fake_device *fake, unsigned long request);
/* Numbers of all ioctls in order, as two hex digits with spaces: "01 14 15". Borrowed. */
const char *fake_device_ioctl_sequence(struct fake_device *fake);
void fake_device_log_reset(struct fake_device *fake);

/* A descriptor for handlers that hand one out. */
int fake_device_new_fd(struct fake_device *fake, const char *what);
/* Open descriptors, those inside libdrm devices included. */
unsigned int fake_device_live_fds(const struct fake_device *fake);
bool fake_device_fd_is_live(const struct fake_device *fake, int fd);
/* The path that a live descriptor was opened with; NULL when it is not live. */
const char *fake_device_fd_path(const struct fake_device *fake, int fd);
/* Separate mapped ranges made through the door and not unmapped, and their bytes. */
unsigned int fake_device_live_maps(const struct fake_device *fake);
uint64_t fake_device_live_map_bytes(const struct fake_device *fake);
/* Initialised libdrm devices. */
unsigned int fake_device_live_drm_devices(const struct fake_device *fake);

#endif
