/* SPDX-License-Identifier: MIT */
/*
 * The messages between a guest's library and the host (virtio.md, virtio_proto.json), named as the
 * protocol names them. Both sides work on revision 2; the structures of revision 1 that differ end in
 * _r1, and codec.h converts. Little endian, 64 bit, public structures with the packing of their own
 * header.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_PROTO_H
#define KFDSCOPE_THUNK_VIRTIO_PROTO_H

#include <amdgpu.h>
#include <stddef.h>
#include <stdint.h>

#include "hsakmt/hsakmttypes.h"

enum virtio_revision { VIRTIO_REVISION_1 = 1, VIRTIO_REVISION_2 = 2 };

#define VIRTIO_CAPSET_ID           8u
#define VIRTIO_CONTEXT_TYPE_AMDGPU 1u
#define VIRTIO_RINGS               64u
#define VIRTIO_PAGE_BYTES          4096u
#define VIRTIO_SHMEM_BYTES_R1      (25u * VIRTIO_PAGE_BYTES)
#define VIRTIO_SHMEM_BYTES_R2      (80u * VIRTIO_PAGE_BYTES)
#define VIRTIO_DOORBELL_BYTES      0x2000u
#define VIRTIO_NO_ENGINE           0xFFFFFFFFu

/* Limits of the tables that messages carry. */
enum {
	VIRTIO_PTR_INFO_NODES_MAX = 3,
	VIRTIO_TILE_CONFIG_MAX = 128,
	VIRTIO_MEM_BANKS_MAX = 128,
	VIRTIO_CACHES_MAX_R1 = 128,
	VIRTIO_CACHES_MAX_R2 = 512,
	VIRTIO_IO_LINKS_MAX_R1 = 128,
	VIRTIO_IO_LINKS_MAX_R2 = 512,
	VIRTIO_GL_METADATA_BYTES = 0x50,
	VIRTIO_DRM_COMMAND_BYTES = 128,
	VIRTIO_MEMORY_NODES_MAX = 32,
	VIRTIO_SVM_ATTRIBUTES_MAX = 32,
	VIRTIO_CU_MASK_WORDS_MAX = 128,
	VIRTIO_GWS_MAX = 128,
	VIRTIO_SPM_BYTES_MAX = 128 * 1024, /* of our own: what a response area can carry */
};

enum virtio_command {
	VIRTIO_CMD_NOP = 1,
	VIRTIO_CMD_QUERY_INFO = 2,
	VIRTIO_CMD_EVENT = 3,
	VIRTIO_CMD_MEMORY = 4,
	VIRTIO_CMD_QUEUE = 5,
	VIRTIO_CMD_GL_INTER = 6,
	VIRTIO_CMD_COUNT,
};

enum virtio_query {
	VIRTIO_QUERY_GPU_INFO,
	VIRTIO_QUERY_OPEN_KFD,
	VIRTIO_QUERY_GET_VER,
	VIRTIO_QUERY_REL_SYS_PROP,
	VIRTIO_QUERY_GET_SYS_PROP,
	VIRTIO_QUERY_GET_NODE_PROP,
	VIRTIO_QUERY_GET_XNACK_MODE,
	VIRTIO_QUERY_RUN_TIME_ENABLE,
	VIRTIO_QUERY_RUN_TIME_DISABLE,
	VIRTIO_QUERY_GET_NOD_MEM_PROP,
	VIRTIO_QUERY_GET_NOD_CACHE_PROP,
	VIRTIO_QUERY_GET_NOD_IO_LINK_PROP,
	VIRTIO_QUERY_GET_CLOCK_COUNTERS,
	VIRTIO_QUERY_POINTER_INFO,
	VIRTIO_QUERY_TILE_CONFIG,
	VIRTIO_QUERY_NANO_TIME,
	VIRTIO_QUERY_GET_RUNTIME_CAPS,
	VIRTIO_QUERY_AMDGPU_DEVICE_HANDLE, /* this and the following: revision 2 */
	VIRTIO_QUERY_DRM_CMD_WRITE_READ,
	VIRTIO_QUERY_SET_XNACK_MODE,
	VIRTIO_QUERY_SPM_ACQUIRE,
	VIRTIO_QUERY_SPM_RELEASE,
	VIRTIO_QUERY_SPM_SET_DST_BUFFER,
	VIRTIO_QUERY_COUNT,
};

