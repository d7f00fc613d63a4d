/* SPDX-License-Identifier: MIT */
/* Apertures: made, kept, given back, inherited by a child; and the modes they come in. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "fake_kfd.h"
#include "memory/fmm.h"
#include "memory/memory.h"
#include "openclose/openclose.h"
#include "topology/acquire.h"

#define PAGE 4096ull
#define CPU  0u
#define GPU  1u
#define T    FAKE_TOPOLOGY_ROOT "/"

static HsaMemFlags vram(void)
{
	HsaMemFlags flags = { 0 };

	flags.ui32.NonPaged = 1;
	flags.ui32.HostAccess = 1;
	return flags;
}

static void *taken; /* by take_low_addresses() */
static size_t taken_bytes;

static int teardown(void **state)
{
	fake_kfd_close(*state);
	if (taken_bytes)
		munmap(taken, taken_bytes);
	taken_bytes = 0;
	return 0;
}

static int setup(void **state)
{
	*state = fake_kfd_prepare("b.tree");
	return 0;
}

/* Opens, and makes the apertures with a fresh log. */
static HSAKMT_STATUS acquire(struct fake_kfd *kfd)
{
	HsaSystemProperties system;
	HSAKMT_STATUS status = kmt_open_kfd(kfd->ctx);

	if (status != HSAKMT_STATUS_SUCCESS && status != HSAKMT_STATUS_KERNEL_ALREADY_OPENED)
		return status;
	fake_device_log_reset(kfd->device);
	return kmt_acquire_system_properties(kfd->ctx, &system);
}

static void the_kernel_is_asked_in_the_documented_order(void **state)
{
	struct fake_kfd *kfd = *state;
	const struct fake_call *call;
	struct kfd_ioctl_set_memory_policy_args policy;

	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "14 15 15 04 04 16 18 16 18");
	call = fake_device_last(kfd->device, AMDKFD_IOC_SET_MEMORY_POLICY);
	memcpy(&policy, call->arg, sizeof(policy));
	assert_int_equal(policy.gpu_id, 2987);
	assert_int_equal(policy.default_policy, KFD_IOC_CACHE_POLICY_NONCOHERENT);
	assert_int_equal(policy.alternate_policy, KFD_IOC_CACHE_POLICY_COHERENT);
	assert_int_equal(policy.alternate_aperture_base, 0x200000);
	assert_int_equal(policy.alternate_aperture_base + policy.alternate_aperture_size,
			 1ull << 47);
	assert_int_equal(policy.misc_process_flag, 0);
	fake_device_log_reset(kfd->device);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "");
}

static void without_caches_everything_is_coherent(void **state)
{
	struct fake_kfd *kfd = *state;
	struct kfd_ioctl_set_memory_policy_args policy;

	setenv("HSA_DISABLE_CACHE", "1", 1);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	memcpy(&policy, fake_device_last(kfd->device, AMDKFD_IOC_SET_MEMORY_POLICY)->arg,
	       sizeof(policy));
	assert_int_equal(policy.default_policy, KFD_IOC_CACHE_POLICY_COHERENT);
}

static void an_old_kernel_is_asked_the_old_way(void **state)
{
	struct fake_kfd *kfd = *state;

	kfd->no_new_apertures = true;
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_calls(kfd->device, AMDKFD_IOC_GET_PROCESS_APERTURES), 1);
	assert_true(kmt_fmm_has_apertures(kfd->ctx));
}

