/* SPDX-License-Identifier: MIT */
/* Queues: argument checks in order, ids, limits, doorbells, buffers (kfd.md 5). */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#define AQL       KFD_IOC_QUEUE_TYPE_COMPUTE_AQL
#define SDMA      KFD_IOC_QUEUE_TYPE_SDMA
#define XGMI      KFD_IOC_QUEUE_TYPE_SDMA_XGMI
#define BY_ENGINE KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID
#define HIGH      0x800000000000ull /* first address that is no user address */

static int create(struct machine *m, struct kfd_ioctl_create_queue_args *args)
{
	return machine_ioctl(m, AMDKFD_IOC_CREATE_QUEUE, args);
}

static int destroy(struct machine *m, uint32_t id)
{
	struct kfd_ioctl_destroy_queue_args args = { .queue_id = id };

	return machine_ioctl(m, AMDKFD_IOC_DESTROY_QUEUE, &args);
}

static void ids_are_the_lowest_free(struct machine *m)
{
	machine_acquire(m, m->gpu);
	assert_int_equal(machine_queue(m, m->gpu, AQL), 0);
	assert_int_equal(machine_queue(m, m->gpu, SDMA), 1);
	assert_int_equal(destroy(m, 0), 0);
	assert_int_equal(machine_queue(m, m->gpu, KFD_IOC_QUEUE_TYPE_COMPUTE), 0);
}

static void doorbells_lie_in_one_slice(struct machine *m)
{
	struct kfd_ioctl_create_queue_args a, b, c;
	uint64_t base = 3ull << 62 | (uint64_t)m->gpu << 46;

	machine_acquire(m, m->gpu);
	a = machine_queue_args(m, m->gpu, AQL);
	b = machine_queue_args(m, m->gpu, AQL);
	c = machine_queue_args(m, m->gpu, SDMA);
	assert_int_equal(create(m, &a), 0);
	assert_int_equal(create(m, &b), 0);
	assert_int_equal(create(m, &c), 0);
	assert_true(a.doorbell_offset == base);
	assert_true(b.doorbell_offset == base + 8);
	assert_true((c.doorbell_offset & ~8191ull) == base);
	assert_true(c.doorbell_offset != a.doorbell_offset);
	/* the window of the other engines starts behind the CP's first slots */
	assert_true((c.doorbell_offset & 8191) / 8 >= 0xf0);
}

static void older_generations_have_a_page_of_small_doorbells(struct machine *m)
{
	const off_t slice = (off_t)(3ull << 62 | (uint64_t)m->gpu << 46);
	struct kfd_ioctl_create_queue_args a, b;
	void *view;

	machine_acquire(m, m->gpu);
	a = machine_queue_args(m, m->gpu, SDMA);
	b = machine_queue_args(m, m->gpu, SDMA);
	assert_int_equal(create(m, &a), 0);
	assert_int_equal(create(m, &b), 0);
	/* user space adds the queue id by itself */
	assert_true(a.doorbell_offset == (uint64_t)slice && b.doorbell_offset == (uint64_t)slice);
	view = kfd_model_mmap(m->model, m->file, NULL, 8192, PROT_READ, MAP_SHARED, slice);
	assert_ptr_equal(view, MAP_FAILED);
	view = kfd_model_mmap(m->model, m->file, NULL, 4096, PROT_READ, MAP_SHARED, slice);
	assert_ptr_not_equal(view, MAP_FAILED);
	munmap(view, 4096);
}

/* Half of the memory, twice in a row: the ring wraps without a seam (kfd.md 6.1). */
static void an_aql_ring_of_older_generations_is_mapped_twice(struct machine *m)
{
	struct kfd_ioctl_create_queue_args args;
	struct buffer ring;

	machine_acquire(m, m->gpu);
	args = machine_queue_args(m, m->gpu, AQL);
	ring = machine_alloc_mapped(m, m->gpu, 2 * PAGE,
				    KFD_IOC_ALLOC_MEM_FLAGS_GTT |
					    KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM);
	args.ring_base_address = ring.va;
	args.ring_size = 2 * PAGE;
	assert_int_equal(create(m, &args), 0);
	assert_int_equal(machine_free(m, ring.handle), -EBUSY);
}

