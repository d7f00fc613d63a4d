/* SPDX-License-Identifier: MIT */
/* Builds and tears down the machine of a case, and helps with what every case needs. */
#include "machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int render_file(void *data, int fd, uint32_t *minor, uint64_t *file_id)
{
	struct machine *m = data;

	for (unsigned int i = 0; i < m->render_count; i++) {
		if (m->renders[i].fd != fd)
			continue;
		*minor = m->renders[i].minor;
		*file_id = m->renders[i].file_id;
		return 0;
	}
	return -EINVAL;
}

static void write_scenario(struct machine *m, const char *text)
{
	int fd;

	strcpy(m->scenario_path, "/tmp/kfdscope-scenario-XXXXXX");
	fd = mkstemp(m->scenario_path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void start(struct machine *m, const char *topology, bool plain_offsets)
{
	const struct kfd_model_front front = { .render_file = render_file,
					       .data = m,
					       .plain_offsets = plain_offsets };

	assert_int_equal(kfd_model_new(topology, m->scenario_path[0] ? m->scenario_path : NULL,
				       &front, &m->model),
			 0);
	assert_int_equal(kfd_model_open(m->model, &m->file), 0);
	for (uint32_t i = 0; i < kfd_model_node_count(m->model); i++) {
		const struct kfd_model_node *node = kfd_model_node_at(m->model, i);

		if (!node->gpu_id)
			continue;
		if (!m->gpu) {
			m->gpu = node->gpu_id;
			m->node = node;
		} else if (!m->second_gpu) {
			m->second_gpu = node->gpu_id;
		}
	}
}

static void machine_begin(struct machine *m, const struct conformance_case *c)
{
	char topology[4096];

	memset(m, 0, sizeof(*m));
	snprintf(topology, sizeof(topology), "%s/%s", KFDSCOPE_TOPOLOGIES,
		 c->topology ? c->topology : "gfx90a");
	if (c->scenario)
		write_scenario(m, c->scenario);
	start(m, topology, false);
}

void machine_be_plain(struct machine *m)
{
	char topology[4096];

	snprintf(topology, sizeof(topology), "%s", kfd_model_topology_dir(m->model));
	kfd_model_close(m->file);
	kfd_model_free(m->model);
	m->gpu = m->second_gpu = 0;
	start(m, topology, true);
}

static void machine_end(struct machine *m)
{
	kfd_model_close(m->file);
	kfd_model_free(m->model);
	for (unsigned int i = 0; i < m->render_count; i++)
		close(m->renders[i].fd);
	if (m->scenario_path[0])
		unlink(m->scenario_path);
}

static void run_case(void **state)
{
	const struct conformance_case *c = *state;
	struct machine m;

	machine_begin(&m, c);
	c->run(&m);
	machine_end(&m);
}

int conformance_main(int argc, char **argv, const char *group, const struct conformance_case *cases,
		     size_t count)
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	char(*names)[160] = calloc(count, sizeof(*names));
	int failed = 1;

	if (argc > 1 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < count; i++)
			printf("%s\t%s\t%s\n", cases[i].call, cases[i].error ? cases[i].error : "-",
			       cases[i].sentence);
		failed = 0;
	} else if (tests && names) {
		for (size_t i = 0; i < count; i++) {
			snprintf(names[i], sizeof(names[i]), "%s: %s", cases[i].call,
				 cases[i].sentence);
			tests[i].name = names[i];
			tests[i].test_func = run_case;
			tests[i].initial_state = (void *)(uintptr_t)&cases[i];
		}
		failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
	}
	free(tests);
	free(names);
	return failed;
}

int machine_ioctl(struct machine *m, unsigned long request, void *args)
{
	return kfd_model_ioctl(m->file, request, args);
}

int machine_svm(struct machine *m, struct machine_svm *call)
{
	return machine_ioctl(m, AMDKFD_IOC_SVM + ((unsigned long)call->nattr << 19), call);
}

int machine_render(struct machine *m, uint32_t minor)
{
	int fd = fcntl(kfd_model_memory_fd(m->model), F_DUPFD_CLOEXEC, 0);

	assert_true(fd >= 0 && m->render_count < MACHINE_RENDERS);
	m->renders[m->render_count].fd = fd;
	m->renders[m->render_count].minor = minor;
	m->renders[m->render_count].file_id = m->render_count + 1;
	m->render_count++;
	return fd;
}

