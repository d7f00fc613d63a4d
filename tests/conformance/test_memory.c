/* SPDX-License-Identifier: MIT */
/* Buffers: allocation, mapping, freeing, accounting (kfd.md 4, 6). */
#include "machine.h"

#include <string.h>

#define VRAM     KFD_IOC_ALLOC_MEM_FLAGS_VRAM
#define GTT      KFD_IOC_ALLOC_MEM_FLAGS_GTT
#define USERPTR  KFD_IOC_ALLOC_MEM_FLAGS_USERPTR
#define DOORBELL KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL
#define MMIO     KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP
#define PUBLIC   KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC
#define VA       0x200000000000ull

static int alloc(struct machine *m, uint64_t va, uint64_t size, uint32_t flags, uint64_t user,
		 uint32_t gpu)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = va, .size = size, .flags = flags, .mmap_offset = user, .gpu_id = gpu
	};

	return machine_ioctl(m, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);
}

static uint64_t available(struct machine *m)
{
	struct kfd_ioctl_get_available_memory_args args = { .gpu_id = m->gpu };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AVAILABLE_MEMORY, &args), 0);
	return args.available;
}

static void acquire_takes_the_render_file_and_repeats(struct machine *m)
{
	struct kfd_ioctl_acquire_vm_args args = { .gpu_id = m->gpu };

	args.drm_fd = (uint32_t)machine_render(m, m->node->render_minor);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), 0);
}

static void acquire_refuses_what_is_no_render_file_of_the_gpu(struct machine *m)
{
	struct kfd_ioctl_acquire_vm_args args = { .gpu_id = m->gpu, .drm_fd = 0x7fffffff };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), -EINVAL);
	args.drm_fd = 0;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), -EINVAL);
	args.drm_fd = (uint32_t)machine_render(m, m->node->render_minor + 1);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), -EINVAL);
	args.drm_fd = (uint32_t)machine_render(m, m->node->render_minor);
	args.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), -EINVAL);
}

static void acquire_is_busy_for_another_file(struct machine *m)
{
	struct kfd_ioctl_acquire_vm_args args = { .gpu_id = m->gpu };

	machine_acquire(m, m->gpu);
	args.drm_fd = (uint32_t)machine_render(m, m->node->render_minor);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), -EBUSY);
}

static void memory_maps_through_the_render_node(struct machine *m)
{
	struct buffer a, b;
	char *view, *again;

	machine_acquire(m, m->gpu);
	a = machine_alloc(m, m->gpu, 2 * PAGE, VRAM | PUBLIC);
	b = machine_alloc(m, m->gpu, 2 * PAGE, GTT);
	assert_true(a.mmap_offset != b.mmap_offset);
	view = kfd_model_render_mmap(m->model, NULL, a.size, PROT_READ | PROT_WRITE, MAP_SHARED,
				     (off_t)a.mmap_offset);
	again = mmap(NULL, a.size, PROT_READ, MAP_SHARED, m->renders[0].fd, (off_t)a.mmap_offset);
	assert_ptr_not_equal(view, MAP_FAILED);
	assert_ptr_not_equal(again, MAP_FAILED);
	assert_int_equal(view[5000], 0);
	view[5000] = 42;
	assert_int_equal(again[5000], 42);
	munmap(view, a.size);
	munmap(again, a.size);
}

static void handles_are_the_lowest_free_and_name_the_gpu(struct machine *m)
{
	struct buffer a, b, c;

	machine_acquire(m, m->gpu);
	a = machine_alloc(m, m->gpu, PAGE, VRAM);
	b = machine_alloc(m, m->gpu, PAGE, VRAM);
	assert_true(a.handle == (uint64_t)m->gpu << 32);
	assert_true(b.handle == a.handle + 1);
	assert_int_equal(machine_free(m, a.handle), 0);
	c = machine_alloc(m, m->gpu, PAGE, GTT);
	assert_true(c.handle == a.handle);
	assert_true(machine_alloc(m, m->gpu, PAGE, GTT).handle == b.handle + 1);
}

