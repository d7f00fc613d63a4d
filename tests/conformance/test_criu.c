/* SPDX-License-Identifier: MIT */
/* Checkpoint and restore (kfd.md 11): a process ends, and another one becomes what it was. */
#include "target.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "criu-image.h"

#define SDMA          KFD_IOC_QUEUE_TYPE_SDMA
#define AQL           KFD_IOC_QUEUE_TYPE_COMPUTE_AQL
#define BOS_MAX       32
#define DEVICES_MAX   8
#define PRIVATE_BYTES (64u << 10)
#define CONTENT_BYTES 32768u /* of a buffer, at most; larger ones have nothing to keep */
#define PROGRAM_BYTES 40u
#define SIGNALS_AT    1024u /* in the target */
#define SIGNAL_BYTES  64u
#define BARRIER       3u /* AQL packet that waits for others; here for none */
#define ROUNDS        600

/* What the processes of a case share: the checkpoint, and the memory that both have. */
struct world {
	struct kfd_ioctl_criu_args args;
	struct kfd_criu_device_bucket devices[DEVICES_MAX];
	struct kfd_criu_bo_bucket bos[BOS_MAX];
	_Alignas(8) char private_data[PRIVATE_BYTES];
	char contents[BOS_MAX][CONTENT_BYTES];
	struct buffer page, ring, target, kept, aql_ring, aql_pointers;
	uint64_t pointers, hole; /* address of the user pointer; handle that was free */
	uint32_t signal, manual, memory, hole_id, sdma, aql;
	uint64_t doorbell_offset;
	_Alignas(4096) char user[PAGE], shared[4 * PAGE];
};

static struct world *world; /* at one address in all processes */

static bool may_checkpoint(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	return syscall(SYS_capget, &head, caps) == 0 && caps[0].effective >> CAP_SYS_ADMIN & 1;
}

static void world_begin(void)
{
	if (!may_checkpoint())
		skip();
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(world, MAP_FAILED);
}

static void world_end(void)
{
	munmap(world, sizeof(*world));
}

/* An operation, with the arrays of the world. */
static int operate(struct machine *m, uint32_t op, pid_t pid)
{
	world->args.op = op;
	world->args.pid = (uint32_t)pid;
	world->args.devices = (uintptr_t)world->devices;
	world->args.bos = (uintptr_t)world->bos;
	world->args.priv_data = (uintptr_t)world->private_data;
	return machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &world->args);
}

