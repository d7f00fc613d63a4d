/* SPDX-License-Identifier: MIT */
/*
 * A simulated machine for one conformance case, and the frame in which the cases of a file run: each
 * case says which call and which errno it is about, so that coverage.py can compare the list with
 * tests/data/ioctl.json.
 */
#ifndef KFDSCOPE_TESTS_CONFORMANCE_MACHINE_H
#define KFDSCOPE_TESTS_CONFORMANCE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hsakmt/linux/kfd_ioctl.h"
#include "model.h"
#include "topology.h"

#define MACHINE_RENDERS 8
#define PAGE            4096ull
#define UNKNOWN_GPU     0xbeefu
#define BAD_ADDRESS     0x10ull /* mapped by nobody */

struct machine {
	struct kfd_model *model;
	struct kfd_model_file *file;
	uint32_t gpu;                      /* first GPU */
	uint32_t second_gpu;               /* 0 when there is one only */
	const struct kfd_model_node *node; /* of the first GPU */
	struct {
		int fd;
		uint32_t minor;
		uint64_t file_id;
	} renders[MACHINE_RENDERS];
	unsigned int render_count;
	char scenario_path[64];
};

struct conformance_case {
	const char *call;  /* name without AMDKFD_IOC_ */
	const char *error; /* errno name that the case shows, or NULL */
	const char *sentence;
	void (*run)(struct machine *m);
	const char *topology; /* NULL: gfx90a */
	const char *scenario; /* JSON text, or NULL */
};

/* Runs all cases of a program; with --list prints them instead. @return the exit code. */
int conformance_main(int argc, char **argv, const char *group, const struct conformance_case *cases,
		     size_t count);

/* Starts anew with offsets that are those of the memory file, as with a plug-in. */
void machine_be_plain(struct machine *m);
/* An ioctl with any argument. @return what the driver returns: 0 or more, or -errno. */
int machine_ioctl(struct machine *m, unsigned long request, void *args);
/* A descriptor that is this render node, of a new open file. */
int machine_render(struct machine *m, uint32_t minor);
/* Acquires the address space of a GPU. */
void machine_acquire(struct machine *m, uint32_t gpu_id);

/* The SVM argument with room for attributes, which the interface leaves to the caller. */
struct machine_svm {
	uint64_t start_addr, size;
	uint32_t op, nattr;
	struct kfd_ioctl_svm_attribute attrs[8];
};
_Static_assert(offsetof(struct machine_svm, attrs) == sizeof(struct kfd_ioctl_svm_args) &&
		       offsetof(struct machine_svm, nattr) ==
			       offsetof(struct kfd_ioctl_svm_args, nattr),
	       "machine_svm is the SVM argument");
/* Calls it with the size that its attributes make. */
int machine_svm(struct machine *m, struct machine_svm *call);

struct buffer {
	uint64_t va, size, handle, mmap_offset;
	uint32_t gpu;
};
/* Allocates at a new address; fails the test when that fails. */
struct buffer machine_alloc(struct machine *m, uint32_t gpu_id, uint64_t size, uint32_t flags);
/* The same, mapped to the GPU. */
struct buffer machine_alloc_mapped(struct machine *m, uint32_t gpu_id, uint64_t size,
				   uint32_t flags);
int machine_map(struct machine *m, uint64_t handle, uint32_t gpu_id);
int machine_unmap(struct machine *m, uint64_t handle, uint32_t gpu_id);
int machine_free(struct machine *m, uint64_t handle);
/* Address space that nothing uses. */
uint64_t machine_va(uint64_t size);
/* Argument of a queue that the driver accepts; AQL, SDMA … by KFD type. */
struct kfd_ioctl_create_queue_args machine_queue_args(struct machine *m, uint32_t gpu_id,
						      uint32_t type);
/* Creates such a queue. @return its id. */
uint32_t machine_queue(struct machine *m, uint32_t gpu_id, uint32_t type);
/* Creates an event. @return its id. */
uint32_t machine_event(struct machine *m, uint32_t type, bool auto_reset);

#endif
