/* SPDX-License-Identifier: MIT */
/* The host as a whole: the KFD, the machine, and addresses for guests (virtio.md 6). */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "virtio/host/host-internal.h"
#include "virtio/observer.h"

#define GIB            (1ull << 30)
#define DEFAULT_BASE   0x700000000000ull
#define LAST_ADDRESS   (1ull << 47)
#define USUAL_END      (LAST_ADDRESS / 64 * 61) /* libraries and stacks lie above */
#define CANDIDATES     16u
#define CANDIDATE_STEP (256 * GIB)
#define KFD_BYTES_MIN  (8 * GIB)
#define KFD_BYTES_MAX  (128 * GIB)
#define SCRATCH_BYTES  (4 * GIB)
#define RESERVE_FLAGS  (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

int host_reserve(uint64_t address, uint64_t size_bytes)
{
	void *wanted = (void *)(uintptr_t)address;
	void *mapped =
		mmap(wanted, size_bytes, PROT_NONE, RESERVE_FLAGS | MAP_FIXED_NOREPLACE, -1, 0);

	if (mapped == MAP_FAILED)
		return -errno;
	if (mapped == wanted)
		return 0;
	munmap(mapped, size_bytes);
	return -EEXIST;
}

static int read_nodes(struct virtio_host *host)
{
	HsaSystemProperties system;

	if (hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS)
		return -ENODEV;
	host->node_count = system.NumNodes < HOST_NODES_MAX ? system.NumNodes : HOST_NODES_MAX;
	for (uint32_t i = 0; i < host->node_count; i++)
		if (hsaKmtGetNodeProperties(i, &host->nodes[i]) != HSAKMT_STATUS_SUCCESS)
			return -ENODEV;
	return 0;
}

/* Twice what the machine has, so that holes do no harm. */
static uint64_t kfd_bytes(const struct virtio_host *host)
{
	uint64_t sum = 0;
	HsaMemoryProperties banks[8];

	for (uint32_t i = 0; i < host->node_count; i++) {
		uint32_t count = host->nodes[i].NumMemoryBanks;

		if (count > 8 ||
		    hsaKmtGetNodeMemoryProperties(i, count, banks) != HSAKMT_STATUS_SUCCESS)
			continue;
		for (uint32_t n = 0; n < count; n++)
			if (banks[n].HeapType != HSA_HEAPTYPE_GPU_LDS &&
			    banks[n].HeapType != HSA_HEAPTYPE_GPU_SCRATCH &&
			    banks[n].HeapType != HSA_HEAPTYPE_MMIO_REMAP)
				sum += banks[n].SizeInBytes;
	}
	sum = (2 * sum + GIB - 1) / GIB * GIB;
	if (sum < KFD_BYTES_MIN)
		return KFD_BYTES_MIN;
	return sum > KFD_BYTES_MAX ? KFD_BYTES_MAX : sum;
}

static int open_kfd(struct virtio_host *host)
{
	HsaVersionInfo version;
	HSAKMT_STATUS status = hsaKmtOpenKFD();
	int rc;

	if (status != HSAKMT_STATUS_SUCCESS && status != HSAKMT_STATUS_KERNEL_ALREADY_OPENED)
		return -ENODEV;
	host->capset = (struct vhsakmt_capset){ .version_major = 1,
						.context_type = VIRTIO_CONTEXT_TYPE_AMDGPU };
	if (hsaKmtGetVersion(&version) == HSAKMT_STATUS_SUCCESS) {
		host->capset.version_major = version.KernelInterfaceMajorVersion;
		host->capset.version_minor = version.KernelInterfaceMinorVersion;
	}
	(void)hsaKmtModelEnabled(&host->is_model); /* cannot fail */
	rc = read_nodes(host);
	if (rc != 0) {
		(void)hsaKmtReleaseSystemProperties();
		(void)hsaKmtCloseKFD();
	}
	return rc;
}

/* @return 0, -ERANGE: not even one guest's addresses lie there, -ENOMEM. */
static int init_ranges_of_guests(struct virtio_host *host)
{
	uint64_t base = host->options.base ? host->options.base : DEFAULT_BASE;
	uint64_t end = base < USUAL_END ? USUAL_END : LAST_ADDRESS, each;

	if (!host->options.kfd_bytes)
		host->options.kfd_bytes = kfd_bytes(host);
	if (!host->options.scratch_bytes)
		host->options.scratch_bytes = SCRATCH_BYTES;
	each = host->options.kfd_bytes + host->options.scratch_bytes;
	if (base >= end || host->options.kfd_bytes > end || each > end - base)
		return -ERANGE;
	return virtio_va_init(&host->ranges, base, end - base) ? 0 : -ENOMEM;
}

