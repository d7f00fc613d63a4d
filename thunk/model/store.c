/* SPDX-License-Identifier: MIT */
/*
 * One sparse memory file. Its first 8 MiB hold share records; the rest is handed out in size classes
 * (eight to the power of two), so that a freed place fits the next buffer of about that size and
 * both operations take constant time. The file is far larger than any machine's memory; limits are
 * kept by accounting, not here.
 */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE_BYTES  (1ull << 46)
#define STORE_MAGIC  0x65726f7473646b66ull /* "fdkstore" */
#define SHARE_MAGIC  0x6572616873646b66ull
#define TABLE_BYTES  (1ull << 23)
#define SHARE_COUNT  (TABLE_BYTES / sizeof(struct kfd_model_share))
#define WINDOW_SHIFT 30
#define WINDOW_BYTES (1ull << WINDOW_SHIFT)
#define WINDOW_COUNT (STORE_BYTES >> WINDOW_SHIFT)
#define CLASS_COUNT  (8 * 48)
#define PAGE_BYTES   4096ull

struct hole {
	uint64_t offset;
	struct hole *next; /* owned */
};

struct kfd_model_store {
	atomic_uint refs;
	int fd; /* owned */
	dev_t dev;
	ino_t ino;
	pthread_mutex_t lock;            /* protects top, holes, share_used */
	uint64_t top;                    /* first byte never handed out */
	struct hole *holes[CLASS_COUNT]; /* owned */
	uint8_t share_used[SHARE_COUNT];
	_Atomic(char *) *windows; /* owned, WINDOW_COUNT; each mapped when first used */
};

static void free_windows(struct kfd_model_store *store)
{
	for (uint64_t i = 0; store->windows && i < WINDOW_COUNT; i++)
		if (store->windows[i])
			munmap(store->windows[i], WINDOW_BYTES);
	/* calloc: a table that is mostly never touched costs no memory */
	free((void *)store->windows);
}

static void store_free(struct kfd_model_store *store)
{
	if (!store)
		return;
	free_windows(store);
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		while (store->holes[i]) {
			struct hole *hole = store->holes[i];

			store->holes[i] = hole->next;
			free(hole);
		}
	}
	pthread_mutex_destroy(&store->lock);
	if (store->fd >= 0)
		close(store->fd);
	free(store);
}

static struct kfd_model_store *store_over(int fd)
{
	struct kfd_model_store *store = calloc(1, sizeof(*store));
	struct stat st;

	if (!store)
		return NULL;
	store->fd = -1;
	atomic_init(&store->refs, 1);
	pthread_mutex_init(&store->lock, NULL);
	store->top = TABLE_BYTES;
	store->windows = calloc(WINDOW_COUNT, sizeof(*store->windows));
	if (!store->windows || fstat(fd, &st)) {
		store_free(store);
		return NULL;
	}
	store->fd = fd;
	store->dev = st.st_dev;
	store->ino = st.st_ino;
	return store;
}

