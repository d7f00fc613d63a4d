/* SPDX-License-Identifier: MIT */
/* The door with the ledger. */
#include "ledger.h"

#include <dirent.h>
#include <drm.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "device/device.h"
#include "hsakmt/linux/kfd_ioctl.h"

#define RANGES_MAX  4096
#define BUFFERS_MAX 4096

struct range {
	uint64_t start, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects everything below */
static struct ledger held;
static struct range ranges[RANGES_MAX]; /* mapped, not overlapping, in no order */
static unsigned int range_count;
static uint64_t buffers[BUFFERS_MAX]; /* handles that are alive */
static bool armed, giving_back;
static unsigned int seen, target;
static char failed_name[64];

void ledger_arm(unsigned int fail_at)
{
	pthread_mutex_lock(&lock);
	armed = true;
	seen = 0;
	target = fail_at;
	giving_back = false;
	strcpy(failed_name, "nothing");
	pthread_mutex_unlock(&lock);
}

unsigned int ledger_disarm(void)
{
	unsigned int count;

	pthread_mutex_lock(&lock);
	armed = false;
	count = seen;
	pthread_mutex_unlock(&lock);
	return count;
}

bool ledger_failed_giving_back(void)
{
	return giving_back;
}

const char *ledger_failed_name(void)
{
	return failed_name;
}

/* @return 0, or the errno value to fail with. */
static int due(const char *name, unsigned int number, bool gives_back, int error)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (armed && ++seen == target) {
		rc = error;
		giving_back = gives_back;
		snprintf(failed_name, sizeof(failed_name), "%s 0x%x", name, number);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static void forget(uint64_t start, uint64_t end)
{
	for (unsigned int i = 0; i < range_count; i++) {
		struct range old = ranges[i];

		if (old.end <= start || end <= old.start)
			continue;
		ranges[i--] = ranges[--range_count];
		if (old.start < start)
			ranges[range_count++] = (struct range){ old.start, start };
		if (end < old.end)
			ranges[range_count++] = (struct range){ end, old.end };
		if (range_count > RANGES_MAX - 3)
			abort(); /* the test would lie */
	}
}

static void note_map(void *addr, size_t size_bytes, bool mapped)
{
	uint64_t start = (uintptr_t)addr, end = start + ((size_bytes + 4095) & ~4095ull);

	pthread_mutex_lock(&lock);
	forget(start, end);
	if (mapped)
		ranges[range_count++] = (struct range){ start, end };
	pthread_mutex_unlock(&lock);
}

static void note_buffer(uint64_t handle, bool alive)
{
	unsigned int i = 0;

	while (i < BUFFERS_MAX && buffers[i] != (alive ? 0 : handle))
		i++;
	if (i == BUFFERS_MAX)
		return; /* an unknown handle: of a context that is gone */
	buffers[i] = alive ? handle : 0;
	held.buffers += alive ? 1 : -1ull;
}

static void note_kfd(unsigned int nr, const void *arg)
{
	const struct kfd_ioctl_alloc_memory_of_gpu_args *alloc = arg;
	const struct kfd_ioctl_free_memory_of_gpu_args *release = arg;
	const struct kfd_ioctl_import_dmabuf_args *dmabuf = arg;
	const struct kfd_ioctl_ipc_import_handle_args *ipc = arg;

	pthread_mutex_lock(&lock);
	if (nr == _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU))
		note_buffer(alloc->handle, true);
	else if (nr == _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF))
		note_buffer(dmabuf->handle, true);
	else if (nr == _IOC_NR(AMDKFD_IOC_IPC_IMPORT_HANDLE))
		note_buffer(ipc->handle, true);
	else if (nr == _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU))
		note_buffer(release->handle, false);
	else if (nr == _IOC_NR(AMDKFD_IOC_CREATE_QUEUE))
		held.queues++;
	else if (nr == _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE))
		held.queues--;
	else if (nr == _IOC_NR(AMDKFD_IOC_CREATE_EVENT))
		held.events++;
	else if (nr == _IOC_NR(AMDKFD_IOC_DESTROY_EVENT))
		held.events--;
	pthread_mutex_unlock(&lock);
}

static bool kfd_gives_back(unsigned int nr, const void *arg)
{
	const struct kfd_ioctl_runtime_enable_args *runtime = arg;
	const struct kfd_ioctl_dbg_trap_args *trap = arg;
	const struct kfd_ioctl_spm_args *spm = arg;
	const struct kfd_ioctl_pc_sample_args *sample = arg;

	if (nr == _IOC_NR(AMDKFD_IOC_RUNTIME_ENABLE))
		return !(runtime->mode_mask & KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK);
	if (nr == _IOC_NR(AMDKFD_IOC_DBG_TRAP))
		return trap->op == KFD_IOC_DBG_TRAP_DISABLE;
	if (nr == _IOC_NR(AMDKFD_IOC_RLC_SPM))
		return spm->op == KFD_IOCTL_SPM_OP_RELEASE;
	if (nr == _IOC_NR(AMDKFD_IOC_PC_SAMPLE))
		return sample->op == KFD_IOCTL_PCS_OP_DESTROY ||
		       sample->op == KFD_IOCTL_PCS_OP_STOP;
	return nr == _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU) ||
	       nr == _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU) ||
	       nr == _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE) || nr == _IOC_NR(AMDKFD_IOC_DESTROY_EVENT);
}