static void each_range_is_reported_for_gpu_nodes_only(void **state)
{
	struct fake_kfd *kfd = *state;
	uint64_t base = 0, limit = 0;

	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_LDS, &base, &limit));
	assert_int_equal(base, 1ull << 48);
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_SCRATCH, &base, &limit));
	assert_int_equal(limit, (2ull << 48) + 0xffffffff);
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_SVM, &base, &limit));
	assert_int_equal(limit, (1ull << 47) - 1);
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_MMIO, &base, &limit));
	assert_int_equal(limit - base + 1, PAGE);
	*(volatile uint32_t *)(uintptr_t)base = 1; /* a flush, that is */
	assert_false(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_GPUVM, &base, &limit));
	assert_false(kmt_fmm_aperture(kfd->ctx, CPU, KMT_APERTURE_LDS, &base, &limit));
	assert_false(kmt_fmm_aperture(kfd->ctx, 9, KMT_APERTURE_LDS, &base, &limit));
	assert_true(kmt_fmm_render_fd(kfd->ctx, GPU) >= 0);
	assert_int_equal(kmt_fmm_render_fd(kfd->ctx, CPU), -1);
}

static void a_gpu_without_mmio_page_reports_none(void **state)
{
	struct fake_kfd *kfd = *state;
	uint64_t base = 0, limit = 0;

	fake_device_fail_next(kfd->device, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, ENOMEM);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_false(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_MMIO, &base, &limit));
	assert_true(kmt_fmm_aperture(kfd->ctx, 2, KMT_APERTURE_MMIO, &base, &limit));
}

static void every_hard_failure_leaves_nothing(void **state)
{
	static const unsigned long hard[] = { AMDKFD_IOC_ACQUIRE_VM, AMDKFD_IOC_SET_MEMORY_POLICY };
	struct fake_kfd *kfd = *state;

	for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); i++) {
		fake_device_fail_next(kfd->device, hard[i], EINVAL);
		assert_int_equal(acquire(kfd), HSAKMT_STATUS_ERROR);
		assert_false(kmt_fmm_has_apertures(kfd->ctx));
		assert_int_equal(fake_device_live_maps(kfd->device), 0);
	}
	kfd->no_new_apertures = true;
	fake_device_fail_next(kfd->device, AMDKFD_IOC_GET_PROCESS_APERTURES, EINVAL);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_ERROR);
	fake_device_set_render_errno(kfd->device, 128, EACCES);
	kfd->no_new_apertures = false;
	fake_device_set_render_errno(kfd->device, 128, 0);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
}

static void release_gives_the_mmio_pages_back_and_keeps_user_memory(void **state)
{
	struct fake_kfd *kfd = *state;
	unsigned int maps;
	void *p = NULL, *q = NULL;
	HsaPointerInfo info;
	uint32_t node = GPU;

	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p), HSAKMT_STATUS_SUCCESS);
	maps = fake_device_live_maps(kfd->device);
	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_release_system_properties(kfd->ctx), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "19 17 19 17");
	assert_int_equal(fake_device_live_maps(kfd->device), maps - 2);
	/* Nothing crashes in between. */
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &q),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_map_memory_to_gpu_nodes(kfd->ctx, p, PAGE, NULL, vram(), 1, &node),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, &q, PAGE), HSAKMT_STATUS_SUCCESS); /* SVM */
	assert_int_equal(kmt_get_default_host_gpu(kfd->ctx, &node, NULL), HSAKMT_STATUS_ERROR);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "14 15 15 04 04 16 18 16 18");
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void close_forgets_user_memory_without_a_word_to_the_kernel(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = NULL;
	HsaPointerInfo info;

	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p), HSAKMT_STATUS_SUCCESS);
	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_close_kfd(kfd->ctx), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "19 17 19 17"); /* MMIO */
	*(volatile char *)p = 1; /* the program's pages are as they were */
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info),
			 HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p, &info), HSAKMT_STATUS_ERROR);
}

/* In the child; the status is the number of the check that failed. */
static int use_memory_again(struct fake_kfd *kfd, void *inherited)
{
	HsaPointerInfo info;
	void *p = NULL;

	if (kmt_free_memory(kfd->ctx, inherited, PAGE) !=
	    HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED)
		return 1;
	if (acquire(kfd) != HSAKMT_STATUS_SUCCESS)
		return 2;
	if (kmt_query_pointer_info(kfd->ctx, inherited, &info) != HSAKMT_STATUS_ERROR)
		return 3;
	if (kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p) != HSAKMT_STATUS_SUCCESS || !p)
		return 4;
	return kmt_free_memory(kfd->ctx, p, PAGE) == HSAKMT_STATUS_SUCCESS ? 0 : 5;
}