enum virtio_event {
	VIRTIO_EVENT_CREATE,
	VIRTIO_EVENT_DESTROY,
	VIRTIO_EVENT_SET,
	VIRTIO_EVENT_RESET,
	VIRTIO_EVENT_QUERY_STATE,
	VIRTIO_EVENT_WAIT_ON_MULTI_EVENTS,
	VIRTIO_EVENT_SET_TRAP,
	VIRTIO_EVENT_COUNT,
};

enum virtio_memory {
	VIRTIO_MEMORY_ALLOC,
	VIRTIO_MEMORY_MAP_TO_GPU_NODES,
	VIRTIO_MEMORY_FREE,
	VIRTIO_MEMORY_UNMAP_TO_GPU,
	VIRTIO_MEMORY_AVAIL_MEM,
	VIRTIO_MEMORY_MAP_MEM_TO_GPU,
	VIRTIO_MEMORY_REG_MEM_WITH_FLAG,
	VIRTIO_MEMORY_DEREG_MEM,
	VIRTIO_MEMORY_MAP_USERPTR,
	VIRTIO_MEMORY_EXPORT_DMABUF, /* this and the following: revision 2 */
	VIRTIO_MEMORY_AMDGPU_IMPORT,
	VIRTIO_MEMORY_AMDGPU_EXPORT,
	VIRTIO_MEMORY_AMDGPU_VA_OP,
	VIRTIO_MEMORY_AMDGPU_BO_FREE,
	VIRTIO_MEMORY_SHARE_MEMORY,
	VIRTIO_MEMORY_REGISTER_SHARED_HANDLE,
	VIRTIO_MEMORY_SET_MEM_POLICY,
	VIRTIO_MEMORY_SVM_GET_ATTR,
	VIRTIO_MEMORY_SVM_SET_ATTR,
	VIRTIO_MEMORY_AMDGPU_BO_QUERY_INFO,
	VIRTIO_MEMORY_AMDGPU_BO_SET_METADATA,
	VIRTIO_MEMORY_COUNT,
};

enum virtio_queue {
	VIRTIO_QUEUE_CREATE,
	VIRTIO_QUEUE_DESTROY,
	VIRTIO_QUEUE_UPDATE, /* this and the following: revision 2 */
	VIRTIO_QUEUE_GET_INFO,
	VIRTIO_QUEUE_SET_CU_MASK,
	VIRTIO_QUEUE_ALLOC_GWS,
	VIRTIO_QUEUE_COUNT,
};

enum virtio_gl_inter {
	VIRTIO_GL_INTER_REG_GHD_TO_NODES,
	VIRTIO_GL_INTER_COUNT,
};

struct vhsakmt_capset {
	uint32_t wire_format_version;
	uint32_t version_major;
	uint32_t version_minor;
	uint32_t version_patchlevel;
	uint32_t context_type;
	uint32_t pad;
};

/* At the start of the shared blob. */
struct vhsakmt_shmem {
	uint32_t seqno;          /* of the last command whose answer is there; published last */
	uint32_t rsp_mem_offset; /* where the response area begins */
	uint32_t async_error;
	uint32_t global_faults;
};

struct vhsakmt_req_header {
	uint32_t cmd; /* enum virtio_command */
	uint32_t len; /* of the whole request, a multiple of 8 */
	uint32_t seqno;
	uint32_t rsp_off; /* of the answer, in the response area */
};

struct vhsakmt_rsp_header {
	uint32_t len;
};

struct vHsaEvent {
	HsaEvent event;
	uint64_t event_handle;
	uint64_t bo_handle;
	uint32_t res_id;
	uint32_t pad;
};

