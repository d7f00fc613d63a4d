/* SPDX-License-Identifier: MIT */
#include "borrowed.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The process that this memory is of. The kernel wipes the page in every child that gets a copy of
 * the memory, however it is made; one that finds another number than its own there has the memory
 * itself. NULL where the kernel does not do that: nobody is taken for a borrower then.
 */
static _Atomic pid_t *owner;

static void __attribute__((constructor)) note_owner(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	if (madvise(memory, page, MADV_WIPEONFORK)) {
		munmap(memory, page);
		return;
	}
	owner = memory;
	kfd_model_memory_after_fork();
}

bool kfd_model_memory_is_borrowed(void)
{
	pid_t nobody = 0, other;

	if (!owner || atomic_compare_exchange_strong(owner, &nobody, getpid()))
		return false;
	other = nobody;
	if (other == getpid())
		return false;
	if (kill(other, 0) == 0 || errno != ESRCH)
		return true;
	/* a borrower came before the owner did, and left its number behind */
	atomic_store(owner, getpid());
	return false;
}

void kfd_model_memory_after_fork(void)
{
	if (owner)
		atomic_store(owner, getpid());
}
