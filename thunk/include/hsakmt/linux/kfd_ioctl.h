/* SPDX-License-Identifier: MIT */
/*
 * The ioctl interface of the KFD, /dev/kfd: every call, argument structure and constant of the
 * upstream kernel up to interface 1.23 and of the DKMS driver. Names, numbers, sizes and offsets
 * are the kernel's; each call stands right after its argument.
 *
 * The guard is the one of the kernel's own <linux/kfd_ioctl.h>, on purpose: the two headers define
 * the same names, so in one translation unit the first one wins and the other is empty. A source
 * that needs the DKMS calls or a newer interface than the system's header includes this one first.
 *
 * Members are uint32_t and uint64_t where the kernel writes __u32 and __u64; the widths are equal,
 * and addresses of members can be handed to functions that take the standard types.
 */
#ifndef KFD_IOCTL_H_INCLUDED
#define KFD_IOCTL_H_INCLUDED

#include <stdint.h>
#include <sys/ioctl.h>

#define AMDKFD_IOCTL_BASE     'K'
#define AMDKFD_IO(nr)         _IO(AMDKFD_IOCTL_BASE, nr)
#define AMDKFD_IOR(nr, type)  _IOR(AMDKFD_IOCTL_BASE, nr, type)
#define AMDKFD_IOW(nr, type)  _IOW(AMDKFD_IOCTL_BASE, nr, type)
#define AMDKFD_IOWR(nr, type) _IOWR(AMDKFD_IOCTL_BASE, nr, type)

/* --- Version --- */

#define KFD_IOCTL_MAJOR_VERSION 1

struct kfd_ioctl_get_version_args {
	uint32_t major_version; /* out: interface major number, always 1 */
	uint32_t minor_version; /* out: interface minor number of the loaded driver */
};
#define AMDKFD_IOC_GET_VERSION AMDKFD_IOR(0x01, struct kfd_ioctl_get_version_args)

/* --- Queues --- */

/* queue_type */
#define KFD_IOC_QUEUE_TYPE_COMPUTE        0x0
#define KFD_IOC_QUEUE_TYPE_SDMA           0x1
#define KFD_IOC_QUEUE_TYPE_COMPUTE_AQL    0x2
#define KFD_IOC_QUEUE_TYPE_SDMA_XGMI      0x3
#define KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID 0x4

#define KFD_MAX_QUEUE_PERCENTAGE 100
#define KFD_MAX_QUEUE_PRIORITY   15

/* Bytes that the kernel raises a smaller ring to (since Linux 6.12). */
#define KFD_MIN_QUEUE_RING_SIZE 1024

/* Kernels before 1.17 know the first 88 bytes only. */
struct kfd_ioctl_create_queue_args {
	/* in: GPU virtual address of ring, user accessible */
	uint64_t ring_base_address;
	uint64_t write_pointer_address; /* in: address of write index, 8 bytes on gfx9+ */
	uint64_t read_pointer_address;  /* in: address of read index written by hardware */
	/* out: mmap offset of slice; gfx9+ adds slot bytes */
	uint64_t doorbell_offset;
	uint32_t ring_size;                /* in: ring bytes, power of two, or zero */
	uint32_t gpu_id;                   /* in: target GPU */
	uint32_t queue_type;               /* in: KFD_IOC_QUEUE_TYPE_* */
	uint32_t queue_percentage;         /* in: bits 7:0 share 0..100; bits 15:8 PM4 XCC */
	uint32_t queue_priority;           /* in: 0..15, 15 highest, 7 normal */
	uint32_t queue_id;                 /* out: per-process queue number, lowest free */
	uint64_t eop_buffer_address;       /* in: end-of-pipe buffer VA, or 0 */
	uint64_t eop_buffer_size;          /* in: end-of-pipe buffer bytes */
	uint64_t ctx_save_restore_address; /* in: wave save area VA, or 0 */
	uint32_t ctx_save_restore_size;    /* in: save area bytes per XCC without debug part */
	uint32_t ctl_stack_size;           /* in: control stack bytes inside save area */
	uint32_t sdma_engine_id;           /* in: engine for SDMA_BY_ENG_ID type */
	uint32_t metadata_ring_size;       /* in: bytes of metadata ring after primary ring */
};
#define AMDKFD_IOC_CREATE_QUEUE AMDKFD_IOWR(0x02, struct kfd_ioctl_create_queue_args)

/* The first 40 bytes of each XCC's save area. */
struct kfd_context_save_area_header {
	struct {
		uint32_t control_stack_offset;
		uint32_t control_stack_size;
		uint32_t wave_state_offset;
		uint32_t wave_state_size;
	} wave_state;              /* out: filled when the queue is saved */
	uint32_t debug_offset;     /* in: start of debugger area, from this header */
	uint32_t debug_size;       /* in: debugger area bytes */
	uint64_t err_payload_addr; /* in: u64 that receives the exception mask */
	uint32_t err_event_id;     /* in: event signalled with the mask */
	uint32_t reserved1;
};

struct kfd_ioctl_destroy_queue_args {
	uint32_t queue_id; /* in: queue to destroy */
	uint32_t pad;
};
#define AMDKFD_IOC_DESTROY_QUEUE AMDKFD_IOWR(0x03, struct kfd_ioctl_destroy_queue_args)

struct kfd_ioctl_update_queue_args {
	uint64_t ring_base_address; /* in: new ring VA; 0 disables the queue */
	uint32_t queue_id;          /* in: queue to change */
	uint32_t ring_size;         /* in: new bytes; 0 disables the queue */
	uint32_t queue_percentage;  /* in: bits 7:0 share (0 disables); 15:8 XCC */
	uint32_t queue_priority;    /* in: 0..15 */
};
#define AMDKFD_IOC_UPDATE_QUEUE AMDKFD_IOW(0x07, struct kfd_ioctl_update_queue_args)

struct kfd_ioctl_set_cu_mask_args {
	uint32_t queue_id;    /* in: compute queue */
	uint32_t num_cu_mask; /* in: mask length in bits, multiple of 32 */
	uint64_t cu_mask_ptr; /* in: u32 words, bit 1 enables a CU */
};
#define AMDKFD_IOC_SET_CU_MASK AMDKFD_IOW(0x1a, struct kfd_ioctl_set_cu_mask_args)

struct kfd_ioctl_get_queue_wave_state_args {
	uint64_t ctl_stack_address;   /* in: buffer for control stack copy */
	uint32_t ctl_stack_used_size; /* out: valid control stack bytes */
	uint32_t save_area_used_size; /* out: valid wave state bytes */
	uint32_t queue_id;            /* in: stopped compute queue */
	uint32_t pad;
};
#define AMDKFD_IOC_GET_QUEUE_WAVE_STATE                                                            \
	AMDKFD_IOWR(0x1b, struct kfd_ioctl_get_queue_wave_state_args)

struct kfd_ioctl_alloc_queue_gws_args {
	uint32_t queue_id;  /* in: queue that receives global wave sync */
	uint32_t num_gws;   /* in: slots wanted; 0 releases */
	uint32_t first_gws; /* out: always 0 */
	uint32_t pad;
};
#define AMDKFD_IOC_ALLOC_QUEUE_GWS AMDKFD_IOWR(0x1e, struct kfd_ioctl_alloc_queue_gws_args)

struct kfd_ioctl_set_trap_handler_args {
	uint64_t tba_addr; /* in: second-level trap handler code VA */
	uint64_t tma_addr; /* in: trap handler memory VA */
	uint32_t gpu_id;   /* in: target GPU */
	uint32_t pad;
};
#define AMDKFD_IOC_SET_TRAP_HANDLER AMDKFD_IOW(0x13, struct kfd_ioctl_set_trap_handler_args)

