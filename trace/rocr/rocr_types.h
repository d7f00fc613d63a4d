/* SPDX-License-Identifier: MIT */
/*
 * The types of the HSA functions in rocr.def, as far as the binary interface and the events need them:
 * libkfdscope-rocr.so builds without the runtime's own headers. A test compares them with those.
 */
#ifndef KFDSCOPE_TRACE_ROCR_ROCR_TYPES_H
#define KFDSCOPE_TRACE_ROCR_ROCR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
	HSA_STATUS_SUCCESS = 0,
	HSA_STATUS_INFO_BREAK = 0x1,
	HSA_STATUS_ERROR = 0x1000,
	HSA_STATUS_ERROR_INVALID_ARGUMENT = 0x1001,
	HSA_STATUS_ERROR_INVALID_QUEUE_CREATION = 0x1002,
	HSA_STATUS_ERROR_INVALID_ALLOCATION = 0x1003,
	HSA_STATUS_ERROR_INVALID_AGENT = 0x1004,
	HSA_STATUS_ERROR_INVALID_REGION = 0x1005,
	HSA_STATUS_ERROR_INVALID_SIGNAL = 0x1006,
	HSA_STATUS_ERROR_INVALID_QUEUE = 0x1007,
	HSA_STATUS_ERROR_OUT_OF_RESOURCES = 0x1008,
	HSA_STATUS_ERROR_INVALID_PACKET_FORMAT = 0x1009,
	HSA_STATUS_ERROR_RESOURCE_FREE = 0x100a,
	HSA_STATUS_ERROR_NOT_INITIALIZED = 0x100b,
	HSA_STATUS_ERROR_REFCOUNT_OVERFLOW = 0x100c,
	HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS = 0x100d,
	HSA_STATUS_ERROR_INVALID_INDEX = 0x100e,
	HSA_STATUS_ERROR_INVALID_ISA = 0x100f,
	HSA_STATUS_ERROR_INVALID_ISA_NAME = 0x1017,
	HSA_STATUS_ERROR_INVALID_CODE_OBJECT = 0x1010,
	HSA_STATUS_ERROR_INVALID_EXECUTABLE = 0x1011,
	HSA_STATUS_ERROR_FROZEN_EXECUTABLE = 0x1012,
	HSA_STATUS_ERROR_INVALID_SYMBOL_NAME = 0x1013,
	HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED = 0x1014,
	HSA_STATUS_ERROR_VARIABLE_UNDEFINED = 0x1015,
	HSA_STATUS_ERROR_EXCEPTION = 0x1016,
	HSA_STATUS_ERROR_INVALID_CODE_SYMBOL = 0x1018,
	HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019,
	HSA_STATUS_ERROR_INVALID_FILE = 0x1020,
	HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER = 0x1021,
	HSA_STATUS_ERROR_INVALID_CACHE = 0x1022,
	HSA_STATUS_ERROR_INVALID_WAVEFRONT = 0x1023,
	HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP = 0x1024,
	HSA_STATUS_ERROR_INVALID_RUNTIME_STATE = 0x1025,
	HSA_STATUS_ERROR_FATAL = 0x1026,
	HSA_STATUS_ERROR_INVALID_MEMORY_POOL = 0x28,
	HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION = 0x29,
	HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION = 0x2a,
	HSA_STATUS_ERROR_MEMORY_FAULT = 0x2b,
} hsa_status_t;

typedef enum {
	HSA_SIGNAL_CONDITION_EQ = 0,
	HSA_SIGNAL_CONDITION_NE = 0x1,
	HSA_SIGNAL_CONDITION_LT = 0x2,
	HSA_SIGNAL_CONDITION_GTE = 0x3,
} hsa_signal_condition_t;

typedef enum {
	HSA_WAIT_STATE_BLOCKED = 0,
	HSA_WAIT_STATE_ACTIVE = 0x1,
} hsa_wait_state_t;

typedef enum {
	HSA_ACCESS_PERMISSION_RO = 0x1,
	HSA_ACCESS_PERMISSION_WO = 0x2,
	HSA_ACCESS_PERMISSION_RW = 0x3,
} hsa_access_permission_t;

typedef enum {
	HSA_AMD_QUEUE_PRIORITY_LOW = 0,
	HSA_AMD_QUEUE_PRIORITY_NORMAL = 0x1,
	HSA_AMD_QUEUE_PRIORITY_HIGH = 0x2,
} hsa_amd_queue_priority_t;

typedef uint32_t hsa_queue_type32_t;
typedef int64_t hsa_signal_value_t;
typedef int hsa_file_t;

/* Recorded as numbers. */
typedef int hsa_profile_t;
typedef int hsa_executable_state_t;
typedef int hsa_default_float_rounding_mode_t;
typedef int hsa_amd_copy_direction_t;

/* Handles, passed by value. */
typedef struct {
	uint64_t handle;
} hsa_agent_t;
typedef struct {
	uint64_t handle;
} hsa_signal_t;
typedef struct {
	uint64_t handle;
} hsa_region_t;
typedef struct {
	uint64_t handle;
} hsa_amd_memory_pool_t;
typedef struct {
	uint64_t handle;
} hsa_executable_t;
typedef struct {
	uint64_t handle;
} hsa_code_object_reader_t;
typedef struct {
	uint64_t handle;
} hsa_loaded_code_object_t;
typedef struct {
	uint64_t handle;
} hsa_executable_symbol_t;
typedef struct {
	uint64_t handle;
} hsa_code_object_t;

typedef struct {
	uint32_t handle[8];
} hsa_amd_ipc_memory_t;
typedef hsa_amd_ipc_memory_t hsa_amd_ipc_signal_t;

/* Only ever pointed to. */
typedef struct hsa_queue_t hsa_queue_t;
typedef struct hsa_amd_profiling_dispatch_time_t hsa_amd_profiling_dispatch_time_t;
typedef struct hsa_amd_profiling_async_copy_time_t hsa_amd_profiling_async_copy_time_t;
typedef struct hsa_amd_pointer_info_t hsa_amd_pointer_info_t;
typedef struct hsa_pitched_ptr_t hsa_pitched_ptr_t;
typedef struct hsa_dim3_t hsa_dim3_t;
typedef struct hsa_amd_svm_attribute_pair_t hsa_amd_svm_attribute_pair_t;
typedef struct hsa_amd_event_t hsa_amd_event_t;

typedef bool (*hsa_amd_signal_handler)(hsa_signal_value_t value, void *arg);
typedef hsa_status_t (*hsa_amd_system_event_callback_t)(const hsa_amd_event_t *event, void *data);
typedef void (*hsa_amd_deallocation_callback_t)(void *ptr, void *user_data);

#endif