static void run_in_child(struct fake_kfd *kfd, void *inherited)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(use_memory_again(kfd, inherited));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_child_starts_with_no_objects(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = NULL;

	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p), HSAKMT_STATUS_SUCCESS);
	run_in_child(kfd, p);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
}

/* --- reserved mode --- */

static void acquire_reserved(struct fake_kfd *kfd)
{
	if (FAKE_KFD_SANITIZED)
		skip();
	setenv("HSA_RESERVE_SVM", "1", 1);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
}

static void a_reserved_range_has_a_coherent_quarter(void **state)
{
	struct fake_kfd *kfd = *state;
	uint64_t base = 0, limit = 0;
	HsaMemFlags flags = vram();
	void *coarse = NULL, *fine = NULL;
	HsaPointerInfo info;

	acquire_reserved(kfd);
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_SVM, &base, &limit));
	assert_true(limit < 1ull << 40);
	assert_true(limit - base + 1 >= 4ull << 30);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &coarse),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, CPU, PAGE, flags, &fine),
			 HSAKMT_STATUS_SUCCESS);
	assert_true((uintptr_t)fine - base < (limit - base + 1) / 4);
	assert_true((uintptr_t)coarse - base >= (limit - base + 1) / 4);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, fine, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, coarse, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, fine, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, coarse, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void a_reserved_range_is_reused_and_stays_reserved(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	void *p = NULL, *again = NULL, *q;
	unsigned char resident = 0;

	acquire_reserved(kfd);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
	/* Somebody's mmap must not get into the hole: there is none. */
	assert_int_equal(mincore(p, PAGE, &resident), 0);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &again),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(again, p);
	flags.ui32.FixedAddress = 1;
	p = (char *)again + (1 << 20);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &p), HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(p, (char *)again + (1 << 20));
	q = p;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &p), HSAKMT_STATUS_NO_MEMORY);
	assert_int_equal(kmt_free_memory(kfd->ctx, q, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, again, PAGE), HSAKMT_STATUS_SUCCESS);
}

static void memory_left_at_close_keeps_its_reserved_addresses(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = vram();
	void *left = NULL, *p = NULL;

	acquire_reserved(kfd);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &left),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_close_kfd(kfd->ctx), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	*(volatile char *)left = 1;
	/* The same range goes on, and what is in it is not given to anybody else. */
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &p), HSAKMT_STATUS_SUCCESS);
	assert_true((uintptr_t)p - (uintptr_t)left <= 1 << 20);
	assert_ptr_not_equal(p, left);
	flags.ui32.FixedAddress = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, &left),
			 HSAKMT_STATUS_NO_MEMORY);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
}

static void reserved_addresses_are_split_and_joined_without_loss(void **state)
{
	enum { COUNT = 64 };
	struct fake_kfd *kfd = *state;
	void *p[COUNT], *big = NULL;

	acquire_reserved(kfd);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COUNT; i++)
			assert_int_equal(
				kmt_alloc_memory(kfd->ctx, GPU, PAGE << (i % 7), vram(), &p[i]),
				HSAKMT_STATUS_SUCCESS);
		for (int i = 0; i < COUNT; i++) /* every second one, then the rest */
			assert_int_equal(kmt_free_memory(kfd->ctx, p[i % 32 * 2 + i / 32], PAGE),
					 HSAKMT_STATUS_SUCCESS);
	}
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &big),
			 HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(big, p[0]);
	assert_int_equal(kmt_free_memory(kfd->ctx, big, PAGE), HSAKMT_STATUS_SUCCESS);
}

