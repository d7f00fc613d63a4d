// SPDX-License-Identifier: MIT
// A HIP program without device code that moves memory in every way the runtime offers and compares
// each byte: pageable, pinned, registered, managed and device memory, sizes and offsets that are not
// round, rectangles, fills, streams, events. Ends with PASS, or with 1 after the first difference.
#include <hip/hip_runtime_api.h>

#include <cstring>
#include <vector>

#include "check.h"

#define HIP(call)                                                                                  \
	do {                                                                                       \
		hipError_t hip_error_ = (call);                                                    \
		if (hip_error_ != hipSuccess)                                                      \
			CHECK_FAIL("%s: %s", #call, hipGetErrorString(hip_error_));                \
	} while (0)

namespace
{

const size_t sizes[] = { 1,
			 3,
			 4,
			 17,
			 255,
			 256,
			 1000,
			 4095,
			 4096,
			 4097,
			 65536 + 3,
			 (1u << 20) - 1,
			 (1u << 20) + 5,
			 (5u << 20) + 7 };
const size_t offsets[] = { 0, 1, 4, 19, 64 };
const size_t slack = 128; // room for offsets, and checked to stay untouched

// Device memory with a guard on both sides of what a test writes.
struct device_buffer {
	unsigned char *ptr = nullptr;

	explicit device_buffer(size_t bytes)
	{
		HIP(hipMalloc(reinterpret_cast<void **>(&ptr), bytes));
	}
	~device_buffer()
	{
		HIP(hipFree(ptr));
	}
	device_buffer(const device_buffer &) = delete;
	device_buffer &operator=(const device_buffer &) = delete;
};

void copies_in_every_direction(size_t bytes, size_t src_offset, size_t dst_offset)
{
	const size_t all = bytes + slack;
	std::vector<unsigned char> in(all), out(all);
	device_buffer a(all), b(all);

	check_write(in.data(), all, 1);
	HIP(hipMemcpy(a.ptr, in.data(), all, hipMemcpyHostToDevice));
	check_write(in.data(), all, 2);
	HIP(hipMemcpy(b.ptr, in.data(), all, hipMemcpyHostToDevice));
	HIP(hipMemcpy(b.ptr + dst_offset, a.ptr + src_offset, bytes, hipMemcpyDeviceToDevice));
	HIP(hipMemcpy(out.data(), b.ptr, all, hipMemcpyDeviceToHost));
	check_same("before the copy", out.data(), dst_offset, 2, 0);
	check_same("device to device", out.data() + dst_offset, bytes, 1, src_offset);
	check_same("behind the copy", out.data() + dst_offset + bytes, all - dst_offset - bytes, 2,
		   dst_offset + bytes);
	// host addresses that are not aligned, and hipMemcpyDefault
	check_write(in.data(), all, 3);
	HIP(hipMemcpy(b.ptr + src_offset, in.data() + dst_offset, bytes, hipMemcpyDefault));
	HIP(hipMemcpy(out.data() + dst_offset, b.ptr + src_offset, bytes, hipMemcpyDefault));
	check_same("host to device and back", out.data() + dst_offset, bytes, 3, dst_offset);
	std::memset(out.data(), 0, all);
	HIP(hipMemcpy(out.data(), in.data(), bytes, hipMemcpyHostToHost));
	check_same("host to host", out.data(), bytes, 3, 0);
}

void copies()
{
	for (size_t bytes : sizes)
		for (size_t src : offsets)
			for (size_t dst : offsets)
				if (bytes < 100000 || src == 19 || !(src + dst))
					copies_in_every_direction(bytes, src, dst);
}

void pinned_memory()
{
	const unsigned int flags[] = { hipHostMallocDefault,  hipHostMallocPortable,
				       hipHostMallocMapped,   hipHostMallocWriteCombined,
				       hipHostMallocCoherent, hipHostMallocNonCoherent };
	const size_t bytes = (3u << 20) + 11;
	hipStream_t stream;

	HIP(hipStreamCreate(&stream));
	for (unsigned int flag : flags) {
		unsigned char *in, *out, *mapped;
		device_buffer a(bytes), b(bytes);

		HIP(hipHostMalloc(reinterpret_cast<void **>(&in), bytes, flag));
		HIP(hipHostMalloc(reinterpret_cast<void **>(&out), bytes, flag));
		check_write(in, bytes, flag + 10);
		HIP(hipMemcpyAsync(a.ptr, in, bytes, hipMemcpyHostToDevice, stream));
		HIP(hipMemcpyAsync(b.ptr, a.ptr, bytes, hipMemcpyDeviceToDevice, stream));
		HIP(hipMemcpyAsync(out, b.ptr, bytes, hipMemcpyDeviceToHost, stream));
		HIP(hipStreamSynchronize(stream));
		check_same("pinned", out, bytes, flag + 10, 0);
		// the GPU reads and fills it in place
		HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&mapped), out, 0));
		HIP(hipMemset(mapped, 0x3c, bytes));
		HIP(hipDeviceSynchronize());
		check_filled("mapped", out, bytes, "\x3c", 1);
		HIP(hipHostFree(in));
		HIP(hipHostFree(out));
	}
	HIP(hipStreamDestroy(stream));
}

