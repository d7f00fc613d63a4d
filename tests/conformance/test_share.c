/* SPDX-License-Identifier: MIT */
/* Dma-bufs and IPC handles (kfd.md 4). */
#include "machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define VRAM  KFD_IOC_ALLOC_MEM_FLAGS_VRAM
#define RW    (PROT_READ | PROT_WRITE)
#define BYTES (2 * PAGE)

static int export_fd(struct machine *m, uint64_t handle)
{
	struct kfd_ioctl_export_dmabuf_args args = { .handle = handle, .flags = O_CLOEXEC };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_EXPORT_DMABUF, &args), 0);
	return (int)args.dmabuf_fd;
}

static char *view_of(struct machine *m, uint64_t offset)
{
	char *view = kfd_model_render_mmap(m->model, NULL, BYTES, RW, MAP_SHARED, (off_t)offset);

	assert_ptr_not_equal(view, MAP_FAILED);
	return view;
}

static void an_import_shares_the_memory(struct machine *m)
{
	struct kfd_ioctl_import_dmabuf_args args = { .gpu_id = m->gpu, .va_addr = 1ull << 44 };
	struct buffer buffer;
	uint64_t size = 0, offset = 0;
	char *view, *through;
	int fd;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, BYTES, VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	fd = export_fd(m, buffer.handle);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	args.dmabuf_fd = (uint32_t)fd;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IMPORT_DMABUF, &args), 0);
	assert_true(args.handle != buffer.handle);
	assert_int_equal(machine_map(m, args.handle, m->gpu), 0);
	/* the descriptor leads to the same bytes */
	assert_true(kfd_model_dmabuf_look(fd, &size, &offset));
	assert_int_equal(size, BYTES);
	view = view_of(m, buffer.mmap_offset);
	through = mmap(NULL, BYTES, RW, MAP_SHARED, fd, (off_t)offset);
	view[100] = 7;
	assert_int_equal(through[100], 7);
	munmap(view, BYTES);
	munmap(through, BYTES);
	close(fd);
}

static void a_dmabuf_keeps_the_memory_alive(struct machine *m)
{
	struct kfd_ioctl_import_dmabuf_args args = { .gpu_id = m->gpu, .va_addr = 1ull << 44 };
	struct buffer buffer, other;
	char *view;
	int fd;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, BYTES, VRAM);
	view = view_of(m, buffer.mmap_offset);
	view[0] = 9;
	fd = export_fd(m, buffer.handle);
	assert_int_equal(machine_free(m, buffer.handle), 0);
	other = machine_alloc(m, m->gpu, BYTES, VRAM);
	assert_true(other.mmap_offset != buffer.mmap_offset);
	args.dmabuf_fd = (uint32_t)fd;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IMPORT_DMABUF, &args), 0);
	assert_int_equal(view[0], 9);
	munmap(view, BYTES);
	close(fd);
}

static void the_info_tells_owner_size_and_kind(struct machine *m)
{
	struct kfd_ioctl_get_dmabuf_info_args args = { 0 };
	struct buffer buffer;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, BYTES, VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	args.dmabuf_fd = (uint32_t)export_fd(m, buffer.handle);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_DMABUF_INFO, &args), 0);
	assert_int_equal(args.size, BYTES);
	assert_int_equal(args.gpu_id, m->gpu);
	assert_int_equal(args.flags, VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	assert_int_equal(args.metadata_size, 0);
	close((int)args.dmabuf_fd);
}

static void other_descriptors_are_no_dmabufs(struct machine *m)
{
	struct kfd_ioctl_get_dmabuf_info_args info = { .dmabuf_fd = 0x7ffffff0 };
	struct kfd_ioctl_import_dmabuf_args import = { .gpu_id = m->gpu, .dmabuf_fd = 0x7ffffff0 };
	int file = open("/dev/null", O_RDWR);

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_DMABUF_INFO, &info), -EBADF);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IMPORT_DMABUF, &import), -EBADF);
	info.dmabuf_fd = import.dmabuf_fd = (uint32_t)file;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_DMABUF_INFO, &info), -EINVAL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IMPORT_DMABUF, &import), -EINVAL);
	close(file);
}