/* --- Devices: policy, clocks, apertures, tiling --- */

#define KFD_IOC_CACHE_POLICY_COHERENT    0
#define KFD_IOC_CACHE_POLICY_NONCOHERENT 1

/* misc_process_flag */
#define ENABLE_MFMA_HIGH_PRECISION 0x1

struct kfd_ioctl_set_memory_policy_args {
	uint64_t alternate_aperture_base; /* in: start of alternate-policy VA window */
	uint64_t alternate_aperture_size; /* in: bytes of that window */
	uint32_t gpu_id;                  /* in: target GPU */
	uint32_t default_policy;          /* in: cache policy outside the window */
	uint32_t alternate_policy;        /* in: cache policy inside the window */
	/* in: ENABLE_MFMA_HIGH_PRECISION; named pad before 1.18 */
	uint32_t misc_process_flag;
};
#define AMDKFD_IOC_SET_MEMORY_POLICY AMDKFD_IOW(0x04, struct kfd_ioctl_set_memory_policy_args)

struct kfd_ioctl_get_clock_counters_args {
	uint64_t gpu_clock_counter;    /* out: GPU reference counter; 0 when gpu_id unknown */
	uint64_t cpu_clock_counter;    /* out: CLOCK_MONOTONIC_RAW nanoseconds */
	uint64_t system_clock_counter; /* out: CLOCK_BOOTTIME nanoseconds */
	uint64_t system_clock_freq;    /* out: always 1000000000 */
	uint32_t gpu_id;               /* in: target GPU */
	uint32_t pad;
};
#define AMDKFD_IOC_GET_CLOCK_COUNTERS AMDKFD_IOWR(0x05, struct kfd_ioctl_get_clock_counters_args)

struct kfd_process_device_apertures {
	uint64_t lds_base;      /* out: LDS window first byte */
	uint64_t lds_limit;     /* out: LDS window last byte */
	uint64_t scratch_base;  /* out: private window first byte */
	uint64_t scratch_limit; /* out: private window last byte */
	uint64_t gpuvm_base;    /* out: lowest usable GPU VA */
	uint64_t gpuvm_limit;   /* out: highest usable GPU VA */
	uint32_t gpu_id;        /* out: GPU */
	uint32_t pad;
};

#define NUM_OF_SUPPORTED_GPUS 7

/* Superseded by GET_PROCESS_APERTURES_NEW. */
struct kfd_ioctl_get_process_apertures_args {
	/* out: as many entries as num_of_nodes says */
	struct kfd_process_device_apertures process_apertures[NUM_OF_SUPPORTED_GPUS];
	/* out: entries filled, 0 when no GPU bound */
	uint32_t num_of_nodes;
	uint32_t pad;
};
#define AMDKFD_IOC_GET_PROCESS_APERTURES                                                           \
	AMDKFD_IOR(0x06, struct kfd_ioctl_get_process_apertures_args)

struct kfd_ioctl_get_process_apertures_new_args {
	uint64_t kfd_process_device_apertures_ptr; /* in: array to fill */
	/* in/out: capacity in, 0 queries count; entries out */
	uint32_t num_of_nodes;
	uint32_t pad;
};
#define AMDKFD_IOC_GET_PROCESS_APERTURES_NEW                                                       \
	AMDKFD_IOWR(0x14, struct kfd_ioctl_get_process_apertures_new_args)

struct kfd_ioctl_set_scratch_backing_va_args {
	uint64_t va_addr; /* in: scratch base VA for the process */
	uint32_t gpu_id;  /* in: target GPU */
	uint32_t pad;
};
#define AMDKFD_IOC_SET_SCRATCH_BACKING_VA                                                          \
	AMDKFD_IOWR(0x11, struct kfd_ioctl_set_scratch_backing_va_args)

struct kfd_ioctl_get_tile_config_args {
	uint64_t tile_config_ptr;        /* in: u32 array to fill */
	uint64_t macro_tile_config_ptr;  /* in: u32 array to fill */
	uint32_t num_tile_configs;       /* in/out: capacity in, entries written out */
	uint32_t num_macro_tile_configs; /* in/out: capacity in, entries written out */
	uint32_t gpu_id;                 /* in: target GPU */
	uint32_t gb_addr_config;         /* out: address config register value */
	uint32_t num_banks;              /* out: memory banks */
	uint32_t num_ranks;              /* out: memory ranks */
};
#define AMDKFD_IOC_GET_TILE_CONFIG AMDKFD_IOWR(0x12, struct kfd_ioctl_get_tile_config_args)

/* --- Memory --- */

struct kfd_ioctl_acquire_vm_args {
	uint32_t drm_fd; /* in: open render node fd of the same GPU */
	uint32_t gpu_id; /* in: target GPU */
};
#define AMDKFD_IOC_ACQUIRE_VM AMDKFD_IOW(0x15, struct kfd_ioctl_acquire_vm_args)

/* Kinds of memory: exactly one of these in flags. */
#define KFD_IOC_ALLOC_MEM_FLAGS_VRAM       0x00000001u
#define KFD_IOC_ALLOC_MEM_FLAGS_GTT        0x00000002u
#define KFD_IOC_ALLOC_MEM_FLAGS_USERPTR    0x00000004u
#define KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL   0x00000008u
#define KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP 0x00000010u

/* Properties: any of these in flags. */
#define KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE               0x80000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE             0x40000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC                 0x20000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE          0x10000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM          0x08000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_COHERENT               0x04000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED               0x02000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT           0x01000000u
#define KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS_BEST_EFFORT 0x00800000u

/* Byte offsets of the registers in the page that MMIO_REMAP gives. */
#define KFD_MMIO_REMAP_HDP_MEM_FLUSH_CNTL 0
#define KFD_MMIO_REMAP_HDP_REG_FLUSH_CNTL 4

struct kfd_ioctl_alloc_memory_of_gpu_args {
	uint64_t va_addr;     /* in: GPU VA chosen by user space */
	uint64_t size;        /* in: bytes */
	uint64_t handle;      /* out: buffer handle, gpu_id in high 32 bits */
	uint64_t mmap_offset; /* in/out: USERPTR: CPU address in; else mmap offset out */
	uint32_t gpu_id;      /* in: owning GPU */
	uint32_t flags;       /* in: KFD_IOC_ALLOC_MEM_FLAGS_* */
};
#define AMDKFD_IOC_ALLOC_MEMORY_OF_GPU AMDKFD_IOWR(0x16, struct kfd_ioctl_alloc_memory_of_gpu_args)

struct kfd_ioctl_free_memory_of_gpu_args {
	uint64_t handle; /* in: buffer to free */
};
#define AMDKFD_IOC_FREE_MEMORY_OF_GPU AMDKFD_IOW(0x17, struct kfd_ioctl_free_memory_of_gpu_args)

/* n_success says after a failure how many devices were done; a repeated call goes on from there. */
struct kfd_ioctl_map_memory_to_gpu_args {
	uint64_t handle;               /* in: buffer to map */
	uint64_t device_ids_array_ptr; /* in: u32 gpu_id array */
	uint32_t n_devices;            /* in: array entries */
	uint32_t n_success;            /* in/out: entries already done; progress on return */
};
#define AMDKFD_IOC_MAP_MEMORY_TO_GPU AMDKFD_IOWR(0x18, struct kfd_ioctl_map_memory_to_gpu_args)

