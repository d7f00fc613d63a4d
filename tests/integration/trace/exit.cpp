// SPDX-License-Identifier: MIT
// user-cases.md U25: calls in a static destructor and an exit handler, with a thread still waiting
// and the driver never closed. Ends with status 7.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "asleep.h"
#include "hsakmt/hsakmt.h"

namespace
{

void *buffer;
pid_t waiting;

void query()
{
	HsaPointerInfo info;

	hsaKmtQueryPointerInfo(buffer, &info);
}

struct Owner {
	HsaEvent *event = nullptr;
	~Owner()
	{
		hsaKmtFreeMemory(buffer, 1 << 20);
		hsaKmtDestroyEvent(event);
	}
};

Owner owner;

} // namespace

int main(int argc, char **argv)
{
	HsaEventDescriptor desc = {};
	HsaSystemProperties system;
	HsaEvent *waited = nullptr;
	HsaMemFlags flags = {};

	(void)argv;
	desc.EventType = HSA_EVENTTYPE_SIGNAL;
	flags.ui32.NonPaged = 1;
	hsaKmtOpenKFD();
	hsaKmtAcquireSystemProperties(&system);
	hsaKmtAllocMemory(1, 1 << 20, flags, &buffer);
	hsaKmtCreateEvent(&desc, false, false, &owner.event);
	hsaKmtCreateEvent(&desc, false, false, &waited);
	std::atexit(query);
	std::thread([waited] {
		asleep_mark(&waiting);
		hsaKmtWaitOnEvent(waited, 60000);
	}).detach();
	asleep_await(&waiting);
	if (argc > 1) { // for the test that takes the daemon away meanwhile
		std::puts("ready");
		std::fflush(stdout);
		std::getchar();
	}
	return 7;
}