static void checks_come_in_the_drivers_order(struct machine *m)
{
	struct kfd_ioctl_create_queue_args good, args;

	good = (struct kfd_ioctl_create_queue_args){ .gpu_id = UNKNOWN_GPU,
						     .queue_type = 99,
						     .queue_percentage = 101,
						     .queue_priority = 16,
						     .ring_base_address = HIGH,
						     .ring_size = 3000,
						     .read_pointer_address = HIGH };
	args = good;
	assert_int_equal(create(m, &args), -EINVAL); /* percentage */
	good.queue_percentage = 100;
	args = good;
	assert_int_equal(create(m, &args), -EINVAL); /* priority */
	good.queue_priority = 15;
	args = good;
	assert_int_equal(create(m, &args), -EFAULT); /* ring, before its size */
	good.ring_base_address = PAGE;
	args = good;
	assert_int_equal(create(m, &args), -EINVAL); /* size */
	good.ring_size = 4096;
	args = good;
	assert_int_equal(create(m, &args), -EFAULT); /* read pointer */
	good.read_pointer_address = PAGE;
	args = good;
	assert_int_equal(create(m, &args), -524); /* type, before the GPU */
	good.queue_type = BY_ENGINE;
	args = good;
	assert_int_equal(create(m, &args), -EINVAL); /* GPU */
	good.gpu_id = m->gpu;
	good.sdma_engine_id = 5;
	args = good;
	assert_int_equal(create(m, &args), -EINVAL); /* engine, before the VM */
	good.sdma_engine_id = 4;
	args = good;
	assert_int_equal(create(m, &args), -ESRCH);
}

static void addresses_must_be_the_users(struct machine *m)
{
	struct kfd_ioctl_create_queue_args args = { .gpu_id = m->gpu };

	args.write_pointer_address = HIGH;
	assert_int_equal(create(m, &args), -EFAULT);
	args.write_pointer_address = 0;
	args.eop_buffer_address = HIGH;
	assert_int_equal(create(m, &args), -EFAULT);
	args.eop_buffer_address = 0;
	args.ctx_save_restore_address = HIGH;
	assert_int_equal(create(m, &args), -EFAULT);
}

static void buffers_must_be_whole_allocations(struct machine *m)
{
	struct kfd_ioctl_create_queue_args good, args;

	machine_acquire(m, m->gpu);
	good = machine_queue_args(m, m->gpu, AQL);
	args = good;
	args.ring_base_address += PAGE; /* mapped by nobody */
	assert_int_equal(create(m, &args), -EINVAL);
	args = good;
	args.ring_size *= 2; /* more than the buffer */
	assert_int_equal(create(m, &args), -EINVAL);
	args = good;
	args.write_pointer_address = 0;
	assert_int_equal(create(m, &args), -EINVAL);
	args = good;
	args.ctl_stack_size += PAGE;
	assert_int_equal(create(m, &args), -EINVAL);
	args = good;
	args.ctx_save_restore_size -= PAGE;
	assert_int_equal(create(m, &args), -EINVAL);
	args = good;
	args.eop_buffer_address += PAGE;
	assert_int_equal(create(m, &args), -EINVAL);
	assert_int_equal(create(m, &good), 0);
}

static void older_kernels_look_at_no_buffer(struct machine *m)
{
	struct kfd_ioctl_create_queue_args args;

	machine_acquire(m, m->gpu);
	args = machine_queue_args(m, m->gpu, AQL);
	args.ctl_stack_size += PAGE;
	assert_int_equal(create(m, &args), 0);
}

static void a_live_queue_keeps_its_buffers(struct machine *m)
{
	struct kfd_ioctl_create_queue_args args;
	struct buffer ring;

	machine_acquire(m, m->gpu);
	args = machine_queue_args(m, m->gpu, SDMA);
	ring = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	args.ring_base_address = ring.va;
	assert_int_equal(create(m, &args), 0);
	assert_int_equal(machine_unmap(m, ring.handle, m->gpu), -EBUSY);
	assert_int_equal(machine_free(m, ring.handle), -EBUSY);
	assert_int_equal(destroy(m, args.queue_id), 0);
	assert_int_equal(machine_unmap(m, ring.handle, m->gpu), 0);
	assert_int_equal(machine_free(m, ring.handle), 0);
}

static void sdma_slots_run_out(struct machine *m)
{
	struct kfd_ioctl_create_queue_args args;
	uint32_t slots = m->node->num_sdma_engines * m->node->num_sdma_queues_per_engine;

	machine_acquire(m, m->gpu);
	for (uint32_t i = 0; i < slots; i++)
		machine_queue(m, m->gpu, SDMA);
	args = machine_queue_args(m, m->gpu, SDMA);
	assert_int_equal(create(m, &args), -ENOMEM);
	args = machine_queue_args(m, m->gpu, XGMI); /* engines of their own */
	assert_int_equal(create(m, &args), 0);
	assert_int_equal(destroy(m, 3), 0);
	args = machine_queue_args(m, m->gpu, SDMA);
	assert_int_equal(create(m, &args), 0);
	assert_int_equal(args.queue_id, 3);
}

