/* SPDX-License-Identifier: MIT */
/* U41: a libhsakmt of somebody else, and, linked into u41_static, a thunk that cannot be replaced. */
#include <hsakmt/hsakmt.h>

HSAKMT_STATUS HSAKMTAPI hsaKmtOpenKFD(void)
{
	return HSAKMT_STATUS_UNAVAILABLE;
}

HSAKMT_STATUS HSAKMTAPI hsaKmtGetVersion(HsaVersionInfo *VersionInfo)
{
	(void)VersionInfo;
	return HSAKMT_STATUS_UNAVAILABLE;
}