void machine_acquire(struct machine *m, uint32_t gpu_id)
{
	struct kfd_ioctl_acquire_vm_args args = { .gpu_id = gpu_id };

	args.drm_fd =
		(uint32_t)machine_render(m, kfd_model_node_of_gpu(m->model, gpu_id)->render_minor);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &args), 0);
}

uint64_t machine_va(uint64_t size)
{
	void *va = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(va, MAP_FAILED);
	munmap(va, size);
	return (uintptr_t)va;
}

struct buffer machine_alloc(struct machine *m, uint32_t gpu_id, uint64_t size, uint32_t flags)
{
	static uint64_t next = 0x100000000000; /* never twice the same, so nothing overlaps */
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = next, .size = size, .gpu_id = gpu_id, .flags = flags
	};
	struct buffer buffer = { .size = size, .gpu = gpu_id };

	next += (size + 0xffff) & ~0xffffull;
	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
		void *user = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		assert_ptr_not_equal(user, MAP_FAILED);
		args.mmap_offset = (uintptr_t)user;
	}
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
	buffer.va = args.va_addr;
	buffer.handle = args.handle;
	buffer.mmap_offset = args.mmap_offset;
	return buffer;
}

struct buffer machine_alloc_mapped(struct machine *m, uint32_t gpu_id, uint64_t size,
				   uint32_t flags)
{
	struct buffer buffer =
		machine_alloc(m, gpu_id, size, flags | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE);

	assert_int_equal(machine_map(m, buffer.handle, gpu_id), 0);
	return buffer;
}

int machine_map(struct machine *m, uint64_t handle, uint32_t gpu_id)
{
	struct kfd_ioctl_map_memory_to_gpu_args args = { .handle = handle,
							 .device_ids_array_ptr = (uintptr_t)&gpu_id,
							 .n_devices = 1 };

	return machine_ioctl(m, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
}

int machine_unmap(struct machine *m, uint64_t handle, uint32_t gpu_id)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args args = {
		.handle = handle, .device_ids_array_ptr = (uintptr_t)&gpu_id, .n_devices = 1
	};

	return machine_ioctl(m, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args);
}

int machine_free(struct machine *m, uint64_t handle)
{
	struct kfd_ioctl_free_memory_of_gpu_args args = { .handle = handle };

	return machine_ioctl(m, AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

struct kfd_ioctl_create_queue_args machine_queue_args(struct machine *m, uint32_t gpu_id,
						      uint32_t type)
{
	const struct kfd_model_node *node = kfd_model_node_of_gpu(m->model, gpu_id);
	const uint32_t gtt = KFD_IOC_ALLOC_MEM_FLAGS_GTT;
	struct kfd_ioctl_create_queue_args args = {
		.gpu_id = gpu_id,
		.queue_type = type,
		.queue_percentage = 100,
		.queue_priority = 7,
		.ring_size = 4096,
	};
	uint64_t total =
		((uint64_t)node->cwsr_size + kfd_model_debug_area_bytes(node)) * node->num_xcc;

	args.ring_base_address = machine_alloc_mapped(m, gpu_id, 4096, gtt).va;
	args.write_pointer_address = machine_alloc_mapped(m, gpu_id, 4096, gtt).va;
	args.read_pointer_address = machine_alloc_mapped(m, gpu_id, 4096, gtt).va;
	if (type != KFD_IOC_QUEUE_TYPE_COMPUTE && type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL)
		return args;
	args.eop_buffer_address =
		machine_alloc_mapped(m, gpu_id, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM).va;
	args.eop_buffer_size = 4096;
	args.ctx_save_restore_address =
		machine_alloc_mapped(m, gpu_id, (total + 4095) & ~4095ull, gtt).va;
	args.ctx_save_restore_size = node->cwsr_size;
	args.ctl_stack_size = node->ctl_stack_size;
	return args;
}

uint32_t machine_queue(struct machine *m, uint32_t gpu_id, uint32_t type)
{
	struct kfd_ioctl_create_queue_args args = machine_queue_args(m, gpu_id, type);

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_QUEUE, &args), 0);
	return args.queue_id;
}

uint32_t machine_event(struct machine *m, uint32_t type, bool auto_reset)
{
	struct kfd_ioctl_create_event_args args = { .event_type = type, .auto_reset = auto_reset };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &args), 0);
	return args.event_id;
}
