/* SPDX-License-Identifier: MIT */
/* The calls about the device as a whole, and the dispatch rules (kfd.md 1, 2, 4, 9). */
#include "machine.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>

static void version_is_one_and_the_scenario_minor(struct machine *m)
{
	struct kfd_ioctl_get_version_args args = { 0 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &args), 0);
	assert_int_equal(args.major_version, 1);
	assert_int_equal(args.minor_version, 14);
}

static void only_the_number_selects_the_handler(struct machine *m)
{
	uint32_t words[4] = { 7, 7, 7, 7 };

	/* another direction and a larger size: the tail stays, because only 8 bytes exist */
	assert_int_equal(machine_ioctl(m, _IOC(_IOC_WRITE, 'K', 0x01, 16), words), 0);
	assert_int_equal(words[0], 1);
	words[0] = words[1] = 7;
	/* a smaller size: no more than that is written */
	assert_int_equal(machine_ioctl(m, _IOC(_IOC_READ, 'K', 0x01, 4), words), 0);
	assert_int_equal(words[0], 1);
	assert_int_equal(words[1], 7);
}

static void numbers_outside_the_ranges_are_no_calls(struct machine *m)
{
	uint64_t arg[16] = { 0 };

	assert_int_equal(machine_ioctl(m, _IOC(_IOC_READ, 'K', 0x00, 8), arg), -ENOTTY);
	assert_int_equal(machine_ioctl(m, _IOC(_IOC_READ, 'K', 0x7f, 8), arg), -ENOTTY);
	assert_int_equal(machine_ioctl(m, _IOC(_IOC_READ, 'K', 0x88, 8), arg), -ENOTTY);
	/* 0x26 came with 1.13, 0x27 with 1.19 */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_TRAP, arg), -ENOTTY);
}

static void upstream_has_no_dkms_numbers(struct machine *m)
{
	struct kfd_ioctl_ipc_export_handle_args args = { 0 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_IPC_EXPORT_HANDLE, &args), -ENOTTY);
}

static void a_bad_argument_pointer_is_efault(struct machine *m)
{
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, (void *)BAD_ADDRESS),
			 -EFAULT);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, NULL), -EFAULT);
}

static void outputs_are_written_back_when_the_call_fails(struct machine *m)
{
	uint32_t devices[2] = { m->gpu, UNKNOWN_GPU };
	struct kfd_ioctl_map_memory_to_gpu_args args = { .device_ids_array_ptr = (uintptr_t)devices,
							 .n_devices = 2 };

	machine_acquire(m, m->gpu);
	args.handle = machine_alloc(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_GTT).handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args), -EINVAL);
	assert_int_equal(args.n_success, 1);
}

static void a_forked_child_gets_ebadf_and_opens_its_own(struct machine *m)
{
	struct kfd_ioctl_get_version_args args = { 0 };
	struct kfd_model_file *own = NULL;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int bad = machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &args) != -EBADF;

		kfd_model_after_fork(m->model);
		bad |= kfd_model_open(m->model, &own) != 0;
		bad |= own && kfd_model_ioctl(own, AMDKFD_IOC_GET_VERSION, &args) != 0;
		_exit(bad);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void opens_share_one_process(struct machine *m)
{
	struct kfd_ioctl_set_event_args args = { .event_id = machine_event(m, 0, false) };
	struct kfd_model_file *other = NULL;

	assert_int_equal(kfd_model_open(m->model, &other), 0);
	assert_int_equal(kfd_model_ioctl(other, AMDKFD_IOC_SET_EVENT, &args), 0);
	kfd_model_close(other);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_EVENT, &args), 0);
}

static void legacy_apertures_list_up_to_seven(struct machine *m)
{
	struct kfd_ioctl_get_process_apertures_args args = { 0 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_PROCESS_APERTURES, &args), 0);
	assert_int_equal(args.num_of_nodes, 7);
	assert_int_equal(args.process_apertures[0].gpu_id, m->gpu);
}

