/* SPDX-License-Identifier: MIT */
/* What the two files of the plug-in share. */
#ifndef KFDSCOPE_THUNK_MODEL_PLUGIN_H
#define KFDSCOPE_THUNK_MODEL_PLUGIN_H

#include "hsakmt/hsakmtmodeliface.h"
#include "model.h"

/* The machine; NULL before the first open. Borrowed. */
struct kfd_model *plugin_model(void);
/* The plug-in's handle_drm_call: 0, or -1 with errno set. */
int plugin_drm_call(unsigned int cmd, void *arg);

#endif