static void a_gpu_has_a_limit_of_queues(struct machine *m)
{
	struct kfd_ioctl_create_queue_args args;
	int rc = 0, count = 0;

	machine_acquire(m, m->gpu);
	args = machine_queue_args(m, m->gpu, AQL);
	for (; !rc; count++)
		rc = create(m, &args);
	assert_int_equal(rc, -ENOSPC);
	assert_int_equal(count, 128); /* 127 and the one that failed */
}

static void destroy_needs_a_known_queue(struct machine *m)
{
	assert_int_equal(destroy(m, 0), -EINVAL);
	assert_int_equal(destroy(m, 5000), -EINVAL);
}

static void update_refuses_bad_arguments(struct machine *m)
{
	struct kfd_ioctl_update_queue_args args = { .queue_percentage = 101 };

	machine_acquire(m, m->gpu);
	args.queue_id = machine_queue(m, m->gpu, SDMA);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &args), -EINVAL);
	args.queue_percentage = 100;
	args.queue_priority = 16;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &args), -EINVAL);
	args.queue_priority = 1;
	args.ring_size = 5000;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &args), -EINVAL);
	args.ring_size = 4096;
	args.ring_base_address = PAGE; /* nothing is mapped there */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &args), -EINVAL);
	args.ring_base_address = 0; /* disables */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &args), 0);
}

static void update_of_an_unknown_queue_is_efault(struct machine *m)
{
	struct kfd_ioctl_update_queue_args args = { .queue_id = 7 };

	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &args), -EFAULT);
	args.queue_percentage = 100;
	args.ring_size = 4096;
	args.ring_base_address = HIGH;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &args), -EFAULT);
}

static void cu_mask_is_checked(struct machine *m)
{
	uint32_t mask[2] = { 0x3, 0 };
	struct kfd_ioctl_set_cu_mask_args args = { .cu_mask_ptr = (uintptr_t)mask };

	machine_acquire(m, m->gpu);
	args.queue_id = machine_queue(m, m->gpu, AQL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_CU_MASK, &args), -EINVAL);
	args.num_cu_mask = 33;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_CU_MASK, &args), -EINVAL);
	args.num_cu_mask = 64;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_CU_MASK, &args), 0);
	args.cu_mask_ptr = BAD_ADDRESS;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_CU_MASK, &args), -EFAULT);
	args.cu_mask_ptr = (uintptr_t)mask;
	args.queue_id = 77;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_CU_MASK, &args), -EFAULT);
}

static void cu_pairs_must_not_be_split(struct machine *m)
{
	uint32_t mask = 0x1;
	struct kfd_ioctl_set_cu_mask_args args = { .cu_mask_ptr = (uintptr_t)&mask,
						   .num_cu_mask = 32 };

	machine_acquire(m, m->gpu);
	args.queue_id = machine_queue(m, m->gpu, AQL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_CU_MASK, &args), -EINVAL);
	mask = 0x33;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_SET_CU_MASK, &args), 0);
}

static void wave_state_needs_a_stopped_compute_queue(struct machine *m)
{
	uint32_t state[4] = { 1, 1, 1, 1 };
	struct kfd_ioctl_get_queue_wave_state_args args = { .ctl_stack_address = (uintptr_t)state };
	struct kfd_ioctl_update_queue_args stop = { 0 };

	machine_acquire(m, m->gpu);
	args.queue_id = machine_queue(m, m->gpu, SDMA);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args), -EINVAL);
	args.queue_id = stop.queue_id = machine_queue(m, m->gpu, AQL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args), -EINVAL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_UPDATE_QUEUE, &stop), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args), 0);
	assert_int_equal(state[1], 0);
	assert_int_equal(state[3], 0);
	args.ctl_stack_address = BAD_ADDRESS;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args), -EFAULT);
	args.queue_id = 99;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &args), -EFAULT);
}

static void gws_belongs_to_one_queue(struct machine *m)
{
	struct kfd_ioctl_alloc_queue_gws_args a = { .num_gws = 0 }, b = { .num_gws = 4 };

	machine_acquire(m, m->gpu);
	a.queue_id = machine_queue(m, m->gpu, AQL);
	b.queue_id = machine_queue(m, m->gpu, AQL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &a), -EINVAL);
	a.num_gws = 64;
	a.first_gws = 9;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &a), 0);
	assert_int_equal(a.first_gws, 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &b), -EBUSY);
	assert_int_equal(destroy(m, a.queue_id), 0); /* releases */
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &b), 0);
	b.num_gws = 0;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &b), 0);
	b.queue_id = 500;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &b), -EINVAL);
}

