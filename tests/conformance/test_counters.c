/* SPDX-License-Identifier: MIT */
/* Streaming counters, PC sampling, the counter lock (kfd.md 12) and CRIU (kfd.md 11). */
#include "target.h"

#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

static int spm(struct machine *m, uint32_t op, uint32_t gpu)
{
	struct kfd_ioctl_spm_args args = { .op = op, .gpu_id = gpu };

	return machine_ioctl(m, AMDKFD_IOC_RLC_SPM, &args);
}

static void spm_has_one_owner(struct machine *m)
{
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_RELEASE, m->gpu), -EINVAL);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_SET_DEST_BUF, m->gpu), -EINVAL);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, UNKNOWN_GPU), -EINVAL);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), 0);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), -EINVAL);
	assert_int_equal(spm(m, 9, m->gpu), -EINVAL);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_RELEASE, m->gpu), 0);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), 0);
}

static void spm_waits_and_tells_what_it_copied(struct machine *m)
{
	char buffer[4096];
	struct kfd_ioctl_spm_args args = { .op = KFD_IOCTL_SPM_OP_SET_DEST_BUF,
					   .gpu_id = m->gpu,
					   .dest_buf = (uintptr_t)buffer,
					   .buf_size = sizeof(buffer),
					   .timeout = 20,
					   .bytes_copied = 77 };
	struct timespec a, b;

	memset(buffer, 0xaa, sizeof(buffer));
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), 0);
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_RLC_SPM, &args), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec >= 19000000);
	assert_int_equal(args.bytes_copied, 0);
	assert_int_equal(args.has_data_loss, 0);
	assert_int_equal(args.timeout, 0);
	assert_int_equal(((struct kfd_ioctl_spm_buffer_header *)buffer)->bytes_copied, 0);
	args.timeout = 0;
	args.dest_buf = BAD_ADDRESS;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_RLC_SPM, &args), -EFAULT);
	args.dest_buf = 0; /* stops */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_RLC_SPM, &args), 0);
}

static void sampling_capabilities_are_counted_then_listed(struct machine *m)
{
	struct kfd_pc_sample_info infos[4] = { 0 };
	struct kfd_ioctl_pc_sample_args args = { .gpu_id = m->gpu,
						 .op = KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), 0);
	assert_int_equal(args.num_sample_info, 2);
	args.num_sample_info = 1;
	args.sample_info_ptr = (uintptr_t)infos;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -ENOSPC);
	assert_int_equal(args.num_sample_info, 2);
	args.num_sample_info = 4;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), 0);
	assert_int_equal(infos[0].method, KFD_IOCTL_PCS_METHOD_HOSTTRAP);
	assert_int_equal(infos[1].method, KFD_IOCTL_PCS_METHOD_STOCHASTIC);
	assert_int_equal(infos[1].flags, KFD_IOCTL_PCS_FLAG_POWER_OF_2);
	args.num_sample_info = 4;
	args.sample_info_ptr = BAD_ADDRESS;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EFAULT);
}

static void sampling_needs_the_hardware(struct machine *m)
{
	struct kfd_ioctl_pc_sample_args args = { .gpu_id = m->gpu };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EOPNOTSUPP);
	args.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EINVAL);
}

static void a_sampling_session_has_its_states(struct machine *m)
{
	struct kfd_pc_sample_info info = { .interval = 100,
					   .method = KFD_IOCTL_PCS_METHOD_HOSTTRAP };
	struct kfd_ioctl_pc_sample_args args = { .gpu_id = m->gpu,
						 .num_sample_info = 1,
						 .sample_info_ptr = (uintptr_t)&info,
						 .op = KFD_IOCTL_PCS_OP_CREATE };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), 0);
	assert_int_equal(args.trace_id, 1);
	/* another configuration is told what runs */
	info.interval = 200;
	args.num_sample_info = 1;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EEXIST);
	assert_int_equal(info.interval, 100);
	args.op = KFD_IOCTL_PCS_OP_STOP;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EALREADY);
	args.op = KFD_IOCTL_PCS_OP_START;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EALREADY);
	args.op = KFD_IOCTL_PCS_OP_DESTROY;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EBUSY);
	args.op = KFD_IOCTL_PCS_OP_STOP;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), 0);
	args.op = KFD_IOCTL_PCS_OP_DESTROY;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EINVAL);
	args.op = 9;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EINVAL);
}

