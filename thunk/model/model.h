/* SPDX-License-Identifier: MIT */
/*
 * The simulated KFD as its fronts and its tests see it: one machine (topology and scenario) that a
 * process opens, and then speaks to by ioctl number. Behaviour is that of kfd.md; calls return
 * 0 or a positive result on success and -errno on failure.
 *
 * Lock order: file table of a front, process, VM (reading or writing), queue table, events, SMI
 * streams, machine.
 */
#ifndef KFDSCOPE_THUNK_MODEL_MODEL_H
#define KFDSCOPE_THUNK_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KFD_MODEL_MAX_GPUS 64

struct kfd_model;      /* the machine */
struct kfd_model_file; /* one open of /dev/kfd */
struct kfd_model_node; /* topology.h */

/* What the machine needs to know from the front that it is used through. */
struct kfd_model_front {
	/*
	 * Says which render node a descriptor is.
	 * @param minor    out: the DRM minor; 0 when the descriptor serves as every render node.
	 * @param file_id  out: equal for two descriptors of one open file.
	 * @return 0, or -EINVAL when fd is no render node.
	 */
	int (*render_file)(void *data, int fd, uint32_t *minor, uint64_t *file_id);
	void *data; /* borrowed, handed to render_file */
	/*
	 * True when user space maps the memory file directly at what the ioctls return, so that
	 * those must be plain file offsets; false for the offsets of the real driver (kfd.md 3).
	 */
	bool plain_offsets;
};

/*
 * Builds a machine.
 *
 * @param topology_dir   directory with generation_id, system_properties and nodes/ (kfd.md 8).
 * @param scenario_path  JSON file (docs/simulation.md), or NULL for none.
 * @param front          copied.
 * @param out            the machine, the caller's to kfd_model_free().
 * @return 0 or -errno; the reason has then been logged in one line.
 */
int kfd_model_new(const char *topology_dir, const char *scenario_path,
		  const struct kfd_model_front *front, struct kfd_model **out)
	__attribute__((warn_unused_result));
/* Stops all engines and frees everything; accepts NULL. Files must not be used afterwards. */
void kfd_model_free(struct kfd_model *model);
/* In a forked child: forgets the parent's process objects, whose files now answer EBADF. */
void kfd_model_after_fork(struct kfd_model *model);

struct hsakmt_model_functions;
/*
 * Before the first open: has a plug-in of interface 0.4 run the queues in place of our own engines.
 * @param functions  its table, borrowed for good.
 */
void kfd_model_use_engines(struct kfd_model *model, const struct hsakmt_model_functions *functions);

/* Number of topology nodes, and one of them (NULL when out of range). */
uint32_t kfd_model_node_count(const struct kfd_model *model);
const struct kfd_model_node *kfd_model_node_at(const struct kfd_model *model, uint32_t index);
/* The node with this DRM minor or gpu id; NULL when there is none. */
const struct kfd_model_node *kfd_model_node_of_minor(const struct kfd_model *model, uint32_t minor);
const struct kfd_model_node *kfd_model_node_of_gpu(const struct kfd_model *model, uint32_t gpu_id);
/* Directory of the topology tree. */
const char *kfd_model_topology_dir(const struct kfd_model *model);
/* Errno that the scenario wants for opening this path (kfd, renderD128, a sysfs file), or 0. */
int kfd_model_open_errno(struct kfd_model *model, const char *path);

/*
 * Opens the KFD for the calling process; the first open makes its process object.
 * @return 0, or -errno: -ENOMEM, -EINVAL for a child of vfork(), or what the scenario says.
 */
int kfd_model_open(struct kfd_model *model, struct kfd_model_file **out)
	__attribute__((warn_unused_result));
/*
 * For a descriptor that a process opened and handed over: an open of this process if it is the opener
 * itself and has a process object, else one that answers EBADF, but for the checkpoint that the
 * opener's tracer takes (kfd.md 1).
 * @param opener  0 when it is not known.
 * @return 0 or -ENOMEM.
 */
int kfd_model_open_of(struct kfd_model *model, pid_t opener, struct kfd_model_file **out)
	__attribute__((warn_unused_result));
/* Drops the open; the process object stays (kfd.md 1), unless it is a secondary one. */
void kfd_model_close(struct kfd_model_file *file);

/*
 * Carries out an ioctl. Only the number in request selects the handler (kfd.md 1).
 * @param arg  the caller's argument; may be a bad address.
 * @return 0 or a positive result, or -errno.
 */
int kfd_model_ioctl(struct kfd_model_file *file, unsigned long request, void *arg);

/*
 * Maps the KFD (kfd.md 3) for the process that calls; a file with a secondary context shows that
 * one's doorbells and events.
 * @param file  the open file, or NULL for the primary context.
 * @return the address, or MAP_FAILED with errno set.
 */
void *kfd_model_mmap(struct kfd_model *model, struct kfd_model_file *file, void *addr,
		     size_t size_bytes, int prot, int flags, off_t offset);
/* Maps a buffer at the offset that ALLOC or GEM_MMAP returned. Same result. */
void *kfd_model_render_mmap(struct kfd_model *model, void *addr, size_t size_bytes, int prot,
			    int flags, off_t offset);
/*
 * The memory file of the calling process (made when needed), borrowed until the process ends.
 * @return a descriptor or -errno.
 */
int kfd_model_memory_fd(struct kfd_model *model);
/* Whether a descriptor is that memory file. */
bool kfd_model_is_memory(struct kfd_model *model, int fd);
/* The process unmapped this CPU range: SVM ranges there end (kfd.md 6.5). */
void kfd_model_cpu_unmapped(struct kfd_model *model, uint64_t addr, uint64_t size_bytes);

/*
 * A DRM ioctl on a render node of this process (drm.md 3).
 * @param file_id  identifies the open file, as in render_file.
 * @return 0 or -errno.
 */
int kfd_model_drm_ioctl(struct kfd_model *model, const struct kfd_model_node *node,
			uint64_t file_id, unsigned long request, void *arg);
/* The last descriptor of a render file is gone: its GEM handles go too. */
void kfd_model_drm_close(struct kfd_model *model, uint64_t file_id);

/*
 * Whether a descriptor is a dma-buf of this simulation.
 * @param size_bytes, offset, store_fd  out, may be NULL: its size and where it lies in which file;
 *        store_fd is the descriptor itself, which maps that file.
 */
bool kfd_model_dmabuf_look(int fd, uint64_t *size_bytes, uint64_t *offset);

/* One line for the person who set the simulation up, on stderr. Used for bad set-ups only. */
void kfd_model_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
