/* SPDX-License-Identifier: MIT */
/* What commands are called, for messages and recordings. */
#ifndef KFDSCOPE_THUNK_VIRTIO_NAMES_H
#define KFDSCOPE_THUNK_VIRTIO_NAMES_H

#include <stdint.h>

/* @return the protocol's name, "MEMORY ALLOC", or "?"; those of observer.h have names, too. */
const char *virtio_command_name(uint32_t command, uint32_t type);

#endif