static void sampling_intervals_are_checked(struct machine *m)
{
	struct kfd_pc_sample_info info = { .interval = 300,
					   .method = KFD_IOCTL_PCS_METHOD_STOCHASTIC,
					   .type = KFD_IOCTL_PCS_TYPE_CLOCK_CYCLES };
	struct kfd_ioctl_pc_sample_args args = { .gpu_id = m->gpu,
						 .num_sample_info = 1,
						 .sample_info_ptr = (uintptr_t)&info,
						 .op = KFD_IOCTL_PCS_OP_CREATE };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EINVAL);
	info.interval = 128;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EINVAL);
	info.interval = 1024;
	args.num_sample_info = 2;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EINVAL);
	args.num_sample_info = 1;
	info.type = KFD_IOCTL_PCS_TYPE_INSTRUCTIONS;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), -EOPNOTSUPP);
	info.type = KFD_IOCTL_PCS_TYPE_CLOCK_CYCLES;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args), 0);
}

static void drop_capabilities(uint64_t keep_not)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	assert_int_equal(syscall(SYS_capget, &head, caps), 0);
	caps[0].effective &= ~(uint32_t)keep_not;
	caps[1].effective &= ~(uint32_t)(keep_not >> 32);
	assert_int_equal(syscall(SYS_capset, &head, caps), 0);
}

static void raise_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	assert_int_equal(syscall(SYS_capget, &head, caps), 0);
	caps[0].effective = caps[0].permitted;
	caps[1].effective = caps[1].permitted;
	assert_int_equal(syscall(SYS_capset, &head, caps), 0);
}

#define PERFMON (1ull << 38 | 1ull << CAP_SYS_ADMIN)
#define RESTORE (1ull << 40 | 1ull << CAP_SYS_ADMIN)

static bool privileged(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	return syscall(SYS_capget, &head, caps) == 0 && caps[0].effective >> CAP_SYS_ADMIN & 1;
}

static int sample(struct machine *m, uint32_t op, uint64_t interval, uint32_t *id,
		  struct kfd_pc_sample_info *told)
{
	struct kfd_pc_sample_info infos[4] = { { .interval = interval,
						 .method = KFD_IOCTL_PCS_METHOD_HOSTTRAP } };
	struct kfd_ioctl_pc_sample_args args = { .gpu_id = m->gpu,
						 .num_sample_info = interval ? 1 : 4,
						 .sample_info_ptr = (uintptr_t)infos,
						 .op = op,
						 .trace_id = *id };
	int rc = machine_ioctl(m, AMDKFD_IOC_PC_SAMPLE, &args);

	*id = op == KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES ? args.num_sample_info : args.trace_id;
	*told = infos[0];
	return rc;
}

static void life_with_counters(struct machine *m, struct target *self)
{
	struct kfd_ioctl_profiler_args_upstream pmc = { .op = KFD_IOC_PROFILER_PMC };
	struct kfd_pc_sample_info info;
	uint32_t id = 0;

	open_here(m);
	pmc.pmc.gpu_id = m->gpu;
	pmc.pmc.lock = 1;
	if (spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu) ||
	    sample(m, KFD_IOCTL_PCS_OP_CREATE, 100, &id, &info) ||
	    (privileged() && machine_ioctl(m, AMDKFD_IOC_PROFILER, &pmc)))
		_exit(1);
	finished(self);
	next_step(self);
}

static void counters_of_a_living_process_are_its_own(struct machine *m)
{
	struct kfd_ioctl_profiler_args_upstream pmc = { .op = KFD_IOC_PROFILER_PMC };
	struct target t = target_start(m, life_with_counters);

	pmc.pmc.gpu_id = m->gpu;
	assert_true(comes(t.done));
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), -EINVAL);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_RELEASE, m->gpu), -EINVAL);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->second_gpu), 0);
	for (pmc.pmc.lock = 0; privileged() && pmc.pmc.lock < 2; pmc.pmc.lock++)
		assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &pmc), -EBUSY);
	kill(t.pid, SIGKILL);
	target_end(&t, SIGKILL);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), 0);
	for (pmc.pmc.lock = 1; privileged() && pmc.pmc.lock < 2; pmc.pmc.lock++)
		assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &pmc), 0);
}

