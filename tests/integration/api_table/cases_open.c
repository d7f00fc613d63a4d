/* SPDX-License-Identifier: MIT */
/* Opening, closing and the version, and what every call answers while nothing is open. */
#include <stdlib.h>

#include "walk.h"

static void open(struct walk *w, HSAKMT_STATUS expected)
{
#ifdef WALK_CTX
	walk_note(w, "hsaKmtOpenKFDCtx", expected, walk_open(w));
#else
	walk_note(w, "hsaKmtOpenKFD", expected, hsaKmtOpenKFD());
#endif
}

static void close(struct walk *w, HSAKMT_STATUS expected)
{
#ifdef WALK_CTX
	walk_note(w, "hsaKmtCloseKFDCtx", expected, hsaKmtCloseKFDCtx());
#else
	walk_note(w, "hsaKmtCloseKFD", expected, hsaKmtCloseKFD());
#endif
}

static void opens_are_counted(struct walk *w)
{
	HsaVersionInfo version = { 0 };

	close(w, HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtGetVersion, &version);
	open(w, HSAKMT_STATUS_SUCCESS);
	open(w, HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
	if (PLAIN(SUCCESS, hsaKmtGetVersion, &version)) {
		walk_expect(w, "major", version.KernelInterfaceMajorVersion, 1);
		walk_number(w, "minor", version.KernelInterfaceMinorVersion);
	}
	close(w, HSAKMT_STATUS_SUCCESS);
	PLAIN(SUCCESS, hsaKmtGetVersion, &version);
	close(w, HSAKMT_STATUS_SUCCESS);
	close(w, HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
	open(w, HSAKMT_STATUS_SUCCESS);
	close(w, HSAKMT_STATUS_SUCCESS);
}

#ifndef WALK_STOCK
static void nowhere_to_put_a_version_or_context_is_refused(struct walk *w)
{
	PLAIN(INVALID_PARAMETER, hsaKmtOpenKFDCtx, NULL);
	open(w, HSAKMT_STATUS_SUCCESS);
	PLAIN(INVALID_PARAMETER, hsaKmtGetVersion, NULL);
	close(w, HSAKMT_STATUS_SUCCESS);
}

static void secondary_contexts_come_and_go(struct walk *w)
{
	HsaSystemProperties system = { 0 };
	HsaKFDContext *second = NULL;

	PLAIN(INVALID_PARAMETER, hsaKmtOpenSecondaryKFDCtx, NULL);
	if (getenv("HSA_MODEL_TOPOLOGY")) { /* a model serves one context (model.md 3) */
		PLAIN(NOT_SUPPORTED, hsaKmtOpenSecondaryKFDCtx, &second);
	} else if (PLAIN(SUCCESS, hsaKmtOpenSecondaryKFDCtx, &second)) {
		PLAIN(SUCCESS, hsaKmtAcquireSystemPropertiesCtx, second, &system);
		walk_expect(w, "nodes", system.NumNodes, w->node_count);
		PLAIN(SUCCESS, hsaKmtReleaseSystemPropertiesCtx, second);
		PLAIN(SUCCESS, hsaKmtCloseSecondaryKFDCtx, second);
	}
	PLAIN(INVALID_PARAMETER, hsaKmtCloseSecondaryKFDCtx, NULL);
	PLAIN(INVALID_PARAMETER, hsaKmtCloseSecondaryKFDCtx, w->ctx);
}

static void without_an_open_driver_there_is_no_second_context(struct walk *w)
{
	HsaKFDContext *second = NULL;

	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtOpenSecondaryKFDCtx, &second);
}
#endif

const struct walk_case walk_open_cases[] = {
	{ "opens are counted", opens_are_counted, true },
#ifndef WALK_STOCK
	{ "nowhere to put a version or context is refused",
	  nowhere_to_put_a_version_or_context_is_refused, true },
	{ "without an open driver there is no second context",
	  without_an_open_driver_there_is_no_second_context, true },
	{ "secondary contexts come and go", secondary_contexts_come_and_go, false },
#endif
	{ NULL, NULL, false },
};