static void gws_needs_the_hardware(struct machine *m)
{
	struct kfd_ioctl_alloc_queue_gws_args args = { .num_gws = 1 };

	machine_acquire(m, m->gpu);
	args.queue_id = machine_queue(m, m->gpu, AQL);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_ALLOC_QUEUE_GWS, &args), -ENODEV);
}

/* A queue that runs: SDMA writes a word and raises the interrupt of an event. */
static void a_queue_moves_bytes_and_signals(struct machine *m)
{
	struct kfd_ioctl_create_event_args event = { .event_type = KFD_IOC_EVENT_SIGNAL };
	struct kfd_event_data data = { 0 };
	struct kfd_ioctl_wait_events_args wait = { .events_ptr = (uintptr_t)&data,
						   .num_events = 1,
						   .timeout = 5000 };
	struct kfd_ioctl_create_queue_args args;
	struct buffer page, ring, pointers, target;
	uint64_t *slots, *wptr;
	uint32_t *packets, *memory;
	uint64_t *doorbell;

	machine_acquire(m, m->gpu);
	page = machine_alloc_mapped(m, m->gpu, 32768, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	ring = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
	pointers = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	target = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
	event.event_page_offset = page.handle;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_CREATE_EVENT, &event), 0);
	args = machine_queue_args(m, m->gpu, SDMA);
	args.ring_base_address = ring.va;
	args.write_pointer_address = pointers.va;
	args.read_pointer_address = pointers.va + 8;
	assert_int_equal(create(m, &args), 0);
	slots = kfd_model_render_mmap(m->model, NULL, 32768, PROT_READ | PROT_WRITE, MAP_SHARED,
				      (off_t)page.mmap_offset);
	packets = kfd_model_render_mmap(m->model, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
					(off_t)ring.mmap_offset);
	memory = kfd_model_render_mmap(m->model, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
				       (off_t)target.mmap_offset);
	doorbell = kfd_model_mmap(m->model, m->file, NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
				  (off_t)(args.doorbell_offset & ~8191ull));
	assert_ptr_not_equal(doorbell, MAP_FAILED);
	wptr = (uint64_t *)(uintptr_t)pointers.mmap_offset;
	{
		uint64_t mailbox = page.va + 8ull * event.event_id;
		const uint32_t program[] = {
			5, (uint32_t)target.va, (uint32_t)(target.va >> 32), 0x1234, /* fence */
			5, (uint32_t)mailbox,   (uint32_t)(mailbox >> 32),   event.event_id,
			6, event.event_id, /* trap */
		};

		memcpy(packets, program, sizeof(program));
		__atomic_store_n(wptr, sizeof(program), __ATOMIC_RELEASE);
		__atomic_store_n(&doorbell[(args.doorbell_offset & 8191) / 8], sizeof(program),
				 __ATOMIC_RELEASE);
	}
	data.event_id = event.event_id;
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_WAIT_EVENTS, &wait), 0);
	assert_int_equal(wait.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_int_equal(memory[0], 0x1234);
	assert_true(slots[event.event_id] == UINT64_MAX); /* taken by the driver */
	munmap(slots, 32768);
	munmap(packets, 4096);
	munmap(memory, 4096);
	munmap(doorbell, 8192);
}

