/* SPDX-License-Identifier: MIT */
/* Whether a software model stands in for the hardware. */
#ifndef KFDSCOPE_THUNK_MODEL_QUERY_MODEL_QUERY_H
#define KFDSCOPE_THUNK_MODEL_QUERY_MODEL_QUERY_H

#include "context.h"

/*
 * Tells the mode, which the first open decides; false before it (model.md 1).
 * @return SUCCESS; INVALID_PARAMETER for NULL.
 */
HSAKMT_STATUS kmt_model_enabled(struct kmt_context *ctx, bool *enabled);

#endif