static void a_child_finds_the_reserved_range_empty(void **state)
{
	struct fake_kfd *kfd = *state;
	void *p = NULL;

	acquire_reserved(kfd);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p), HSAKMT_STATUS_SUCCESS);
	run_in_child(kfd, p);
}

static void a_gpu_with_few_address_bits_gets_a_reserved_range(void **state)
{
	struct fake_kfd *kfd = *state;
	uint64_t base = 0, limit = 0;

	if (FAKE_KFD_SANITIZED)
		skip();
	kfd->gpuvm_limit = (1ull << 40) - 1;
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_SVM, &base, &limit));
	assert_true(limit <= kfd->gpuvm_limit);
}

/* Takes all low addresses up to an end; what a sanitizer's shadow does. */
static void take_low_addresses(uint64_t end)
{
	const uint64_t start = 2ull << 20;

	if (FAKE_KFD_SANITIZED)
		skip();
	setenv("HSA_RESERVE_SVM", "1", 1);
	taken = mmap((void *)(uintptr_t)start, end - start, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	assert_int_equal((uintptr_t)taken, start);
	taken_bytes = end - start;
}

static void a_reserved_range_is_found_wherever_low_addresses_are_free(void **state)
{
	const uint64_t end = 600ull << 30;
	struct fake_kfd *kfd = *state;
	uint64_t base = 0, limit = 0;

	take_low_addresses(end);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_SVM, &base, &limit));
	assert_true(base >= end);
	assert_true(limit < 1ull << 40);
}

static void without_free_low_addresses_the_kernel_is_not_asked_over_and_over(void **state)
{
	const uint64_t end = 1ull << 40;
	struct fake_kfd *kfd = *state;

	take_low_addresses(end);
	assert_int_equal(acquire(kfd), HSAKMT_STATUS_ERROR);
	assert_true(fake_device_op_calls(kfd->device, FAKE_MMAP) <= 16);
}

/* --- processes without a discrete GPU --- */

/* One node with CPU cores and a GPU of an old generation, with an aperture of its own. */
static int setup_apu(void **state)
{
	struct fake_kfd *kfd = fake_kfd_prepare("a.tree");
	static const char *const keys[][2] = {
		{ "cpu_cores_count", "4" },
		{ "device_id", "4868" }, /* 7.0.0 */
		{ "capability", "0" },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_true(fake_device_set_key(kfd->device, T "nodes/1/properties", keys[i][0],
						keys[i][1]));
	kfd->gpuvm_base = 0x1000000000000000;
	kfd->gpuvm_limit = 0x10000fffffffffff;
	*state = kfd;
	return acquire(kfd) != HSAKMT_STATUS_SUCCESS;
}

static void an_old_apu_has_an_aperture_and_no_svm_range(void **state)
{
	struct fake_kfd *kfd = *state;
	uint64_t base = 0, limit = 0;

	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "14 15");
	assert_true(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_GPUVM, &base, &limit));
	assert_int_equal(base, kfd->gpuvm_base);
	assert_false(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_SVM, &base, &limit));
	assert_false(kmt_fmm_aperture(kfd->ctx, GPU, KMT_APERTURE_MMIO, &base, &limit));
}

static void device_memory_of_an_old_apu_is_addressed_from_its_aperture(void **state)
{
	struct fake_kfd *kfd = *state;
	HSAuint64 alternate = 0;
	void *p = NULL;

	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, vram(), &p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_op_calls(kfd->device, FAKE_MMAP), 0);
	assert_true((uintptr_t)p > kfd->gpuvm_base); /* never offset 0 */
	assert_non_null(fake_kfd_bo(kfd, (void *)((uintptr_t)p - kfd->gpuvm_base)));
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, &alternate),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(alternate, (uintptr_t)p - kfd->gpuvm_base);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_kfd_live(kfd), 0);
}

