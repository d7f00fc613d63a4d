/* SPDX-License-Identifier: MIT */
/* Attributes of shared memory, and the retry fault mode. */
#include "walk.h"

#define SIZE (512 * WALK_PAGE)

static void attributes_are_set_and_told(struct walk *w)
{
	HSA_SVM_ATTRIBUTE set[] = { { HSA_SVM_ATTR_PREFERRED_LOC, w->gpu },
				    { HSA_SVM_ATTR_ACCESS, w->gpu },
				    { HSA_SVM_ATTR_SET_FLAGS, HSA_SVM_FLAG_COHERENT } };
	HSA_SVM_ATTRIBUTE get[] = { { HSA_SVM_ATTR_PREFERRED_LOC, 0 },
				    { HSA_SVM_ATTR_ACCESS, w->gpu },
				    { HSA_SVM_ATTR_SET_FLAGS, 0 } };
	HSA_SVM_ATTRIBUTE cpu = { HSA_SVM_ATTR_ACCESS, w->cpu };
	HSA_SVM_ATTRIBUTE bad = { HSA_SVM_ATTR_ACCESS, WALK_BAD_NODE };
	void *pages = walk_pages(SIZE);

	if (!pages)
		return;
	API(SUCCESS, hsaKmtSVMSetAttr, pages, SIZE, 3, set);
	if (API(SUCCESS, hsaKmtSVMGetAttr, pages, SIZE, 3, get))
		for (int i = 0; i < 3; i++) {
			walk_number(w, "attribute", get[i].type);
			walk_number(w, "value", get[i].value);
		}
	API(INVALID_PARAMETER, hsaKmtSVMSetAttr, (char *)pages + 1, WALK_PAGE, 3, set);
	API(INVALID_PARAMETER, hsaKmtSVMSetAttr, pages, 0, 3, set);
	API(INVALID_NODE_UNIT, hsaKmtSVMSetAttr, pages, SIZE, 1, &cpu);
	API(INVALID_NODE_UNIT, hsaKmtSVMSetAttr, pages, SIZE, 1, &bad);
	API(INVALID_PARAMETER, hsaKmtSVMGetAttr, (char *)pages + 1, WALK_PAGE, 3, get);
	API(INVALID_NODE_UNIT, hsaKmtSVMGetAttr, pages, SIZE, 1, &bad);
	walk_pages_free(pages, SIZE);
}

static void the_retry_fault_mode_is_switched(struct walk *w)
{
	HSAint32 mode = 7;

	if (API(SUCCESS, hsaKmtGetXNACKMode, &mode))
		walk_number(w, "mode", (uint32_t)mode);
	API(SUCCESS, hsaKmtSetXNACKMode, 1);
	if (API(SUCCESS, hsaKmtGetXNACKMode, &mode))
		walk_expect(w, "mode", (uint32_t)mode, 1);
	API(SUCCESS, hsaKmtSetXNACKMode, 0);
#ifndef WALK_STOCK
	API(INVALID_PARAMETER, hsaKmtGetXNACKMode, NULL);
#endif
}

static void without_an_open_driver_there_are_no_attributes(struct walk *w)
{
	HSA_SVM_ATTRIBUTE attribute = { HSA_SVM_ATTR_ACCESS, 0 };
	HSAint32 mode = 0;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSVMSetAttr, (void *)0x1000, WALK_PAGE, 1,
	    &attribute);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSVMGetAttr, (void *)0x1000, WALK_PAGE, 1,
	    &attribute);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtSetXNACKMode, 0);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetXNACKMode, &mode);
}

const struct walk_case walk_svm_cases[] = {
	{ "without an open driver there are no attributes",
	  without_an_open_driver_there_are_no_attributes, true },
	{ "attributes are set and told", attributes_are_set_and_told, false },
	{ "the retry fault mode is switched", the_retry_fault_mode_is_switched, false },
	{ NULL, NULL, false },
};