struct vhsakmt_event_shmem {
	uint32_t trigered_events_num;
	uint32_t pad;
	uint64_t trigered_events[];
};

struct vhsakmt_ccmd_nop_req {
	struct vhsakmt_req_header hdr;
};

struct query_req_run_time_enable_args {
	uint8_t pad[3];
	uint8_t setupTtmp;
	uint32_t __pad;
};

struct query_req_node_mem_prop_args {
	uint32_t NodeId;
	uint32_t NumBanks;
};

struct query_req_node_cache_prop_args {
	uint32_t NodeId;
	uint32_t ProcessorId;
	uint32_t NumCaches;
	uint32_t pad;
};

struct query_req_node_io_link_args {
	uint32_t NodeId;
	uint32_t NumIoLinks;
};

struct query_tile_config {
	HsaGpuTileConfig config;
	uint32_t NodeId;
	uint32_t pad;
};

struct query_open_kfd_args {
	uint64_t cur_vm_start;
};

struct query_open_kfd_rsp {
	uint64_t vm_start;
	uint64_t vm_size;
};

struct query_nano_time_rsp {
	uint64_t nano_time;
};

struct query_spm_set_dst_buffer_args {
	uint32_t PreferredNode;
	uint32_t SizeInBytes;
	uint32_t timeout;
	uint32_t res_id;
	uint64_t DestMemoryAddress;
};

struct query_drm_cmd_write_read_args {
	uint64_t fd;
	uint64_t drmCommandIndex;
	uint64_t size;
};

struct query_device_handle_rsp {
	uint64_t amdgpu_device_handle;
	uint64_t fd;
};

struct query_spm_set_dst_buffer_rsp {
	uint32_t SizeCopied;
	uint32_t timeout;
	uint8_t IsTileDataLoss;
	uint8_t pad[7];
};

struct vhsakmt_ccmd_query_info_req {
	struct vhsakmt_req_header hdr;
	uint8_t info[32]; /* struct drm_amdgpu_info */
	uint32_t type;    /* enum virtio_query */
	uint32_t pad;
	union {
		uint64_t pointer;
		uint32_t NodeID;
		struct query_req_run_time_enable_args run_time_enable_args;
		struct query_req_node_mem_prop_args node_mem_prop_args;
		struct query_req_node_cache_prop_args node_cache_prop_args;
		struct query_req_node_io_link_args node_io_link_args;
		struct query_tile_config tile_config_args;
		struct query_open_kfd_args open_kfd_args;
		struct query_drm_cmd_write_read_args drm_cmd_write_read_args;
		struct query_spm_set_dst_buffer_args spm_set_dst_buffer_args;
		uint32_t xnack_mode;
	};
	uint8_t payload[];
};

struct vhsakmt_ccmd_query_info_rsp {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	union {
		struct query_open_kfd_rsp open_kfd_rsp;
		struct query_nano_time_rsp nano_time_rsp;
		HsaGpuTileConfig tile_config_rsp;
		HsaPointerInfo ptr_info;
		struct amdgpu_gpu_info gpu_info;
		HsaVersionInfo kfd_version;
		HsaSystemProperties sys_props;
		HsaNodeProperties node_props; /* revision 1: its first 368 bytes */
		int32_t xnack_mode;
		HsaClockCounters clock_counters;
		struct query_device_handle_rsp device_handle_rsp;
		struct query_spm_set_dst_buffer_rsp spm_set_dst_buffer_rsp;
		uint32_t caps;
		uint64_t pad[9];
	};
	uint8_t payload[];
};

struct event_req_create_args {
	HsaEventDescriptor EventDesc;
	uint8_t ManualReset;
	uint8_t IsSignaled;
	uint8_t pad[6];
};

struct event_req_wait_args {
	HsaEvent Event;
	uint32_t Milliseconds;
	uint32_t pad;
};