static void new_apertures_count_then_fill(struct machine *m)
{
	struct kfd_process_device_apertures entries[2] = { 0 };
	struct kfd_ioctl_get_process_apertures_new_args args = { 0 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args), 0);
	assert_int_equal(args.num_of_nodes, 1);
	args.num_of_nodes = 2;
	args.kfd_process_device_apertures_ptr = (uintptr_t)entries;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args), 0);
	assert_int_equal(args.num_of_nodes, 1);
	assert_int_equal(entries[0].gpu_id, m->gpu);
	assert_true(entries[0].lds_base == 1ull << 48);
	assert_true(entries[0].lds_limit == (1ull << 48 | 0xffffffff));
	assert_true(entries[0].scratch_base == 2ull << 48);
	assert_true(entries[0].gpuvm_limit == 0x7fffffffffff);
}

static void new_apertures_refuse_more_room_than_nodes(struct machine *m)
{
	struct kfd_process_device_apertures entries[3];
	struct kfd_ioctl_get_process_apertures_new_args args = { .num_of_nodes = 3,
								 .kfd_process_device_apertures_ptr =
									 (uintptr_t)entries };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args), -EINVAL);
}

static void new_apertures_need_a_good_array(struct machine *m)
{
	struct kfd_ioctl_get_process_apertures_new_args args = { .num_of_nodes = 1,
								 .kfd_process_device_apertures_ptr =
									 BAD_ADDRESS };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args), -EFAULT);
}

static void clocks_run_at_their_rates(struct machine *m)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = m->gpu }, b = a;
	const struct timespec pause = { .tv_nsec = 20000000 };
	double ticks, ns;

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a), 0);
	nanosleep(&pause, NULL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &b), 0);
	assert_int_equal(a.system_clock_freq, 1000000000);
	ticks = (double)(b.gpu_clock_counter - a.gpu_clock_counter);
	ns = (double)(b.cpu_clock_counter - a.cpu_clock_counter);
	assert_true(ticks / ns > 0.0249 && ticks / ns < 0.0251); /* 25 MHz, +100 ppm */
	assert_true(b.system_clock_counter > a.system_clock_counter);
}

static void an_unknown_gpu_has_clock_zero(struct machine *m)
{
	struct kfd_ioctl_get_clock_counters_args args = { .gpu_id = UNKNOWN_GPU,
							  .gpu_clock_counter = 5 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), 0);
	assert_int_equal(args.gpu_clock_counter, 0);
	assert_true(args.cpu_clock_counter != 0);
}

static void memory_policy_is_taken(struct machine *m)
{
	struct kfd_ioctl_set_memory_policy_args args = { .gpu_id = m->gpu, .default_policy = 1 };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_MEMORY_POLICY, &args), 0);
}

static void memory_policy_must_be_known(struct machine *m)
{
	struct kfd_ioctl_set_memory_policy_args args = { .gpu_id = m->gpu, .default_policy = 2 };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_MEMORY_POLICY, &args), -EINVAL);
	args.default_policy = 0;
	args.alternate_policy = 2;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_MEMORY_POLICY, &args), -EINVAL);
	args.alternate_policy = 0;
	args.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_MEMORY_POLICY, &args), -EINVAL);
}

static void memory_policy_needs_the_vm(struct machine *m)
{
	struct kfd_ioctl_set_memory_policy_args args = { .gpu_id = m->gpu };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_MEMORY_POLICY, &args), -ESRCH);
}

static void scratch_base_is_remembered(struct machine *m)
{
	struct kfd_ioctl_set_scratch_backing_va_args args = { .gpu_id = m->gpu, .va_addr = 0x1000 };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &args), 0);
}

static void scratch_needs_a_known_gpu(struct machine *m)
{
	struct kfd_ioctl_set_scratch_backing_va_args args = { .gpu_id = UNKNOWN_GPU };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &args), -EINVAL);
}

static void scratch_needs_the_vm(struct machine *m)
{
	struct kfd_ioctl_set_scratch_backing_va_args args = { .gpu_id = m->gpu };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_SCRATCH_BACKING_VA, &args), -ESRCH);
}

