/* SPDX-License-Identifier: MIT */
/* Bringing the process-wide state of the thunk up on a fake device, and back to nothing. */
#ifndef KFDSCOPE_TESTS_FAKE_OPEN_H
#define KFDSCOPE_TESTS_FAKE_OPEN_H

#include "context.h"
#include "fake_device.h"

/*
 * A new fake device, installed, with a tree of tests/unit/thunk/topology/trees and one processor in
 * /proc/cpuinfo. Nothing is open yet.
 */
struct fake_device *fake_open_prepare(const char *tree);
/* Closes the primary context for good, as if the process had just begun. */
void fake_open_reset(void);
/* fake_open_reset(), fake_device_free(), and no environment variable of the thunk is left. */
void fake_open_finish(struct fake_device *fake);

#endif