static void system_memory_beside_an_apu_is_plain(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = { 0 };
	HsaPointerInfo info;
	char *p = NULL;
	int local = 0;
	uint32_t node = GPU;

	flags.ui32.HostAccess = 1;
	fake_device_log_reset(kfd->device);
	assert_int_equal(kmt_alloc_memory(kfd->ctx, CPU, 2 * PAGE, flags, (void **)&p),
			 HSAKMT_STATUS_SUCCESS);
	p[PAGE] = 1;
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_map_memory_to_gpu_nodes(kfd->ctx, p, PAGE, NULL, flags, 1, &node),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, &local, 4, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, &local), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory(kfd->ctx, &local, 4), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_register_memory_to_nodes(kfd->ctx, &local, 4, 1, &node),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_register_memory_with_flags(kfd->ctx, &local, 4, flags),
			 HSAKMT_STATUS_NOT_SUPPORTED);
	assert_int_equal(kmt_deregister_memory(kfd->ctx, &local), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_deregister_memory(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	assert_string_equal(fake_device_ioctl_sequence(kfd->device), "");
	assert_int_equal(kmt_query_pointer_info(kfd->ctx, p + PAGE, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.SizeInBytes, 2 * PAGE);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_live_maps(kfd->device), 0);
	assert_int_equal(kmt_alloc_memory_align(kfd->ctx, CPU, PAGE, PAGE, flags, (void **)&p),
			 HSAKMT_STATUS_ERROR);
}

static void an_address_beside_an_apu_may_be_anything(void **state)
{
	struct fake_kfd *kfd = *state;
	enum { PAGES = 200 };
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	uint64_t hole = 150 * PAGE;

	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGES * PAGE, NULL),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(mprotect(p, PAGE, PROT_NONE), 0); /* there, but not to be read */
	assert_int_equal(munmap(p + hole, PAGE), 0);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, hole, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, hole + 1, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p + hole, 1, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, (void *)~0xfffull, 1, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	munmap(p, PAGES * PAGE);
}