static void trap_handler_is_taken_and_cleared(struct machine *m)
{
	struct kfd_ioctl_set_trap_handler_args args = { .gpu_id = m->gpu, .tba_addr = 0x1000 };

	machine_acquire(m, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_TRAP_HANDLER, &args), 0);
	args.tba_addr = 0;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_TRAP_HANDLER, &args), 0);
}

static void trap_handler_needs_a_known_gpu(struct machine *m)
{
	struct kfd_ioctl_set_trap_handler_args args = { .gpu_id = UNKNOWN_GPU };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_TRAP_HANDLER, &args), -EINVAL);
}

static void trap_handler_needs_the_vm(struct machine *m)
{
	struct kfd_ioctl_set_trap_handler_args args = { .gpu_id = m->gpu };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_TRAP_HANDLER, &args), -ESRCH);
}

static void tile_config_clamps_to_what_exists(struct machine *m)
{
	uint32_t tiles[40] = { 0 }, macros[40] = { 0 };
	struct kfd_ioctl_get_tile_config_args args = {
		.tile_config_ptr = (uintptr_t)tiles,
		.macro_tile_config_ptr = (uintptr_t)macros,
		.num_tile_configs = 40,
		.num_macro_tile_configs = 40,
		.gpu_id = m->gpu,
	};

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_TILE_CONFIG, &args), 0);
	assert_int_equal(args.num_tile_configs, 0);
	assert_int_equal(args.num_macro_tile_configs, 0);
	assert_true(args.gb_addr_config != 0);
}

static void tile_config_needs_good_arrays(struct machine *m)
{
	uint32_t tiles[40] = { 0 };
	struct kfd_ioctl_get_tile_config_args args = {
		.tile_config_ptr = (uintptr_t)tiles,
		.macro_tile_config_ptr = BAD_ADDRESS,
		.num_tile_configs = 40,
		.gpu_id = m->gpu,
	};

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_TILE_CONFIG, &args), 0);
	assert_int_equal(args.num_tile_configs, 32);
	args.num_macro_tile_configs = 40;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_TILE_CONFIG, &args), -EFAULT);
}

static void tile_config_needs_a_known_gpu(struct machine *m)
{
	struct kfd_ioctl_get_tile_config_args args = { .gpu_id = UNKNOWN_GPU };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_TILE_CONFIG, &args), -EINVAL);
}

static void smi_needs_a_known_gpu(struct machine *m)
{
	struct kfd_ioctl_smi_events_args args = { .gpuid = UNKNOWN_GPU };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SMI_EVENTS, &args), -EINVAL);
}

static void smi_sends_what_is_enabled_and_then_eagain(struct machine *m)
{
	struct kfd_ioctl_smi_events_args args = { .gpuid = m->gpu };
	struct kfd_ioctl_get_version_args version;
	uint64_t mask = KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_THERMAL_THROTTLE);
	char text[256] = "";
	int fd;

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SMI_EVENTS, &args), 0);
	fd = (int)args.anon_fd;
	assert_int_equal(read(fd, text, sizeof(text)), -1);
	assert_int_equal(errno, EAGAIN);
	/* nothing is enabled yet: the first line is lost */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &version), 0);
	assert_int_equal(read(fd, text, sizeof(text)), -1);
	assert_int_equal(write(fd, &mask, sizeof(mask)), sizeof(mask));
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &version), 0);
	/* event 1 is not enabled, event 2 is */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &version), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_memory_equal(text, "2 5\n", 4);
	assert_int_equal(read(fd, text, sizeof(text)), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
}

static void a_file_becomes_a_secondary_process_once(struct machine *m)
{
	struct kfd_model_file *second = NULL;

	machine_event(m, KFD_IOC_EVENT_SIGNAL, false);
	assert_int_equal(kfd_model_open(m->model, &second), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_CREATE_PROCESS, NULL), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_CREATE_PROCESS, NULL), -EINVAL);
	{
		/* its own number space: event 1 does not exist there */
		struct kfd_ioctl_set_event_args set = { .event_id = 1 };
		struct kfd_ioctl_svm_args svm = { .start_addr = PAGE, .size = PAGE };

		assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_SET_EVENT, &set), -EINVAL);
		assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_SVM, &svm), -EOPNOTSUPP);
	}
	kfd_model_close(second);
}