struct event_req_wait_ext_args {
	HsaEvent Event;
	uint64_t event_age;
	uint32_t Milliseconds;
	uint32_t pad;
};

struct event_req_wait_on_multi_args {
	uint32_t NumEvents;
	uint32_t Milliseconds;
	uint8_t WaitOnAll;
	uint8_t pad[7];
};

struct event_req_wait_on_multi_ext_args {
	uint32_t NumEvents;
	uint32_t Milliseconds;
	uint64_t event_age;
	uint8_t WaitOnAll;
	uint8_t pad[7];
};

struct event_set_trap_handler_args {
	uint64_t TrapHandlerBaseAddress;
	uint64_t TrapHandlerSizeInBytes;
	uint64_t TrapBufferBaseAddress;
	uint64_t TrapBufferSizeInBytes;
	uint32_t NodeId;
	uint32_t pad;
};

struct vhsakmt_ccmd_event_req {
	struct vhsakmt_req_header hdr;
	union {
		HsaEvent Event;
		uint64_t event_hanele; /* the protocol's spelling */
		struct event_req_wait_args wait_args;
		struct event_req_create_args create_args;
		struct event_req_wait_ext_args wait_ext_args;
		struct event_req_wait_on_multi_args wait_on_multi_args;
		struct event_req_wait_on_multi_ext_args wait_on_multi_ext_args;
		struct event_set_trap_handler_args set_trap_handler_args;
	};
	uint32_t type; /* enum virtio_event */
	uint32_t sync_shmem_res_id;
	uint64_t blob_id;
	uint32_t res_id;
	uint32_t pad;
	uint8_t payload[];
};

struct vhsakmt_ccmd_event_rsp {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	struct vHsaEvent vevent;
	uint8_t payload[];
};

struct memory_req_alloc_args_r1 {
	uint32_t PreferredNode;
	HsaMemFlags MemFlags;
	uint64_t SizeInBytes;
	uint64_t MemoryAddress;
};

struct memory_req_alloc_args {
	uint32_t PreferredNode;
	HsaMemFlags MemFlags;
	uint64_t SizeInBytes;
	uint64_t MemoryAddress;
	uint64_t Alignment;
};

struct memory_req_free_args {
	uint64_t MemoryAddress;
	uint64_t SizeInBytes;
};

struct memory_req_map_to_GPU_nodes_args_r1 {
	uint64_t MemoryAddress;
	uint64_t MemorySizeInBytes;
	uint64_t AlternateVAGPU;
	uint32_t MemMapFlags;
	uint32_t pad;
	uint64_t NumberOfNodes;
	uint64_t NodeArray;
};

struct memory_req_map_to_GPU_nodes_args {
	uint64_t MemoryAddress;
	uint64_t MemorySizeInBytes;
	uint64_t AlternateVAGPU;
	uint32_t pad[2]; /* the first: revision 1's flags */
	uint64_t NumberOfNodes;
	uint64_t NodeArray;
};

struct memory_map_mem_to_gpu_args {
	uint64_t MemoryAddress;
	uint64_t MemorySizeInBytes;
	uint8_t need_create_bo;
	uint8_t pad[7];
};

struct memory_reg_mem_with_flag {
	uint64_t MemoryAddress;
	uint64_t MemorySizeInBytes;
	HsaMemFlags MemFlags;
	uint32_t pad;
};

struct memory_amdgpu_import_args {
	uint64_t dev;
	uint32_t type;
	uint32_t shared_handle;
};

struct memory_amdgpu_export_args {
	uint64_t buf_handle;
	uint32_t type;
	uint32_t pad;
};

struct memory_amdgpu_va_op_args {
	uint64_t bo;
	uint64_t offset;
	uint64_t size;
	uint64_t addr;
	uint64_t flags;
	uint32_t ops;
	uint32_t pad;
};

struct memory_export_dmabuf_args {
	uint64_t MemoryAddress;
	uint64_t MemorySizeInBytes;
};