static void user_pointers_are_echoed(struct machine *m)
{
	struct buffer buffer;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc_mapped(m, m->gpu, 3 * PAGE, USERPTR);
	assert_true(buffer.mmap_offset != 0);
	memset((void *)(uintptr_t)buffer.mmap_offset, 1, buffer.size); /* it is the user's memory */
}

static void alloc_refuses_bad_arguments(struct machine *m)
{
	machine_acquire(m, m->gpu);
	assert_int_equal(alloc(m, VA, 0, VRAM, 0, m->gpu), -EINVAL);
	assert_int_equal(alloc(m, VA, PAGE, 0, 0, m->gpu), -EINVAL);
	assert_int_equal(alloc(m, VA, PAGE, VRAM | GTT, 0, m->gpu), -EINVAL);
	assert_int_equal(alloc(m, VA, PAGE, VRAM, 0, UNKNOWN_GPU), -EINVAL);
	assert_int_equal(alloc(m, VA, PAGE, DOORBELL, 0, m->gpu), -EINVAL);
	assert_int_equal(alloc(m, VA, 2 * PAGE, MMIO, 0, m->gpu), -EINVAL);
	assert_int_equal(alloc(m, VA, PAGE, USERPTR, 0, m->gpu), -EINVAL);
	assert_int_equal(alloc(m, VA, 2 * PAGE, DOORBELL, 0, m->gpu), 0);
	assert_int_equal(alloc(m, VA, PAGE, MMIO, 0, m->gpu), 0);
}

static void public_vram_needs_a_visible_bar(struct machine *m)
{
	machine_acquire(m, m->gpu);
	assert_int_equal(alloc(m, VA, PAGE, VRAM | PUBLIC, 0, m->gpu), -EINVAL);
	assert_int_equal(alloc(m, VA, PAGE, VRAM, 0, m->gpu), 0);
}

static void alloc_needs_the_vm(struct machine *m)
{
	assert_int_equal(alloc(m, VA, PAGE, VRAM, 0, m->gpu), -ENODEV);
}

static void alloc_stops_at_the_limit_and_charges_nothing(struct machine *m)
{
	uint64_t before;

	machine_acquire(m, m->gpu);
	before = available(m);
	assert_int_equal(alloc(m, VA, 65ull << 20, VRAM, 0, m->gpu), -ENOMEM);
	assert_int_equal(available(m), before);
	assert_int_equal(alloc(m, VA, 32ull << 20, VRAM, 0, m->gpu), 0);
	assert_int_equal(before - available(m), 32ull << 20);
	assert_int_equal(alloc(m, VA, 1ull << 60, GTT, 0, m->gpu), -ENOMEM);
}

static void user_pages_must_be_writable(struct machine *m)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t addr = (uintptr_t)pages;

	machine_acquire(m, m->gpu);
	assert_int_equal(alloc(m, VA, 2 * PAGE, USERPTR, addr, m->gpu), -EFAULT);
	mprotect(pages, PAGE, PROT_READ | PROT_WRITE);
	assert_int_equal(alloc(m, VA, 2 * PAGE, USERPTR, addr, m->gpu), -EFAULT);
	assert_int_equal(alloc(m, VA, PAGE, USERPTR, addr, m->gpu), 0);
	mprotect(pages + PAGE, PAGE, PROT_NONE);
	assert_int_equal(alloc(m, VA + PAGE, PAGE, USERPTR, addr + PAGE, m->gpu), -EFAULT);
	munmap(pages, 2 * PAGE);
}

static void user_pages_must_exist(struct machine *m)
{
	machine_acquire(m, m->gpu);
	assert_int_equal(alloc(m, VA, PAGE, USERPTR, machine_va(PAGE), m->gpu), -EFAULT);
}

static void alloc_does_not_overlap_svm(struct machine *m)
{
	void *range =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct machine_svm svm = { .start_addr = (uintptr_t)range,
				   .size = 4 * PAGE,
				   .nattr = 1,
				   .attrs = { { KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu } } };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_svm(m, &svm), 0);
	assert_int_equal(alloc(m, (uintptr_t)range + PAGE, PAGE, VRAM, 0, m->gpu), -EADDRINUSE);
	assert_int_equal(alloc(m, VA, PAGE, USERPTR, (uintptr_t)range, m->gpu), -EADDRINUSE);
	munmap(range, 4 * PAGE);
}