static void secondary_processes_have_no_user_pointers(struct machine *m)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t va = machine_va(PAGE);
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = va,
		.size = PAGE,
		.gpu_id = m->gpu,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
		.mmap_offset = (uintptr_t)page
	};
	struct kfd_ioctl_acquire_vm_args acquire = { .gpu_id = m->gpu };
	struct kfd_model_file *second = NULL;

	acquire.drm_fd = (uint32_t)machine_render(m, m->node->render_minor);
	assert_int_equal(kfd_model_open(m->model, &second), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_CREATE_PROCESS, NULL), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_ACQUIRE_VM, &acquire), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args),
			 -EOPNOTSUPP);
	args.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
	kfd_model_close(second);
	munmap(page, PAGE);
}

static void contexts_have_doorbells_of_their_own(struct machine *m)
{
	const off_t slice = (off_t)(3ull << 62 | (uint64_t)m->gpu << 46);
	struct kfd_model_file *second = NULL;
	uint64_t *ours, *theirs, *again;

	assert_int_equal(kfd_model_open(m->model, &second), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_CREATE_PROCESS, NULL), 0);
	ours = kfd_model_mmap(m->model, m->file, NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
			      slice);
	again = kfd_model_mmap(m->model, m->file, NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
			       slice);
	theirs = kfd_model_mmap(m->model, second, NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
				slice);
	ours[3] = 5;
	assert_int_equal(again[3], 5);
	assert_int_equal(theirs[3], 0);
	munmap(ours, 8192);
	munmap(again, 8192);
	munmap(theirs, 8192);
	kfd_model_close(second);
}

static void a_process_has_a_limit_of_secondary_contexts(struct machine *m)
{
	struct kfd_model_file *files[80] = { NULL };
	int rc = 0, count = 0;

	while (count < 80 && !rc) {
		assert_int_equal(kfd_model_open(m->model, &files[count]), 0);
		rc = kfd_model_ioctl(files[count++], AMDKFD_IOC_CREATE_PROCESS, NULL);
	}
	assert_int_equal(rc, -ENOSPC);
	while (count--)
		kfd_model_close(files[count]);
}

static void the_first_debugger_is_gone(struct machine *m)
{
	uint64_t arg[4] = { 0 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_REGISTER, arg), -EPERM);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_UNREGISTER, arg), -EPERM);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_ADDRESS_WATCH, arg), -EPERM);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DBG_WAVE_CONTROL, arg), -EPERM);
}

static void cross_memory_copy_always_fails(struct machine *m)
{
	struct kfd_ioctl_cross_memory_copy_args args = { .pid = (uint32_t)getpid() };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CROSS_MEMORY_COPY, &args), -EINVAL);
}

static void the_scenario_refuses_the_third_call_on_its_node(struct machine *m)
{
	struct kfd_ioctl_get_clock_counters_args args = { .gpu_id = m->gpu };
	struct kfd_ioctl_get_clock_counters_args other = { .gpu_id = UNKNOWN_GPU };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &other), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), -EIO);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &args), 0);
}

static void the_scenario_delays_a_call(struct machine *m)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = m->gpu }, b = a;
	struct kfd_ioctl_get_version_args version;

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &version), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &b), 0);
	assert_true(b.cpu_clock_counter - a.cpu_clock_counter >= 30000000);
}

static void boottime_can_jump(struct machine *m)
{
	struct kfd_ioctl_get_clock_counters_args a = { .gpu_id = m->gpu }, b = a;

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &a), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &b), 0);
	assert_true(b.system_clock_counter - a.system_clock_counter >= 3600000000000ull);
	assert_true(b.cpu_clock_counter - a.cpu_clock_counter < 3600000000000ull);
}

