/* SPDX-License-Identifier: MIT */
/* Who watches (observer.h). */
#include "virtio/observer.h"

#include <stddef.h>

const struct virtio_observer *virtio_observer;
