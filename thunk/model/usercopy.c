/* SPDX-License-Identifier: MIT */
/*
 * The simulation shares its address space with the program that it serves, so every pointer of that
 * program may be bad or go bad. The kernel is asked to look (can_read_word), to do the copy
 * (process_vm_readv on ourselves), or to make the pages present (MADV_POPULATE_*), and reports what a
 * plain access would die of.
 */
#include "usercopy.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE_BYTES    4096ull
#define CHECKED_PAGES 16

#define WORD         8   /* what a probe touches */
#define PROBED_BYTES 512 /* arguments of calls; larger things are copied by the kernel */

/*
 * Whether the kernel can read the word at addr: it reads the signal set before it looks at the
 * operation, which is none. An order of magnitude cheaper than process_vm_readv, and every call
 * needs it.
 */
static bool can_read_word(uint64_t addr)
{
	return syscall(SYS_rt_sigprocmask, ~0, addr & ~(uint64_t)(WORD - 1), NULL, WORD) == 0 ||
	       errno != EFAULT;
}

/* Whether it can write there; the word is then overwritten with the signal mask. */
static bool can_write_word(uint64_t addr)
{
	return syscall(SYS_rt_sigprocmask, 0, NULL, addr, WORD) == 0;
}

/* First and last word are looked at: a range this short touches two pages at most. */
static bool probe(uint64_t addr, size_t size_bytes, bool write)
{
	/* below the first word the probe would be of no set at all, which is always fine */
	if (addr < WORD || addr + size_bytes < addr)
		return false;
	if (!write)
		return can_read_word(addr) && can_read_word(addr + size_bytes - 1);
	return can_write_word(addr) && can_write_word(addr + size_bytes - WORD);
}

/* Where a sandbox forbids process_vm_*: look, then copy. */
static int checked_copy(void *to, const void *from, size_t size_bytes, uint64_t user, bool write)
{
	for (uint64_t done = 0; done < size_bytes;) {
		uint64_t ok = kfd_model_range_accessible(user + done, size_bytes - done, write);

		if (!ok)
			return -EFAULT;
		memcpy((char *)to + done, (const char *)from + done, ok);
		done += ok;
	}
	return 0;
}

int kfd_model_copy_in(void *to, uint64_t from_addr, size_t size_bytes)
{
	struct iovec local = { .iov_base = to, .iov_len = size_bytes };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)from_addr, .iov_len = size_bytes };
	ssize_t got;

	if (!size_bytes)
		return 0;
	if (size_bytes <= PROBED_BYTES) {
		if (!probe(from_addr, size_bytes, false))
			return -EFAULT;
		memcpy(to, (const void *)(uintptr_t)from_addr, size_bytes);
		return 0;
	}
	got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	if (got == (ssize_t)size_bytes)
		return 0;
	if (got < 0 && (errno == EPERM || errno == ENOSYS))
		return checked_copy(to, (const void *)(uintptr_t)from_addr, size_bytes, from_addr,
				    false);
	return -EFAULT;
}

int kfd_model_copy_out(uint64_t to_addr, const void *from, size_t size_bytes)
{
	struct iovec local = { .iov_base = (void *)(uintptr_t)from, .iov_len = size_bytes };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)to_addr, .iov_len = size_bytes };
	ssize_t done;

	if (!size_bytes)
		return 0;
	if (size_bytes >= WORD && size_bytes <= PROBED_BYTES) {
		if (!probe(to_addr, size_bytes, true))
			return -EFAULT;
		memcpy((void *)(uintptr_t)to_addr, from, size_bytes);
		return 0;
	}
	done = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
	if (done == (ssize_t)size_bytes)
		return 0;
	if (done < 0 && (errno == EPERM || errno == ENOSYS))
		return checked_copy((void *)(uintptr_t)to_addr, from, size_bytes, to_addr, true);
	return -EFAULT;
}

bool kfd_model_range_mapped(uint64_t addr, uint64_t size_bytes)
{
	uint64_t first = addr & ~(PAGE_BYTES - 1);

	/* MS_ASYNC does nothing but find holes */
	return msync((void *)(uintptr_t)first, size_bytes + (addr - first), MS_ASYNC) == 0;
}

static bool populate(uint64_t first, uint64_t size_bytes, bool write)
{
	void *start = (void *)(uintptr_t)first;

	if (madvise(start, size_bytes, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0)
		return true;
	if (errno != EINVAL)
		return false;
	/*
	 * EINVAL: a page without the permission, or a kernel before 5.14. The second is told apart
	 * by asking about a page that is certainly good.
	 */
	if (madvise((void *)((uintptr_t)&start & ~(PAGE_BYTES - 1)), PAGE_BYTES,
		    MADV_POPULATE_READ) == 0)
		return false;
	return kfd_model_range_mapped(first, size_bytes);
}

uint64_t kfd_model_range_accessible(uint64_t addr, uint64_t size_bytes, bool write)
{
	uint64_t first = addr & ~(PAGE_BYTES - 1);
	uint64_t limit = first + CHECKED_PAGES * PAGE_BYTES;
	uint64_t end = addr + size_bytes;

	if (!size_bytes || end < addr)
		return 0;
	if (end > limit)
		end = limit;
	if (populate(first, end - first, write))
		return end - addr;
	if (end > first + PAGE_BYTES)
		end = first + PAGE_BYTES;
	return populate(first, PAGE_BYTES, write) ? end - addr : 0;
}