struct kfd_ioctl_unmap_memory_from_gpu_args {
	uint64_t handle;               /* in: buffer to unmap */
	uint64_t device_ids_array_ptr; /* in: u32 gpu_id array */
	uint32_t n_devices;            /* in: array entries */
	uint32_t n_success;            /* in/out: entries already done; progress on return */
};
#define AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU                                                           \
	AMDKFD_IOWR(0x19, struct kfd_ioctl_unmap_memory_from_gpu_args)

struct kfd_ioctl_get_available_memory_args {
	uint64_t available; /* out: bytes an allocation could still get */
	uint32_t gpu_id;    /* in: target GPU */
	uint32_t pad;
};
#define AMDKFD_IOC_AVAILABLE_MEMORY AMDKFD_IOWR(0x23, struct kfd_ioctl_get_available_memory_args)

struct kfd_ioctl_get_dmabuf_info_args {
	uint64_t size;          /* out: buffer bytes */
	uint64_t metadata_ptr;  /* in: buffer for opaque metadata, may be 0 */
	uint32_t metadata_size; /* in/out: capacity in, real size out */
	uint32_t gpu_id;        /* out: GPU owning the buffer */
	uint32_t flags;         /* out: VRAM or GTT, plus PUBLIC when visible */
	uint32_t dmabuf_fd;     /* in: dma-buf fd */
};
#define AMDKFD_IOC_GET_DMABUF_INFO AMDKFD_IOWR(0x1c, struct kfd_ioctl_get_dmabuf_info_args)

struct kfd_ioctl_import_dmabuf_args {
	uint64_t va_addr;   /* in: GPU VA for the imported buffer */
	uint64_t handle;    /* out: new buffer handle */
	uint32_t gpu_id;    /* in: importing GPU */
	uint32_t dmabuf_fd; /* in: dma-buf fd */
};
#define AMDKFD_IOC_IMPORT_DMABUF AMDKFD_IOWR(0x1d, struct kfd_ioctl_import_dmabuf_args)

struct kfd_ioctl_export_dmabuf_args {
	uint64_t handle;    /* in: buffer to export */
	uint32_t flags;     /* in: descriptor flags such as O_CLOEXEC, O_RDWR */
	uint32_t dmabuf_fd; /* out: new dma-buf fd */
};
#define AMDKFD_IOC_EXPORT_DMABUF AMDKFD_IOWR(0x24, struct kfd_ioctl_export_dmabuf_args)

/* --- Shared virtual memory --- */

enum kfd_ioctl_svm_op {
	KFD_IOCTL_SVM_OP_SET_ATTR = 0,
	KFD_IOCTL_SVM_OP_GET_ATTR = 1,
};

enum kfd_ioctl_svm_location {
	KFD_IOCTL_SVM_LOCATION_SYSMEM = 0,
	KFD_IOCTL_SVM_LOCATION_UNDEFINED = 0xffffffffu,
};

enum kfd_ioctl_svm_attr_type {
	KFD_IOCTL_SVM_ATTR_PREFERRED_LOC = 0,
	KFD_IOCTL_SVM_ATTR_PREFETCH_LOC = 1,
	KFD_IOCTL_SVM_ATTR_ACCESS = 2,
	KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE = 3,
	KFD_IOCTL_SVM_ATTR_NO_ACCESS = 4,
	KFD_IOCTL_SVM_ATTR_SET_FLAGS = 5,
	KFD_IOCTL_SVM_ATTR_CLR_FLAGS = 6,
	KFD_IOCTL_SVM_ATTR_GRANULARITY = 7,
};

/* The value of SET_FLAGS and CLR_FLAGS. */
#define KFD_IOCTL_SVM_FLAG_HOST_ACCESS       0x1
#define KFD_IOCTL_SVM_FLAG_COHERENT          0x2
#define KFD_IOCTL_SVM_FLAG_HIVE_LOCAL        0x4
#define KFD_IOCTL_SVM_FLAG_GPU_RO            0x8
#define KFD_IOCTL_SVM_FLAG_GPU_EXEC          0x10
#define KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY   0x20
#define KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED 0x40
#define KFD_IOCTL_SVM_FLAG_EXT_COHERENT      0x80

struct kfd_ioctl_svm_attribute {
	uint32_t type;  /* in/out: KFD_IOCTL_SVM_ATTR_* */
	uint32_t value; /* in/out: attribute value or gpu_id */
};

/*
 * The attributes follow the structure in place, so a request number with the real size is made as
 * AMDKFD_IOC_SVM + (nattr * sizeof(struct kfd_ioctl_svm_attribute) << _IOC_SIZESHIFT).
 */
struct kfd_ioctl_svm_args {
	uint64_t start_addr;                    /* in: page-aligned range start */
	uint64_t size;                          /* in: page-multiple range bytes */
	uint32_t op;                            /* in: KFD_IOCTL_SVM_OP_* */
	uint32_t nattr;                         /* in: attribute count following the struct */
	struct kfd_ioctl_svm_attribute attrs[]; /* in/out: attributes in place */
};
#define AMDKFD_IOC_SVM AMDKFD_IOWR(0x20, struct kfd_ioctl_svm_args)

struct kfd_ioctl_set_xnack_mode_args {
	int32_t xnack_enabled; /* in/out: negative queries, 0 off, positive on; returns mode */
};
#define AMDKFD_IOC_SET_XNACK_MODE AMDKFD_IOWR(0x21, struct kfd_ioctl_set_xnack_mode_args)

/* --- Events --- */

/* event_type */
#define KFD_IOC_EVENT_SIGNAL            0
#define KFD_IOC_EVENT_NODECHANGE        1
#define KFD_IOC_EVENT_DEVICESTATECHANGE 2
#define KFD_IOC_EVENT_HW_EXCEPTION      3
#define KFD_IOC_EVENT_SYSTEM_EVENT      4
#define KFD_IOC_EVENT_DEBUG_EVENT       5
#define KFD_IOC_EVENT_PROFILE_EVENT     6
#define KFD_IOC_EVENT_QUEUE_EVENT       7
#define KFD_IOC_EVENT_MEMORY            8

#define KFD_SIGNAL_EVENT_LIMIT 4096

struct kfd_ioctl_create_event_args {
	/* in/out: in: page BO handle (dGPU, first); out: mmap offset */
	uint64_t event_page_offset;
	/* out: interrupt payload value, equals event_id for all types */
	uint32_t event_trigger_data;
	uint32_t event_type; /* in: KFD_IOC_EVENT_* */
	uint32_t auto_reset; /* in: nonzero clears event when a waiter wakes */
	uint32_t node_id;    /* in: topology node for node-bound types */
	uint32_t event_id;   /* out: id; 1..4095 signal types, 0x40000000 up otherwise */
	/* out: page slot, equals event_id; untouched for non-signal */
	uint32_t event_slot_index;
};
#define AMDKFD_IOC_CREATE_EVENT AMDKFD_IOWR(0x08, struct kfd_ioctl_create_event_args)

struct kfd_ioctl_destroy_event_args {
	uint32_t event_id; /* in: event to destroy */
	uint32_t pad;
};
#define AMDKFD_IOC_DESTROY_EVENT AMDKFD_IOW(0x09, struct kfd_ioctl_destroy_event_args)

struct kfd_ioctl_set_event_args {
	uint32_t event_id; /* in: event to signal */
	uint32_t pad;
};
#define AMDKFD_IOC_SET_EVENT AMDKFD_IOW(0x0a, struct kfd_ioctl_set_event_args)

