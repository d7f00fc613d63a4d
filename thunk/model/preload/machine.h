/* SPDX-License-Identifier: MIT */
/* The machine behind the preload object, and which of its sides the environment asks for. */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_MACHINE_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_MACHINE_H

#include <stdbool.h>

#include "model.h"

/*
 * The machine, made when first needed; borrowed.
 * @return NULL when it cannot be made (the reason has been told), or when only the module files are
 *         asked for (KFDSCOPE_PRELOAD_ONLY=modules), or a virtio-gpu
 *         (=virtio-gpu).
 */
struct kfd_model *preload_machine(void);
/* The machine if it has been made already. */
struct kfd_model *preload_machine_made(void);
/* True when the program shall see only that the driver is there, not the driver. */
bool preload_modules_only(void);

#endif