static void *map(struct machine *m, uint64_t offset, uint64_t size)
{
	void *memory = kfd_model_render_mmap(m->model, NULL, size, PROT_READ | PROT_WRITE,
					     MAP_SHARED, (off_t)offset);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/* Puts the n-th program into the ring: a word into the target, the signal's mailbox, a trap. */
static void submit(struct machine *m, uint64_t ring_offset, uint32_t n)
{
	uint64_t mailbox = world->page.va + 8ull * world->signal, to = world->target.va + 4ull * n;
	const uint32_t program[] = {
		5, (uint32_t)to,      (uint32_t)(to >> 32),      0x1111 * (n + 1),
		5, (uint32_t)mailbox, (uint32_t)(mailbox >> 32), world->signal,
		6, world->signal,
	};
	char *ring = map(m, ring_offset, PAGE);
	uint64_t *doorbells =
		kfd_model_mmap(m->model, m->file, NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
			       (off_t)(world->doorbell_offset & ~8191ull));
	uint64_t written = PROGRAM_BYTES * (n + 1ull);

	assert_int_equal(sizeof(program), PROGRAM_BYTES);
	assert_ptr_not_equal(doorbells, MAP_FAILED);
	memcpy(ring + (size_t)n * PROGRAM_BYTES, program, sizeof(program));
	/* the one that is rung before the checkpoint is told by the doorbell alone */
	if (n != 1)
		__atomic_store_n((uint64_t *)(uintptr_t)world->pointers, written, __ATOMIC_RELEASE);
	__atomic_store_n(&doorbells[(world->doorbell_offset & 8191) / 8], written,
			 __ATOMIC_RELEASE);
	munmap(ring, PAGE);
	munmap(doorbells, 8192);
}

/* The value of the n-th signal in the target's memory. */
static int64_t *signal_value(void *target, uint32_t n)
{
	return (int64_t *)(void *)((char *)target + SIGNALS_AT + (size_t)n * SIGNAL_BYTES + 8);
}

/* Puts the n-th packet into the AQL ring: a barrier that completes the n-th signal. */
static void submit_aql(struct machine *m, uint64_t ring_offset, uint64_t pointers_offset,
		       uint32_t n)
{
	uint64_t packet[8] = { 0 };
	char *ring = map(m, ring_offset, PAGE);
	uint64_t *pointers = map(m, pointers_offset, PAGE);

	packet[7] = world->target.va + SIGNALS_AT + (uint64_t)n * SIGNAL_BYTES;
	packet[0] = BARRIER;
	memcpy(ring + n * sizeof(packet), packet, sizeof(packet));
	__atomic_store_n(pointers, n + 1ull, __ATOMIC_RELEASE);
	munmap(ring, PAGE);
	munmap(pointers, PAGE);
}

static void wait_for_signal(void *target, uint32_t n)
{
	while (__atomic_load_n(signal_value(target, n), __ATOMIC_ACQUIRE) != 0)
		usleep(100);
}

static int wait_for(struct machine *m, uint32_t event, uint32_t timeout_ms)
{
	struct kfd_event_data data = { .event_id = event };
	struct kfd_ioctl_wait_events_args wait = { .events_ptr = (uintptr_t)&data,
						   .num_events = 1,
						   .timeout = timeout_ms };
	int rc = machine_ioctl(m, AMDKFD_IOC_WAIT_EVENTS, &wait);

	return rc ? rc : (int)wait.wait_result;
}

static void make_events(struct machine *m)
{
	struct kfd_ioctl_create_event_args event = { .event_type = KFD_IOC_EVENT_SIGNAL,
						     .auto_reset = 1 };
	struct kfd_ioctl_destroy_event_args gone;
	struct kfd_ioctl_set_event_args set;

	world->page = machine_alloc_mapped(m, m->gpu, 32768, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	event.event_page_offset = world->page.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &event), 0);
	world->signal = event.event_id;
	world->hole_id = machine_event(m, KFD_IOC_EVENT_SIGNAL, false);
	world->manual = machine_event(m, KFD_IOC_EVENT_SIGNAL, false);
	world->memory = machine_event(m, KFD_IOC_EVENT_MEMORY, false);
	gone.event_id = world->hole_id;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_EVENT, &gone), 0);
	set.event_id = world->manual;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_EVENT, &set), 0);
}

static void make_queues(struct machine *m)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args user = {
		.va_addr = 0x200000000000,
		.size = PAGE,
		.gpu_id = m->gpu,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
		.mmap_offset = (uintptr_t)world->user,
	};
	struct kfd_ioctl_create_queue_args args;

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &user), 0);
	assert_int_equal(machine_map(m, user.handle, m->gpu), 0);
	world->pointers = (uintptr_t)world->user;
	args = machine_queue_args(m, m->gpu, SDMA);
	args.ring_base_address = world->ring.va;
	args.write_pointer_address = user.va_addr;
	args.read_pointer_address = user.va_addr + 8;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_QUEUE, &args), 0);
	world->sdma = args.queue_id;
	world->doorbell_offset = args.doorbell_offset;
	args = machine_queue_args(m, m->gpu, AQL);
	args.ring_base_address = world->aql_ring.va;
	args.write_pointer_address = world->aql_pointers.va;
	args.read_pointer_address = world->aql_pointers.va + 8;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_QUEUE, &args), 0);
	world->aql = args.queue_id;
}

static void set_range(struct machine *m)
{
	struct machine_svm svm = { .start_addr = (uintptr_t)world->shared,
				   .size = sizeof(world->shared),
				   .op = KFD_IOCTL_SVM_OP_SET_ATTR,
				   .nattr = 2 };

	svm.attrs[0] = (struct kfd_ioctl_svm_attribute){ KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu };
	svm.attrs[1] = (struct kfd_ioctl_svm_attribute){ KFD_IOCTL_SVM_ATTR_GRANULARITY, 5 };
	assert_int_equal(machine_svm(m, &svm), 0);
}

