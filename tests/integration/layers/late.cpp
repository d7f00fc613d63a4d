// SPDX-License-Identifier: MIT
// Takes memory in several functions and threads, gives some of it back, says "ready", and goes on after
// a line of input: a recording may start while it waits. What it leaks was taken before and after that.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

static void *take(size_t bytes)
{
	void *address = nullptr;

	if (hipMalloc(&address, bytes) != hipSuccess)
		std::exit(1);
	return address;
}

// Not inlined, so that each is a frame.
static __attribute__((noinline)) void keep_large()
{
	volatile int count = 3;

	for (int i = 0; i < count; i++)
		(void)take(4 << 20);
}

// The runtime serves these from one larger piece.
static __attribute__((noinline)) void keep_small()
{
	volatile int count = 5;

	for (int i = 0; i < count; i++)
		(void)take(8192);
}

static __attribute__((noinline)) void borrow(int rounds)
{
	for (int i = 0; i < rounds; i++)
		(void)hipFree(take(1 << 20));
}

static __attribute__((noinline)) void keep_host()
{
	void *host = nullptr;

	if (hipHostMalloc(&host, 1 << 20, 0) != hipSuccess)
		std::exit(1);
}

int main()
{
	void *first, *second;
	char line[16];

	keep_large();
	first = take(2 << 20);
	// One after the other, so that it is always the first that makes the runtime take memory.
	std::thread(keep_small).join();
	std::thread(borrow, 10).join();
	keep_host();
	second = take(6 << 20);
	if (hipFree(first) != hipSuccess)
		return 1;
	std::puts("ready");
	std::fflush(stdout);
	if (!std::fgets(line, sizeof(line), stdin))
		return 1;
	if (hipFree(second) != hipSuccess)
		return 1;
	keep_large();
	borrow(3);
	std::puts("done");
	return 0;
}
