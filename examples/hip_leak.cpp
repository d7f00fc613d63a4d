// SPDX-License-Identifier: MIT
// A small HIP program with a leak to find: it allocates in two functions, copies data to the GPU and
// back and verifies it, and forgets what one of the functions allocated.
//
//   hip_leak            leaks 4 buffers of 4 MiB in load_weights()
//   hip_leak --clean    frees everything
//
// Host code only, so that it builds with any C++ compiler:
//   g++ -g -O1 -D__HIP_PLATFORM_AMD__ hip_leak.cpp -lamdhip64
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

static constexpr size_t activation_bytes = 1 << 20;
static constexpr size_t weight_bytes = 4 << 20;
static constexpr int layers = 4;

static bool succeeded(hipError_t error, const char *what)
{
	if (error != hipSuccess)
		std::fprintf(stderr, "hip_leak: %s: %s\n", what, hipGetErrorString(error));
	return error == hipSuccess;
}

// One buffer a layer, which the caller is supposed to free.
__attribute__((noinline)) bool load_weights(std::vector<void *> &weights)
{
	for (int layer = 0; layer < layers; layer++) {
		void *buffer = nullptr;

		if (!succeeded(hipMalloc(&buffer, weight_bytes), "hipMalloc"))
			return false;
		weights.push_back(buffer);
	}
	return true;
}

// Sends a pattern to the GPU, copies it there, brings it back and compares every byte.
__attribute__((noinline)) bool run_inference(void *weights)
{
	std::vector<unsigned char> in(activation_bytes), out(activation_bytes);
	void *first = nullptr, *second = nullptr;
	bool ok;

	for (size_t i = 0; i < in.size(); i++)
		in[i] = static_cast<unsigned char>(i * 31 + (i >> 8));
	ok = succeeded(hipMalloc(&first, activation_bytes), "hipMalloc") &&
	     succeeded(hipMalloc(&second, activation_bytes), "hipMalloc") &&
	     succeeded(hipMemcpy(first, in.data(), in.size(), hipMemcpyHostToDevice),
		       "to device") &&
	     succeeded(hipMemcpy(second, first, in.size(), hipMemcpyDeviceToDevice), "on device") &&
	     succeeded(hipMemcpy(weights, second, in.size(), hipMemcpyDeviceToDevice),
		       "on device") &&
	     succeeded(hipMemcpy(out.data(), weights, out.size(), hipMemcpyDeviceToHost),
		       "to host");
	if (ok && std::memcmp(in.data(), out.data(), in.size()) != 0) {
		std::fprintf(stderr, "hip_leak: the data came back changed\n");
		ok = false;
	}
	ok = succeeded(hipFree(first), "hipFree") && ok;
	return succeeded(hipFree(second), "hipFree") && ok;
}

int main(int argc, char **argv)
{
	bool clean = argc > 1 && std::strcmp(argv[1], "--clean") == 0;
	std::vector<void *> weights;
	bool ok = load_weights(weights);

	for (int batch = 0; ok && batch < 10; batch++)
		ok = run_inference(weights[batch % layers]);
	for (void *buffer : weights)
		if (clean)
			ok = succeeded(hipFree(buffer), "hipFree") && ok;
	std::printf("hip_leak: %s\n", ok ? "data verified" : "failed");
	return ok ? 0 : 1;
}