static void metadata_needs_room_and_memory(struct machine *m)
{
	/* set through DRM on the same buffer, as a graphics driver does */
	struct drm_metadata {
		uint32_t handle, op;
		uint64_t flags, tiling;
		uint32_t size;
		uint32_t data[64];
	} set = { .op = 1, .size = 8, .data = { 11, 22 } };
	struct {
		uint32_t handle, flags;
		int32_t fd;
	} prime = { 0 };
	struct kfd_ioctl_get_dmabuf_info_args args = { .metadata_size = 4 };
	uint32_t words[4] = { 0 };
	struct buffer buffer;
	int fd;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, BYTES, VRAM);
	fd = export_fd(m, buffer.handle);
	prime.fd = fd;
	assert_int_equal(kfd_model_drm_ioctl(m->model, m->node, 1, 0xc00c642e, &prime), 0);
	set.handle = prime.handle;
	assert_int_equal(kfd_model_drm_ioctl(m->model, m->node, 1, 0xc1206446, &set), 0);
	args.dmabuf_fd = (uint32_t)fd;
	args.metadata_ptr = (uintptr_t)words;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_DMABUF_INFO, &args), -EINVAL);
	assert_int_equal(args.metadata_size, 8); /* how much it wants */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_DMABUF_INFO, &args), 0);
	assert_int_equal(words[1], 22);
	args.metadata_ptr = BAD_ADDRESS;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_DMABUF_INFO, &args), -EFAULT);
	kfd_model_drm_close(m->model, 1);
	close(fd);
}

static void import_needs_gpu_and_vm(struct machine *m)
{
	struct kfd_ioctl_import_dmabuf_args args = { .gpu_id = m->second_gpu };

	machine_acquire(m, m->gpu);
	args.dmabuf_fd = (uint32_t)export_fd(m, machine_alloc(m, m->gpu, BYTES, VRAM).handle);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IMPORT_DMABUF, &args), -ENODEV);
	args.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IMPORT_DMABUF, &args), -EINVAL);
	close((int)args.dmabuf_fd);
}

static void export_needs_a_known_buffer(struct machine *m)
{
	struct kfd_ioctl_export_dmabuf_args args = { .handle = 0 };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_EXPORT_DMABUF, &args), -EINVAL);
	args.handle = (uint64_t)m->gpu << 32 | 5;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_EXPORT_DMABUF, &args), -EINVAL);
	args.handle = machine_alloc_mapped(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR).handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_EXPORT_DMABUF, &args), -EINVAL);
}

/* A machine for a child that knows nothing of the parent's. */
static int import_in_child(struct machine *m, const uint32_t share_handle[4])
{
	struct kfd_ioctl_ipc_import_handle_args args = { .gpu_id = m->gpu, .va_addr = 1ull << 44 };
	char *view;

	kfd_model_after_fork(m->model);
	if (kfd_model_open(m->model, &m->file))
		return 1;
	m->render_count = 0;
	machine_acquire(m, m->gpu);
	memcpy(args.share_handle, share_handle, sizeof(args.share_handle));
	args.share_handle[3] ^= 1;
	if (machine_ioctl(m, AMDKFD_IOC_IPC_IMPORT_HANDLE, &args) != -EINVAL)
		return 2;
	args.share_handle[3] ^= 1;
	if (machine_ioctl(m, AMDKFD_IOC_IPC_IMPORT_HANDLE, &args))
		return 3;
	if (args.flags != 0x77 || !args.mmap_offset)
		return 4;
	view = kfd_model_render_mmap(m->model, NULL, BYTES, RW, MAP_SHARED,
				     (off_t)args.mmap_offset);
	if (view == MAP_FAILED || view[5] != 55)
		return 5;
	view[6] = 66;
	return machine_map(m, args.handle, m->gpu) ? 6 : 0;
}

static void an_ipc_handle_works_in_another_process(struct machine *m)
{
	struct kfd_ioctl_ipc_export_handle_args args = { .gpu_id = m->gpu, .flags = 0x77 };
	struct buffer buffer;
	int status = -1;
	char *view;
	pid_t child;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, BYTES, VRAM);
	args.handle = buffer.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_EXPORT_HANDLE, &args), 0);
	view = view_of(m, buffer.mmap_offset);
	view[5] = 55;
	child = fork();
	if (child == 0)
		_exit(import_in_child(m, args.share_handle));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(view[6], 66);
	munmap(view, BYTES);
}

