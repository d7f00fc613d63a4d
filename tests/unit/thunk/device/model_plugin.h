/* SPDX-License-Identifier: MIT */
/* What the test plug-ins tell the test: a symbol that it looks up with dlsym(). */
#ifndef KFDSCOPE_TESTS_MODEL_PLUGIN_H
#define KFDSCOPE_TESTS_MODEL_PLUGIN_H

#include <stdatomic.h>
#include <stdint.h>

struct model_plugin_state {
	unsigned int memfds;        /* create_memfd() calls */
	unsigned int ioctls;        /* all ioctls */
	unsigned int drm_calls[16]; /* by command */
	unsigned int hooked_maps;   /* kfdscope_model_mmap() calls */
	int fail_memfd_errno;       /* 0: works */
	int inside, most_inside;    /* serialised calls at a time */
	atomic_bool is_waiting;     /* a WAIT_EVENTS has begun */
};

#define MODEL_PLUGIN_STATE "model_plugin_state"

/* The device and the buffer object that the plug-ins hand out. */
#define MODEL_PLUGIN_DEVICE ((void *)0x1230)
#define MODEL_PLUGIN_BO     ((void *)0x4560)

#endif
