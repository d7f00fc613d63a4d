/* SPDX-License-Identifier: MIT */
/* The guest's own pages in a file, so that another process can map them. */
#ifndef KFDSCOPE_THUNK_VIRTIO_GUEST_PAGES_H
#define KFDSCOPE_THUNK_VIRTIO_GUEST_PAGES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Puts the contents of pages into a memory file and maps that in their place, at the same addresses.
 * A kernel would pin the pages instead; here, nobody may write them meanwhile. Pages that are in such
 * a file already stay there.
 *
 * @param pages, size_bytes  page-aligned; private anonymous memory, readable and writable.
 * @param offset             out: of the pages in the file.
 * @return the file, owned by the caller, or -errno; -EFAULT: other memory.
 */
int vkmt_pages_share(void *pages, size_t size_bytes, uint64_t *offset);

#endif