static void an_exported_buffer_stays_charged(struct machine *m)
{
	struct kfd_ioctl_get_available_memory_args before = { .gpu_id = m->gpu }, after = before;
	struct kfd_ioctl_ipc_export_handle_args args = { .gpu_id = m->gpu };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AVAILABLE_MEMORY, &before), 0);
	args.handle = machine_alloc(m, m->gpu, 512 << 20, VRAM).handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_EXPORT_HANDLE, &args), 0);
	assert_int_equal(machine_free(m, args.handle), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AVAILABLE_MEMORY, &after), 0);
	assert_int_equal(before.available - after.available, 512 << 20);
}

static void ipc_export_refuses_bad_arguments(struct machine *m)
{
	struct kfd_ioctl_ipc_export_handle_args args = { .gpu_id = m->gpu, .handle = 3 };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_EXPORT_HANDLE, &args), -EINVAL);
	args.handle = machine_alloc(m, m->gpu, PAGE, VRAM).handle;
	args.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_EXPORT_HANDLE, &args), -EINVAL);
}

static void ipc_import_refuses_bad_arguments(struct machine *m)
{
	struct kfd_ioctl_ipc_import_handle_args args = { .gpu_id = m->gpu,
							 .share_handle = { 1, 2, 3, 4 } };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_IMPORT_HANDLE, &args), -ENODEV);
	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_IMPORT_HANDLE, &args), -EINVAL);
	args.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_IMPORT_HANDLE, &args), -EINVAL);
}

static void ais_moves_bytes_between_file_and_vram(struct machine *m)
{
	char path[] = "/tmp/kfdscope-ais-XXXXXX", text[PAGE];
	int fd = mkstemp(path);
	struct kfd_ioctl_ais_args args = {
		.in = { .op = KFD_IOC_AIS_READ, .fd = fd, .size = 2 * PAGE }
	};
	struct buffer buffer;
	char *view;

	unlink(path);
	memset(text, 'x', sizeof(text));
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, BYTES, VRAM);
	args.in.handle = buffer.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), 0);
	assert_int_equal(args.out.size_copied, PAGE); /* the file ends there */
	assert_int_equal(args.out.status, 0);
	view = view_of(m, buffer.mmap_offset);
	assert_int_equal(view[PAGE - 1], 'x');
	view[0] = 'y';
	args = (struct kfd_ioctl_ais_args){ .in = { .op = KFD_IOC_AIS_WRITE,
						    .fd = fd,
						    .size = PAGE,
						    .handle = buffer.handle,
						    .file_offset = PAGE } };
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), 0);
	assert_int_equal(pread(fd, text, 1, PAGE), 1);
	assert_int_equal(text[0], 'y');
	munmap(view, BYTES);
	close(fd);
}

static void ais_refuses_bad_arguments(struct machine *m)
{
	const struct kfd_ais_in_args good = { .op = KFD_IOC_AIS_READ, .fd = 0, .size = PAGE };
	char path[] = "/tmp/kfdscope-ais-XXXXXX";
	int fd = mkstemp(path);
	struct kfd_ioctl_ais_args args = { .in = good };
	uint64_t handle;

	unlink(path);
	machine_acquire(m, m->gpu);
	handle = machine_alloc(m, m->gpu, BYTES, VRAM).handle;
	args.in.op = 3;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), -EINVAL);
	args.in = good;
	args.in.fd = -1;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), -EBADF);
	args.in = good;
	args.in.fd = fd;
	args.in.handle = 99;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), -EINVAL);
	args.in = good;
	args.in.fd = fd;
	args.in.handle = handle;
	args.in.file_offset = 100;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), -EINVAL);
	args.in = good;
	args.in.fd = fd;
	args.in.handle = machine_alloc(m, m->gpu, BYTES, KFD_IOC_ALLOC_MEM_FLAGS_GTT).handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), -EINVAL);
	close(fd);
}