static void check_range(struct machine *m)
{
	struct machine_svm svm = { .start_addr = (uintptr_t)world->shared,
				   .size = sizeof(world->shared),
				   .op = KFD_IOCTL_SVM_OP_GET_ATTR,
				   .nattr = 2 };

	svm.attrs[0] = (struct kfd_ioctl_svm_attribute){ KFD_IOCTL_SVM_ATTR_ACCESS, m->gpu };
	svm.attrs[1].type = KFD_IOCTL_SVM_ATTR_GRANULARITY;
	assert_int_equal(machine_svm(m, &svm), 0);
	assert_int_equal(svm.attrs[0].type, KFD_IOCTL_SVM_ATTR_ACCESS);
	assert_int_equal(svm.attrs[1].value, 5);
}

/* Buffers, events, queues and a range, with gaps in the numbers, and one program done. */
static void make_everything(struct machine *m)
{
	struct buffer hole;
	uint32_t *memory;

	machine_acquire(m, m->gpu);
	world->ring = machine_alloc_mapped(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	hole = machine_alloc(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
	world->target = machine_alloc_mapped(
		m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
	world->aql_ring = machine_alloc_mapped(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	world->aql_pointers = machine_alloc_mapped(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	world->kept = machine_alloc(m, m->gpu, 2 * PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
	make_events(m);
	make_queues(m);
	set_range(m);
	world->hole = hole.handle;
	assert_int_equal(machine_free(m, hole.handle), 0);
	memory = map(m, world->target.mmap_offset, PAGE);
	memory[100] = 0xfeed;
	*signal_value(memory, 0) = *signal_value(memory, 1) = 1;
	submit_aql(m, world->aql_ring.mmap_offset, world->aql_pointers.mmap_offset, 0);
	wait_for_signal(memory, 0);
	submit(m, world->ring.mmap_offset, 0);
	assert_int_equal(wait_for(m, world->signal, PATIENCE_MS), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(memory[0], 0x1111);
	munmap(memory, PAGE);
}

static void life_to_keep(struct machine *m, struct target *self)
{
	open_here(m);
	make_everything(m);
	finished(self);
	next_step(self); /* paused: what is rung now is not served any more */
	submit(m, world->ring.mmap_offset, 1);
	submit_aql(m, world->aql_ring.mmap_offset, world->aql_pointers.mmap_offset, 1);
	finished(self);
	next_step(self);
}

/* What whoever takes a checkpoint does with the dma-bufs: @return how many there were. */
static unsigned int copy_contents(bool to_buffers)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < world->args.num_bos; i++) {
		int fd = (int)world->bos[i].dmabuf_fd;
		uint64_t size, offset;
		ssize_t done;

		if (fd < 0)
			continue;
		assert_true(kfd_model_dmabuf_look(fd, &size, &offset));
		assert_true(size == world->bos[i].size);
		if (size > CONTENT_BYTES)
			size = 0;
		done = to_buffers ? pwrite(fd, world->contents[i], size, (off_t)offset)
				  : pread(fd, world->contents[i], size, (off_t)offset);
		assert_int_equal(done, size);
		close(fd);
		world->bos[i].dmabuf_fd = (uint32_t)-1;
		count++;
	}
	return count;
}

/* Takes a checkpoint of another process, or of this one (pid 0). */
static void take(struct machine *m, pid_t pid, struct target *t)
{
	struct kfd_ioctl_criu_args info;

	assert_int_equal(operate(m, KFD_CRIU_OP_CHECKPOINT, pid), -EINVAL); /* not paused */
	assert_int_equal(operate(m, KFD_CRIU_OP_PROCESS_INFO, pid), 0);
	if (t) {
		go(t);
		assert_true(comes(t->done));
	}
	info = world->args;
	assert_in_range(info.priv_data_size, 1, PRIVATE_BYTES);
	assert_in_range(info.num_bos, 1, BOS_MAX);
	world->args.num_objects++;
	assert_int_equal(operate(m, KFD_CRIU_OP_CHECKPOINT, pid), -EINVAL);
	world->args = info;
	world->args.priv_data_size--;
	assert_int_equal(operate(m, KFD_CRIU_OP_CHECKPOINT, pid), -EINVAL);
	world->args = info;
	assert_int_equal(operate(m, KFD_CRIU_OP_CHECKPOINT, pid), 0);
}

static uint64_t offset_of(uint64_t va)
{
	for (uint32_t i = 0; i < world->args.num_bos; i++)
		if (world->bos[i].addr == va)
			return world->bos[i].restored_offset;
	fail_msg("no buffer at %#llx", (unsigned long long)va);
	return 0;
}

/* Handles, ids and settings are those of the process that was. */
static void check_names(struct machine *m)
{
	struct kfd_ioctl_destroy_event_args event = { .event_id = world->memory };
	struct kfd_ioctl_destroy_queue_args queue = { .queue_id = world->aql };
	struct kfd_ioctl_update_queue_args update = { .queue_id = world->sdma };

	assert_int_equal(machine_map(m, world->target.handle, m->gpu), 0); /* it is */
	assert_int_equal(machine_free(m, world->target.handle), -EBUSY);
	assert_int_equal(machine_free(m, world->page.handle), -EPERM);
	assert_int_equal(machine_free(m, world->kept.handle), 0);
	assert_int_equal(machine_unmap(m, world->ring.handle, m->gpu), -EBUSY); /* a queue's */
	assert_true(machine_alloc(m, m->gpu, PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM).handle ==
		    world->hole);
	assert_int_equal(machine_event(m, KFD_IOC_EVENT_SIGNAL, false), world->hole_id);
	assert_int_equal(wait_for(m, world->manual, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(wait_for(m, world->memory, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_EVENT, &event), 0);
	assert_int_equal(machine_event(m, KFD_IOC_EVENT_MEMORY, false), world->memory);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &update), 0); /* stops it */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &queue), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &queue), -EINVAL);
	queue.queue_id = world->sdma;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &queue), 0);
	check_range(m);
}

