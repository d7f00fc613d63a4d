/* SPDX-License-Identifier: MIT */
/*
 * What CRIU's plug-in does, by a process for itself: "save FILE COUNT" takes so many buffers and writes its
 * checkpoint to a file, "restore FILE N" becomes that process and frees the first N of them. The sizes are
 * those that test_restored.py expects.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hsakmt/linux/kfd_ioctl.h"

#define NOT_INLINED __attribute__((noinline))
#define BUFFERS     128
#define DEVICES     8

/* What is in the file. */
static struct checkpoint {
	struct kfd_ioctl_criu_args args;
	struct kfd_criu_device_bucket devices[DEVICES];
	struct kfd_criu_bo_bucket bos[BUFFERS];
	uint64_t handles[BUFFERS]; /* the program's own memory, which CRIU brings back */
	_Alignas(8) char private_data[65536];
} saved;

static int kfd, render;

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "raw_checkpoint: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_devices(void)
{
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
	need(kfd >= 0 && render >= 0, "open");
}

/* The arrays are where they are in this process. */
static void operate(uint32_t op, const char *what)
{
	saved.args.op = op;
	saved.args.pid = (uint32_t)getpid();
	saved.args.devices = (uintptr_t)saved.devices;
	saved.args.bos = (uintptr_t)saved.bos;
	saved.args.priv_data = (uintptr_t)saved.private_data;
	need(ioctl(kfd, AMDKFD_IOC_CRIU_OP, &saved.args) == 0, what);
}

static NOT_INLINED void take_buffers(int count)
{
	static const uint64_t sizes[] = { 4096, 65536, 1048576 };
	struct kfd_process_device_apertures first_gpu = { 0 };
	struct kfd_ioctl_get_process_apertures_new_args get = {
		.kfd_process_device_apertures_ptr = (uintptr_t)&first_gpu,
		.num_of_nodes = 1,
	};
	struct kfd_ioctl_acquire_vm_args vm = { .drm_fd = (uint32_t)render };

	need(ioctl(kfd, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &get) == 0, "apertures");
	vm.gpu_id = first_gpu.gpu_id;
	need(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &vm) == 0, "acquire vm");
	for (int i = 0; i < count; i++) {
		struct kfd_ioctl_alloc_memory_of_gpu_args args = {
			.va_addr = (UINT64_C(1) << 44) + ((uint64_t)i << 32),
			.size = sizes[i < 2 ? i : 2],
			.gpu_id = vm.gpu_id,
			.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
		};

		need(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0, "alloc");
		saved.handles[i] = args.handle;
	}
}

static void save(const char *path, int count)
{
	FILE *file;

	open_devices();
	take_buffers(count);
	operate(KFD_CRIU_OP_PROCESS_INFO, "process info");
	errno = 0;
	need(saved.args.num_bos == (uint32_t)count && saved.args.num_devices <= DEVICES &&
		     saved.args.priv_data_size <= sizeof(saved.private_data),
	     "size of the checkpoint");
	operate(KFD_CRIU_OP_CHECKPOINT, "checkpoint");
	file = fopen(path, "wb");
	need(file && fwrite(&saved, sizeof(saved), 1, file) == 1 && fclose(file) == 0, path);
}

static NOT_INLINED void come_back(void)
{
	for (int i = 0; i < DEVICES; i++)
		saved.devices[i].drm_fd = (uint32_t)render;
	operate(KFD_CRIU_OP_RESTORE, "restore");
	operate(KFD_CRIU_OP_RESUME, "resume");
}

static void restore(const char *path, int count)
{
	FILE *file = fopen(path, "rb");

	need(file && fread(&saved, sizeof(saved), 1, file) == 1 && fclose(file) == 0, path);
	open_devices();
	come_back();
	for (int i = 0; i < count; i++) {
		struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = saved.handles[i] };

		need(ioctl(kfd, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args) == 0, "free");
	}
}

int main(int argc, char **argv)
{
	if (argc != 4 || atoi(argv[3]) > BUFFERS)
		return 2;
	if (strcmp(argv[1], "save") == 0)
		save(argv[2], atoi(argv[3]));
	else
		restore(argv[2], atoi(argv[3]));
	printf("%d\n", (int)getpid());
	return 0;
}