static void free_needs_a_handle(struct machine *m)
{
	machine_acquire(m, m->gpu);
	assert_int_equal(machine_free(m, (uint64_t)m->gpu << 32 | 99), -EINVAL);
	assert_int_equal(machine_free(m, 0), -EINVAL);
}

static void free_of_mapped_memory_is_busy(struct machine *m)
{
	struct buffer buffer;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc_mapped(m, m->gpu, PAGE, VRAM);
	assert_int_equal(machine_free(m, buffer.handle), -EBUSY);
	assert_int_equal(machine_unmap(m, buffer.handle, m->gpu), 0);
	assert_int_equal(machine_free(m, buffer.handle), 0);
	assert_int_equal(machine_free(m, buffer.handle), -EINVAL);
}

static void the_event_page_cannot_be_freed(struct machine *m)
{
	struct kfd_ioctl_create_event_args event = { 0 };
	struct buffer buffer;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, 32768, GTT);
	event.event_page_offset = buffer.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &event), 0);
	assert_int_equal(machine_free(m, buffer.handle), -EPERM);
}

static void maps_keep_their_pages_after_free(struct machine *m)
{
	struct buffer buffer;
	char *view;

	machine_acquire(m, m->gpu);
	buffer = machine_alloc(m, m->gpu, PAGE, VRAM | PUBLIC);
	view = kfd_model_render_mmap(m->model, NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
				     (off_t)buffer.mmap_offset);
	view[0] = 1;
	assert_int_equal(machine_free(m, buffer.handle), 0);
	view[0] = 2; /* must not fault */
	munmap(view, PAGE);
}

static void map_of_a_mapped_device_is_a_no_op(struct machine *m)
{
	uint32_t devices[2] = { m->gpu, m->second_gpu };
	struct kfd_ioctl_map_memory_to_gpu_args args = { .device_ids_array_ptr = (uintptr_t)devices,
							 .n_devices = 2 };
	struct kfd_ioctl_unmap_memory_from_gpu_args unmap = { .device_ids_array_ptr =
								      (uintptr_t)devices,
							      .n_devices = 2 };

	machine_acquire(m, m->gpu);
	machine_acquire(m, m->second_gpu);
	args.handle = unmap.handle = machine_alloc_mapped(m, m->gpu, PAGE, VRAM).handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args), 0);
	assert_int_equal(args.n_success, 2);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &unmap), 0);
	assert_int_equal(unmap.n_success, 2);
	assert_int_equal(machine_free(m, args.handle), 0);
}

static void map_resumes_from_n_success(struct machine *m)
{
	uint32_t devices[2] = { UNKNOWN_GPU, m->gpu };
	struct kfd_ioctl_map_memory_to_gpu_args args = { .device_ids_array_ptr = (uintptr_t)devices,
							 .n_devices = 2,
							 .n_success = 1 };

	machine_acquire(m, m->gpu);
	args.handle = machine_alloc(m, m->gpu, PAGE, VRAM).handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args), 0);
	assert_int_equal(args.n_success, 2);
}

/* The errors that map and unmap share. */
static void refuse(struct machine *m, unsigned long request)
{
	uint32_t devices[2] = { UNKNOWN_GPU, UNKNOWN_GPU };
	struct kfd_ioctl_map_memory_to_gpu_args args = { .device_ids_array_ptr = (uintptr_t)devices,
							 .n_devices = 0 };

	machine_acquire(m, m->gpu);
	args.handle = machine_alloc(m, m->gpu, PAGE, VRAM).handle;
	assert_int_equal(machine_ioctl(m, request, &args), -EINVAL);
	args.n_devices = 1;
	args.n_success = 2;
	assert_int_equal(machine_ioctl(m, request, &args), -EINVAL);
	args.n_success = 0;
	assert_int_equal(machine_ioctl(m, request, &args), -EINVAL);
	args.device_ids_array_ptr = BAD_ADDRESS;
	assert_int_equal(machine_ioctl(m, request, &args), -EFAULT);
	args.device_ids_array_ptr = (uintptr_t)devices;
	args.handle += 50;
	assert_int_equal(machine_ioctl(m, request, &args), -ENOMEM);
	args.handle = (uint64_t)UNKNOWN_GPU << 32;
	assert_int_equal(machine_ioctl(m, request, &args), -EINVAL);
}