/* A file of the GPU for each device that had one. */
static void give_files(struct machine *m)
{
	for (uint32_t i = 0; i < world->args.num_devices; i++)
		world->devices[i].drm_fd = (uint32_t)machine_render(
			m, kfd_model_node_of_gpu(m->model, world->devices[i].actual_gpu_id)
				   ->render_minor);
}

/* Where no process of a case has put anything. */
static struct buffer map_new(struct machine *m)
{
	static uint64_t next = 0x300000000000;
	struct kfd_ioctl_alloc_memory_of_gpu_args args = {
		.va_addr = next,
		.size = PAGE,
		.gpu_id = m->gpu,
		.flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
	};

	next += PAGE;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
	assert_int_equal(machine_map(m, args.handle, m->gpu), 0);
	return (struct buffer){ .va = args.va_addr,
				.size = PAGE,
				.handle = args.handle,
				.mmap_offset = args.mmap_offset };
}

/* New queues are served: two packets of one take the engines at least once round all queues. */
static void run_a_new_queue(struct machine *m)
{
	struct buffer buffers[] = { map_new(m), map_new(m), map_new(m) };
	struct kfd_ioctl_create_queue_args args = {
		.gpu_id = m->gpu,
		.queue_type = SDMA,
		.queue_percentage = 100,
		.ring_size = PAGE,
		.ring_base_address = buffers[0].va,
		.write_pointer_address = buffers[1].va,
		.read_pointer_address = buffers[2].va + 8,
	};
	struct kfd_ioctl_destroy_queue_args destroy;
	uint32_t *ring = map(m, buffers[0].mmap_offset, PAGE);
	uint64_t *write_pointer = map(m, buffers[1].mmap_offset, PAGE);
	uint32_t *done = map(m, buffers[2].mmap_offset, PAGE);

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_QUEUE, &args), 0);
	for (uint32_t n = 1; n <= 2; n++) {
		const uint32_t fence[] = { 5, (uint32_t)buffers[2].va,
					   (uint32_t)(buffers[2].va >> 32), n };

		memcpy(ring + 4ull * (n - 1), fence, sizeof(fence));
		__atomic_store_n(write_pointer, 16ull * n, __ATOMIC_RELEASE);
		while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != n)
			usleep(100);
	}
	/* where plain offsets are told, the doorbells may lie elsewhere than before */
	world->doorbell_offset =
		(args.doorbell_offset & ~8191ull) | (world->doorbell_offset & 8191);
	destroy.queue_id = args.queue_id;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &destroy), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(machine_unmap(m, buffers[i].handle, m->gpu), 0);
		assert_int_equal(machine_free(m, buffers[i].handle), 0);
	}
	munmap(ring, PAGE);
	munmap(write_pointer, PAGE);
	munmap(done, PAGE);
}

