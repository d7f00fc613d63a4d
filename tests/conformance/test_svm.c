/* SPDX-License-Identifier: MIT */
/* Shared virtual memory and the retry mode (kfd.md 6.5). */
#include "machine.h"

#include <string.h>

#define UNDEFINED 0xffffffffu

static uint64_t user_range(uint64_t pages)
{
	void *range = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	assert_ptr_not_equal(range, MAP_FAILED);
	return (uintptr_t)range;
}

static int set_one(struct machine *m, uint64_t start, uint64_t size, uint32_t type, uint32_t value)
{
	struct machine_svm call = {
		.start_addr = start, .size = size, .nattr = 1, .attrs = { { type, value } }
	};

	return machine_svm(m, &call);
}

static struct kfd_ioctl_svm_attribute get_one(struct machine *m, uint64_t start, uint64_t size,
					      uint32_t type, uint32_t value)
{
	struct machine_svm call = { .start_addr = start,
				    .size = size,
				    .nattr = 1,
				    .op = KFD_IOCTL_SVM_OP_GET_ATTR,
				    .attrs = { { type, value } } };

	assert_int_equal(machine_svm(m, &call), 0);
	return call.attrs[0];
}

static void unregistered_ranges_have_defaults(struct machine *m)
{
	uint64_t range = user_range(2);

	machine_acquire(m, m->gpu);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0).value,
			 UNDEFINED);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0).value,
			 UNDEFINED);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0).value, 3);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_GRANULARITY, 0).value, 9);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
			 KFD_IOCTL_SVM_ATTR_NO_ACCESS);
	munmap((void *)range, 2 * PAGE);
}

static void attributes_are_kept_and_merged(struct machine *m)
{
	uint64_t range = user_range(4);

	machine_acquire(m, m->gpu);
	assert_int_equal(set_one(m, range, 2 * PAGE, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, m->gpu), 0);
	assert_int_equal(set_one(m, range, 4 * PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), 0);
	assert_int_equal(set_one(m, range + PAGE, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, m->gpu),
			 0);
	assert_int_equal(set_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0x40), 0);
	assert_int_equal(set_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0x1), 0);
	assert_int_equal(set_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_GRANULARITY, 0xff), 0);

	assert_int_equal(get_one(m, range, 2 * PAGE, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0).value,
			 m->gpu);
	assert_int_equal(get_one(m, range, 4 * PAGE, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0).value,
			 UNDEFINED);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
			 KFD_IOCTL_SVM_ATTR_ACCESS);
	assert_int_equal(get_one(m, range, 4 * PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
			 KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0).value, 0x42);
	assert_int_equal(get_one(m, range, 2 * PAGE, KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0).value, 0x2);
	assert_int_equal(get_one(m, range, 2 * PAGE, KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0).value, 0xbc);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_GRANULARITY, 0).value, 0x3f);
	assert_int_equal(get_one(m, range, 2 * PAGE, KFD_IOCTL_SVM_ATTR_GRANULARITY, 0).value, 9);

	assert_int_equal(set_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_NO_ACCESS, m->gpu), 0);
	assert_int_equal(get_one(m, range, 2 * PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
			 KFD_IOCTL_SVM_ATTR_NO_ACCESS);
	munmap((void *)range, 4 * PAGE);
}

static void an_unmapped_range_is_forgotten(struct machine *m)
{
	uint64_t range = user_range(4);

	machine_acquire(m, m->gpu);
	assert_int_equal(set_one(m, range, 4 * PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), 0);
	kfd_model_cpu_unmapped(m->model, range + PAGE, PAGE);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
			 KFD_IOCTL_SVM_ATTR_ACCESS);
	assert_int_equal(get_one(m, range + PAGE, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
			 KFD_IOCTL_SVM_ATTR_NO_ACCESS);
	assert_int_equal(
		get_one(m, range + 2 * PAGE, 2 * PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
		KFD_IOCTL_SVM_ATTR_ACCESS);
	munmap((void *)range, 4 * PAGE);
}

static void bad_arguments_are_refused(struct machine *m)
{
	uint64_t range = user_range(2);
	struct machine_svm call = { .start_addr = range, .size = PAGE, .op = 7 };

	assert_int_equal(set_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), -EINVAL);
	machine_acquire(m, m->gpu);
	assert_int_equal(machine_svm(m, &call), -EINVAL);
	assert_int_equal(set_one(m, 0, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), -EINVAL);
	assert_int_equal(set_one(m, range, 0, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), -EINVAL);
	assert_int_equal(set_one(m, range + 8, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), -EINVAL);
	assert_int_equal(set_one(m, range, 100, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), -EINVAL);
	assert_int_equal(set_one(m, range, PAGE, 8, 0), -EINVAL);
	assert_int_equal(set_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, UNKNOWN_GPU), -EINVAL);
	assert_int_equal(set_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, UNKNOWN_GPU),
			 -EINVAL);
	/* the argument must be as long as its attributes */
	call.op = KFD_IOCTL_SVM_OP_SET_ATTR;
	call.nattr = 2;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SVM + (8u << 16), &call), -EINVAL);
	/* these can be set only */
	call = (struct machine_svm){
		.start_addr = range, .size = PAGE, .nattr = 1, .op = KFD_IOCTL_SVM_OP_GET_ATTR
	};
	call.attrs[0].type = KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE;
	call.attrs[0].value = m->gpu;
	assert_int_equal(machine_svm(m, &call), -EINVAL);
	munmap((void *)range, 2 * PAGE);
}