static void all_processes_sample_in_one_way(struct machine *m)
{
	struct target t = target_start(m, life_with_counters);
	struct kfd_pc_sample_info info;
	uint32_t id = 0;

	assert_true(comes(t.done));
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES, 0, &id, &info), 0);
	assert_int_equal(id, 1);
	assert_int_equal(info.interval, 100);
	id = 0;
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_CREATE, 200, &id, &info), -EEXIST);
	assert_int_equal(info.interval, 100);
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_CREATE, 100, &id, &info), 0);
	target_end(&t, 3 << 8);
	/* the way stays as long as somebody samples, and is then anybody's to choose */
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_CREATE, 200, &(uint32_t){ 0 }, &info), -EEXIST);
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_DESTROY, 0, &id, &info), 0);
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_CREATE, 200, &id, &info), 0);
}

static void life_of_a_child(struct machine *m, struct target *self)
{
	open_here(m);
	finished(self);
	next_step(self);
}

static void a_child_keeps_none_of_its_parents_counters(struct machine *m)
{
	struct kfd_pc_sample_info info;
	uint32_t id = 0;
	struct target t;

	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), 0);
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_CREATE, 100, &id, &info), 0);
	t = target_start(m, life_of_a_child);
	assert_true(comes(t.done));
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_RELEASE, m->gpu), 0);
	assert_int_equal(spm(m, KFD_IOCTL_SPM_OP_ACQUIRE, m->gpu), 0);
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_DESTROY, 0, &id, &info), 0);
	assert_int_equal(sample(m, KFD_IOCTL_PCS_OP_CREATE, 200, &id, &info), 0);
	target_end(&t, 3 << 8);
}

static void the_profiler_has_a_version(struct machine *m)
{
	struct kfd_ioctl_profiler_args_upstream args = { .op = KFD_IOC_PROFILER_VERSION };
	struct kfd_ioctl_profiler_args dkms = { .op = KFD_IOC_PROFILER_VERSION };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), 0);
	assert_int_equal(args.version, 1);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER_DKMS, &dkms), 0);
	assert_int_equal(dkms.version, 1);
	args.op = 77;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), -EINVAL);
	dkms.op = 77;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER_DKMS, &dkms), -EINVAL);
}

static void counters_need_the_capability(struct machine *m)
{
	struct kfd_ioctl_profiler_args_upstream args = { .op = KFD_IOC_PROFILER_PMC };
	struct kfd_ioctl_profiler_args dkms = { .op = KFD_IOC_PROFILER_PMC };

	drop_capabilities(PERFMON);
	args.pmc.gpu_id = dkms.pmc.gpu_id = m->gpu;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), -EPERM);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER_DKMS, &dkms), -EPERM);
	raise_capabilities();
}

static void counters_are_locked_once(struct machine *m)
{
	struct kfd_ioctl_profiler_args_upstream args = { .op = KFD_IOC_PROFILER_PMC };
	struct kfd_ioctl_profiler_args dkms = { .op = KFD_IOC_PROFILER_PMC };
	struct kfd_model_file *second = NULL;

	if (!privileged())
		skip();
	args.pmc.gpu_id = dkms.pmc.gpu_id = m->gpu;
	args.pmc.lock = dkms.pmc.lock = 1;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), -EALREADY);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER_DKMS, &dkms), -EALREADY);
	assert_int_equal(kfd_model_open(m->model, &second), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_CREATE_PROCESS, NULL), 0);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_PROFILER, &args), -EBUSY);
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_PROFILER_DKMS, &dkms), -EBUSY);
	args.pmc.lock = 0;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), 0);
	args.pmc.lock = 1;
	assert_int_equal(kfd_model_ioctl(second, AMDKFD_IOC_PROFILER, &args), 0);
	kfd_model_close(second); /* releases */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), 0);
	args.pmc.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), -EINVAL);
}

static void no_gpu_has_the_throughput_limiter(struct machine *m)
{
	struct kfd_ioctl_profiler_args_upstream args = { .op = KFD_IOC_PROFILER_PTL_CONTROL };

	args.ptl.gpu_id = m->gpu;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), -EOPNOTSUPP);
	args.ptl.gpu_id = UNKNOWN_GPU;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_PROFILER, &args), -EINVAL);
}

static void criu_needs_the_capability(struct machine *m)
{
	struct kfd_ioctl_criu_args args = { .op = KFD_CRIU_OP_PROCESS_INFO };

	drop_capabilities(RESTORE);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -EACCES);
	raise_capabilities();
}