struct memory_share_memory_args {
	uint64_t MemoryAddress;
	uint64_t MemorySizeInBytes;
};

struct memory_register_shared_handle_args {
	HsaSharedMemoryHandle SharedMemoryHandle;
	uint64_t NumberOfNodes;
};

struct memory_set_mem_policy_args {
	uint32_t Node;
	uint32_t DefaultPolicy;
	uint32_t AlternatePolicy;
	uint32_t pad;
	uint64_t MemoryAddressAlternate;
	uint64_t MemorySizeInBytes;
};

struct memory_svm_attr_args {
	uint64_t start_addr;
	uint64_t size;
	uint32_t nattr;
	uint32_t pad;
};

struct vhsakmt_ccmd_memory_req_r1 {
	struct vhsakmt_req_header hdr;
	union {
		uint64_t MemoryAddress;
		uint32_t Node;
		struct memory_req_alloc_args_r1 alloc_args;
		struct memory_req_map_to_GPU_nodes_args_r1 map_to_GPU_nodes_args;
		struct memory_req_free_args free_args;
		struct memory_map_mem_to_gpu_args map_to_GPU_args;
		struct memory_reg_mem_with_flag reg_mem_with_flag;
	};
	uint64_t blob_id;
	uint32_t type;
	uint32_t res_id;
	uint8_t payload[];
};

struct vhsakmt_ccmd_memory_req {
	struct vhsakmt_req_header hdr;
	union {
		uint64_t MemoryAddress;
		uint32_t Node;
		struct memory_req_alloc_args alloc_args;
		struct memory_req_map_to_GPU_nodes_args map_to_GPU_nodes_args;
		struct memory_req_free_args free_args;
		struct memory_map_mem_to_gpu_args map_to_GPU_args;
		struct memory_reg_mem_with_flag reg_mem_with_flag;
		uint64_t buf_handle;
		struct memory_export_dmabuf_args export_dmabuf_args;
		struct memory_amdgpu_import_args amdgpu_import_args;
		struct memory_amdgpu_export_args amdgpu_export_args;
		struct memory_amdgpu_va_op_args amdgpu_va_op_args;
		struct memory_share_memory_args share_memory_args;
		struct memory_register_shared_handle_args register_shared_handle_args;
		struct memory_set_mem_policy_args set_mem_policy_args;
		struct memory_svm_attr_args svm_attr_args;
		struct amdgpu_bo_metadata amdgpu_bo_metadata;
	};
	uint64_t blob_id;
	uint32_t type; /* enum virtio_memory */
	uint32_t res_id;
	uint8_t payload[];
};

struct vhsakmt_ccmd_memory_map_userptr_rsp {
	uint64_t userptr_handle;
	uint32_t npfns;
	uint32_t pad;
};

struct vhsakmt_ccmd_memory_export_dmabuf_rsp {
	uint64_t dmabuf_fd;
	uint64_t offset;
};

struct vhsakmt_ccmd_memory_amdgpu_import_rsp {
	uint64_t output[2]; /* struct amdgpu_bo_import_result: handle and size */
};

struct vhsakmt_ccmd_memory_share_memory_rsp {
	HsaSharedMemoryHandle SharedMemoryHandle;
};

struct vhsakmt_ccmd_memory_register_shared_handle_rsp {
	uint64_t memory_handle;
	uint64_t size;
};

struct vhsakmt_ccmd_memory_rsp_r1 {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	union {
		struct vhsakmt_ccmd_memory_map_userptr_rsp map_userptr_rsp;
		uint64_t memory_handle;
		uint64_t alternate_vagpu;
		uint64_t available_bytes;
	};
	uint8_t payload[];
};

