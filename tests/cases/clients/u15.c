/* SPDX-License-Identifier: MIT */
/* U15: each rule for arguments broken once. Prints the status of each call. */
#include "client.h"

static void show(const char *what, HSAKMT_STATUS status)
{
	printf("%s %d\n", what, (int)status);
}

static HSAKMT_STATUS alloc(HSAuint32 node, HSAuint64 size_bytes, HSAuint64 alignment,
			   HsaMemFlags flags)
{
	void *address = NULL;
	HSAKMT_STATUS status = hsaKmtAllocMemoryAlign(node, size_bytes, alignment, flags, &address);

	/* OnlyAddress wins over NoAddress: that check of the library is never reached. */
	if (status == HSAKMT_STATUS_SUCCESS)
		OK(hsaKmtFreeMemory(address, size_bytes));
	return status;
}

static CASE_FUNCTION void break_rules(void)
{
	HsaMemFlags flags = device_flags(), changed;
	void *address = NULL;

	show("size-0", alloc(1, 0, 0, flags));
	show("size-4097", alloc(1, 4097, 0, flags));
	show("alignment-3M", alloc(1, 4096, 3 << 20, flags));
	show("alignment-2048", alloc(1, 4096, 2048, flags));
	changed = flags;
	changed.ui32.ExtendedCoherent = 1;
	show("coarse-extended", alloc(1, 4096, 0, changed));
	changed = flags;
	changed.ui32.OnlyAddress = 1;
	changed.ui32.NoAddress = 1;
	show("only-no-address", alloc(1, 4096, 0, changed));
	changed = flags;
	changed.ui32.FixedAddress = 1;
	show("fixed-null", alloc(1, 4096, 0, changed));
	changed = flags;
	changed.ui32.Scratch = 1;
	show("scratch-aligned", alloc(1, 4096, 4096, changed));
	show("node-99", alloc(99, 4096, 0, flags));
	show("null-pointer", hsaKmtAllocMemory(1, 4096, flags, NULL));
	address = alloc_device(1, 4096);
	show("register-device", hsaKmtRegisterMemory(address, 4096));
	OK(hsaKmtFreeMemory(address, 4096));
}

int main(void)
{
	open_driver();
	break_rules();
	close_driver();
	return 0;
}