static void criu_counts_and_pauses_once(struct machine *m)
{
	struct kfd_ioctl_criu_args args = { .op = KFD_CRIU_OP_PROCESS_INFO };

	if (!privileged())
		skip();
	machine_acquire(m, m->gpu);
	machine_alloc(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
	machine_event(m, KFD_IOC_EVENT_SIGNAL, false);
	machine_event(m, KFD_IOC_EVENT_MEMORY, false);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), 0);
	assert_int_equal(args.num_devices, 1);
	assert_int_equal(args.num_bos, 1);
	assert_int_equal(args.num_objects, 2);
	assert_int_equal(args.pid, getpid());
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -EBUSY);
	args.op = KFD_CRIU_OP_UNPAUSE;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -EINVAL);
	args.pid = 1;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -ESRCH);
	args.op = KFD_CRIU_OP_CHECKPOINT;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -EINVAL);
	args.op = KFD_CRIU_OP_RESUME;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -ESRCH);
	args.op = 9;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -EINVAL);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "RLC_SPM", "EINVAL", "one owner a GPU", spm_has_one_owner, NULL, NULL },
	{ "RLC_SPM", "EFAULT", "it waits and tells what it copied", spm_waits_and_tells_what_it_copied, NULL, NULL },
	{ "PC_SAMPLE", "ENOSPC", "capabilities are counted, then listed",
	  sampling_capabilities_are_counted_then_listed, "gfx942x8", NULL },
	{ "PC_SAMPLE", "EFAULT", "the array must be writable",
	  sampling_capabilities_are_counted_then_listed, "gfx942x8", NULL },
	{ "PC_SAMPLE", "EOPNOTSUPP", "the hardware must have it", sampling_needs_the_hardware, "gfx1100", NULL },
	{ "PC_SAMPLE", "EINVAL", "a session has its states", a_sampling_session_has_its_states, NULL, NULL },
	{ "PC_SAMPLE", "EEXIST", "another configuration is told what runs", a_sampling_session_has_its_states, NULL, NULL },
	{ "PC_SAMPLE", "EALREADY", "states do not repeat", a_sampling_session_has_its_states, NULL, NULL },
	{ "PC_SAMPLE", "EBUSY", "a running session stays", a_sampling_session_has_its_states, NULL, NULL },
	{ "PC_SAMPLE", "EINVAL", "intervals are checked", sampling_intervals_are_checked, "gfx942x8", NULL },
	{ "PROFILER", "EINVAL", "it has a version", the_profiler_has_a_version, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER_DKMS", "EINVAL", "it has a version", the_profiler_has_a_version, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER", "EPERM", "counters need the capability", counters_need_the_capability, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER_DKMS", "EPERM", "counters need the capability", counters_need_the_capability, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER", "EALREADY", "counters are locked once", counters_are_locked_once, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER", "EBUSY", "counters have one owner", counters_are_locked_once, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER_DKMS", "EALREADY", "counters are locked once", counters_are_locked_once, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER_DKMS", "EBUSY", "counters have one owner", counters_are_locked_once, NULL, "{\"kfd_minor\": 23}" },
	{ "PROFILER", "EOPNOTSUPP", "no GPU has the throughput limiter", no_gpu_has_the_throughput_limiter,
	  NULL, "{\"kfd_minor\": 23}" },
	{ "RLC_SPM", "EINVAL", "a process has them as long as it lives",
	  counters_of_a_living_process_are_its_own, "gfx942x8", "{\"kfd_minor\": 23}" },
	{ "PROFILER", "EBUSY", "a process has them as long as it lives",
	  counters_of_a_living_process_are_its_own, "gfx942x8", "{\"kfd_minor\": 23}" },
	{ "PC_SAMPLE", "EEXIST", "all processes sample in one way", all_processes_sample_in_one_way,
	  "gfx942x8", "{\"kfd_minor\": 23}" },
	{ "PC_SAMPLE", NULL, "a child keeps none of its parent's counters",
	  a_child_keeps_none_of_its_parents_counters, "gfx942x8", NULL },
	{ "CRIU_OP", "EACCES", "it needs the capability", criu_needs_the_capability, NULL, NULL },
	{ "CRIU_OP", "EINVAL", "it counts and pauses once", criu_counts_and_pauses_once, NULL, NULL },
	{ "CRIU_OP", "EBUSY", "a paused process is not paused again", criu_counts_and_pauses_once, NULL, NULL },
	{ "CRIU_OP", "ESRCH", "other processes are unknown", criu_counts_and_pauses_once, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "counters", cases, sizeof(cases) / sizeof(cases[0]));
}
