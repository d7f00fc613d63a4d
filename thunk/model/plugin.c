/* SPDX-License-Identifier: MIT */
/*
 * Front (a): a model plug-in, interface 1.1, for a thunk that knows HSA_MODEL_LIB. Offsets are plain
 * offsets in the memory file, so that the thunk can map it without our help; our own thunk calls
 * kfdscope_model_mmap() instead, which also shows buffers of other processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "location.h"
#include "model.h"
#include "plugin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the two below */
static struct kfd_model *model;                          /* owned, lives as long as the process */
static struct kfd_model_file *file;                      /* owned; of the process that opened it */
static pid_t file_pid;
static const struct hsakmt_model_functions *engines; /* borrowed; under the same lock */

struct kfd_model *plugin_model(void)
{
	return model;
}

/* Every descriptor that the thunk has is this one file, for all GPUs. */
static int render_file(void *data, int fd, uint32_t *minor, uint64_t *file_id)
{
	(void)data;
	if (fcntl(fd, F_GETFD) < 0)
		return -EINVAL;
	*minor = 0;
	*file_id = 0;
	return 0;
}

static void after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	if (model)
		kfd_model_after_fork(model);
	file = NULL; /* the parent's; its memory is left as it is */
}

/* The machine, made once a process tree. The caller holds the lock. */
static int machine(void)
{
	const struct kfd_model_front front = { .render_file = render_file, .plain_offsets = true };
	const char *wanted = getenv("HSA_MODEL_TOPOLOGY");
	char topology[4096];
	int rc;

	if (model)
		return 0;
	rc = kfd_model_topology_path(wanted, topology, sizeof(topology));
	if (rc) {
		kfd_model_log("no topology '%s': %s", wanted ? wanted : "", strerror(-rc));
		return rc;
	}
	rc = kfd_model_new(topology, getenv("KFDSCOPE_MODEL_SCENARIO"), &front, &model);
	if (rc)
		return rc;
	kfd_model_use_engines(model, engines);
	pthread_atfork(NULL, NULL, after_fork);
	return 0;
}

static int open_file(void)
{
	int rc = machine();

	if (!rc && (!file || file_pid != getpid())) {
		rc = kfd_model_open(model, &file);
		file_pid = getpid();
	}
	return rc;
}

static int create_memfd(void)
{
	int rc, fd = -1;

	pthread_mutex_lock(&lock);
	rc = open_file();
	if (!rc)
		rc = kfd_model_memory_fd(model);
	pthread_mutex_unlock(&lock);
	/* the caller closes what it gets, and must not close ours */
	if (rc >= 0)
		fd = fcntl(rc, F_DUPFD_CLOEXEC, 0);
	else
		errno = -rc;
	return fd;
}

static int handle_ioctl(unsigned long request, void *arg)
{
	int rc = file ? kfd_model_ioctl(file, request, arg) : -EBADF;

	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

/* For a loader that looks for it: mmap of any descriptor that the plug-in gave out. */
__attribute__((visibility("default"))) void *kfdscope_model_mmap(int fd, void *addr,
								 size_t size_bytes, int prot,
								 int flags, off_t offset);

void *kfdscope_model_mmap(int fd, void *addr, size_t size_bytes, int prot, int flags, off_t offset)
{
	if (!model || !kfd_model_is_memory(model, fd))
		return mmap(addr, size_bytes, prot, flags, fd, offset);
	return kfd_model_mmap(model, NULL, addr, size_bytes, prot, flags, offset);
}

/*
 * For a loader that was given a plug-in of interface 0.4: has it run the queues. Before the first
 * create_memfd().
 */
__attribute__((visibility("default"))) int kfdscope_model_use_engines(const void *table);

int kfdscope_model_use_engines(const void *table)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (model && engines != table)
		rc = -EBUSY;
	else
		engines = table;
	pthread_mutex_unlock(&lock);
	return rc;
}

static const struct hsakmt_model_functions_v1 functions = {
	.version_major = HSAKMT_MODEL_V1_VERSION_MAJOR,
	.version_minor = HSAKMT_MODEL_V1_VERSION_MINOR,
	.create_memfd = create_memfd,
	.handle_ioctl = handle_ioctl,
	.handle_drm_call = plugin_drm_call,
};

__attribute__((visibility("default"))) const void *get_hsakmt_model_functions(void);

const void *get_hsakmt_model_functions(void)
{
	return &functions;
}