static void scratch_of_an_apu_is_plain_memory(void **state)
{
	struct fake_kfd *kfd = *state;
	HsaMemFlags flags = { 0 };
	char *p = NULL;

	flags.ui32.Scratch = 1;
	assert_int_equal(kmt_alloc_memory(kfd->ctx, GPU, PAGE, flags, (void **)&p),
			 HSAKMT_STATUS_SUCCESS);
	p[0] = 1;
	assert_int_equal((uintptr_t)p % (64 << 10), 0);
	assert_int_equal(kmt_map_memory_to_gpu(kfd->ctx, p, PAGE, NULL), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_unmap_memory_to_gpu(kfd->ctx, p), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_free_memory(kfd->ctx, p, PAGE), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(fake_device_live_maps(kfd->device), 0);
}

static void memory_policies_can_be_set_on_the_first_generation_only(void **state)
{
	struct fake_kfd *kfd = *state;
	struct kfd_ioctl_set_memory_policy_args policy;

	assert_int_equal(kmt_set_memory_policy(kfd->ctx, 9, 0, 1, NULL, 0),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_set_memory_policy(kfd->ctx, CPU, 0, 1, NULL, 0),
			 HSAKMT_STATUS_NOT_IMPLEMENTED);
	assert_int_equal(kmt_set_memory_policy(kfd->ctx, GPU, 2, 1, NULL, 0),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_memory_policy(kfd->ctx, GPU, 0, 1, NULL, 5),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_set_memory_policy(kfd->ctx, GPU, HSA_CACHING_CACHED,
					       HSA_CACHING_NONCACHED, (void *)PAGE, PAGE),
			 HSAKMT_STATUS_SUCCESS);
	memcpy(&policy, fake_device_last(kfd->device, AMDKFD_IOC_SET_MEMORY_POLICY)->arg,
	       sizeof(policy));
	assert_int_equal(policy.default_policy, KFD_IOC_CACHE_POLICY_COHERENT);
	assert_int_equal(policy.alternate_policy, KFD_IOC_CACHE_POLICY_NONCOHERENT);
}

static void node_queries_tell_what_the_kernel_says(void **state)
{
	struct fake_kfd *kfd = *state;
	uint32_t tiles[4] = { 7, 7, 7, 7 }, macro[1] = { 7 }, node = 0, gpu_id = 0;
	HsaGpuTileConfig config = { .TileConfig = tiles,
				    .MacroTileConfig = macro,
				    .NumTileConfigs = 4,
				    .NumMacroTileConfigs = 1 };
	uint64_t bytes = 0;

	assert_int_equal(acquire(kfd), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(kmt_get_tile_config(kfd->ctx, 9, &config),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_get_tile_config(kfd->ctx, GPU, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_get_tile_config(kfd->ctx, GPU, &config), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(config.NumTileConfigs, 2);
	assert_int_equal(config.NumMacroTileConfigs, 0);
	assert_int_equal(tiles[1], 101);
	assert_int_equal(tiles[3], 0);
	assert_int_equal(macro[0], 0);
	assert_int_equal(config.GbAddrConfig, 0x1234);
	fake_device_fail_next(kfd->device, AMDKFD_IOC_GET_TILE_CONFIG, EINVAL);
	assert_int_equal(kmt_get_tile_config(kfd->ctx, GPU, &config), HSAKMT_STATUS_ERROR);
	assert_int_equal(kmt_available_memory(kfd->ctx, GPU, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_available_memory(kfd->ctx, 9, &bytes),
			 HSAKMT_STATUS_INVALID_NODE_UNIT);
	assert_int_equal(kmt_available_memory(kfd->ctx, GPU, &bytes), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(bytes, 1ull << 33);
	assert_int_equal(kmt_get_default_host_gpu(kfd->ctx, NULL, NULL),
			 HSAKMT_STATUS_INVALID_PARAMETER);
	assert_int_equal(kmt_get_default_host_gpu(kfd->ctx, &node, &gpu_id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(node, GPU);
	assert_int_equal(gpu_id, 51110);
}

#define CASE(f)     cmocka_unit_test_setup_teardown(f, setup, teardown)
#define CASE_APU(f) cmocka_unit_test_setup_teardown(f, setup_apu, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_kernel_is_asked_in_the_documented_order),
		CASE(without_caches_everything_is_coherent),
		CASE(an_old_kernel_is_asked_the_old_way),
		CASE(each_range_is_reported_for_gpu_nodes_only),
		CASE(a_gpu_without_mmio_page_reports_none),
		CASE(every_hard_failure_leaves_nothing),
		CASE(release_gives_the_mmio_pages_back_and_keeps_user_memory),
		CASE(close_forgets_user_memory_without_a_word_to_the_kernel),
		CASE(a_child_starts_with_no_objects),
		CASE(a_reserved_range_has_a_coherent_quarter),
		CASE(a_reserved_range_is_reused_and_stays_reserved),
		CASE(memory_left_at_close_keeps_its_reserved_addresses),
		CASE(reserved_addresses_are_split_and_joined_without_loss),
		CASE(a_reserved_range_is_found_wherever_low_addresses_are_free),
		CASE(without_free_low_addresses_the_kernel_is_not_asked_over_and_over),
		CASE(a_child_finds_the_reserved_range_empty),
		CASE(a_gpu_with_few_address_bits_gets_a_reserved_range),
		CASE_APU(an_old_apu_has_an_aperture_and_no_svm_range),
		CASE_APU(device_memory_of_an_old_apu_is_addressed_from_its_aperture),
		CASE_APU(system_memory_beside_an_apu_is_plain),
		CASE_APU(an_address_beside_an_apu_may_be_anything),
		CASE_APU(scratch_of_an_apu_is_plain_memory),
		CASE_APU(memory_policies_can_be_set_on_the_first_generation_only),
		CASE(node_queries_tell_what_the_kernel_says),
	};

	return cmocka_run_group_tests_name("thunk/memory/init", tests, NULL, NULL);
}
