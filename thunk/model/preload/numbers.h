/* SPDX-License-Identifier: MIT */
/* Numbers of the simulated devices and of the file system that they are in. */
#ifndef KFDSCOPE_THUNK_MODEL_PRELOAD_NUMBERS_H
#define KFDSCOPE_THUNK_MODEL_PRELOAD_NUMBERS_H

#define PRELOAD_KFD_MAJOR 511u /* dynamic in the kernel; this one is the first it tries */
#define PRELOAD_KFD_CHAR  "/sys/dev/char/511:0"
#define PRELOAD_DRM_MAJOR 226u
#define PRELOAD_FS_MINOR  0xfd5u /* of the device that holds our files; its major is 0 */

#endif
