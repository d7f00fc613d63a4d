/* SPDX-License-Identifier: MIT */
/* Moves memory into the file, and out of it again (pages.h). */
#include "virtio/guest/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "virtio/backing.h"

#define FILE_BYTES (1ll << 47) /* every address of a program */
#define PIECES_MAX 1024        /* mappings in one range */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows, and every move */
static int file = -1;                                    /* owned; of the process that made it */
static pid_t maker;
static struct stat identity;

/* A part of the range that one line of /proc/self/maps tells of. */
struct piece {
	uint64_t start, end;
	bool is_ours; /* mapped from the file, where it belongs */
};

/* A child of the program has pages of its own, and so a file of its own. */
static int open_file(void)
{
	struct rlimit limit;
	int fd;

	if (file >= 0 && maker == getpid())
		return file;
	/* Beyond the limit a signal would end the program. */
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
	    (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < (rlim_t)FILE_BYTES))
		return -EFBIG;
	fd = memfd_create("kfdscope-pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, FILE_BYTES) != 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 || fstat(fd, &identity) != 0) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	maker = getpid();
	file = fd;
	return fd;
}

/* @return whether the line is a mapping that can be moved, or is already. */
static bool read_piece(const char *line, struct piece *piece)
{
	char flags[5], here;
	uint64_t offset, inode, stack = (uintptr_t)&here;
	unsigned int high, low;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64, &piece->start,
		   &piece->end, flags, &offset, &high, &low, &inode) != 7)
		return false;
	piece->is_ours = file >= 0 && flags[3] == 's' && inode == identity.st_ino &&
			 high == major(identity.st_dev) && low == minor(identity.st_dev) &&
			 offset == piece->start;
	return strncmp(flags, "rw", 2) == 0 && (piece->is_ours || flags[3] == 'p') &&
	       !strstr(line, "[stack") && (stack < piece->start || stack >= piece->end);
}

/*
 * Finds the pieces of a range, cut to it.
 * @param whole  fails when there is anything else in the range.
 * @return their number, or -EFAULT, -ENOMEM.
 */
static int find_pieces(uint64_t start, uint64_t end, bool whole, struct piece *pieces)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t size = 0;
	int count = 0;

	if (!maps)
		return -errno;
	while (start < end && count >= 0 && getline(&line, &size, maps) > 0) {
		struct piece piece = { 0 };
		bool good = read_piece(line, &piece);

		if (piece.end <= start)
			continue;
		if (whole && (!good || piece.start > start))
			count = -EFAULT;
		else if (piece.start >= end)
			break;
		else if (good && count == PIECES_MAX)
			count = -ENOMEM;
		if (count < 0 || !good)
			continue;
		if (piece.start < start)
			piece.start = start;
		start = piece.end < end ? piece.end : end;
		piece.end = start;
		pieces[count++] = piece;
	}
	free(line);
	fclose(maps);
	return whole && start < end && count >= 0 ? -EFAULT : count;
}

static int move(const struct piece *piece)
{
	uint64_t at = piece->start;

	while (at < piece->end) {
		ssize_t wrote = pwrite(file, (void *)(uintptr_t)at, piece->end - at, (off_t)at);

		if (wrote <= 0)
			return wrote < 0 ? -errno : -EIO;
		at += (uint64_t)wrote;
	}
	if (mmap((void *)(uintptr_t)piece->start, piece->end - piece->start, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, file, (off_t)piece->start) == MAP_FAILED)
		return -errno;
	return 0;
}

/* Copies to anonymous memory, which then takes the place. The pages stay shared without memory. */
static void take_back(const struct piece *piece)
{
	void *place = (void *)(uintptr_t)piece->start;
	size_t bytes = piece->end - piece->start;
	void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return;
	memcpy(copy, place, bytes);
	if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) {
		munmap(copy, bytes);
		return;
	}
	/* Without room being given back, only memory is lost. */
	(void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)piece->start,
			(off_t)bytes);
}

static int share_in_file(uint64_t start, uint64_t end)
{
	struct piece *pieces = calloc(PIECES_MAX, sizeof(*pieces));
	int rc = pieces ? open_file() : -ENOMEM, count = 0;

	if (rc >= 0)
		rc = count = find_pieces(start, end, true, pieces);
	for (int i = 0; rc >= 0 && i < count; i++)
		rc = pieces[i].is_ours ? 0 : move(&pieces[i]);
	free(pieces);
	return rc < 0 ? rc : fcntl(file, F_DUPFD_CLOEXEC, 0);
}

int vkmt_pages_share(void *pages, size_t size_bytes, uint64_t *offset)
{
	uint64_t start = (uintptr_t)pages;
	struct virtio_backing backing;
	int fd, seals;

	pthread_mutex_lock(&lock);
	*offset = start;
	fd = share_in_file(start, start + size_bytes);
	pthread_mutex_unlock(&lock);
	if (fd != -EFAULT || virtio_backing_of(start, &backing) != 0)
		return fd;
	seals = fcntl(backing.fd, F_GET_SEALS);
	*offset = backing.offset;
	if (backing.end - start >= size_bytes && seals >= 0 && seals & F_SEAL_SHRINK)
		return backing.fd;
	close(backing.fd);
	return -EFAULT;
}

void vkmt_pages_unshare(void *pages, size_t size_bytes)
{
	struct piece *pieces = calloc(PIECES_MAX, sizeof(*pieces));
	uint64_t start = (uintptr_t)pages;
	int count = 0;

	pthread_mutex_lock(&lock);
	if (pieces && file >= 0 && maker == getpid())
		count = find_pieces(start, start + size_bytes, false, pieces);
	for (int i = 0; i < count; i++)
		if (pieces[i].is_ours)
			take_back(&pieces[i]);
	pthread_mutex_unlock(&lock);
	free(pieces);
}