void registered_memory()
{
	const size_t bytes = (1u << 20) + 4096;
	std::vector<unsigned char> host(bytes), out(bytes);
	unsigned char *mapped;
	device_buffer a(bytes);

	check_write(host.data(), bytes, 20);
	HIP(hipHostRegister(host.data(), bytes, hipHostRegisterMapped));
	HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&mapped), host.data(), 0));
	HIP(hipMemcpy(a.ptr, mapped, bytes, hipMemcpyDeviceToDevice));
	HIP(hipMemcpy(out.data(), a.ptr, bytes, hipMemcpyDeviceToHost));
	check_same("registered", out.data(), bytes, 20, 0);
	HIP(hipHostUnregister(host.data()));
}

void managed_memory()
{
	const size_t bytes = (2u << 20) + 100;
	std::vector<unsigned char> out(bytes);
	unsigned char *managed;
	device_buffer a(bytes);
	int device;

	HIP(hipGetDevice(&device));
	HIP(hipMallocManaged(reinterpret_cast<void **>(&managed), bytes, hipMemAttachGlobal));
	check_write(managed, bytes, 30);
	HIP(hipMemAdvise(managed, bytes, hipMemAdviseSetPreferredLocation, device));
	HIP(hipMemPrefetchAsync(managed, bytes, device, nullptr));
	HIP(hipDeviceSynchronize());
	HIP(hipMemcpy(a.ptr, managed, bytes, hipMemcpyDefault));
	HIP(hipMemcpy(out.data(), a.ptr, bytes, hipMemcpyDeviceToHost));
	check_same("from managed", out.data(), bytes, 30, 0);
	HIP(hipMemset(managed, 0x77, bytes));
	HIP(hipDeviceSynchronize());
	check_filled("managed", managed, bytes, "\x77", 1);
	HIP(hipFree(managed));
}

void read_filled(const char *what, const unsigned char *from, size_t bytes, const void *pattern,
		 size_t pattern_bytes)
{
	std::vector<unsigned char> out(bytes);

	HIP(hipMemcpy(out.data(), from, bytes, hipMemcpyDeviceToHost));
	check_filled(what, out.data(), bytes, pattern, pattern_bytes);
}

void fills()
{
	const unsigned short d16 = 0x1234;
	const unsigned int d32 = 0x89abcdef;

	for (size_t count : sizes) {
		device_buffer a(4 * count + slack);
		hipDeviceptr_t at = a.ptr + 64;
		// HIP 5.2.3 asks for 2^64 bytes when a fill ends before its first aligned word
		size_t skew = count >= 8 ? 3 : 0;

		HIP(hipMemset(a.ptr, 0, 4 * count + slack));
		HIP(hipMemset(a.ptr + skew, 0x5a, count));
		read_filled("hipMemset", a.ptr + skew, count, "\x5a", 1);
		HIP(hipMemset(a.ptr, 0, 4 * count + slack));
		HIP(hipMemsetD8(at, 0x6b, count));
		read_filled("hipMemsetD8", a.ptr + 64, count, "\x6b", 1);
		HIP(hipMemsetD16(at, d16, count));
		read_filled("hipMemsetD16", a.ptr + 64, 2 * count, &d16, 2);
		HIP(hipMemsetD32(at, static_cast<int>(d32), count));
		read_filled("hipMemsetD32", a.ptr + 64, 4 * count, &d32, 4);
		read_filled("before the fill", a.ptr, 64, "\0", 1);
		read_filled("behind the fill", a.ptr + 64 + 4 * count, 64, "\0", 1);
	}
}

