/* SPDX-License-Identifier: MIT */
/* What the protocol has no command for (virtio.md 1). */
#include "virtio/guest/calls.h"
#include "virtio/guest/guest.h"

static HSAKMT_STATUS absent(void)
{
	return vkmt_device() ? HSAKMT_STATUS_NOT_IMPLEMENTED
			     : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}

HSAKMT_STATUS vkmt_replace_asan_header_page(void *addr)
{
	(void)addr;
	return absent();
}

HSAKMT_STATUS vkmt_return_asan_header_page(void *addr)
{
	(void)addr;
	return absent();
}

HSAKMT_STATUS vkmt_ais_read_write_file(void *MemoryAddress, HSAuint64 MemorySizeInBytes,
				       HSAint32 fd, HSAint64 file_offset, HsaAisFlags AisFlags,
				       HSAuint64 *SizeCopiedInBytes, HSAint32 *status)
{
	(void)MemoryAddress;
	(void)MemorySizeInBytes;
	(void)fd;
	(void)file_offset;
	(void)AisFlags;
	(void)SizeCopiedInBytes;
	(void)status;
	return absent();
}

HSAKMT_STATUS vkmt_process_vm_read(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
				   HSAuint64 LocalMemoryArrayCount,
				   HsaMemoryRange *RemoteMemoryArray,
				   HSAuint64 RemoteMemoryArrayCount, HSAuint64 *SizeCopied)
{
	(void)Pid;
	(void)LocalMemoryArray;
	(void)LocalMemoryArrayCount;
	(void)RemoteMemoryArray;
	(void)RemoteMemoryArrayCount;
	(void)SizeCopied;
	return absent();
}

HSAKMT_STATUS vkmt_process_vm_write(HSAuint32 Pid, HsaMemoryRange *LocalMemoryArray,
				    HSAuint64 LocalMemoryArrayCount,
				    HsaMemoryRange *RemoteMemoryArray,
				    HSAuint64 RemoteMemoryArrayCount, HSAuint64 *SizeCopied)
{
	(void)Pid;
	(void)LocalMemoryArray;
	(void)LocalMemoryArrayCount;
	(void)RemoteMemoryArray;
	(void)RemoteMemoryArrayCount;
	(void)SizeCopied;
	return absent();
}
