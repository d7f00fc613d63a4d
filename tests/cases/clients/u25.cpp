// SPDX-License-Identifier: MIT
// U25: driver calls in destructors and exit handlers; the exit code must stay 7.
// With an argument it says when it is ready to leave, and leaves after a line of input.
#include "asleep.h"

#include <hsakmt/hsakmt.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

static void *kept;

// Its destructor runs after main() and after the handlers that main() registered.
struct Resources {
	void *buffer = nullptr;
	HsaEvent *event = nullptr;

	~Resources()
	{
		if (buffer)
			hsaKmtFreeMemory(buffer, 1 << 20);
		if (event)
			hsaKmtDestroyEvent(event);
	}
};

static Resources resources;

static void *allocate()
{
	HsaMemFlags flags = {};
	void *address = nullptr;

	flags.ui32.NonPaged = 1;
	flags.ui32.CoarseGrain = 1;
	if (hsaKmtAllocMemory(1, 1 << 20, flags, &address) != HSAKMT_STATUS_SUCCESS)
		_exit(99);
	return address;
}

static void query_at_exit()
{
	HsaPointerInfo info;

	hsaKmtQueryPointerInfo(kept, &info);
}

static pid_t waiting;

int main(int argc, char **)
{
	HsaEventDescriptor descriptor = {};
	HsaSystemProperties properties;
	HsaEvent *waited;

	if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS ||
	    hsaKmtAcquireSystemProperties(&properties) != HSAKMT_STATUS_SUCCESS)
		return 99;
	resources.buffer = allocate();
	kept = allocate();
	descriptor.EventType = HSA_EVENTTYPE_SIGNAL;
	descriptor.NodeId = 1;
	if (hsaKmtCreateEvent(&descriptor, false, false, &resources.event) !=
		    HSAKMT_STATUS_SUCCESS ||
	    hsaKmtCreateEvent(&descriptor, false, false, &waited) != HSAKMT_STATUS_SUCCESS)
		return 99;
	atexit(query_at_exit);
	std::thread([waited] {
		asleep_mark(&waiting);
		hsaKmtWaitOnEvent(waited, 0xFFFFFFFF);
	}).detach();
	asleep_await(&waiting);
	if (argc > 1) {
		std::puts("ready");
		std::fflush(stdout);
		(void)std::getchar();
	}
	std::printf("leaving\n");
	return 7;
}