static void holes_are_efault(struct machine *m)
{
	uint64_t range = user_range(3);

	machine_acquire(m, m->gpu);
	munmap((void *)(range + PAGE), PAGE);
	assert_int_equal(set_one(m, range, 3 * PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), -EFAULT);
	munmap((void *)range, 3 * PAGE);
}

static void buffers_are_in_the_way(struct machine *m)
{
	uint64_t range = user_range(4), handle;
	struct kfd_ioctl_alloc_memory_of_gpu_args args = { .va_addr = range + PAGE,
							   .size = PAGE,
							   .gpu_id = m->gpu,
							   .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
	handle = args.handle;
	assert_int_equal(machine_map(m, handle, m->gpu), 0);
	assert_int_equal(set_one(m, range, 4 * PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu),
			 -EADDRINUSE);
	munmap((void *)range, 4 * PAGE);
}

static void without_support_it_is_eperm(struct machine *m)
{
	assert_int_equal(set_one(m, PAGE, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu), -EPERM);
}

static void xnack_is_asked_and_set(struct machine *m)
{
	struct kfd_ioctl_set_xnack_mode_args args = { .xnack_enabled = -1 };
	uint64_t range = user_range(1);

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_XNACK_MODE, &args), 0);
	assert_int_equal(args.xnack_enabled, 0);
	args.xnack_enabled = 1;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_XNACK_MODE, &args), 0);
	args.xnack_enabled = -5;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_XNACK_MODE, &args), 0);
	assert_int_equal(args.xnack_enabled, 1);
	assert_int_equal(get_one(m, range, PAGE, KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu).type,
			 KFD_IOCTL_SVM_ATTR_ACCESS);
	munmap((void *)range, PAGE);
}

static void xnack_is_fixed_while_queues_exist(struct machine *m)
{
	struct kfd_ioctl_set_xnack_mode_args args = { .xnack_enabled = 0 };

	machine_acquire(m, m->gpu);
	machine_queue(m, m->gpu, KFD_IOC_QUEUE_TYPE_SDMA);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_XNACK_MODE, &args), -EBUSY);
	args.xnack_enabled = -1;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_XNACK_MODE, &args), 0);
}

static void xnack_needs_the_hardware(struct machine *m)
{
	struct kfd_ioctl_set_xnack_mode_args args = { .xnack_enabled = 1 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_XNACK_MODE, &args), -EPERM);
	args.xnack_enabled = 0;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_XNACK_MODE, &args), 0);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "SVM", NULL, "unregistered ranges have defaults", unregistered_ranges_have_defaults, NULL, NULL },
	{ "SVM", NULL, "attributes are kept and merged", attributes_are_kept_and_merged, NULL, NULL },
	{ "SVM", NULL, "an unmapped range is forgotten", an_unmapped_range_is_forgotten, NULL, NULL },
	{ "SVM", "EINVAL", "bad arguments are refused", bad_arguments_are_refused, NULL, NULL },
	{ "SVM", "EFAULT", "holes are refused", holes_are_efault, NULL, NULL },
	{ "SVM", "EADDRINUSE", "buffers are in the way", buffers_are_in_the_way, NULL, NULL },
	{ "SVM", "EPERM", "some GPU must support it", without_support_it_is_eperm, "gfx803", NULL },
	{ "SET_XNACK_MODE", NULL, "it is asked and set", xnack_is_asked_and_set, NULL, NULL },
	{ "SET_XNACK_MODE", "EBUSY", "it is fixed while queues exist", xnack_is_fixed_while_queues_exist, NULL, NULL },
	{ "SET_XNACK_MODE", "EPERM", "the hardware must retry", xnack_needs_the_hardware, "gfx1100", NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "svm", cases, sizeof(cases) / sizeof(cases[0]));
}