static void life_that_comes_back(struct machine *m, struct target *self)
{
	const uint64_t *read_pointer = (uint64_t *)(uintptr_t)(world->pointers + 8);
	struct kfd_ioctl_acquire_vm_args acquire = { .gpu_id = m->gpu };
	uint32_t *memory;

	open_here(m);
	give_files(m);
	assert_int_equal(operate(m, KFD_CRIU_OP_RESTORE, 0), 0);
	assert_int_equal(operate(m, KFD_CRIU_OP_RESTORE, 0), -EINVAL); /* it is no new one now */
	run_a_new_queue(m);
	assert_true(copy_contents(true) > 4);
	/* the queues wait for the one who restores */
	assert_int_equal(*read_pointer, PROGRAM_BYTES);
	memory = map(m, offset_of(world->target.va), PAGE);
	assert_int_equal(memory[0], 0x1111);
	assert_int_equal(memory[1], 0);
	memory[0] = 0; /* what was done is not done again */
	finished(self);
	next_step(self);
	assert_int_equal(wait_for(m, world->signal, PATIENCE_MS), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(memory[0], 0);
	assert_int_equal(memory[1], 0x2222);
	assert_int_equal(memory[100], 0xfeed);
	wait_for_signal(memory, 1);
	submit(m, offset_of(world->ring.va), 2);
	assert_int_equal(wait_for(m, world->signal, PATIENCE_MS), KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(memory[2], 0x3333);
	munmap(memory, PAGE);
	acquire.drm_fd = world->devices[0].drm_fd;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &acquire), 0);
	acquire.drm_fd = (uint32_t)machine_render(m, m->node->render_minor);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ACQUIRE_VM, &acquire), -EBUSY);
	check_names(m);
	finished(self);
	next_step(self);
}

static void bring_back(struct machine *m)
{
	struct target t = target_start(m, life_that_comes_back);

	assert_true(comes(t.done));
	assert_int_equal(operate(m, KFD_CRIU_OP_RESUME, t.pid), 0);
	go(&t);
	assert_true(comes(t.done));
	assert_int_equal(operate(m, KFD_CRIU_OP_RESUME, t.pid), 0); /* nothing waits for it */
	go(&t);
	target_end(&t, 0);
	assert_int_equal(operate(m, KFD_CRIU_OP_RESUME, t.pid), -ESRCH);
}

static void a_process_comes_back(struct machine *m)
{
	struct target t;

	world_begin();
	t = target_start(m, life_to_keep);
	assert_true(comes(t.done));
	take(m, t.pid, &t);
	assert_true(copy_contents(false) > 4);
	kill(t.pid, SIGKILL);
	target_end(&t, SIGKILL);
	bring_back(m);
	world_end();
}

static void a_process_comes_back_behind_a_plug_in(struct machine *m)
{
	machine_be_plain(m);
	a_process_comes_back(m);
}

static void a_process_goes_on_after_its_checkpoint(struct machine *m)
{
	world_begin();
	make_everything(m);
	take(m, 0, NULL);
	assert_true(copy_contents(false) > 4);
	submit(m, world->ring.mmap_offset, 1);
	assert_int_equal(operate(m, KFD_CRIU_OP_UNPAUSE, 0), 0);
	assert_int_equal(wait_for(m, world->signal, PATIENCE_MS), KFD_IOC_WAIT_RESULT_COMPLETE);
	check_names(m);
	world_end();
}

/* The second GPU takes the place of the first, under the first one's name. */
static void life_on_another_gpu(struct machine *m, struct target *self)
{
	struct kfd_process_device_apertures apertures[DEVICES_MAX];
	struct kfd_ioctl_get_process_apertures_new_args args = {
		.kfd_process_device_apertures_ptr = (uintptr_t)apertures,
		.num_of_nodes = world->args.num_devices,
	};
	struct kfd_ioctl_get_clock_counters_args clocks = { .gpu_id = m->gpu };

	open_here(m);
	world->devices[0].actual_gpu_id = m->second_gpu;
	world->devices[1].actual_gpu_id = m->gpu;
	give_files(m);
	assert_int_equal(operate(m, KFD_CRIU_OP_RESTORE, 0), 0);
	copy_contents(true);
	assert_int_equal(operate(m, KFD_CRIU_OP_RESUME, 0), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args), 0);
	assert_int_equal(apertures[0].gpu_id, m->second_gpu);
	assert_int_equal(apertures[1].gpu_id, m->gpu);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_CLOCK_COUNTERS, &clocks), 0);
	assert_true(clocks.gpu_clock_counter != 0);
	submit(m, offset_of(world->ring.va), 1);
	assert_int_equal(wait_for(m, world->signal, PATIENCE_MS), KFD_IOC_WAIT_RESULT_COMPLETE);
	check_names(m);
	finished(self);
}

