/* SPDX-License-Identifier: MIT */
/* The debugger's calls, and the runtime's announcement. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "walk.h"

static void node_debugging_of_old_is_gone(struct walk *w)
{
	HSA_DBG_WATCH_MODE mode = HSA_DBG_WATCH_ALL;
	HSAuint64 mask = 0;
	HsaDbgWaveMessage message;
	void *address = &mask;

	memset(&message, 0, sizeof(message));
	PLAIN(ERROR, hsaKmtDbgRegister, w->gpu);
	PLAIN(INVALID_NODE_UNIT, hsaKmtDbgRegister, WALK_BAD_NODE);
	PLAIN(ERROR, hsaKmtDbgWavefrontControl, w->gpu, HSA_DBG_WAVEOP_HALT,
	      HSA_DBG_WAVEMODE_SINGLE, 0, &message);
	PLAIN(INVALID_NODE_UNIT, hsaKmtDbgWavefrontControl, WALK_BAD_NODE, HSA_DBG_WAVEOP_HALT,
	      HSA_DBG_WAVEMODE_SINGLE, 0, &message);
	PLAIN(ERROR, hsaKmtDbgAddressWatch, w->gpu, 1, &mode, &address, &mask, NULL);
	PLAIN(INVALID_PARAMETER, hsaKmtDbgAddressWatch, w->gpu, 101, &mode, &address, &mask, NULL);
	PLAIN(INVALID_NODE_UNIT, hsaKmtDbgAddressWatch, WALK_BAD_NODE, 1, &mode, &address, &mask,
	      NULL);
	PLAIN(ERROR, hsaKmtDbgUnregister, w->gpu);
	PLAIN(INVALID_NODE_UNIT, hsaKmtDbgUnregister, WALK_BAD_NODE);
}

/* The simulated driver is the one outside the kernel, which still knows this request. */
static void the_old_debug_version_is_told(struct walk *w)
{
	HSAuint32 major = 0, minor = 0;

	if (PLAIN(SUCCESS, hsaKmtGetKernelDebugTrapVersionInfo, &major, &minor)) {
		walk_number(w, "major", major);
		walk_number(w, "minor", minor);
	}
#ifndef WALK_STOCK
	PLAIN(ERROR, hsaKmtGetKernelDebugTrapVersionInfo, NULL, NULL);
#endif
}

static void the_runtime_announces_itself(struct walk *w)
{
	char rendezvous[64] = { 0 };

	if (API(SUCCESS, hsaKmtRuntimeEnable, rendezvous, true)) {
		API(UNAVAILABLE, hsaKmtRuntimeEnable, rendezvous, true);
		API(SUCCESS, hsaKmtRuntimeDisable);
	}
	API(SUCCESS, hsaKmtRuntimeEnable, rendezvous, false);
	API(SUCCESS, hsaKmtRuntimeDisable);
}

static void without_an_open_driver_nothing_is_debugged(struct walk *w)
{
	HSA_DBG_WATCH_MODE mode = HSA_DBG_WATCH_ALL;
	HsaDbgWaveMessage message;
	HSAuint64 mask = 0;
	void *address = &mask;

#ifdef WALK_CTX
	if (walk_open(w) == HSAKMT_STATUS_SUCCESS) /* to have a context at all */
		(void)walk_close(w);               /* tested elsewhere */
#endif
	memset(&message, 0, sizeof(message));
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtDbgRegister, 0);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtDbgUnregister, 0);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtDbgWavefrontControl, 0, HSA_DBG_WAVEOP_HALT,
	      HSA_DBG_WAVEMODE_SINGLE, 0, &message);
	PLAIN(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtDbgAddressWatch, 0, 1, &mode, &address, &mask,
	      NULL);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRuntimeEnable, NULL, false);
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtRuntimeDisable);
#ifndef WALK_STOCK
	API(KERNEL_IO_CHANNEL_NOT_OPENED, hsaKmtCheckRuntimeDebugSupport);
#endif
}

