/* SPDX-License-Identifier: MIT */
/* Claims on counter slots: byte locks in a shared memory file. */
#include "perf/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "context.h"

#define MAGIC 0x54415348u

/* The file's head: what external tools read, and more behind it that only we do. */
struct head {
	uint32_t magic;
	uint32_t iommu_slots_left;
	uint32_t iommu_capacity;
	uint32_t last_pid; /* who claimed last, for a message */
};

/* Locks may lie beyond the end of the file. Byte 0 of the area serialises the claiming itself. */
#define LOCK_AREA          4096
#define BLOCKS_A_NODE      32
#define SERIALISE_TRIES    1000
#define SERIALISE_SLEEP_NS 1000000 /* a second in all: its holders do a few system calls */

/* The IOMMU is one for the machine, whatever node describes it. */
static off_t slot_offset(uint32_t node, enum pmc_block_index block, uint32_t slot)
{
	off_t place = block == PMC_BLOCK_IOMMU ? block : (off_t)node * BLOCKS_A_NODE + block;

	return LOCK_AREA + 1 + place * PMC_MAX_SLOTS + slot;
}

static int set_lock(int fd, off_t offset, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &lock) ? -errno : 0;
}

/* True when another description holds the byte. */
static bool is_locked(int fd, off_t offset)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1
	};

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

/* Tries instead of sleeping in the lock: a stopped process must not stop us too. */
static int serialise(int fd)
{
	const struct timespec pause = { .tv_nsec = SERIALISE_SLEEP_NS };
	int rc = set_lock(fd, LOCK_AREA, F_WRLCK);

	for (unsigned int i = 0; rc == -EAGAIN && i < SERIALISE_TRIES; i++) {
		nanosleep(&pause, NULL);
		rc = set_lock(fd, LOCK_AREA, F_WRLCK);
	}
	return rc == -EAGAIN || rc == -EACCES ? -EBUSY : rc;
}

static int open_shared(void)
{
	int fd = shm_open(PMC_SHARED_MEMORY_NAME, O_RDWR | O_CREAT | O_EXCL, 0666);

	if (fd >= 0)
		(void)fchmod(fd, 0666); /* the umask is not meant here; without it others fail */
	else if (errno == EEXIST)
		fd = shm_open(PMC_SHARED_MEMORY_NAME, O_RDWR, 0);
	return fd < 0 ? -errno : fd;
}

/* Writes the information words anew from the locks that there are. */
static void write_head(int fd, uint32_t own_slots, uint32_t capacity)
{
	struct head head = { .magic = MAGIC,
			     .iommu_capacity = capacity,
			     .last_pid = (uint32_t)getpid() };
	uint32_t taken = own_slots;

	for (uint32_t i = 0; i < capacity; i++)
		taken += is_locked(fd, slot_offset(0, PMC_BLOCK_IOMMU, i));
	head.iommu_slots_left = taken < capacity ? capacity - taken : 0;
	if (pwrite(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		kmt_log(KMT_LOG_WARNING, "the counters' shared memory cannot be written");
}

int pmc_claim_take(struct pmc_claim *claim, uint32_t node, enum pmc_block_index block,
		   uint32_t slots, uint32_t capacity)
{
	uint32_t taken = 0;
	struct head head = { 0 };
	int fd, rc;

	claim->fd = -1;
	if (slots > capacity || capacity > PMC_MAX_SLOTS)
		return -EBUSY;
	fd = open_shared();
	if (fd < 0)
		return fd;
	rc = serialise(fd);
	if (rc)
		goto out;
	for (uint32_t i = 0; i < capacity && taken < slots; i++)
		taken += !set_lock(fd, slot_offset(node, block, i), F_WRLCK);
	if (taken < slots) {
		rc = -EBUSY;
		if (pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head))
			kmt_log(KMT_LOG_WARNING,
				"counter block %u of node %u is taken; process %u claimed last",
				block, node, head.last_pid);
		goto out; /* the close gives back what was taken */
	}
	if (block == PMC_BLOCK_IOMMU)
		write_head(fd, slots, capacity);
	(void)set_lock(fd, LOCK_AREA, F_UNLCK); /* unlocking a byte of one's own cannot fail */
	claim->fd = fd;
	fd = -1;
out:
	if (fd >= 0)
		close(fd);
	return rc;
}

void pmc_claim_drop(struct pmc_claim *claim)
{
	if (claim->fd >= 0)
		close(claim->fd);
	claim->fd = -1;
}

void pmc_claim_release(struct pmc_claim *claim)
{
	struct head head;

	if (claim->fd < 0)
		return;
	/* The locks go first, so that the count that is written does not include them. */
	if (!serialise(claim->fd)) {
		struct flock all = { .l_type = F_UNLCK,
				     .l_whence = SEEK_SET,
				     .l_start = LOCK_AREA + 1 };

		(void)fcntl(claim->fd, F_OFD_SETLK, &all); /* the close does it anyway */
		if (pread(claim->fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
		    head.iommu_capacity && head.iommu_capacity <= PMC_MAX_SLOTS)
			write_head(claim->fd, 0, head.iommu_capacity);
	}
	close(claim->fd);
	claim->fd = -1;
}
