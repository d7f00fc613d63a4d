/* SPDX-License-Identifier: MIT */
/* Types of arguments that the runtime's own headers have no names for. */
#ifndef KFDSCOPE_TRACE_ROCR_ROCR_CALLBACKS_H
#define KFDSCOPE_TRACE_ROCR_ROCR_CALLBACKS_H

#ifndef HSA_RUNTIME_INC_HSA_H_ /* the runtime's own header has been read */
#include "rocr/rocr_types.h"
#endif

typedef hsa_status_t (*hsa_agent_iterate_regions_callback_fn)(hsa_region_t region, void *data);
typedef hsa_status_t (*hsa_amd_agent_iterate_memory_pools_callback_fn)(hsa_amd_memory_pool_t pool,
								       void *data);
typedef void (*hsa_amd_async_function_callback_fn)(void *arg);
typedef void *(*hsa_amd_pointer_info_alloc_fn)(size_t size);
typedef hsa_status_t (*hsa_iterate_agents_callback_fn)(hsa_agent_t agent, void *data);
typedef void (*hsa_queue_create_callback_fn)(hsa_status_t status, hsa_queue_t *source, void *data);

#endif