#ifndef WALK_STOCK
static void the_runtime_is_known_to_core_dumps(struct walk *w)
{
	struct kfd_dbg_device_info_entry device = { 0 };
	struct kfd_runtime_info info = { 0 };
	HsaNodeProperties node = { 0 };
	char rendezvous[64] = { 0 };
	HSAuint32 caps = 0;

	API(SUCCESS, hsaKmtCheckRuntimeDebugSupport);
	API(SUCCESS, hsaKmtRuntimeEnable, rendezvous, true);
	API(SUCCESS, hsaKmtGetRuntimeCapabilities, &caps);
	API(INVALID_PARAMETER, hsaKmtGetRuntimeCapabilities, NULL);
	if (PLAIN(SUCCESS, hsaKmtGetCoreRuntimeInfo, &info))
		walk_expect(w, "rendezvous", info.r_debug, (uintptr_t)rendezvous);
	PLAIN(ERROR, hsaKmtGetCoreRuntimeInfo, NULL);
	API(SUCCESS, hsaKmtRuntimeDisable);
	(void)hsaKmtGetNodeProperties(w->gpu, &node); /* else its id is 0, and unknown */
	if (PLAIN(SUCCESS, hsaKmtGetCoreDeviceInfo, node.KFDGpuID, &device))
		walk_expect(w, "gpu id", device.gpu_id, node.KFDGpuID);
	PLAIN(ERROR, hsaKmtGetCoreDeviceInfo, node.KFDGpuID, NULL);
	PLAIN(INVALID_NODE_UNIT, hsaKmtGetCoreDeviceInfo, 0xbeef, &device);
}

static void a_process_debugs_itself(struct walk *w)
{
	HSAuint32 size = 0, count = 0, entry = 0;
	char rendezvous[64] = { 0 };
	void *info = NULL, *data = NULL;

	API(SUCCESS, hsaKmtRuntimeEnable, rendezvous, true);
	if (API(SUCCESS, hsaKmtDbgEnable, &info, &size)) {
		walk_expect(w, "record", size, 16);
		free(info);
		if (API(SUCCESS, hsaKmtDbgGetDeviceData, &data, &count, &entry)) {
			walk_expect(w, "devices", count, 1);
			walk_expect(w, "entry", entry, 120);
			free(data);
		}
		data = NULL;
		if (API(SUCCESS, hsaKmtDbgGetQueueData, &data, &count, &entry, true)) {
			walk_expect(w, "queues", count, 0);
			free(data);
		}
		if (!API(SUCCESS, hsaKmtDbgDisable))
			(void)hsaKmtDbgDisable(); /* one call fails only */
	}
	API(ERROR, hsaKmtDbgDisable);
	API(ERROR, hsaKmtDbgGetDeviceData, &data, &count, &entry);
	API(ERROR, hsaKmtDbgGetQueueData, &data, &count, &entry, false);
	API(INVALID_PARAMETER, hsaKmtDbgEnable, NULL, &size);
	API(SUCCESS, hsaKmtRuntimeDisable);
}

static void debug_requests_pass_through(struct walk *w)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	HSAuint64 result = 0;
	HSA_QUEUEID none = 0;

	args.op = 999;
	API(ERROR, hsaKmtDebugTrapIoctl, &args, NULL, &result);
	args.op = KFD_IOC_DBG_TRAP_SUSPEND_QUEUES;
	args.suspend_queues.num_queues = 1;
	API(NO_MEMORY, hsaKmtDebugTrapIoctl, &args, &none, &result);
	API(INVALID_PARAMETER, hsaKmtDebugTrapIoctl, NULL, NULL, &result);
}

static void a_debug_request_is_carried_out(struct walk *w)
{
	struct kfd_ioctl_dbg_trap_args args = { 0 };
	HSAuint32 size = 0;
	void *info = NULL;

	API(SUCCESS, hsaKmtRuntimeEnable, NULL, true);
	if (API(SUCCESS, hsaKmtDbgEnable, &info, &size)) {
		free(info);
		args.pid = 0;
		args.op = KFD_IOC_DBG_TRAP_GET_DEVICE_SNAPSHOT;
		args.device_snapshot.entry_size = sizeof(struct kfd_dbg_device_info_entry);
		API(ERROR, hsaKmtDebugTrapIoctl, &args, NULL, NULL); /* nobody's process */
		args.pid = (uint32_t)getpid();
		API(SUCCESS, hsaKmtDebugTrapIoctl, &args, NULL, NULL);
		walk_expect(w, "devices", args.device_snapshot.num_devices, 1);
		if (!API(SUCCESS, hsaKmtDbgDisable))
			(void)hsaKmtDbgDisable(); /* one call fails only */
	}
	API(SUCCESS, hsaKmtRuntimeDisable);
}
#endif

const struct walk_case walk_debug_cases[] = {
	{ "without an open driver nothing is debugged", without_an_open_driver_nothing_is_debugged,
	  true },
	{ "node debugging of old is gone", node_debugging_of_old_is_gone, false },
	{ "the old debug version is told", the_old_debug_version_is_told, false },
	{ "the runtime announces itself", the_runtime_announces_itself, false },
#ifndef WALK_STOCK
	{ "the runtime is known to core dumps", the_runtime_is_known_to_core_dumps, false },
	{ "a process debugs itself", a_process_debugs_itself, false },
	{ "debug requests pass through", debug_requests_pass_through, false },
	{ "a debug request is carried out", a_debug_request_is_carried_out, false },
#endif
	{ NULL, NULL, false },
};
