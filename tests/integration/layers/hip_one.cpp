// SPDX-License-Identifier: MIT
// One hipMalloc of 8 MiB after the runtime has set itself up, and calls of other kinds around it.
#include <hip/hip_runtime.h>

#include <cstdio>

int main()
{
	void *warm = nullptr, *one = nullptr, *pitched = nullptr, *host = nullptr;
	size_t pitch = 0;
	hipStream_t stream;
	hipEvent_t event;
	bool ok = hipMalloc(&warm, 1 << 20) == hipSuccess;

	ok = ok && hipMalloc(&one, 8 << 20) == hipSuccess;
	ok = ok && hipMallocPitch(&pitched, &pitch, 1000, 64) == hipSuccess;
	ok = ok && hipHostMalloc(&host, 4096, 0) == hipSuccess;
	ok = ok && hipStreamCreate(&stream) == hipSuccess && hipEventCreate(&event) == hipSuccess;
	ok = ok && hipMemcpyAsync(one, host, 4096, hipMemcpyHostToDevice, stream) == hipSuccess;
	ok = ok && hipEventRecord(event, stream) == hipSuccess;
	ok = ok && hipStreamSynchronize(stream) == hipSuccess;
	ok = ok && hipMalloc(&warm, static_cast<size_t>(1) << 60) != hipSuccess;
	ok = ok && hipFree(one) == hipSuccess && hipFree(pitched) == hipSuccess;
	ok = ok && hipHostFree(host) == hipSuccess && hipEventDestroy(event) == hipSuccess;
	ok = ok && hipStreamDestroy(stream) == hipSuccess;
	std::printf("%s pitch %zu\n", ok ? "ok" : "failed", pitch);
	return ok ? 0 : 1;
}