int virtio_host_new(const struct virtio_host_options *options, struct virtio_host **out)
{
	struct virtio_host *host = calloc(1, sizeof(*host));
	int rc;

	if (!host)
		return -ENOMEM;
	pthread_mutex_init(&host->lock, NULL);
	host->options = *options;
	rc = open_kfd(host);
	if (rc != 0) {
		free(host);
		return rc;
	}
	rc = init_ranges_of_guests(host);
	if (rc != 0) {
		virtio_host_free(host);
		return rc;
	}
	*out = host;
	return 0;
}

void virtio_host_free(struct virtio_host *host)
{
	if (!host)
		return;
	virtio_va_fini(&host->ranges);
	(void)hsaKmtReleaseSystemProperties();
	(void)hsaKmtCloseKFD();
	pthread_mutex_destroy(&host->lock);
	free(host);
}

void virtio_host_capset(const struct virtio_host *host, struct vhsakmt_capset *out)
{
	*out = host->capset;
}

/* Finds addresses that neither a guest nor this process uses, and reserves them. */
static int take_range(struct virtio_context *ctx)
{
	struct virtio_host *host = ctx->host;
	uint64_t skipped[CANDIDATES], total = ctx->total_bytes;
	uint32_t count = 0;
	int rc = -ENOSPC;

	pthread_mutex_lock(&host->lock);
	while (rc != 0 && count < CANDIDATES && host->guests < VIRTIO_GUESTS_MAX) {
		uint64_t base = virtio_va_alloc(&host->ranges, total, GIB);

		if (!base)
			break;
		if (host_reserve(base, total) == 0) {
			ctx->base = base;
			host->guests++;
			rc = 0;
		} else {
			skipped[count++] = base;
		}
	}
	while (count > 0)
		virtio_va_free(&host->ranges, skipped[--count], total);
	pthread_mutex_unlock(&host->lock);
	return rc;
}

static void give_range(struct virtio_context *ctx)
{
	struct virtio_host *host = ctx->host;

	if (!ctx->base)
		return;
	pthread_mutex_lock(&host->lock);
	munmap((void *)(uintptr_t)ctx->base, ctx->total_bytes);
	virtio_va_free(&host->ranges, ctx->base, ctx->total_bytes);
	host->guests--;
	for (uint32_t i = 0; i < host->node_count; i++) {
		if (host->spm_owner[i] != ctx)
			continue;
		(void)hsaKmtSPMRelease(i);
		host->spm_owner[i] = NULL;
	}
	pthread_mutex_unlock(&host->lock);
}