struct kfd_ioctl_reset_event_args {
	uint32_t event_id; /* in: event to clear */
	uint32_t pad;
};
#define AMDKFD_IOC_RESET_EVENT AMDKFD_IOW(0x0b, struct kfd_ioctl_reset_event_args)

/* wait_result; a timeout is success of the call. */
#define KFD_IOC_WAIT_RESULT_COMPLETE 0
#define KFD_IOC_WAIT_RESULT_TIMEOUT  1
#define KFD_IOC_WAIT_RESULT_FAIL     2

/* reset_type */
#define KFD_HW_EXCEPTION_WHOLE_GPU_RESET  0
#define KFD_HW_EXCEPTION_PER_ENGINE_RESET 1

/* reset_cause */
#define KFD_HW_EXCEPTION_GPU_HANG 0
#define KFD_HW_EXCEPTION_ECC      1

/* ErrorType */
#define KFD_MEM_ERR_NO_RAS          0
#define KFD_MEM_ERR_SRAM_ECC        1
#define KFD_MEM_ERR_POISON_CONSUMED 2
#define KFD_MEM_ERR_GPU_HANG        3

struct kfd_memory_exception_failure {
	uint32_t NotPresent; /* out: 1 page unmapped */
	uint32_t ReadOnly;   /* out: 1 write to read-only */
	uint32_t NoExecute;  /* out: 1 fetch from no-execute */
	uint32_t imprecise;  /* out: 1 address not exact */
};

struct kfd_hsa_memory_exception_data {
	struct kfd_memory_exception_failure failure; /* out */
	/* out: faulting byte address, page aligned */
	uint64_t va;
	uint32_t gpu_id;    /* out: faulting GPU */
	uint32_t ErrorType; /* out: KFD_MEM_ERR_* */
};

struct kfd_hsa_hw_exception_data {
	uint32_t reset_type;  /* out: whole GPU or one engine */
	uint32_t reset_cause; /* out: hang or ECC */
	uint32_t memory_lost; /* out: 1 VRAM contents lost */
	uint32_t gpu_id;      /* out: GPU */
};

struct kfd_hsa_signal_event_data {
	uint64_t last_event_age; /* in/out: age last seen in; current age out; 0 disables */
};

/* One element of the array at events_ptr; which union member counts depends on the event's type. */
struct kfd_event_data {
	union {
		struct kfd_hsa_memory_exception_data memory_exception_data;
		struct kfd_hsa_hw_exception_data hw_exception_data;
		struct kfd_hsa_signal_event_data signal_event_data;
	};
	/* in: reserved pointer, 0 */
	uint64_t kfd_event_data_ext;
	uint32_t event_id; /* in: event waited on */
	uint32_t pad;
};

struct kfd_ioctl_wait_events_args {
	uint64_t events_ptr;   /* in: array of kfd_event_data, read and partly written */
	uint32_t num_events;   /* in: array entries */
	uint32_t wait_for_all; /* in: 0 any, nonzero all */
	/* in/out: milliseconds; 0 poll, 0xffffffff forever; remaining on signal */
	uint32_t timeout;
	uint32_t wait_result; /* out: KFD_IOC_WAIT_RESULT_* */
};
#define AMDKFD_IOC_WAIT_EVENTS AMDKFD_IOWR(0x0c, struct kfd_ioctl_wait_events_args)

/* What a read from the event stream can hold, one text line a message. */
#define KFD_SMI_EVENT_MSG_SIZE 96

enum kfd_smi_event {
	KFD_SMI_EVENT_NONE = 0,
	KFD_SMI_EVENT_VMFAULT = 1,
	KFD_SMI_EVENT_THERMAL_THROTTLE = 2,
	KFD_SMI_EVENT_GPU_PRE_RESET = 3,
	KFD_SMI_EVENT_GPU_POST_RESET = 4,
	KFD_SMI_EVENT_MIGRATE_START = 5,
	KFD_SMI_EVENT_MIGRATE_END = 6,
	KFD_SMI_EVENT_PAGE_FAULT_START = 7,
	KFD_SMI_EVENT_PAGE_FAULT_END = 8,
	KFD_SMI_EVENT_QUEUE_EVICTION = 9,
	KFD_SMI_EVENT_QUEUE_RESTORE = 10,
	KFD_SMI_EVENT_UNMAP_FROM_GPU = 11,
	KFD_SMI_EVENT_PROCESS_START = 12,
	KFD_SMI_EVENT_PROCESS_END = 13,
	KFD_SMI_EVENT_ALL_PROCESS = 64,
};

#define KFD_SMI_EVENT_MASK_FROM_INDEX(i) (1ULL << ((i)-1))

enum KFD_MIGRATE_TRIGGERS {
	KFD_MIGRATE_TRIGGER_PREFETCH = 0,
	KFD_MIGRATE_TRIGGER_PAGEFAULT_GPU = 1,
	KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU = 2,
	KFD_MIGRATE_TRIGGER_TTM_EVICTION = 3,
};

enum KFD_QUEUE_EVICTION_TRIGGERS {
	KFD_QUEUE_EVICTION_TRIGGER_SVM = 0,
	KFD_QUEUE_EVICTION_TRIGGER_USERPTR = 1,
	KFD_QUEUE_EVICTION_TRIGGER_TTM = 2,
	KFD_QUEUE_EVICTION_TRIGGER_SUSPEND = 3,
	KFD_QUEUE_EVICTION_CRIU_CHECKPOINT = 4,
	KFD_QUEUE_EVICTION_CRIU_RESTORE = 5,
};

enum KFD_SVM_UNMAP_TRIGGERS {
	KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY = 0,
	KFD_SVM_UNMAP_TRIGGER_MMU_NOTIFY_MIGRATE = 1,
	KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU = 2,
};

struct kfd_ioctl_smi_events_args {
	uint32_t gpuid;   /* in: target GPU */
	uint32_t anon_fd; /* out: event stream fd, read-write */
};
#define AMDKFD_IOC_SMI_EVENTS AMDKFD_IOWR(0x1f, struct kfd_ioctl_smi_events_args)

/* --- Process --- */

/* Makes a second process object for this descriptor. */
#define AMDKFD_IOC_CREATE_PROCESS AMDKFD_IO(0x27)

enum kfd_criu_op {
	KFD_CRIU_OP_PROCESS_INFO = 0,
	KFD_CRIU_OP_CHECKPOINT = 1,
	KFD_CRIU_OP_UNPAUSE = 2,
	KFD_CRIU_OP_RESTORE = 3,
	KFD_CRIU_OP_RESUME = 4,
};

struct kfd_criu_device_bucket {
	uint32_t user_gpu_id;   /* in/out: gpu_id the process sees */
	uint32_t actual_gpu_id; /* in/out: gpu_id of real device */
	uint32_t drm_fd;        /* in/out: render fd used on restore */
	uint32_t pad;
};

struct kfd_criu_bo_bucket {
	uint64_t addr;            /* in/out: buffer VA */
	uint64_t size;            /* in/out: buffer bytes */
	uint64_t offset;          /* in/out: mmap offset at checkpoint */
	uint64_t restored_offset; /* out: new mmap offset on restore */
	uint32_t gpu_id;          /* in/out: gpu_id the process sees */
	uint32_t alloc_flags;     /* in/out: allocation flags */
	uint32_t dmabuf_fd;       /* out: exported fd for contents transfer */
	uint32_t pad;
};

