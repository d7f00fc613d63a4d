/* SPDX-License-Identifier: MIT */
/* A library in the middle of stacks, built without frame pointers. */
#ifndef KFDSCOPE_TESTS_INTEGRATION_LAYERS_RAW_LIBRARY_H
#define KFDSCOPE_TESTS_INTEGRATION_LAYERS_RAW_LIBRARY_H

#include <stdint.h>

/* @return what the function returns. */
__attribute__((visibility("default"))) uint64_t raw_library_call(uint64_t (*function)(void));

#endif