static void ais_needs_vram_on_the_bus(struct machine *m)
{
	char path[] = "/tmp/kfdscope-ais-XXXXXX";
	int fd = mkstemp(path);
	struct kfd_ioctl_ais_args args = {
		.in = { .op = KFD_IOC_AIS_READ, .fd = fd, .size = PAGE }
	};

	unlink(path);
	machine_acquire(m, m->gpu);
	args.in.handle = machine_alloc(m, m->gpu, BYTES, VRAM).handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AIS_OP, &args), -ENODEV);
	close(fd);
}

static void descriptors_run_out(struct machine *m)
{
	struct kfd_ioctl_export_dmabuf_args export = { 0 };
	struct kfd_ioctl_smi_events_args smi = { .gpuid = m->gpu };
	struct rlimit old, none;
	int probe;

	machine_acquire(m, m->gpu);
	export.handle = machine_alloc(m, m->gpu, BYTES, VRAM).handle;
	probe = dup(0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = (rlim_t)probe; /* the next free number is one too high */
	close(probe);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_EXPORT_DMABUF, &export), -EMFILE);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SMI_EVENTS, &smi), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "IMPORT_DMABUF", NULL, "an import shares the memory", an_import_shares_the_memory, NULL, NULL },
	{ "EXPORT_DMABUF", NULL, "a dma-buf keeps the memory alive", a_dmabuf_keeps_the_memory_alive, NULL, NULL },
	{ "GET_DMABUF_INFO", NULL, "owner, size and kind are told", the_info_tells_owner_size_and_kind, NULL, NULL },
	{ "GET_DMABUF_INFO", "EBADF/EINVAL", "other descriptors are refused", other_descriptors_are_no_dmabufs, NULL, NULL },
	{ "IMPORT_DMABUF", "EBADF/EINVAL", "other descriptors are refused", other_descriptors_are_no_dmabufs, NULL, NULL },
	{ "GET_DMABUF_INFO", "EINVAL", "metadata needs room", metadata_needs_room_and_memory, NULL, NULL },
	{ "GET_DMABUF_INFO", "EFAULT", "metadata needs memory", metadata_needs_room_and_memory, NULL, NULL },
	{ "IMPORT_DMABUF", "EINVAL", "the GPU must be known", import_needs_gpu_and_vm, "gfx942x8", NULL },
	{ "IMPORT_DMABUF", "ENODEV", "the address space comes first", import_needs_gpu_and_vm, "gfx942x8", NULL },
	{ "EXPORT_DMABUF", "EINVAL", "the buffer must be known and sharable", export_needs_a_known_buffer, NULL, NULL },
	{ "IPC_IMPORT_HANDLE", NULL, "it works in another process", an_ipc_handle_works_in_another_process, NULL, NULL },
	{ "IPC_EXPORT_HANDLE", NULL, "an exported buffer stays charged", an_exported_buffer_stays_charged, NULL, NULL },
	{ "IPC_EXPORT_HANDLE", "EINVAL", "bad arguments are refused", ipc_export_refuses_bad_arguments, NULL, NULL },
	{ "IPC_IMPORT_HANDLE", "EINVAL", "bad arguments are refused", ipc_import_refuses_bad_arguments, NULL, NULL },
	{ "IPC_IMPORT_HANDLE", "ENODEV", "the address space comes first", ipc_import_refuses_bad_arguments, NULL, NULL },
	{ "AIS_OP", NULL, "bytes move between file and VRAM", ais_moves_bytes_between_file_and_vram, NULL, NULL },
	{ "AIS_OP", "EINVAL", "bad arguments are refused", ais_refuses_bad_arguments, NULL, NULL },
	{ "AIS_OP", "ENODEV", "VRAM must be reachable over the bus", ais_needs_vram_on_the_bus, "gfx1030", NULL },
	{ "EXPORT_DMABUF", "EMFILE", "descriptors run out", descriptors_run_out, NULL, NULL },
	{ "SMI_EVENTS", "EMFILE", "descriptors run out", descriptors_run_out, NULL, NULL },
	{ "AIS_OP", "EBADF", "the descriptor must be open", ais_refuses_bad_arguments, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "share", cases, sizeof(cases) / sizeof(cases[0]));
}
