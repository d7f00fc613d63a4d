/* SPDX-License-Identifier: MIT */
/*
 * The guest's own pages in a file, so that another process can map them. One sparse file holds the
 * pages of a process, each at the offset that is its address: ranges that overlap are the same pages.
 */
#ifndef KFDSCOPE_THUNK_VIRTIO_GUEST_PAGES_H
#define KFDSCOPE_THUNK_VIRTIO_GUEST_PAGES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Puts the contents of private memory into the file and maps that in its place, at the same addresses.
 * A kernel would pin the pages instead; here, nobody may write them meanwhile. Pages that are there
 * already stay; so does memory that lies whole in a file of the program's that cannot shrink.
 *
 * @param pages, size_bytes  page-aligned; readable and writable, and not the caller's stack.
 * @param offset             out: of the pages in the file.
 * @return the file, owned by the caller, or -errno; -EFAULT: other memory.
 */
int vkmt_pages_share(void *pages, size_t size_bytes, uint64_t *offset);

/*
 * Makes pages private memory again, with what they contain now, and forgets them in the file. What is
 * not mapped from the file of vkmt_pages_share() stays as it is. Nobody may write the rest meanwhile.
 */
void vkmt_pages_unshare(void *pages, size_t size_bytes);

#endif