void fill_rectangle()
{
	const size_t width = 123, height = 45;
	size_t pitch;
	void *ptr;

	HIP(hipMallocPitch(&ptr, &pitch, width, height));
	std::vector<unsigned char> out(pitch * height);
	HIP(hipMemset(ptr, 0, pitch * height));
	HIP(hipMemset2D(ptr, pitch, 0x99, width - 10, height));
	HIP(hipMemcpy(out.data(), ptr, pitch * height, hipMemcpyDeviceToHost));
	for (size_t y = 0; y < height; y++) {
		check_filled("hipMemset2D", &out[y * pitch], width - 10, "\x99", 1);
		check_filled("beside hipMemset2D", &out[y * pitch + width - 10], pitch - width + 10,
			     "\0", 1);
	}
	HIP(hipFree(ptr));
}

void rectangles(size_t width, size_t height, size_t host_pitch)
{
	std::vector<unsigned char> in(host_pitch * height), out(host_pitch * height);
	void *a, *b;
	size_t pitch_a, pitch_b;

	check_write(in.data(), in.size(), 40);
	HIP(hipMallocPitch(&a, &pitch_a, width, height));
	HIP(hipMallocPitch(&b, &pitch_b, 2 * width, height));
	HIP(hipMemcpy2D(a, pitch_a, in.data(), host_pitch, width, height, hipMemcpyHostToDevice));
	HIP(hipMemcpy2D(b, pitch_b, a, pitch_a, width, height, hipMemcpyDeviceToDevice));
	HIP(hipMemcpy2D(out.data(), host_pitch, b, pitch_b, width, height, hipMemcpyDeviceToHost));
	for (size_t y = 0; y < height; y++) {
		check_same("hipMemcpy2D", &out[y * host_pitch], width, 40, y * host_pitch);
		check_filled("beside hipMemcpy2D", &out[y * host_pitch + width], host_pitch - width,
			     "\0", 1);
	}
	HIP(hipFree(a));
	HIP(hipFree(b));
}

hipMemcpy3DParms volume_copy(hipPitchedPtr src, hipPitchedPtr dst, hipExtent extent,
			     hipMemcpyKind kind)
{
	hipMemcpy3DParms parms = {};

	parms.srcPtr = src;
	parms.dstPtr = dst;
	parms.extent = extent;
	parms.kind = kind;
	return parms;
}

void volumes(size_t width, size_t height, size_t depth)
{
	const hipExtent extent = make_hipExtent(width, height, depth);
	std::vector<unsigned char> in(width * height * depth), out(in.size());
	hipPitchedPtr a, b;
	hipPitchedPtr host_in = make_hipPitchedPtr(in.data(), width, width, height);
	hipPitchedPtr host_out = make_hipPitchedPtr(out.data(), width, width, height);

	check_write(in.data(), in.size(), 50);
	HIP(hipMalloc3D(&a, extent));
	HIP(hipMalloc3D(&b, extent));
	hipMemcpy3DParms to = volume_copy(host_in, a, extent, hipMemcpyHostToDevice);
	hipMemcpy3DParms across = volume_copy(a, b, extent, hipMemcpyDeviceToDevice);
	hipMemcpy3DParms from = volume_copy(b, host_out, extent, hipMemcpyDeviceToHost);
	HIP(hipMemcpy3D(&to));
	HIP(hipMemcpy3D(&across));
	HIP(hipMemcpy3D(&from));
	check_same("hipMemcpy3D", out.data(), out.size(), 50, 0);
	HIP(hipFree(a.ptr));
	HIP(hipFree(b.ptr));
}

void count_up(hipStream_t, hipError_t status, void *data)
{
	if (status == hipSuccess)
		++*static_cast<int *>(data);
}