struct kfd_ioctl_criu_args {
	uint64_t devices;        /* in/out: kfd_criu_device_bucket array */
	uint64_t bos;            /* in/out: kfd_criu_bo_bucket array */
	uint64_t priv_data;      /* in/out: opaque blob for driver state */
	uint64_t priv_data_size; /* in/out: blob bytes */
	uint32_t num_devices;    /* in/out: device buckets */
	uint32_t num_bos;        /* in/out: buffer buckets */
	uint32_t num_objects;    /* in/out: queues + events + SVM ranges */
	uint32_t pid;            /* in/out: target process id */
	uint32_t op;             /* in: KFD_CRIU_OP_* */
};
#define AMDKFD_IOC_CRIU_OP AMDKFD_IOWR(0x22, struct kfd_ioctl_criu_args)

/* --- Runtime and debugger --- */

/* mode_mask and capabilities_mask */
#define KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK             0x00000001u
#define KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK          0x00000002u
#define KFD_RUNTIME_ENABLE_CAPS_SUPPORTS_CORE_DUMP_MASK 0x80000000u

enum kfd_dbg_runtime_state {
	DEBUG_RUNTIME_STATE_DISABLED = 0,
	DEBUG_RUNTIME_STATE_ENABLED = 1,
	DEBUG_RUNTIME_STATE_ENABLED_BUSY = 2,
	DEBUG_RUNTIME_STATE_ENABLED_ERROR = 3,
};

struct kfd_ioctl_runtime_enable_args {
	uint64_t r_debug;           /* in: address of debugger rendezvous struct */
	uint32_t mode_mask;         /* in: bit 0 enable, bit 1 save trap temporaries */
	uint32_t capabilities_mask; /* out: bit 31 core dump; ROCm only, else pad */
};
#define AMDKFD_IOC_RUNTIME_ENABLE AMDKFD_IOWR(0x25, struct kfd_ioctl_runtime_enable_args)

struct kfd_runtime_info {
	uint64_t r_debug;       /* out: rendezvous address given at runtime enable */
	uint32_t runtime_state; /* out: DEBUG_RUNTIME_STATE_* */
	uint32_t ttmp_setup;    /* out: 1 when trap temporaries are saved */
};

#define KFD_DBG_EV_FLAG_CLEAR_STATUS 0x1

/* Results in the queue id arrays of SUSPEND_QUEUES and RESUME_QUEUES. */
#define KFD_DBG_QUEUE_ERROR_BIT   30
#define KFD_DBG_QUEUE_INVALID_BIT 31

#define KFD_DBG_QUEUE_ERROR_MASK   (1u << KFD_DBG_QUEUE_ERROR_BIT)
#define KFD_DBG_QUEUE_INVALID_MASK (1u << KFD_DBG_QUEUE_INVALID_BIT)

#define KFD_INVALID_GPUID   0xffffffffu
#define KFD_INVALID_QUEUEID 0xffffffffu
#define KFD_INVALID_FD      0xffffffffu

enum kfd_dbg_trap_override_mode {
	KFD_DBG_TRAP_OVERRIDE_OR = 0,
	KFD_DBG_TRAP_OVERRIDE_REPLACE = 1,
};

enum kfd_dbg_trap_mask {
	KFD_DBG_TRAP_MASK_FP_INVALID = 0x1,
	KFD_DBG_TRAP_MASK_FP_INPUT_DENORMAL = 0x2,
	KFD_DBG_TRAP_MASK_FP_DIVIDE_BY_ZERO = 0x4,
	KFD_DBG_TRAP_MASK_FP_OVERFLOW = 0x8,
	KFD_DBG_TRAP_MASK_FP_UNDERFLOW = 0x10,
	KFD_DBG_TRAP_MASK_FP_INEXACT = 0x20,
	KFD_DBG_TRAP_MASK_INT_DIVIDE_BY_ZERO = 0x40,
	KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH = 0x80,
	KFD_DBG_TRAP_MASK_DBG_MEMORY_VIOLATION = 0x100,
	KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_START = 0x40000000,
	KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_END = 0x80000000,
};

enum kfd_dbg_trap_wave_launch_mode {
	KFD_DBG_TRAP_WAVE_LAUNCH_MODE_NORMAL = 0,
	KFD_DBG_TRAP_WAVE_LAUNCH_MODE_HALT = 1,
	KFD_DBG_TRAP_WAVE_LAUNCH_MODE_DEBUG = 3,
};

enum kfd_dbg_trap_address_watch_mode {
	KFD_DBG_TRAP_ADDRESS_WATCH_MODE_READ = 0,
	KFD_DBG_TRAP_ADDRESS_WATCH_MODE_NONREAD = 1,
	KFD_DBG_TRAP_ADDRESS_WATCH_MODE_ATOMIC = 2,
	KFD_DBG_TRAP_ADDRESS_WATCH_MODE_ALL = 3,
};

enum kfd_dbg_trap_flags {
	KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP = 1,
	KFD_DBG_TRAP_FLAG_SINGLE_ALU_OP = 2,
};

/* Exceptions; a mask holds bit (code - 1). */
enum kfd_dbg_trap_exception_code {
	EC_NONE = 0,
	EC_QUEUE_WAVE_ABORT = 1,
	EC_QUEUE_WAVE_TRAP = 2,
	EC_QUEUE_WAVE_MATH_ERROR = 3,
	EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION = 4,
	EC_QUEUE_WAVE_MEMORY_VIOLATION = 5,
	EC_QUEUE_WAVE_APERTURE_VIOLATION = 6,
	EC_QUEUE_PACKET_DISPATCH_DIM_INVALID = 16,
	EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID = 17,
	EC_QUEUE_PACKET_DISPATCH_CODE_INVALID = 18,
	EC_QUEUE_PACKET_RESERVED = 19,
	EC_QUEUE_PACKET_UNSUPPORTED = 20,
	EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID = 21,
	EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID = 22,
	EC_QUEUE_PACKET_VENDOR_UNSUPPORTED = 23,
	EC_QUEUE_PREEMPTION_ERROR = 30,
	EC_QUEUE_NEW = 31,
	EC_DEVICE_QUEUE_DELETE = 32,
	EC_DEVICE_MEMORY_VIOLATION = 33,
	EC_DEVICE_RAS_ERROR = 34,
	EC_DEVICE_FATAL_HALT = 35,
	EC_DEVICE_NEW = 36,
	EC_PROCESS_RUNTIME = 48,
	EC_PROCESS_DEVICE_REMOVE = 49,
	EC_MAX = 50,
};

#define KFD_EC_MASK(ecode) (1ULL << ((ecode)-1))

enum kfd_dbg_trap_operations {
	KFD_IOC_DBG_TRAP_ENABLE = 0,
	KFD_IOC_DBG_TRAP_DISABLE = 1,
	KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT = 2,
	KFD_IOC_DBG_TRAP_SET_EXCEPTIONS_ENABLED = 3,
	KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE = 4,
	KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE = 5,
	KFD_IOC_DBG_TRAP_SUSPEND_QUEUES = 6,
	KFD_IOC_DBG_TRAP_RESUME_QUEUES = 7,
	KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH = 8,
	KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH = 9,
	KFD_IOC_DBG_TRAP_SET_FLAGS = 10,
	KFD_IOC_DBG_TRAP_QUERY_DEBUG_EVENT = 11,
	KFD_IOC_DBG_TRAP_QUERY_EXCEPTION_INFO = 12,
	KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT = 13,
	KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT = 14,
};

/* ENABLE */
struct kfd_ioctl_dbg_trap_enable_args {
	uint64_t exception_mask; /* in: exceptions the debugger wants */
	uint64_t rinfo_ptr;      /* in: buffer for kfd_runtime_info */
	uint32_t rinfo_size;     /* in/out: capacity in, saved size out */
	uint32_t dbg_fd;         /* in: fd written to on each exception */
};