static void the_device_can_refuse_to_open(struct machine *m)
{
	struct kfd_model_file *file = NULL;

	assert_int_equal(kfd_model_open_errno(m->model, "/dev/dri/renderD128"), EPERM);
	assert_int_equal(kfd_model_open(m->model, &file), 0);
	kfd_model_close(file);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "GET_VERSION", NULL, "the version is 1 and the scenario's minor",
	  version_is_one_and_the_scenario_minor, NULL, "{\"kfd_minor\": 14}" },
	{ "GET_VERSION", NULL, "only the number selects the handler",
	  only_the_number_selects_the_handler, NULL, NULL },
	{ "GET_VERSION", "ENOTTY", "numbers outside the ranges are no calls",
	  numbers_outside_the_ranges_are_no_calls, NULL, "{\"kfd_minor\": 12}" },
	{ "IPC_EXPORT_HANDLE", "ENOTTY", "upstream has no DKMS numbers",
	  upstream_has_no_dkms_numbers, NULL, "{\"driver\": \"upstream\"}" },
	{ "GET_VERSION", "EFAULT", "a bad argument pointer is EFAULT",
	  a_bad_argument_pointer_is_efault, NULL, NULL },
	{ "MAP_MEMORY_TO_GPU", "EINVAL", "outputs are written back when the call fails",
	  outputs_are_written_back_when_the_call_fails, NULL, NULL },
	{ "GET_VERSION", "EBADF", "a forked child gets EBADF and opens its own",
	  a_forked_child_gets_ebadf_and_opens_its_own, NULL, NULL },
	{ "GET_VERSION", NULL, "opens share one process", opens_share_one_process, NULL, NULL },
	{ "GET_PROCESS_APERTURES", NULL, "up to seven are listed",
	  legacy_apertures_list_up_to_seven, "gfx942x8", NULL },
	{ "GET_PROCESS_APERTURES_NEW", NULL, "count, then fill",
	  new_apertures_count_then_fill, NULL, NULL },
	{ "GET_PROCESS_APERTURES_NEW", "EINVAL", "more room than nodes is refused",
	  new_apertures_refuse_more_room_than_nodes, NULL, NULL },
	{ "GET_PROCESS_APERTURES_NEW", "EFAULT", "the array must be writable",
	  new_apertures_need_a_good_array, NULL, NULL },
	{ "GET_CLOCK_COUNTERS", NULL, "the clocks run at their rates", clocks_run_at_their_rates,
	  NULL, "{\"nodes\": [{\"node\": 1, \"clock_hz\": 25000000, \"clock_drift_ppb\": 100000}]}" },
	{ "GET_CLOCK_COUNTERS", NULL, "an unknown GPU has clock 0",
	  an_unknown_gpu_has_clock_zero, NULL, NULL },
	{ "SET_MEMORY_POLICY", NULL, "a policy is taken", memory_policy_is_taken, NULL, NULL },
	{ "SET_MEMORY_POLICY", "EINVAL", "policies and GPU must be known",
	  memory_policy_must_be_known, NULL, NULL },
	{ "SET_MEMORY_POLICY", "ESRCH", "the address space comes first",
	  memory_policy_needs_the_vm, NULL, NULL },
	{ "SET_SCRATCH_BACKING_VA", NULL, "a base is taken", scratch_base_is_remembered, NULL, NULL },
	{ "SET_SCRATCH_BACKING_VA", "EINVAL", "the GPU must be known",
	  scratch_needs_a_known_gpu, NULL, NULL },
	{ "SET_SCRATCH_BACKING_VA", "ESRCH", "the address space comes first",
	  scratch_needs_the_vm, NULL, NULL },
	{ "SET_TRAP_HANDLER", NULL, "a handler is taken and cleared",
	  trap_handler_is_taken_and_cleared, NULL, NULL },
	{ "SET_TRAP_HANDLER", "EINVAL", "the GPU must be known",
	  trap_handler_needs_a_known_gpu, NULL, NULL },
	{ "SET_TRAP_HANDLER", "ESRCH", "the address space comes first",
	  trap_handler_needs_the_vm, NULL, NULL },
	{ "GET_TILE_CONFIG", NULL, "counts are clamped to what exists",
	  tile_config_clamps_to_what_exists, NULL, NULL },
	{ "GET_TILE_CONFIG", "EFAULT", "the arrays must be writable", tile_config_needs_good_arrays, "gfx803", NULL },
	{ "GET_TILE_CONFIG", "EINVAL", "the GPU must be known",
	  tile_config_needs_a_known_gpu, NULL, NULL },
	{ "SMI_EVENTS", "EINVAL", "the GPU must be known", smi_needs_a_known_gpu, NULL, NULL },
	{ "SMI_EVENTS", NULL, "enabled events arrive, then EAGAIN",
	  smi_sends_what_is_enabled_and_then_eagain, NULL,
	  "{\"actions\": ["
	  "{\"do\": \"smi\", \"node\": 1, \"text\": \"2 1\", \"on\": \"GET_VERSION\"},"
	  "{\"do\": \"smi\", \"node\": 1, \"text\": \"1 7:x\", \"on\": \"GET_VERSION\", \"calls\": 2},"
	  "{\"do\": \"smi\", \"node\": 1, \"text\": \"2 5\", \"on\": \"GET_VERSION\", \"calls\": 3}]}" },
	{ "CREATE_PROCESS", "EINVAL", "a file becomes a secondary process once",
	  a_file_becomes_a_secondary_process_once, NULL, NULL },
	{ "CREATE_PROCESS", NULL, "contexts have doorbells of their own", contexts_have_doorbells_of_their_own, NULL, NULL },
	{ "CREATE_PROCESS", "ENOSPC", "a process has a limit of secondary contexts",
	  a_process_has_a_limit_of_secondary_contexts, NULL, NULL },
	{ "ALLOC_MEMORY_OF_GPU", NULL, "a secondary process has no user pointers",
	  secondary_processes_have_no_user_pointers, NULL, NULL },
	{ "SVM", "EOPNOTSUPP", "a secondary process has none",
	  a_file_becomes_a_secondary_process_once, NULL, NULL },
	{ "DBG_REGISTER", "EPERM", "the first debugger is gone", the_first_debugger_is_gone, NULL, NULL },
	{ "DBG_UNREGISTER", "EPERM", "the first debugger is gone", the_first_debugger_is_gone, NULL, NULL },
	{ "DBG_ADDRESS_WATCH", "EPERM", "the first debugger is gone", the_first_debugger_is_gone, NULL, NULL },
	{ "DBG_WAVE_CONTROL", "EPERM", "the first debugger is gone", the_first_debugger_is_gone, NULL, NULL },
	{ "CROSS_MEMORY_COPY", "EINVAL", "it always fails", cross_memory_copy_always_fails, NULL, NULL },
	{ "GET_CLOCK_COUNTERS", "EIO", "a scenario refuses the third call on its node",
	  the_scenario_refuses_the_third_call_on_its_node, NULL,
	  "{\"ioctls\": [{\"ioctl\": \"GET_CLOCK_COUNTERS\", \"node\": 1, \"after\": 2, \"times\": 1,"
	  " \"errno\": \"EIO\"}]}" },
	{ "GET_VERSION", NULL, "a scenario delays a call", the_scenario_delays_a_call, NULL,
	  "{\"ioctls\": [{\"ioctl\": \"GET_VERSION\", \"delay_us\": 30000}]}" },
	{ "GET_CLOCK_COUNTERS", NULL, "a scenario lets the boot time jump", boottime_can_jump, NULL,
	  "{\"actions\": [{\"do\": \"boottime_jump\", \"ns\": 3600000000000,"
	  " \"on\": \"GET_CLOCK_COUNTERS\"}]}" },
	{ "GET_VERSION", NULL, "a scenario refuses to open a render node",
	  the_device_can_refuse_to_open, NULL,
	  "{\"open\": [{\"path\": \"renderD128\", \"errno\": \"EPERM\"}]}" },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "device", cases, sizeof(cases) / sizeof(cases[0]));
}
