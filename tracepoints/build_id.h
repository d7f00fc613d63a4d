/* SPDX-License-Identifier: MIT */
/* The build id of a loaded object. */
#ifndef KFDSCOPE_TRACEPOINTS_BUILD_ID_H
#define KFDSCOPE_TRACEPOINTS_BUILD_ID_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the GNU build id from an object's note segments in memory.
 * @return its length, at most size; 0 when the object has none.
 */
size_t build_id_read(const struct dl_phdr_info *info, uint8_t *to, size_t size);

#endif