/* SEND_RUNTIME_EVENT */
struct kfd_ioctl_dbg_trap_send_runtime_event_args {
	uint64_t exception_mask; /* in: exceptions to forward to the runtime */
	uint32_t gpu_id;         /* in: device scope source */
	uint32_t queue_id;       /* in: queue scope source */
};

/* SET_EXCEPTIONS_ENABLED */
struct kfd_ioctl_dbg_trap_set_exceptions_enabled_args {
	uint64_t exception_mask; /* in: new set of exceptions reported to debugger */
};

/* SET_WAVE_LAUNCH_OVERRIDE */
struct kfd_ioctl_dbg_trap_set_wave_launch_override_args {
	uint32_t override_mode;        /* in: KFD_DBG_TRAP_OVERRIDE_* */
	uint32_t enable_mask;          /* in/out: trap bits wanted; previous bits out */
	uint32_t support_request_mask; /* in/out: bits to test; supported bits out */
	uint32_t pad;
};

/* SET_WAVE_LAUNCH_MODE */
struct kfd_ioctl_dbg_trap_set_wave_launch_mode_args {
	uint32_t launch_mode; /* in: KFD_DBG_TRAP_WAVE_LAUNCH_MODE_* */
	uint32_t pad;
};

/* SUSPEND_QUEUES */
struct kfd_ioctl_dbg_trap_suspend_queues_args {
	uint64_t exception_mask;  /* in: exceptions cleared on suspended queues */
	uint64_t queue_array_ptr; /* in/out: u32 queue ids; bits 30/31 set on failure */
	uint32_t num_queues;      /* in: array entries */
	uint32_t grace_period;    /* in: wave grace, units of 1024 GPU clocks */
};

/* RESUME_QUEUES */
struct kfd_ioctl_dbg_trap_resume_queues_args {
	uint64_t queue_array_ptr; /* in/out: u32 queue ids; 0 resumes all */
	uint32_t num_queues;      /* in: array entries */
	uint32_t pad;
};

/* SET_NODE_ADDRESS_WATCH */
struct kfd_ioctl_dbg_trap_set_node_address_watch_args {
	uint64_t address; /* in: watched VA */
	uint32_t mode;    /* in: KFD_DBG_TRAP_ADDRESS_WATCH_MODE_* */
	uint32_t mask;    /* in: address bits compared */
	uint32_t gpu_id;  /* in: target GPU */
	uint32_t id;      /* out: watch slot 0..3 */
};

/* CLEAR_NODE_ADDRESS_WATCH */
struct kfd_ioctl_dbg_trap_clear_node_address_watch_args {
	uint32_t gpu_id; /* in: target GPU */
	uint32_t id;     /* in: watch slot */
};

/* SET_FLAGS */
struct kfd_ioctl_dbg_trap_set_flags_args {
	uint32_t flags; /* in/out: KFD_DBG_TRAP_FLAG_*; previous flags out */
	uint32_t pad;
};

/* QUERY_DEBUG_EVENT */
struct kfd_ioctl_dbg_trap_query_debug_event_args {
	uint64_t exception_mask; /* in/out: bits to clear in; raised bits out */
	uint32_t gpu_id;         /* out: device source, else 0 */
	uint32_t queue_id;       /* out: queue source, else 0xffffffff */
};

/* QUERY_EXCEPTION_INFO */
struct kfd_ioctl_dbg_trap_query_exception_info_args {
	uint64_t info_ptr;        /* in: buffer for details */
	uint32_t info_size;       /* in/out: capacity in, real size out */
	uint32_t source_id;       /* in: gpu_id or queue_id by code class */
	uint32_t exception_code;  /* in: EC_* */
	uint32_t clear_exception; /* in: nonzero clears it */
};

/* GET_QUEUE_SNAPSHOT */
struct kfd_ioctl_dbg_trap_queue_snapshot_args {
	uint64_t exception_mask;   /* in: exceptions cleared per queue */
	uint64_t snapshot_buf_ptr; /* in: kfd_queue_snapshot_entry array */
	uint32_t num_queues;       /* in/out: capacity in, existing out */
	uint32_t entry_size;       /* in/out: stride in, bytes filled out */
};

/* GET_DEVICE_SNAPSHOT */
struct kfd_ioctl_dbg_trap_device_snapshot_args {
	uint64_t exception_mask;   /* in: exceptions cleared per device */
	uint64_t snapshot_buf_ptr; /* in: kfd_dbg_device_info_entry array */
	uint32_t num_devices;      /* in/out: capacity in, existing out */
	uint32_t entry_size;       /* in/out: stride in, bytes filled out */
};

struct kfd_ioctl_dbg_trap_args {
	/* in: target process id */
	uint32_t pid;
	/* in: KFD_IOC_DBG_TRAP_* */
	uint32_t op;
	union {
		struct kfd_ioctl_dbg_trap_enable_args enable;
		struct kfd_ioctl_dbg_trap_send_runtime_event_args send_runtime_event;
		struct kfd_ioctl_dbg_trap_set_exceptions_enabled_args set_exceptions_enabled;
		struct kfd_ioctl_dbg_trap_set_wave_launch_override_args launch_override;
		struct kfd_ioctl_dbg_trap_set_wave_launch_mode_args launch_mode;
		struct kfd_ioctl_dbg_trap_suspend_queues_args suspend_queues;
		struct kfd_ioctl_dbg_trap_resume_queues_args resume_queues;
		struct kfd_ioctl_dbg_trap_set_node_address_watch_args set_node_address_watch;
		struct kfd_ioctl_dbg_trap_clear_node_address_watch_args clear_node_address_watch;
		struct kfd_ioctl_dbg_trap_set_flags_args set_flags;
		struct kfd_ioctl_dbg_trap_query_debug_event_args query_debug_event;
		struct kfd_ioctl_dbg_trap_query_exception_info_args query_exception_info;
		struct kfd_ioctl_dbg_trap_queue_snapshot_args queue_snapshot;
		struct kfd_ioctl_dbg_trap_device_snapshot_args device_snapshot;
	};
};
#define AMDKFD_IOC_DBG_TRAP AMDKFD_IOWR(0x26, struct kfd_ioctl_dbg_trap_args)

struct kfd_queue_snapshot_entry {
	uint64_t exception_status;           /* out: raised exception mask */
	uint64_t ring_base_address;          /* out: ring VA */
	uint64_t write_pointer_address;      /* out: write index VA */
	uint64_t read_pointer_address;       /* out: read index VA */
	uint64_t ctx_save_restore_address;   /* out: save area VA */
	uint32_t queue_id;                   /* out: queue */
	uint32_t gpu_id;                     /* out: GPU */
	uint32_t ring_size;                  /* out: ring bytes */
	uint32_t queue_type;                 /* out: KFD_IOC_QUEUE_TYPE_* */
	uint32_t ctx_save_restore_area_size; /* out: save area bytes */
	uint32_t reserved;
};

