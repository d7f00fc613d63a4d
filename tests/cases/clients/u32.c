/* SPDX-License-Identifier: MIT */
/*
 * U32: modes of page-fault retry, and attributes of shared memory. usage: u32 [mode|old]; prints the
 * status of each call.
 */
#include "queues.h"

#include <sys/mman.h>

#define RANGE_BYTES (2u << 20)

static void show(const char *what, HSAKMT_STATUS status)
{
	printf("%s %d\n", what, (int)status);
}

static CASE_FUNCTION void try_modes(void)
{
	HSAint32 mode = -1;
	HSA_QUEUEID queue;
	void *ring;

	show("get", hsaKmtGetXNACKMode(&mode));
	show("set-1", hsaKmtSetXNACKMode(1));
	show("set-0", hsaKmtSetXNACKMode(0));
	ring = make_ring();
	OK(make_queue(1, HSA_QUEUE_COMPUTE, ring, &queue));
	show("set-1-busy", hsaKmtSetXNACKMode(1));
	OK(hsaKmtDestroyQueue(queue));
	drop_ring(ring);
}

static CASE_FUNCTION void try_attributes(char *range)
{
	HSA_SVM_ATTRIBUTE set[] = { { HSA_SVM_ATTR_PREFERRED_LOC, 1 },
				    { HSA_SVM_ATTR_ACCESS, 1 },
				    { HSA_SVM_ATTR_SET_FLAGS, 2 } };
	HSA_SVM_ATTRIBUTE get[] = { { HSA_SVM_ATTR_PREFERRED_LOC, 0 },
				    { HSA_SVM_ATTR_ACCESS, 1 },
				    { HSA_SVM_ATTR_SET_FLAGS, 0 } };
	HSA_SVM_ATTRIBUTE cpu = { HSA_SVM_ATTR_ACCESS, 0 };

	show("set", hsaKmtSVMSetAttr(range, RANGE_BYTES, 3, set));
	show("get", hsaKmtSVMGetAttr(range, RANGE_BYTES, 3, get));
	show("unaligned", hsaKmtSVMSetAttr(range + 1, RANGE_BYTES, 3, set));
	show("cpu", hsaKmtSVMSetAttr(range, RANGE_BYTES, 1, &cpu));
	show("none", hsaKmtSVMSetAttr(range, RANGE_BYTES, 0, set));
	show("untouched", hsaKmtSVMGetAttr(range + RANGE_BYTES, RANGE_BYTES, 3, get));
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	char *range = mmap(NULL, 3 * (size_t)RANGE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (range == MAP_FAILED)
		return 98;
	open_driver();
	if (strcmp(part, "mode") == 0) {
		show("set-1", hsaKmtSetXNACKMode(1));
	} else if (strcmp(part, "old") == 0) {
		HSA_SVM_ATTRIBUTE set = { HSA_SVM_ATTR_PREFERRED_LOC, 1 };

		show("set", hsaKmtSVMSetAttr(range, RANGE_BYTES, 1, &set));
	} else {
		try_modes();
		try_attributes(range);
	}
	close_driver();
	return 0;
}
