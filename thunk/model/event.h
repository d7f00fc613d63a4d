/* SPDX-License-Identifier: MIT */
/* Events of a process: the page of slots, ids, state and age, and waiting (kfd.md 7). */
#ifndef KFDSCOPE_THUNK_MODEL_EVENT_H
#define KFDSCOPE_THUNK_MODEL_EVENT_H

#include "hsakmt/linux/kfd_ioctl.h"
#include "process.h"

#define KFD_MODEL_SIGNALS         4096
#define KFD_MODEL_NONSIGNAL_FIRST 0x40000000u

struct kfd_model_event {
	uint32_t id, type, node_id;
	bool auto_reset, signaled;
	uint64_t age;                                /* starts at 1, never 0 */
	struct kfd_hsa_memory_exception_data memory; /* MEMORY type */
	struct kfd_hsa_hw_exception_data hw;         /* HW_EXCEPTION type */
	struct kfd_model_wait_entry *waiters;        /* borrowed list of those who wait */
};

struct kfd_model_events {
	pthread_mutex_t lock;                               /* protects all here */
	struct kfd_model_event *signals[KFD_MODEL_SIGNALS]; /* owned, by id; 0 stays NULL */
	struct kfd_model_event **others; /* owned array, by id - first; entries owned or NULL */
	uint32_t other_capacity;
	uint32_t signal_count;
	uint32_t slot_limit; /* usable slots (kfd.md 7.1) */
	uint64_t *slots;     /* borrowed host address of the page; NULL before it is known */
	struct kfd_model_bo *page_bo; /* counted; a user's page */
	uint64_t kernel_page;         /* store offset of the driver's own page; 0 when none */
	_Atomic uint64_t page_va;     /* where the program has mapped that page; no lock */
};

/* @return NULL without memory. */
struct kfd_model_events *kfd_model_events_new(void);
/* Wakes waiters with EIO; accepts NULL. */
void kfd_model_events_free(struct kfd_model_events *events);

/* The ioctls. The caller holds the process's lock for create, and nothing for the others. */
int kfd_model_event_create(struct kfd_model_process *process,
			   struct kfd_ioctl_create_event_args *args);
int kfd_model_event_destroy(struct kfd_model_process *process, uint32_t id);
int kfd_model_event_set(struct kfd_model_process *process, uint32_t id);
int kfd_model_event_reset(struct kfd_model_process *process, uint32_t id);
int kfd_model_events_wait(struct kfd_model_process *process,
			  struct kfd_ioctl_wait_events_args *args);

/* An interrupt with this context id; 0 is partial information (kfd.md 7.2). */
void kfd_model_events_interrupt(struct kfd_model_process *process, uint32_t context_id);
/* Gives every MEMORY event its data and fires it. */
void kfd_model_events_memory_exception(struct kfd_model_process *process,
				       const struct kfd_hsa_memory_exception_data *data);
/* The same for every HW_EXCEPTION event. */
void kfd_model_events_hw_exception(struct kfd_model_process *process,
				   const struct kfd_hsa_hw_exception_data *data);
/* The program mapped the driver's page: the size limits the usable slots. */
void kfd_model_events_page_mapped(struct kfd_model_process *process, uint64_t va,
				  uint64_t size_bytes);
/*
 * The GPU writes its mailboxes where the program sees the page, and no buffer is mapped there.
 * @return host address of the byte, or NULL when va is not in the page.
 */
void *kfd_model_events_page_host(struct kfd_model_process *process, uint64_t va,
				 uint64_t *span_bytes);

/*
 * For event-image.c, under the events' lock: the pages that slots may lie in.
 * @return 0, -EINVAL, -EBUSY or -ENOMEM.
 */
int kfd_model_events_use_page(struct kfd_model_process *process, uint64_t handle);
int kfd_model_events_make_page(struct kfd_model_process *process);
/* Puts an event into the table under its id. @return 0, -EINVAL for a bad or used id, or -ENOMEM. */
int kfd_model_event_place(struct kfd_model_process *process, struct kfd_model_event *event);
void kfd_model_event_free(struct kfd_model_event *event);

/* For wait.c, all under the events' lock. */
struct kfd_model_event *kfd_model_event_find(struct kfd_model_events *events, uint32_t id);
void kfd_model_event_fire(struct kfd_model_event *event);

#endif