struct kfd_dbg_device_info_entry {
	uint64_t exception_status;       /* out: raised exception mask */
	uint64_t lds_base;               /* out: LDS window first byte */
	uint64_t lds_limit;              /* out: LDS window last byte */
	uint64_t scratch_base;           /* out: private window first byte */
	uint64_t scratch_limit;          /* out: private window last byte */
	uint64_t gpuvm_base;             /* out: lowest GPU VA */
	uint64_t gpuvm_limit;            /* out: highest GPU VA */
	uint32_t gpu_id;                 /* out: GPU */
	uint32_t location_id;            /* out: PCI bus/device/function */
	uint32_t vendor_id;              /* out: PCI vendor */
	uint32_t device_id;              /* out: PCI device */
	uint32_t revision_id;            /* out: PCI revision */
	uint32_t subsystem_vendor_id;    /* out: PCI subsystem vendor */
	uint32_t subsystem_device_id;    /* out: PCI subsystem device */
	uint32_t fw_version;             /* out: compute microcode version */
	uint32_t gfx_target_version;     /* out: as in topology */
	uint32_t simd_count;             /* out: as in topology */
	uint32_t max_waves_per_simd;     /* out: as in topology */
	uint32_t array_count;            /* out: as in topology */
	uint32_t simd_arrays_per_engine; /* out: as in topology */
	uint32_t num_xcc;                /* out: as in topology */
	uint32_t capability;             /* out: as in topology */
	uint32_t debug_prop;             /* out: low 32 bits of topology value */
};

/* The debugger calls of the first interface: current kernels refuse them. */
#define MAX_ALLOWED_NUM_POINTS    100
#define MAX_ALLOWED_AW_BUFF_SIZE  4096
#define MAX_ALLOWED_WAC_BUFF_SIZE 128

struct kfd_ioctl_dbg_register_args {
	uint32_t gpu_id; /* in: ignored today */
	uint32_t pad;
};
#define AMDKFD_IOC_DBG_REGISTER AMDKFD_IOW(0x0d, struct kfd_ioctl_dbg_register_args)

#define AMDKFD_IOC_DBG_REGISTER_DEPRECATED AMDKFD_IOC_DBG_REGISTER

struct kfd_ioctl_dbg_unregister_args {
	uint32_t gpu_id; /* in: ignored today */
	uint32_t pad;
};
#define AMDKFD_IOC_DBG_UNREGISTER AMDKFD_IOW(0x0e, struct kfd_ioctl_dbg_unregister_args)

#define AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED AMDKFD_IOC_DBG_UNREGISTER

struct kfd_ioctl_dbg_address_watch_args {
	uint64_t content_ptr;       /* in: ignored today */
	uint32_t gpu_id;            /* in: ignored today */
	uint32_t buf_size_in_bytes; /* in: ignored today */
};
#define AMDKFD_IOC_DBG_ADDRESS_WATCH AMDKFD_IOW(0x0f, struct kfd_ioctl_dbg_address_watch_args)

#define AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED AMDKFD_IOC_DBG_ADDRESS_WATCH

struct kfd_ioctl_dbg_wave_control_args {
	uint64_t content_ptr;       /* in: ignored today */
	uint32_t gpu_id;            /* in: ignored today */
	uint32_t buf_size_in_bytes; /* in: ignored today */
};
#define AMDKFD_IOC_DBG_WAVE_CONTROL AMDKFD_IOW(0x10, struct kfd_ioctl_dbg_wave_control_args)

#define AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED AMDKFD_IOC_DBG_WAVE_CONTROL

/* --- DKMS driver only --- */

struct kfd_ioctl_ipc_import_handle_args {
	uint64_t handle;          /* out: new buffer handle */
	uint64_t va_addr;         /* in: GPU VA for the buffer */
	uint64_t mmap_offset;     /* out: render-node mmap offset */
	uint32_t share_handle[4]; /* in: four words from the exporter */
	uint32_t gpu_id;          /* in: importing GPU */
	uint32_t flags;           /* out: allocation flags of the exporter */
};
#define AMDKFD_IOC_IPC_IMPORT_HANDLE AMDKFD_IOWR(0x80, struct kfd_ioctl_ipc_import_handle_args)

struct kfd_ioctl_ipc_export_handle_args {
	uint64_t handle;          /* in: buffer to share */
	uint32_t share_handle[4]; /* out: four random words naming the share */
	uint32_t gpu_id;          /* in: owning GPU */
	uint32_t flags;           /* in: allocation flags stored for the importer */
};
#define AMDKFD_IOC_IPC_EXPORT_HANDLE AMDKFD_IOWR(0x81, struct kfd_ioctl_ipc_export_handle_args)

enum kfd_dbg_trap_legacy_op {
	LEGACY_OP_ENABLE = 0,
	LEGACY_OP_SET_WAVE_LAUNCH_OVERRIDE = 1,
	LEGACY_OP_SET_WAVE_LAUNCH_MODE = 2,
	LEGACY_OP_NODE_SUSPEND = 3,
	LEGACY_OP_NODE_RESUME = 4,
	LEGACY_OP_QUERY_DEBUG_EVENT = 5,
	LEGACY_OP_GET_QUEUE_SNAPSHOT = 6,
	LEGACY_OP_GET_VERSION = 7,
	LEGACY_OP_CLEAR_ADDRESS_WATCH = 8,
	LEGACY_OP_SET_ADDRESS_WATCH = 9,
	LEGACY_OP_SET_PRECISE_MEM_OPS = 10,
	LEGACY_OP_QUERY_EXCEPTION_INFO = 11,
	LEGACY_OP_DEVICE_SNAPSHOT = 12,
	LEGACY_OP_RUNTIME_ENABLE = 13,
	LEGACY_OP_SEND_RUNTIME_EVENT = 14,
	LEGACY_OP_SET_EXCEPTIONS_ENABLED = 15,
};

#define LEGACY_DEBUG_VERSION_MAJOR 13
#define LEGACY_DEBUG_VERSION_MINOR 1

/* The private debugger interface until ROCm 5.6, versions 10 to 13. */
struct kfd_ioctl_dbg_trap_legacy_args {
	uint64_t exception_mask; /* in/out: exceptions */
	uint64_t ptr;            /* in/out: op-specific user pointer */
	uint32_t pid;            /* in: target process id */
	uint32_t op;             /* in: legacy operation number */
	uint32_t data1;          /* in/out: op-specific */
	uint32_t data2;          /* in/out: op-specific */
	uint32_t data3;          /* in/out: op-specific */
	uint32_t data4;          /* in/out: op-specific */
};
#define AMDKFD_IOC_DBG_TRAP_LEGACY AMDKFD_IOWR(0x82, struct kfd_ioctl_dbg_trap_legacy_args)

#define KFD_CROSS_MEMORY_RW_BIT 0x1

struct kfd_memory_range {
	uint64_t va_addr; /* in: range start */
	uint64_t size;    /* in: range bytes */
};

struct kfd_ioctl_cross_memory_copy_args {
	uint32_t pid;                 /* in: other process id */
	uint32_t flags;               /* in: bit 0: 1 write to remote, 0 read */
	uint64_t src_mem_range_array; /* in: kfd_memory_range array */
	uint64_t src_mem_array_size;  /* in: entries */
	uint64_t dst_mem_range_array; /* in: kfd_memory_range array */
	uint64_t dst_mem_array_size;  /* in: entries */
	uint64_t bytes_copied;        /* out: total bytes moved */
};
#define AMDKFD_IOC_CROSS_MEMORY_COPY AMDKFD_IOWR(0x83, struct kfd_ioctl_cross_memory_copy_args)

enum kfd_ioctl_spm_op {
	KFD_IOCTL_SPM_OP_ACQUIRE = 0,
	KFD_IOCTL_SPM_OP_RELEASE = 1,
	KFD_IOCTL_SPM_OP_SET_DEST_BUF = 2,
};