/* A queue that reads where nothing is mapped: the memory event tells where. */
static void a_bad_address_raises_the_memory_event(struct machine *m)
{
	uint32_t id = machine_event(m, KFD_IOC_EVENT_MEMORY, false);
	struct kfd_event_data data = { .event_id = id };
	struct kfd_ioctl_wait_events_args wait = { .events_ptr = (uintptr_t)&data,
						   .num_events = 1,
						   .timeout = 5000 };
	struct kfd_ioctl_create_queue_args args;
	struct buffer ring, pointers;
	uint64_t *wptr;

	machine_acquire(m, m->gpu);
	args = machine_queue_args(m, m->gpu, SDMA);
	ring = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	pointers = machine_alloc_mapped(m, m->gpu, 4096, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR);
	args.ring_base_address = ring.va;
	args.write_pointer_address = pointers.va;
	args.read_pointer_address = pointers.va + 8;
	{
		const uint32_t program[] = { 5, 0xdead1234, 0x600, 1 };

		memcpy((void *)(uintptr_t)ring.mmap_offset, program, sizeof(program));
		wptr = (uint64_t *)(uintptr_t)pointers.mmap_offset;
		__atomic_store_n(wptr, sizeof(program), __ATOMIC_RELEASE);
	}
	assert_int_equal(create(m, &args), 0);
	assert_int_equal(machine_ioctl(m, AMDKFD_IOC_WAIT_EVENTS, &wait), 0);
	assert_int_equal(wait.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
	assert_true(data.memory_exception_data.va == 0x600dead1000ull);
	assert_int_equal(data.memory_exception_data.gpu_id, m->gpu);
	assert_int_equal(data.memory_exception_data.failure.NotPresent, 1);
}

/* clang-format off */
static const struct conformance_case cases[] = {
	{ "CREATE_QUEUE", NULL, "ids are the lowest free", ids_are_the_lowest_free, NULL, NULL },
	{ "DESTROY_QUEUE", NULL, "an id is free again at once", ids_are_the_lowest_free, NULL, NULL },
	{ "CREATE_QUEUE", NULL, "doorbells lie in one slice", doorbells_lie_in_one_slice, NULL, NULL },
	{ "CREATE_QUEUE", NULL, "older generations have a page of small doorbells",
	  older_generations_have_a_page_of_small_doorbells, "gfx803", NULL },
	{ "CREATE_QUEUE", NULL, "an AQL ring of older generations is mapped twice",
	  an_aql_ring_of_older_generations_is_mapped_twice, "gfx803", NULL },
	{ "CREATE_QUEUE", "EINVAL", "checks come in the driver's order", checks_come_in_the_drivers_order, NULL, NULL },
	{ "CREATE_QUEUE", "ENOTSUPP(524)", "unknown types are refused", checks_come_in_the_drivers_order, NULL, NULL },
	{ "CREATE_QUEUE", "ESRCH", "the address space comes first", checks_come_in_the_drivers_order, NULL, NULL },
	{ "CREATE_QUEUE", "EFAULT", "addresses must be the user's", addresses_must_be_the_users, NULL, NULL },
	{ "CREATE_QUEUE", "EINVAL", "buffers must be whole allocations", buffers_must_be_whole_allocations, NULL, NULL },
	{ "CREATE_QUEUE", NULL, "older kernels look at no buffer", older_kernels_look_at_no_buffer, NULL,
	  "{\"kfd_minor\": 14}" },
	{ "CREATE_QUEUE", NULL, "a live queue keeps its buffers", a_live_queue_keeps_its_buffers, NULL, NULL },
	{ "CREATE_QUEUE", "ENOMEM", "SDMA slots run out", sdma_slots_run_out, NULL, NULL },
	{ "CREATE_QUEUE", "ENOSPC", "a GPU has a limit of queues", a_gpu_has_a_limit_of_queues, NULL, NULL },
	{ "DESTROY_QUEUE", "EINVAL", "the queue must be known", destroy_needs_a_known_queue, NULL, NULL },
	{ "UPDATE_QUEUE", "EINVAL", "bad arguments are refused", update_refuses_bad_arguments, NULL, NULL },
	{ "UPDATE_QUEUE", "EFAULT", "the queue must be known", update_of_an_unknown_queue_is_efault, NULL, NULL },
	{ "SET_CU_MASK", "EINVAL", "the mask is checked", cu_mask_is_checked, NULL, NULL },
	{ "SET_CU_MASK", "EFAULT", "mask and queue must exist", cu_mask_is_checked, NULL, NULL },
	{ "SET_CU_MASK", "EINVAL", "pairs must not be split", cu_pairs_must_not_be_split, "gfx1100", NULL },
	{ "GET_QUEUE_WAVE_STATE", "EINVAL", "a stopped compute queue is needed",
	  wave_state_needs_a_stopped_compute_queue, NULL, NULL },
	{ "GET_QUEUE_WAVE_STATE", "EFAULT", "queue and buffer must exist",
	  wave_state_needs_a_stopped_compute_queue, NULL, NULL },
	{ "ALLOC_QUEUE_GWS", "EINVAL", "nothing to release is an error", gws_belongs_to_one_queue, NULL, NULL },
	{ "ALLOC_QUEUE_GWS", "EBUSY", "it belongs to one queue", gws_belongs_to_one_queue, NULL, NULL },
	{ "ALLOC_QUEUE_GWS", "ENODEV", "the hardware must have it", gws_needs_the_hardware, "gfx906", NULL },
	{ "CREATE_QUEUE", NULL, "a queue moves bytes and signals", a_queue_moves_bytes_and_signals, NULL, NULL },
	{ "WAIT_EVENTS", NULL, "a bad address raises the memory event", a_bad_address_raises_the_memory_event, NULL, NULL },
};
/* clang-format on */

int main(int argc, char **argv)
{
	return conformance_main(argc, argv, "queue", cases, sizeof(cases) / sizeof(cases[0]));
}