static void map_refuses_bad_arguments(struct machine *m)
{
	refuse(m, AMDKFD_IOC_MAP_MEMORY_TO_GPU);
}

static void unmap_refuses_bad_arguments(struct machine *m)
{
	refuse(m, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU);
}

static void map_needs_the_vm_of_each_device(struct machine *m)
{
	machine_acquire(m, m->gpu);
	assert_int_equal(machine_map(m, machine_alloc(m, m->gpu, PAGE, VRAM).handle, m->second_gpu),
			 -ENODEV);
}

static void available_memory_is_rounded_and_loses_to_others(struct machine *m)
{
	uint64_t first, second, third;

	machine_acquire(m, m->gpu);
	first = available(m);
	assert_int_equal(first % (2 << 20), 0);
	assert_int_equal(alloc(m, VA, 256 << 20, VRAM, 0, m->gpu), 0);
	second = available(m);
	assert_int_equal(first - second, 256 << 20);
	third = available(m); /* somebody else took as much after the second question */
	assert_int_equal(second - third, 256 << 20);
}

static void available_memory_needs_a_known_gpu(struct machine *m)
{
	struct kfd_ioctl_get_available_memory_args args = { .gpu_id = UNKNOWN_GPU };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_AVAILABLE_MEMORY, &args), -EINVAL);
}

