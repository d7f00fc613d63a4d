/* SPDX-License-Identifier: MIT */
/* What the parts of the model ask of the whole. */
#ifndef KFDSCOPE_ANALYSIS_MODEL_MODEL_INTERNAL_H
#define KFDSCOPE_ANALYSIS_MODEL_MODEL_INTERNAL_H

#include "memory.h"

/* Tells the observers that a lifetime began or ended. */
void model_notify_block(struct model *model, const struct block *block, int64_t time_ns,
			bool began);
/* @return the share with that kernel key made by any process of the host, or NULL. */
struct share *model_find_share(struct model *model, const char *hostname, const uint32_t key[4]);

#endif