struct kfd_model_store *kfd_model_store_new(void)
{
	const uint64_t magic = STORE_MAGIC;
	struct kfd_model_store *store = NULL;
	int fd = memfd_create("kfdscope-memory", MFD_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (ftruncate(fd, (off_t)STORE_BYTES) == 0 &&
	    pwrite(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic))
		store = store_over(fd);
	if (!store)
		close(fd);
	return store;
}

/* Cheap refusals first: this looks at descriptors of all kinds. */
static bool is_store_file(int fd)
{
	struct stat st;
	uint64_t magic;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0 &&
	       (uint64_t)st.st_size == STORE_BYTES &&
	       pread(fd, &magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       magic == STORE_MAGIC;
}

struct kfd_model_store *kfd_model_store_adopt(int fd)
{
	return is_store_file(fd) ? store_over(fd) : NULL;
}

struct kfd_model_store *kfd_model_store_get(struct kfd_model_store *store)
{
	atomic_fetch_add(&store->refs, 1);
	return store;
}

void kfd_model_store_put(struct kfd_model_store *store)
{
	if (store && atomic_fetch_sub(&store->refs, 1) == 1)
		store_free(store);
}

int kfd_model_store_fd(const struct kfd_model_store *store)
{
	return store->fd;
}

bool kfd_model_store_is(const struct kfd_model_store *store, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == store->dev && st.st_ino == store->ino;
}

/* Size class of a request; *class_bytes is what every member of the class gets. */
static unsigned int class_of(uint64_t size_bytes, uint64_t *class_bytes)
{
	uint64_t pages = (size_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	unsigned int shift, step;

	if (pages <= 8) {
		*class_bytes = pages * PAGE_BYTES;
		return (unsigned int)pages - 1;
	}
	shift = 63 - (unsigned int)__builtin_clzll(pages - 1);
	step = (unsigned int)((pages - 1) >> (shift - 3)) & 7;
	*class_bytes = ((uint64_t)(9 + step) << (shift - 3)) * PAGE_BYTES;
	return 8 * (shift - 2) + step;
}

int kfd_model_store_alloc(struct kfd_model_store *store, uint64_t size_bytes, uint64_t *offset)
{
	uint64_t bytes;
	unsigned int class;
	struct hole *hole;
	int rc = 0;

	if (!size_bytes || size_bytes > STORE_BYTES / 2)
		return -ENOMEM;
	class = class_of(size_bytes, &bytes);
	pthread_mutex_lock(&store->lock);
	hole = store->holes[class];
	if (hole) {
		store->holes[class] = hole->next;
		*offset = hole->offset;
	} else if (STORE_BYTES - store->top >= bytes) {
		*offset = store->top;
		store->top += bytes;
	} else {
		rc = -ENOMEM;
	}
	pthread_mutex_unlock(&store->lock);
	free(hole);
	return rc;
}

bool kfd_model_store_holds(struct kfd_model_store *store, uint64_t offset, uint64_t size_bytes)
{
	uint64_t top;

	pthread_mutex_lock(&store->lock);
	top = store->top;
	pthread_mutex_unlock(&store->lock);
	return offset >= TABLE_BYTES && offset <= top && size_bytes <= top - offset;
}

void kfd_model_store_release(struct kfd_model_store *store, uint64_t offset, uint64_t size_bytes,
			     bool reuse)
{
	struct hole *hole = reuse ? malloc(sizeof(*hole)) : NULL;
	uint64_t bytes;
	unsigned int class = class_of(size_bytes, &bytes);

	fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
		  (off_t)bytes);
	if (!hole)
		return; /* without memory the place is only lost: the file is sparse */
	hole->offset = offset;
	pthread_mutex_lock(&store->lock);
	hole->next = store->holes[class];
	store->holes[class] = hole;
	pthread_mutex_unlock(&store->lock);
}

static char *map_window(struct kfd_model_store *store, uint64_t index)
{
	char *expected = NULL;
	char *window = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			    store->fd, (off_t)(index << WINDOW_SHIFT));

	if (window == MAP_FAILED)
		return NULL;
	madvise(window, WINDOW_BYTES, MADV_DONTFORK);
	madvise(window, WINDOW_BYTES, MADV_DONTDUMP);
	if (!atomic_compare_exchange_strong(&store->windows[index], &expected, window)) {
		munmap(window, WINDOW_BYTES);
		window = expected;
	}
	return window;
}

void *kfd_model_store_host(struct kfd_model_store *store, uint64_t offset, uint64_t *span_bytes)
{
	uint64_t index = offset >> WINDOW_SHIFT;
	char *window;

	if (index >= WINDOW_COUNT)
		return NULL;
	window = store->windows[index];
	if (!window)
		window = map_window(store, index);
	if (!window)
		return NULL;
	*span_bytes = WINDOW_BYTES - (offset & (WINDOW_BYTES - 1));
	return window + (offset & (WINDOW_BYTES - 1));
}

int kfd_model_store_share(struct kfd_model_store *store, const struct kfd_model_share *share)
{
	struct kfd_model_share record = *share;
	uint32_t index = 1; /* record 0 is the head of the file */

	record.magic = SHARE_MAGIC;
	pthread_mutex_lock(&store->lock);
	while (index < SHARE_COUNT && store->share_used[index])
		index++;
	if (index < SHARE_COUNT)
		store->share_used[index] = 1;
	pthread_mutex_unlock(&store->lock);
	if (index == SHARE_COUNT)
		return -ENOSPC;
	if (pwrite(store->fd, &record, sizeof(record), (off_t)(index * sizeof(record))) !=
	    (ssize_t)sizeof(record)) {
		kfd_model_store_unshare(store, index);
		return -ENOSPC;
	}
	return (int)index;
}

int kfd_model_store_share_at(int fd, uint32_t index, struct kfd_model_share *share)
{
	if (!index || index >= SHARE_COUNT || !is_store_file(fd) ||
	    pread(fd, share, sizeof(*share), (off_t)(index * sizeof(*share))) !=
		    (ssize_t)sizeof(*share) ||
	    share->magic != SHARE_MAGIC)
		return -EINVAL;
	return 0;
}

int kfd_model_store_describe(int fd, uint32_t index, const struct kfd_model_metadata *metadata)
{
	struct kfd_model_share share;
	const off_t place =
		(off_t)(index * sizeof(share) + offsetof(struct kfd_model_share, metadata));

	if (kfd_model_store_share_at(fd, index, &share) ||
	    pwrite(fd, metadata, sizeof(*metadata), place) != (ssize_t)sizeof(*metadata))
		return -EINVAL;
	return 0;
}

void kfd_model_store_unshare(struct kfd_model_store *store, uint32_t index)
{
	const struct kfd_model_share none = { 0 };

	if (pwrite(store->fd, &none, sizeof(none), (off_t)(index * sizeof(none))) < 0)
		return; /* the record stays and its slot with it */
	pthread_mutex_lock(&store->lock);
	store->share_used[index] = 0;
	pthread_mutex_unlock(&store->lock);
}