static void a_process_comes_back_on_another_gpu(struct machine *m)
{
	struct target t;

	world_begin();
	make_everything(m);
	take(m, 0, NULL);
	copy_contents(false);
	t = target_start(m, life_on_another_gpu);
	assert_true(comes(t.done));
	target_end(&t, 0);
	world_end();
}

/* CRIU is handed the descriptors of the process that it traces. */
static void its_tracer_uses_a_process_s_descriptor(struct machine *m)
{
	struct kfd_ioctl_criu_args info = { .op = KFD_CRIU_OP_PROCESS_INFO };
	struct kfd_ioctl_get_version_args version;
	struct kfd_model_file *theirs = NULL;
	struct target t;

	world_begin();
	t = target_start(m, life_to_keep);
	assert_true(comes(t.done));
	assert_int_equal(kfd_model_open_of(m->model, t.pid, &theirs), 0);
	assert_int_equal(kfd_model_ioctl(theirs, AMDKFD_IOC_CRIU_OP, &info), -EBADF);
	trace(&t);
	assert_int_equal(kfd_model_ioctl(theirs, AMDKFD_IOC_GET_VERSION, &version), -EBADF);
	assert_int_equal(kfd_model_ioctl(theirs, AMDKFD_IOC_CRIU_OP, (void *)BAD_ADDRESS), -EFAULT);
	assert_int_equal(kfd_model_ioctl(theirs, AMDKFD_IOC_CRIU_OP, &info), 0);
	assert_int_equal(info.pid, t.pid);
	assert_true(info.num_bos > 4);
	info.op = KFD_CRIU_OP_UNPAUSE;
	assert_int_equal(kfd_model_ioctl(theirs, AMDKFD_IOC_CRIU_OP, &info), 0);
	kfd_model_close(theirs);
	go(&t);
	assert_true(comes(t.done));
	go(&t);
	target_end(&t, 0);
	world_end();
}

static void arrays_must_be_the_callers(struct machine *m)
{
	struct kfd_ioctl_criu_args args;
	uint64_t *const arrays[] = { &args.devices, &args.bos, &args.priv_data };

	world_begin();
	make_everything(m);
	take(m, 0, NULL);
	copy_contents(false);
	for (int i = 0; i < 3; i++) {
		args = world->args;
		*arrays[i] = BAD_ADDRESS;
		assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -EFAULT);
		*arrays[i] = 0;
		assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CRIU_OP, &args), -EINVAL);
	}
	assert_int_equal(operate(m, KFD_CRIU_OP_UNPAUSE, 0), 0);
	world_end();
}

/* The good checkpoint is taken by a process that has refused this bad one. */
static int try_restore(struct machine *m, const struct world *good)
{
	struct kfd_ioctl_get_version_args version;
	int rc;

	open_here(m);
	for (uint32_t i = 0; i < world->args.num_devices && i < DEVICES_MAX; i++)
		if (world->devices[i].drm_fd == 0) /* was left as it is */
			world->devices[i].drm_fd =
				(uint32_t)machine_render(m, m->node->render_minor);
	rc = operate(m, KFD_CRIU_OP_RESTORE, 0);
	if (machine_ioctl(m, AMDKFD_IOC_GET_VERSION, &version))
		return 2;
	if (!rc) {
		(void)operate(m, KFD_CRIU_OP_RESUME, 0); /* whatever it is, it may be tried */
		return 0;
	}
	if (rc != -EINVAL && rc != -ENOMEM && rc != -ENOSPC && rc != -EBUSY)
		return 3;
	memcpy(world, good, offsetof(struct world, contents));
	for (uint32_t i = 0; i < world->args.num_devices; i++)
		world->devices[i].drm_fd = (uint32_t)machine_render(m, m->node->render_minor);
	return operate(m, KFD_CRIU_OP_RESTORE, 0) ? 4 : 1;
}