static void device_maps_follow_the_offset_rules(struct machine *m)
{
	const int rw = PROT_READ | PROT_WRITE;
	off_t mmio, doorbell = (off_t)(3ull << 62 | (uint64_t)m->gpu << 46);
	void *view;

	machine_acquire(m, m->gpu);
	mmio = (off_t)machine_alloc(m, m->gpu, PAGE, MMIO).mmap_offset;
	assert_true((uint64_t)mmio == (uint64_t)m->gpu << 46);
	view = kfd_model_mmap(m->model, m->file, NULL, PAGE, rw, MAP_SHARED, mmio);
	assert_ptr_not_equal(view, MAP_FAILED);
	munmap(view, PAGE);
	assert_ptr_equal(kfd_model_mmap(m->model, m->file, NULL, 2 * PAGE, rw, MAP_SHARED, mmio),
			 MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	view = kfd_model_mmap(m->model, m->file, NULL, 2 * PAGE, rw, MAP_SHARED, doorbell);
	assert_ptr_not_equal(view, MAP_FAILED);
	munmap(view, 2 * PAGE);
	assert_ptr_equal(kfd_model_mmap(m->model, m->file, NULL, PAGE, rw, MAP_SHARED, doorbell),
			 MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(kfd_model_mmap(m->model, m->file, NULL, PAGE, rw, MAP_SHARED,
					(off_t)((uint64_t)UNKNOWN_GPU << 46 & ~(3ull << 62))),
			 MAP_FAILED);
	assert_int_equal(errno, ENODEV);
	assert_ptr_equal(
		kfd_model_mmap(m->model, m->file, NULL, PAGE, rw, MAP_SHARED, (off_t)(2ull << 62)),
		MAP_FAILED);
	assert_int_equal(errno, EINVAL);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "ACQUIRE_VM", NULL, "a render file is taken, also again",
	  acquire_takes_the_render_file_and_repeats, NULL, NULL },
	{ "ACQUIRE_VM", "EINVAL", "what is no render file of the GPU is refused",
	  acquire_refuses_what_is_no_render_file_of_the_gpu, NULL, NULL },
	{ "ACQUIRE_VM", "EBUSY", "another file is too late", acquire_is_busy_for_another_file, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", NULL, "memory maps through the render node",
	  memory_maps_through_the_render_node, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", NULL, "handles are the lowest free and name the GPU",
	  handles_are_the_lowest_free_and_name_the_gpu, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", NULL, "user pointers are echoed", user_pointers_are_echoed, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", "EINVAL", "bad arguments are refused", alloc_refuses_bad_arguments, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", "EINVAL", "public VRAM needs a visible BAR",
	  public_vram_needs_a_visible_bar, "gfx1030", NULL },
	{ "ALLOC_MEMORY_OF_GPU", "ENODEV", "the address space comes first", alloc_needs_the_vm, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", "ENOMEM", "the limit holds and nothing is charged",
	  alloc_stops_at_the_limit_and_charges_nothing, NULL,
	  "{\"nodes\": [{\"node\": 1, \"vram_bytes\": 67108864}]}" },
	{ "ALLOC_MEMORY_OF_GPU", "EFAULT", "user pages must exist", user_pages_must_exist, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", "EFAULT", "user pages must be writable", user_pages_must_be_writable, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", "EADDRINUSE", "a registered range is in the way",
	  alloc_does_not_overlap_svm, NULL, NULL },
	{ "FREE_MEMORY_OF_GPU", "EINVAL", "the handle must be known", free_needs_a_handle, NULL, NULL },
	{ "FREE_MEMORY_OF_GPU", "EBUSY", "mapped memory stays", free_of_mapped_memory_is_busy, NULL, NULL },
	{ "FREE_MEMORY_OF_GPU", "EPERM", "the event page stays", the_event_page_cannot_be_freed, NULL, NULL },
	{ "FREE_MEMORY_OF_GPU", NULL, "CPU maps outlive the buffer", maps_keep_their_pages_after_free, NULL, NULL },
	{ "MAP_MEMORY_TO_GPU", NULL, "a mapped device is skipped",
	  map_of_a_mapped_device_is_a_no_op, "gfx942x8", NULL },
	{ "UNMAP_MEMORY_FROM_GPU", NULL, "several devices at once",
	  map_of_a_mapped_device_is_a_no_op, "gfx942x8", NULL },
	{ "MAP_MEMORY_TO_GPU", NULL, "n_success is where it starts", map_resumes_from_n_success, NULL, NULL },
	{ "MAP_MEMORY_TO_GPU", "EINVAL", "bad arguments are refused", map_refuses_bad_arguments, NULL, NULL },
	{ "MAP_MEMORY_TO_GPU", "EFAULT", "the array must be readable", map_refuses_bad_arguments, NULL, NULL },
	{ "MAP_MEMORY_TO_GPU", "ENOMEM", "an unknown number is ENOMEM", map_refuses_bad_arguments, NULL, NULL },
	{ "UNMAP_MEMORY_FROM_GPU", "EINVAL", "bad arguments are refused", unmap_refuses_bad_arguments, NULL, NULL },
	{ "UNMAP_MEMORY_FROM_GPU", "EFAULT", "the array must be readable", unmap_refuses_bad_arguments, NULL, NULL },
	{ "UNMAP_MEMORY_FROM_GPU", "ENOMEM", "an unknown number is ENOMEM", unmap_refuses_bad_arguments, NULL, NULL },
	{ "MAP_MEMORY_TO_GPU", "ENODEV", "each device needs its address space",
	  map_needs_the_vm_of_each_device, "gfx942x8", NULL },
	{ "AVAILABLE_MEMORY", NULL, "it is rounded, and others take from it",
	  available_memory_is_rounded_and_loses_to_others, NULL,
	  "{\"actions\": [{\"do\": \"outside\", \"node\": 1, \"bytes\": 268435456,"
	  " \"on\": \"AVAILABLE_MEMORY\", \"calls\": 2}]}" },
	{ "AVAILABLE_MEMORY", "EINVAL", "the GPU must be known", available_memory_needs_a_known_gpu, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", NULL, "maps of the device follow the offset rules",
	  device_maps_follow_the_offset_rules, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "memory", cases, sizeof(cases) / sizeof(cases[0]));
}