void streams_and_events()
{
	const size_t bytes = (4u << 20) + 1;
	hipStream_t first, second;
	hipEvent_t filled, copied;
	device_buffer a(bytes), b(bytes);
	unsigned char *out;
	int called = 0;
	float ms = -1;

	HIP(hipStreamCreate(&first));
	HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
	HIP(hipEventCreate(&filled));
	HIP(hipEventCreate(&copied));
	HIP(hipHostMalloc(reinterpret_cast<void **>(&out), bytes, hipHostMallocDefault));
	for (int round = 1; round <= 20; round++) {
		const unsigned char value = static_cast<unsigned char>(round);

		HIP(hipMemsetAsync(a.ptr, value, bytes, first));
		HIP(hipEventRecord(filled, first));
		HIP(hipStreamWaitEvent(second, filled, 0));
		HIP(hipMemcpyAsync(b.ptr, a.ptr, bytes, hipMemcpyDeviceToDevice, second));
		HIP(hipMemcpyAsync(out, b.ptr, bytes, hipMemcpyDeviceToHost, second));
		HIP(hipStreamAddCallback(second, count_up, &called, 0));
		HIP(hipEventRecord(copied, second));
		HIP(hipEventSynchronize(copied));
		check_filled("two streams", out, bytes, &value, 1);
		HIP(hipEventElapsedTime(&ms, filled, copied));
		if (ms < 0 || ms > 600000)
			CHECK_FAIL("elapsed time %g ms", static_cast<double>(ms));
	}
	HIP(hipStreamSynchronize(second));
	if (called != 20)
		CHECK_FAIL("%d callbacks instead of 20", called);
	HIP(hipHostFree(out));
	HIP(hipEventDestroy(filled));
	HIP(hipEventDestroy(copied));
	HIP(hipStreamDestroy(first));
	HIP(hipStreamDestroy(second));
}

// One stream waits for a word that another one writes.
void stream_values()
{
	int device, supported = 0;
	hipStream_t waiter, writer;
	uint64_t *word;

	HIP(hipGetDevice(&device));
	HIP(hipDeviceGetAttribute(&supported, hipDeviceAttributeCanUseStreamWaitValue, device));
	if (!supported)
		return;
	HIP(hipStreamCreate(&waiter));
	HIP(hipStreamCreate(&writer));
	HIP(hipExtMallocWithFlags(reinterpret_cast<void **>(&word), 8, hipMallocSignalMemory));
	*word = 0;
	HIP(hipStreamWaitValue64(waiter, word, 5, hipStreamWaitValueGte, ~0ull));
	HIP(hipStreamWriteValue64(writer, word, 7, 0));
	HIP(hipStreamSynchronize(writer));
	HIP(hipStreamSynchronize(waiter));
	if (*word != 7)
		CHECK_FAIL("word is %llu", static_cast<unsigned long long>(*word));
	HIP(hipFree(word));
	HIP(hipStreamDestroy(waiter));
	HIP(hipStreamDestroy(writer));
}

void peers()
{
	const size_t bytes = (1u << 20) + 9;
	std::vector<unsigned char> in(bytes), out(bytes);
	unsigned char *near, *far;
	int count;

	HIP(hipGetDeviceCount(&count));
	for (int peer = 1; peer < count; peer++) {
		check_write(in.data(), bytes, 60);
		HIP(hipMalloc(reinterpret_cast<void **>(&near), bytes));
		HIP(hipSetDevice(peer));
		HIP(hipMalloc(reinterpret_cast<void **>(&far), bytes));
		HIP(hipMemset(far, 0, bytes));
		HIP(hipSetDevice(0));
		HIP(hipMemcpy(near, in.data(), bytes, hipMemcpyHostToDevice));
		HIP(hipMemcpyPeer(far, peer, near, 0, bytes));
		HIP(hipMemset(near, 0, bytes));
		HIP(hipMemcpyPeer(near, 0, far, peer, bytes));
		HIP(hipMemcpy(out.data(), near, bytes, hipMemcpyDeviceToHost));
		check_same("peer copy", out.data(), bytes, 60, 0);
		HIP(hipFree(near));
		HIP(hipFree(far));
	}
}

void free_memory_is_told()
{
	size_t free_before, free_now, total;
	void *ptr;

	HIP(hipMemGetInfo(&free_before, &total));
	HIP(hipMalloc(&ptr, 64u << 20));
	HIP(hipMemGetInfo(&free_now, &total));
	if (free_now > free_before - (64u << 20) || total < free_before)
		CHECK_FAIL("free memory went from %zu to %zu of %zu", free_before, free_now, total);
	HIP(hipFree(ptr));
}

} // namespace

int main()
{
	int count = 0;

	HIP(hipGetDeviceCount(&count));
	HIP(hipSetDevice(0));
	copies();
	pinned_memory();
	registered_memory();
	managed_memory();
	fills();
	fill_rectangle();
	rectangles(100, 33, 160);
	rectangles(256, 64, 256);
	rectangles(61, 7, 64);
	volumes(64, 16, 4);
	volumes(37, 11, 5);
	streams_and_events();
	stream_values();
	peers();
	free_memory_is_told();
	HIP(hipDeviceSynchronize());
	printf("PASS hip_memory on %d device(s)\n", count);
	return 0;
}