static uint32_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

/*
 * Some words of the private data or the buckets become others. User pointers stay: engines write where
 * they lead, as hardware does, and that may be the program itself.
 */
static void spoil(uint64_t *state, const struct world *good)
{
	const uint64_t private_bytes = good->args.priv_data_size;
	const struct kfd_model_image_head *good_head = (const void *)good->private_data;
	const struct kfd_model_image_bo *good_bos =
		(const void *)((const struct kfd_model_image_device *)(good_head + 1) +
			       good_head->device_count);
	struct kfd_model_image_bo *bos =
		(void *)(world->private_data + ((const char *)good_bos - good->private_data));
	static const uint32_t tempting[] = { 0,    1,          2,          0x7fffffff,
					     4096, 0x80000000, 0xffffffff, 0x40000000 };
	uint32_t *const places[] = { (uint32_t *)world->private_data, (uint32_t *)world->bos,
				     (uint32_t *)world->devices };
	const uint64_t sizes[] = { private_bytes, world->args.num_bos * sizeof(world->bos[0]),
				   world->args.num_devices * sizeof(world->devices[0]) };
	struct kfd_model_image_head *head = (void *)world->private_data;

	for (uint32_t n = random_next(state) % 4 + 1; n; n--) {
		uint32_t which = random_next(state) % 8;
		uint32_t *at;

		which = which < 6 ? 0 : which - 5;
		at = places[which] + random_next(state) % (sizes[which] / sizeof(uint32_t));
		*at = random_next(state) % 3 ? tempting[random_next(state) % 8]
					     : *at ^ random_next(state);
	}
	for (uint32_t i = 0; i < good_head->bo_count; i++)
		if (bos[i].user_addr)
			bos[i].user_addr = good_bos[i].user_addr;
	head->checksum = kfd_model_image_checksum(head, private_bytes);
}

static void spoilt_checkpoints_do_no_harm(struct machine *m)
{
	struct world *good;
	uint64_t state = 1;
	unsigned int refused = 0;

	world_begin();
	make_everything(m);
	take(m, 0, NULL);
	copy_contents(false);
	world->devices[0].drm_fd = 0; /* each process has another one */
	good = mmap(NULL, sizeof(*good), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	assert_ptr_not_equal(good, MAP_FAILED);
	memcpy(good, world, sizeof(*good));
	for (unsigned int round = 0; round < ROUNDS; round++) {
		int status = -1;
		pid_t child;

		memcpy(world, good, offsetof(struct world, contents));
		if (round < 100) /* cut off, or longer than it says */
			world->args.priv_data_size =
				round < 90 ? world->args.priv_data_size * round / 90
					   : world->args.priv_data_size + round;
		else
			spoil(&state, good);
		child = fork();
		if (child == 0)
			_exit(try_restore(m, good));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
			fail_msg("round %u: status %#x", round, (unsigned int)status);
		assert_true(round >= 100 || WEXITSTATUS(status) == 1);
		refused += WEXITSTATUS(status) == 1;
	}
	assert_in_range(refused, 120, ROUNDS);
	munmap(good, sizeof(*good));
	world_end();
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "CRIU_OP", "ESRCH", "a process comes back", a_process_comes_back, NULL, NULL },
	{ "CRIU_OP", NULL, "a process comes back on an older generation", a_process_comes_back, "gfx906", NULL },
	{ "CRIU_OP", NULL, "a process comes back behind a plug-in", a_process_comes_back_behind_a_plug_in, NULL, NULL },
	{ "CRIU_OP", NULL, "a process goes on after its checkpoint", a_process_goes_on_after_its_checkpoint, NULL, NULL },
	{ "CRIU_OP", NULL, "a process comes back on another GPU", a_process_comes_back_on_another_gpu, "gfx90ax4", NULL },
	{ "CRIU_OP", NULL, "its tracer uses a process's descriptor", its_tracer_uses_a_process_s_descriptor, NULL, NULL },
	{ "CRIU_OP", "EFAULT", "the arrays must be the caller's", arrays_must_be_the_callers, NULL, NULL },
	{ "CRIU_OP", "EINVAL", "spoilt checkpoints do no harm", spoilt_checkpoints_do_no_harm, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "criu", cases, sizeof(cases) / sizeof(cases[0]));
}