struct kfd_ioctl_spm_args {
	uint64_t dest_buf;      /* in: new destination, 0 stops copying */
	uint32_t buf_size;      /* in: destination bytes */
	uint32_t op;            /* in: KFD_IOCTL_SPM_OP_* */
	uint32_t timeout;       /* in/out: milliseconds to wait; time left out */
	uint32_t gpu_id;        /* in: target GPU */
	uint32_t bytes_copied;  /* out: bytes placed in previous buffer */
	uint32_t has_data_loss; /* out: sub-block count with lost data */
};
#define AMDKFD_IOC_RLC_SPM AMDKFD_IOWR(0x84, struct kfd_ioctl_spm_args)

/* Newer drivers put this before each XCC's part of the buffer. */
struct kfd_ioctl_spm_buffer_header {
	uint32_t version;       /* out: bits 23:0 minor, 31:24 major */
	uint32_t bytes_copied;  /* out: bytes in this part */
	uint32_t has_data_loss; /* out: 1 when data was lost */
	uint32_t reserved[5];
};

enum kfd_ioctl_pc_sample_op {
	KFD_IOCTL_PCS_OP_QUERY_CAPABILITIES = 0,
	KFD_IOCTL_PCS_OP_CREATE = 1,
	KFD_IOCTL_PCS_OP_DESTROY = 2,
	KFD_IOCTL_PCS_OP_START = 3,
	KFD_IOCTL_PCS_OP_STOP = 4,
};

#define KFD_IOCTL_PCS_FLAG_POWER_OF_2 0x1

enum kfd_ioctl_pc_sample_method {
	KFD_IOCTL_PCS_METHOD_HOSTTRAP = 1,
	KFD_IOCTL_PCS_METHOD_STOCHASTIC = 2,
};

enum kfd_ioctl_pc_sample_type {
	KFD_IOCTL_PCS_TYPE_TIME_US = 0,
	KFD_IOCTL_PCS_TYPE_CLOCK_CYCLES = 1,
	KFD_IOCTL_PCS_TYPE_INSTRUCTIONS = 2,
};

/* flags of QUERY_CAPABILITIES: list all that is supported, not only what is active. */
#define KFD_IOCTL_PCS_QUERY_TYPE_FULL 0x1

struct kfd_pc_sample_info {
	uint64_t interval;     /* in: wanted interval in units of type */
	uint64_t interval_min; /* out: smallest interval */
	uint64_t interval_max; /* out: largest interval */
	uint64_t flags;        /* out: KFD_IOCTL_PCS_FLAG_* */
	uint32_t method;       /* in/out: KFD_IOCTL_PCS_METHOD_* */
	uint32_t type;         /* in/out: KFD_IOCTL_PCS_TYPE_* */
};

struct kfd_ioctl_pc_sample_args {
	uint64_t sample_info_ptr; /* in/out: kfd_pc_sample_info array */
	uint32_t num_sample_info; /* in/out: capacity in, count out */
	uint32_t op;              /* in: KFD_IOCTL_PCS_OP_* */
	uint32_t gpu_id;          /* in: target GPU */
	uint32_t trace_id;        /* in/out: out of CREATE, in for others */
	uint32_t flags;           /* in: bit 0 lists all capabilities */
	uint32_t reserved;        /* in: ROCm also uses as version */
};
#define AMDKFD_IOC_PC_SAMPLE AMDKFD_IOWR(0x85, struct kfd_ioctl_pc_sample_args)

enum kfd_ais_op {
	KFD_IOC_AIS_READ = 1,
	KFD_IOC_AIS_WRITE = 2,
};

struct kfd_ais_in_args {
	uint64_t handle;        /* in: VRAM buffer handle */
	uint64_t handle_offset; /* in: byte offset in buffer */
	uint64_t file_offset;   /* in: byte offset in file */
	uint64_t size;          /* in: bytes to move */
	uint32_t op;            /* in: read file or write file */
	int32_t fd;             /* in: file opened for direct IO */
};

struct kfd_ais_out_args {
	uint64_t size_copied; /* out: bytes moved */
	int32_t status;       /* out: 0 or negative errno of the transfer */
	uint32_t pad;
};

/* The results overwrite the first two inputs. */
struct kfd_ioctl_ais_args {
	union {
		struct kfd_ais_in_args in;
		struct kfd_ais_out_args out;
	};
};
#define AMDKFD_IOC_AIS_OP AMDKFD_IOWR(0x87, struct kfd_ioctl_ais_args)

/* --- Profiler --- */

enum kfd_profiler_ops {
	KFD_IOC_PROFILER_PMC = 0,
	KFD_IOC_PROFILER_PC_SAMPLE = 1,
	KFD_IOC_PROFILER_VERSION = 2,
	KFD_IOC_PROFILER_PTL_CONTROL = 3,
	KFD_IOC_PROFILER_DLOG = 4,
};

struct kfd_ioctl_pmc_settings {
	uint32_t gpu_id;           /* in: target GPU */
	uint32_t lock;             /* in: 1 take counters, 0 release */
	uint32_t perfcount_enable; /* in: force counters on for queues */
};

struct kfd_ioctl_ptl_control {
	uint32_t gpu_id; /* in: target GPU */
	uint32_t enable; /* in: 1 on, 0 off */
};

struct kfd_ioctl_dlog_args {
	uint32_t dlog_op;     /* in: 0 opens a stream */
	uint32_t gpu_id;      /* in: target GPU */
	uint32_t target_pid;  /* in: process group id to log */
	uint32_t flags;       /* in: bit 0 raw mapping, only legal value */
	uint32_t buffer_size; /* in: record region bytes */
	uint32_t stream_fd;   /* out: stream descriptor */
};

/* Operation 0 on the stream descriptor. */
struct kfd_dlog_stream_info {
	uint32_t abi_version;         /* out: 4 */
	uint32_t fw_record_size;      /* out: bytes per record, 20 */
	uint32_t num_regions;         /* out: record regions */
	uint32_t region_record_count; /* out: records per region, power of two */
	uint64_t buffer_size;         /* out: record bytes */
	uint64_t mmap_size;           /* out: bytes to map read-only */
	uint64_t records_offset;      /* out: first record in mapping */
	uint64_t wptr_offset;         /* out: u64 write index array in mapping */
	uint32_t gpu_id;              /* out: GPU */
	uint32_t target_pid;          /* out: logged process */
	uint32_t pasid;               /* out: address space id */
	uint32_t flags;               /* out: open flags */
};

/* Operation 1 on the stream descriptor. */
struct kfd_dlog_stream_status {
	uint64_t status;            /* out: bit 2 target exited, bit 5 fatal */
	uint64_t target_exit_count; /* out: exits seen */
};

/* The upstream form: 4-byte aligned, without PC sampling and the dispatch log. */
struct kfd_ioctl_profiler_args_upstream {
	uint32_t op; /* in: profiler operation */
	union {
		struct kfd_ioctl_pmc_settings pmc;
		struct kfd_ioctl_ptl_control ptl;
		uint32_t version;
	};
};
#define AMDKFD_IOC_PROFILER AMDKFD_IOWR(0x28, struct kfd_ioctl_profiler_args_upstream)

/* The DKMS form, before the call moved to 0x28. */
struct kfd_ioctl_profiler_args {
	uint32_t op; /* in: profiler operation */
	uint32_t pad;
	union {
		struct kfd_ioctl_pc_sample_args pc_sample;
		struct kfd_ioctl_pmc_settings pmc;
		struct kfd_ioctl_ptl_control ptl;
		struct kfd_ioctl_dlog_args dlog;
		uint32_t version;
	};
};
#define AMDKFD_IOC_PROFILER_DKMS AMDKFD_IOWR(0x86, struct kfd_ioctl_profiler_args)

#endif