struct vhsakmt_ccmd_memory_rsp {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	union {
		struct vhsakmt_ccmd_memory_map_userptr_rsp map_userptr_rsp;
		uint64_t memory_handle;
		uint64_t alternate_vagpu;
		uint64_t available_bytes;
		struct vhsakmt_ccmd_memory_export_dmabuf_rsp export_dmabuf_rsp;
		struct vhsakmt_ccmd_memory_amdgpu_import_rsp amdgpu_import_rsp;
		uint32_t shared_handle;
		struct vhsakmt_ccmd_memory_share_memory_rsp share_memory_rsp;
		struct vhsakmt_ccmd_memory_register_shared_handle_rsp register_shared_handle_rsp;
		struct amdgpu_bo_info query_bo_info;
	};
	uint8_t payload[];
};

struct vHsaQueueResource_r1 {
	uint8_t r[40]; /* HsaQueueResource up to and with ErrorReason */
	uint64_t host_doorbell;
	uint64_t host_doorbell_offset;
	uint64_t host_write_offset;
	uint64_t host_read_offset;
	uint64_t host_rw_handle;
	uint64_t queue_handle;
};

struct vHsaQueueResource {
	HsaQueueResource r;
	uint64_t host_doorbell;        /* address of the queue's doorbell */
	uint64_t host_doorbell_offset; /* of it in the doorbell page */
	uint64_t host_write_offset;    /* of the pointers in their page */
	uint64_t host_read_offset;
	uint64_t host_rw_handle; /* that page */
	uint64_t queue_handle;
};

struct queue_req_create {
	uint32_t NodeId;
	uint32_t Type;
	uint32_t QueuePercentage;
	uint32_t pad;
	uint64_t Priority;
	uint32_t pad1;
	uint32_t SdmaEngineId; /* VIRTIO_NO_ENGINE: any */
	uint64_t QueueAddress;
	uint64_t QueueSizeInBytes;
	uint64_t Event; /* the host's handle */
	uint64_t QueueResource;
	uint64_t Queue_write_ptr_aql;
	uint64_t Queue_read_ptr_aql;
};

struct queue_req_update {
	uint64_t QueueId;
	uint32_t QueuePercentage;
	uint32_t pad;
	uint64_t Priority;
	uint64_t QueueAddress;
	uint64_t QueueSizeInBytes;
};

struct vhsakmt_ccmd_queue_req {
	struct vhsakmt_req_header hdr;
	union {
		uint64_t QueueId;
		struct queue_req_create create_queue_args;
		struct queue_req_update update_queue_args;
		uint32_t CUMaskCount; /* bits */
		uint32_t nGWS;
	};
	uint64_t blob_id;
	uint64_t rw_ptr_blob_id;
	uint64_t doorbell_blob_id;
	uint32_t res_id;
	uint32_t type; /* enum virtio_queue */
	uint32_t queue_mem_res_id;
	uint32_t pad;
	uint8_t payload[];
};

struct vhsakmt_ccmd_queue_rsp_r1 {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	struct vHsaQueueResource_r1 vqueue_res;
	uint8_t payload[];
};

struct vhsakmt_ccmd_queue_rsp {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	struct vHsaQueueResource vqueue_res;
	uint32_t pad;
	HsaQueueInfo queue_info;
	uint8_t payload[];
};

struct gl_inter_req_reg_ghd_to_nodes {
	uint64_t GraphicsResourceHandle;
	uint64_t NumberOfNodes;
	uint32_t res_handle;
	uint32_t flag; /* HSA_REGISTER_MEM_FLAGS; 0 in revision 1 */
};

struct vhsakmt_ccmd_gl_inter_req {
	struct vhsakmt_req_header hdr;
	struct gl_inter_req_reg_ghd_to_nodes reg_ghd_to_nodes;
	uint32_t type; /* enum virtio_gl_inter */
	uint32_t pad;
	uint8_t payload[];
};

struct vhsakmt_ccmd_gl_inter_rsp_r1 {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	uint8_t info[32]; /* HsaGraphicsResourceInfo's first four members */
	uint8_t payload[];
};

struct vhsakmt_ccmd_gl_inter_rsp {
	struct vhsakmt_rsp_header hdr;
	int32_t ret;
	HsaGraphicsResourceInfo info;
	uint8_t payload[];
};

#endif
