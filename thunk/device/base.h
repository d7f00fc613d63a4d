/* SPDX-License-Identifier: MIT */
/* The base operations, for the constructor in device.c and for each other. */
#ifndef KFDSCOPE_THUNK_DEVICE_BASE_H
#define KFDSCOPE_THUNK_DEVICE_BASE_H

#include "device/device.h"

extern const struct device_ops device_kernel_ops;
extern const struct device_ops device_model_ops;

/*
 * Loads the plug-in that HSA_MODEL_LIB names, once in the life of the process.
 *
 * @param dev  its priv is set.
 * @return 0; -ENOENT, -ELIBBAD or -EPROTO as for device_new(); the reason is logged.
 */
int device_model_load(struct device *dev);

#endif
