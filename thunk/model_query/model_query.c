/* SPDX-License-Identifier: MIT */
/* Whether a software model stands in for the hardware. */
#include "model_query/model_query.h"

HSAKMT_STATUS kmt_model_enabled(struct kmt_context *ctx, bool *enabled)
{
	if (!enabled)
		return HSAKMT_STATUS_INVALID_PARAMETER;
	*enabled = ctx && ctx->device && ctx->device->is_model;
	return HSAKMT_STATUS_SUCCESS;
}
