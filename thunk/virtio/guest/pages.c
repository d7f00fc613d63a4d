/* SPDX-License-Identifier: MIT */
/* Moves anonymous memory into a file (pages.h). */
#include "virtio/guest/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtio/backing.h"

/* Whether all of [start, end) is anonymous, private, readable and writable. */
static bool is_anonymous(uint64_t start, uint64_t end)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL, flags[5];
	uint64_t from, to, inode;
	size_t size = 0;

	if (!maps)
		return false;
	while (start < end && getline(&line, &size, maps) > 0) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %" SCNu64, &from, &to,
			   flags, &inode) != 4 ||
		    to <= start)
			continue;
		if (from > start || inode || strncmp(flags, "rw", 2) != 0 || flags[3] != 'p' ||
		    strstr(line, "[stack"))
			break;
		start = to;
	}
	free(line);
	fclose(maps);
	return start >= end;
}

static int move(void *pages, size_t size_bytes)
{
	int fd = memfd_create("kfdscope-pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t done = 0;
	int rc;

	if (fd < 0)
		return -errno;
	while (done < size_bytes) {
		ssize_t wrote = pwrite(fd, (char *)pages + done, size_bytes - done, (off_t)done);

		if (wrote <= 0)
			goto failed;
		done += (size_t)wrote;
	}
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
		goto failed;
	if (mmap(pages, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
	    MAP_FAILED)
		return fd;
failed:
	rc = errno ? -errno : -EIO;
	close(fd);
	return rc;
}

int vkmt_pages_share(void *pages, size_t size_bytes, uint64_t *offset)
{
	uint64_t start = (uintptr_t)pages;
	struct virtio_backing backing;

	if (virtio_backing_of(start, &backing) == 0) {
		int seals = fcntl(backing.fd, F_GET_SEALS);

		*offset = backing.offset;
		if (backing.end - start >= size_bytes && seals >= 0 && seals & F_SEAL_SHRINK)
			return backing.fd;
		close(backing.fd);
		return -EFAULT;
	}
	*offset = 0;
	return is_anonymous(start, start + size_bytes) ? move(pages, size_bytes) : -EFAULT;
}