/* Whether memory of this process, such as the pages of a guest, can be registered in a context. */
static bool takes_user_pointers(HsaKFDContext *kfd)
{
	const HsaMemFlags flags = { .ui32 = { .HostAccess = 1, .CoarseGrain = 1 } };
	void *page = mmap(NULL, VIRTIO_PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	HSAKMT_STATUS status;

	if (page == MAP_FAILED)
		return false;
	status = hsaKmtRegisterMemoryWithFlagsCtx(kfd, page, VIRTIO_PAGE_BYTES, flags);
	if (status == HSAKMT_STATUS_SUCCESS)
		(void)hsaKmtDeregisterMemoryCtx(kfd, page);
	munmap(page, VIRTIO_PAGE_BYTES);
	return status == HSAKMT_STATUS_SUCCESS;
}

/*
 * A context of the guest's own. A driver that takes user pointers from primary processes only leaves
 * runtimes without the memory that they register for nearly every copy: such a context is for those
 * who ask for it. @return NOT_SUPPORTED when there is none, or the thunk's status.
 */
static HSAKMT_STATUS open_own(struct virtio_context *ctx)
{
	struct virtio_host *host = ctx->host;
	HSAKMT_STATUS status = HSAKMT_STATUS_NOT_SUPPORTED;

	pthread_mutex_lock(&host->lock);
	if (!host->options.primary_only && !host->no_user_pointers)
		status = hsaKmtOpenSecondaryKFDCtx(&ctx->kfd);
	if (status == HSAKMT_STATUS_SUCCESS && !host->options.secondary_too &&
	    !takes_user_pointers(ctx->kfd)) {
		(void)hsaKmtCloseSecondaryKFDCtx(ctx->kfd);
		ctx->kfd = NULL;
		host->no_user_pointers = true;
		status = HSAKMT_STATUS_NOT_SUPPORTED;
	}
	pthread_mutex_unlock(&host->lock);
	return status;
}

static int open_context(struct virtio_context *ctx)
{
	static _Atomic uint32_t opened;
	HSAKMT_STATUS status = open_own(ctx);

	if (status == HSAKMT_STATUS_SUCCESS) {
		ctx->owns_kfd = true;
		ctx->id = ++opened;
		return 0;
	}
	if (status != HSAKMT_STATUS_NOT_SUPPORTED)
		return -EIO;
	/* The addresses alone keep guests apart. */
	status = hsaKmtOpenKFDCtx(&ctx->kfd);
	return status == HSAKMT_STATUS_SUCCESS || status == HSAKMT_STATUS_KERNEL_ALREADY_OPENED
		       ? 0
		       : -EIO;
}

static bool init_ranges(struct virtio_context *ctx)
{
	const struct virtio_host *host = ctx->host;
	uint64_t each = host->options.scratch_bytes / host->node_count / GIB * GIB;
	uint64_t at = ctx->base + ctx->kfd_bytes;

	if (each == 0)
		each = host->options.scratch_bytes / host->node_count & ~0xFFFFull;
	for (uint32_t i = 0; i < host->node_count; i++, at += each)
		ctx->scratch[i] = (struct scratch){ .base = at, .size_bytes = each };
	return virtio_va_init(&ctx->va, ctx->base, ctx->kfd_bytes);
}

int virtio_context_new(struct virtio_host *host, struct virtio_context **out)
{
	struct virtio_context *ctx = calloc(1, sizeof(*ctx));
	int rc;

	if (!ctx)
		return -ENOMEM;
	ctx->host = host;
	ctx->revision = VIRTIO_REVISION_2;
	ctx->kfd_bytes = host->options.kfd_bytes;
	ctx->total_bytes = ctx->kfd_bytes + host->options.scratch_bytes;
	rc = open_context(ctx);
	if (rc == 0)
		rc = take_range(ctx);
	if (rc == 0 && !init_ranges(ctx))
		rc = -ENOMEM;
	if (rc != 0) {
		virtio_context_free(ctx);
		return rc;
	}
	*out = ctx;
	return 0;
}

static void end_scratch(struct virtio_context *ctx)
{
	for (uint32_t i = 0; i < ctx->host->node_count; i++) {
		struct scratch *scratch = &ctx->scratch[i];

		if (!scratch->va.size_bytes)
			continue;
		(void)hsaKmtFreeMemoryCtx(ctx->kfd, (void *)(uintptr_t)scratch->base,
					  scratch->size_bytes);
		virtio_va_fini(&scratch->va);
	}
}

/* Queues first: they use memory and events. */
static void drop_objects(struct virtio_context *ctx)
{
	struct object *object = ctx->objects, *next;

	for (; object; object = next) {
		next = object->next;
		if (object->kind != OBJECT_QUEUE)
			continue;
		object_drop(ctx, object);
		next = ctx->objects; /* what it used may be gone with it */
	}
	while (ctx->objects)
		object_drop(ctx, ctx->objects);
}

void virtio_context_free(struct virtio_context *ctx)
{
	if (!ctx)
		return;
	if (virtio_observer)
		virtio_observer->guest_gone_begin(ctx->base, ctx->id);
	drop_objects(ctx);
	end_scratch(ctx);
	if (ctx->owns_kfd)
		(void)hsaKmtCloseSecondaryKFDCtx(ctx->kfd);
	else if (ctx->kfd)
		(void)hsaKmtCloseKFDCtx();
	give_range(ctx);
	virtio_va_fini(&ctx->va);
	virtio_ids_fini(&ctx->blobs);
	virtio_ids_fini(&ctx->resources);
	virtio_ids_fini(&ctx->tokens);
	if (ctx->shmem)
		munmap(ctx->shmem, ctx->shmem_bytes);
	if (virtio_observer)
		virtio_observer->guest_gone_end(ctx->base, ctx->id);
	free(ctx);
}

uint64_t virtio_context_guest(const struct virtio_context *ctx)
{
	return ctx->base;
}
