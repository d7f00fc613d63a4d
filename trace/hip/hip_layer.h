/* SPDX-License-Identifier: MIT */
/* What the generated functions in front of the HIP runtime are made with. */
#ifndef KFDSCOPE_TRACE_HIP_HIP_LAYER_H
#define KFDSCOPE_TRACE_HIP_HIP_LAYER_H

#include "hip/hip_types.h"
#include "layer.h"

#define LAYER_LIBRARY "libamdhip64."
/*
 * What a function returns that the program's HIP does not have. Without this object the program would
 * not have started, or would have taken another way; neither can be had from in here.
 */
#define LAYER_ABSENT hipErrorNotSupported

#endif
