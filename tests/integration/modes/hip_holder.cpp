// SPDX-License-Identifier: MIT
// Holds three blocks that it allocated, says "ready", and at the end of its input gives one back and
// ends.
#include <hip/hip_runtime_api.h>

#include <cstdio>

__attribute__((noinline)) static void *hold_weights(size_t bytes)
{
	void *block = nullptr;

	return hipMalloc(&block, bytes) == hipSuccess ? block : nullptr;
}

int main()
{
	void *blocks[] = { hold_weights(3 << 20), hold_weights(5 << 20), hold_weights(7 << 20) };
	char line[16];
	bool ok = blocks[0] && blocks[1] && blocks[2];

	std::puts("ready");
	std::fflush(stdout);
	while (std::fgets(line, sizeof(line), stdin))
		;
	ok = ok && hipFree(blocks[1]) == hipSuccess;
	std::puts(ok ? "done" : "failed");
	return ok ? 0 : 1;
}