static int door_ioctl(struct device *dev, int fd, unsigned long request, void *arg)
{
	static const int errors[] = { ENOMEM, EINVAL, EIO };
	bool is_kfd = _IOC_TYPE(request) == 'K';
	int rc = due(is_kfd ? "ioctl" : "DRM ioctl", _IOC_NR(request),
		     is_kfd ? kfd_gives_back(_IOC_NR(request), arg)
			    : request == DRM_IOCTL_SYNCOBJ_DESTROY,
		     errors[seen % 3]);

	if (rc)
		return -rc;
	rc = dev->base_ops->ioctl(dev, fd, request, arg);
	if (rc >= 0 && is_kfd)
		note_kfd(_IOC_NR(request), arg);
	return rc;
}

static void *door_mmap(struct device *dev, void *addr, size_t size_bytes, int prot, int flags,
		       int fd, off_t offset)
{
	int rc = due("mmap", 0, false, ENOMEM);
	void *map;

	if (rc) {
		errno = rc;
		return MAP_FAILED;
	}
	map = dev->base_ops->mmap(dev, addr, size_bytes, prot, flags, fd, offset);
	if (map != MAP_FAILED)
		note_map(map, size_bytes, true);
	return map;
}

static int door_munmap(struct device *dev, void *addr, size_t size_bytes)
{
	int rc = dev->base_ops->munmap(dev, addr, size_bytes);

	if (!rc)
		note_map(addr, size_bytes, false);
	return rc;
}

static int door_madvise(struct device *dev, void *addr, size_t size_bytes, int advice)
{
	int rc = due("madvise", (unsigned int)advice, false, ENOMEM);

	return rc ? -rc : dev->base_ops->madvise(dev, addr, size_bytes, advice);
}

static int door_mbind(struct device *dev, void *addr, size_t size_bytes, int mode,
		      const unsigned long *mask, unsigned long max_node, unsigned int flags)
{
	int rc = due("mbind", (unsigned int)mode, false, ENOMEM);

	return rc ? -rc : dev->base_ops->mbind(dev, addr, size_bytes, mode, mask, max_node, flags);
}

static int door_open_kfd(struct device *dev)
{
	int rc = due("open of the KFD", 0, false, ENOMEM);

	return rc ? -rc : dev->base_ops->open_kfd(dev);
}

static int door_open(struct device *dev, const char *path, int flags)
{
	int rc = due("open", 0, false, EMFILE);

	return rc ? -rc : dev->base_ops->open(dev, path, flags);
}

static int door_close(struct device *dev, int fd)
{
	return dev->base_ops->close(dev, fd);
}

static ssize_t door_read_file(struct device *dev, const char *path, char *buf, size_t size)
{
	int rc = due("read", 0, false, EIO);

	return rc ? -rc : dev->base_ops->read_file(dev, path, buf, size);
}

static int door_count_dir(struct device *dev, const char *path)
{
	int rc = due("directory", 0, false, EMFILE);

	return rc ? -rc : dev->base_ops->count_dir(dev, path);
}

static int door_drm(struct device *dev, enum device_drm_cmd cmd, union device_drm_args *args)
{
	bool gives_back = cmd == DEVICE_DRM_BO_FREE || cmd == DEVICE_DRM_CLOSE ||
			  cmd == DEVICE_DRM_DEVICE_DEINITIALIZE ||
			  (cmd == DEVICE_DRM_BO_VA_OP && args->bo_va_op.ops == 2);
	int rc;

	/* closing does not fail; the library is not asked to survive it */
	if (cmd != DEVICE_DRM_CLOSE && cmd != DEVICE_DRM_DEVICE_DEINITIALIZE) {
		rc = due("DRM call", cmd, gives_back, ENOMEM);
		if (rc)
			return -rc;
	}
	rc = dev->base_ops->drm(dev, cmd, args);
	pthread_mutex_lock(&lock);
	if (rc >= 0 && cmd == DEVICE_DRM_BO_IMPORT)
		held.drm_objects++;
	else if (rc >= 0 && cmd == DEVICE_DRM_BO_FREE)
		held.drm_objects--;
	pthread_mutex_unlock(&lock);
	return rc;
}

static const struct device_ops door_ops = {
	.name = "ledger",
	.open_kfd = door_open_kfd,
	.open = door_open,
	.close = door_close,
	.read_file = door_read_file,
	.count_dir = door_count_dir,
	.ioctl = door_ioctl,
	.mmap = door_mmap,
	.munmap = door_munmap,
	.madvise = door_madvise,
	.mbind = door_mbind,
	.drm = door_drm,
};

static void decorate(struct device *dev)
{
	dev->base_ops = dev->ops;
	dev->ops = &door_ops;
}

void ledger_install(void)
{
	device_set_decorator(decorate);
}

static uint64_t open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	uint64_t count = 0;

	while (directory && readdir(directory))
		count++;
	if (directory)
		closedir(directory);
	return count;
}

struct ledger ledger_now(void)
{
	struct ledger now;

	pthread_mutex_lock(&lock);
	now = held;
	for (unsigned int i = 0; i < range_count; i++)
		now.mapped_bytes += ranges[i].end - ranges[i].start;
	pthread_mutex_unlock(&lock);
	now.descriptors = open_descriptors();
	return now;
}
