/* SPDX-License-Identifier: MIT */
/*
 * The memory half of a KFD for unit tests: it keeps buffer objects and where they are mapped, refuses
 * what the kernel refuses (kfd.md 4, 6), and knows at the end whether anything is left. With it comes
 * a context that is opened on a fake device and has its apertures.
 */
#ifndef KFDSCOPE_TESTS_FAKE_KFD_H
#define KFDSCOPE_TESTS_FAKE_KFD_H

#include <pthread.h>

#include "context.h"
#include "fake_device.h"
#include "hsakmt/linux/kfd_ioctl.h"

/*
 * Whether a range below 2^40 can be reserved at all: the sanitizers' shadow memory sits there, and
 * looking for a gap takes long.
 */
#ifdef __has_feature
#define FAKE_KFD_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAKE_KFD_SANITIZED 1
#else
#define FAKE_KFD_SANITIZED 0
#endif

#define FAKE_KFD_GPUS 8
/* SET_ATTR and GET_ATTR calls that are remembered. */
#define FAKE_KFD_SVM_CALLS 64
#define FAKE_KFD_SVM_ATTRS 16

struct fake_bo {
	uint64_t handle, va, size_bytes, user_addr; /* handle 0: free entry */
	uint32_t gpu_id, flags;
	uint32_t gpus[FAKE_KFD_GPUS]; /* mapped to */
	uint32_t gpu_count;
	bool busy; /* FREE gives EBUSY whatever is mapped */
};

struct fake_svm_call {
	uint32_t op, count;
	uint64_t start, size_bytes;
	struct kfd_ioctl_svm_attribute attributes[FAKE_KFD_SVM_ATTRS];
};

/* What GET_DMABUF_INFO knows of a descriptor. */
struct fake_dma_buf {
	uint32_t gpu_id, flags, metadata_size_bytes;
	uint64_t size_bytes;
};

struct fake_kfd {
	struct fake_device *device;        /* owned */
	struct kmt_context *ctx;           /* the primary one */
	const struct device_ops *slow_ops; /* borrowed: the fake device's, after go_fast */
	pthread_mutex_t lock;              /* protects all below */

	struct fake_bo *bos; /* owned */
	uint32_t bo_room, bo_count, bo_hint;
	uint32_t next_number;

	/* Apertures: of the GPUs of the tree, in this order. Set before the apertures are made. */
	uint32_t gpu_ids[FAKE_KFD_GPUS];
	uint32_t gpu_count;
	uint64_t gpuvm_base, gpuvm_limit;
	bool no_new_apertures; /* only the legacy call is known */

	uint32_t map_success_limit; /* MAP fails after so many GPUs; 0: never */
	struct fake_svm_call svm[FAKE_KFD_SVM_CALLS];
	uint32_t svm_count;
	struct fake_dma_buf dma_buf;
	int32_t xnack;
	uint32_t ipc_flags;
	uint64_t ipc_mmap_offset;
};

/*
 * A context with snapshot and apertures. Environment variables are to be set before.
 * @param tree  a.tree (one GPU) or b.tree (two that are linked).
 */
struct fake_kfd *fake_kfd_open(const char *tree);
/* In two steps, for tests that change the tree or the kernel in between. */
struct fake_kfd *fake_kfd_prepare(const char *tree);
HSAKMT_STATUS fake_kfd_acquire(struct fake_kfd *kfd);
/* Closes the context and frees everything. */
void fake_kfd_close(struct fake_kfd *kfd);

/* The ioctls themselves. @return 0 or -errno. */
int fake_kfd_ioctl(struct fake_kfd *kfd, unsigned long request, void *arg);

/* The BO that begins at a GPU address, or NULL. */
struct fake_bo *fake_kfd_bo(struct fake_kfd *kfd, const void *va);
/* Live BOs without the library's own MMIO pages. */
uint32_t fake_kfd_live(const struct fake_kfd *kfd);
/* GPUs that the BO at an address is mapped to, as "40961 2987"; borrowed until the next call. */
const char *fake_kfd_mapped(struct fake_kfd *kfd, const void *va);

/*
 * From now on system calls reach the kernel and this KFD without being logged, for tests that make
 * millions of them, and memory is not reserved, for those that ask for terabytes. In force until
 * fake_kfd_close().
 */
void fake_kfd_go_fast(struct fake_kfd *kfd);

#endif
