/* SPDX-License-Identifier: MIT */
/* Reads /proc/self/maps and compares with the open files (backing.h). */
#include "virtio/backing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct mapping {
	uint64_t start, end, offset, inode;
	unsigned int major, minor;
};

static int find_mapping(uint64_t address, struct mapping *out)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL, flags[5];
	size_t size = 0;
	int rc = -ENOENT;

	if (!maps)
		return -errno;
	while (rc != 0 && getline(&line, &size, maps) > 0) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64,
			   &out->start, &out->end, flags, &out->offset, &out->major, &out->minor,
			   &out->inode) != 7)
			continue;
		if (address >= out->start && address < out->end) {
			if (flags[3] == 's' && out->inode)
				rc = 0;
			break;
		}
	}
	free(line);
	fclose(maps);
	return rc;
}

static int open_file_of(const struct mapping *mapping)
{
	DIR *fds = opendir("/proc/self/fd");
	struct dirent *entry;
	struct stat st;
	int rc = -ENOENT, fd;

	if (!fds)
		return -errno;
	while (rc < 0 && (entry = readdir(fds))) {
		fd = atoi(entry->d_name);
		if (fd <= 0 || fd == dirfd(fds) || fstat(fd, &st) != 0)
			continue;
		if (st.st_ino == mapping->inode && major(st.st_dev) == mapping->major &&
		    minor(st.st_dev) == mapping->minor)
			rc = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	}
	closedir(fds);
	return rc;
}

int virtio_backing_of(uint64_t address, struct virtio_backing *out)
{
	struct mapping mapping;
	int rc = find_mapping(address, &mapping);

	if (rc != 0)
		return rc;
	rc = open_file_of(&mapping);
	if (rc < 0)
		return rc;
	*out = (struct virtio_backing){
		.fd = rc,
		.offset = mapping.offset + (address - mapping.start),
		.start = mapping.start,
		.end = mapping.end,
	};
	return 0;
}
